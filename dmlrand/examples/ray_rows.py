"""Draw in Ray tasks and data sets, in any order. Needs: pip install ray pandas pyarrow."""

import numpy as np
import ray

from dmlrand import batch, fold_in, make_state, normal

ROOT, TRIALS = make_state(key=42), range(20)


@ray.remote
def simulate(trial):
    """One trial. Its numbers depend on the root state and on its own number alone."""
    return float(normal(fold_in(ROOT, trial), 1000).values.mean())


def add_normals(table):
    """Add a column with a number for each row, which depends on the id of the row alone."""
    children = batch.fold_in(np.tile(ROOT, (len(table["id"]), 1)), table["id"].astype(np.uint64))
    return table | {"z": batch.normal(children, 1, dtype=np.float64).values[:, 0]}


def column(batch_size):
    table = ray.data.range(1000).map_batches(add_normals, batch_size=batch_size).take_all()
    return [row["z"] for row in sorted(table, key=lambda row: row["id"])]


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    forward = ray.get([simulate.remote(trial) for trial in TRIALS])
    backward = ray.get([simulate.remote(trial) for trial in reversed(TRIALS)])
    print("the same in any order:", forward == backward[::-1])
    ray.data.DataContext.get_current().enable_progress_bars = False
    print("the same in batches of any size:", column(1000) == column(37))
    ray.shutdown()
