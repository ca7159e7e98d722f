"""A record of the system calls that decide what a power cut leaves. Every call is passed on, and its result is real."""

import os
import re

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


def record(monkeypatch, folder):
    """A list that grows with each flush, rename and removal in `folder`, such as "rename .file.part file".

    A rename also compares the file with what its last flush found in it: bytes written later are not on the disk.
    """
    calls, flushed = [], {}
    fsync, replace, unlink = os.fsync, os.replace, os.unlink

    def short(path):
        return re.sub(r"\.[0-9a-f]{8}\.part$", ".part", os.path.basename(path))

    def named(file):
        status = os.fstat(file)
        if os.path.samestat(status, os.stat(folder)):
            return folder
        return next(path for path in folder.iterdir() if os.path.samestat(status, path.lstat()))

    def flush(file, call):
        path = named(file)
        content = None if path == folder else path.read_bytes()
        result = call()
        flushed[str(path)] = content
        calls.append("fsync " + ("folder" if path == folder else short(path)))
        return result

    def recorded_replace(source, target):
        with open(source, "rb") as file:
            late = "" if file.read() == flushed.get(source) else " before it was flushed"
        replace(source, target)
        calls.append(f"rename {short(source)} {short(target)}{late}")

    def recorded_unlink(path):
        unlink(path)
        calls.append(f"unlink {short(path)}")

    monkeypatch.setattr(os, "fsync", lambda file: flush(file, lambda: fsync(file)))
    monkeypatch.setattr(os, "replace", recorded_replace)
    monkeypatch.setattr(os, "unlink", recorded_unlink)
    if hasattr(fcntl, "F_FULLFSYNC"):  # macOS, where this takes the place of fsync
        control = fcntl.fcntl

        def recorded_control(file, command, *argument):
            call = lambda: control(file, command, *argument)  # noqa: E731
            return flush(file, call) if command == fcntl.F_FULLFSYNC else call()

        monkeypatch.setattr(fcntl, "fcntl", recorded_control)
    return calls
