"""The architecture: which package may import which, what an import loads, and what a public name must have."""

import ast
import pkgutil
import re
import sys
from importlib.util import resolve_name

import pytest
from commands import python
from entry_points import ENTRY_POINTS, public_names
from paths import PACKAGE, ROOT, SPECS

import dmlrand
from dmlrand import compat
from dmlrand.drawing.number_rules import DISTRIBUTIONS

# The rows of the page, the highest layer first: the modules and packages of each.
ROWS = re.findall(r"^\| [\w ]+ \| (`.*?`) \|", (SPECS / "architecture.md").read_text("utf-8"), re.MULTILINE)
NAMES_OF = [re.findall(r"`([\w/]+?)/?`", row) for row in ROWS]
LAYER_OF = {name.replace("/", "."): -number for number, names in enumerate(NAMES_OF) for name in names}
SHARED_BY_SYSTEMS = {"compat", "kernels", "rejection", "shared", "subnormals", "threefry"}
NAMES = {"", "compat"}  # these modules only offer names of others, lazily


def name_of(path):
    """kernels/philox.py -> kernels.philox; __init__.py -> the package's own name, "" for dmlrand's."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


# The programs of examples/ are no modules: they import dmlrand as its users do.
SOURCES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py")) if path.parent.name != "examples"}


def used_modules(module):
    """The modules of dmlrand that a module imports, inside functions and under TYPE_CHECKING too."""
    package = ".".join(["dmlrand", *SOURCES[module].parent.relative_to(PACKAGE).parts])
    for node in ast.walk(ast.parse(SOURCES[module].read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            home = resolve_name("." * node.level + (node.module or ""), package).removeprefix("dmlrand").lstrip(".")
            for alias in node.names:
                name = f"{home}.{alias.name}".lstrip(".")
                yield name if name in SOURCES else home  # a module, or an object of the package


def layer_of(module):
    """The layer of a module, or else of its package. Higher layers have higher numbers."""
    return LAYER_OF[module if module in LAYER_OF else module.partition(".")[0]]


def test_dependencies_point_down():
    assert {"philox", "kernels"} <= set(used_modules("state"))  # else the reader of imports finds nothing
    for module in SOURCES.keys() - NAMES - {"__main__"}:
        for used in set(used_modules(module)) - NAMES:
            assert layer_of(used) <= layer_of(module), f"{module} imports {used}: see specs/architecture.md"


def test_import_loads_only_the_standard_library_and_numpy():
    """promises 6"""
    script = (
        "import sys; before = set(sys.modules); import dmlrand; dmlrand.make_state(); "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    loaded = set(python(script).split())
    assert {"dmlrand", "numpy"} <= loaded
    assert loaded - {"dmlrand", "numpy"} - sys.stdlib_module_names == set()


# What is public


def test_every_system_is_in_the_stub_of_compat():
    """Else it is no entry point, and nothing checks its public names."""
    modules = {found.name for found in pkgutil.iter_modules(compat.__path__)}
    assert modules - set(compat.__all__) <= SHARED_BY_SYSTEMS


@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=lambda entry: entry.__name__)
def test_every_public_name_has_a_docstring_with_an_example(entry):
    for name in public_names(entry):
        item = getattr(entry, name)
        if not callable(item):  # a plain constant has no docstring
            item = type(item) if type(item).__module__.startswith("dmlrand") else entry
        doc = item.__doc__  # not inspect.getdoc: a parent's docstring would pass for its own
        assert doc and not doc.startswith(f"{name}("), f"{name} has no docstring, or only the one of its fields"
        has_example = ">>> " in doc or re.search(r"\bas \w+ of this module", doc)
        assert has_example, f"the docstring of {name} has no example, and names no function that has one"


DRAWING = ["random_generator", *DISTRIBUTIONS, "permutation", "Stream", "PhiloxBitGenerator"]
DRAWING += ["ShuffledSampler", "WeightedSampler"]


def test_what_draws_random_numbers_warns_against_cryptography():
    """promises 8"""
    texts = [getattr(dmlrand, name).__doc__ for name in DRAWING]
    for text in (*texts, dmlrand.__doc__, (ROOT / "README.md").read_text("utf-8")):
        assert "Not for cryptography" in " ".join(text.split())
