"""Rules of Windows, and paths in messages. specs/cli.md"""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import ENVIRONMENT
from systems import windows
from waiting import LIMIT

from dmlrand import load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.files import quoted


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("s.json", "'s.json'"),
        (r"C:\new\s.json", r"'C:\new\s.json'"),
        (r"\\server\share\s.json", r"'\\server\share\s.json'"),
        ("it's", '"it\'s"'),
        (b"s.json", "'s.json'"),
        (Path("s.json"), "'s.json'"),
        ("two\nlines", r"'two\nlines'"),
        ("\udcff", r"'\udcff'"),
    ],
)
def test_a_path_is_shown_as_it_was_typed(path, shown):
    """cli 4"""
    assert quoted(path) == shown


@windows("Ctrl-Break")
def test_break_ends_a_stream_after_the_current_buffer(tmp_path):
    """bulk 6.4"""
    code = """
import signal, sys
from dmlrand.bulk import pipe
make = pipe.random_generator
def stop(*arguments, **options):
    signal.raise_signal(signal.SIGBREAK)
    return make(*arguments, **options)
pipe.random_generator = stop
from dmlrand.cli import main
sys.exit(main(["stream", "--seed", "7", "--state", "s.json"]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, timeout=LIMIT
    )
    assert (ran.returncode, ran.stderr) == (128 + signal.SIGBREAK, b"")
    words = np.frombuffer(ran.stdout, "<u4")
    assert np.array_equal(words, random_generator(make_state(counter=0, key=7), words.size).values)
    assert load_checkpoint(tmp_path / "s.json").states["state"][0] == words.size // 4 > 0


def test_a_checkpoint_has_the_same_bytes_on_every_system(tmp_path):
    """cli 5: UTF-8, and \\n at the end of a line."""
    save_checkpoint(tmp_path / "s.json", {"\u03c0": make_state(counter=0, key=7)})
    data = (tmp_path / "s.json").read_bytes()
    assert "\u03c0".encode() in data and b"\r" not in data and data.endswith(b"}\n")
