"""Find a lost key and counter from a few words or numbers, by trying all keys of a range."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..drawing.arguments import check_bits, check_int
from ..drawing.number_types import check_dtype
from ..kernels import only_compiled
from ..philox import MASK32, Words2, Words4, block
from ..state import UINT32
from .generators.variants import COUNTERS, words_of
from .inverse import counter_before, invert_block

DTYPES = ("uint32", "float32", "float64")
LAYOUTS = ("operator", "torch", "tensorflow", "jax")
PIECE_KEYS = 1 << 24  # that a thread tries at a time
NUMPY_MAX_KEYS = 1 << 16  # tried without compiled code
MAX_COUNTERS = 1 << 20  # tried one by one
MAX_LISTED = 1 << 16
CERTAIN = 2.0**-20  # the search stops at a candidate that is false with a smaller probability
JAX_CHILDREN = (-1, 0, 1, 2, 3)  # the key itself, and keys split off or folded in

Words = NDArray[np.uint32]
Progress = Callable[[float], object]


class Candidate(NamedTuple):
    """A key and a counter that give all words, and how they are read.

    Attributes
    ----------
    key : int
        For layout "jax": the seed. For layout "tensorflow": the first number of the seed pair.
    counter : int
        Of the block of the first word. For layout "tensorflow": the second number of the seed pair.
    lane : int
        The lane of the first word, 0 to 3.
    child : int or None
        For layout "jax": which child of the seed's key made the words, by split or fold_in; None for the key itself.
    false_chance : float
        The probability that other keys and counters of the search give the same words.

    Examples
    --------
    >>> from dmlrand import make_state, random_generator, recover
    >>> words = random_generator(make_state(counter=77, key=42), 4).values
    >>> recover(words, keys=range(1000))
    (Candidate(key=42, counter=77, lane=0, child=None, false_chance=5.421010862427522e-17),)
    """

    key: int
    counter: int
    lane: int
    child: int | None
    false_chance: float


class _Sample(NamedTuple):
    """What is known of consecutive words: masks and the bits under them."""

    masks: Words
    bits: Words

    def fits(self, words: Iterable[Any]) -> Any:
        """Whether words have the known bits. Each word is an int, or an array with an element for each key."""
        known = zip(words, self.bits.tolist(), self.masks.tolist())
        return sum((word ^ bits) & mask for word, bits, mask in known) == 0


def recover(
    words: Sequence[Any] | NDArray[Any],
    *,
    keys: range | Sequence[int] = range(1 << 32),
    counters: int | range | None = range(1 << 64),
    layout: str = "operator",
    dtype: DTypeLike = UINT32,
    aligned: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Candidate, ...]:
    """Find the key and the counter that made some words or uniform numbers.

    It tries every key of `keys`, so it finds only keys of which few are possible, such as seeds below 2**32. A seed
    that this function finds was never secret.

    Parameters
    ----------
    words : sequence of ints in [0, 2**32), or array of dtype, of rank 1
        Consecutive words, four or more; or consecutive uniform numbers in [0, 1) by the rule of `uniform`, two or more.
    keys : range or sequence of ints in [0, 2**64)
    counters : int, range or None
        The counters that are possible. For words of layout "operator" a range of any size within one multiple of
        2**64, or None for any counter, which needs eight aligned words. Otherwise at most 2**20 counters.
    layout : "operator", "torch", "tensorflow" or "jax"
        "torch": word i is the first word of subsequence i, as in the first words of PyTorch's CUDA generators; the key
        is the seed, and the counter is the offset divided by 4. "tensorflow": the words or numbers of
        tf.random.stateless_uniform for the seed pair [key, counter]. "jax": the words or numbers of jax.random.bits or
        jax.random.uniform for jax.random.key(seed), or for a child of this key by split or fold_in with 0 to 3.
    dtype : uint32, float32 or float64
    aligned : bool
        Whether the first word is in lane 0. If not, seven words are needed, and the search takes four times as long.
    threads : int >= 1, optional
    progress : callable of a float in [0, 1], optional

    Examples
    --------
    >>> from dmlrand import make_state, uniform
    >>> numbers = uniform(make_state(counter=5, key=42), 4).values
    >>> [(each.key, each.counter) for each in recover(numbers, keys=range(1000), counters=5, dtype="float32")]
    [(42, 5)]
    """
    sample = _sample(words, check_dtype(dtype, DTYPES), layout)
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}; got {layout!r}. Pass layout='operator'.")
    workers = check_int(threads or os.cpu_count() or 1, "threads", 1)
    pieces, searches = list(_pieces(keys)), list(_searches(sample, counters, layout, bool(aligned)))
    ways = len(JAX_CHILDREN) if layout == "jax" else 1 if aligned else 4  # to read the words
    chance = _chance(sample, ways * sum(len(piece) for piece in pieces), counters, layout)
    tasks, count = product(searches, pieces), len(searches) * len(pieces)
    found: list[Candidate] = []
    with ThreadPoolExecutor(workers) as pool:
        for done in range(0, count, workers):
            for candidates in pool.map(lambda task: task[0](task[1]), islice(tasks, workers)):
                found += candidates
            if progress is not None:
                progress(min(done + workers, count) / count)
            if found and chance < CERTAIN:
                break
    return tuple(dict.fromkeys(each._replace(false_chance=chance) for each in found))


def _sample(words: Any, kind: np.dtype[Any], layout: str) -> _Sample:
    given = np.asarray(words)
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise TypeError(
            f"words must be of rank 1, and ints or floats; got {given.dtype} of rank {given.ndim}. Ravel them."
        )
    if kind.kind == "f":
        numbers, least = given.astype(kind), 2
        if not ((numbers >= 0) & (numbers < 1)).all():
            raise ValueError("words must be numbers in [0, 1) for this dtype; got others. Check dtype.")
        if layout == "jax":
            masks, bits = [0xFFFFFE00], np.ldexp(numbers.astype(np.float64), 23).astype(np.uint32) << np.uint32(9)
        elif kind.itemsize == 4:
            masks, bits = [0x7FFFFF], np.ldexp(numbers, 23).astype(np.uint32)
        else:
            steps = np.ldexp(numbers, 52).astype(np.uint64)
            masks, bits = [0xFFFFF, MASK32], np.stack([steps >> np.uint64(32), steps & np.uint64(MASK32)], 1)
    else:
        listed = [check_int(word, f"words[{i}]", 0, 1 << 32) for i, word in enumerate(given.tolist())]
        masks, bits, least = [MASK32], np.array(listed, np.uint32), 4
    if bits.size < least:
        raise ValueError(f"words must hold at least {least} words or numbers; got {bits.size}. Pass more of them.")
    return _Sample(np.resize(np.array(masks, np.uint32), bits.size), bits.ravel().astype(np.uint32))


def _pieces(keys: range | Sequence[int]) -> Iterator[Sequence[int]]:
    """Short lists, and ranges in which the upper words of all keys are equal."""
    if not isinstance(keys, range) or keys.step != 1:
        listed = [check_bits(key, f"keys[{i}]", 64) for i, key in enumerate(keys)]
        yield from (listed[start : start + MAX_LISTED] for start in range(0, len(listed), MAX_LISTED))
        return
    if not 0 <= keys.start <= keys.stop <= 1 << 64:
        raise ValueError(f"keys must be a range that ascends within [0, 2**64); got {keys}.")
    start = keys.start
    while start < keys.stop:
        stop = min(keys.stop, start + PIECE_KEYS, (start >> 32) + 1 << 32)
        yield range(start, stop)
        start = stop


def _searches(
    sample: _Sample, counters: int | range | None, layout: str, aligned: bool
) -> Iterator[Callable[[Sequence[int]], list[Candidate]]]:
    """A search of a piece of keys for each way to read the words."""
    if layout == "jax":
        yield from (partial(_jax, sample, child) for child in JAX_CHILDREN)
        return
    possible = range(counters, counters + 1) if isinstance(counters, int) else counters
    whole = layout == "operator" and bool((sample.masks == MASK32).all())
    if possible is None and not (whole and sample.bits.size >= 8 and aligned):
        raise ValueError(
            "counters must be a range unless there are 8 aligned words; got None. Pass the possible counters."
        )
    if not whole and possible is not None and _length(possible) > MAX_COUNTERS:
        raise ValueError(
            f"counters must be at most 2**20 for numbers and for layout {layout!r}; got {_length(possible):,}. "
            "Pass the counter, or a range of possible ones."
        )
    if not aligned and sample.bits.size < 7:
        raise ValueError(f"words must hold 7 words if they are not aligned; got {sample.bits.size}. Pass more of them.")
    for lane in range(1 if aligned else 4):
        if whole:
            # The upper halves of the first and the last counter.
            highs = [None] if possible is None else sorted({possible.start >> 64, max(possible.stop - 1, 0) >> 64})
            yield from (partial(_inverted, sample, possible, lane, high) for high in highs)
        else:
            yield from (partial(_forward, sample, counter, layout, lane) for counter in possible or ())


def _passing(keys: Sequence[int], scan: str, arguments: tuple[Any, ...], fits: Callable[[Words2], Any]) -> list[int]:
    """The keys that may fit: by a compiled scan for many, else by a function of arrays of both key words."""
    if isinstance(keys, range) and len(keys) > NUMPY_MAX_KEYS:
        out = np.empty(MAX_LISTED, np.int64)
        low, upper = keys.start & MASK32, keys.start >> 32
        scans = only_compiled(f"{__package__}.recovery_kernels")
        count = getattr(scans, scan)(*arguments, np.uint32(upper), low, low + len(keys), out)
        return [int(key) + (upper << 32) for key in out[:count]]
    listed = np.array(keys, np.uint64)
    passing: list[int] = listed[fits((listed & np.uint64(MASK32), listed >> np.uint64(32)))].tolist()
    return passing


def _inverted(
    sample: _Sample, counters: range | None, lane: int, high: int | None, keys: Sequence[int]
) -> list[Candidate]:
    """The keys for which a whole block of the words has a possible counter, with this upper half."""
    words = np.resize(sample.bits[-lane % 4 :], 8)
    first, second = words.reshape(2, 4).tolist()

    def fits(key: Words2) -> Any:
        c0, _, c2, _ = invert_block(first, key)
        return c2 == high & MASK32 if high is not None else invert_block(second, key)[0] == (c0 + 1 & MASK32)

    passing = _passing(keys, "scan_words", (words, np.uint32((high or 0) & MASK32), high is None), fits)
    found = ((key, counter_before(first, key) - bool(lane)) for key in passing)
    return [
        Candidate(key, counter % COUNTERS, lane, None, 0.0)
        for key, counter in found
        if (counters is None or counter in counters) and _gives(sample, counter, lane, "operator", _key_words(key))
    ]


def _forward(sample: _Sample, counter: int, layout: str, lane: int, keys: Sequence[int]) -> list[Candidate]:
    """The keys whose words at this counter have the known bits."""
    masks, bits = np.zeros(4, np.uint32), np.zeros(4, np.uint32)
    taken = 1 if layout == "torch" else min(4 - lane, sample.bits.size)
    masks[lane : lane + taken], bits[lane : lane + taken] = sample.masks[:taken], sample.bits[:taken]
    gives = partial(_gives, sample, counter, lane, layout)
    scan, known = ("scan_pairs", _scrambling(counter)) if layout == "tensorflow" else ("scan_blocks", words_of(counter))
    passing = _passing(keys, scan, (np.array(known, np.uint32), masks, bits), gives)
    return [Candidate(key, counter, lane, None, 0.0) for key in passing if gives(_key_words(key))]


def _scrambling(second: int) -> Words4:
    """The second number of TensorFlow's seed pair, and the key by which pairs are scrambled."""
    from ..compat.tensorflow.seeds import SCRAMBLING_KEY

    return second & MASK32, second >> 32 & MASK32, *SCRAMBLING_KEY


def _key_words(key: int) -> Words2:
    return key & MASK32, key >> 32


def _gives(sample: _Sample, counter: int, lane: int, layout: str, key: Words2) -> Any:
    """Whether a key and a counter give all that is known. The key may be two arrays, for many keys."""
    step, taken = (1 << 64, 1) if layout == "torch" else (1, 4)
    blocks = range(-(-(sample.bits.size + lane) // taken))
    counters: list[Words4] = [words_of(counter + i * step) for i in blocks]
    if layout == "tensorflow":
        second_0, second_1, *scrambling = _scrambling(counter)
        k0, k1, c2, c3 = block((*key, second_0, second_1), tuple(scrambling))
        key, counters = (k0, k1), [(i, 0, c2, c3) for i in blocks]
    made = [word for each in counters for word in block(each, key)[:taken]]
    return sample.fits(made[lane:])


def _jax(sample: _Sample, child: int, keys: Sequence[int]) -> list[Candidate]:
    from ..compat import jax

    arguments = sample.masks[0], sample.bits[0], child
    found = []
    for seed in _passing(keys, "scan_jax", arguments, lambda key: key[0] >= 0):
        key = jax.PRNGKey(seed)
        key = key if child < 0 else jax.fold_in(key, child)
        if sample.fits(np.asarray(jax.bits(key, (sample.bits.size,))).tolist()):
            found.append(Candidate(seed, 0, 0, None if child < 0 else child, 0.0))
    return found


def _chance(sample: _Sample, keys: int, counters: int | range | None, layout: str) -> float:
    """The probability that a wrong key and counter give all that is known."""
    tried = 1 if isinstance(counters, int) or layout == "jax" else COUNTERS if counters is None else _length(counters)
    known_bits: int = sum(mask.bit_count() for mask in sample.masks.tolist())
    return min(1.0, keys * tried / 2.0**known_bits)


def _length(numbers: range) -> int:
    """The length of a range, which may exceed what len() returns."""
    return max(0, -(-(numbers.stop - numbers.start) // numbers.step))
