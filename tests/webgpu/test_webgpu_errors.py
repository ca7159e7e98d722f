"""WebGPU: arguments that are refused, and devices that are missing, lost or full. specs/webgpu.md, sections 2 and 4"""

import os
import re
import subprocess
import sys

import pytest
from optional_backends import skip_without
from paths import PACKAGE_PARENT
from waiting import LIMIT

from dmlrand import make_state, webgpu
from dmlrand.webgpu import DeviceArray, random_generator, uniform

wgpu = pytest.importorskip("wgpu", reason="wgpu is not installed (extra `webgpu`): WebGPU is not tested")

from dmlrand.webgpu.devices import NO_ADAPTER, default_adapter, default_device

STATE = make_state(key=42)


@pytest.fixture(scope="module", autouse=True)
def adapter():
    skip_without("webgpu")


STORAGE, COPY_SRC = wgpu.BufferUsage.STORAGE, wgpu.BufferUsage.COPY_SRC


def buffer(size, usage=STORAGE | COPY_SRC, device=None):
    return (device or default_device()).create_buffer(size=size, usage=usage)


REFUSED = {
    "out of another kind": (
        lambda: uniform(STATE, 3, device=default_device(), out=bytearray(12)),
        TypeError,
        "out must be a wgpu.GPUBuffer; got bytearray. device.create_buffer makes one, and DeviceArray.buffer is one.",
    ),
    "offset": (
        lambda: random_generator(STATE, 3, device=default_device(), out=buffer(40), offset=6),
        ValueError,
        "offset must be a multiple of 4 bytes; got 6. Each word has 4 bytes.",
    ),
    "offset without out": (
        lambda: random_generator(STATE, 3, offset=4),
        TypeError,
        "offset must be left out without out; got 4. Pass the buffer as out.",
    ),
    "device of another kind": (
        lambda: random_generator(STATE, 3, device="cuda"),
        TypeError,
        "device must be a wgpu.GPUDevice; got str. adapter.request_device_sync() makes one.",
    ),
    "dtype": (
        lambda: webgpu.normal(STATE, 3, dtype="float64"),
        TypeError,
        "dtype must not be float16, bfloat16, float64, int64 or uint64 in WebGPU; got float64. Draw with dmlrand, or "
        "pass another dtype.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_arguments_are_refused(case):
    """webgpu 1.2, 1.3 and 2.3"""
    call, kind, message = REFUSED[case]
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        call()


BUFFERS = {
    "of another device": lambda: buffer(12, device=default_adapter().request_device_sync()),
    "of another usage": lambda: buffer(12, COPY_SRC),
    "too small": lambda: buffer(8),
}


@pytest.mark.parametrize("case", BUFFERS)
def test_buffers_that_wgpu_refuses(case):
    """webgpu 2.3"""
    with pytest.raises(wgpu.GPUValidationError):
        random_generator(STATE, 3, out=BUFFERS[case]())


def test_an_output_larger_than_a_buffer():
    """webgpu 2.4"""
    with pytest.raises(wgpu.GPUValidationError, match="greater than the maximum buffer size"):
        random_generator(STATE, (2**30, 2**30))


# Devices


def test_a_lost_device():
    """webgpu 4.3"""
    lost = default_adapter().request_device_sync()
    values, _ = random_generator(STATE, 8, device=lost)
    expected = values.to_numpy()
    lost.destroy()
    for call in (values.to_numpy, lambda: random_generator(STATE, 8, device=lost)):
        with pytest.raises(wgpu.GPUError, match="lost"):
            call()
    assert random_generator(STATE, 8).values.to_numpy().tolist() == expected.tolist()


def test_the_default_device():
    """webgpu 4.1"""
    values = random_generator(STATE, 8).values
    assert isinstance(values, DeviceArray) and values.device is default_device()
    for name in ("max-buffer-size", "max-storage-buffer-binding-size"):
        assert values.device.limits[name] == default_adapter().limits[name]


@pytest.mark.costly
def test_a_machine_without_an_adapter():
    """webgpu 4.2"""
    script = """
from dmlrand import make_state, webgpu
try: webgpu.random_generator(make_state(), 3)
except RuntimeError as error: print(error)
"""
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT}
    environment |= {"WGPU_BACKEND_TYPE": "Vulkan" if sys.platform == "darwin" else "Metal"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=LIMIT)
    assert done.stdout.splitlines()[-1] == NO_ADAPTER
