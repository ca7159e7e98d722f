"""The digest of the text that kernels are compiled from. Names of files with machine code hold it.

It is taken when `dmlrand.kernels` is imported, before numba is. If the package is replaced later, the process has
loaded modules of the old text and may load others of the new text, so it saves no machine code.
"""

from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
OTHERS = ("philox.py", "compat/threefry.py", "verification/recovery_kernels.py")


def digest_of_sources() -> str:
    """Of every module whose functions may be inlined into a kernel."""
    folders = PACKAGE / "kernels", PACKAGE / "compat" / "kernels"
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    paths += [PACKAGE / name for name in OTHERS]
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


try:
    DIGEST = digest_of_sources()
except OSError:  # the package is in a zip file: then no machine code is saved
    DIGEST = ""
