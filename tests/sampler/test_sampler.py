"""ShuffledSampler: every sample of an epoch exactly once, for any number of processes and after any stop."""

import copy
import pickle
from itertools import product

import permutation_oracle as truth
import pytest
from hypothesis import given, settings, strategies as st

from dmlrand import ShuffledSampler, counter_of, fold_in, key_of, make_state, permutation, seed_state

STATE = make_state(counter=5, key=42)


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


def ranks(n, world_size, progress=None, uneven="error"):
    samplers = [ShuffledSampler(n, STATE, rank, world_size, uneven) for rank in range(world_size)]
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


def expected_from(start, epoch, n, world_size, uneven):
    """What the ranks give in turn from a position on: the rest of the order, without or with some samples more."""
    rest, over = order(epoch, n)[start:], (n - start) % world_size
    if over and uneven == "repeat":
        return rest + [order(epoch, n)[i % n] for i in range(world_size - over)]
    assert not over or uneven == "drop"
    return rest[: len(rest) - over]


@pytest.mark.parametrize("n, world_size", [*product((1, 2, 7, 8), (1, 2, 3, 8)), (65_536, 3), (65_536, 8), (65_537, 3)])
@pytest.mark.parametrize("uneven", ["error", "drop", "repeat"])
def test_ranks_share_an_epoch(n, world_size, uneven):
    """sampler 1.2 to 1.4: all ranks are given the same number of samples"""
    if uneven == "error" and n % world_size or uneven == "drop" and n < world_size:
        with pytest.raises(ValueError, match="uneven"):
            ranks(n, world_size, uneven=uneven)
        return
    samplers = ranks(n, world_size, uneven=uneven)
    (length,) = {len(sampler) for sampler in samplers}
    parts = [list(sampler) for sampler in samplers]
    expected = expected_from(0, 0, n, world_size, uneven)
    assert parts == [expected[rank::world_size] for rank in range(world_size)]
    assert {len(part) for part in parts} == {length}
    assert [sampler.state_dict() for sampler in samplers] == [{"epoch": 0, "position": n}] * world_size


runs = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 6)), max_size=6)  # (world size, steps before the stop)


@settings(max_examples=100)
@given(st.integers(5, 40), runs, st.integers(1, 45), st.integers(0, 3), st.sampled_from(["drop", "repeat"]))
def test_stops_and_other_world_sizes(n, runs, last, epoch, uneven):
    """sampler 1.3, 2.1 and 2.2: all samples once, but those that the world size at the end drops or repeats"""
    last = min(last, n) if uneven == "drop" else last
    runs = [*runs, (last, None)]
    progress, samples = {"epoch": epoch, "position": 0}, []
    for world_size, steps in runs:
        samplers = ranks(n, world_size, progress, uneven)
        start = progress["position"]
        expected = expected_from(start, epoch, n, world_size, uneven)
        new = given_out(samplers, steps)
        assert new == (expected if steps is None else expected[: steps * world_size])
        samples += new
        (progress,) = [dict(items) for items in {tuple(sampler.state_dict().items()) for sampler in samplers}]
        at_end = new and new == expected  # a run that gives nothing keeps the position
        assert progress == {"epoch": epoch, "position": n if at_end else start + len(new)}
    assert samples[:n] == order(epoch, n)[: len(samples)]
    assert abs(len(samples) - n) < max(world_size for world_size, _ in runs)
    assert given_out(samplers) == expected_from(0, epoch + 1, n, last, uneven)
    assert {sampler.epoch for sampler in samplers} == {epoch + 1}


@given(
    st.integers(5, 40), st.integers(0, 40), st.integers(1, 5), st.integers(0, 50), st.sampled_from(["drop", "repeat"])
)
def test_the_position_of_samples_that_were_used(n, start, world_size, consumed, uneven):
    """sampler 2.3: what was asked for in advance does not count."""
    start = min(start, n)
    samplers = ranks(n, world_size, {"epoch": 7, "position": start}, uneven)
    expected = expected_from(start, 7, n, world_size, uneven)
    assert given_out(samplers) == expected
    (progress,) = {tuple(sampler.state_dict(consumed=consumed).items()) for sampler in samplers}
    used = expected[: consumed * world_size]
    position = n if consumed and used == expected else start + len(used)
    assert dict(progress) == {"epoch": 7, "position": position}
    assert list(*ranks(n, 1, dict(progress))) == order(7, n)[position:]


@pytest.mark.parametrize("uneven", ["drop", "repeat"])
def test_samples_with_their_epoch(uneven):
    """sampler 1.5"""
    plain = ShuffledSampler(7, STATE, 1, 2, uneven)
    sampler = ShuffledSampler(7, STATE, 1, 2, uneven, with_epoch=True)
    assert [list(sampler) for _ in range(3)] == [[(epoch, index) for index in plain] for epoch in range(3)]
    for each in (plain, sampler):
        each.load_state_dict({"epoch": 2**64 - 1, "position": 3})
    assert list(sampler) == [(2**64 - 1, index) for index in plain]
    assert len(sampler) == len(plain) and sampler.state_dict() == plain.state_dict()
    sampler.set_epoch(3)
    earlier = iter(sampler)
    next(earlier)
    sampler.set_epoch(4)
    assert {epoch for epoch, _ in sampler} == {4} and {epoch for epoch, _ in earlier} == {3}


# Which epoch an iteration takes


@pytest.mark.parametrize(
    "move, progress",
    [
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


def test_set_epoch_beside_an_iteration():
    """sampler 2.5 and 3.4: Lightning calls it after iter(loader), and workers have then asked for samples or not."""
    sampler = ShuffledSampler(10, STATE)
    iterator = iter(sampler)
    sampler.set_epoch(3)
    assert [next(iterator), next(iterator)] == order(3, 10)[:2]
    sampler.set_epoch(5)
    assert sampler.state_dict() == {"epoch": 5, "position": 0}
    assert next(iterator) == order(3, 10)[2]
    assert sampler.epoch == 3 and sampler.state_dict() == {"epoch": 3, "position": 3}
    assert list(iterator) == order(3, 10)[3:] and list(sampler) == order(4, 10)
    next(iter(sampler))
    sampler.set_epoch(9)
    assert list(sampler) == order(9, 10)


def test_progress_at_the_end_of_an_epoch():
    """sampler 3.3: the first iteration gives nothing, so loops over epochs count right."""
    sampler = ShuffledSampler(10, STATE)
    sampler.load_state_dict({"epoch": 4, "position": 10})
    assert list(sampler) == [] and sampler.epoch == 4
    assert list(sampler) == order(5, 10) and sampler.epoch == 5
    sampler.load_state_dict({"epoch": 4, "position": 10})
    iter(sampler)  # StatefulDataLoader does not ask it for a sample
    assert list(sampler) == order(5, 10)


def test_set_epoch():
    """sampler 3.4"""
    sampler = ShuffledSampler(10, STATE)
    sampler.load_state_dict({"epoch": 4, "position": 6})
    for epoch in range(4, 7):  # as loops over epochs call it, also after load_state_dict
        sampler.set_epoch(epoch)
        assert list(sampler) == order(epoch, 10)[6 if epoch == 4 else 0 :]
    sampler.set_epoch(6)
    assert list(sampler) == order(6, 10)  # asked for again
    sampler.load_state_dict({"epoch": 4, "position": 6})
    sampler.set_epoch(2**64 - 1)
    assert list(sampler) == order(2**64 - 1, 10)


# Copies, memory, errors


SAMPLER = ShuffledSampler(10, STATE)
FOUR = ShuffledSampler(8, STATE, 1, world_size=4)
REFUSED = [
    (lambda: ShuffledSampler(0, STATE), ValueError, "n must be in [1, 2**62]; got 0."),
    (lambda: ShuffledSampler(10, 42), TypeError, "state must be a uint32 array or a sequence of 6 ints; got int."),
    (lambda: ShuffledSampler(10, STATE, 2, 2), ValueError, "rank must be in [0, 2); got 2. Ranks count from 0."),
    (lambda: ShuffledSampler(10, STATE, 0, 0), ValueError, "world_size must be at least 1; got 0."),
    (lambda: ShuffledSampler(7, STATE, 0, 3), ValueError, "n must be a multiple of world_size 3, so that all ranks "
        "get the same number of samples; got 7. Pass uneven='drop' to leave out 1 of them, or uneven='repeat' to give "
        "2 samples twice."),
    (lambda: ShuffledSampler(7, STATE, 0, 8, "drop"), ValueError, "n must be at least world_size 8 with "
        "uneven='drop'; got 7. Pass uneven='repeat', or use fewer processes."),
    (lambda: ShuffledSampler(10, STATE, uneven="pad"), ValueError, "uneven must be 'error', 'drop' or 'repeat'; got "
        "'pad'."),
    (lambda: ShuffledSampler(10, STATE, with_epoch=1), TypeError, "with_epoch must be a bool; got 1 of type int."),
    (lambda: SAMPLER.set_epoch(-1), ValueError, "epoch must be in [0, 2**64); got -1."),
    (lambda: SAMPLER.state_dict(consumed=-1), ValueError, "consumed must be at least 0; got -1."),
    (lambda: SAMPLER.load_state_dict({"epoch": 1}), TypeError, "state_dict must be a mapping with the keys 'epoch', "
        "'position' and no other; got {'epoch': 1}."),
    (lambda: SAMPLER.load_state_dict({"epoch": 1, "position": 11}), ValueError, "state_dict['position'] must be in "
        "[0, 11); got 11. It is for a larger data set: make the sampler with the same n."),
    (lambda: FOUR.load_state_dict({"epoch": 1, "position": 7}), ValueError, "n - state_dict['position'] must be a "
        "multiple of world_size 4, so that all ranks get the same number of samples; got 1. Pass uneven='drop' to "
        "leave out 1 of them, or uneven='repeat' to give 3 samples twice."),
    (lambda: SAMPLER.load_state_dict({"epoch": -1, "position": 0}), ValueError, "state_dict['epoch'] must be in [0, "
        "2**64); got -1."),
]  # fmt: skip


@pytest.mark.parametrize("call, error, wording", REFUSED, ids=[wording[:50] for _, _, wording in REFUSED])
def test_refused_arguments(call, error, wording):
    """sampler 1.3 and 4.2"""
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(wording)
    assert SAMPLER.state_dict() == FOUR.state_dict() == {"epoch": 0, "position": 0}


def test_a_seed_in_place_of_a_state():
    """sampler 1.1"""
    assert list(ShuffledSampler(10, seed=7)) == list(ShuffledSampler(10, seed_state(7)))
    with pytest.raises(TypeError, match="^exactly one of state and seed must be given; got neither."):
        ShuffledSampler(10)


@pytest.mark.parametrize("uneven, world_size", [("drop", 2), ("drop", 3), ("drop", 7), ("repeat", 3), ("repeat", 20)])
def test_all_ranks_take_the_same_epochs(uneven, world_size):
    """sampler 3.5"""
    samplers = ranks(7, world_size, uneven=uneven)
    for epoch in range(3):
        assert given_out(samplers) == expected_from(0, epoch, 7, world_size, uneven)
        assert {sampler.epoch for sampler in samplers} == {epoch}
    for sampler in samplers:  # as a loader that stops before it is told that there are no more samples
        iterator = iter(sampler)
        for _ in range(len(sampler)):
            next(iterator)
    assert given_out(samplers) == expected_from(0, 4, 7, world_size, uneven)


def test_copies_and_pickles():
    """sampler 4.1"""
    sampler = ShuffledSampler(31, STATE, 1, 2, "repeat", with_epoch=True)
    sampler.load_state_dict({"epoch": 3, "position": 8})
    for other in (copy.copy(sampler), copy.deepcopy(sampler), pickle.loads(pickle.dumps(sampler))):
        assert other.state_dict() == {"epoch": 3, "position": 8} and list(other) == [
            (3, index) for index in [*order(3, 31)[9::2], order(3, 31)[0]]
        ]
    assert sampler.state_dict() == {"epoch": 3, "position": 8}
