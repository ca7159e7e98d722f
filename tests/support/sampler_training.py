"""A training loop that saves its progress after each batch. test_sampler_torch.py runs it as a process and kills it.

All ranks of a world are loaders of one process, which take their batches in step. All have the same number of batches.
"""

import os
import pickle
import signal
import sys
from importlib import import_module

from dmlrand import ShuffledSampler, make_state

SAMPLES, BATCH, EPOCHS = 103, 4, 3
STATE = make_state(key=42)


def train(path, loader, workers, world_size, die_after):
    """Train to the end, or die in the middle of batch number `die_after` of this process, before its progress is
    saved."""
    saved = load(path)
    samplers = [ShuffledSampler(SAMPLES, STATE, rank, world_size, uneven="drop") for rank in range(world_size)]
    if saved["sampler"]:
        for sampler in samplers:
            sampler.load_state_dict(saved["sampler"])
    loaders = [loader(range(SAMPLES), BATCH, sampler=sampler, num_workers=workers) for sampler in samplers]
    for each, state in zip(loaders, saved["loaders"]):
        each.load_state_dict(state)
    seen = 0
    for epoch in range(saved["epoch"], EPOCHS):
        for batches, step in enumerate(zip(*loaders, strict=True), 1):
            samples = [sample for batch in step for sample in batch.tolist()]
            seen += 1
            if seen == die_after:
                os.kill(os.getpid(), signal.SIGKILL)
            saved["samples"].setdefault(epoch, []).extend(samples)
            saved["epoch"] = epoch
            if not hasattr(loaders[0], "state_dict"):
                saved["sampler"] = samplers[0].state_dict(consumed=BATCH * batches)
            else:
                saved["loaders"] = [each.state_dict() for each in loaders]
            save(path, saved)


def load(path):
    if not os.path.exists(path):
        return {"sampler": None, "loaders": [], "epoch": 0, "samples": {}}
    with open(path, "rb") as file:
        return pickle.load(file)


def save(path, saved):
    with open(path + ".new", "wb") as file:
        pickle.dump(saved, file)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    path, kind, *numbers = sys.argv[1:]
    package = {"DataLoader": "torch.utils.data", "StatefulDataLoader": "torchdata.stateful_dataloader"}[kind]
    train(path, getattr(import_module(package), kind), *map(int, numbers))
