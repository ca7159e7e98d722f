"""The public modules, and their public names."""

import importlib

import dmlrand
from dmlrand import compat

# dmlrand itself, the texts in other languages, and one module or package for each backend and each imitated system.
BACKENDS = ["shaders", "batch", "cuda", "dask", "onnx", "webgpu"]
ENTRY_POINTS = [dmlrand, *(importlib.import_module(f"dmlrand.{name}") for name in BACKENDS)]
ENTRY_POINTS += [importlib.import_module(f"dmlrand.compat.{name}") for name in compat.__all__]


def public_names(entry):
    """The names in __all__, or else the names that the module defines."""
    own = [name for name, item in vars(entry).items() if getattr(item, "__module__", "") == entry.__name__]
    return getattr(entry, "__all__", [name for name in own if not name.startswith("_")])
