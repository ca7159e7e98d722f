"""Versions that are pinned, and the names of faults."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
from packaging.requirements import Requirement
from paths import ROOT, SPECS, VECTORS

from dmlrand import verification
from dmlrand.verification.dump import Dump
from dmlrand.verification.generators.catalogue import all_faults
from dmlrand.verification.generators.constants import CONSTANTS
from dmlrand.verification.places.known import known_places

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Headers of C, files of release 0.1 of this package, numbers that owners of devices published, a proposal.
WITHOUT_PACKAGE = set("random123 flash_mask checkpoint_v1 checkpoint_v2".split())
WITHOUT_PACKAGE |= set("torch_cuda_printed torch_cuda_dropout onnx_proposal".split())


def versions_pinned():
    listed = map(Requirement, PYPROJECT["dependency-groups"]["peers"])
    return {
        each.name: str(each.specifier).removeprefix("==") for each in listed if str(each.specifier).startswith("==")
    }


def test_the_imitated_packages_are_pinned_to_the_versions_recorded():
    """promises 3"""
    pinned = versions_pinned()
    for name in sorted({path.stem for path in VECTORS.glob("*.json")} - WITHOUT_PACKAGE):
        source = json.loads((VECTORS / f"{name}.json").read_text())["source"]
        named = re.findall(rf"\b({'|'.join(pinned)}) (\d+(?:\.\d+)+)", source)
        assert named and all(pinned[package] == version for package, version in named), name


NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"


def names_of_models():
    yield from (fault.name for fault in all_faults())
    yield from (place.name for place in known_places(Dump(np.zeros(6, np.uint32), np.zeros(1, np.uint32)), 1))
    yield from (f"wrong-{name.lower()}" for name in CONSTANTS)
    yield "state-no-carry-out-of-word-0"


def names_written_out():
    """The names of faults that stand in the code of verification, where {unit}s are words."""
    for path in Path(verification.__path__[0]).rglob("*.py"):
        yield from re.findall(f'"({NAME})"', path.read_text("utf-8").replace("{unit}", "word"))


def test_the_page_lists_the_names_of_faults_that_the_code_gives():
    """verify 3.2, 3.3, 3.5 to 3.7: of names that differ in numbers only, the page has one."""
    given = {*names_of_models(), *names_written_out()} - {"another-algorithm", "other-numbers"}  # clauses 3.8 and 1.4
    rows = re.findall(rf"^ *\| .+ \| ({NAME}(?:, {NAME})*) \|$", (SPECS / "verify.md").read_text("utf-8"), re.MULTILINE)
    listed = ", ".join(rows).split(", ")
    assert len(listed) == len(set(listed))
    assert {re.sub(r"\d+", "#", each) for each in listed} == {re.sub(r"\d+", "#", each) for each in given}
