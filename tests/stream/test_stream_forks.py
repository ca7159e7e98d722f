"""The warning of a Stream that was made before a fork and is used in the child. specs/stream.md, 19."""

import copy
import json
import os
import warnings

import pytest
from sharing import in_a_forked_child

from dmlrand import Stream

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),
]

REMEDY = (
    "this Stream was made before the process was forked, so the parent process and its other children draw the same "
    "words. Give each process a stream of its own: stream.fold_in(number), with the number of the worker. In a worker "
    "of a PyTorch DataLoader the number is torch.utils.data.get_worker_info().id."
)


def warnings_in_a_child(work):
    """(class, text, file, line of text) of each warning that work() gives in a forked child."""

    def record():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            work()
        found = [(each.category.__name__, str(each.message), each.filename, each.lineno) for each in caught]
        return json.dumps(found).encode()

    return [tuple(each) for each in json.loads(in_a_forked_child(record))]


DRAWS = {
    "words": lambda stream: stream.words(3),
    "a scalar": lambda stream: stream.uniform(),
    "spawn": lambda stream: stream.spawn(2),
    "an empty draw": lambda stream: stream.words(0),
}


@pytest.mark.parametrize("draw", DRAWS)
def test_the_first_draw_warns_and_names_the_line_of_the_call(draw):
    """stream 19"""
    stream = Stream(seed=1)
    call = DRAWS[draw]
    found = warnings_in_a_child(lambda: [call(stream) for _ in range(3)])
    assert found == [("RuntimeWarning", REMEDY, __file__, call.__code__.co_firstlineno)]


QUIET = {
    "fold_in": lambda stream: stream.fold_in(3).words(3),
    "split": lambda stream: stream.split(3)[1].words(3),
    "seek": lambda stream: (stream.seek(10**9), stream.words(3)),
    "load_state_dict": lambda stream: (stream.load_state_dict(Stream(seed=2).state_dict()), stream.words(3)),
    "a copy": lambda stream: copy.copy(stream).words(3),
    "a new stream": lambda stream: Stream(seed=1).words(3),
    "reading": lambda stream: (stream.tell(), stream.state, stream.lane, repr(stream), stream == stream),
}


@pytest.mark.parametrize("use", QUIET)
def test_other_uses_do_not_warn(use):
    """stream 19"""
    stream = Stream(seed=1)
    assert warnings_in_a_child(lambda: QUIET[use](stream)) == []


def test_every_stream_warns_once_in_every_process():
    """stream 19: a grandchild warns too"""
    first, second = Stream(seed=1), Stream(seed=2)

    def use():
        first.words(1), second.words(1), first.words(1)
        grandchild = warnings_in_a_child(lambda: (first.words(1), second.words(1), second.words(1)))
        assert len(grandchild) == 2

    assert len(warnings_in_a_child(use)) == 2


def test_a_warning_that_is_an_error_draws_nothing():
    """stream 12 and 19"""
    stream = Stream(seed=1)

    def use():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning, match="^this Stream was made before"):
                stream.words(3)
            return json.dumps([stream.tell(), stream.words(1).tolist(), stream.tell()]).encode()

    assert json.loads(in_a_forked_child(use)) == [0, Stream(seed=1).words(1).tolist(), 1]
