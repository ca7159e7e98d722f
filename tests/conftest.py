"""Settings of every test."""

from hypothesis import settings

# The same examples on every run: a red test stays red until something is mended. No deadline: the first call
# of a kernel compiles it.
settings.register_profile("dmlrand", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("dmlrand")
