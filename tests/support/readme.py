"""The README and the guides: their blocks of code, and what a block needs."""

import ast
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from typing import NamedTuple

from paths import ROOT, SPECS

README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = "python3 -m venv "
PASTED_PAGES = [ROOT / "README.md", *sorted((SPECS / "guides").glob("*.md"))]
# What the README's first command installs, with the standard library.
INSTALLED = sys.stdlib_module_names | {"dmlrand", "numpy", "numba"}
IN_TEST_EXTRA = {"dask", "distributed", "matplotlib", "ml_dtypes", "onnx", "onnxruntime", "wgpu", "zarr"}


class Block(NamedTuple):
    """A block of Python, and the text block directly after it."""

    id: str  # the page, and the number of the block in it
    code: str
    output: str

    @property
    def needs(self):
        """The packages that its first line names: `# Needs: pip install torch zarr`, or the same in a docstring."""
        found = re.match(r'(?:#|""").*\bNeeds: pip install ([^.]+)', self.code.partition("\n")[0])
        return re.sub(r"\[.*?\]|['\"]", "", found[1]).split() if found else []

    @property
    def missing(self):
        """The needed packages that are not installed."""
        return [package for package in self.needs if not is_installed(package)]

    @property
    def is_foreign(self):
        """Whether it needs a package that the extra `test` does not install."""
        return not IN_TEST_EXTRA.issuperset(self.needs)

    @property
    def compiles(self):
        """Whether it has code for numba to compile."""
        return re.search(r"^(?:import|from) numba\b", self.code, re.MULTILINE) is not None

    @property
    def imports(self):
        """The modules that it imports: `dmlrand.webgpu` also for `from dmlrand import webgpu`."""
        for node in ast.walk(ast.parse(self.code)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_installed(package):
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def python_blocks(page):
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL)
    return [Block(f"{page.stem}-{number}", *block) for number, block in enumerate(found, start=1)]


def shell_lines(page=ROOT / "README.md"):
    blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]
