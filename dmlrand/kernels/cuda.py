"""Kernels of CUDA devices. They run the CPU's block function and the CPU's rules on the device.

A thread draws one block, and converts its words to numbers by a rule of convert.py or normal.py. The threads of a CUDA
block exchange their numbers through shared memory, so that neighbouring threads store neighbouring numbers.

A CUDA compiler fuses a product and a sum to one operation with one rounding, which changes bits. numba-cuda has no
option against that. So each product of a rule is replaced by the instruction mul.rn of PTX, which is never fused.
"""

import ast
import inspect
from contextlib import suppress
from functools import cache

import numpy as np
from numba import config, njit, uint64

from . import convert, normal, normal_series
from .philox import add_blocks, fill_blocks

with suppress(ImportError):  # this module is imported to be documented, even where numba-cuda is missing
    from numba import cuda

MAX_THREADS = 256  # of a CUDA block
WARP = 32
# A row of the tile has 8 more elements than threads. So the 4 rows (2 of 64-bit numbers) from which the threads of a
# warp read together lie in different banks of the shared memory.
ROW = MAX_THREADS + 8
MIN_GRID, TILES_PER_CUDA_BLOCK = 1024, 16  # enough CUDA blocks for any device, and few enough to reuse each of them


@njit
def draw_block(low, high, k0, k1, blocks, words):
    """The 4 words of the block that is `blocks` blocks after counter (low, high)."""
    low, high = add_blocks(low, high, uint64(blocks))
    fill_blocks(low, high, k0, k1, words)


@njit
def copy_words(words, out):
    for i in range(out.size):
        out[i] = words[i]


# For each kernel: its rule, the type of its numbers, and how many of them one block makes.
RULES = {
    "words": (copy_words, np.uint32, 4),
    "uniform_32": (convert.read_f32, np.float32, 4),
    "uniform_64": (convert.read_f64, np.float64, 2),
    "integers_32": (convert.read_u32, np.uint32, 4),
    "integers_64": (convert.read_u64, np.uint64, 2),
    "normal_32": (normal.read_pairs_32, np.float32, 4),
    "normal_64": (normal.read_pairs_64, np.float64, 2),
}
# The functions with products of floating-point numbers, and those that call them. Each one calls only functions before
# it. tests/cuda/test_cuda_ptx.py finds a product in a function that is missing here.
WITH_PRODUCTS = (
    normal_series.log_32, normal_series.sine_and_cosine_32, normal_series.log_64, normal_series.sine_and_cosine_64,
    normal.rotated, normal.radius_32, normal.turn_32, normal.radius_of_unit_64, normal.radius_64, normal.turn_64,
    convert.read_f32, convert.read_f64, normal.read_pairs_32, normal.read_pairs_64,
)  # fmt: skip


def fill(name, state, skip, arguments, out, stream):
    """Start a kernel that fills `out`, a flat and contiguous device array of at least one number.

    The numbers are those of the blocks from `state` on, without the first `skip` numbers of the first block.
    """
    c0, c1, c2, c3, k0, k1 = state
    low, high = uint64_of(c0, c1), uint64_of(c2, c3)
    numbers = RULES[name][2]
    blocks = -(-(skip + out.size) // numbers)
    threads = min(MAX_THREADS, -(-blocks // WARP) * WARP)
    tiles = -(-blocks // threads)
    grid = min(tiles, max(MIN_GRID, tiles // TILES_PER_CUDA_BLOCK))
    kernel(name)[grid, threads, stream](low, high, k0, k1, skip, arguments, out)


def uint64_of(low, high):
    """The uint64 made of two words."""
    return np.uint64(int(low) | int(high) << 32)


@cache
def kernel(name):
    """The kernel of a rule. numba compiles it when it is first called."""
    return cuda.jit(source(name))


@cache
def source(name):
    """The kernel of a rule as a Python function."""
    function, dtype, numbers = RULES[name]
    rule = with_exact_products().get(function.__name__, function)

    def fill_tiles(low, high, k0, k1, skip, arguments, out):
        tile = cuda.shared.array((numbers, ROW), dtype)
        words = cuda.local.array(4, np.uint32)
        made = cuda.local.array(numbers, dtype)
        thread, threads = cuda.threadIdx.x, cuda.blockDim.x
        blocks = (skip + out.size + numbers - 1) // numbers
        start = cuda.blockIdx.x * threads
        while start < blocks:
            draw_block(low, high, k0, k1, start + thread, words)
            rule(words, made, *arguments)
            for i in range(numbers):
                tile[i, thread] = made[i]
            cuda.syncthreads()
            first = start * numbers - skip
            for i in range(numbers):
                place = i * threads + thread
                if 0 <= first + place < out.size:
                    out[first + place] = tile[place % numbers, place // numbers]
            cuda.syncthreads()
            start += cuda.gridDim.x * threads

    return fill_tiles


class _CallsOfProduct(ast.NodeTransformer):
    """Replaces a * b by product(a, b)."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mult):
            return node
        return ast.Call(ast.Name("product", ast.Load()), [node.left, node.right], [])


@cache
def with_exact_products():
    """The functions of WITH_PRODUCTS for the device, by name. They round each product."""
    functions = {"product": _product()}
    for original in WITH_PRODUCTS:
        function = getattr(original, "py_func", original)
        tree = _CallsOfProduct().visit(ast.parse(inspect.getsource(function)))
        tree.body[0].decorator_list = []
        scope = vars(inspect.getmodule(function)) | functions
        # The text is this package's own. exec gives it the functions above by name.
        exec(compile(ast.fix_missing_locations(tree), inspect.getsourcefile(function), "exec"), scope)  # noqa: S102
        rewritten = scope[function.__name__]
        functions[function.__name__] = (
            njit(rewritten, inline="always") if config.ENABLE_CUDASIM else cuda.jit(rewritten, device=True)
        )
    return functions


def _product():
    """A function of two numbers. On a device it is the instruction mul.rn, in the simulator the operator."""

    def product(a, b):
        return a * b

    if config.ENABLE_CUDASIM:
        return njit(product, inline="always")

    from numba.cuda import libdevice, types
    from numba.cuda.extending import overload

    @overload(product)
    def choose(a, b):
        if types.float64 in (a, b):
            return lambda a, b: libdevice.dmul_rn(a, b)
        if types.float32 in (a, b):
            return lambda a, b: libdevice.fmul_rn(a, b)
        return product

    return product
