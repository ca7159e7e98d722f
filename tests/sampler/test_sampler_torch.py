"""ShuffledSampler with the DataLoader of PyTorch and the StatefulDataLoader of torchdata, killed and resumed."""

import os
import sys
import warnings
from pathlib import Path

import pytest
from paths import PACKAGE_PARENT
from systems import posix
from waiting import LIMIT, Process

from dmlrand import ShuffledSampler, fold_in, permutation

pytestmark = pytest.mark.peers
torch = pytest.importorskip("torch")
training = pytest.importorskip("sampler_training")


def order(epoch):
    return permutation(fold_in(training.STATE, epoch), training.SAMPLES).values.tolist()


def run(path, kind, workers, world_size, die_after=0):
    """The exit code of a training process. Its output goes to a file, because its workers outlive it by seconds."""
    command = [sys.executable, training.__file__, *map(str, (path, kind, workers, world_size, die_after))]
    paths = os.pathsep.join([PACKAGE_PARENT, os.path.dirname(training.__file__), os.environ.get("PYTHONPATH", "")])
    with open(f"{path}.log", "ab") as log:
        process = Process(command, env=os.environ | {"PYTHONPATH": paths}, stdout=log, stderr=log)
        return process.wait(timeout=LIMIT)


def assert_every_sample_was_used_once(path, world_size=1):
    """Except the last ones of an epoch's order, fewer than the largest number of ranks: uneven is "drop"."""
    samples = training.load(str(path))["samples"]
    assert sorted(samples) == list(range(training.EPOCHS))
    for epoch, used in samples.items():
        assert training.SAMPLES - world_size < len(used) <= training.SAMPLES
        assert sorted(used) == sorted(order(epoch)[: len(used)]), epoch
    return samples


@posix("SIGKILL")
@pytest.mark.parametrize(
    "runs",
    [
        [(0, 1, 4), (2, 1, 30), (3, 1, 9), (1, 1, 0)],
        [(2, 2, 5), (1, 3, 12), (0, 5, 3), (2, 4, 0)],
    ],
    ids=["other workers", "other world sizes"],
)
def test_a_loop_that_is_killed_resumes_with_other_workers_and_ranks(runs, tmp_path):
    """sampler 1.3, 2.2, 2.3 and 3.3: each run is (workers, world size, batches until kill -9; 0 is to the end)."""
    path = tmp_path / "progress"
    codes = [run(path, "DataLoader", *arguments) for arguments in runs]
    assert codes == [-9 if die_after else 0 for _, _, die_after in runs], Path(f"{path}.log").read_text()
    assert_every_sample_was_used_once(path, max(world_size for _, world_size, _ in runs))


@posix("SIGKILL")
@pytest.mark.parametrize("workers", [0, 3])
def test_a_stateful_loader_that_is_killed_resumes(workers, tmp_path):
    """sampler 2.4 and 3.3"""
    pytest.importorskip("torchdata")
    path = tmp_path / "progress"
    per_epoch = -(-training.SAMPLES // training.BATCH)
    kills = [5, per_epoch - 4 + 1, per_epoch + 1]  # in the middle, and in the first batch after an epoch
    codes = [run(path, "StatefulDataLoader", workers, 1, die_after) for die_after in [*kills, 0]]
    assert codes == [-9, -9, -9, 0], Path(f"{path}.log").read_text()
    samples = assert_every_sample_was_used_once(path)
    assert samples == {epoch: order(epoch) for epoch in range(training.EPOCHS)}


def stateful_loader(size, workers, batch=4):
    from torchdata.stateful_dataloader import StatefulDataLoader

    sampler = ShuffledSampler(size, training.STATE)
    return sampler, StatefulDataLoader(range(size), batch, sampler=sampler, num_workers=workers)


CASES = [(0, 10, False), (0, 12, False), (0, 10, True), (0, 12, True), (2, 10, False), (2, 12, True)]


@pytest.mark.parametrize("workers, size, set_epoch", CASES)
def test_the_state_of_a_stateful_loader_after_any_batch(workers, size, set_epoch):
    """sampler 1.4, 2.4, 3.3 and 3.4: after each batch of two epochs, and after the end of each."""
    pytest.importorskip("torchdata", reason="torchdata is not installed")
    orders = [permutation(fold_in(training.STATE, epoch), size).values.tolist() for epoch in range(3)]
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


@pytest.mark.parametrize("kind", ["DataLoader", "StatefulDataLoader"])
def test_a_count_that_includes_samples_asked_for_in_advance_warns(kind):
    """sampler 2.3: not if no workers run, and not where torchdata asks."""
    package = {
        "DataLoader": torch.utils.data,
        "StatefulDataLoader": pytest.importorskip("torchdata.stateful_dataloader"),
    }[kind]
    for workers in (0, 2):
        sampler = ShuffledSampler(40, seed=7)
        loader = getattr(package, kind)(range(40), 4, sampler=sampler, num_workers=workers)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            batches = iter(loader)
            next(batches)
            saved = sampler.state_dict() if kind == "DataLoader" else loader.state_dict()
            assert sampler.state_dict(consumed=4) == {"epoch": 0, "position": 4}
        messages = [str(each.message) for each in caught if each.filename == __file__ or "sampler" in each.filename]
        assert saved and bool(messages) == (workers > 0 and kind == "DataLoader")
        assert all(
            message.endswith(
                "Pass consumed, the number of samples used in this process since the epoch's "
                "iteration began: batches * batch_size."
            )
            for message in messages
        )


@pytest.mark.parametrize("workers", [0, 2])
def test_epochs_of_a_data_loader(workers):
    """sampler 3.1, 3.2 and 4.3: also after a look at the first batch."""
    sampler = ShuffledSampler(training.SAMPLES, training.STATE)
    loader = torch.utils.data.DataLoader(range(training.SAMPLES), training.BATCH, sampler=sampler, num_workers=workers)
    for epoch in range(2):
        expected = order(epoch)
        assert next(iter(loader)).tolist() == expected[: training.BATCH]
        assert [sample for batch in loader for sample in batch.tolist()] == expected
        assert sampler.state_dict() == {"epoch": epoch, "position": training.SAMPLES}  # it ran here, not in a worker
    assert len(loader) == -(-training.SAMPLES // training.BATCH)
