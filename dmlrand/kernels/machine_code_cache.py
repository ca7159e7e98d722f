"""A disk cache of machine code. The name of a file identifies everything that its code was compiled from.

numba's own cache decides by the times and sizes of source files whether code is stale, keeps an index in another file
than the code, and reuses file names. It can therefore run code that was compiled from other sources or for another
processor: after a full disk, after an upgrade that restores old file times, or where two kinds of processor share a
directory. Here the name of a file holds a digest of the sources, and a digest of the compilers, the signature and the
target. So a file that is found holds exactly the wanted code. A truncated or damaged file does not match its checksum.

If the disk fails, or an internal of numba that this module uses, the kernel is compiled in this process.
"""

import os
import pickle
import sys
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

PACKAGE = __package__.rpartition(".")[0]
DEFINITIONS = ("philox.py", "threefry.py")  # modules outside this package that kernels are compiled from
MAX_BUILDS = 8  # of one kernel and one version of the sources, by different compilers or for different processors
CHECKSUM_BYTES = 32


def digest(*parts):
    return sha256(repr(parts).encode()).hexdigest()[:16]


def digest_of_sources():
    """A digest of the text of all modules that kernels are compiled from: helpers are inlined across modules."""
    package = files(PACKAGE)
    kernels = sorted(sources_in(package / "kernels", "kernels"))
    return digest(kernels, [(name, (package / name).read_bytes()) for name in DEFINITIONS])


def sources_in(folder, name):
    """The name and the bytes of each Python file of a package and its subpackages, which may be in a zip file."""
    for entry in folder.iterdir():
        inner = f"{name}/{entry.name}"
        if entry.name.endswith(".py"):
            yield inner, entry.read_bytes()
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from sources_in(entry, inner)


@lru_cache
def digest_at_first_use():
    return digest_of_sources()


class MachineCodeCache:
    """The cache of one kernel, with the methods that numba calls."""

    def __init__(self, function, fallbacks):
        self._numba = CompileResultCacheImpl(function)  # chooses the directory, packs and unpacks code
        self.cache_path = self._numba.locator.get_cache_path()
        self._kernel = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._sources = digest_at_first_use()
        self._fallbacks = tuple(fallbacks)

    def load_overload(self, signature, target_context):
        """The cached code for this signature, or None."""
        target_context.refresh()
        with suppress(Exception):
            with open(self._path(signature, target_context.codegen()), "rb") as file:
                checksum, packed = file.read(CHECKSUM_BYTES), file.read()
            if sha256(packed).digest() == checksum:
                return self._numba.rebuild(target_context, pickle.loads(packed))
        return None

    def save_overload(self, signature, compiled):
        """Save newly compiled code, if possible."""
        with suppress(Exception):
            if not self._numba.check_cachable(compiled) or digest_of_sources() != self._sources:
                return  # the sources changed while this process ran: it may have loaded old and new ones
            packed = dumps(self._numba.reduce(compiled))
            self._numba.locator.ensure_cache_path()
            path = self._path(signature, compiled.codegen)
            _write(path, sha256(packed).digest() + packed)
            self._prune(os.path.basename(path))

    def flush(self):
        """Do nothing: the meaning of a file name never changes."""

    def enable(self):
        """Part of numba's interface."""

    def disable(self):
        """Part of numba's interface."""

    def _path(self, signature, codegen):
        versions = sys.version, numba.__version__, llvmlite.__version__, np.__version__
        build = digest(versions, str(signature), codegen.magic_tuple(), self._fallbacks)
        return os.path.join(self.cache_path, f"{self._kernel}-{self._sources}-{build}.nbc")

    def _prune(self, saved):
        """Remove the kernel's files of other sources, including numba's own, and the oldest of more than MAX_BUILDS."""
        builds = []
        for name in os.listdir(self.cache_path):
            if name.startswith(f"{self._kernel}-{self._sources}-"):
                builds.append(name)
            elif name.startswith(f"{self._kernel}-"):
                self._remove(name)
        for name in sorted(builds, key=self._time)[:-MAX_BUILDS]:
            if name != saved:
                self._remove(name)

    def _remove(self, name):
        with suppress(OSError):  # another process removed it, or uses it on Windows
            os.unlink(os.path.join(self.cache_path, name))

    def _time(self, name):
        try:
            return os.stat(os.path.join(self.cache_path, name)).st_mtime_ns
        except OSError:
            return 0


def _write(path, data):
    """Write a complete file or none."""
    temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
