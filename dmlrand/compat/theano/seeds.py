"""The states at which generators start under a seed: specs/theano.md, section 2."""

from __future__ import annotations

from typing import Any

from ...arrays.integers import check_int
from ...state import State, fold_in, make_state


def root_state(bits: Any, name: str) -> State:
    """The root of a seed, an int in [0, 2**64) or a list or tuple of such ints (theano 2.1).

    The generator of op i starts at fold_in(root, i).
    """
    first, *rest = bits if isinstance(bits, (list, tuple)) and bits else [bits]
    root = make_state(key=check_int(first, name, 0, 1 << 64))
    for item in rest:
        root = fold_in(root, check_int(item, name, 0, 1 << 64))
    return root
