"""`dmlrand stream`: words on stdout, and the state afterwards. specs/bulk.md, section 6"""

import os
import signal
import subprocess
import sys

import pytest
from commands import ENVIRONMENT, command_line, contents, process
from systems import posix
from waiting import LIMIT, Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.bulk.pipe import BUFFER_WORDS

STATE = make_state(counter=2**32 - 2, key=7)


def raw(state, words):
    return random_generator(state, words).values.astype("<u4").tobytes()


def stream(folder, *arguments):
    return Process(
        [sys.executable, "-m", "dmlrand", "stream", *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )


def read(pipe, size):
    """Exactly `size` bytes: one read of a raw pipe may return fewer."""
    data = b""
    while len(data) < size:
        assert (more := pipe.read(size - len(data))), f"the stream ended after {len(data)} of {size} bytes"
        data += more
    return data


def blocks_of(folder):
    return counter_of(load_checkpoint(folder / "s.json").states["state"])


def test_words_of_a_seed_go_to_stdout(tmp_path):
    """bulk 6.1"""
    streaming = stream(tmp_path, "--seed", "42", "--words", "1001")
    assert streaming.communicate() == (raw(make_state(counter=0, key=42), 1001), b"")
    assert streaming.returncode == 0 and os.listdir(tmp_path) == []


def test_a_state_is_advanced_past_the_words_and_resumed(tmp_path):
    """bulk 6.2"""
    both = b""
    for words in ("1000", "500"):
        streaming = stream(tmp_path, "--seed", "42", "--state", "s.json", "--words", words)
        out, err = streaming.communicate()
        assert (streaming.returncode, err) == (0, b"")
        both += out
    assert both == raw(make_state(counter=0, key=42), 1500)
    assert blocks_of(tmp_path) == 375


def test_a_reader_that_goes_away_ends_the_stream(tmp_path):
    """bulk 6.3: no message, exit code 0, and the state is after every word that went into the pipe."""
    streaming = stream(tmp_path, "--key", "7", "--state", "s.json")
    got = read(streaming.stdout, 5_000_000)
    streaming.stdout.close()
    assert streaming.stderr.read() == b""
    assert streaming.wait(LIMIT) == 0
    streaming.stderr.close()
    assert got == raw(make_state(counter=0, key=7), 1_250_000)
    assert 312_500 <= blocks_of(tmp_path) <= 312_500 + BUFFER_WORDS


@posix("signals to another process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_a_signal_the_next_stream_continues(tmp_path, number):
    """bulk 6.4: the reader gets exactly the words before the saved state."""
    streaming = stream(tmp_path, "--key", "7", "--state", "s.json")
    got = read(streaming.stdout, 100)
    streaming.send_signal(number)
    rest, err = streaming.communicate()
    assert (streaming.returncode, err) == (128 + number, b"")
    got += rest
    assert len(got) == 16 * blocks_of(tmp_path)
    assert got == raw(make_state(counter=0, key=7), len(got) // 4)
    streaming = stream(tmp_path, "--state", "s.json", "--words", "8")
    assert streaming.communicate()[0] == raw(make_state(counter=len(got) // 16, key=7), 8)


def test_a_terminal_is_refused(capsys, monkeypatch):
    """bulk 6.5"""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    message = (
        "dmlrand: error: stdout must be a pipe or a file, because the words are raw bytes; got a terminal. Send them "
        "to a pipe (|) or to a file (>).\n"
    )
    assert command_line(capsys)("stream --seed 1") == (2, "", message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "no --state file exists. Give --seed, or --counter and --key, to start a stream."),
        (" --state s.json --seed 5", "holds key 0x0000000000000007, not 0x0000000000000005"),
        (" --seed 1 --words -1", "words must be at least 0; got -1."),
        (" --seed 1 --state missing/s.json", "No such file or directory: 'missing/s.json'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    save_checkpoint("s.json", STATE)
    before = contents(tmp_path)
    code, out, err = command_line(capsys)(f"stream{options}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert contents(tmp_path) == before


@posix("/dev/full")
def test_a_full_disk_is_an_error_and_the_state_is_unchanged(tmp_path):
    """bulk 6.6"""
    save_checkpoint(tmp_path / "s.json", STATE)
    with open("/dev/full", "wb") as full:
        arguments = "stream", "--state", "s.json", "--words", "10"
        done = process(*arguments, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
    message = b"dmlrand: error: [Errno 28] No space left on device. Check stdout and its disk.\n"
    assert (done.returncode, done.stderr) == (2, message)
    assert blocks_of(tmp_path) == counter_of(STATE)


def test_signals_during_the_save_do_not_lose_the_state(tmp_path):
    """bulk 6.4: an audit hook sends the signals at the rename."""
    code = """
import signal, sys
def interrupt(event, arguments):
    if event == "os.rename":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)
sys.addaudithook(interrupt)
from dmlrand.cli import main
sys.exit(main(["stream", "--key", "7", "--state", "s.json", "--words", "1000"]))
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=False, timeout=LIMIT)
    assert (done.returncode, done.stderr) == (130, b"")
    assert done.stdout == raw(make_state(counter=0, key=7), 1000)
    assert blocks_of(tmp_path) == 250
