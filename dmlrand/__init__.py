"""dmlrand: DirectML's RandomGenerator operator (Philox4x32-10), bit for bit, as a pure function.

Six uint32 words go in, a uint32 tensor comes out, and the state comes back advanced. Not for cryptography.
"""

from typing import TYPE_CHECKING

from .lazy import later
from .operator import (
    RandomGeneratorOutputs,
    random_generator,
    random_window,
)
from .state import (
    advance_blocks,
    blocks_for,
    counter_of,
    distance_blocks,
    fold_in,
    jump,
    key_of,
    make_state,
    seed_state,
    split,
)

if TYPE_CHECKING:
    from .bit_generator import (
        PhiloxBitGenerator,
    )
    from .bulk import (
        FillError,
        fill_file,
        write_words,
    )
    from .checkpoint import (
        Checkpoint,
        CheckpointError,
        load_checkpoint,
        save_checkpoint,
    )
    from .distributions import (
        integers,
        normal,
        uniform,
    )
    from .stream import (
        Stream,
    )
    from .verification import (
        Finding,
        Mismatch,
        Position,
        Round,
        Verification,
        locate,
        locate_run,
        trace,
        verify,
    )

_LATER = {
    "PhiloxBitGenerator": "bit_generator",
    "FillError": "bulk",
    "fill_file": "bulk",
    "write_words": "bulk",
    "Checkpoint": "checkpoint",
    "CheckpointError": "checkpoint",
    "load_checkpoint": "checkpoint",
    "save_checkpoint": "checkpoint",
    "integers": "distributions",
    "normal": "distributions",
    "uniform": "distributions",
    "Stream": "stream",
    "Finding": "verification",
    "Mismatch": "verification",
    "Position": "verification",
    "Round": "verification",
    "Verification": "verification",
    "locate": "verification",
    "locate_run": "verification",
    "trace": "verification",
    "verify": "verification",
}
__getattr__ = later(__name__, _LATER)

__version__ = "0.1.0"  # said here alone: the build reads it

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "FillError",
    "Finding",
    "Mismatch",
    "PhiloxBitGenerator",
    "Position",
    "RandomGeneratorOutputs",
    "Round",
    "Stream",
    "Verification",
    "advance_blocks",
    "blocks_for",
    "counter_of",
    "distance_blocks",
    "fill_file",
    "fold_in",
    "integers",
    "jump",
    "key_of",
    "load_checkpoint",
    "locate",
    "locate_run",
    "make_state",
    "normal",
    "random_generator",
    "random_window",
    "save_checkpoint",
    "seed_state",
    "split",
    "trace",
    "uniform",
    "verify",
    "write_words",
]
