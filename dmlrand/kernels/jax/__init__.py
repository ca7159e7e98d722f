"""Threefry, JAX's generator, and the arithmetic that JAX and XLA apply to its words."""
