"""dmlrand: DirectML's RandomGenerator operator (Philox4x32-10), bit for bit, as a pure function.

Six uint32 words go in. A uint32 tensor and the advanced state come out. Not for cryptography.

help(dmlrand.random_generator) explains the arguments that many functions share: state, shape, out and threads. No
function modifies an argument, except `out`. Every argument is checked before anything is drawn or written. A wrong type
is a TypeError and a wrong value is a ValueError; the message names the argument, the rule, the value and the remedy. A
missing package is an ImportError that says how to install it. So a section `Raises` lists only other errors.
"""

from .drawing.imports import lazy_attributes, names_in_stub

__version__ = "0.1.0"  # the build reads the version from this line

# Type checkers and Python read the public names from one list: __init__.pyi.
_PUBLIC = names_in_stub(__name__)
__all__ = sorted(name for names in _PUBLIC.values() for name in names)
_ABSENT = {
    "random": "Dask looks here for NumPy's default_rng, so dask.array.random takes only NumPy's own bit generators. "
    "Draw with dmlrand.dask, for example dmlrand.dask.normal(dmlrand.seed_state(7), (4, 4), chunks=2)."
}
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC, _ABSENT)
