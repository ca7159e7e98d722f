"""Folders of this checkout, and of the package under test."""

from pathlib import Path

import dmlrand

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
SPECS = ROOT / "specs"
SUPPORT = TESTS / "support"
VECTORS = TESTS / "vectors"
PACKAGE = Path(dmlrand.__file__).parent
PACKAGE_PARENT = str(PACKAGE.parent)  # for PYTHONPATH: a child process imports the package under test, installed or not
