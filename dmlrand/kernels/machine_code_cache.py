"""A cache of machine code on disk. A file's name says everything that its code was made of, so no file is ever stale.

numba's own cache knows the time and the size of one source file. It would run old code after a change of a function
that is inlined from another file. If the disk fails, or an internal of numba that this module uses, each process
compiles.
"""

import os
import pickle
import sys
from contextlib import suppress
from hashlib import sha256

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

from .sources import DIGEST, digest_of_sources

VERSIONS = sys.version, np.__version__, numba.__version__, llvmlite.__version__
CHECKSUM_BYTES = 32


def settings():
    """The values of all settings of numba that may change machine code, those that a later release adds among them."""
    values = sorted(vars(numba.config).items())
    others = "CACHE_DIR", "NUM_THREADS"  # they change no machine code
    return [(name, value) for name, value in values if name.isupper() and not name.endswith(others)]


class MachineCodeCache:
    """The cache of one kernel, with the methods that numba calls."""

    def __init__(self, function, fallbacks):
        self._numba = CompileResultCacheImpl(function)  # chooses the directory, packs and unpacks code
        self.cache_path = self._numba.locator.get_cache_path()
        self._fallbacks = tuple(fallbacks)

    def load_overload(self, signature, target_context):
        """The cached code for this signature, or None."""
        target_context.refresh()
        with suppress(Exception), open(self._path(signature, target_context.codegen()), "rb") as file:
            checksum, packed = file.read(CHECKSUM_BYTES), file.read()
            if sha256(packed).digest() == checksum:  # else another process is writing the file, or did not complete it
                return self._numba.rebuild(target_context, pickle.loads(packed))
        return None

    def save_overload(self, signature, compiled):
        """Save newly compiled code, if possible."""
        with suppress(Exception):
            if self._numba.check_cachable(compiled) and digest_of_sources() == DIGEST:
                packed = dumps(self._numba.reduce(compiled))
                self._numba.locator.ensure_cache_path()
                with open(self._path(signature, compiled.codegen), "wb") as file:
                    file.write(sha256(packed).digest() + packed)

    def _path(self, signature, codegen):
        parts = VERSIONS, str(signature), codegen.magic_tuple(), self._fallbacks, settings()
        build = sha256(repr(parts).encode()).hexdigest()[:16]
        return os.path.join(self.cache_path, f"{self._numba.filename_base}-{DIGEST}-{build}.nbc")
