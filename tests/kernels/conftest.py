"""Where there is no numba, only the tests of kernels in numpy run.

Modules that compile when they are imported are imported in tests: else every worker compiles them at once.
"""

from kernel_kinds import COMPILED

collect_ignore = [] if COMPILED else [
    "test_compiling.py", "test_float16_arithmetic.py", "test_instruction_sets.py",
    "test_number_kernels.py", "test_philox.py", "test_threads.py",
]  # fmt: skip
