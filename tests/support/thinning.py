"""Parametrized tests of many cases: some run by default, and the others are costly."""

from itertools import product

import pytest


def one_in(step, *values):
    """All combinations of some parameters' values, for pytest.mark.parametrize. All but one in `step` are costly tests.

    Each value of each of several parameters is in a combination that runs by default.
    """
    combinations = list(product(*values))
    for position, listed in enumerate(values if len(values) > 1 else ()):
        default = [each[position] for each in combinations[::step]]
        assert all(value in default for value in listed), f"step {step} leaves out some of {listed}"
    return [
        pytest.param(*each, marks=[pytest.mark.costly] if number % step else [])
        for number, each in enumerate(combinations)
    ]


def with_costly(default, costly):
    """The values of one parameter, for pytest.mark.parametrize. Those in `costly` are costly tests.

    A tuple is one value for each of several parameters.
    """
    return [
        *default,
        *(pytest.param(*(each if type(each) is tuple else [each]), marks=pytest.mark.costly) for each in costly),
    ]
