"""Dask arrays on real clusters: several processes, a worker killed in mid-run, more than memory. specs/dask.md, 4"""

import itertools
import os
import signal
import zlib
from importlib.util import find_spec

import numpy as np
import pytest
from systems import POSIX, not_on_wine
from waiting import LIMIT, wait_until

import dmlrand
from dmlrand import dask, make_state, random_window

pytestmark = pytest.mark.skipif(not find_spec("distributed"), reason="distributed is not installed (extra `dask`)")

KILL = signal.SIGKILL if POSIX else signal.SIGTERM  # which on Windows ends a process at once
clusters = not_on_wine("a clock as coarse as Windows': distributed waits for five equal readings of it in a row")
CARRY = make_state(counter=2**64 - 9, key=7)  # its tensors cross a carry into counter word 2


@pytest.fixture
def start_cluster():
    """Starts clusters of processes with one thread each, and stops them after the test."""
    import distributed

    started = []

    def start(workers):
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
        )
        started.append(cluster)
        started.append(client := distributed.Client(cluster))
        return client

    yield start
    for each in reversed(started):
        each.close()


def pids_of(client):
    """Worker addresses and their process ids."""
    return client.run(os.getpid)


def checksum(block):
    return np.array([zlib.crc32(block)], np.uint32)


def checksums(values):
    """A Dask array of the CRC of every chunk of a 1-D array."""
    return values.map_blocks(checksum, dtype=np.uint32, chunks=(1,))


def checksums_here(state, chunks, size):
    return [zlib.crc32(random_window(state, chunks * size, np.s_[i * size : (i + 1) * size])) for i in range(chunks)]


def finished(futures):
    return sum(future.status == "finished" for future in futures)


def result_of(client, array):
    """array.compute() of a persisted array, with a limit on the wait."""
    return client.compute(array).result(LIMIT)


def kill_in_mid_run(client, state, chunks, size, kills):
    """Compute the checksums of all chunks and kill a worker `kills` times. Returns how many were done at each kill."""
    from distributed import futures_of

    values, _ = dask.random_generator(state, chunks * size, size)
    parts = client.persist(checksums(values), optimize_graph=True)
    futures = futures_of(parts)
    done_at = []
    for kill in range(1, kills + 1):
        wait_until(lambda: finished(futures) >= chunks * kill // (kills + 2))
        done = finished(futures)
        victim, pid = min(pids_of(client).items())
        os.kill(pid, KILL)
        done_at.append(done)
        wait_until(lambda: victim not in client.scheduler_info(n_workers=-1)["workers"])
    return result_of(client, parts).tolist(), done_at


@pytest.mark.costly
@clusters
def test_processes_share_the_work_and_one_may_be_killed(start_cluster):
    """dask 1.2 and 1.3: one test, since a cluster takes seconds to start."""
    from distributed import wait

    client = start_cluster(2)
    pids = pids_of(client)
    assert len(set(pids.values()) | {os.getpid()}) == 3

    shapes_and_chunks = (
        ((37, 211), ((5, 31, 1), (3, 101, 107))),
        ((5, 7, 9, 11), ((2, 3), (1, 5, 1), (9,), (4, 7))),
        ((31, 40, 23), ((16, 1, 14), (7, 26, 7), (22, 1))),  # the last, which the rest of the test goes on with
    )
    for (lazy, whole), (shape, chunks) in itertools.product(
        (
            (dask.random_generator, dmlrand.random_generator),
            (dask.uniform, dmlrand.uniform),
            (dask.normal, dmlrand.normal),
            (lambda *a, **k: dask.integers(*a, -5, 99, **k), lambda *a: dmlrand.integers(*a, -5, 99)),
        ),
        shapes_and_chunks,
    ):
        values, state = lazy(CARRY, shape, chunks=chunks)
        made = client.persist(values)
        wait(made, LIMIT)
        makers = {worker for workers in client.who_has(made).values() for worker in workers}
        assert makers == set(pids)  # both had a part in it
        expected, after = whole(CARRY, shape)
        got = result_of(client, made)
        assert got.dtype == expected.dtype and got.tobytes() == expected.tobytes()
        assert state.tolist() == after.tolist()

    # A worker lost after its work: what it held is made again.
    values, _ = dask.random_generator(CARRY, shape, chunks)
    made = client.persist(values)
    wait(made, LIMIT)
    os.kill(min(pids.items())[1], KILL)
    assert result_of(client, made).tobytes() == dmlrand.random_generator(CARRY, shape).values.tobytes()
    client.wait_for_workers(2, LIMIT)

    # A worker lost in the middle of its work.
    chunks, size = 80, 2**19 + 1  # no chunk but the first starts where a block does
    got, done_at = kill_in_mid_run(client, CARRY, chunks, size, kills=1)
    assert 0 < done_at[0] < chunks
    assert got == checksums_here(CARRY, chunks, size)
