"""Fill a file and a Zarr array of any size; a killed run resumes. Needs: pip install zarr."""

import numpy as np
import zarr

from dmlrand import fill_file, make_state, uniform

SHAPE = (1000, 1000)  # may be larger than memory: a fill keeps only a few chunks

state = make_state(key=42)
after = fill_file("uniform.npy", state, SHAPE, distribution="uniform", low=-1, high=1)
after = fill_file("normal.zarr", after, SHAPE, distribution="normal", mean=5, stddev=2, chunks=(250, 1000))

numbers = np.load("uniform.npy", mmap_mode="r")
normals = zarr.open_array("normal.zarr", mode="r")
print(numbers.shape, numbers.dtype, numbers[0, :3])
print(normals.shape, normals.dtype, normals.chunks, normals[999, -3:])

# Any part can be computed again without the file.
row = uniform(state, SHAPE, low=-1, high=1, window=(999,)).values
print("the last row is the same:", bool((row == numbers[999]).all()))
