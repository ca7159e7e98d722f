"""Words of faulty generators are computed once for all tests that verify dumps of one state."""

import pytest

from dmlrand.verification import candidates

MAX_KEPT = 8000  # arrays, of some KiB each


@pytest.fixture(scope="session", autouse=True)
def words_of_candidates_are_kept():
    """The search computes a few blocks of some 2,000 generators, and most tests repeat those of an earlier test.

    The arrays are read-only, so that a search that changes them fails.
    """
    compute, kept = candidates._words, {}

    def words(rounds, inputs):
        key = (rounds, inputs[0].shape, *(word.tobytes() for word in inputs))
        try:
            is_kept = key in kept
        except TypeError:  # rounds with arrays of constants are not hashable
            return compute(rounds, inputs)
        if not is_kept:
            if len(kept) >= MAX_KEPT:
                kept.clear()
            kept[key] = compute(rounds, inputs)
            kept[key].flags.writeable = False
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_words", words)
        yield
