"""Numbers near the least normal number of a type, where processors that flush numbers differ from IEEE 754."""

import numpy as np
from hypothesis import strategies as st
from numbers_at import dtype_of

LEAST_EXPONENT = {"float32": -126, "bfloat16": -126, "float64": -1022, "float16": -14}


def near_zero(name):
    """Scalars of the type: zeros, subnormal numbers, and normal numbers from the least one on."""
    kind, least = dtype_of(name), LEAST_EXPONENT[name]
    far = 10 if name == "float16" else 70
    exponents = st.sampled_from([-6, -1, 0, 0, 1, 2, 5, 20, 24, far]).map(lambda step: 2.0 ** (least + min(step, far)))
    numbers = st.builds(
        lambda sign, size, step: sign * size * step, st.sampled_from([1, -1]), st.floats(1, 2), exponents
    )
    return (numbers | st.sampled_from([0.0, -0.0, 2.0**least, 2.0**-10])).map(kind.type)


def ordered(name):
    """Two such scalars, the first below the second."""
    return st.tuples(near_zero(name), near_zero(name)).map(sorted).filter(lambda pair: pair[0] < pair[1])


def without_minus_zero(pairs):
    """Only pairs without -0.0: TensorFlow caches tensors of scalars, and can use the tensor of 0.0 for -0.0."""
    return pairs.filter(lambda pair: not any(number == 0 and np.signbit(number) for number in pair))
