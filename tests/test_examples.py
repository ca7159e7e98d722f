"""The programs of `dmlrand example`: each runs as printed; trainings are killed with -9 and resumed. cli 18"""

import os
import pickle
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import ENVIRONMENT
from paths import PACKAGE, SUPPORT
from systems import posix
from thinning import with_costly
from waiting import LIMIT, Process, wait_until

import dmlrand
from dmlrand.cli import main
from dmlrand.cli.draw import read_examples

EXAMPLES = read_examples()
IN_TEST_EXTRA = {"dask", "matplotlib", "onnx", "wgpu", "zarr"}


def needs_of(name):
    """The packages that an example names in its first line."""
    found = re.search(r'Needs: pip install ([\w \-]+)\.(?:""")?$', EXAMPLES[name].splitlines()[0])
    return found[1].split() if found else []


FOREIGN = [name for name in EXAMPLES if not IN_TEST_EXTRA.issuperset(needs_of(name))]


# The command


def test_the_command_lists_and_prints_every_program(capsys):
    """cli 18"""
    assert main(["example"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(EXAMPLES) and len(lines) >= 10
    assert max(map(len, lines)) <= 120
    for line, (name, text) in zip(lines, EXAMPLES.items()):
        assert re.fullmatch(r'"""\w.*?\.(?: Needs: pip install [\w \-]+\.)?(?:""")?', text.splitlines()[0]), name
        assert line.endswith(text.splitlines()[0].strip('"'))
        path = PACKAGE / "examples" / (name.replace("-", "_") + ".py")
        for spelling in (name, path.name):
            assert main(["example", spelling]) == 0
            assert capsys.readouterr().out == path.read_text("utf-8") == text


# Programs without a training


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, **constants):
    """Write a program into the current folder, with other values of its constants."""
    path, text = Path(name.replace("-", "_") + ".py"), EXAMPLES[name]
    for constant, value in constants.items():
        names, values = re.search(rf"^(.*\b{constant}\b.*) = (\d[\d, ]*)", text, re.MULTILINE).groups()
        new = [str(value) if each == constant else old for each, old in zip(names.split(", "), values.split(", "))]
        text = text.replace(f"{names} = {values}", f"{names} = {', '.join(new)}")
    path.write_text(text, encoding="utf-8")
    return path


LONG = ["dask-arrays", "gpu", "numba-parallel"]


@pytest.mark.parametrize("name", with_costly([name for name in EXAMPLES if name not in FOREIGN + LONG], LONG))
def test_a_program_runs(name, folder, capsys):
    for package in needs_of(name):
        pytest.importorskip(package)
    runpy.run_path(write(name), run_name="__main__")
    printed, errors = capsys.readouterr()
    assert errors == "" and printed and "False" not in printed.replace("varies=False", "")


@pytest.mark.peers
@pytest.mark.parametrize("name", sorted(FOREIGN))
def test_a_program_that_needs_more_packages_runs(name, folder):
    """In a process of its own. A training ends with a small loss."""
    for package in needs_of(name):
        pytest.importorskip(package)
    if name == "spark-rows" and not shutil.which("java"):
        pytest.skip("Spark needs a Java")
    environment = ENVIRONMENT | ranks_of_one_machine(1)[0]
    done = subprocess.run(
        [sys.executable, write(name)], env=environment, capture_output=True, text=True, timeout=LIMIT
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if name.startswith("train"):
        assert re.fullmatch(r"loss 0\.[012]\d+", done.stdout.splitlines()[-1])
    else:
        assert "True" in done.stdout and "False" not in done.stdout


# Trainings


def ranks_of_one_machine(ranks):
    """The environment of each rank, as torchrun and accelerate make it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
    return [shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(ranks)]


def train(program, ranks=1, method="fork", kill_after=None):
    """Run a training to its end, or kill all its processes once rank 0 has taken `kill_after` steps more."""
    log = Path("steps.0")
    before = log.stat().st_size if log.exists() else 0
    processes = []
    with open("errors", "wb") as errors:
        for variables in ranks_of_one_machine(ranks):
            # Without variables for ranks, accelerate and Lightning run one process.
            environment = ENVIRONMENT | (variables if ranks > 1 else {"OMP_NUM_THREADS": "1"})
            if program.name == "train_ddp.py":
                environment |= variables
            processes.append(
                Process(
                    [sys.executable, SUPPORT / "killable_training.py", program, method],
                    env=environment,
                    stdout=errors,
                    stderr=errors,
                    start_new_session=True,
                )  # fmt: skip
            )
        if kill_after is not None:
            wait_until(
                lambda: (
                    any(process.poll() is not None for process in processes)
                    or (log.exists() and log.stat().st_size >= before + kill_after)
                )
            )
            for process in [process for process in processes if process.poll() is None]:
                os.killpg(process.pid, signal.SIGKILL)
        codes = [process.wait(timeout=LIMIT) for process in processes]
    assert codes == [0 if kill_after is None else -signal.SIGKILL] * ranks, Path("errors").read_text()


def bits(saved):
    """What a file of torch.save holds, with the bytes of each tensor."""
    if isinstance(saved, dict):
        return {name: bits(part) for name, part in saved.items()}
    if isinstance(saved, (list, tuple)):
        return [bits(part) for part in saved]
    return saved.numpy().tobytes() if hasattr(saved, "numpy") else saved


def result_of(name):
    """The weights, the optimizer and the progress at the end of a training, bit for bit."""
    torch = pytest.importorskip("torch")
    path = "lightning/saved.ckpt" if name == "train-lightning" else name.replace("-", "_") + ".pt"
    saved = torch.load(path, weights_only=False)
    if name == "train-lightning":
        saved = {part: saved[part] for part in ("state_dict", "optimizer_states", "noise", "global_step")}
    return bits(saved)


# A kill in the middle of an epoch also shows a position that counts samples loaded in advance.
# Each run is (the ranks, the steps until it is killed, constants of the program that differ, how workers are started).
KILLED = {
    "train": [(1, 30, {}, "fork"), (1, 1, {}, "fork"), (1, 17, {}, "fork"), (1, None, {}, "fork")],
    "train-ddp": [(2, 4, {"WORKERS": 0}, "fork"), (2, 6, {}, "fork"), (2, None, {"WORKERS": 1}, "spawn")],
    "train-lightning": [(1, 8, {}, "fork"), (1, 14, {}, "fork"), (1, None, {}, "fork")],
    "train-accelerate": [(1, 9, {}, "fork"), (1, 15, {}, "fork"), (1, None, {}, "fork")],
}


@posix("SIGKILL")
@pytest.mark.peers
@pytest.mark.parametrize("name", KILLED)
def test_a_training_that_is_killed_ends_with_the_same_bits(name, folder, monkeypatch):
    """101 samples are no multiple of the ranks, and other workers may resume."""
    for package in needs_of(name):
        pytest.importorskip(package)
    for ranks, steps, constants, method in KILLED[name]:
        train(write(name, **constants), ranks, method, steps)
    result = result_of(name)
    (folder / "whole").mkdir()
    monkeypatch.chdir(folder / "whole")
    train(write(name), ranks)
    assert result == result_of(name)
    killed, whole = ((path / "steps.0").stat().st_size for path in (folder, folder / "whole"))
    assert killed >= whole  # a step that was not saved before a kill is taken again


def batches_of(rank):
    """(epoch, inputs) of the batches that a rank was given, in order."""
    with open(f"batches.{rank}", "rb") as file:
        while file.peek(1):
            yield pickle.load(file)


def used_samples(rank, stop, batch):
    """The inputs of the samples that a rank used before it was killed, up to the batch that was saved last."""
    used, left = [], dict(stop)
    for epoch, inputs in batches_of(rank):
        if left.get(epoch, 0) > 0:
            left[epoch] -= 1
            used += [(epoch, *map(float, row)) for row in inputs]
    assert set(left.values()) == {0}
    return used


@posix("SIGKILL")
@pytest.mark.peers
@pytest.mark.parametrize("name", ["train-ddp", "train-accelerate"])
def test_another_number_of_ranks_resumes(name, folder):
    """sampler 1.3, 1.5, 2.2 and 2.6: each sample of an epoch is used once, or left out at its end."""
    for package in needs_of(name):
        pytest.importorskip(package)
    constants = re.search(r"^SAMPLES, BATCH, EPOCHS.* = (\d+), (\d+), (\d+)", EXAMPLES[name], re.MULTILINE)
    samples, batch, epochs = map(int, constants.groups())
    used, start = Counter(), {"epoch": 0, "position": 0}
    for ranks, steps in ((2, 7), (3, 12), (1, None)):
        train(write(name), ranks, "fork", steps)
        saved = result_of(name)["sampler"]
        batches = {}  # how many batches of each epoch each rank has used in this run
        for epoch in range(start["epoch"], saved["epoch"] + 1):
            first = start["position"] if epoch == start["epoch"] else 0
            last = saved["position"] if epoch == saved["epoch"] else samples
            batches[epoch] = -(-((last - first) // ranks) // batch)
        for rank in range(ranks):
            used.update(used_samples(rank, batches, batch))
            os.remove(f"batches.{rank}")
        start = saved
    assert start == {"epoch": epochs - 1, "position": samples}
    inputs, noise = dmlrand.Stream(seed=1).normal((samples, 4)), dmlrand.Stream(seed=2)
    scale = np.float32(0.01 if name == "train-ddp" else 0)
    expected = {
        (epoch, *(inputs[index] + scale * noise.fold_in(epoch).fold_in(index).normal(4)).tolist())
        for epoch in range(epochs)
        for index in range(samples)
    }
    assert set(used.values()) == {1} and used.keys() <= expected
    assert len(expected) - len(used) <= 2 * epochs and len(expected) == samples * epochs
