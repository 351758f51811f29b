"""A network of 20 hidden units in JAX and waves to learn, for the tests of networks."""

import numpy as np
import pytest
import starling

jax = pytest.importorskip("jax")  # a test that imports this is skipped with it
jnp = jax.numpy
HIDDEN = 20


def init(key, inputs=1, outputs=1):
    first, last = jax.random.split(key)
    return {
        "first": jax.random.normal(first, (inputs, HIDDEN)) * np.sqrt(2 / inputs),
        "bias": jnp.zeros(HIDDEN),
        "last": jax.random.normal(last, (HIDDEN, outputs)) * np.sqrt(2 / HIDDEN),
    }


def apply(weights, x):
    return jnp.tanh(x @ weights["first"] + weights["bias"]) @ weights["last"]


def waves(rows, seed):
    """y = sin 3x + noise of sd 0.2, in other units: 100 + 10 times that."""
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (rows, 1))
    return x, 100 + 10 * (np.sin(3 * x[:, 0]) + 0.2 * random.normal(size=rows))


def network_of(rows):
    return starling.from_jax_network(init, apply, waves(rows, 1))
