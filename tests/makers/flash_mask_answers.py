"""Record tests/vectors/flash_mask.json: masks that FlashAttention 2's own header computes, on a CPU.

Run it with a C++ compiler and the folder csrc/flash_attn/src of FlashAttention 2.8.4, which is not a part of this
project: python flash_mask_answers.py FOLDER. The headers philox.cuh and dropout.h are compiled for a CPU. Their
instructions of the GPU are replaced: mul.wide.u32 by a product, and the one for 16-bit types, which the masks do not
need, by nothing.
Types of CUDA and of CUTLASS are replaced by small ones below. The headers say which bytes lane l of a warp keeps. Where
they lie in the matrix follows from the description of mma.m16n8, and is not computed by the headers.
"""

import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from recording import write

MAKER = "tests/makers/flash_mask_answers.py"
ASSEMBLY = re.compile(r"asm\s*(volatile)?\s*\(.*?\);", re.DOTALL)

# What the headers use of CUDA and CUTLASS: a tensor of the shape (8, M, N) in one array.
UTILS = r"""
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#define __device__
#define __forceinline__ inline
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
namespace cutlass { struct half_t {}; struct bfloat16_t {}; }
struct All {};
constexpr All _{};
template <int M, int N> struct Shape {};
template <typename T> struct Engine { using value_type = T; };
template <typename E, typename L> struct Tensor;
template <typename E, int M, int N> struct Tensor<E, Shape<M, N>> {
    using T = typename E::value_type;
    T* values;
    T* data() const { return values; }
    Shape<M, N> layout() const { return {}; }
    T& operator()(int i, int m, int n) const { return values[(m * N + n) * 8 + i]; }
    T* operator()(All, int m, int n) const { return values + (m * N + n) * 8; }
};
template <int M, int N> Tensor<Engine<float>, Shape<M, N>> make_tensor(float* values, Shape<M, N>) { return {values}; }
template <int I, typename E, int M, int N> auto size(Tensor<E, Shape<M, N>>) {
    return std::integral_constant<int, I == 1 ? M : N>{};
}
template <typename E> struct Tensor<E, void> {
    typename E::value_type* words;
    typename E::value_type& operator()(int i) const { return words[i]; }
};
template <typename T> Tensor<Engine<T>, void> recast(float* values) { return {reinterpret_cast<T*>(values)}; }
namespace flash {  // releases have one of these names
template <typename L> L convert_layout_rowcol_dropout(L layout) { return layout; }
template <typename L> L convert_layout_acc_dropout(L layout) { return layout; }
}
"""

NAMESPACE = """
#pragma once
#define FLASH_NAMESPACE flash
#define FLASH_NAMESPACE_ALIAS(name) flash::name
"""

PROGRAM = r"""
#include "utils.h"
#include "dropout.h"
#include <cstdlib>
// batch heads tile_rows tile_columns p seed offset: a character for each byte of each lane of each tile
int main(int, char** a) {
    const int batch = atoi(a[1]), heads = atoi(a[2]), rows = atoi(a[3]), columns = atoi(a[4]);
    const float keep = 1.f - strtof(a[5], nullptr);
    const unsigned long long seed = strtoull(a[6], nullptr, 0), offset = strtoull(a[7], nullptr, 0);
    for (int b = 0; b < batch; b++) for (int h = 0; h < heads; h++)
    for (int row = 0; row < rows; row += 2) for (int column = 0; column < columns; column += 2)
    for (int lane = 0; lane < 32; lane++) {
        flash::Dropout dropout(seed, offset, uint8_t(std::floor(keep * 255.0)), b, h, lane, heads);
        float values[2 * 4 * 8];
        for (float& value : values) value = 1;
        Tensor<Engine<float>, Shape<2, 4>> tensor{values};
        dropout.apply_dropout<true>(tensor, row, column, 1);
        for (float value : values) putchar(value > 0 ? '1' : '0');
    }
}
"""


def build(source, folder):
    """A program of the headers in `source`, in a temporary folder."""
    for name, replacement in (("philox.cuh", "tmp = (unsigned long long)a * b;"), ("dropout.h", ";")):
        text = (Path(source) / name).read_text()
        (folder / name).write_text(ASSEMBLY.sub(lambda _, by=replacement: by, text))
    (folder / "utils.h").write_text(UTILS)
    (folder / "namespace_config.h").write_text(NAMESPACE)
    (folder / "main.cpp").write_text(PROGRAM)
    program = folder / "masks"
    options = ["-std=c++17", "-O1", "-fno-strict-aliasing", "-I", folder]
    subprocess.run(["c++", *options, folder / "main.cpp", "-o", program], check=True)
    return program


def mask(program, shape, p, seed, offset):
    """bool array of `shape`, from the bytes of each lane."""
    batch, heads, queries, keys = shape
    rows, columns = 2 * -(-queries // 32), 2 * -(-keys // 64)  # of tiles: the program makes two by two
    command = [program, *map(str, (batch, heads, rows, columns)), repr(p), hex(seed), hex(offset)]
    bits = subprocess.run(command, check=True, capture_output=True).stdout
    # axes: batch, head, pairs of tiles, lane, tile row m, tile column, half j of the tile, i
    kept = np.frombuffer(bits, np.uint8).reshape(batch, heads, rows // 2, columns // 2, 32, 2, 2, 2, 8) == ord("1")
    matrix = np.zeros((batch, heads, 16 * rows, 32 * columns), bool)
    for place in np.ndindex(rows // 2, columns // 2, 32, 2, 2, 2, 8):
        row, column, lane, m, n, j, i = place
        y = 16 * (2 * row + m) + lane // 4 + 8 * (i // 2 % 2)
        x = 32 * (2 * column + n) + 16 * j + 8 * (i // 4) + 2 * (lane % 4) + i % 2
        matrix[:, :, y, x] = kept[(slice(None), slice(None), *place)]
    return matrix[:, :, :queries, :keys]


def calls(chance):
    """(shape, p, seed, offset) of some calls."""
    shapes = [(1, 1, 1, 1), (1, 1, 16, 32), (2, 3, 17, 33), (1, 2, 64, 70), (3, 1, 5, 130), (2, 2, 33, 64)]
    for i, shape in enumerate(shapes * 2):
        p = chance.choice([0.0, 0.1, 0.5, 0.9, 0.999, round(chance.random(), 3)]) if i else 0.1
        seed = chance.choice([chance.getrandbits(64), chance.getrandbits(20)])
        offset = 4 * chance.choice([0, chance.getrandbits(20), (1 << 30) - 8, (1 << 62) - 9])
        yield shape, p, seed, offset


def cases(program):
    for shape, p, seed, offset in calls(random.Random(32)):
        bits = np.packbits(mask(program, shape, p, seed, offset)).tobytes().hex()
        yield {"shape": shape, "p": p, "seed": hex(seed), "offset": hex(offset), "mask": bits}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = list(cases(build(sys.argv[1], Path(folder))))
    source = "FlashAttention 2.8.4, csrc/flash_attn/src/dropout.h and philox.cuh, compiled for a CPU"
    write("flash_mask", source, made, MAKER)
