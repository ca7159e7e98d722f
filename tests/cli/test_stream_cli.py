"""write_words and `dmlrand stream`: raw words to files and pipes, and the state afterwards. specs/bulk.md, 5 and 6"""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import oracle
import pytest
import strategies
from commands import ENVIRONMENT, contents
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


@pytest.mark.parametrize("words", [BUFFER_WORDS - 1, BUFFER_WORDS, BUFFER_WORDS + 1, 3 * BUFFER_WORDS + 5])
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
    process = stream(tmp_path, "--seed", "42", "--words", "1001")
    assert process.communicate() == (raw(make_state(counter=0, key=42), 1001), b"")
    assert process.returncode == 0 and os.listdir(tmp_path) == []


def test_a_state_is_advanced_past_the_words_and_resumed(tmp_path):
    """bulk 6.2"""
    both = b""
    for words in ("1000", "500"):
        process = stream(tmp_path, "--seed", "42", "--state", "s.json", "--words", words)
        out, err = process.communicate()
        assert (process.returncode, err) == (0, b"")
        both += out
    assert both == raw(make_state(counter=0, key=42), 1500)
    assert blocks_of(tmp_path) == 375


def test_a_reader_that_goes_away_ends_the_stream(tmp_path):
    """bulk 6.3: no message, exit code 0, and the state is after every word that went into the pipe."""
    process = stream(tmp_path, "--key", "7", "--state", "s.json")
    got = read(process.stdout, 5_000_000)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(LIMIT) == 0
    process.stderr.close()
    assert got == raw(make_state(counter=0, key=7), 1_250_000)
    assert 312_500 <= blocks_of(tmp_path) <= 312_500 + BUFFER_WORDS


@posix("signals to another process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_a_signal_the_next_stream_continues(tmp_path, number):
    """bulk 6.4: the reader gets exactly the words before the saved state."""
    process = stream(tmp_path, "--key", "7", "--state", "s.json")
    got = read(process.stdout, 100)
    process.send_signal(number)
    rest, err = process.communicate()
    assert (process.returncode, err) == (128 + number, b"")
    got += rest
    assert len(got) == 16 * blocks_of(tmp_path)
    assert got == raw(make_state(counter=0, key=7), len(got) // 4)
    process = stream(tmp_path, "--state", "s.json", "--words", "8")
    assert process.communicate()[0] == raw(make_state(counter=len(got) // 16, key=7), 8)


@posix("signals to another process")
def test_a_second_signal_ends_a_stream_that_nobody_reads(tmp_path):
    """bulk 6.4: no word that may be in the pipe is written again."""
    process = stream(tmp_path, "--key", "7", "--state", "s.json")
    read(process.stdout, 300_000)  # so that the pipe holds the end of the current buffer
    for _ in range(2):
        time.sleep(0.5)  # by now it waits for a reader, in the middle of a buffer
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) == 130
    left = process.stdout.read()
    assert 300_000 + len(left) <= 16 * blocks_of(tmp_path) <= 300_000 + len(left) + 4 * BUFFER_WORDS
    process.stdout.close()
    process.stderr.close()


@posix("terminals that a program makes")
def test_a_terminal_is_refused(tmp_path):
    """bulk 6.5"""
    reading, terminal = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "dmlrand", "stream", "--seed", "1"],
        env=ENVIRONMENT,
        stdout=terminal,
        stderr=subprocess.PIPE,
        check=False,
        timeout=LIMIT,
    )
    os.close(terminal)
    os.close(reading)
    message = (
        b"dmlrand: error: stdout is a terminal. Send the words, which are raw bytes, to a pipe (|) or to a file (>).\n"
    )
    assert (done.returncode, done.stderr) == (2, message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no --state is given. Give --seed, or --counter and --key, to start a stream."),
        (["--state", "new.json"], "'new.json' does not exist. Give --seed"),
        (
            ["--state", "s.json", "--seed", "5"],
            "holds key 0x0000000000000007, but the options ask for 0x0000000000000005",
        ),
        (["--seed", "1", "--words", "-1"], "words must be at least 0; got -1."),
        (["--seed", "1", "--state", "missing/s.json"], "No such file or directory: 'missing/s.json'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, arguments, message):
    save_checkpoint(tmp_path / "s.json", STATE)
    before = (tmp_path / "s.json").read_bytes()
    process = stream(tmp_path, *arguments)
    out, err = process.communicate()
    assert (process.returncode, out, err.count(b"\n")) == (2, b"", 1)
    assert message in err.decode()
    assert os.listdir(tmp_path) == ["s.json"] and (tmp_path / "s.json").read_bytes() == before


@posix("/dev/full")
def test_a_full_disk_is_an_error_and_the_state_is_unchanged(tmp_path):
    """bulk 6.6"""
    save_checkpoint(tmp_path / "s.json", STATE)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dmlrand", "stream", "--state", "s.json", "--words", "10"],
            cwd=tmp_path, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, check=False, timeout=LIMIT,
        )  # fmt: skip
    message = (
        b"dmlrand: error: [Errno 28] No space left on device: stdout did not take all of the words, and the state is "
        b"unchanged. Free disk space, then repeat the command.\n"
    )
    assert (done.returncode, done.stderr) == (2, message)
    assert blocks_of(tmp_path) == counter_of(STATE)


@posix("a limit on the size of files")
@pytest.mark.parametrize("state", ["s.json", "s.npy", "s.bin", "new.json"])
def test_a_state_that_cannot_be_saved_is_an_error_before_the_first_word(tmp_path, state):
    """checkpoint 5.4. A limit on file sizes takes the place of a full disk under the state file. The pipe has none."""
    import resource

    for name in ("s.json", "s.npy"):
        save_checkpoint(tmp_path / name, STATE)
    (tmp_path / "s.bin").write_bytes(STATE.astype("<u4").tobytes())
    before = contents(tmp_path)
    process = Process(
        [sys.executable, "-m", "dmlrand", "stream", "--words", "9", "--key", "7", "--state", state],
        cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)),
    )  # fmt: skip
    out, err = process.communicate()
    message = (
        f"dmlrand: error: [Errno 27] File too large: '{state}' was not written. "
        "Raise the limit on file sizes (ulimit -f) or use another disk, then try again.\n"
    )
    assert (process.returncode, out, err.decode()) == (2, b"", message)
    assert contents(tmp_path) == before


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
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=False, timeout=LIMIT
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == raw(make_state(counter=0, key=7), 1000)
    assert blocks_of(tmp_path) == 250
