"""The calls of mkl_random that tests/vectors/mkl_random_philox4x32.json records. See replay.py."""

import mkl_random
import numpy as np


def raw(case):
    state = mkl_random.MKLRandomState(case["seed"], brng="PHILOX4X32X10")
    return {"result": np.frombuffer(state.bytes(4 * case["n"]), np.uint32).tolist()}


CALLS = {"mkl_random_philox4x32": raw}
