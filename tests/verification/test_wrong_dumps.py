"""Whether the first sentence of a report explains each dump of the collection in wrong_dumps.py."""

import contextlib
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from thinning import one_in, with_costly
from wrong_dumps import WRONG_DUMPS

from dmlrand.cli import main


def first_line(state, values, demanded):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        before, dump = Path(folder, "before.bin"), Path(folder, "v.npy")
        before.write_bytes(state.astype("<u4").tobytes())
        np.save(dump, values)
        more = [] if demanded == values.size else ["--words", str(demanded)]
        code = main(["verify", "--state-in", str(before), "--values", str(dump), *more])
    assert code == 1
    line = out.getvalue().splitlines()[0]
    assert line.startswith(f"WRONG: {dump}: ")
    return line.removeprefix(f"WRONG: {dump}: ")


@pytest.mark.parametrize("examples", with_costly([1], [5]))
@pytest.mark.parametrize("make", one_in(len(WRONG_DUMPS), WRONG_DUMPS), ids=lambda make: make.__name__)
def test_the_first_sentence_explains_the_dump(make, examples):
    """verify 6.7"""

    @given(seed=st.integers(0, 2**32 - 1))
    @settings(max_examples=examples, deadline=None)
    def explained(seed):
        made = make(np.random.default_rng(seed))
        sentence = first_line(made.state, made.values, made.demanded)
        assert all(text.lower() in sentence.lower() for text in made.said), (sentence, made.said)

    explained()
