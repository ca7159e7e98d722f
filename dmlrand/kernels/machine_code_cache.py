"""A disk cache of machine code. The name of a file identifies everything that its code was compiled from.

numba's own cache decides by the times and sizes of source files whether code is stale, keeps an index in another file
than the code, and reuses file names. It can therefore run code that was compiled from other sources or for another
processor: after a full disk, after an upgrade that restores old file times, or where two kinds of processor share a
directory. Here the name of a file holds a digest of the sources, and a digest of the compilers, their settings, the
signature and the target. So a file that is found holds exactly the wanted code. A truncated, damaged or renamed file
does not match its checksum.

If the disk fails, or an internal of numba that this module uses, the kernel is compiled in this process.
"""

import os
import pickle
import stat
import sys
from contextlib import suppress
from hashlib import sha256

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

from . import sources
from .sources import digest

MAX_BUILDS = 8  # of one kernel and one version of the sources, by different compilers or for different processors
CHECKSUM_BYTES = 32
NOT_WAITING = getattr(os, "O_NONBLOCK", 0)  # for a writer, where the path is a FIFO
# Settings of numba that do not change machine code: folders, threads, other targets, and what is printed. All other
# settings count, so that a setting that a release of numba adds counts too.
OTHER_SETTINGS = (
    "CACHE_", "CHROME_", "COLOR_", "CUDA_", "DEBUG_CACHE", "DEVELOPER_", "DISABLE_CUDA", "DISABLE_PERFORMANCE_",
    "DUMP_", "ENABLE_CUDASIM", "FORCE_CUDA_", "FULL_TRACEBACKS", "GDB_", "HIGHLIGHT_", "NUMBA_", "SHOW_", "THREADING_",
    "TRACE",
)  # fmt: skip


def settings():
    """The values of numba's settings that can change machine code."""
    values = sorted(vars(numba.config).items())
    return [item for item in values if item[0].isupper() and not item[0].startswith(OTHER_SETTINGS)]


class MachineCodeCache:
    """The cache of one kernel, with the methods that numba calls."""

    def __init__(self, function, fallbacks):
        self._numba = CompileResultCacheImpl(function)  # chooses the directory, packs and unpacks code
        self.cache_path = self._numba.locator.get_cache_path()
        self._kernel = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__.rpartition('.')[2]}"
        self._sources = sources.DIGEST
        if self._sources is None:
            raise RuntimeError("the package was replaced while it was loaded")
        self._fallbacks = tuple(fallbacks)

    def load_overload(self, signature, target_context):
        """The cached code for this signature, or None."""
        target_context.refresh()
        with suppress(Exception):
            path = self._path(signature, target_context.codegen())
            with open(path, "rb", opener=lambda path, flags: os.open(path, flags | NOT_WAITING)) as file:
                safe = _is_safe(os.stat(self.cache_path), stat.S_ISDIR, stat.S_IWOTH)
                safe = safe and _is_safe(os.fstat(file.fileno()), stat.S_ISREG, stat.S_IWOTH | stat.S_IWGRP)
                data = file.read() if safe else b""
            checksum, packed = data[:CHECKSUM_BYTES], data[CHECKSUM_BYTES:]
            if _checksum(path, packed) == checksum:
                return self._numba.rebuild(target_context, pickle.loads(packed))
        return None

    def save_overload(self, signature, compiled):
        """Save newly compiled code, if possible."""
        with suppress(Exception):
            if not self._numba.check_cachable(compiled) or sources.digest_of_sources() != self._sources:
                return  # the sources changed while this process ran: it may have loaded old and new ones
            packed = dumps(self._numba.reduce(compiled))
            self._numba.locator.ensure_cache_path()
            path = self._path(signature, compiled.codegen)
            _write(path, _checksum(path, packed) + packed)
            self._prune(path)

    def flush(self):
        """Do nothing: the meaning of a file name never changes."""

    def _path(self, signature, codegen):
        versions = sys.version, numba.__version__, llvmlite.__version__, np.__version__
        build = digest(versions, str(signature), codegen.magic_tuple(), self._fallbacks, settings())
        return os.path.join(self.cache_path, f"{self._kernel}-{self._sources}-{build}.nbc")

    def _prune(self, saved):
        """Remove the kernel's files of other sources, including numba's own, and the oldest of more than MAX_BUILDS."""
        names = [name for name in os.listdir(self.cache_path) if name.startswith(f"{self._kernel}-")]
        paths = {os.path.join(self.cache_path, name) for name in names}
        builds = {path for path in paths if os.path.basename(path).startswith(f"{self._kernel}-{self._sources}-")}
        old = sorted(builds, key=os.path.getmtime)[:-MAX_BUILDS]
        for path in (paths - builds).union(old) - {saved}:
            with suppress(OSError):  # another process removed it, or uses it on Windows
                os.unlink(path)


def _checksum(path, packed):
    """Of the content and the name, so that a file that was renamed is not loaded."""
    return sha256(os.path.basename(path).encode() + packed).digest()


def _is_safe(status, is_kind, writers):
    """Whether a file is of a kind, belongs to this user or root, and is not writable by those of the bits `writers`.

    Loading a pickle runs code, so another user must not have written it.
    """
    if not is_kind(status.st_mode):
        return False
    return os.name != "posix" or (status.st_uid in (os.geteuid(), 0) and not status.st_mode & writers)


def _write(path, data):
    """Write a complete file or none. Only its owner can change it."""
    temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        with open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, 0o644)) as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
