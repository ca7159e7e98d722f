"""The conformance kit that write_kit makes, and the run of its model files by compat.directml."""

import hashlib
import re
import shutil
import subprocess
import sys

import numpy as np
import oracle
import pytest
from conformance_devices import cases_of, operator_of, places, right_state, right_words, run_models

from dmlrand.conformance import check_kit, write_kit
from dmlrand.conformance.cases import PROVED, all_cases
from dmlrand.files import decode_json

MAX_WORDS = 1 << 17
CASES = all_cases()
WORDS_ONLY_FILES = {"README.md", "cases.json", "cases.txt", "expected", "harness.c", "harness.py"}
WORD_CASES = [case for case in CASES if case.expected == "words"]


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """A kit, and the outputs of its model files."""
    folder = tmp_path_factory.mktemp("kit") / "kit"
    write_kit(folder, MAX_WORDS)
    run_models(folder)
    return folder


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# The cases


def test_there_are_94_cases_with_names_of_their_own():
    """conformance 1.1"""
    assert len(CASES) == len({case.name for case in CASES}) == 94
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case.name) for case in CASES)
    assert all(case.decides.startswith(("Whether ", "Which ")) for case in CASES)
    assert set(PROVED) <= {case.group for case in WORD_CASES}


def test_the_cases_cover_what_the_page_says():
    """conformance 1.2"""
    counters = {case.name: oracle.from_words(case.state[:4]) for case in WORD_CASES}
    for bits in (32, 64, 96, 128):
        ends = [(counters[case.name] % 2**bits, -(-case.words // 4)) for case in WORD_CASES]
        assert any(start < 2**bits < start + blocks for start, blocks in ends), f"a carry at 2^{bits} inside a draw"
        assert any(start + blocks == 2**bits for start, blocks in ends), f"a carry at 2^{bits} between two draws"
    assert {case.words % 4 for case in WORD_CASES} == {0, 1, 2, 3}
    assert {len(case.sizes) for case in WORD_CASES} == set(range(1, 9))
    assert max(case.words for case in WORD_CASES) == 2**26 + 1
    assert {case.draws for case in WORD_CASES if case.in_place} == {1, 3}
    assert any("Strides" in case.desc["InputStateTensor"] for case in WORD_CASES)
    assert any(case.values_words > max(places(case.desc["OutputTensor"])) + 1 for case in WORD_CASES if case.words < 99)


def test_the_example_of_the_page():
    """conformance 1.2, operator 5.1: the states before and after, from the clause's own digits."""
    seatown, seattle = 0x48656C6C_6F46726F_6D536561_746F776E, 0x48656C6C_6F46726F_6D536561_74746C65
    (case,) = [case for case in CASES if case.name == "page-example"]
    assert list(case.state) == oracle.state_words(seatown, 42)
    assert right_state(case.state, case.words) == oracle.state_words(seattle, 42) and case.words == 1299420


def test_the_feature_level_is_the_lowest_one():
    """conformance 1.2. test_the_model_files_give_the_expected_buffers creates the operators at this level."""
    for case in WORD_CASES:
        if case.feature_level != "3_0":
            with pytest.raises(ValueError, match="must have exactly 4 dimensions"):
                operator_of(case.desc, "3_1")


# The files


def test_the_files_of_a_kit(kit):
    """conformance 1.4, 2.1 and 2.4"""
    names = {case["name"] for case in cases_of(kit)}
    assert names == {case.name for case in CASES if case.words <= MAX_WORDS} and len(names) == 89
    assert {path.name for path in kit.iterdir()} == WORDS_ONLY_FILES | {
        "models", "run.cmd", "run.sh", "outputs",
    }  # fmt: skip
    assert {path.stem for path in (kit / "models").iterdir()} == names
    guide = (kit / "README.md").read_text("utf-8")
    assert "**Nobody in the dmlrand project ran this kit with DxDispatch or on a device.**" in guide
    assert '-a "Basic Render"' in guide and "## Run it with your own program" in guide
    assert "The largest case writes a file of 262,148 bytes." in guide
    assert "do not name the HRESULT of a wrong descriptor" in guide and "0x8" not in (kit / "cases.json").read_text()


def test_the_model_files_give_the_expected_buffers(kit):
    """conformance 1.3, 1.5, 2.2 and 4.1: with the answers of specs/operator.md 5. It refuses each wrong descriptor."""
    report = check_kit(kit)
    assert report.ok and report.summary() == "ok: all 89 cases are right."
    for path in (kit / "expected").iterdir():
        assert np.array_equal(np.load(path), np.load(kit / "outputs" / path.name)), path.name


def test_expected_buffers_equal_those_of_the_definition(kit):
    """conformance 2.2, 3.3: recomputed with the oracle, which shares no code with dmlrand."""
    for case in cases_of(kit):
        state, output = case["state"], case["desc"]["OutputTensor"]
        for draw, record in enumerate(case["draws"], 1):
            if case["name"].startswith("size-2-1") and "and-1" not in case["name"]:
                continue  # one large case is enough for the oracle
            words = right_words(state, output["Sizes"])
            assert record["sha256"] == hashlib.sha256(np.array(words, "<u4").tobytes()).hexdigest()
            assert record["first_words"] == words[:8]
            saved = kit / "expected" / f"{case['name']}.values-{draw}.npy"
            assert saved.exists() == (case["values_words"] < 16384)
            if saved.exists():
                buffer = np.full(case["values_words"], 0xCDCDCDCD, np.uint32)
                buffer[places(output)] = words
                assert np.array_equal(np.load(saved), buffer)
            state = right_state(state, int(np.prod(output["Sizes"])))
            assert record["new_state"] == state
            stored = kit / "expected" / f"{case['name']}.state-{draw}.npy"
            assert stored.exists() == ("OutputStateTensor" in case["desc"])
            if stored.exists():
                assert np.load(stored)[places(case["desc"]["InputStateTensor"])].tolist() == state


def test_cases_json_has_the_members_of_the_page(kit):
    """conformance 3.1 and 3.2"""
    members = decode_json((kit / "cases.json").read_bytes(), "dmlrand conformance kit", 1)
    kinds = {
        "name": str, "group": str, "decides": str, "expected": str, "feature_level": str, "state": list, "desc": dict,
        "in_place": bool, "values_words": int, "draws": list,
    }  # fmt: skip
    for case in members["cases"]:
        assert {name: type(value) for name, value in case.items()} == kinds
        assert bool(case["draws"]) == (case["expected"] == "words")
        assert all(set(draw) == {"sha256", "first_words", "new_state"} for draw in case["draws"])


def test_a_kit_can_be_written_again(tmp_path):
    """conformance 2.3: also after an interruption. A smaller kit leaves no file of the larger one, and outputs stay."""
    write_kit(tmp_path / "small", 8)
    write_kit(tmp_path / "kit", 64)
    output = tmp_path / "kit" / "outputs" / "known-zeros.values-1.npy"
    output.parent.mkdir()
    output.write_bytes(b"what a device returned")
    (tmp_path / "kit" / "run.cmd").unlink()
    write_kit(tmp_path / "kit", 8)
    assert output.read_bytes() == b"what a device returned"
    output.unlink()
    assert contents(tmp_path / "kit") == contents(tmp_path / "small")


@pytest.mark.parametrize("name, text", [("thesis.tex", "."), ("cases.json", "{}")])
def test_a_folder_with_other_content_is_refused(tmp_path, name, text):
    """conformance 2.3"""
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match="DIR must be empty or hold a conformance kit; got .*, which has other files"):
        write_kit(tmp_path, 8)
    assert contents(tmp_path) == {name: text.encode()}
    with pytest.raises(FileExistsError):
        write_kit(tmp_path / name, 8)
    with pytest.raises(FileNotFoundError):
        write_kit(tmp_path / "missing" / "kit", 8)


def test_the_script_for_windows(kit):
    """conformance 2.5: what can be checked without Windows."""
    script = (kit / "run.cmd").read_bytes()
    assert script.count(b"\r\n") == script.count(b"\n")
    lines = script.decode("ascii").splitlines()
    assert 'for %%f in (models\\*.json) do call :run "%%f" "%%~nf"' in lines
    assert '>> "outputs\\%~2.txt" echo exit code %errorlevel%' in lines


PROGRAM = """\
import sys
from pathlib import Path
from conformance_devices import run_model
run_model(Path(sys.argv[1]).read_text("utf-8"), Path(), "4_0")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a script of sh")
def test_the_script_for_other_systems(tmp_path):
    """conformance 2.5: with a program that runs model files by compat.directml"""
    write_kit(tmp_path / "kit", max_words=1)
    (tmp_path / "kit/outputs").mkdir()
    (tmp_path / "kit/outputs/length-1.values-1.bin").write_bytes(b"of an older run")
    (tmp_path / "program.py").write_text(f"import sys; sys.path[:0] = {sys.path!r}\n{PROGRAM}", "utf-8")
    command = ["sh", "kit/run.sh", sys.executable, str(tmp_path / "program.py")]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100)
    assert (ran.returncode, ran.stderr) == (0, b"") and ran.stdout.split() == [b"error-a-size-of-0", b"length-1"]
    assert check_kit(tmp_path / "kit").ok
    assert (tmp_path / "kit/outputs/error-a-size-of-0.txt").read_text("utf-8").endswith("\nexit code 1\n")
    ran = subprocess.run(["sh", "kit/run.sh"], cwd=tmp_path, capture_output=True, timeout=100)
    assert ran.returncode == 2 and ran.stderr.startswith(b"usage: sh run.sh PROGRAM")


# The kit of a port without descriptors


def test_a_kit_of_words_only(tmp_path):
    """conformance 2.6"""
    write_kit(tmp_path, 8)
    cases = write_kit(tmp_path, 8, words_only=True)
    assert {path.name for path in tmp_path.iterdir()} == WORDS_ONLY_FILES
    assert cases == tuple(case for case in WORD_CASES if case.words <= 8)
    assert "DxDispatch" not in (tmp_path / "README.md").read_text("utf-8")


@pytest.mark.parametrize("source, rounds", [("harness.py", "range(10)"), ("harness.c", "#define PHILOX_ROUNDS 10")])
def test_a_harness_passes_and_shows_a_fault(tmp_path, source, rounds):
    """conformance 2.7 and 3.5: as it is written, and with 7 rounds in its generator"""
    command = [sys.executable, source]
    if source == "harness.c":
        if not shutil.which("cc"):
            pytest.skip("no C compiler")
        command = ["sh", "-ec", "cc -Wall -Werror -o harness harness.c; ./harness"]
    cases = write_kit(tmp_path, 120, words_only=True)
    (tmp_path / "outputs").mkdir()
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=100)
    assert check_kit(tmp_path).summary() == f"ok: all {len(cases)} cases are right."
    text = (tmp_path / source).read_text("utf-8")
    assert text.count(rounds) == 1
    (tmp_path / source).write_text(text.replace(rounds, rounds.replace("10", "7")), "utf-8")
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=100)
    report = check_kit(tmp_path)
    assert not report.ok and report.faults[0][0].name == "rounds-7"


@pytest.mark.slow
def test_the_whole_kit(tmp_path):
    """conformance 1.2, 1.5 and 4.1: with 2^26 + 1 words, whose hash is that of the file."""
    write_kit(tmp_path)
    run_models(tmp_path)
    assert check_kit(tmp_path).summary() == "ok: all 94 cases are right."
    (case,) = [case for case in cases_of(tmp_path) if case["name"] == "size-2-26-and-1"]
    words = np.load(tmp_path / "outputs" / "size-2-26-and-1.values-1.npy", mmap_mode="r")
    assert case["draws"][0]["sha256"] == hashlib.sha256(words.data).hexdigest()
