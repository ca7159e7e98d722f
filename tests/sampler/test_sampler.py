"""ShuffledSampler: every sample of every epoch exactly once, whatever the processes and wherever they stop."""

import copy
import pickle
import tracemalloc

import numpy as np
import permutation_oracle as truth
import pytest
from hypothesis import given, settings, strategies as st

from dmlrand import ShuffledSampler, counter_of, fold_in, key_of, make_state, permutation

STATE = make_state(counter=5, key=42)
BIG = 10**9 + 7


def order(epoch, n):
    return permutation(fold_in(STATE, epoch), n).values.tolist()


def given_out(samplers, steps=None):
    """What the ranks give, in turn: one sample for each rank in each step, for some steps or to the end."""
    iterators = [iter(sampler) for sampler in samplers]
    samples = []
    while steps is None or steps > 0:
        step = [sample for each in iterators for sample in [next(each, None)] if sample is not None]
        if not step:
            return samples
        samples += step
        steps = None if steps is None else steps - 1
    return samples


def ranks(n, world_size, progress=None):
    samplers = [ShuffledSampler(n, STATE, rank, world_size) for rank in range(world_size)]
    for sampler in samplers:
        if progress is not None:
            sampler.load_state_dict(progress)
    return samplers


def test_the_order_of_an_epoch():
    """sampler 1.1, 1.2 and 3.1"""
    sampler = ShuffledSampler(10, STATE)
    for epoch in range(3):
        child = fold_in(STATE, epoch)
        assert list(sampler) == truth.order(counter_of(child), key_of(child), 10)
        assert sampler.epoch == epoch
    assert all(type(sample) is int for sample in sampler)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 65_536, 65_537, 200_003])
@pytest.mark.parametrize("world_size", [1, 2, 3, 8])
def test_ranks_share_an_epoch(n, world_size):
    """sampler 1.2 to 1.4"""
    samplers = ranks(n, world_size)
    lengths = [len(sampler) for sampler in samplers]
    parts = [list(sampler) for sampler in samplers]
    expected = order(0, n)
    assert parts == [expected[rank::world_size] for rank in range(world_size)]
    assert lengths == [len(part) for part in parts] and max(lengths) - min(lengths) <= 1
    assert [sampler.state_dict() for sampler in samplers] == [{"epoch": 0, "position": n}] * world_size


runs = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 6)), max_size=6)  # (world size, steps before the stop)


@settings(max_examples=60)
@given(st.integers(1, 40), runs, st.integers(1, 5), st.integers(0, 3))
def test_stops_and_other_world_sizes_lose_and_repeat_nothing(n, runs, last, epoch):
    """sampler 2.1 and 2.2"""
    progress, samples = {"epoch": epoch, "position": 0}, []
    for world_size, steps in runs:
        samplers = ranks(n, world_size, progress)
        samples += given_out(samplers, steps)
        progress = samplers[0].state_dict()
        assert progress == {"epoch": epoch, "position": len(samples)}
    samplers = ranks(n, last, progress)
    assert sum(map(len, samplers)) == n - len(samples)
    samples += given_out(samplers)
    assert samples == order(epoch, n)
    assert sorted(given_out(samplers)) == list(range(n)) and {sampler.epoch for sampler in samplers} == {epoch + 1}


@given(st.integers(1, 40), st.integers(0, 40), st.integers(1, 5), st.integers(0, 50))
def test_the_position_of_samples_that_were_used(n, start, world_size, consumed):
    """sampler 2.3: what was asked for in advance does not count."""
    start = min(start, n)
    samplers = ranks(n, world_size, {"epoch": 7, "position": start})
    before = order(7, n)[:start]
    parts = [list(sampler) for sampler in samplers]
    used = [sample for part in parts for sample in part[:consumed]]
    (progress,) = {tuple(sampler.state_dict(consumed=consumed).items()) for sampler in samplers}
    rest = given_out(ranks(n, 3, dict(progress)))
    assert sorted(before + used + rest) == list(range(n))


# Which epoch an iteration takes


def test_an_iteration_that_ends_early_is_begun_again():
    """sampler 3.2"""
    sampler = ShuffledSampler(10, STATE)
    for _ in range(2):
        assert next(iter(sampler)) == order(0, 10)[0]
    sampler.load_state_dict({"epoch": 4, "position": 6})
    for _ in range(2):
        assert next(iter(sampler)) == order(4, 10)[6]
        assert sampler.state_dict() == {"epoch": 4, "position": 7}
    assert list(sampler) == order(4, 10)[6:]
    assert list(sampler) == order(5, 10)


@pytest.mark.parametrize(
    "move, progress",
    [
        (lambda sampler: sampler.set_epoch(1), {"epoch": 1, "position": 0}),
        (lambda sampler: sampler.load_state_dict({"epoch": 0, "position": 3}), {"epoch": 0, "position": 3}),
        (lambda sampler: next(iter(sampler)), {"epoch": 0, "position": 1}),
    ],
)
def test_an_earlier_iteration_does_not_change_the_progress(move, progress):
    """sampler 2.5"""
    sampler = ShuffledSampler(10, STATE)
    earlier = iter(sampler)
    given = [next(earlier), next(earlier)]
    move(sampler)
    given.append(next(earlier))
    assert sampler.state_dict() == progress
    given += earlier
    assert given == order(0, 10) and sampler.state_dict() == progress
    assert len(sampler) == 10 - progress["position"] * (progress["position"] == 3)


def test_progress_at_the_end_of_an_epoch():
    """sampler 3.3: the first iteration gives nothing, so loops over epochs count right."""
    sampler = ShuffledSampler(10, STATE)
    sampler.load_state_dict({"epoch": 4, "position": 10})
    assert len(sampler) == 0 and list(sampler) == [] and sampler.epoch == 4
    assert len(sampler) == 10 and list(sampler) == order(5, 10) and sampler.epoch == 5


def test_set_epoch():
    """sampler 3.4"""
    sampler = ShuffledSampler(10, STATE)
    sampler.load_state_dict({"epoch": 4, "position": 6})
    for epoch in range(4, 7):  # as loops over epochs call it, also after load_state_dict
        sampler.set_epoch(epoch)
        assert len(sampler) == (4 if epoch == 4 else 10)
        assert list(sampler) == order(epoch, 10)[6 if epoch == 4 else 0 :]
    sampler.set_epoch(6)
    assert list(sampler) == order(6, 10)  # asked for again
    sampler.load_state_dict({"epoch": 4, "position": 6})
    sampler.set_epoch(2**64 - 1)
    assert list(sampler) == order(2**64 - 1, 10)
    saved = sampler.state_dict()
    with pytest.raises(ValueError, match=r"^epoch must be in \[0, 2\*\*64\); got 18446744073709551616"):
        iter(sampler)  # there is no epoch after the last one
    assert sampler.state_dict() == saved


@pytest.mark.parametrize("world_size", [2, 3, 20])
def test_ranks_without_a_sample_left(world_size):
    """sampler 3.5: all ranks go to the next epoch together, also those that got fewer samples."""
    samplers = ranks(7, world_size)
    for epoch in range(3):
        assert given_out(samplers) == order(epoch, 7)
        assert {sampler.epoch for sampler in samplers} == {epoch}
    for sampler in samplers:  # as a loader that stops before it is told that there are no more samples
        iterator = iter(sampler)
        for _ in range(len(sampler)):
            next(iterator)
    assert given_out(samplers) == order(4, 7)


# Copies, memory, errors


def test_copies_and_pickles():
    """sampler 4.1"""
    sampler = ShuffledSampler(30, STATE, 1, 2)
    sampler.load_state_dict({"epoch": 3, "position": 8})
    for other in (copy.copy(sampler), copy.deepcopy(sampler), pickle.loads(pickle.dumps(sampler))):
        assert other.state_dict() == {"epoch": 3, "position": 8} and list(other) == order(3, 30)[9::2]
    assert sampler.state_dict() == {"epoch": 3, "position": 8}


def test_the_state_is_copied():
    """sampler 1.1"""
    state = make_state(key=1)
    sampler = ShuffledSampler(10, state)
    expected = list(sampler)
    state[:] = 7
    sampler.set_epoch(0)
    assert list(sampler) == expected
    assert list(ShuffledSampler(10, np.array([[0, 0, 0, 0, 1, 0]], np.uint32))) == expected


def test_an_epoch_of_a_billion_takes_little_memory():
    """sampler 1.5: some 65,536 samples are in memory."""
    sampler = ShuffledSampler(BIG, STATE, 5, 1000)
    assert len(sampler) == -(-(BIG - 5) // 1000)
    next(iter(sampler))
    tracemalloc.start()
    samples = iter(sampler)
    first = [next(samples) for _ in range(3)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first == permutation(fold_in(STATE, 0), BIG, window=slice(5, 3000, 1000)).values.tolist()
    assert peak < 12 << 20
    sampler.load_state_dict({"epoch": 0, "position": BIG - 2001})
    assert list(sampler) == permutation(fold_in(STATE, 0), BIG, window=slice(BIG - 1996, BIG, 1000)).values.tolist()


SAMPLER = ShuffledSampler(10, STATE)
REFUSED = [
    (lambda: ShuffledSampler(0, STATE), ValueError, "n must be in [1, 2**62]; got 0."),
    (lambda: ShuffledSampler(10.0, STATE), TypeError, "n must be an integer; got 10.0 of type float."),
    (lambda: ShuffledSampler(10, 42), TypeError, "state must be a uint32 array or a sequence of 6 ints; got int."),
    (lambda: ShuffledSampler(10, STATE, 2, 2), ValueError, "rank must be in [0, 2); got 2. Ranks count from 0."),
    (lambda: ShuffledSampler(10, STATE, 0, 0), ValueError, "world_size must be at least 1; got 0."),
    (lambda: SAMPLER.set_epoch(-1), ValueError, "epoch must be in [0, 2**64); got -1."),
    (lambda: SAMPLER.state_dict(consumed=-1), ValueError, "consumed must be at least 0; got -1."),
    (lambda: SAMPLER.state_dict(1.5), TypeError, "consumed must be an integer; got 1.5 of type float."),
    (lambda: SAMPLER.load_state_dict([1, 2]), TypeError, "state_dict must be a dict; got [1, 2]. Pass what state_dict() returned."),
    (lambda: SAMPLER.load_state_dict({"epoch": 1}), ValueError, "state_dict must have the keys 'epoch' and 'position' and no other; got {'epoch': 1}."),
    (lambda: SAMPLER.load_state_dict({"epoch": 1, "position": 11}), ValueError, "state_dict['position'] must be in [0, 11); got 11. It is for a larger data set: make the sampler with the same n."),
    (lambda: SAMPLER.load_state_dict({"epoch": 1, "position": None}), TypeError, "state_dict['position'] must be an integer; got None"),
    (lambda: SAMPLER.load_state_dict({"epoch": -1, "position": 0}), ValueError, "state_dict['epoch'] must be in [0, 2**64); got -1."),
]  # fmt: skip


@pytest.mark.parametrize("call, error, wording", REFUSED, ids=[wording[:50] for _, _, wording in REFUSED])
def test_refused_arguments(call, error, wording):
    """sampler 4.2"""
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(wording)
    assert SAMPLER.state_dict() == {"epoch": 0, "position": 0}
