"""Positions that threads share: locks, copies, forks, the six words. stream 6, 8, 10 to 13; openvino 2.10, 2.11;
tensorflow 20 and 29; theano 4.6."""

import copy
import os
import pickle
import sys
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
from sharing import LIMIT, another_thread_in, in_a_forked_child, run_in_threads, start
from waiting import join

from dmlrand import Stream, make_state
from dmlrand.compat import openvino, tensorflow, theano
from dmlrand.compat.tensorflow import stateful

pytestmark = pytest.mark.both_kinds

FAR = make_state(counter=2**64 - 100, key=77)  # whose counter carries on the way


class Kind(NamedTuple):
    """A class of objects that draw from a Position."""

    make: Any  # () -> object
    draw: Any  # (object) -> array of numbers that hardly ever repeat
    position: Any = lambda shared: shared  # (object) -> its Position
    far: Any = FAR  # a place of it


RESULT = theano.MetaRandom(5).uniform(shape=(3,), dtype="float64")

KINDS = {
    "Stream": Kind(
        lambda: Stream(make_state(counter=5, key=7), 1),
        lambda s: s.words(3),
        far=(make_state(counter=2**64 - 2, key=77), 3),
    ),
    "OpenVINO reference": Kind(lambda: openvino.RandomUniform("i64", 5, 7), lambda op: op([3], 0, 2**62)),
    "Generator": Kind(
        lambda: tensorflow.Generator.from_state([5, 6, 7]), lambda g: g.uniform_full_int([3]), lambda g: g.position
    ),
    "RandomUniform": Kind(lambda: tensorflow.RandomUniform("float64", 5, 7), lambda op: op([3])),
    "Theano function": Kind(lambda: theano.function([], RESULT), lambda fn: fn(), lambda fn: fn.state),
}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
each_of_six_words = pytest.mark.parametrize("name", [*KINDS][1:-1])
COPIERS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda shared: pickle.loads(pickle.dumps(shared))}
copiers = pytest.mark.parametrize("copied", COPIERS.values(), ids=COPIERS)
forking = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),
]


@pytest.fixture
def quick_switches():
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@each_kind
def test_threads_draw_consecutive_pieces_of_one_stream(kind, quick_switches):
    """stream 10, openvino 2.10, tensorflow 20, theano 4.6: no piece twice, none lost, each thread's in order"""
    shared, alone = kind.make(), kind.make()
    drawn = run_in_threads(lambda _: [kind.draw(shared).tobytes() for _ in range(40)], 4)
    place = {kind.draw(alone).tobytes(): i for i in range(160)}
    assert len(place) == 160
    found = [[place[piece] for piece in pieces] for pieces in drawn]
    assert sorted(sum(found, [])) == list(range(160))
    assert all(places == sorted(places) for places in found)
    assert kind.draw(shared).tobytes() == kind.draw(alone).tobytes()


@each_kind
def test_a_draw_that_raises_keeps_the_position_and_frees_the_lock(kind):
    """stream 12, openvino 2.8, tensorflow 20, theano 4.7"""
    shared, alone = kind.make(), kind.make()

    def fail(place):
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        kind.position(shared)._draw(fail)
    [values] = run_in_threads(lambda _: kind.draw(shared), 1)
    assert values.tobytes() == kind.draw(alone).tobytes()


def generator_draw(method, *arguments):
    return "Generator", lambda generator: getattr(generator, method)(*arguments)


def set_state(shared):
    shared.state = [1, 2, 3, 4, 5, 6]


MOVES = {
    "Stream.seek": ("Stream", lambda stream: stream.seek(12345)),
    "openvino.state": ("OpenVINO reference", set_state),
    "Generator.skip": generator_draw("skip", 5),
    "op.restart": ("RandomUniform", lambda op: op.restart()),
}


@pytest.mark.parametrize("name, move", MOVES.values(), ids=MOVES)
def test_a_move_during_a_draw_takes_effect_after_the_draw(name, move):
    """stream 6 and 13, openvino 2.10, tensorflow 20: neither the move nor the draw is lost; seek keeps the key."""
    kind = KINDS[name]
    shared, alone = kind.make(), kind.make()
    begun, finish = threading.Event(), threading.Event()

    def draw_slowly(place):
        begun.set()
        finish.wait(LIMIT)
        return None, kind.far

    drawing = start(lambda: kind.position(shared)._draw(draw_slowly))
    assert begun.wait(LIMIT)
    moving = start(lambda: move(shared))
    moving.join(0.05)  # time enough for a move that does not wait
    finish.set()
    join(drawing, LIMIT)
    join(moving, LIMIT)
    kind.position(alone)._move_to(kind.far)
    move(alone)
    assert kind.draw(shared).tobytes() == kind.draw(alone).tobytes()


@copiers
@each_kind
def test_copies_continue_from_the_same_place_on_their_own(kind, copied):
    """stream 8, openvino 2.11, tensorflow 20, theano 4.5"""
    shared, alone = kind.make(), kind.make()
    kind.draw(shared), kind.draw(alone)
    twin = copied(shared)
    assert type(twin) is type(shared) and kind.position(twin)._lock is not kind.position(shared)._lock
    expected = [kind.draw(alone).tobytes() for _ in range(3)]
    assert [kind.draw(twin).tobytes() for _ in range(3)] == expected
    assert [kind.draw(shared).tobytes() for _ in range(3)] == expected


# The six words


def six_words(name):
    """An object and the owner of its `state`."""
    shared = KINDS[name].make()
    return shared, KINDS[name].position(shared)


@each_of_six_words
def test_the_six_words_are_read_and_set_by_one_name(name):
    """openvino 3.1, tensorflow 15, 29: an object goes on from the state of another one"""
    (first, place), (second, other) = six_words(name), six_words(name)
    KINDS[name].draw(first)
    for state in (place.state, place.state.reshape(1, 1, 6), place.state.tolist()):
        other.state = state
        assert other.state.dtype == np.uint32 and other.state.tolist() == place.state.tolist()
        assert KINDS[name].draw(second).tobytes() == KINDS[name].draw(copy.copy(first)).tobytes()


# Forks


FORKED = {name: (kind.make, kind.draw, kind.position) for name, kind in KINDS.items()} | {
    "eager kernels": (lambda: None, lambda _: tensorflow.uniform([3], seed=3), lambda _: stateful._context),
    "making ops": (lambda: theano.MetaRandom(5), lambda r: np.array(r.uniform().rng.index), lambda r: r),
}


@pytest.mark.parametrize("make, draw, locked", FORKED.values(), ids=FORKED)
class TestForks:
    pytestmark = forking

    def test_a_child_forked_during_a_draw_finds_a_free_lock(self, make, draw, locked):
        """stream 11, openvino 2.11, tensorflow 20, theano 4.6: it draws what the parent draws next"""
        made = make()
        draw(made)
        for shared in (made, pickle.loads(pickle.dumps(made))):
            with another_thread_in(lambda: locked(shared)._lock):
                theirs = in_a_forked_child(lambda: draw(shared).tobytes())
            assert theirs == draw(shared).tobytes()
