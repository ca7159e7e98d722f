"""Run DxDispatch's model files without Windows or a GPU, if they use only the RANDOM_GENERATOR operator.

specs/dxdispatch.md has the rules and their sources. DxDispatch itself was never run here.
"""

from .json_reader import ModelError
from .run import run_model

__all__ = ["ModelError", "run_model"]
