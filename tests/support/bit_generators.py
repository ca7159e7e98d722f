"""Shared by the tests of PhiloxBitGenerator: one at a position, and how NumPy makes numbers of two words."""

from dmlrand import PhiloxBitGenerator, make_state


def at(counter, key=7, lane=0):
    return PhiloxBitGenerator(make_state(counter=counter, key=key), lane)


def joined(first, second):
    return first << 32 | second


def as_double(first, second):
    return ((first >> 5) << 26 | second >> 6) * 2.0**-53
