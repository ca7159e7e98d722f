"""cuRAND's Philox generator by specs/curand.md: its methods, and its normals. It imports nothing of dmlrand."""

import math

import numpy as np

F = np.float32
ROUND = 4 * 65536  # numbers that all threads make in one visit each
EXACT = ["generate", "generate_uniform", "generate_uniform_double"]
NORMALS = ["generate_normal", "generate_normal_double"]
STEP, HALF_STEP = F(2.0**-32), F(2.0**-33)
TURN = F(2.3283064e-10) * F(6.2831855)


def normals(words):
    """Two numbers of two words, before they are rounded to float32."""
    radius = math.sqrt(-2 * math.log(float(F(words[0]) * STEP + HALF_STEP)))
    angle = float(F(words[1]) * TURN + TURN / F(2))
    return radius * math.sin(angle), radius * math.cos(angle)
