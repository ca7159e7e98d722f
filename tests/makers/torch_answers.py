"""torch's Philox numbers on a CPU, for tests/compat/torch/test_torch_peers.py. It needs torch and a C++ compiler."""

import math

import numpy as np
import torch
import torch.func._random as func_random

SIZES = (3, 11)
RANGES = ((-7, 1000), (0, 1 << 40), (-(1 << 62), 1 << 62))
DROPPED = (0.3, 0.5)  # chances


@torch.compile
def compiled(ones):
    """One draw of each kind, in the order of `draw`."""
    numbers = [torch.rand_like(ones), torch.randn_like(ones)]
    numbers += [torch.randint(low, high, ones.shape) for low, high in RANGES]
    numbers += [torch.nn.functional.dropout(ones, p) for p in DROPPED]
    return [*numbers, torch.rand(ones.shape), torch.randn(ones.shape)]


def draw(seed, calls, sizes=SIZES):
    """The draws of each call after torch.manual_seed(seed), as dicts of the function, its arguments and its numbers."""
    torch.manual_seed(seed)
    names = ["rand", "randn", *["randint"] * len(RANGES), *["dropout_mask"] * len(DROPPED), "rand", "randn"]
    arguments = [[], [], *map(list, RANGES), *([p] for p in DROPPED), [], []]
    for _ in range(calls):
        for name, more, tensor in zip(names, arguments, compiled(torch.ones(sizes))):
            values = tensor.numpy()
            yield {"function": name, "arguments": more, "values": values != 0 if name == "dropout_mask" else values}


DTYPES = {"float32": torch.float32, "float64": torch.float64}
SMALL = {"float16": torch.float16, "bfloat16": torch.bfloat16}


def func_draw(function, key, arguments):
    """The answer of one function of torch.func._random for a key of two ints, or for keys as nested lists.

    The last argument can name a dtype. Numbers of bfloat16, which NumPy lacks, are returned as their bits.
    """
    key = torch.tensor(key, dtype=torch.uint64)
    if function in ("split", "fold_in"):
        return getattr(func_random, function)(key, *arguments).numpy()
    shape, first, second, dtype = arguments
    names = ("low", "high") if function == "uniform" else ("mean", "std")
    options = dict(zip(names, (first, second)))
    numbers = getattr(func_random, function)(key, shape, dtype=(DTYPES | SMALL)[dtype], **options)
    return (numbers.view(torch.uint16) if dtype == "bfloat16" else numbers).numpy()


def func_calls(chance):
    """(function, key, arguments) of some calls."""
    near_a_wrap = [0, 1, (1 << 32) - 3, (1 << 64) - 3, chance.getrandbits(64)]
    for offset in near_a_wrap:
        key = [chance.getrandbits(64), offset]
        yield "split", key, [chance.randint(1, 9)]
        yield "fold_in", key, [chance.choice([0, 3, -1, chance.getrandbits(63)])]
        for dtype in DTYPES:
            yield "uniform", key, [[chance.randint(1, 40)], 0.0, 1.0, dtype]
            yield "uniform", key, [[3, chance.randint(1, 15)], -3.3, chance.uniform(0, 100), dtype]
        yield "normal", key, [[chance.randint(1, 40)], 0.0, 1.0, "float32"]


# The shapes of arrays of keys, without the last axis, and the shapes of draws with them.
KEY_SHAPES = [
    ((3,), (3,)),
    ((1,), (5,)),
    ((3, 1), (3, 5)),
    ((1, 4), (3, 4)),
    ((2, 1, 1), (2, 3, 3)),
    ((1, 3, 1), (2, 3, 5)),
]


def func_key_calls(chance, largest=7):
    """(function, keys, arguments) of calls with arrays of keys, with float64 normals and with types of 16 bits."""
    for batch, shape in [((), (largest,)), *KEY_SHAPES]:
        keys = [chance.choice([chance.getrandbits(64), (1 << 64) - 1]) for _ in range(2 * math.prod(batch))]
        keys = np.array(keys, np.uint64).reshape(*batch, 2).tolist()
        yield "split", keys, [chance.randint(1, 3)]
        yield "fold_in", keys, [chance.getrandbits(64)]
        for dtype in DTYPES | SMALL:
            yield "uniform", keys, [list(shape), 0.0, 1.0, dtype]
            yield "uniform", keys, [list(shape), chance.uniform(-100, 0), chance.uniform(0, 100), dtype]
            yield "normal", keys, [list(shape), 0.0, 1.0, dtype]
