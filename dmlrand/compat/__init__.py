"""One module or package for each imitated system, exact to the bit. None of the systems must be installed."""

from ..imports import lazy_attributes, names_in_stub

__getattr__, __dir__ = lazy_attributes(__name__, names_in_stub(__name__))
