"""Atomic writes, locks, flushing, checksummed JSON, figures, and names of files."""
