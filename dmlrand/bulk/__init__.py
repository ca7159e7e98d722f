"""Files and pipes larger than memory. specs/bulk.md has the rules."""

from .fill import FillError, fill_file
from .pipe import write_steps, write_words

__all__ = ["FillError", "fill_file", "write_steps", "write_words"]
