"""`dmlrand stream`: words on stdout, and the state afterwards. specs/bulk.md, section 6"""

import os
import signal
import subprocess
import sys

import pytest
from commands import ENVIRONMENT, contents, run_into
from systems import posix
from thinning import with_costly
from waiting import Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.bulk.pipe import BUFFER_WORDS

STATE = make_state(counter=2**32 - 2, key=7)


def raw(state, words):
    return random_generator(state, words).values.astype("<u4").tobytes()


def blocks():
    return counter_of(load_checkpoint("s.json").states["state"])


def test_words_go_to_stdout_and_the_next_stream_continues(run, tmp_path):
    """bulk 6.1, 6.2"""
    assert run_into("stream --seed 42 --words 1001", open("a", "wb")) == 0
    assert (tmp_path / "a").read_bytes() == raw(make_state(key=42), 1001) and os.listdir() == ["a"]
    for words in (1000, 500):
        assert run_into(f"stream --seed 42 --state s.json --words {words}", open(f"{words}", "wb")) == 0
    both = (tmp_path / "1000").read_bytes() + (tmp_path / "500").read_bytes()
    assert both == raw(make_state(key=42), 1500) and blocks() == 375


def test_a_reader_that_goes_away_ends_the_stream(run, capsys):
    """bulk 6.3: no message, exit code 0, and the state is after every word that went into the pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    assert run_into("stream --key 7 --state s.json", open(writer, "wb")) == 0
    assert capsys.readouterr().err == "" and blocks() == BUFFER_WORDS // 4


@posix("signals to another process")
@pytest.mark.parametrize("number", with_costly([signal.SIGINT], [signal.SIGTERM]))
def test_after_a_signal_the_next_stream_continues(tmp_path, monkeypatch, number):
    """bulk 6.4: the reader gets exactly the words before the saved state."""
    monkeypatch.chdir(tmp_path)
    line = [sys.executable, "-m", "dmlrand", "stream", "--key", "7", "--state", "s.json"]
    streaming = Process(line, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    got = streaming.stdout.read(100)
    streaming.send_signal(number)
    rest, err = streaming.communicate()
    assert (streaming.returncode, err) == (128 + number, b"")
    got += rest
    assert len(got) == 16 * blocks() and got == raw(make_state(key=7), len(got) // 4)


def test_signals_during_the_save_do_not_lose_the_state(run, monkeypatch):
    """bulk 6.4"""
    replace = os.replace

    def interrupt(source, target):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupt)
    assert run_into("stream --key 7 --state s.json --words 1000", open("a", "wb")) == 130
    assert blocks() == 250 and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@posix("/dev/full")
def test_a_full_disk_is_an_error_and_the_state_is_unchanged(run, capsys):
    """bulk 6.6 and cli 16"""
    save_checkpoint("s.json", STATE)
    assert run_into("stream --state s.json --words 10", open("/dev/full", "wb")) == 2
    message = "dmlrand: error: [Errno 28] No space left on device. Check stdout and its disk.\n"
    assert capsys.readouterr().err == message and blocks() == counter_of(STATE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (" --seed 1 --words -1", "words must be at least 0; got -1."),
        (" --seed 1", "stdout must be a pipe or a file, because the words are raw bytes; got a terminal. Send them "),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(run, tmp_path, monkeypatch, options, message):
    """bulk 6.5"""
    if "terminal" in message:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    save_checkpoint("s.json", STATE)
    before = contents(tmp_path)
    code, out, err = run(f"stream{options}")
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err
    assert contents(tmp_path) == before
