"""threads=: the same bits, no deadlock, nothing left behind. specs/kernels.md, 3."""

import _thread
import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import oracle
import pytest
from waiting import LIMIT, join, wait_until

from dmlrand import Stream, integers, make_state, normal, random_generator, random_window, uniform
from dmlrand.drawing.filling import THREADING_MIN_BYTES
from dmlrand.kernels import threads
from dmlrand.kernels.threads import share

STATE = make_state(counter=2**64 - 12345, key=99)
N = THREADING_MIN_BYTES // 4 + 12345  # just enough words to be shared


@pytest.fixture(scope="module")
def expected():
    return random_generator(STATE, N)


@pytest.mark.parametrize("threads", [1, 2, 3, 16, 1000])
def test_bits_do_not_depend_on_threads(expected, threads):
    """kernels 3"""
    values, state = random_generator(STATE, N, threads=threads)
    assert np.array_equal(values, expected.values)
    assert state.tolist() == expected.state.tolist()


@pytest.mark.parametrize("shift", [0, 4, 5])
def test_non_temporal_stores_of_threads_give_the_same_bits(expected, shift):
    """kernels 3: an output that is large enough for non-temporal stores, aligned and unaligned."""
    from dmlrand.kernels.words import NON_TEMPORAL_MIN_WORDS

    out = np.zeros(NON_TEMPORAL_MIN_WORDS + 12345 + shift, np.uint32)[shift:]
    random_generator(STATE, out=out, threads=2)
    assert np.array_equal(out[:N], expected.values)
    assert np.array_equal(out[N:], random_window(STATE, out.shape, np.s_[N:]))


def test_strided_outputs_and_windows_are_shared_too(expected):
    """kernels 3"""
    out = np.zeros((N, 2), np.uint32)
    assert np.array_equal(random_generator(STATE, out=out[::-1, 1], threads=2).values, expected.values)
    assert not out[:, 0].any()
    window = random_window(STATE, (5, N + 7), np.s_[0, :N], threads=2)
    assert np.array_equal(window, expected.values)


def test_many_callers_at_once(expected):
    """kernels 3"""
    before = _thread._count()
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: random_generator(STATE, N, threads=3).values, range(12)))
    assert all(np.array_equal(values, expected.values) for values in results)
    wait_until(lambda: _thread._count() <= before)  # threads that started late are still ending


@pytest.mark.costly
def test_eight_threads_draw_right_words_and_numbers_at_once():
    """promises 5 and 10: also on Pythons without the GIL."""
    threads, rounds, n = 8, 50, 37
    shared = Stream(make_state(key=threads))
    start = threading.Barrier(threads, timeout=LIMIT)
    draws = random_generator, uniform, normal, partial(integers, low=0, high=1000)
    expected = [[draw(make_state(key=key), n).values.tolist() for draw in draws] for key in range(threads)]

    def draw_all(key):
        state, pieces = make_state(key=key), []
        start.wait(LIMIT)
        for _ in range(rounds):
            assert [draw(state, n).values.tolist() for draw in draws] == expected[key]
            pieces.append(tuple(shared.words(n).tolist()))
        return pieces

    with ThreadPoolExecutor(threads) as pool:
        pieces = [piece for each in pool.map(draw_all, range(threads)) for piece in each]
    words = oracle.words(0, threads, 0, n * rounds * threads)
    assert sorted(pieces) == sorted(tuple(words[i : i + n]) for i in range(0, len(words), n))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_draws_as_well(expected):
    """kernels 3"""
    random_generator(STATE, N, threads=2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        sums = pool.map_async(_checksum, [2, 3], chunksize=1).get(LIMIT)
    assert sums == [int(expected.values.sum(dtype=np.uint64))] * 2


def _checksum(threads):
    return int(random_generator(STATE, N, threads=threads).values.sum(dtype=np.uint64))


def test_every_job_is_done_once_and_an_error_in_one_is_raised():
    """kernels 3"""
    done = []
    share(done.append, range(100), 4)
    assert sorted(done) == list(range(100))

    def fail(job):
        if job == 7:
            raise MemoryError("no scratch")

    with pytest.raises(MemoryError, match="no scratch"):
        share(fail, range(100), 4)


def test_the_work_is_done_if_the_system_gives_no_more_threads(monkeypatch):
    """kernels 3"""

    def refuse(function, arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "start_new_thread", refuse)
    done = []
    share(done.append, range(10), 4)
    assert done == list(range(10))


def test_a_thread_that_starts_late_is_not_waited_for_and_does_nothing(monkeypatch):
    """kernels 3: a busy machine may start the thread after the caller has done all jobs and freed its memory."""
    late, done = [], []
    monkeypatch.setattr(threads, "start_new_thread", lambda *call: late.append(call))
    share(done.append, range(10), 3)
    assert done == list(range(10)) and len(late) == 2
    for function, arguments in late:
        helper = threading.Thread(target=function, args=arguments)
        helper.start()
        join(helper)
    assert done == list(range(10))
