"""Files and pipes larger than memory. The rules are those of specs/bulk.md."""

from .fill import fill_file
from .pipe import write_steps, write_words
from .progress_file import FillError

__all__ = ["FillError", "fill_file", "write_steps", "write_words"]
