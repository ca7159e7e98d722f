"""ShuffledSampler: each position of an epoch's order is given once, over all ranks, resumes and numbers of processes.

The sample number i of rank r, from position `start` on, is that at start + r + i * world. So after each step, all
ranks together have given the positions [start, start + steps * world), each by one rank. state_dict saves where that
ends, and any number of processes goes on from there: by induction the whole epoch. test_permutations.py has the proof
that an order is one, so each index comes once.
"""

from types import SimpleNamespace

from symbolic import Fault, Integer, any_index, claim, code_of, paths, prove, ranges, z3

from dmlrand.sampler import WINDOW_SAMPLES, ShuffledSampler

N, WORLD, RANK, START, COUNT, PRODUCT, E, USED = z3.Ints("n world rank start count count_times_world e used")
END = START + PRODUCT
BOUNDS = [1 <= N, 1 <= WORLD, 0 <= RANK, RANK < WORLD, 0 <= START, START <= N, COUNT >= 0]
LEFT = N - START
GIVEN = {"drop": [PRODUCT <= LEFT, LEFT < PRODUCT + WORLD], "repeat": [PRODUCT >= LEFT, PRODUCT < LEFT + WORLD]}
GIVEN["error"] = [PRODUCT == LEFT]
KINDS = [(uneven,) for uneven in GIVEN]


def number(value):
    return Integer(0).like(value).value


def least(a, b):
    return Integer(z3.If(number(a) < number(b), number(a), number(b)))


def largest(a, b):
    return Integer(z3.If(number(a) > number(b), number(a), number(b)))


@claim(
    Fault("_count_from", 'if self._uneven == "repeat"', 'if self._uneven == "drop"'),
    Fault("_count_from", "self._n - start", "self._n"),
    kinds=KINDS,
)
def test_how_many_samples_each_rank_gets(fault, uneven):
    """All that are left, or less than one step fewer or more. With "error" no sample is left over."""
    count_from = code_of(ShuffledSampler._count_from, fault)
    sampler = SimpleNamespace(_uneven=uneven, _n=Integer(N), _world_size=Integer(WORLD))

    def run():
        return count_from(sampler, Integer(START))

    steps = z3.Int("steps")
    even = [LEFT == steps * WORLD] if uneven == "error" else []
    for conditions, count in paths(run, *BOUNDS, *even):
        product = count.value * WORLD
        if uneven == "error":
            prove(count.value <= steps, *conditions)
            prove(count.value >= steps, *conditions)
        else:
            prove(z3.And(*(z3.substitute(fact, (PRODUCT, product)) for fact in GIVEN[uneven])), *conditions)


@claim(
    Fault("_windows", "start + self._rank", "start"),
    Fault("_windows", "first + WINDOW_SAMPLES * step, end", "first + WINDOW_SAMPLES, end"),
    Fault("_windows", "first + WINDOW_SAMPLES * step, end", "first + WINDOW_SAMPLES * step, end + step"),
    Fault("_windows", "self._n, WINDOW_SAMPLES * step)", "self._n, WINDOW_SAMPLES)"),
    Fault("_windows", "end - step + self._rank", "end - step"),
    Fault("_windows", "last >= self._n", "last > self._n"),
    Fault("_windows", "last % self._n, last % self._n + 1", "0, 1"),
    kinds=KINDS,
)
def test_windows_of_a_rank(fault, uneven):
    """Those of the positions start + rank, start + rank + world, ... below the end, those above n from 0 on again.

    The passes of the loop are WINDOW_SAMPLES * world apart: test_fillers.py has the proof that they cover a range.
    """
    sampler = SimpleNamespace(
        _world_size=Integer(WORLD), _rank=Integer(RANK), _n=Integer(N), _count_from=lambda start: Count(COUNT)
    )

    class Count(Integer):
        def __rmul__(self, other):
            assert other is sampler._world_size
            return Integer(PRODUCT)

        __mul__ = __rmul__

    class World(Integer):
        def __mul__(self, other):
            return Integer(PRODUCT) if isinstance(other, Count) else super().__mul__(other)

        __rmul__ = __mul__

    sampler._world_size = World(WORLD)
    facts = [*BOUNDS, *GIVEN[uneven], z3.Implies(COUNT >= 1, PRODUCT >= WORLD), z3.Implies(COUNT == 0, PRODUCT == 0)]
    last = END - WORLD + RANK  # the position of this rank in the last step
    # E is a position of this rank: as far from `last` as a multiple of `world`.
    facts += [E >= START + RANK, z3.Or(E <= last - WORLD, E == last, E >= last + WORLD)]
    names = dict(min=least)

    def with_range(chosen):
        windows = code_of(ShuffledSampler._windows, fault, **names, range=chosen)
        return lambda: list(windows(sampler, Integer(START)))

    first = z3.Int("index_0")
    for conditions, (window, *_) in paths(with_range(any_index), *facts):
        ((begin, stop, step),) = ranges()
        prove(z3.And(begin == START + RANK, stop == N, step == WINDOW_SAMPLES * WORLD), *conditions)
        prove(z3.And(number(window.start) == first, number(window.step) == WORLD), *conditions)
        of_pass = z3.And(first <= E, E < first + step)
        given = z3.And(first <= E, E < number(window.stop), E < N)  # numpy's slices end at n
        prove(z3.Implies(of_pass, given == z3.And(E < END, E < N)), *conditions)
        prove(z3.Implies(given, of_pass), *conditions)
    for conditions, windows in paths(with_range(lambda *bounds: []), *facts):
        repeated = z3.And(E < END, E >= N)  # only in the last step
        prove(z3.Implies(repeated, E == last), *conditions)
        prove(z3.Implies(E < END, E <= last), *conditions)
        if windows:
            (window,) = windows
            prove(z3.And(last >= N, number(window.start) == last % N), *conditions)
            prove(z3.And(number(window.stop) == last % N + 1, z3.BoolVal(window.step is None)), *conditions)
        else:
            prove(last < N, *conditions)


@claim(
    Fault("state_dict", "used * self._world_size", "used"),
    Fault("state_dict", "used >= max(1, self._count_from(self._start))", "used > self._count_from(self._start)"),
    Fault("state_dict", "self._start + used", "used"),
    kinds=KINDS,
)
def test_the_position_that_is_saved(fault, uneven):
    """After `used` steps: the end of the positions that all ranks together have given, or n after the last step."""
    product = z3.Int("used_times_world")
    state_dict = code_of(ShuffledSampler.state_dict, fault, max=largest, check_int=lambda value, *_: value)

    class Used(Integer):
        def __mul__(self, other):
            return Integer(product)

    sampler = SimpleNamespace(
        _given=None, _world_size=Integer(WORLD), _start=Integer(START), _n=Integer(N), _epoch="epoch",
        _count_from=lambda start: Integer(COUNT),
    )  # fmt: skip
    facts = [
        *BOUNDS, *GIVEN[uneven], 0 <= USED, product >= 0, z3.Implies(USED == 0, product == 0), USED <= COUNT,
        z3.Implies(USED < COUNT, product + WORLD <= PRODUCT), z3.Implies(USED == COUNT, product == PRODUCT),
        z3.Implies(COUNT == 0, PRODUCT == 0),
    ]  # fmt: skip
    for conditions, saved in paths(lambda: state_dict(sampler, Used(USED)), *facts):
        assert saved["epoch"] == "epoch"
        position = number(saved["position"])
        prove(position == z3.If(z3.And(USED == COUNT, USED > 0), N, START + product), *conditions)
        prove(z3.And(0 <= position, position <= N), *conditions)
