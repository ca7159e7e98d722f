# The public names of dmlrand and the modules that define them, for type checkers and for Python (imports.py).
# Type checkers take a name as public only if it is imported `as` itself.

from . import (
    batch as batch,
    compat as compat,
    cuda as cuda,
    dask as dask,
    kernels as kernels,
    onnx as onnx,
    shaders as shaders,
    webgpu as webgpu,
)
from .bit_generator import PhiloxBitGenerator as PhiloxBitGenerator
from .bulk import FillError as FillError, fill_file as fill_file, write_words as write_words
from .checkpoint import (
    Checkpoint as Checkpoint,
    CheckpointError as CheckpointError,
    load_checkpoint as load_checkpoint,
    save_checkpoint as save_checkpoint,
)
from .distributions import (
    bernoulli as bernoulli,
    exponential as exponential,
    integers as integers,
    normal as normal,
    uniform as uniform,
)
from .operator import (
    RandomGeneratorOutputs as RandomGeneratorOutputs,
    random_generator as random_generator,
    random_window as random_window,
)
from .order.permutations import choice as choice, permutation as permutation, shuffle as shuffle
from .order.sampler import ShuffledSampler as ShuffledSampler, WeightedSampler as WeightedSampler
from .state import (
    advance_blocks as advance_blocks,
    blocks_for as blocks_for,
    counter_of as counter_of,
    distance_blocks as distance_blocks,
    fold_in as fold_in,
    jump as jump,
    key_of as key_of,
    make_state as make_state,
    seed_state as seed_state,
    split as split,
)
from .stream import Stream as Stream
from .verification import (
    Candidate as Candidate,
    Finding as Finding,
    Mismatch as Mismatch,
    Position as Position,
    Round as Round,
    Segment as Segment,
    Verification as Verification,
    locate as locate,
    locate_run as locate_run,
    recover as recover,
    trace as trace,
    verify as verify,
)

__version__: str
