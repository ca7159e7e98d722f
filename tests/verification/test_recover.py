"""Lost keys and counters. specs/verify.md, clauses 4.4 and 4.5."""

import json
import re

import numpy as np
import pytest
from thinning import with_costly

from dmlrand import Candidate, make_state, random_generator, recover, uniform
from dmlrand.cli import main
from dmlrand.compat.tensorflow import stateless_uniform

COUNTER, KEY = 1234567 + (3 << 32), 0xBADF00D
STATE = make_state(counter=COUNTER, key=KEY)
WORDS = random_generator(STATE, 40).values
NEAR = range(KEY - 300, KEY + 300)
FEW_OR_MANY = with_costly([range(100, 200)], [range(70_000)])  # many keys are tried by compiled code


def places(found):
    return [(each.key, each.counter, each.lane) for each in found]


@pytest.mark.parametrize(
    "keys", with_costly([NEAR, [5, KEY, 7]], [range(KEY - 70_000, KEY + 70_000)]), ids=["few", "list", "compiled"]
)
def test_four_words_and_a_counter_below_2_64(keys):
    """verify 4.4"""
    if len(keys) > 1 << 16:
        pytest.importorskip("numba")
    found = recover(WORDS[:4], keys=keys)
    assert places(found) == [(KEY, COUNTER, 0)]
    assert found[0].false_chance == len(keys) * 2.0**-64
    assert recover(WORDS[:4], keys=keys, counters=range(1 << 32)) == ()


def test_any_counter_needs_eight_words():
    """verify 4.4"""
    state = make_state(counter=2**128 - 1, key=KEY)
    words = random_generator(state, 8).values
    assert recover(words, keys=NEAR) == ()
    assert places(recover(words, keys=NEAR, counters=None)) == [(KEY, 2**128 - 1, 0)]
    with pytest.raises(ValueError, match="counters must be a range unless there are 8 aligned words"):
        recover(words[:7], keys=NEAR, counters=None)


@pytest.mark.parametrize("lane", range(4))
def test_words_from_any_lane(lane):
    """verify 4.4"""
    assert places(recover(WORDS[lane : lane + 12], keys=NEAR, aligned=False)) == [(KEY, COUNTER, lane)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("keys", with_costly([NEAR], [range(KEY - 70_000, KEY + 70_000)]))
def test_uniform_numbers_of_a_known_counter(dtype, keys):
    """verify 4.4"""
    if len(keys) > 1 << 16:
        pytest.importorskip("numba")
    numbers = uniform(STATE, 6, dtype=dtype).values
    assert places(recover(numbers, keys=keys, counters=COUNTER, dtype=dtype)) == [(KEY, COUNTER, 0)]
    near = range(COUNTER - 5, COUNTER + 5)
    assert places(recover(numbers, keys=NEAR, counters=near, dtype=dtype)) == [(KEY, COUNTER, 0)]
    with pytest.raises(ValueError, match=re.escape("counters must be at most 2**20 for numbers")):
        recover(numbers, keys=NEAR, dtype=dtype)


def test_the_order_of_torch():
    """verify 4.4: word i is the first word of subsequence i."""
    words = [random_generator(make_state(counter=9 + (i << 64), key=KEY), 1).values[0] for i in range(5)]
    assert places(recover(words, keys=NEAR, counters=range(20), layout="torch")) == [(KEY, 9, 0)]


@pytest.mark.parametrize("dtype", ["uint32", "float32", "float64"])
@pytest.mark.parametrize("keys", FEW_OR_MANY)
def test_seed_pairs_of_tensorflow(dtype, keys):
    """verify 4.4"""
    if len(keys) > 1 << 16:
        pytest.importorskip("numba")
    bounds = {"minval": None, "maxval": None} if dtype == "uint32" else {}
    given = stateless_uniform([8], [123, 7 + (5 << 32)], dtype=dtype, **bounds)
    seconds = range(5 << 32, (5 << 32) + 9)
    options = {"keys": keys, "layout": "tensorflow", "dtype": dtype}
    assert places(recover(given, counters=seconds, **options)) == [(123, seconds[7], 0)]
    assert recover(given, counters=7, **options) == ()


@pytest.mark.parametrize("child", [None, 0, 2])
@pytest.mark.parametrize("keys", FEW_OR_MANY)
def test_seeds_of_jax(child, keys):
    """verify 4.4"""
    from dmlrand.compat import jax

    if len(keys) > 1 << 16:
        pytest.importorskip("numba")
    key = jax.key(123) if child is None else jax.split(jax.key(123), 4)[child]
    bits = np.asarray(jax.bits(key, (4,)))
    assert [(each.key, each.child) for each in recover(bits, keys=keys, layout="jax")] == [(123, child)]
    numbers = np.asarray(jax.uniform(key, (4,)))
    assert [each.key for each in recover(numbers, keys=keys, layout="jax", dtype="float32")] == [123]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"words": WORDS[:3]}, ValueError, "words must hold at least 4 words or numbers; got 3."),
        ({"words": [1, 2, 3, -1]}, ValueError, "words[3] must be in"),
        ({"words": WORDS.reshape(4, 10)}, TypeError, "words must be of rank 1"),
        ({"words": [0.5, 1.5], "dtype": "float32"}, ValueError, "words must be numbers in [0, 1)"),
        (
            {"words": WORDS, "layout": "other"},
            ValueError,
            "layout must be one of operator, torch, tensorflow, jax; got 'other'.",
        ),
        ({"words": WORDS[:6], "aligned": False}, ValueError, "words must hold 7 words if they are not aligned; got 6."),
        ({"words": WORDS, "keys": range(-1, 5)}, ValueError, "keys must be a range that ascends within [0, 2**64)"),
        ({"words": WORDS, "keys": range(5, 1)}, ValueError, "keys must be a range that ascends within [0, 2**64)"),
    ],
)
def test_arguments_refused(arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        recover(**{"keys": NEAR} | arguments)


def test_a_key_of_64_random_bits_is_not_in_a_small_range():
    """verify 4.5"""
    words = random_generator(make_state(counter=7, key=0x9E3779B97F4A7C15), 4).values
    assert recover(words, keys=range(1 << 10)) == ()
    found = recover(words, keys=[5, 0x9E3779B97F4A7C15])
    assert found == (Candidate(0x9E3779B97F4A7C15, 7, 0, None, 2 * 2.0**-64),)


def test_progress_ends_at_1():
    seen = []
    recover(WORDS[:4], keys=list(range(5)), progress=seen.append)
    assert seen == [1.0]


def test_the_command(tmp_path, monkeypatch, capsys):
    """verify 6.2"""
    monkeypatch.chdir(tmp_path)
    np.save("v.npy", WORDS)
    keys = ["--keys", f"{NEAR.start}:{NEAR.stop}"]
    assert main(["recover", "v.npy", *keys]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        f"key      {KEY:#x} ({KEY})",
        f"counter  {COUNTER:#034x}, lane 0",
    ]
    assert main(["recover", "v.npy", *keys, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["candidates"][0]["key"] == KEY
    assert main(["recover", "v.npy", "--keys", "0:9"]) == 1
    assert capsys.readouterr().out.startswith("not found: ")
    np.save("t.npy", stateless_uniform([8], [77, 0], minval=None, maxval=None, dtype="uint32"))
    assert main(["recover", "t.npy", "--keys", "0:99", "--layout", "tensorflow"]) == 0
    assert capsys.readouterr().out.startswith("seeds    [77, 0]\nchance   ")
    assert main(["locate", "--key", str(KEY), "v.npy"]) == 0
    assert capsys.readouterr().out.startswith(f"counter  {COUNTER:#034x}\n")
    assert main(["locate", "--key", "42", "9ceaf053", "77f5493b", "12bf50ad", "5742b3d7"]) == 0
    assert capsys.readouterr().out.startswith("counter  0x00000000000000000000000000000000\n")
