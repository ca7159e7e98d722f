"""A record of the system calls that decide what a power cut leaves. Every call is made, and its result is real."""

import os
import re
import threading
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


def record(monkeypatch, folder):
    """Calls and contents. Calls is a list that grows with each flush, rename and removal in `folder`, in the order in
    which they end, such as "rename .file.part file". Contents maps a path to what its last flush put on the disk.
    """
    calls, contents = [], {}
    fsync, replace, unlink = os.fsync, os.replace, os.unlink

    def short(path):
        return re.sub(r"\.[0-9a-f]{8}\.part$", ".part", os.path.basename(path))

    def named(file):
        status = os.fstat(file)
        return next(path for path in folder.iterdir() if os.path.samestat(status, path.lstat()))

    def flush(file, call):
        if os.path.samestat(os.fstat(file), os.stat(folder)):
            result = call()
            calls.append("fsync folder")
            return result
        path = named(file)
        content = path.read_bytes()
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.1)  # if the main thread does not wait for this flush, its next calls come first in `calls`
        result = call()
        contents[str(path)] = content
        calls.append(f"fsync {short(path)}")
        return result

    def recorded_replace(source, target):
        replace(source, target)
        contents[str(target)] = contents.pop(str(source), None)
        calls.append(f"rename {short(source)} {short(target)}")

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
    return calls, contents
