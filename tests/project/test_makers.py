"""The programs in tests/makers: versions that are pinned, lists of names, and what a release still lacks."""

import json
import re
import tomllib

from packaging.requirements import Requirement
from paths import ROOT, VECTORS

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


def test_the_page_lists_the_names_of_faults_that_the_code_gives(monkeypatch):
    """verify 3.2, 3.3, 3.5 to 3.7"""
    monkeypatch.syspath_prepend(ROOT / "tests" / "makers")
    from list_faults import PAGE, written

    page = PAGE.read_text("utf-8")
    assert written(page) == page, "run tests/makers/list_faults.py"
    assert "bits-moved" not in written(page.replace("bits-shifted", "bits-moved"))


def test_what_a_release_still_lacks_is_printed(monkeypatch, tmp_path):
    """The licence, the authors and the URLs are the owner's: the check names each until it is there."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "makers")
    from check_release import missing

    (tmp_path / "LICENSE").touch()
    urls = {name: "https://a.example" for name in ("Source", "Documentation", "Issues")}
    full = {"license": "MIT", "license-files": ["LICENSE"], "authors": [{"name": "A"}], "urls": urls}
    assert list(missing(full, tmp_path)) == []
    lines = [line.partition(":")[0] for line in missing({}, tmp_path)]
    assert lines == ["license", "license-files", "authors", "urls", "urls", "urls"]
