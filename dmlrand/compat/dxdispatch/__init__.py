"""DxDispatch's model files, run without Windows or a GPU: those that use the RANDOM_GENERATOR operator.

The rules and their sources are on specs/dxdispatch.md. DxDispatch itself was never run here.
"""

from .json_reader import ModelError
from .run import run_model

__all__ = ["ModelError", "run_model"]
