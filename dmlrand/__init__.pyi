# The public names of dmlrand and the modules that define them, for type checkers and for Python (imports.py).
# Type checkers take a name as public only if it is imported `as` itself.

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

__version__: str
