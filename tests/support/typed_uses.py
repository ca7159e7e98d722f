"""What type checkers know of dmlrand's results. test_types.py gives this file to mypy; nothing here is run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import dmlrand
from dmlrand import (
    PhiloxBitGenerator,
    ShuffledSampler,
    Stream,
    bernoulli,
    choice,
    integers,
    make_state,
    normal,
    permutation,
    random_generator,
    random_window,
    shuffle,
    uniform,
)  # fmt: skip
from dmlrand.drawing.plan import Outputs

Words = NDArray[np.uint32]


def operator(flag: bool, unknown: Any) -> None:
    state = make_state(key=42)
    values, after = random_generator(state, 4)
    assert_type(values, Words)
    assert_type(after, Words)
    assert_type(random_generator(state, out=values, threads=2).state, Words)
    assert_type(random_generator(state, 4, output_state=True).state, Words)
    assert_type(random_generator(state, 4, output_state=flag).state, Words)
    assert_type(random_generator(unknown, unknown).state, Words)
    assert_type(random_window(state, (4, 4), 1), Words)
    outputs: Outputs[Words] = random_generator(state, 4)
    assert_type(outputs.values, Words)


def numbers(kind: str, unknown: Any) -> None:
    state = make_state(key=42)
    values, after = uniform(state, 4)
    assert_type(values, NDArray[np.float32])
    assert_type(after, Words)
    assert_type(uniform(state, 4, low=-1, high=1).values, NDArray[np.float32])
    assert_type(uniform(state, out=values, threads=2).values, NDArray[np.float32])
    assert_type(uniform(state, 4, dtype=np.float64, window=0).values, NDArray[np.float64])
    assert_type(uniform(state, 4, low=0, high=1, dtype=np.dtype(np.float16)).values, NDArray[np.float16])
    assert_type(uniform(state, 4, dtype="float64").values, NDArray[Any])
    assert_type(uniform(state, 4, dtype=kind).values, NDArray[Any])
    assert_type(uniform(state, 4, dtype=float).values, NDArray[Any])
    assert_type(uniform(state, 4, dtype=unknown).values, NDArray[Any])
    assert_type(integers(state, low=1, high=7, out=np.empty(4, np.int32)).values, NDArray[np.int32])
    assert_type(integers(state, 4, 1, 7).values, NDArray[np.int32])
    assert_type(integers(state, 4, 1, 7, np.uint64).values, NDArray[np.uint64])
    assert_type(integers(state, 4, 1, 7, dtype="int64").values, NDArray[Any])
    assert_type(normal(state, 4).values, NDArray[np.float32])
    assert_type(normal(state, 4, mean=0, stddev=1, dtype=np.float64).values, NDArray[np.float64])
    assert_type(normal(state, 4, dtype="bfloat16").values, NDArray[Any])


def orders() -> None:
    state = make_state(key=42)
    assert_type(bernoulli(state, 4, 0.5).values, NDArray[np.bool_])
    assert_type(permutation(state, 4, window=0).values, NDArray[np.int64])
    assert_type(permutation(state, 4).state, Words)
    assert_type(choice(state, ["a", "b"], 1).values, NDArray[Any])
    assert_type(shuffle(state, ["a", "b"]).values, NDArray[Any])
    assert_type(list(ShuffledSampler(4, state)), list[Any])
    assert_type(ShuffledSampler(4, state).state_dict(), dict[str, int])


def stream() -> None:
    stream = Stream(make_state(key=42))
    Stream(seed=42, lane=1).words(3)
    PhiloxBitGenerator(seed=np.random.SeedSequence(42)).random_raw(3)
    assert_type(stream.words(3), Words)
    assert_type(stream.words(out=np.empty(3, np.uint32)), Words)
    assert_type(stream.split(2), list[Stream])
    assert_type(stream.spawn(2), list[Stream])
    assert_type(stream.fold_in("dropout"), Stream)
    Stream(**stream.state_dict()).load_state_dict(stream.state_dict())
    assert_type(stream.uniform(3), NDArray[np.float32])
    assert_type(stream.uniform(3, low=-1, high=1, dtype=np.float64), NDArray[np.float64])
    assert_type(stream.uniform(3, dtype="float64"), NDArray[Any])
    assert_type(stream.integers(3, low=1, high=7), NDArray[np.int32])
    assert_type(stream.integers(3, low=1, high=7, dtype=np.int64), NDArray[np.int64])
    assert_type(stream.bernoulli(3, 0.5), NDArray[np.bool_])
    assert_type(stream.permutation(3), NDArray[np.int64])
    assert_type(stream.shuffle([1, 2]), NDArray[Any])
    assert_type(stream.normal(3, threads=2), NDArray[np.float32])
    assert_type(stream.normal(3, dtype=np.dtype(np.float64)), NDArray[np.float64])


class Tensor:
    """An array of another package, with the signatures of torch.Tensor."""

    def __dlpack__(self, *, stream: Any = -1, max_version: tuple[int, int] | None = None) -> Any:
        return stream

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def other_packages(tensor: Tensor) -> None:
    assert_type(random_generator(tensor, out=tensor).values, Words)
    assert_type(uniform(tensor, out=tensor).values, NDArray[np.float32])
    assert_type(Stream(tensor).words(out=tensor), Words)
    dmlrand.verify(tensor, tensor, tensor)


def modules() -> None:
    assert_type(dmlrand.compat.jax.key(0), Words)
    assert_type(dmlrand.dask.random_generator(make_state(), 4).state, Words)
    assert_type(dmlrand.batch.random_generator([make_state()], 4).values, Words)
    assert_type(dmlrand.batch.normal([make_state()], 4).states, Words)
    dmlrand.kernels.philox.block(0, 0, 0, 0, 42, 0)


def mistakes() -> None:
    """Each marked line is an error for type checkers: strict mode refuses a `type: ignore` that nothing needs."""
    state = make_state(key=42)
    dmlrand.random_generater(state, 4)  # type: ignore[attr-defined]
    dmlrand.compat.jaxx  # type: ignore[attr-defined]
    random_generator(state, 4, thread=2)  # type: ignore[call-arg]
    uniform(state, 4, thread=2)  # type: ignore[call-overload]
    bernoulli(state, 4, 0.5, thread=2)  # type: ignore[call-arg]
    Stream()  # type: ignore[call-overload]
    Stream(state, seed=42)  # type: ignore[call-overload]
    PhiloxBitGenerator(state, 0, seed=42)  # type: ignore[call-overload]
    Stream(state).normal(4, thread=2)  # type: ignore[call-overload]
