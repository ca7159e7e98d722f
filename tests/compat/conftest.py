"""Fixtures. Live tests have new cases in every run: the seed is printed, and DMLRAND_PEERS_SEED=... repeats a run."""

import os
import random
import secrets

import pytest


@pytest.fixture
def chance(request):
    """A random source of cases, one for each test."""
    seed = int(os.environ.get("DMLRAND_PEERS_SEED", secrets.randbits(64)))
    print(f"DMLRAND_PEERS_SEED={seed}")  # pytest shows it with a failure, and always with -s
    return random.Random(f"{seed} {request.node.name}")


@pytest.fixture
def no_global_seed():
    """compat.tensorflow has no global seed when the test begins, and none afterwards."""
    from dmlrand.compat.tensorflow import set_seed

    set_seed(None)
    yield
    set_seed(None)
