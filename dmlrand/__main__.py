"""`python -m dmlrand` is the command `dmlrand`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
