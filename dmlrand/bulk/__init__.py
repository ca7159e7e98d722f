"""Files and pipes larger than memory. specs/bulk.md has the rules."""

from .fill import fill_file, fill_status
from .pipe import write_steps, write_words
from .progress_file import FillError

__all__ = ["FillError", "fill_file", "fill_status", "write_steps", "write_words"]
