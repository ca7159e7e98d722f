"""The programs of JAX's design note on random numbers, run with compat.jax in place of JAX's own functions."""

from itertools import permutations

import numpy as np
import pytest

from dmlrand.compat.jax import PRNGKey, bernoulli, normal, split

# The first programs of the note: a function calls two others, which draw. The order of the calls does not matter.


def bar(key, log):
    log.append("bar")
    return normal(key, (3, 4))


def baz(key, log):
    log.append("baz")
    return normal(key, (3, 4))


def foo(key, order, log):
    first, second = split(key, 2)
    calls = {"bar": lambda: bar(first, log), "baz": lambda: baz(second, log)}
    parts = {name: calls[name]() for name in order}
    return parts["bar"] + parts["baz"]


def test_sub_functions_draw_in_either_order():
    log = []
    one, other = (foo(PRNGKey(0), order, log) for order in (("bar", "baz"), ("baz", "bar")))
    assert log == ["bar", "baz", "baz", "bar"]
    assert one.tobytes() == other.tobytes()
    assert not np.array_equal(bar(split(PRNGKey(0))[0], log), baz(split(PRNGKey(0))[1], log))


# A training loop on the host.


def update(key, params, batch):
    return params + 0.1 * (batch * bernoulli(key, 0.5, batch.shape) - params)


def train(steps, key, params, start=0, batches=None):
    for i in range(start, steps):
        key, input_key = split(key)
        params = update(input_key, params, batches[i])
    return key, params


def test_a_loop_that_splits_a_key_each_step_resumes_from_the_key():
    """jax 3"""
    batches = np.arange(40.0).reshape(10, 4)
    expected_key, expected = train(10, PRNGKey(1), np.zeros(4), batches=batches)
    key, params = train(4, PRNGKey(1), np.zeros(4), batches=batches)
    key, params = train(10, key, params, start=4, batches=batches)
    assert np.array_equal(key, expected_key)
    assert params.tobytes() == expected.tobytes()
    inputs, key = [], PRNGKey(1)
    for _ in range(100):
        key, input_key = split(key)
        inputs += [tuple(key.tolist()), tuple(input_key.tolist())]
    assert len(set(inputs)) == 200  # no key comes twice


# Layers of a neural net. Combinators give each layer its own key.


def Dropout(rate, mode="train"):
    def init_fun(input_shape):
        return input_shape, ()

    def apply_fun(rng, params, inputs):
        if mode != "train":
            return inputs
        keep = bernoulli(rng, rate, inputs.shape)
        return np.where(keep, inputs / rate, 0)

    return init_fun, apply_fun


def Scale(factor):
    return (lambda input_shape: (input_shape, (factor,))), (lambda rng, params, inputs: inputs * params[0])


def init_all(init_funs, input_shape):
    return [init_fun(input_shape)[1] for init_fun in init_funs]


def serial(*layers):
    init_funs, apply_funs = zip(*layers)

    def init_fun(input_shape):
        return input_shape, init_all(init_funs, input_shape)

    def apply_fun(rng, params, inputs):
        for key, param, apply in zip(split(rng, len(layers)), params, apply_funs):
            inputs = apply(key, param, inputs)
        return inputs

    return init_fun, apply_fun


def parallel(*layers, order=None):
    init_funs, apply_funs = zip(*layers)

    def init_fun(input_shape):
        return input_shape, init_all(init_funs, input_shape)

    def apply_fun(rng, params, inputs):
        rngs, outputs = split(rng, len(layers)), [None] * len(layers)
        for i in order or range(len(layers)):
            outputs[i] = apply_funs[i](rngs[i], params[i], inputs[i])
        return outputs

    return init_fun, apply_fun


def run(layer, key, inputs):
    init_fun, apply_fun = layer
    _, params = init_fun(np.shape(inputs))
    return apply_fun(key, params, inputs)


def test_dropout_in_series():
    inputs = np.ones((50, 20))
    layer = serial(Dropout(0.5), Scale(3.0), Dropout(0.8))
    outputs = run(layer, PRNGKey(2), inputs)
    keys = split(PRNGKey(2), 3)
    kept = bernoulli(keys[0], 0.5, inputs.shape) & bernoulli(keys[2], 0.8, inputs.shape)
    assert np.array_equal(outputs, np.where(kept, 3.0 / 0.5 / 0.8, 0))
    assert np.array_equal(outputs, run(layer, PRNGKey(2), inputs))
    assert not np.array_equal(outputs, run(layer, PRNGKey(3), inputs))
    assert np.array_equal(run(serial(Dropout(0.5, mode="test")), PRNGKey(2), inputs), inputs)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_dropout_in_parallel_in_any_order_of_evaluation(order):
    layers = Dropout(0.5), serial(Dropout(0.9), Dropout(0.9)), Dropout(0.5)
    inputs = [np.ones(64), np.arange(64.0), np.ones(64)]
    expected = run(parallel(*layers), PRNGKey(4), inputs)
    outputs = run(parallel(*layers, order=order), PRNGKey(4), inputs)
    assert [output.tobytes() for output in outputs] == [output.tobytes() for output in expected]
    assert not np.array_equal(outputs[0], outputs[2])  # the same layer and inputs, but another key


def test_children_and_bits_come_from_the_same_blocks():
    """jax 4"""
    # The note calls this surprising. The bits of an element are the xor of the words of a child.
    from dmlrand.compat.jax import bits

    children = split(PRNGKey(5), 8)
    assert np.array_equal(children[:, 0] ^ children[:, 1], bits(PRNGKey(5), 8))


def test_the_hash_of_the_note_and_its_samples():
    """jax 40"""
    from dmlrand.compat.jax import bits

    key = PRNGKey(5)
    pairs = split(key, 6).astype(np.uint64)
    assert (pairs[:, 0] << np.uint64(32) | pairs[:, 1]).tolist() == bits(key, 6, "uint64", x64=True).tolist()
    for draw in (bits, normal, lambda key, n: normal(key, n, "float16")):
        assert draw(key, 9)[:4].tolist() == draw(key, 4).tolist()


def test_a_stream_has_the_sequential_guarantee():
    """jax 40"""
    from dmlrand import Stream

    one, other = Stream(seed=0), Stream(seed=0)
    assert [*one.uniform(2), *one.uniform(3)] == other.uniform(5).tolist()
