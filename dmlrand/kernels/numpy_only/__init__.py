"""The kernels in numpy alone: the same names, arguments and bits as the compiled ones, without numba's start-up time.

They serve a process until it has drawn so much that loading numba pays, and all processes where numba cannot be used.
`dmlrand.kernels` decides. A kernel that needs what numpy lacks has no twin here.
"""
