"""fill_file on disks that are full, too small or broken. specs/bulk.md, 2.3"""

import errno
import re

import numpy as np
import pytest
from fills import STATE, names, report_free_bytes, use_small_pieces
from systems import posix

from dmlrand import fill_file, random_generator


@posix("a limit on the size of files")
def test_a_full_disk_keeps_what_is_flushed(tmp_path, monkeypatch):
    """bulk 2.3. A limit on file sizes takes the place of a full disk."""
    import resource

    path, limits = tmp_path / "f.bin", resource.getrlimit(resource.RLIMIT_FSIZE)
    use_small_pieces(monkeypatch, 1 << 15, 1 << 15)
    message = (
        f"[Errno 27] File too large: the fill of '{path}' stopped after 98,304 of 400,000 bytes. Free disk space or "
        "remove another cause, then call again to resume."
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match=f"^{re.escape(message)}$"):
            fill_file(path, STATE, 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    reported = []
    fill_file(path, STATE, 100_000, progress=lambda done, total: reported.append(done))
    assert reported[0] == 3 << 15
    assert np.array_equal(np.fromfile(path, "<u4"), random_generator(STATE, 100_000).values)


def test_a_disk_that_is_too_small_is_an_error_at_the_start(tmp_path, monkeypatch):
    """bulk 2.3"""
    path = tmp_path / "f.bin"
    report_free_bytes(monkeypatch, 39)
    message = f"the fill of '{path}' stopped after 0 of 40 bytes. Free disk space or remove another cause, "
    message += "then call again to resume."
    with pytest.raises(OSError, match=re.escape(message)) as caught:
        fill_file(path, STATE, 10)
    assert caught.value.errno == errno.ENOSPC and names(tmp_path) == []
    report_free_bytes(monkeypatch, 40)
    fill_file(path, STATE, 10)
    report_free_bytes(monkeypatch, 0, total=0)  # as some network disks do
    fill_file(path, STATE, 11, overwrite=True)
    assert names(tmp_path) == ["f.bin"]


def test_an_error_without_a_number_is_raised_unchanged(tmp_path, monkeypatch):
    def fail(handle):
        raise OSError("of another package")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="^of another package$"):
        fill_file(tmp_path / "f.bin", STATE, 10)
