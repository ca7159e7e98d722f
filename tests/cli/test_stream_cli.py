"""write_words and `dmlrand stream`: raw words to files and pipes, and the state afterwards. specs/bulk.md, 5 and 6"""

import io
import os
import re
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import oracle
import pytest
import strategies
from commands import ENVIRONMENT, command_line, contents, process
from hypothesis import given, strategies as st
from paths import VECTORS
from systems import posix
from waiting import LIMIT, Process, join

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint, write_words
from dmlrand.bulk.pipe import BUFFER_WORDS, write_steps

STATE = make_state(counter=2**32 - 2, key=7)


def raw(state, words):
    return random_generator(state, words).values.astype("<u4").tobytes()


# write_words


@given(state=strategies.states(), words=st.integers(0, 100))
def test_words_are_little_endian_and_the_state_is_the_operators(state, words):
    """bulk 5.1, 5.2"""
    given_state, counter, key = state
    file = io.BytesIO()
    after = write_words(file, given_state, words)
    assert file.getvalue() == b"".join(word.to_bytes(4, "little") for word in oracle.words(counter, key, 0, words))
    expected = random_generator(given_state, words).state
    assert after.shape == expected.shape and after.tolist() == expected.tolist()


@pytest.mark.parametrize("words", [BUFFER_WORDS, 3 * BUFFER_WORDS + 5])
def test_several_buffers(words):
    file = io.BytesIO()
    after = write_words(file, STATE, words)
    assert file.getvalue() == raw(STATE, words)
    assert after.tolist() == random_generator(STATE, words).state.tolist()


def test_bytes_are_swapped_in_every_buffer(monkeypatch):
    """bulk 5.1: Where the machine does not swap them, this makes it, and the other way round: they are big-endian."""
    other = SimpleNamespace(byteorder="big" if sys.byteorder == "little" else "little")
    monkeypatch.setattr("dmlrand.bulk.request.sys", other)
    file = io.BytesIO()
    write_words(file, STATE, BUFFER_WORDS + 5)
    assert file.getvalue() == random_generator(STATE, BUFFER_WORDS + 5).values.astype(">u4").tobytes()


@pytest.mark.parametrize("buffering", [0, -1])
def test_words_follow_the_bytes_in_the_buffer(tmp_path, buffering):
    """bulk 5.4"""
    with open(tmp_path / "f", "wb", buffering=buffering) as file:
        file.write(b"before")
        write_words(file, STATE, 10)
        assert file.tell() == 46
        file.write(b"after")
    assert (tmp_path / "f").read_bytes() == b"before" + raw(STATE, 10) + b"after"


class Slow(io.RawIOBase):
    """Takes a few bytes in each write, as a socket or a pipe may."""

    def __init__(self, limit):
        self.taken, self.limit = b"", limit

    def writable(self):
        return True

    def write(self, data):
        if len(self.taken) >= self.limit:
            raise BrokenPipeError
        data = bytes(data[: min(7, self.limit - len(self.taken))])
        self.taken += data
        return len(data)


def test_a_file_that_takes_a_few_bytes_in_each_write():
    file = Slow(10**9)
    write_words(file, STATE, 1001)
    assert file.taken == raw(STATE, 1001)


@pytest.mark.parametrize("words", [None, 1000])
@pytest.mark.parametrize(("limit", "blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (160, 10), (163, 11)])
def test_a_closed_pipe_ends_the_call_and_a_started_block_counts(limit, blocks, words):
    """bulk 5.3: a call with the returned state writes no word twice."""
    file = Slow(limit)
    after = write_words(file, STATE, words)
    assert counter_of(after) == counter_of(STATE) + blocks
    assert file.taken == raw(STATE, 1000)[:limit]


def test_a_real_pipe_whose_reader_goes_away():
    """bulk 5.3, 5.5"""
    reading, writing = os.pipe()
    got = []

    def read():
        with open(reading, "rb") as file:
            got.append(file.read(3_000_000))

    reader = threading.Thread(target=read)
    reader.start()
    with open(writing, "wb") as file:
        after = write_words(file, STATE)
    join(reader)
    taken = (counter_of(after) - counter_of(STATE)) * 16
    assert got == [raw(STATE, 750_000)]
    assert 3_000_000 <= taken <= 3_000_000 + 8 * BUFFER_WORDS  # the words in the pipe were lost


def test_steps_yield_the_state_after_each_buffer():
    file = io.BytesIO()
    blocks = [counter_of(state) - counter_of(STATE) for state in write_steps(file, STATE, 2 * BUFFER_WORDS + 1)]
    assert blocks == [BUFFER_WORDS // 4, BUFFER_WORDS // 2, BUFFER_WORDS // 2 + 1]


@posix("/dev/full")
def test_other_errors_are_raised():
    with open("/dev/full", "wb") as file, pytest.raises(OSError, match="No space left"):
        write_words(file, STATE, 100)


@pytest.mark.parametrize("file", [io.StringIO(), None, "name", 1])
def test_an_object_that_is_not_a_binary_file_is_refused(file):
    message = (
        f"file must be a binary file open for writing; got {type(file).__name__}. "
        "Open it with mode 'wb'; for a text file such as sys.stdout, pass its .buffer."
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        write_words(file, STATE, 1)


@posix("pipes whose writes do not block")
def test_a_pipe_that_does_not_block_is_refused():
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with open(reading, "rb"), open(writing, "wb", buffering=0) as file:
        message = "file must block in write; got a non-blocking file. Set it to blocking."
        with pytest.raises(BlockingIOError, match=re.escape(message)):
            write_words(file, STATE)


def test_a_pipe_that_holds_more_is_not_shrunk(monkeypatch):
    """With a smaller buffer, because not every user may have a pipe of more than 1 MiB."""
    fcntl = pytest.importorskip("fcntl")
    if not hasattr(fcntl, "F_SETPIPE_SZ"):
        pytest.skip("only Linux lets a pipe's size be set")
    monkeypatch.setattr("dmlrand.bulk.pipe.BUFFER_WORDS", 1 << 14)
    reading, writing = os.pipe()
    with open(reading, "rb"), open(writing, "wb") as file:
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 18)
        write_words(file, STATE, 4)
        assert fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ) == 1 << 18


@pytest.mark.parametrize(("words", "error"), [(-1, ValueError), (1.0, TypeError), (True, TypeError)])
def test_wrong_words_are_refused(words, error):
    with pytest.raises(error, match="words must be"):
        write_words(io.BytesIO(), STATE, words)


def test_the_record_of_dieharder_has_its_commands_and_no_failure():
    lines = (VECTORS / "dieharder.txt").read_text().splitlines()
    assert re.match(r"# \d{4}-\d\d-\d\d, dieharder version 3\.31\.1 ", lines[1])
    commands = [line for line in lines if line.startswith("# dmlrand stream ")]
    results = [line for line in lines if not line.startswith("#")]
    assert len(commands) == 25 and all(" --key 42 | dieharder -g 200 -d " in line for line in commands)
    assert all(line.split("|")[-1].strip() in ("PASSED", "WEAK") for line in results) and len(results) >= 25


# dmlrand stream


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
        ("", "no --state is given. Give --seed, or --counter and --key, to start a stream."),
        (" --state s.json --seed 5", "holds key 0x0000000000000007, but the options ask for 0x0000000000000005"),
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
