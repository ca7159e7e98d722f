"""CUDA: arguments that are refused, and devices that are missing. specs/cuda.md, sections 2 and 4"""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from optional_backends import skip_without
from paths import PACKAGE_PARENT
from waiting import LIMIT

import dmlrand
from dmlrand import make_state
from dmlrand.cuda import devices, random_generator, random_window, uniform

skip_without("cuda")
from numba import cuda

STATE = make_state(key=42)


def memory(shape, dtype=np.uint32):
    return cuda.device_array(shape, dtype)


def array_of_another_package(readonly):
    return SimpleNamespace(
        __cuda_array_interface__={"shape": (3,), "typestr": "<u4", "data": (512, readonly), "version": 3}
    )


REFUSED = {
    "read-only": (
        lambda: random_generator(STATE, 3, out=array_of_another_package(readonly=True)),
        ValueError,
        "out must be writable; got a read-only array. Pass a writable one, such as a copy.",
    ),
    "dtype of out": (
        lambda: random_generator(STATE, 3, out=memory(3, np.int32)),
        TypeError,
        "out must hold uint32; got int32. Allocate it with that dtype, or pass a view.",
    ),
    "shape of out": (
        lambda: random_window(STATE, (4, 3), 2, out=memory(4)),
        ValueError,
        "out must have the shape of the result, (3,); got (4,).",
    ),
    "strides of out": (
        lambda: uniform(STATE, (2, 3), out=memory((2, 6), np.float32)[:, ::2]),
        ValueError,
        (
            "out must be contiguous in row-major order; got shape (2, 3) with strides (24, 8) in bytes. "
            "Draw a new array, and copy it."
        ),
    ),
    "dtype of uniforms": (
        lambda: uniform(STATE, 3, dtype="float16"),
        TypeError,
        (
            "dtype must not be float16 or bfloat16 on a CUDA device; got float16. Draw with dmlrand, or pass another "
            "dtype."
        ),
    ),
    "handle of a stream": (
        lambda: random_generator(STATE, 3, stream=-1),
        ValueError,
        "stream must be at least 0; got -1.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_arguments_are_refused(case):
    """cuda 1.2, 1.3, 2.2, 2.3 and 3.2"""
    call, kind, message = REFUSED[case]
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        call()


def test_handle_0_is_the_default_stream():
    """cuda 2.3"""
    expected = dmlrand.random_generator(STATE, 3).values.tolist()
    for stream in (None, 0):
        assert random_generator(STATE, 3, stream=stream).values.copy_to_host().tolist() == expected


def test_a_machine_without_a_device():
    """cuda 3.1"""
    script = """
from dmlrand import cuda, make_state
try: cuda.normal(make_state(), 3)
except RuntimeError as error: print(error)
"""
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT}
    environment |= {"NUMBA_ENABLE_CUDASIM": "0", "CUDA_VISIBLE_DEVICES": "-1"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=LIMIT)
    assert done.stdout == f"{devices.NO_DEVICE}\n"
