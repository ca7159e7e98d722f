"""For live tests: cases that are new in every run. The seed is printed; DMLRAND_PEERS_SEED=... repeats a run."""

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
