"""The kernels of kernels/jax in numpy alone."""
