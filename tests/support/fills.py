"""For tests of fill_file: a state, interrupted calls, small pieces, and the names in a folder."""

import shutil
from types import SimpleNamespace

import pytest

from dmlrand import fill_file, make_state
from dmlrand.bulk import file, zarr_array

STATE = make_state(counter=2**32 - 2, key=7)


class Interrupted(Exception):
    pass


def interrupt(path, state, shape, at, **options):
    """A call that is interrupted when `at` bytes are done."""

    def progress(done, total):
        if done >= at:
            raise Interrupted

    with pytest.raises(Interrupted):
        fill_file(path, state, shape, progress=progress, **options)


def use_small_pieces(monkeypatch, flush_bytes, piece_bytes=64):
    """Let small files have many pieces and flushes. Both are multiples of 64."""
    monkeypatch.setattr(file, "FLUSH_BYTES", flush_bytes)
    monkeypatch.setattr(file, "PIECE_BYTES", piece_bytes)
    monkeypatch.setattr(zarr_array, "FLUSH_BYTES", flush_bytes)


def report_free_bytes(monkeypatch, free):
    """Let the disk report this many free bytes. A test that fills a real disk would do so when the check is broken."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(total=1 << 40, used=0, free=free))


def names(folder):
    return sorted(path.name for path in folder.iterdir())
