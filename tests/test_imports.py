"""Names and modules are imported at first use, and are listed from the start: promises 6."""

import ast
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from paths import PACKAGE_PARENT

import dmlrand
from dmlrand import compat

SYSTEMS = compat.__all__


def fresh(script):
    """The words that a script prints in a new process."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {PACKAGE_PARENT!r})\n{script}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_every_public_name_and_module_is_listed_before_its_use_and_imported_at_once():
    packages = "dmlrand", "dmlrand.compat", "dmlrand.kernels", "dmlrand.verification"
    script = f"import dmlrand\nfor name in {packages}: print(*dir(eval(name)), sep=',')"
    printed = fresh(f"{script}\nfrom dmlrand import *; print(*globals(), sep=',')")
    listed, of_compat, of_kernels, of_verification, imported = (set(line.split(",")) for line in printed)
    modules = {"batch", "compat", "cuda", "dask", "kernels", "onnx", "shaders", "stream", "webgpu"}
    assert set(dmlrand.__all__) | modules | {"__version__"} <= listed
    assert {"philox", "permute"} <= of_kernels and not {"block", "load"} & of_kernels
    assert set(SYSTEMS) <= of_compat and {"locate", "verify"} <= of_verification
    assert set(dmlrand.__all__) <= imported


@pytest.mark.costly  # it loads numba
def test_the_block_for_numba_is_an_attribute_and_loads_numba():
    script = (
        "import dmlrand; dmlrand.kernels; dmlrand.make_state(); print('numba' in sys.modules); "
        "print(*dmlrand.kernels.philox.block.py_func(0, 0, 0, 0, 42, 0)); print('numba' in sys.modules)"
    )
    words = dmlrand.random_generator(dmlrand.make_state(key=42), 4).values
    assert fresh(script) == ["False", *map(str, words), "True"]


@pytest.mark.parametrize("package", ["dmlrand", "dmlrand.compat", "dmlrand.kernels", "dmlrand.verification"])
def test_a_misspelt_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match=f"^module '{package}' has no attribute 'philoxx'$"):
        import_module(package).philoxx


@pytest.mark.parametrize("package", [dmlrand, compat])
def test_type_checkers_see_the_names_that_python_sees(package):
    """The stub is the list of both. Type checkers hide a name that is not imported `as` itself."""
    tree = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    for node in imports:
        assert node.level == 1 and all(alias.asname == alias.name for alias in node.names)
        home = import_module(f"{package.__name__}.{node.module}") if node.module else package
        for alias in node.names:
            assert getattr(package, alias.name) is getattr(home, alias.name)
    names = {alias.name for node in imports for alias in node.names}
    modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
    assert set(package.__all__) == (names if package is compat else names - modules)
    assert names <= set(dir(package))
