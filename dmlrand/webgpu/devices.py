"""WebGPU devices: the default device, and the compiled shader."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from .. import shaders
from ..drawing.imports import extra_needed
from .rule_writer import numbers_of

WORDS, UNIFORM = "random_generator", "uniform_float32"  # entry points of shader_source()

NO_ADAPTER = (
    "WebGPU needs an adapter, which is a GPU with a driver for Vulkan, Metal or Direct3D 12; found none. "
    "Install the driver of your GPU. On Debian and Ubuntu, `apt install mesa-vulkan-drivers libvulkan1` also installs "
    "lavapipe, which runs WebGPU on the processor."
)


def shader_source() -> str:
    """The operator as a WGSL shader, with comments: the text of dmlrand.shaders. `dmlrand shader` prints it.

    >>> shader_source().splitlines()[0]
    "// DirectML's RandomGenerator operator (Philox4x32-10) as a WebGPU compute shader."
    """
    return shaders.source("wgsl")


def _numbers() -> str:
    return files(__package__).joinpath("numbers.wgsl").read_text(encoding="utf-8")


def import_wgpu() -> Any:
    """The package wgpu."""
    with extra_needed("WebGPU needs", "wgpu", "webgpu"):
        import wgpu
    return wgpu


@cache
def default_device() -> Any:
    """The device of the adapter that wgpu prefers, with the largest buffers that the adapter allows."""
    adapter = default_adapter()
    names = ("max-buffer-size", "max-storage-buffer-binding-size")
    return adapter.request_device_sync(required_limits={name: adapter.limits[name] for name in names})


def default_adapter() -> Any:
    """The adapter of the default device. Every call asks the system."""
    wgpu = import_wgpu()
    try:
        return wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    except RuntimeError as error:
        raise RuntimeError(NO_ADAPTER) from error


def pipeline(device: Any, rule_name: str, entry_point: str) -> Any:
    """The shader for a rule of kernels/rules.py, compiled for a device. Its entry points are in numbers.wgsl."""
    # An attribute of the device is freed with it. A table of devices would keep them alive.
    pipelines, name = vars(device).setdefault("_dmlrand_pipelines", {}), (rule_name, entry_point)
    if name not in pipelines:
        module = device.create_shader_module(code=shader_source() + _numbers() + numbers_of(rule_name))
        compute = {"module": module, "entry_point": entry_point}
        pipelines[name] = device.create_compute_pipeline(layout="auto", compute=compute)
    return pipelines[name]
