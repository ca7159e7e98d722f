"""Whether kernels can be compiled here. Processes that tests start choose a kind of kernels as they do for a user."""

import importlib.util

COMPILED = importlib.util.find_spec("numba") is not None  # there is no numba for some processors
