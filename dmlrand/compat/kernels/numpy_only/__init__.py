"""The same kernels in numpy alone, as in dmlrand.kernels.numpy_only."""
