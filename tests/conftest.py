"""Settings of every test, and the kernels that tests run with."""

import pytest
from hypothesis import settings

from dmlrand import kernels

# The same examples on every run: a red test stays red until something is mended. No deadline: the first call
# of a kernel compiles it.
settings.register_profile("dmlrand", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("dmlrand")

# Tests of exact values run with both kinds of kernels, all others with the compiled ones. Processes that tests start
# choose for themselves, as a user's do.
BOTH_KINDS = {
    "test_distributions", "test_integers", "test_jax_laws", "test_jax_recorded", "test_normal", "test_number_windows",
    "test_openvino", "test_operator", "test_position", "test_state", "test_stream", "test_tensorflow_edges",
    "test_tensorflow_generator", "test_tensorflow_normals", "test_tensorflow_recorded", "test_tensorflow_shuffles",
    "test_tensorflow_stateful", "test_tfp", "test_theano_draws", "test_uniform", "test_verify", "test_window",
}  # fmt: skip
kernels.choice = "numba"


def pytest_generate_tests(metafunc):
    module = metafunc.module.__name__.rpartition(".")[2]
    if module in BOTH_KINDS and not metafunc.definition.get_closest_marker("compiled"):
        metafunc.fixturenames.append("kind_of_kernels")
        metafunc.parametrize("kind_of_kernels", ["numba", "numpy"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def kind_of_kernels(request):
    """Runs the tests of a module with this kind of kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "choice", request.param)
        forget_kernels()
        yield
    forget_kernels()


def forget_kernels():
    for name in kernels._HOMES:
        vars(kernels).pop(name, None)
