"""Threefry, JAX's generator, and what JAX and XLA make of its words."""
