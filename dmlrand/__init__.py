"""dmlrand: DirectML's RandomGenerator operator (Philox4x32-10), bit for bit, as a pure function.

Six uint32 words go in, a uint32 tensor comes out, and the state comes back advanced. Not for cryptography.
"""

from typing import TYPE_CHECKING

from .imports import lazy_attributes

__version__ = "0.1.0"  # said here alone: the build reads it

# Each public name stands in two lists: this one for Python, and the imports below for type checkers.
_PUBLIC = {
    "bit_generator": ("PhiloxBitGenerator",),
    "bulk": ("FillError", "fill_file", "write_words"),
    "checkpoint": ("Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"),
    "compat": (),
    "dask": (),
    "distributions": ("integers", "normal", "uniform"),
    "kernels": (),
    "operator": ("RandomGeneratorOutputs", "random_generator", "random_window"),
    "state": (
        "advance_blocks",
        "blocks_for",
        "counter_of",
        "distance_blocks",
        "fold_in",
        "jump",
        "key_of",
        "make_state",
        "seed_state",
        "split",
    ),
    "stream": ("Stream",),
    "verification": (
        "Finding",
        "Mismatch",
        "Position",
        "Round",
        "Verification",
        "locate",
        "locate_run",
        "trace",
        "verify",
    ),
}
__all__ = sorted(name for names in _PUBLIC.values() for name in names)

if TYPE_CHECKING:
    from . import compat as compat
    from . import dask as dask
    from . import kernels as kernels
    from .bit_generator import PhiloxBitGenerator as PhiloxBitGenerator
    from .bulk import FillError as FillError
    from .bulk import fill_file as fill_file
    from .bulk import write_words as write_words
    from .checkpoint import (
        Checkpoint as Checkpoint,
    )
    from .checkpoint import (
        CheckpointError as CheckpointError,
    )
    from .checkpoint import (
        load_checkpoint as load_checkpoint,
    )
    from .checkpoint import (
        save_checkpoint as save_checkpoint,
    )
    from .distributions import integers as integers
    from .distributions import normal as normal
    from .distributions import uniform as uniform
    from .operator import (
        RandomGeneratorOutputs as RandomGeneratorOutputs,
    )
    from .operator import (
        random_generator as random_generator,
    )
    from .operator import (
        random_window as random_window,
    )
    from .state import (
        advance_blocks as advance_blocks,
    )
    from .state import (
        blocks_for as blocks_for,
    )
    from .state import (
        counter_of as counter_of,
    )
    from .state import (
        distance_blocks as distance_blocks,
    )
    from .state import (
        fold_in as fold_in,
    )
    from .state import (
        jump as jump,
    )
    from .state import (
        key_of as key_of,
    )
    from .state import (
        make_state as make_state,
    )
    from .state import (
        seed_state as seed_state,
    )
    from .state import (
        split as split,
    )
    from .stream import Stream as Stream
    from .verification import (
        Finding as Finding,
    )
    from .verification import (
        Mismatch as Mismatch,
    )
    from .verification import (
        Position as Position,
    )
    from .verification import (
        Round as Round,
    )
    from .verification import (
        Verification as Verification,
    )
    from .verification import (
        locate as locate,
    )
    from .verification import (
        locate_run as locate_run,
    )
    from .verification import (
        trace as trace,
    )
    from .verification import (
        verify as verify,
    )
else:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
