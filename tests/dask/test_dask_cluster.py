"""Dask arrays on a cluster of processes, of which one is killed. specs/dask.md, section 1"""

import os
import signal
from importlib.util import find_spec

import pytest
from systems import POSIX, not_on_wine
from waiting import LIMIT

import dmlrand
from dmlrand import dask, make_state

pytestmark = pytest.mark.skipif(not find_spec("distributed"), reason="distributed is not installed (extra `dask`)")

KILL = signal.SIGKILL if POSIX else signal.SIGTERM  # which on Windows ends a process at once
clusters = not_on_wine("a clock as coarse as Windows': distributed waits for five equal readings of it in a row")
CARRY = make_state(counter=2**64 - 9, key=7)  # its tensors cross a carry into counter word 2


@pytest.mark.costly
@clusters
def test_processes_share_the_work_and_one_may_be_killed():
    """dask 1.2 and 1.3: one test, since a cluster takes seconds to start."""
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    )
    with cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        assert len(set(pids.values()) | {os.getpid()}) == 3
        shape, chunks = (31, 40, 23), ((16, 1, 14), (7, 26, 7), (22, 1))
        for name, parameters in {
            "random_generator": {},
            "uniform": {},
            "normal": {},
            "integers": {"low": -5, "high": 99},
        }.items():
            values, state = getattr(dask, name)(CARRY, shape, **parameters, chunks=chunks)
            made = client.persist(values)
            distributed.wait(made, LIMIT)
            makers = {worker for workers in client.who_has(made).values() for worker in workers}
            assert makers == set(pids)  # both had a part in it
            expected, after = getattr(dmlrand, name)(CARRY, shape, **parameters)
            got = client.compute(made).result(LIMIT)
            assert got.dtype == expected.dtype and got.tobytes() == expected.tobytes()
            assert state.tolist() == after.tolist()

        os.kill(min(pids.items())[1], KILL)  # what it held is made again
        assert client.compute(made).result(LIMIT).tobytes() == expected.tobytes()
