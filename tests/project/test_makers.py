"""Each recording names the program in makers/ that repeats its calls, and the versions of the packages are pinned."""

import ast
import json
import re
import tomllib

import numpy as np
import pytest
from packaging.requirements import Requirement
from paths import ROOT, VECTORS

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WITHOUT_MAKER = {
    "random123": "needs the C headers of Random123 and a compiler",
    "checkpoint_v1": "written by release 0.1 of this package: it must stay as it is",
    "checkpoint_v2": "written by release 0.1 of this package: it must stay as it is",
}
WITHOUT_PACKAGE = {
    "flash_mask": "headers of FlashAttention, whose package cannot be built without a GPU",
    "torch_cuda_printed": "numbers that owners of devices published, of several versions of torch",
    "torch_cuda_dropout": "as torch_cuda_printed",
    "onnx_proposal": "a proposal, in no release of onnx",
}
NAMES = sorted(path.stem for path in VECTORS.glob("*.json"))


def texts_in(program):
    return {node.value for node in ast.walk(ast.parse(program.read_text())) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_names_its_maker(name):
    maker = json.loads((VECTORS / f"{name}.json").read_text()).get("maker")
    assert (maker is None) == (name in WITHOUT_MAKER)
    assert maker is None or name in texts_in(ROOT / maker), f"{maker} does not make {name}"


def test_differences_names_the_replayed_answers_that_differ(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tests" / "makers")
    from replay import answer, differences

    recorded = {"seed": 5, "bits": ["0x00000000000000ff", 2], "calls": [{"bits": [1]}, {"sha256_le": "00"}], "more": []}
    assert list(differences(recorded, {"bits": [255, 2], "calls": [{"bits": [1]}, {"sha256_le": "00"}]})) == []
    wrong = {"bits": [255, 3], "calls": [{"bits": [1, 1]}, {"sha256_le": "01"}], "more": [1]}
    assert list(differences(recorded, wrong)) == [".bits[1]", ".calls[0].bits", ".calls[1].sha256_le", ".more"]
    assert answer(np.float32(1), {"bits": []}) == {"bits": [0x3F800000]}


# pyproject.toml


def versions_pinned():
    listed = map(Requirement, PYPROJECT["dependency-groups"]["peers"])
    return {
        each.name: str(each.specifier).removeprefix("==") for each in listed if str(each.specifier).startswith("==")
    }


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_MAKER | WITHOUT_PACKAGE])
def test_the_imitated_packages_are_pinned_to_the_versions_recorded(name):
    """promises 3"""
    source = json.loads((VECTORS / f"{name}.json").read_text())["source"]
    pinned = versions_pinned()
    named = re.findall(rf"\b({'|'.join(pinned)}) (\d+(?:\.\d+)+)", source)
    assert named and all(pinned[package] == version for package, version in named)


def test_what_a_release_still_lacks_is_printed(monkeypatch, tmp_path, capsys):
    """The licence, the authors and the URLs are the owner's: the check names each until it is there."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "makers")
    from check_release import main, missing

    (tmp_path / "LICENSE").touch()
    urls = {name: "https://a.example" for name in ("Source", "Documentation", "Issues")}
    full = {"license": "MIT", "license-files": ["LICENSE"], "authors": [{"name": "A"}], "urls": urls}
    assert list(missing(full, tmp_path)) == []
    for part, wrong in full.items():
        assert [line.partition(":")[0] for line in missing({**full, part: type(wrong)()}, tmp_path)] == [part] * (
            3 if part == "urls" else 1
        )
    assert [line.partition(":")[0] for line in missing({**full, "authors": [{"email": "a"}]}, tmp_path)] == ["authors"]
    lacking = list(missing(PYPROJECT["project"]))
    assert main([]) == int(bool(lacking))
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == ([f"missing in pyproject.toml: {line}" for line in lacking] or [printed[0]])
