"""The conformance kit: model files, states and expected outputs for a device or a port, and a check of what comes back.

specs/conformance.md has the rules. The kit has not been run with DxDispatch or on a device.
"""

from .checking import check_kit
from .writing import write_kit

__all__ = ["check_kit", "write_kit"]
