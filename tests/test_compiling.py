"""numba's cache: used where it can be written, and no error where it can not. Each case is a process of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import oracle
import pytest

import dmlrand

PACKAGE = Path(dmlrand.__file__).parent

# Both kernels, by their two doors. A limit on the size of files is a full disk, and holds for root too.
SCRIPT = """
import sys
limit = sys.argv[1]
if limit != "none":
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
import dmlrand
assert dmlrand.__file__.startswith(sys.argv[2]), dmlrand.__file__
from dmlrand import make_state, random_generator, random_window
state = make_state(2**64 - 1, 7)
print(random_generator(state, 9).values.tolist() + random_window(state, 100, slice(3, 30, 5)).tolist())
"""
WORDS = oracle.words(2**64 - 1, 7, 0, 9) + oracle.words(2**64 - 1, 7, 0, 30)[3::5]


def run(package_parent, cache, home, limit="none"):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(package_parent), "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    if cache:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", SCRIPT, str(limit), str(package_parent)],
        capture_output=True, text=True, env=environment, cwd=package_parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(WORDS)


def cache_files(directory, ending):
    return sorted(path.name for path in directory.rglob(f"*.{ending}"))


@pytest.fixture
def copy(tmp_path):
    """The package elsewhere, so that no test depends on what this checkout's own cache holds."""
    shutil.copytree(PACKAGE, tmp_path / "site" / "dmlrand", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site"


def test_kernels_are_cached_where_that_is_possible(tmp_path, copy):
    run(copy, tmp_path / "cache", tmp_path)
    made = cache_files(tmp_path / "cache", "nbc")
    assert len(made) == 2 and len(cache_files(tmp_path / "cache", "nbi")) == 2
    stamps = [path.stat().st_mtime_ns for path in sorted((tmp_path / "cache").rglob("*.nbc"))]
    run(copy, tmp_path / "cache", tmp_path)
    assert stamps == [path.stat().st_mtime_ns for path in sorted((tmp_path / "cache").rglob("*.nbc"))]


def test_no_directory_to_cache_in(tmp_path, copy):
    # A directory under a regular file can not be made, not even by root, whom permissions do not stop.
    # All of numba's choices are closed: the one asked for, the package's own, the user's.
    blocker = tmp_path / "blocker"
    blocker.write_text("a file")
    for directory in (copy / "dmlrand", copy / "dmlrand" / "kernels"):
        (directory / "__pycache__").write_text("a file")
    run(copy, blocker / "cache", blocker / "home")
    assert cache_files(tmp_path, "nb?") == []


def test_a_cache_directory_that_can_not_be_made_beside_a_package_that_can_be_written(tmp_path, copy):
    blocker = tmp_path / "blocker"
    blocker.write_text("a file")
    run(copy, blocker / "cache", tmp_path)
    assert len(cache_files(copy, "nbc")) == 2  # numba's next choice


@pytest.mark.skipif(os.name != "posix", reason="no limit on the size of files here: a full disk can not be played")
def test_a_full_disk_and_then_an_empty_one(tmp_path, copy):
    cache = tmp_path / "cache"
    run(copy, cache, tmp_path, limit=0)
    assert cache_files(cache, "nb?") == []
    run(copy, cache, tmp_path, limit=4096)  # room for the index, none for the code that it names
    assert len(cache_files(cache, "nbi")) == 2 and cache_files(cache, "nbc") == []
    # What a full disk left behind does not harm the next process, which can write again.
    run(copy, cache, tmp_path)
    assert len(cache_files(cache, "nbc")) == 2


def test_a_change_in_any_kernel_file_makes_cached_code_stale(tmp_path, copy):
    run(copy, tmp_path / "cache", tmp_path)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")}
    # lanes.py holds no kernel of its own: its code is inlined into those of words.py.
    with open(copy / "dmlrand" / "kernels" / "lanes.py", "a") as file:
        file.write("# changed\n")
    run(copy, tmp_path / "cache", tmp_path)
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")}
    assert after.keys() == before.keys() and all(after[path] > before[path] for path in after)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 100])
def test_a_damaged_cache_is_no_error_and_is_mended(tmp_path, copy, ending, left):
    cache = tmp_path / "cache"
    run(copy, cache, tmp_path)
    for path in cache.rglob(f"*.{ending}"):
        path.write_bytes(path.read_bytes()[:left])
    run(copy, cache, tmp_path)
    stamps = [path.stat().st_mtime_ns for path in sorted(cache.rglob("*.nbc"))]
    run(copy, cache, tmp_path)
    assert len(stamps) == 2 and stamps == [path.stat().st_mtime_ns for path in sorted(cache.rglob("*.nbc"))]
