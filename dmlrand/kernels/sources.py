"""The text of the modules that kernels are compiled from. Names of cache files hold its digest.

The package may be replaced while a process runs. Then the process has loaded some modules from the old text, and it
would compile both texts. So the digest is taken before numba is loaded, and taken again before machine code is saved.
Some modules may be loaded much earlier, because the kernels in numpy use them too. Each of these keeps the code that
Python ran, which must be the code of its text.
"""

import sys
from hashlib import sha256
from importlib.resources import files

PACKAGE = __package__.rpartition(".")[0]
PACKAGES = ("kernels", "compat/kernels")
OTHERS = ("philox.py", "compat/threefry.py", "verification/recovery_kernels.py")


def digest(*parts):
    return sha256(repr(parts).encode()).hexdigest()[:16]


def sources():
    """The name and the bytes of each module: helpers are inlined across modules."""
    package = files(PACKAGE)
    for name in PACKAGES:
        yield from sorted(sources_in(package / name, name))
    yield from ((name, (package / name).read_bytes()) for name in OTHERS)


def sources_in(folder, name):
    """The name and the bytes of each Python file of a package and its subpackages, which may be in a zip file."""
    for entry in folder.iterdir():
        inner = f"{name}/{entry.name}"
        if entry.name.endswith(".py"):
            yield inner, entry.read_bytes()
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from sources_in(entry, inner)


def digest_of_sources():
    """A digest of the text, or None if a module was loaded from another text."""
    texts = list(sources())
    for name, text in texts:
        module = sys.modules.get(f"{PACKAGE}.{name.removesuffix('.py').replace('/', '.')}")
        loaded = getattr(module, "LOADED", None)
        if loaded is not None and loaded != compile(text, name, "exec", dont_inherit=True):
            return None
    return digest(texts)


DIGEST = digest_of_sources()
