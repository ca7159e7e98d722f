"""One module or package for each imitated system, exact to the bit. The systems need not be installed."""

from ..drawing.imports import lazy_attributes, names_in_stub

_SYSTEMS = names_in_stub(__name__)
_ABSENT = {"dxdispatch": "No model files of DxDispatch are run: compat.directml.create_operator runs their desc."}
__all__ = sorted(_SYSTEMS)
__getattr__, __dir__ = lazy_attributes(__name__, _SYSTEMS, _ABSENT)
