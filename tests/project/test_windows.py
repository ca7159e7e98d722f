"""Rules of Windows, and paths in messages. specs/checkpoint.md 4.6, 4.7 and 5.4, specs/cli.md 7 to 9"""

import ast
import os
import re
import signal
import subprocess
import sys
import threading
import time
from errno import EACCES
from pathlib import Path

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, with_newlines
from paths import PACKAGE
from systems import KILLED, POSIX, posix, windows
from waiting import LIMIT, Process, join

from dmlrand import fill_file, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.cli import main
from dmlrand.files import opening
from dmlrand.files.atomic_write import replacing
from dmlrand.files.errors import InUseError
from dmlrand.files.locks import try_lock
from dmlrand.files.names import check_windows_name, error_text, quoted

OPEN_ELSEWHERE = "is open, which keeps only Windows from replacing it"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# How paths are shown


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
    """cli 7"""
    if path == r"\\server\share\s.json":
        shown = "'" + path + "'"
    assert quoted(path) == shown


def test_errors_of_the_system_show_paths_as_they_were_typed():
    """cli 7"""
    error = OSError(2, "No such file", r"C:\new\s.json", None, r"D:\t.json")
    assert error_text(error).endswith(r"No such file: 'C:\new\s.json' -> 'D:\t.json'")
    assert error_text(ValueError(r"C:\\x")) == r"C:\\x"


@pytest.mark.parametrize(
    "line",
    [
        r"state show here\none.json",
        r"state show here\bad.json",
        r"state new here\bad.json --seed 1",
        r"state advance here\bad.json 1",
        r"run --shape 4 --seed 1 --state here\s.json --output no\folder\v.npy",
        r"run --shape 4 --state here\none.json --output v.npy",
        r"run --shape 4 --seed 1 --state here\v.npy --output here\v.npy",
        r"run --shape 4 --seed 1 --state here\s.json --output here\v.txt",
        r"fill --shape 4 --seed 1 --output here\v.txt",
        r"verify --state-in here\s.json --values here\bad.json",
        r"verify --state-in here\two.json --values here\bad.json",
        r"stream --seed 9 --state here\s.json",
        r"plot here\s.json --output here\picture.txt",
    ],
)
def test_no_command_doubles_a_backslash(folder, capsys, line):
    r"""cli 7: a\b is a name on POSIX, and a path on Windows."""
    Path("here").mkdir()
    Path(r"here\bad.json").write_bytes(b"{}")
    save_checkpoint(r"here\s.json", make_state(counter=0, key=1))
    save_checkpoint(r"here\two.json", {"a": make_state(counter=0, key=1), "b": make_state(counter=0, key=2)})
    if POSIX:
        line = line.replace(r"no\folder\v", r"no/folder\v")
    try:
        code = main(line.split())
    except SystemExit as exit:
        code = exit.code
    _, err = capsys.readouterr()
    assert (code, err.count("\n")) == (2, 1)
    assert "\\" in err and "\\\\" not in err


# Names that Windows refuses


RULE = "path must be a name that Windows allows; got"
FORBIDS = 'Windows forbids < > : " | ? * and control characters. Choose another name.'


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a?.npy", f"{RULE} 'a?.npy', where 'a?.npy' contains '?': {FORBIDS}"),
        (r"C:\a*b\f", rf"{RULE} 'C:\a*b\f', where 'a*b' contains '*': {FORBIDS}"),
        ("f.npy:stream", f"{RULE} 'f.npy:stream', where 'f.npy:stream' contains ':': {FORBIDS}"),
        ("a\tb", rf"{RULE} 'a\tb', where 'a\tb' contains '\t': {FORBIDS}"),
        ("f.", f"{RULE} 'f.', where 'f.' ends in a dot or a space, which Windows drops. Choose another name."),
        ("f /g", f"{RULE} 'f /g', where 'f ' ends in a dot or a space, which Windows drops. Choose another name."),
        ("nul", f"{RULE} 'nul', where 'nul' is the name of a device. Choose another name."),
        ("d/COM1.npy", f"{RULE} 'd/COM1.npy', where 'COM1.npy' is the name of a device. Choose another name."),
        ("CON:", f"{RULE} 'CON:', where 'CON:' is the name of a device. Choose another name."),
        ("x" * 256, f"{RULE} '{'x' * 256}', where '{'x' * 256}' has 256 characters: Windows allows 255. "
         "Choose another name."),
    ],
)  # fmt: skip
def test_names_that_windows_refuses(path, message):
    """checkpoint 4.7: the rule itself, which can be tested on every system."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_windows_name(path, path, True)


@pytest.mark.parametrize(
    "path",
    ["f.npy", r"C:\a b\f.npy", "C:f.npy", r"..\f", "./f", r"\\server\share\f", r"\\?\C:\f", "console", "COM", "COM10",
     "nul_", "\u03c0", ".hidden", "x" * 255],
)  # fmt: skip
def test_names_that_windows_allows(path):
    """checkpoint 4.7"""
    check_windows_name(path, path, True)


def test_paths_that_windows_finds_too_long():
    """checkpoint 4.7: 24 characters are reserved for the names of temporary files."""
    longest = "C:\\" + "d" * 100 + "\\" + "f" * 131
    assert len(longest) == 235
    check_windows_name("f", longest, False)
    check_windows_name("f", longest + "f", True)
    check_windows_name("f", "\\\\?\\" + longest + "f", False)
    message = (
        "path must have at most 235 characters, so that Windows allows it and the paths of temporary files; "
        f"got '{longest}f', which has 236. Choose a shorter name or folder, or enable long paths in Windows."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_windows_name("f", longest + "f", False)


@windows("names that it forbids")
@pytest.mark.parametrize("name", ["a?.npy", "nul.npy", "d" * 240 + ".npy"])
@pytest.mark.parametrize("command", ["run --state s.json --output", "fill --output"])
def test_a_forbidden_name_is_refused_before_any_work(folder, capsys, monkeypatch, command, name):
    """checkpoint 4.7"""
    monkeypatch.setattr("dmlrand.cli.run.random_generator", None)
    assert main([*command.split(), name, "--shape", "4", "--seed", "1"]) == 2
    assert capsys.readouterr().err.startswith("dmlrand: error: path must ")
    assert contents(folder) == {}


@windows("names that it forbids")
def test_a_forbidden_state_is_refused_before_any_work(folder, capsys):
    """checkpoint 4.7"""
    for line in ("run --shape 4 --seed 1 --output v.npy --state a?.json", "state new aux.json", "state advance f. 1"):
        assert main(line.split()) == 2
        assert capsys.readouterr().err.startswith(f"dmlrand: error: {RULE}")
    assert contents(folder) == {}


@posix("names that Windows forbids")
def test_other_systems_have_no_such_rule(folder):
    """checkpoint 4.7"""
    for name in ("a?.json", "nul.json", "f."):
        save_checkpoint(name, make_state(counter=0, key=1))
        assert load_checkpoint(name).states["state"].tolist() == make_state(counter=0, key=1).tolist()


# Locks


def test_a_lock_is_exclusive_or_shared_and_ends_with_its_file(tmp_path):
    """checkpoint 5.4"""
    path = tmp_path / "file"
    path.write_bytes(b"content")
    with open(path, "r+b") as first, open(path, "rb") as second:
        assert try_lock(first.fileno()) is True
        assert try_lock(second.fileno()) is False
        assert try_lock(second.fileno(), shared=True) is False
    with open(path, "rb") as first, open(path, "rb") as second, open(path, "rb") as third:
        assert try_lock(first.fileno(), shared=True) is True
        assert try_lock(second.fileno(), shared=True) is True
        assert try_lock(third.fileno()) is False


def test_a_lock_does_not_stop_readers(tmp_path):
    """checkpoint 5.4: on Windows no other process can read or write a locked byte."""
    path = tmp_path / "file"
    with open(path, "w+b") as file:
        assert try_lock(file.fileno())
        file.write(b"content")
        file.flush()
        assert path.read_bytes() == b"content"
        code = "import sys; sys.stdout.write(open(sys.argv[1]).read())"
        read = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, timeout=LIMIT)
        assert read.stdout == b"content"
        assert path.stat().st_size == 7


def test_a_lock_of_a_killed_process_ends(tmp_path):
    """checkpoint 5.4"""
    path = tmp_path / "file"
    path.write_bytes(b"")
    code = """
import sys
from dmlrand.files.locks import try_lock
file = open(sys.argv[1], "r+b")
print(try_lock(file.fileno()), flush=True)
sys.stdin.read()
"""
    process = Process(
        [sys.executable, "-c", code, str(path)], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline().strip() == b"True"
    with open(path, "rb") as file:
        assert try_lock(file.fileno()) is False
        process.kill()
        process.communicate()
        assert process.returncode == KILLED
        assert try_lock(file.fileno()) is True


# Files that are open elsewhere


def write(path, content):
    with replacing(path) as file:
        file.write(content)


def test_a_reader_that_closes_soon_is_waited_for(tmp_path):
    """checkpoint 4.6"""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    reader = open(path, "rb")
    closing = threading.Timer(0.3, reader.close)
    closing.start()
    write(path, b"new")
    join(closing)
    assert contents(tmp_path) == {"file": b"new"}


@windows(OPEN_ELSEWHERE)
def test_a_reader_that_does_not_close_is_named(tmp_path, monkeypatch):
    """checkpoint 4.6: the old file stays."""
    monkeypatch.setattr(opening, "RETRY_SECONDS", 0.05)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    message = (
        f"[Errno 13] {os.strerror(EACCES)}: '{path}' was not replaced, because another program has it open. "
        "Close it there, then try again."
    )
    with open(path, "rb"), pytest.raises(InUseError, match=f"^{re.escape(message)}$"):
        write(path, b"new")
    assert contents(tmp_path) == {"file": b"old"}


@windows(OPEN_ELSEWHERE)
def test_a_fill_of_a_file_that_is_open_elsewhere_can_be_completed_later(tmp_path, monkeypatch):
    """bulk 2.7: no value is computed again."""
    monkeypatch.setattr(opening, "RETRY_SECONDS", 0.05)
    path = tmp_path / "f.bin"
    path.write_bytes(b"old")
    with open(path, "rb"), pytest.raises(InUseError, match="was not replaced"):
        fill_file(path, make_state(counter=0, key=1), 100)
    assert path.read_bytes() == b"old"
    reported = []
    fill_file(path, make_state(counter=0, key=1), 100, progress=lambda done, total: reported.append(done))
    assert reported == [400]
    assert path.read_bytes() == random_generator(make_state(counter=0, key=1), 100).values.astype("<u4").tobytes()
    assert contents(tmp_path).keys() == {"f.bin"}


def test_a_read_only_file_is_replaced_and_stays_read_only(tmp_path):
    """checkpoint 4.4"""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert not path.stat().st_mode & 0o222
    path.chmod(0o644)


def test_a_checkpoint_is_read_while_it_is_written_again_and_again(tmp_path):
    """checkpoint 4.6"""
    path = tmp_path / "s.json"
    save_checkpoint(path, make_state(counter=0, key=7))
    failures, done = [], threading.Event()

    def read():
        while not done.is_set():
            try:
                load_checkpoint(path)
                time.sleep(0.02)  # the writer cannot wait for a reader that never closes the file
            except Exception as error:  # reported below, in the main thread, where it fails the test
                failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for counter in range(20):
            save_checkpoint(path, make_state(counter=counter, key=7))
    finally:
        done.set()
        join(reader)
    assert failures == []


# Ctrl-Break, and stdout


INTERRUPTED = """
import signal, sys
def interrupt(event, arguments):
    if event == "os.rename":
        signal.raise_signal(signal.{name})
sys.addaudithook(interrupt)
from dmlrand.cli import main
sys.exit(main(sys.argv[1:]))
"""
NAMES = ["SIGINT", pytest.param("SIGBREAK", marks=windows("Ctrl-Break"))]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ["run --state s.json", "fill"])
def test_an_interrupt_leaves_the_old_files(tmp_path, command, name):
    """cli 8"""
    line = f"{command} --shape 8 --seed 1 --output v.npy".split()
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)" + INTERRUPTED.format(name=name)
    ran = subprocess.run(
        [sys.executable, "-c", code, *line], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, timeout=LIMIT
    )
    kept = (
        b"dmlrand: interrupted: 0 of 160 bytes of 'v.npy' are kept. Repeat the same command to resume.\n"
        if command == "fill"
        else b""
    )
    ran = with_newlines(ran)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", kept)
    assert not (tmp_path / "v.npy").exists() and not (tmp_path / "s.json").exists()
    assert not list(tmp_path.glob("*.part"))


@windows("Ctrl-Break")
def test_break_ends_a_stream_after_the_current_buffer(tmp_path):
    """cli 8, bulk 6.4"""
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


def test_characters_that_cp1252_lacks_are_escaped(tmp_path):
    """cli 2: the encoding of many consoles of Windows."""
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "cp1252"}
    line = "run --shape 4 --seed 42 --output \u00e9.npy --state \u03c0.json".split()
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "dmlrand", *line],
        cwd=tmp_path, env=environment, capture_output=True, timeout=LIMIT,
    )  # fmt: skip
    lines = with_newlines(ran).stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"output   \xe9.npy" in lines
    assert b"state    \\u03c0.json, new" in lines


# Text files


def text_files_opened_by_locale(source):
    """The lines of `source` that read or write text in the encoding of the user's locale."""
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = getattr(call.func, "id", getattr(call.func, "attr", None))
        with_encoding = any(keyword.arg == "encoding" for keyword in call.keywords)
        mode = call.args[1] if name == "open" and isinstance(call.func, ast.Name) and len(call.args) > 1 else None
        binary = isinstance(mode, ast.Constant) and "b" in mode.value
        reads_text = name in ("read_text", "write_text") or (name == "open" and isinstance(call.func, ast.Name))
        if reads_text and not with_encoding and not binary:
            yield call.lineno


def test_no_text_file_is_read_or_written_by_the_locale():
    """cli 9"""
    found = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        for line in text_files_opened_by_locale(path.read_text("utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize("source", ["open(p)", "open(p, 'w')", "p.read_text()", "p.write_text(t)"])
def test_a_text_file_without_encoding_is_found(source):
    assert list(text_files_opened_by_locale(source)) == [1]
    assert list(text_files_opened_by_locale("open(p, 'rb'); open(p, encoding='utf-8'); os.open(p, 0)")) == []


def test_a_checkpoint_has_the_same_bytes_on_every_system(tmp_path):
    """cli 9: UTF-8, and \\n at the end of a line."""
    save_checkpoint(tmp_path / "s.json", {"\u03c0": make_state(counter=0, key=7)})
    data = (tmp_path / "s.json").read_bytes()
    assert "\u03c0".encode() in data and b"\r" not in data and data.endswith(b"}\n")
