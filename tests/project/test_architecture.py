"""The architecture: which package may import which, what an import loads, and what a public name must have."""

import ast
import os
import pkgutil
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest
from entry_points import ENTRY_POINTS, public_names
from paths import PACKAGE, ROOT
from waiting import LIMIT

import dmlrand
from dmlrand import compat
from dmlrand.drawing.number_rules import DISTRIBUTIONS

# What each module, or package with all its modules, may import of dmlrand: specs/architecture.md. Dependencies point
# down.
WORDS = {"philox", "messages", "arrays.integers", "arrays.interchange", "state"}
OPERATOR = WORDS | {"kernels", "arrays.tensor", "arrays.window", "arrays.filling", "drawing", "operator"}
DEPENDENCIES = {
    "philox": set(),
    "imports": set(),
    "messages": set(),
    "files": {"messages"},
    "arrays": set(),
    "arrays.interchange": set(),
    "arrays.integers": {"messages", "arrays.interchange"},
    "arrays.tensor": {"messages", "arrays.integers", "arrays.interchange"},
    "arrays.arguments": {"messages"},
    "arrays.number_types": {"messages", "arrays.arguments", "arrays.integers", "arrays.interchange", "imports"},
    "arrays.filling": {"kernels", "arrays.tensor"},
    "arrays.window": {"messages", "arrays.integers", "arrays.tensor"},
    "state": {"philox", "messages", "arrays.integers", "arrays.interchange", "arrays.tensor"},
    "kernels": {"philox", "imports", "messages", "kernels"},
    "drawing": set(),
    "drawing.outputs": {"state"},
    "drawing.plan": {"messages", "kernels", "state", "arrays", "drawing.outputs"},
    "drawing.number_rules": WORDS | {"arrays", "kernels", "drawing.plan"},
    "drawing.derived": {"arrays", "drawing.number_rules", "drawing.plan", "state"},
    "drawing.position": {"messages", "state"},
    "operator": {"messages", "kernels", "state", "arrays", "drawing"},
    "distributions": OPERATOR | {"arrays"},
    "permutations": OPERATOR | {"distributions"},
    "sampler": WORDS | {"drawing", "arrays.arguments", "distributions", "permutations"},
    "stream": OPERATOR | {"arrays", "distributions", "permutations"},
    "verification": OPERATOR
    | {"compat.jax", "compat.threefry", "compat.tensorflow", "compat.kernels"}
    | {"arrays", "imports", "bulk", "verification"},
    "shaders": {"philox", "arrays.arguments", "kernels.rules"},
    "conformance": OPERATOR
    | {"arrays", "files", "bulk", "distributions", "verification", "webgpu", "shaders", "conformance", ""},
    "checkpoint": WORDS | {"drawing", "arrays.interchange", "files", "stream", "bit_generator"},
    "bit_generator": OPERATOR,
    "bulk": OPERATOR | {"files", "arrays", "distributions", "imports", "bulk"},
    "batch": OPERATOR | {"arrays"},
    "dask": OPERATOR | {"imports"},
    "cuda": WORDS | {"drawing", "arrays", "imports", "kernels.cuda", "cuda"},
    "onnx": {"philox", "kernels", "arrays", "imports", "drawing", "onnx"},
    "webgpu": WORDS | {"drawing", "arrays", "imports", "kernels", "batch", "shaders", "webgpu"},
    "compat": {"imports", "compat"},  # its __init__.py alone: each system below has a row of its own
    "compat.threefry": set(),
    "compat.kernels": {"philox", "kernels", "compat.threefry", "compat.kernels"},
    "compat.subnormals": {"arrays"},
    "compat.shared": WORDS | {"drawing", "kernels", "arrays", "compat.kernels"},
    "compat.tensorflow": OPERATOR
    | {"arrays", "distributions", "imports", "compat.shared", "compat.subnormals"}
    | {"compat.tensorflow"},
    "compat.directml": OPERATOR | {"arrays", "compat.shared", "compat.directml"},
    "compat.openvino": OPERATOR | {"arrays", "distributions", "compat.shared", "compat.subnormals", "compat.openvino"},
    "compat.curand": OPERATOR | {"arrays", "compat.kernels", "compat.shared", "compat.curand"},
    "compat.torch": OPERATOR | {"arrays", "imports", "compat.kernels", "compat.shared", "compat.torch"},
    "compat.triton": OPERATOR | {"compat.kernels", "compat.shared"},
    "compat.tfp": WORDS | {"arrays", "imports", "compat.shared", "compat.tensorflow", "compat.tfp"},
    "compat.jax": OPERATOR
    | {"arrays", "imports", "compat.threefry", "compat.kernels", "compat.shared", "compat.subnormals", "compat.jax"},
    "compat.theano": OPERATOR | {"arrays", "imports", "compat.shared", "compat.theano"},
    "cli": OPERATOR
    | {"arrays", "distributions", "stream", "verification", "conformance", "bulk", "checkpoint", "files", "imports"}
    | {"shaders", "webgpu", "cuda", "permutations", "cli", ""},  # "": its version
    # what is public
    "examples": {"", "batch", "compat", "cuda", "dask", "onnx", "shaders", "webgpu", "kernels.philox"},
    "__main__": {"cli"},
    # __init__.py
    "": OPERATOR
    | {"imports", "checkpoint", "distributions", "permutations", "sampler", "stream", "verification", "bulk"}
    | {"bit_generator", "batch", "compat", "cuda", "dask", "onnx", "shaders", "webgpu"},
}


def name_of(path):
    """kernels/philox.py -> kernels.philox; __init__.py -> the package's own name, "" for dmlrand's."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


# The programs of examples/ are no modules: they import dmlrand as its users do.
SOURCES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py")) if path.parent.name != "examples"}


def imported_names(module):
    """Every dotted name that a module imports, those inside functions and under TYPE_CHECKING too."""
    path = SOURCES[module]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = ["dmlrand", *module.split(".")] if module else ["dmlrand"]
            above = above[: len(above) - node.level + (path.name == "__init__.py")] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def used_modules(module):
    """The modules of dmlrand that a module imports. `from . import x` names a module or an object of the package."""
    for name in imported_names(module):
        parts = name.split(".")
        if parts[0] == "dmlrand":
            inside = [".".join(parts[1:end]) for end in range(len(parts), 0, -1)]
            yield next(candidate for candidate in inside if candidate in SOURCES)


def row_of(module):
    """A module's own row in the table, or that of the nearest package above it."""
    while module not in DEPENDENCIES and "." in module:
        module = module.rpartition(".")[0]
    return DEPENDENCIES[module]


def test_dependencies_point_down():
    wrong = [
        f"{module} imports {used}"
        for module in SOURCES
        for used in used_modules(module)
        if not any(used == allowed or used.startswith(allowed + ".") for allowed in row_of(module))
    ]
    assert {"philox", "messages"} <= set(used_modules("state"))  # else the reader of imports finds nothing
    assert wrong == [], "a new module or system needs a row in DEPENDENCIES"


def test_the_modules_of_a_package_import_each_other_without_a_cycle():
    """dmlrand and dmlrand.compat only offer names of their modules, lazily."""
    names = {"", "compat"}
    graph = {module: set(used_modules(module)) - names - {module} for module in SOURCES.keys() - names}
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, which names the modules


def test_only_modules_of_kernels_import_numba_and_they_nothing_else():
    for module in SOURCES:
        is_of_kernels = any(part.endswith("kernels") for part in module.split("."))
        names = {name.split(".")[0] for name in imported_names(module)}
        foreign = names - {"dmlrand", "numpy"} - sys.stdlib_module_names
        assert foreign <= {"numba", "llvmlite"} if is_of_kernels else not foreign & {"numba", "llvmlite"}, module


def test_import_loads_only_the_standard_library_and_numpy():
    """promises 6"""
    script = (
        "import sys; before = set(sys.modules); import dmlrand; dmlrand.make_state(); "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {"dmlrand", "numpy"} <= loaded
    assert loaded - {"dmlrand", "numpy"} - sys.stdlib_module_names == set()


# What is public


def test_every_system_is_in_the_stub_of_compat():
    """Else it is no entry point, and nothing checks its public names."""
    modules = {found.name for found in pkgutil.iter_modules(compat.__path__)}
    assert modules - set(compat.__all__) <= {"kernels", "shared", "subnormals", "threefry"}  # what systems use


@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=lambda entry: entry.__name__)
def test_every_public_name_has_a_docstring_with_an_example(entry):
    for name in public_names(entry):
        item = getattr(entry, name)
        if not callable(item):  # a plain constant has no docstring
            item = type(item) if type(item).__module__.startswith("dmlrand") else entry
        doc = item.__doc__  # not inspect.getdoc: a parent's docstring would pass for its own
        assert doc and not doc.startswith(f"{name}("), f"{name} has no docstring, or only the one of its fields"
        assert ">>> " in doc or "as uniform of this module" in doc, f"the docstring of {name} has no example"


DRAWING = ["random_generator", *DISTRIBUTIONS, "permutation", "Stream", "PhiloxBitGenerator"]
DRAWING += ["ShuffledSampler", "WeightedSampler"]


def test_what_draws_random_numbers_warns_against_cryptography():
    """promises 8"""
    texts = [getattr(dmlrand, name).__doc__ for name in DRAWING]
    for text in (*texts, dmlrand.__doc__, (ROOT / "README.md").read_text("utf-8")):
        assert "Not for cryptography" in " ".join(text.split())
