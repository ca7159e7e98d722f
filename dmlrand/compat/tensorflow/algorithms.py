"""The names of TensorFlow's random-number algorithms."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ...arrays.integers import check_int
from ...messages import format_value


class Algorithm(Enum):
    """The names of the random-number algorithms: `tf.random.Algorithm`. Only PHILOX and AUTO_SELECT are imitated.

    >>> from dmlrand.compat import tensorflow as tf
    >>> tf.stateless_uniform([2], seed=[1, 2], alg=tf.Algorithm.PHILOX)
    array([0.8440604 , 0.19204533], dtype=float32)
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def check_algorithm(alg: Any) -> int:
    """`alg` as TensorFlow's number for it. On the CPU both are Philox, and seeds are scrambled in the same way."""
    philox, auto_select = Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value
    if isinstance(alg, str):
        known = {"philox": philox, "autoselect": auto_select}
        found = known.get(alg.strip().lower().replace("-", "").replace("_", ""))
    else:
        found = check_int(alg.value if isinstance(alg, Enum) else alg, "alg")
    if found not in (philox, auto_select):
        raise ValueError(
            f"alg must be 'philox' (1) or 'auto_select' (3, which is Philox on the CPU); got {format_value(alg)}. "
            "ThreeFry is not imitated."
        )
    return found
