"""Calls that are refused: the error's type, and how its message begins."""

import re

import pytest


def refused(kind, message, call, *arguments, **options):
    with pytest.raises(kind, match="^" + re.escape(message)):
        call(*arguments, **options)
