"""Files and pipes larger than memory. specs/bulk.md has the rules."""

from .fill import FillError, fill_file, is_filled
from .pipe import write_steps, write_words

__all__ = ["FillError", "fill_file", "is_filled", "write_steps", "write_words"]
