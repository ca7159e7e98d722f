"""Checks of a name from a list of choices."""

import re

import pytest

from dmlrand.arrays.arguments import check_choice


def refused(kind, message):
    return pytest.raises(kind, match=f"^{re.escape(message)}$")


@pytest.mark.parametrize(
    "value, choices, message",
    [
        ("d", ("a", "b", "c"), "mode must be 'a', 'b' or 'c'; got 'd'."),
        ("", ("a", "b"), "mode must be 'a' or 'b'; got ''."),
        ("b", ("a",), "mode must be 'a'; got 'b'."),
        (None, {"a": 1, "b": 2}, "mode must be 'a' or 'b'; got None."),
        (["a"], {"a": 1, "b": 2}, "mode must be 'a' or 'b'; got ['a']."),
    ],
)
def test_a_choice_is_one_of_the_strings(value, choices, message):
    with refused(ValueError, message):
        check_choice(value, "mode", choices)
    for choice in choices:
        assert check_choice(choice, "mode", choices) == choice
