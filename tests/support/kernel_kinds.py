"""The kinds of kernels that tests run with: compiled by numba, or in numpy alone. Processes that tests start choose one
as they do for a user."""

import importlib.util

COMPILED = importlib.util.find_spec("numba") is not None  # there is no numba for some processors
KINDS = ["numba", "numpy"] if COMPILED else ["numpy"]
