"""cuRAND's Philox generator in plain Python, thread by thread, by specs/curand.md. It imports nothing of dmlrand."""

import math
from collections import defaultdict

import numpy as np
import oracle

F = np.float32
THREADS = 65536
ROUND = 4 * THREADS  # numbers that all threads make in one visit each
EXACT = ["generate", "generate_uniform", "generate_uniform_double"]
NORMALS = ["generate_normal", "generate_normal_double"]
STEP, HALF_STEP = F(2.0**-32), F(2.0**-33)
TURN = F(2.3283064e-10) * F(6.2831855)


def uniform(words):
    return F(words[0]) * STEP + HALF_STEP


def fraction(low, high):
    return float(low ^ high << 21)


def uniform_double(words):
    return fraction(*words) * 2.0**-53 + 2.0**-54


def box_muller(u, angle):
    radius = math.sqrt(-2 * math.log(u))
    return radius * math.sin(angle), radius * math.cos(angle)


def normals(words):
    """Two numbers of two words, before they are rounded to float32."""
    return box_muller(float(uniform(words[:1])), float(F(words[1]) * TURN + TURN / F(2)))


class Threads:
    """The generator as 65536 threads, each with the number of its next block."""

    def __init__(self, seed, offset):
        self.seed = seed
        rounds, self.thread = divmod(offset // 4, THREADS)
        self.lane = offset % 4
        self.next_block = defaultdict(lambda: rounds)
        for thread in range(self.thread):
            self.next_block[thread] = rounds + 1

    def numbers(self, n, step, convert):
        """n numbers. At a visit a thread takes `step` blocks, and convert(words) makes four numbers of them."""
        made = []
        for _ in range(n):
            block = self.next_block[self.thread]
            words = [oracle.block((self.thread << 64) + block + i, self.seed) for i in range(step)]
            made.append(convert([word for block_words in words for word in block_words])[self.lane])
            self.lane += 1
            if self.lane == 4:
                self.lane = 0
                self.next_block[self.thread] += step
                self.thread = (self.thread + 1) % THREADS
        return made

    def generate(self, n):
        return self.numbers(n, 1, list)

    def generate_uniform(self, n):
        return self.numbers(n, 1, lambda words: [uniform([word]) for word in words])

    def generate_uniform_double(self, n):
        return self.numbers(n, 2, lambda words: [uniform_double(words[2 * i : 2 * i + 2]) for i in range(4)])
