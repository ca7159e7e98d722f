"""The recipes of the README's section "Training with PyTorch". Those that save are killed with -9 and resumed."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from textwrap import indent

import pytest
from paths import PACKAGE_PARENT, ROOT
from systems import posix
from waiting import LIMIT, Process, wait_until

import dmlrand

pytestmark = pytest.mark.peers
torch = pytest.importorskip("torch")

SECTION = (ROOT / "README.md").read_text("utf-8").partition("\n## Training with PyTorch\n")[2].partition("\n## ")[0]


def recipe(title):
    """The code under a title of the section."""
    found = re.search(rf"^\*\*{title}\.\*\*.*?^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    assert found, f"the README has no recipe {title!r} in its section 'Training with PyTorch'"
    return found[1]


IMPORTS = """
import os, sys, time
import torch
import dmlrand
from dmlrand import *
"""


def names_of(title):
    """The names that a recipe defines."""
    names = {}
    exec(IMPORTS + recipe(title), names)
    return names


def script(folder, *parts):
    path = folder / "loop.py"
    path.write_text(IMPORTS + "".join(parts))
    return path


def environment():
    return os.environ | {"PYTHONPATH": PACKAGE_PARENT}


def run(path, *arguments):
    """Run a loop to its end."""
    done = subprocess.run(
        [sys.executable, path, *map(str, arguments)],
        cwd=path.parent, env=environment(), capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def kill_after(steps, path, *arguments):
    """Start a loop and kill it and its workers once it has saved `steps` times more."""
    log = path.parent / "steps"
    before = log.stat().st_size if log.exists() else 0
    with open(path.parent / "errors", "wb") as errors:
        process = Process(
            [sys.executable, path, *map(str, arguments)],
            cwd=path.parent, env=environment(), stderr=errors, start_new_session=True,
        )  # fmt: skip
        wait_until(lambda: process.poll() is not None or log.exists() and log.stat().st_size >= before + steps)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(timeout=LIMIT) == -signal.SIGKILL, (path.parent / "errors").read_text()


# A step that is saved takes long enough to be killed in its middle.
LOG_STEPS = """
def log_step():
    with open("steps", "a") as file:
        file.write("s")
    time.sleep(0.02)
"""


def test_tensors_are_shared():
    names = names_of("Share memory")
    assert names["tensor"].data_ptr() == names["values"].ctypes.data
    second = dmlrand.normal(dmlrand.normal(dmlrand.make_state(key=42), (2, 3)).state, (2, 3)).values
    assert names["tensor"].tolist() == names["values"].tolist() == second.tolist()


@posix("SIGKILL")
def test_a_loop_that_is_killed_ends_with_the_same_model(tmp_path):
    setup = (
        LOG_STEPS
        + """
model = torch.nn.Linear(4, 1)
torch.nn.init.ones_(model.weight), torch.nn.init.zeros_(model.bias)
optimizer = torch.optim.Adam(model.parameters(), 0.01)
def train(model, optimizer, x):
    log_step()
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
"""
    )
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir(), killed.mkdir()
    run(script(whole, setup, recipe("Resume a loop")))
    path = script(killed, setup, recipe("Resume a loop"))
    for steps in (30, 1, 40):
        kill_after(steps, path)
    run(path)
    expected, got = (torch.load(folder / "loop.pt", weights_only=True) for folder in (whole, killed))
    assert got["step"] == expected["step"] == 100 and got["stream"] == expected["stream"]
    assert [tensor.tolist() for tensor in got["model"].values()] == [
        tensor.tolist() for tensor in expected["model"].values()
    ]


def test_augmented_samples_do_not_depend_on_the_workers():
    """Workers that stay between the epochs draw other numbers in each epoch too."""
    items = torch.arange(60.0).reshape(20, 3)
    dataset = names_of("Augment samples in workers")["Augmented"](items, dmlrand.Stream(seed=1))
    seen = []
    for workers in (0, 1, 3):
        sampler = dmlrand.ShuffledSampler(20, dmlrand.make_state(key=2), with_epoch=True)
        loader = torch.utils.data.DataLoader(
            dataset, batch_size=3, sampler=sampler, num_workers=workers, persistent_workers=workers > 0
        )
        for _ in range(2):
            numbers = torch.zeros(20, 3)
            for indices, batch in loader:
                numbers[indices] = batch
            seen.append(numbers)
    assert not (seen[0] == seen[1]).any()
    assert all((numbers == seen[i % 2]).all() for i, numbers in enumerate(seen))
    assert torch.cat(seen[:2]).unique().numel() == 120


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_workers_that_share_a_stream_warn_and_repeat(tmp_path):
    """stream 19: the remedy that the warning names gives other words."""
    program = """
class Items(torch.utils.data.Dataset):
    def __init__(self, remedy):
        self.stream, self.own, self.remedy = Stream(seed=1), None, remedy
    def __len__(self):
        return 4
    def __getitem__(self, index):
        if self.remedy and self.own is None:
            self.own = self.stream.fold_in(torch.utils.data.get_worker_info().id)
        return int((self.own or self.stream).words())
words = [number for batch in torch.utils.data.DataLoader(Items("remedy" in sys.argv), num_workers=2,
         multiprocessing_context="fork") for number in batch.tolist()]
assert len(set(words)) == (4 if "remedy" in sys.argv else 2), words
"""
    path = script(tmp_path, program)
    warned = run(path)
    assert warned.count("RuntimeWarning: this Stream was made before the process was forked") == 2
    assert f"{path}:" in warned and "return int((self.own or self.stream).words())" in warned
    assert "RuntimeWarning" not in run(path, "remedy")


COUNTING = """
rank, world_size, workers = 0, 1, int(sys.argv[1])
items = torch.zeros(37, 2)
class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("samples", torch.zeros(3, 37, dtype=torch.int64))
        self.register_buffer("numbers", torch.zeros(3, 37, 2))
model = Counts()
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
def train(model, optimizer, indices, batch):
    log_step()
    optimizer.zero_grad()
    (batch @ model.weights).square().mean().backward()
    optimizer.step()
    for index, numbers in zip(indices, batch):
        model.samples[epoch, index] += 1
        model.numbers[epoch, index] = numbers
"""


@posix("SIGKILL")
def test_a_shuffled_loop_that_is_killed_ends_with_the_same_model(tmp_path, monkeypatch):
    """Three epochs of 10 batches, killed three times and resumed with other workers, which stay for all epochs."""
    setup = LOG_STEPS + recipe("Augment samples in workers") + COUNTING
    loop = recipe("Shuffle, and resume with other workers and ranks")
    start = 'if __name__ == "__main__":\n    torch.multiprocessing.set_start_method(sys.argv[2])\n'
    path = script(tmp_path, setup, start, indent(loop, "    "))
    for steps, *workers in ((4, 0, "fork"), (9, 2, "fork"), (8, 2, "spawn")):
        kill_after(steps, path, *workers)
    run(path, 1, "spawn")
    saved = torch.load(tmp_path / "loop.pt", weights_only=True)
    assert (saved["model"]["samples"] == 1).all()
    for epoch in range(3):
        for index in range(37):
            stream = dmlrand.Stream(seed=1).fold_in(epoch).fold_in(index)
            assert saved["model"]["numbers"][epoch, index].tolist() == stream.normal(2).tolist()
    whole = tmp_path / "whole"
    whole.mkdir()
    monkeypatch.chdir(whole)
    monkeypatch.setattr(sys, "argv", ["loop.py", "0"])
    exec(IMPORTS + setup + loop, {})
    expected = torch.load(whole / "loop.pt", weights_only=True)
    assert saved["sampler"] == expected["sampler"] == {"epoch": 2, "position": 37}
    assert saved["model"]["weights"].tolist() == expected["model"]["weights"].tolist() != [1, 1]
    assert str(saved["optimizer"]) == str(expected["optimizer"])


def test_a_shuffled_loop_goes_on_in_another_world(tmp_path, monkeypatch):
    """sampler 1.6, 2.6: 2 ranks train 3 batches each, then 3 ranks go on from what rank 0 saved, in one process."""
    monkeypatch.chdir(tmp_path)
    used, stream = Counter(), dmlrand.Stream(seed=1).fold_in(0)

    class Stop(Exception):
        pass

    def train_rank(rank, world_size, saved, batches_left):
        def train(model, optimizer, indices, batch):
            nonlocal batches_left
            if batches_left == 0 or names["epoch"] > 0:
                raise Stop
            batches_left -= 1
            used.update(indices.tolist())
            assert batch.tolist() == [stream.fold_in(index).normal(2).tolist() for index in indices.tolist()]

        for old in tmp_path.glob("loop.pt"):
            old.unlink()
        if saved is not None:
            torch.save(saved, "loop.pt")
        names = {"rank": rank, "world_size": world_size, "workers": 0, "items": torch.zeros(37, 2), "train": train}
        names["model"] = torch.nn.Linear(1, 1)
        names["optimizer"] = torch.optim.SGD(names["model"].parameters())
        with pytest.raises(Stop):
            exec(
                IMPORTS
                + recipe("Augment samples in workers")
                + recipe("Shuffle, and resume with other workers and ranks"),
                names,
            )
        return torch.load("loop.pt", weights_only=True) if rank == 0 else None

    saved, _ = [train_rank(rank, 2, None, 3) for rank in range(2)]
    assert used.total() == 24 and set(used.values()) == {1}
    for rank in range(3):
        train_rank(rank, 3, saved, 100)
    order = dmlrand.permutation(dmlrand.fold_in(dmlrand.make_state(key=2), 0), 37).values.tolist()
    assert used == Counter(order[:36])  # 13 were left, and 3 ranks cannot share the last one


def test_the_mask_of_the_backward_pass_is_that_of_the_forward_pass():
    names = names_of("Draw a dropout mask again in the backward pass")
    stream = dmlrand.Stream(seed=3)
    x = torch.ones(40, 50, dtype=torch.float64, requires_grad=True)
    first, second = names["dropout"](x, stream, 0.25), names["dropout"](x, stream, 0.25)
    assert not torch.equal(first, second)
    (gradient,) = torch.autograd.grad(first.sum(), x)
    assert torch.equal(gradient, first.detach())  # x is 1, so both are the mask / (1 - p)
    assert set(first.unique().tolist()) == {0, 1 / 0.75} and 0.7 < (first > 0).double().mean() < 0.8
    for p in (-0.5, 1.5, float("nan")):
        with pytest.raises(ValueError, match="^p must be "):
            names["dropout"](x, stream, p)
    state = dmlrand.make_state(key=5)
    assert torch.autograd.gradcheck(
        lambda x: names["Dropout"].apply(x, state, 0.25), x[:3, :3].detach().requires_grad_()
    )


def test_the_forward_pass_keeps_no_tensor_as_large_as_the_mask():
    names = names_of("Draw a dropout mask again in the backward pass")
    kept = []
    x = torch.ones(1000, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        y = names["dropout"](x, dmlrand.Stream(seed=3))
    assert kept == [] and y.grad_fn.state.nbytes == 24


def test_answers_do_not_depend_on_the_order_of_requests():
    answer = names_of("One stream for each request")["answer"]
    requests = [f"user {user}, message {message}" for user in range(20) for message in range(5)]
    expected = {request: answer(request, 8).tolist() for request in requests}
    assert len({tuple(values) for values in expected.values()}) == 100
    with ThreadPoolExecutor(4) as pool:
        answers = dict(
            zip(reversed(requests), pool.map(lambda request: answer(request, 8).tolist(), reversed(requests)))
        )
    assert answers == expected
