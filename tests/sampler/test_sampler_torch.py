"""ShuffledSampler with the DataLoader of PyTorch and the StatefulDataLoader of torchdata."""

import warnings

import pytest

from dmlrand import ShuffledSampler, fold_in, make_state, permutation

pytestmark = pytest.mark.peers
torch = pytest.importorskip("torch")

SAMPLES, BATCH = 103, 4
STATE = make_state(key=42)


def order(epoch):
    return permutation(fold_in(STATE, epoch), SAMPLES).values.tolist()


def stateful_loader(size, workers, batch=4):
    from torchdata.stateful_dataloader import StatefulDataLoader

    sampler = ShuffledSampler(size, STATE)
    return sampler, StatefulDataLoader(range(size), batch, sampler=sampler, num_workers=workers)


CASES = [(0, 10, False), (0, 12, False), (0, 10, True), (0, 12, True), (2, 10, False), (2, 12, True)]


@pytest.mark.parametrize("workers, size, set_epoch", CASES)
def test_the_state_of_a_stateful_loader_after_any_batch(workers, size, set_epoch):
    """sampler 1.4, 2.4, 3.3 and 3.4: after each batch of two epochs, and after the end of each."""
    pytest.importorskip("torchdata", reason="torchdata is not installed")
    orders = [permutation(fold_in(STATE, epoch), size).values.tolist() for epoch in range(3)]
    stops = [(epoch, batch) for epoch in (0, 1) for batch in ((1, 2, 3, None) if workers == 0 else (1, 3, None))]
    for stop_epoch, stop_batch in stops:  # None: when the loop over the batches has ended
        sampler, loader = stateful_loader(size, workers)
        used, saved = {}, None
        for epoch in range(stop_epoch + 1):
            if set_epoch:
                sampler.set_epoch(epoch)
            for number, batch in enumerate(loader, 1):
                used.setdefault(epoch, []).extend(batch.tolist())
                if (epoch, number) == (stop_epoch, stop_batch):
                    saved = loader.state_dict()
                    break
        first = stop_epoch if saved else stop_epoch + 1
        saved = saved or loader.state_dict()
        sampler, loader = stateful_loader(size, workers)
        loader.load_state_dict(saved)
        for epoch in range(first, 3):
            if set_epoch:
                sampler.set_epoch(epoch)
            for batch in loader:
                used.setdefault(epoch, []).extend(batch.tolist())
                assert len(loader) == 3  # also in the rest of an epoch
        assert used == dict(enumerate(orders)), (stop_epoch, stop_batch)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_count_that_includes_samples_asked_for_in_advance_warns(workers):
    """sampler 2.3: not if no workers run, and not where torchdata asks."""
    stateful = pytest.importorskip("torchdata.stateful_dataloader")
    for package, expected in ((torch.utils.data.DataLoader, workers > 0), (stateful.StatefulDataLoader, False)):
        sampler = ShuffledSampler(40, seed=7)
        loader = package(range(40), 4, sampler=sampler, num_workers=workers)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            batches = iter(loader)
            next(batches)
            assert loader.state_dict() if hasattr(loader, "state_dict") else sampler.state_dict()
            assert sampler.state_dict(consumed=4) == {"epoch": 0, "position": 4}
        warned = [each for each in caught if "Pass consumed, the number of samples used" in str(each.message)]
        assert bool(warned) == expected


@pytest.mark.parametrize("workers", [0, 2])
def test_epochs_of_a_data_loader(workers):
    """sampler 3.1, 3.2 and 4.3: also after a look at the first batch."""
    sampler = ShuffledSampler(SAMPLES, STATE)
    loader = torch.utils.data.DataLoader(range(SAMPLES), BATCH, sampler=sampler, num_workers=workers)
    for epoch in range(2):
        expected = order(epoch)
        assert next(iter(loader)).tolist() == expected[: BATCH]
        assert [sample for batch in loader for sample in batch.tolist()] == expected
        assert sampler.state_dict() == {"epoch": epoch, "position": SAMPLES}  # it ran here, not in a worker
    assert len(loader) == -(-SAMPLES // BATCH)
