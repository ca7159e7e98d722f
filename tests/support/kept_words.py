"""Words of faulty generators are computed once for all tests that verify dumps of one state."""

import numpy as np
import pytest

from dmlrand.verification import candidates

MAX_KEPT = 16_000  # arrays, of some KiB each
CHUNK = 128  # blocks with neighbouring counters: numpy computes them nearly as fast as one block


class Chunks:
    """Whole chunks of blocks that hold those of `inputs`, a row of blocks for each of the six input words."""

    def __init__(self, inputs):
        blocks = list(zip(*(word[0].tolist() for word in inputs)))
        starts = sorted({(low - low % CHUNK, *upper) for low, *upper in blocks})
        self.key = tuple(starts)
        self.places = [CHUNK * starts.index((low - low % CHUNK, *upper)) + low % CHUNK for low, *upper in blocks]
        self.inputs = tuple(np.repeat(np.array(starts, np.uint64), CHUNK, axis=0).T[:, None].copy())
        self.inputs[0][0] += np.tile(np.arange(CHUNK, dtype=np.uint64), len(starts))


@pytest.fixture(scope="session", autouse=True)
def words_of_candidates_are_kept():
    """The search computes a few blocks of some 2,000 generators. Most tests need blocks near those of an earlier test.

    So the blocks of one state are computed in chunks. The arrays are read-only, so that a search that changes them
    fails.
    """
    compute, kept = candidates._words, {}
    last = None, None  # the inputs of the last call and their chunks: a search uses its inputs for 800 generators

    def keep(rounds, state_key, inputs):
        key = rounds, state_key
        if key not in kept:
            if len(kept) >= MAX_KEPT:
                kept.clear()
            kept[key] = compute(rounds, inputs)
            kept[key].flags.writeable = False
        return kept[key]

    def words(rounds, inputs):
        nonlocal last
        try:
            hash(rounds)
        except TypeError:  # rounds with arrays of constants are not hashable
            return compute(rounds, inputs)
        if len(inputs[0]) > 1:
            return keep(rounds, (inputs[0].shape, *(word.tobytes() for word in inputs)), inputs)
        if last[0] is not inputs:
            last = inputs, Chunks(inputs)
        chunks = last[1]
        made = keep(rounds, chunks.key, chunks.inputs).reshape(-1, 4)[chunks.places].reshape(1, -1)
        made.flags.writeable = False
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_words", words)
        yield
