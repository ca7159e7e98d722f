"""The architecture: which package may import which, what an import loads, and that everything public has a docstring
and a test."""

import ast
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from functools import cache

import pytest
from entry_points import ENTRY_POINTS, public_names
from paths import PACKAGE, ROOT, TESTS
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
    "compat.directml": OPERATOR | {"compat.directml"},
    "compat.openvino": OPERATOR | {"arrays", "distributions", "compat.shared", "compat.subnormals", "compat.openvino"},
    "compat.curand": OPERATOR | {"arrays", "compat.kernels", "compat.shared", "compat.curand"},
    "compat.torch": OPERATOR | {"arrays", "imports", "compat.kernels", "compat.shared", "compat.torch"},
    "compat.triton": OPERATOR | {"arrays", "compat.kernels"},
    "compat.tfp": WORDS | {"arrays", "imports", "compat.tensorflow", "compat.tfp"},
    "compat.jax": OPERATOR
    | {"arrays", "imports", "compat.threefry", "compat.kernels", "compat.shared", "compat.subnormals", "compat.jax"},
    "compat.theano": OPERATOR | {"arrays", "imports", "compat.shared", "compat.theano"},
    "cli": OPERATOR
    | {
        "arrays",
        "distributions",
        "stream",
        "verification",
        "conformance",
        "bulk",
        "checkpoint",
        "files",
        "imports",
        "shaders",
        "webgpu",
        "cuda",
        "permutations",
        "cli",
        "",  # its version
    },
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


def imported_names(source, module, is_package):
    """Every dotted name that `source` imports, those inside functions and under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = ["dmlrand", *module.split(".")] if module else ["dmlrand"]
            above = above[: len(above) - node.level + is_package] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def used_modules(source, module, is_package=False, known=frozenset(SOURCES)):
    """The modules of dmlrand that `source` imports. `from . import x` names a module or an object of the package."""
    for name in imported_names(source, module, is_package):
        parts = name.split(".")
        if parts[0] == "dmlrand":
            inside = [".".join(parts[1:end]) for end in range(len(parts), 0, -1)]
            yield next(candidate for candidate in inside if candidate in known)


def row_of(module):
    """A module's own row in the table, or that of the nearest package above it."""
    asked = module
    while module not in DEPENDENCIES and "." in module:
        module = module.rpartition(".")[0]
    assert asked == "compat" or module != "compat", f"dmlrand.{asked} is a new system: give it a row in DEPENDENCIES"
    assert module in DEPENDENCIES, (
        f"dmlrand.{module} is a new module: give it a row in DEPENDENCIES, naming what it may import"
    )
    return DEPENDENCIES[module]


def breaches(source, module, is_package=False, known=frozenset(SOURCES)):
    allowed = row_of(module)
    return [
        used
        for used in used_modules(source, module, is_package, known)
        if not any(used == module or used.startswith(module + ".") for module in allowed)
    ]


@pytest.mark.parametrize("module", SOURCES)
def test_dependencies_point_down(module):
    path = SOURCES[module]
    assert breaches(path.read_text("utf-8"), module, path.name == "__init__.py") == []


@pytest.mark.parametrize(
    "module, source, found",
    [
        ("state", "from .operator import random_generator", ["operator"]),
        ("state", "from . import operator", ["operator"]),
        ("state", "from . import make_state", [""]),
        ("state", "import dmlrand.cli", ["cli"]),
        ("state", "from dmlrand.kernels.philox import block", ["kernels.philox"]),
        ("state", "def late():\n    from .operator import x", ["operator"]),
        ("state", "from .philox import block\nimport operator\nimport numpy as np", []),
        ("kernels.philox", "from .. import philox\nfrom .compiling import kernel", []),
        ("kernels.philox", "from ..state import make_state", ["state"]),
        ("compat.jax", "from .tensorflow import split", ["compat.tensorflow"]),
        ("compat.jax", "from ..operator import random_generator", []),
        ("compat.tfp", "from .tensorflow import split\nfrom . import jax", ["compat.jax"]),
        ("bulk", "from .cli import main", ["cli"]),
    ],
)
def test_the_reader_of_imports_finds_every_form(module, source, found):
    later = {"compat", "compat.jax", "compat.tensorflow", "compat.tfp", "bulk", "cli"}
    assert breaches(source, module, known=frozenset(SOURCES) | later) == found


def test_only_the_entry_point_imports_the_command_line():
    allowing = {module for module, allowed in DEPENDENCIES.items() if "cli" in allowed}
    assert allowing == {"__main__", "cli"}


def test_only_modules_of_kernels_import_numba_and_they_nothing_else():
    for module, path in SOURCES.items():
        is_of_kernels = any(part.endswith("kernels") for part in module.split("."))
        names = {
            name.split(".")[0] for name in imported_names(path.read_text("utf-8"), module, path.name == "__init__.py")
        }
        foreign = names - {"dmlrand", "numpy"} - sys.stdlib_module_names
        assert foreign <= {"numba", "llvmlite"} if is_of_kernels else not foreign & {"numba", "llvmlite"}, module


# What an import loads


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


PACKAGES = [dmlrand] + [
    importlib.import_module(found.name) for found in pkgutil.walk_packages(dmlrand.__path__, "dmlrand.") if found.ispkg
]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_a_module_shares_its_name_with_nothing_else_in_its_package(package):
    """One name, one thing: else `import package.name` and `package.name` give different things."""
    public = () if package is compat else getattr(package, "__all__", ())  # compat's public names are its modules
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        assert getattr(package, found.name) is module, f"{package.__name__}.{found.name} is an object and a module"
        assert found.name not in public, f"{module.__name__} has a public name"


# tf.random's and its neighbours' functions, by their own names: a module of such a name is taken for the function.
IMITATED = {
    "compat.tensorflow": "categorical gamma normal poisson shuffle split stateless_categorical truncated_normal "
    "uniform",
    "compat.jax": "bernoulli bits categorical choice gumbel normal permutation randint split uniform",
}


@pytest.mark.parametrize("package", IMITATED)
def test_no_module_has_the_name_of_a_function_of_the_imitated_system(package):
    folder = PACKAGE.joinpath(*package.split("."))
    assert [name for name in IMITATED[package].split() if (folder / f"{name}.py").exists()] == []


def test_every_system_is_in_the_stub_of_compat():
    """Else it is no entry point, and nothing checks its public names."""
    modules = {found.name for found in pkgutil.iter_modules(compat.__path__)}
    assert modules - set(compat.__all__) <= {"kernels", "shared", "subnormals", "threefry"}  # what systems use


def test_the_public_names_are_sorted_and_exist():
    assert dmlrand.__all__ == sorted(set(dmlrand.__all__))
    assert [name for name in dmlrand.__all__ if not hasattr(dmlrand, name)] == []


@pytest.mark.parametrize(
    "entry, name",
    [
        pytest.param(entry, name, id=f"{entry.__name__}.{name}")
        for entry in ENTRY_POINTS
        for name in public_names(entry)
    ],
)
def test_every_public_name_has_a_docstring_with_an_example(entry, name):
    item = getattr(entry, name)
    if not callable(item):
        item = type(item) if type(item).__module__.startswith("dmlrand") else entry  # a plain constant has no docstring
    doc = item.__doc__  # not inspect.getdoc: a parent's docstring would pass for its own
    assert doc and doc.strip(), f"{entry.__name__}.{name} has no docstring"
    assert not doc.startswith(f"{name}("), f"{name} has only the signature that NamedTuple and dataclass make up"
    assert ">>> " in doc or "as uniform of this module" in doc, (
        f"the docstring of {entry.__name__}.{name} has no example"
    )


def names_in(source):
    """The identifiers of a source, and its texts that are one name: of a parametrized test, say. No comments."""
    for node in ast.walk(ast.parse(source)):
        found = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name", ast.Constant: "value"}.get(type(node))
        if found and isinstance(name := getattr(node, found), str):
            yield name


def test_the_reader_of_names_sees_uses_and_no_prose():
    source = "'a docstring of one'\n# two\nfrom x import three\nfour.five(six, 'seven')"
    assert {"three", "four", "five", "six", "seven"} <= set(names_in(source))
    assert not {"one", "two"} & set(names_in(source))


@cache
def names_in_file(path):
    return set(names_in(path.read_text()))


@cache
def names_in_tests(entry):
    """The names in the test files of an entry point: dmlrand.compat.jax has tests/compat/jax/, dmlrand.batch
    tests/test_batch.py."""
    package, _, name = entry.rpartition(".")
    paths = (TESTS / "compat" / name if package == "dmlrand.compat" else TESTS).rglob("test_*.py")
    if package != "dmlrand.compat":
        paths = [path for path in paths if "compat" not in path.parts]
    if package == "dmlrand":
        paths = [path for path in paths if name in path.parts or path.name.startswith(f"test_{name}")]
    return set().union(*map(names_in_file, paths))


@pytest.mark.parametrize(
    "entry, name",
    [
        pytest.param(entry, name, id=f"{entry.__name__}.{name}")
        for entry in ENTRY_POINTS
        for name in public_names(entry)
    ],
)
def test_every_public_name_is_tested(entry, name):
    registry = {"ALL", "DISTRIBUTIONS", "ORACLES"} if name in DISTRIBUTIONS else set()
    used = names_in_tests(entry.__name__)
    assert name in used or registry & used, f"no test of {entry.__name__} uses {name}"


DRAWING = ["random_generator", *DISTRIBUTIONS, "permutation", "Stream", "PhiloxBitGenerator"]
DRAWING += ["ShuffledSampler", "WeightedSampler"]


@pytest.mark.parametrize("name", DRAWING)
def test_what_draws_random_numbers_warns_against_cryptography(name):
    """promises 8; promises 8"""
    for text in (getattr(dmlrand, name).__doc__, dmlrand.__doc__, (ROOT / "README.md").read_text("utf-8")):
        assert "Not for cryptography" in " ".join(text.split())


def test_the_version_stands_in_one_place():
    """The build reads the version from the package, so a source tree and an installed package have the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"] and "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "dmlrand/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", dmlrand.__version__)
