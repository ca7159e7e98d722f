"""Draw uniform, normal and integer numbers and random orders for NumPy code."""

import numpy as np

from dmlrand import PhiloxBitGenerator, Stream

# A Stream is a position in a sequence of random words. Each draw begins where the last one ended.
stream = Stream(seed=7)
print(stream.uniform(3))
print(stream.normal((2, 2), mean=10, stddev=3, dtype="float64"))
print(stream.integers(5, low=1, high=7))
print(stream.permutation(6))

# A large array: `out` fills memory that exists already.
values = np.empty((1000, 1000), np.float32)
values = stream.normal(out=values)
print(f"{values.size} normals, mean {values.mean():.4f}")

# A stream of its own for each task. Its numbers do not depend on the order in which the tasks run.
for task in range(3):
    print(f"task {task}:", stream.fold_in(task).uniform(2))


# The other distributions: numpy's own Generator, with dmlrand's words.
rng = np.random.Generator(PhiloxBitGenerator(seed=7))
print(rng.standard_gamma(2.0, 3), rng.choice(10, 3, replace=False))
