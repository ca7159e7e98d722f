"""Draw arrays larger than memory on any number of workers. Needs: pip install dask."""

from dmlrand import dask, make_state, normal

state = make_state(key=42)
words, state = dask.random_generator(state, (2**20, 2**20), chunks=(2**10, 2**14))  # 4 TiB, of which nothing is drawn
print(words[12345, 67:70].compute())

normals, after = dask.normal(state, (1000, 1000), chunks=(100, 1000))
print("mean", normals.mean().compute().round(4))

# The bits depend on neither chunks nor workers: they are those of one call without Dask.
others, _ = dask.normal(state, (1000, 1000), chunks=(1000, 300))
whole = normal(state, (1000, 1000)).values
print("the same for any chunks:", bool((others.compute() == normals.compute()).all() and (whole == others).all()))
