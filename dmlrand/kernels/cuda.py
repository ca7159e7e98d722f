"""Kernels of CUDA devices. They run the CPU's block function and the rules of rules.py on the device.

A thread draws one block, and makes numbers from its words. The threads of a CUDA block exchange their numbers through
shared memory, so that neighbouring threads store neighbouring numbers.

A CUDA compiler fuses a product and a sum to one operation with one rounding, which changes bits. numba-cuda has no
option against that. So each product of the rules is replaced by the instruction mul.rn of PTX, which is never fused.
"""

import ast
import inspect
from contextlib import suppress
from functools import cache

import numpy as np
from numba import config, njit, uint64

from . import fill as cpu, normal_series, rules
from .numba_dialect import DIALECT
from .philox import add_blocks, block_at

with suppress(ImportError):  # this module is imported to be documented, even where numba-cuda is missing
    from numba import cuda

MAX_THREADS = 256  # of a CUDA block
WARP = 32
# A row of the tile has 8 more elements than threads. So the 4 rows (2 of 64-bit numbers) from which the threads of a
# warp read together lie in different banks of the shared memory.
ROW = MAX_THREADS + 8
MIN_GRID, TILES_PER_CUDA_BLOCK = 1024, 16  # enough CUDA blocks for any device, and few enough to reuse each of them
LANES = 4  # words of a block


def numbers_of_block(name):
    """How many numbers of a rule one block makes."""
    rule = rules.RULES[name]
    return LANES // rule.words * rule.numbers


def fill(name, state, skip, parameters, out, stream):
    """Start a kernel that fills `out`, a flat and contiguous device array of at least one number.

    The numbers are those of the blocks from `state` on, without the first `skip` numbers of the first block.
    """
    c0, c1, c2, c3, k0, k1 = state
    low, high = np.uint64(int(c0) | int(c1) << 32), np.uint64(int(c2) | int(c3) << 32)
    blocks = -(-(skip + out.size) // numbers_of_block(name))
    threads = min(MAX_THREADS, -(-blocks // WARP) * WARP)
    tiles = -(-blocks // threads)
    grid = min(tiles, max(MIN_GRID, tiles // TILES_PER_CUDA_BLOCK))
    kernel(name, out.dtype)[grid, threads, stream](low, high, k0, k1, skip, tuple(parameters), out)


@cache
def kernel(name, dtype):
    """The kernel of a rule. numba compiles it when it is first called."""
    return cuda.jit(source(name, dtype))


def source(name, dtype):
    """The kernel of a rule, for outputs of this dtype, as a Python function."""
    rule, function, numbers = rules.RULES[name], device_functions()[name], numbers_of_block(name)
    group_words, take, write = rule.words, cpu.TAKE[rule.words], cpu.WRITE[rule.numbers]

    @on_device
    def make(low, high, k0, k1, blocks, words, arguments, made):
        block_low, block_high = add_blocks(low, high, uint64(blocks))
        words[0], words[1], words[2], words[3] = block_at(block_low, block_high, k0, k1)
        for i in range(LANES // group_words):
            write(made, i, function(*(take(words, group_words * i) + arguments)))

    def fill_tiles(low, high, k0, k1, skip, arguments, out):
        tile = cuda.shared.array((numbers, ROW), dtype)
        words = cuda.local.array(LANES, np.uint32)
        made = cuda.local.array(numbers, dtype)
        thread, threads = cuda.threadIdx.x, cuda.blockDim.x
        blocks = (skip + out.size + numbers - 1) // numbers
        start = cuda.blockIdx.x * threads
        while start < blocks:
            make(low, high, k0, k1, start + thread, words, arguments, made)
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


def on_device(function):
    """Compile a function that kernels call. The simulator runs kernels as Python code, but not what they call."""
    return njit(function) if config.ENABLE_CUDASIM else cuda.jit(function, device=True)


class _CallsOfProduct(ast.NodeTransformer):
    """Replaces a * b by product(a, b)."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mult):
            return node
        return ast.Call(ast.Name("product", ast.Load()), [node.left, node.right], [])


@cache
def device_functions():
    """The functions of rules.py for the device, by name. They round each product."""
    functions = DIALECT | {"product": _product()}
    for module in (normal_series, rules):
        tree = _CallsOfProduct().visit(ast.parse(inspect.getsource(module)))
        definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        scope = vars(module) | functions
        # The text is this package's own. exec gives it the functions above by name.
        code = compile(ast.fix_missing_locations(ast.Module(definitions, [])), module.__file__, "exec")
        exec(code, scope)  # noqa: S102
        for node in definitions:
            functions[node.name] = scope[node.name] = on_device(scope[node.name])
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
