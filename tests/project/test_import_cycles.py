"""The modules of a package import each other without a cycle, imports inside functions included."""

import ast
from graphlib import CycleError, TopologicalSorter

import pytest
from paths import PACKAGE

# dmlrand and dmlrand.compat only offer names of their modules, lazily.
PACKAGES = sorted({path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE, PACKAGE / "compat"})


def imports(sources):
    """For each module of a package (name to source): the modules of the same package that it imports.

    A package inside of it has no source here: None. Its own modules are another graph.
    """
    graph = {}
    for module, source in sources.items():
        graph[module] = set()
        if source is None:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                names = [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]
                graph[module] |= {name if name in sources else "__init__" for name in names}
    return graph


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: ".".join(package.relative_to(PACKAGE).parts))
def test_no_module_imports_itself_through_others(package):
    sources = {path.stem: path.read_text("utf-8") for path in package.glob("*.py")}
    sources |= dict.fromkeys(path.parent.name for path in package.glob("*/__init__.py"))
    tuple(TopologicalSorter(imports(sources)).static_order())  # raises CycleError, which names the modules


@pytest.mark.parametrize(
    "sources",
    [
        {"a": "from .b import x", "b": "def late():\n    from .a import y"},
        {"a": "from . import b", "b": "from .a import x"},
        {"__init__": "from .a import x", "a": "from . import x"},
    ],
)
def test_a_cycle_is_found(sources):
    with pytest.raises(CycleError):
        tuple(TopologicalSorter(imports(sources)).static_order())
