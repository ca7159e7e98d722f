"""A case for each rule of dmlrand.kernels.rules: the type of its output, parameters, and numbers by the oracle."""

from fractions import Fraction
from typing import NamedTuple

import number_oracle
import numpy as np
import oracle
from kernel_kinds import COMPILED
from numbers_at import ALL, arguments_of
from thinning import with_costly

from dmlrand.drawing.number_rules import DISTRIBUTIONS
from dmlrand.kernels import of_rule
from dmlrand.kernels.rules import RULES

F = np.float32


class Case(NamedTuple):
    """The type of a rule's output, as kernels see it, and possible parameters. `exact` makes the numbers of words."""

    dtype: type
    choices: list
    exact: object = None  # exact(words, *parameters), a list of ints; None: the oracle knows no bits, only bounds


def bits_of_uniforms(name):
    kind = number_oracle.TYPES[name]

    def exact(words, low, width):
        low, width = Fraction(float(low)), Fraction(float(width))
        numbers = [number_oracle.scale(each, width, low, kind) for each in number_oracle.fractions(words, kind)]
        return [number_oracle.to_bits(each, kind) for each in numbers]

    return exact


def remainders(bits):
    def exact(words, low, divisor, reciprocal):
        low, divisor = int(low), int(divisor)
        numbers = number_oracle.integers(words, 0, divisor or 2**bits, bits)
        return [(number + low) % 2**bits for number in numbers]

    return exact


def division(bits, divisor):
    """The parameters of a rule of integers for numbers from 7 on: specs/distributions.md, 4."""
    low = 7 if divisor < 2**bits else 0
    return (low, divisor % 2**bits, min(2**bits // divisor, 2**bits - 1))


CASES = {  # the first choice has no number that is infinite or a zero
    "word": Case(np.uint32, [()], lambda words: words),
    "bernoulli": Case(
        np.uint8,
        [(2**31,), (0,), (1,), (2**32 - 1,), (2**32,)],
        lambda words, threshold: [int(word < threshold) for word in words],
    ),
    "uniform_f16": Case(
        np.uint16,
        [(-1.5, 3.25), (0.0, 1.0), (-6e4, 64992.0), (0.0, 2.0**-24), (1.0, 2.0**-9)],
        bits_of_uniforms("float16"),
    ),
    "uniform_bf16": Case(
        np.uint16, [(-1.5, 3.25), (0.0, 1.0), (-(2.0**127), 2.0**127), (0.0, 2.0**-133)], bits_of_uniforms("bfloat16")
    ),
    "uniform_f32": Case(
        F, [(-1.5, float(F(3.7))), (0.0, 1.0), (float(F(1e38)), float(F(3e38)))], bits_of_uniforms("float32")
    ),
    "uniform_f64": Case(np.float64, [(-1.5, 3.7), (0.0, 1.0)], bits_of_uniforms("float64")),
    "integers_32": Case(np.uint32, [division(32, d) for d in (1000, 1, 2**32)], remainders(32)),
    "integers_64": Case(np.uint64, [division(64, d) for d in (1000, 1, 2**64)], remainders(64)),
    "normal_f32": Case(F, [(1.25, float(F(3.3))), (-0.0, 1.0), (0.0, float(F(3e38)))]),
    "normal_f64": Case(np.float64, [(1.25, 3.3), (-0.0, 1.0)]),
    "normal_f16": Case(
        np.uint16, [(float(np.float16(m)), float(np.float16(s))) for m, s in ((1.25, 3.3), (0, 1), (0, 6e4), (0, 2e-7))]
    ),
    "normal_bf16": Case(np.uint16, [(1.25, 3.296875), (0.0, 1.0)]),
    "curand_uniform_32": Case(F, [()]),
    "curand_uniform_64": Case(np.float64, [()]),
    "curand_normal_32": Case(F, [(1.5, -2.5)]),
    "curand_normal_64": Case(np.float64, [(1.5, -2.5)]),
}

for name, dtype in ALL:  # the rules of the other distributions, with the parameters of their oracles
    narrow = dtype == "bfloat16"  # which needs a package: float16 has parameters of the same type
    bound = DISTRIBUTIONS[name].rule(*arguments_of(name, "float16" if narrow else dtype).values())
    rule_name = bound.name.replace("_f16", "_bf16") if narrow else bound.name
    CASES.setdefault(rule_name, Case(bound.kernel_dtype.type, [tuple(bound.parameters.tolist())]))


def each_rule(*default):
    """All rules, for pytest.mark.parametrize. Those not in `default` are costly tests: each compiles for a second."""
    return with_costly(default, [name for name in RULES if name not in default])


def parameters_of(name, choice=0):
    """Parameters of a rule, as its kernels take them."""
    return np.array(CASES[name].choices[choice], RULES[name].parameters)


def kernels_of(name):
    """The kernels of a rule."""
    kernels = of_rule(name)
    return kernels.fill, kernels.fill_region, kernels.convert


def forms_of(kernel):
    """A kernel in numpy and, where there is numba, compiled."""
    return [kernel.numpy, *([kernel.compiled] if COMPILED else [])]


def numbers_at(name, counter, key, lane, positions):
    """The numbers of a rule at these positions of the stream of numbers that starts with lane `lane` of a block.

    The oracle makes the words. It makes numbers of them where it knows the rule exactly; otherwise the kernel of given
    words makes them.
    """
    rule, case, parameters = RULES[name], CASES[name], parameters_of(name)
    words = [
        word
        for position in positions
        for word in oracle.words(counter, key, lane + position // rule.numbers * rule.words, rule.words)
    ]
    if case.exact:
        bits = np.array(case.exact(words, *parameters.tolist()), f"u{np.dtype(case.dtype).itemsize}")
        return bits.view(case.dtype)
    numbers = np.empty(len(positions) * rule.numbers, case.dtype)
    of_rule(name).convert.numpy(np.array(words, np.uint32), parameters, numbers)
    return np.array(
        [numbers[i * rule.numbers + position % rule.numbers] for i, position in enumerate(positions)], case.dtype
    )
