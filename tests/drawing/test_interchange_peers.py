"""Arrays of PyTorch and JAX as states, outputs, bounds and dtypes. specs/operator.md, section 6."""

import re

import numpy as np
import pytest

from dmlrand import (
    Stream,
    integers,
    make_state,
    normal,
    random_generator,
    seed_state,
    uniform,
    verify,
)

pytestmark = pytest.mark.peers
torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")
jnp = jax.numpy

STATE = make_state(counter=2**64 - 1, key=42)


def tensor(array=STATE):
    return torch.from_numpy(array.copy())


STATES = {
    "torch": tensor,
    "torch, rank 3": lambda: tensor().reshape(1, 1, 6),
    "torch, strided": lambda: torch.stack([tensor(), tensor()], 1)[:, 0],
    "torch, inference": lambda: torch.inference_mode()(tensor)(),
    "JAX": lambda: jnp.asarray(STATE),
    "JAX, rank 3": lambda: jnp.asarray(STATE).reshape(1, 1, 6),
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_read(name):
    """operator 6.1 and 6.5"""
    state = STATES[name]()
    values, after = random_generator(state, 7)
    expected = random_generator(STATE, 7)
    assert type(values) is type(after) is np.ndarray and after.shape == tuple(state.shape)
    assert values.tolist() == expected.values.tolist() and after.ravel().tolist() == expected.state.tolist()
    assert Stream(state, 1) == Stream(STATE, 1)
    assert verify(state, torch.from_dlpack(values)).ok and verify(state, jnp.from_dlpack(values)).ok


OUTPUTS = {
    "packed": lambda kind: torch.zeros(4, 5, dtype=kind),
    "transposed": lambda kind: torch.zeros(5, 4, dtype=kind).T,
    "stepped": lambda kind: torch.zeros(4, 11, dtype=kind)[:, 1::2],
}
DRAWS = {
    "uint32": lambda **options: random_generator(STATE, **options),
    "float32": lambda **options: normal(STATE, **options),
    "float64": lambda **options: uniform(STATE, dtype=torch.float64, **options),
    "float16": lambda **options: uniform(STATE, dtype=torch.float16, **options),
    "int64": lambda **options: integers(STATE, low=0, high=9, dtype=torch.int64, **options),
}


@pytest.mark.parametrize("layout", OUTPUTS)
@pytest.mark.parametrize("dtype", DRAWS)
def test_an_output_of_torch_is_filled_in_place(layout, dtype):
    """operator 6.2"""
    out = OUTPUTS[layout](getattr(torch, dtype))
    values = DRAWS[dtype](out=out).values
    assert type(values) is np.ndarray and values.__array_interface__["data"][0] == out.data_ptr()
    assert out.tolist() == values.tolist() == DRAWS[dtype](shape=(4, 5)).values.tolist()


def test_dtypes_by_their_own_objects():
    """operator 6.4"""
    for name in ("float16", "float32", "float64"):
        for dtype in (getattr(torch, name), getattr(jnp, name), jnp.dtype(name)):
            assert uniform(STATE, 3, dtype=dtype).values.dtype == name
            assert Stream(STATE).uniform(3, dtype=dtype).dtype == name
    for name in ("int32", "int64", "uint32", "uint64"):
        for dtype in (getattr(torch, name), getattr(jnp, name)):
            assert integers(STATE, 3, 0, 9, dtype).values.dtype == name
    for dtype in (torch.bfloat16, jnp.bfloat16):
        assert uniform(STATE, 3, dtype=dtype).values.dtype.name == "bfloat16"
    with pytest.raises(TypeError, match=r"^dtype must be .*; got torch\.complex64\. The function integers draws "):
        uniform(STATE, 3, dtype=torch.complex64)


BOUNDS = [torch.tensor(2.5), torch.tensor(2), torch.tensor(2.5, dtype=torch.bfloat16), jnp.float32(2.5), jnp.array(2)]
BOUNDS += [jnp.bfloat16(2.5)]


@pytest.mark.parametrize("bound", BOUNDS, ids=repr)
def test_a_scalar_is_a_bound(bound):
    """operator 6.4"""
    assert (
        uniform(STATE, 5, low=0, high=bound).values.tolist()
        == uniform(STATE, 5, low=0, high=float(bound)).values.tolist()
    )
    if float(bound) == 2:
        assert integers(STATE, 5, 0, bound).values.tolist() == integers(STATE, 5, 0, 2).values.tolist()
        assert seed_state(bound).tolist() == [0, 0, 0, 0, 2, 0]
        assert random_generator(STATE, (bound, 2)).values.shape == (2, 2)


def fake():
    """A tensor of torch.compile: it has a shape and no memory."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(4)


def test_a_tensor_of_a_traced_function_is_refused():
    """operator 6.3: numpy would read memory that was never written."""

    def draw(state):
        with pytest.raises(TypeError, match=r"^state must be .* got torch.Tensor \(it has no memory\)\. Pass a numpy"):
            random_generator(state, 4)
        with pytest.raises(TypeError, match=r"^out must be .* got torch.Tensor \(it does not share its memory\)"):
            random_generator(STATE, out=state)
        return state

    torch.func.functionalize(draw)(tensor())


READ = "state must be an array that numpy can read; got "
WRITE = "out must be an array that numpy can write to; got torch.Tensor ("
LEAVE_OUT = "Draw without out, then convert or copy the values."
REFUSED_STATES = {
    "int64": (
        lambda: tensor().to(torch.int64),
        "state must hold uint32 words; got int64 of shape (6,). "
        "If all its values are in [0, 2**32), convert it with astype(numpy.uint32), or to(torch.uint32) in PyTorch.",
    ),
    "no memory": (lambda: tensor().to("meta"), f"{READ}torch.Tensor ("),
    "gradient": (lambda: torch.zeros(6, requires_grad=True), f"{READ}torch.Tensor (Can't call numpy() on Tensor that "),
    "JAX int32": (lambda: jnp.zeros(6, jnp.int32), "state must hold uint32 words; got int32 of shape (6,). If all "),
    "JAX key": (lambda: jax.random.key(0), f"{READ}jax.PRNGKeyArray (JAX array with PRNGKey dtype cannot be converted"),
}
REFUSED_OUTPUTS = {
    "dtype": (lambda: torch.zeros(4, dtype=torch.float64), "out must hold float32 in native byte order; got float64."),
    "gradient": (lambda: torch.zeros(4, requires_grad=True), f"{WRITE}Can't export tensors that require gradient"),
    "no memory": (lambda: torch.zeros(4, device="meta"), WRITE),
    "expanded": (lambda: torch.zeros(1).expand(4), "out must not overlap itself; got shape (4,) with strides (0,)"),
    "sparse": (lambda: torch.zeros(4).to_sparse(), WRITE),
    "negative bit": (lambda: torch.zeros(4, dtype=torch.complex64).conj().imag, f"{WRITE}it has the negative bit: "),
    "zeros without memory": (lambda: torch._efficientzerotensor(4), f"{WRITE}it does not share its memory). Draw"),
    "fake": (lambda: fake(), "out must be an array that numpy can write to; got torch.FakeTensor (it does not share "),
    "JAX": (lambda: jnp.zeros(4), f"out must be writable; got a read-only array. {LEAVE_OUT}"),
}


@pytest.mark.parametrize("case", REFUSED_STATES)
def test_a_state_that_numpy_cannot_read_is_refused_with_the_conversion(case):
    """operator 6.3"""
    make, message = REFUSED_STATES[case]
    with pytest.raises((TypeError, ValueError), match="^" + re.escape(message)) as caught:
        uniform(make(), 4)
    if "torch.Tensor" in message:
        assert "state.numpy(force=True) in PyTorch" in str(caught.value)


@pytest.mark.parametrize("case", REFUSED_OUTPUTS)
def test_an_output_that_numpy_cannot_write_to_is_refused(case):
    """operator 6.2 and 6.3"""
    make, message = REFUSED_OUTPUTS[case]
    with pytest.raises((TypeError, ValueError), match="^" + re.escape(message)):
        uniform(STATE, out=make())
