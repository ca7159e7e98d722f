"""For tests of fill_file and of files: interrupted calls, small pieces, recorded flushes, and the names in a folder."""

import os
import shutil
from types import SimpleNamespace

import pytest

from dmlrand import fill_file, make_state
from dmlrand.bulk import fill, zarr_array

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


def interrupt_each_piece(path, state, shape, **options):
    """Fill a file or folder, interrupted after each piece. The bytes that each call found done, and what it left."""
    starts, left, at = [], [], 0
    while not path.exists():
        reported = []

        def progress(done, total):
            reported.append(done)
            if done > at:
                raise Interrupted

        try:
            fill_file(path, state, shape, progress=progress, **options)
        except Interrupted:
            left.append(names(path.parent))
        starts.append(reported[0])
        at = max(at, reported[-1])
    return starts, left


def record_flushes(monkeypatch, folder):
    """A list that grows with each flush and rename, in their order: its size for a file, and what is renamed."""
    calls, fsync, replace = [], os.fsync, os.replace

    def flush(handle):
        fsync(handle)
        is_folder = os.path.samestat(os.fstat(handle), os.stat(folder))
        calls.append("folder" if is_folder else os.fstat(handle).st_size)

    def rename(source, target):
        calls.append(f"{os.path.basename(target)}, {os.stat(source).st_size}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(os, "replace", rename)
    return calls


def use_small_pieces(monkeypatch, flush_bytes, piece_bytes=64):
    """Let small files have many pieces and flushes. Both are multiples of 64, and flushes of pieces."""
    for module in (fill, zarr_array):
        monkeypatch.setattr(module, "FLUSH_BYTES", flush_bytes)
    monkeypatch.setattr(fill, "PIECE_BYTES", piece_bytes)


def report_free_bytes(monkeypatch, free, total=1 << 40):
    """Let the disk report this many free bytes. A test that fills a real disk would do so when the check is broken."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(total=total, used=0, free=free))


def names(folder):
    return sorted(path.name for path in folder.iterdir())
