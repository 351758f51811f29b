"""Networks in JAX as one program: the steps of its slow twin, the engine with NumPy between."""

import os
import signal
import threading

import numpy as np
import pytest
import starling
from small_network import apply, init, jax, jnp, network_of, waves
from starling import jax_network_loop, network_flight
from starling.jax_philox import normals

STEPS = 12


def run(network, in_loop, monkeypatch, **how):
    monkeypatch.setattr(network_flight, "loop_pays", lambda *_: in_loop)
    how = dict(dict(particles=5, steps=STEPS, seed=2**32 + 4, progress=False), **how)
    return starling.sample(network, **how)


def batches(x, y, size):
    return [(x[k : k + size], y[k : k + size]) for k in range(0, len(x), size)]


def square_prior(weights):
    return -sum(jnp.sum(leaf**2) for leaf in weights.values())


def of_two_outputs():
    x, y = waves(90, 1)
    rows = batches(x, np.stack([y, -2 * y], axis=1), 20)
    return starling.from_jax_network(lambda key: init(key, 1, 2), apply, rows)


def of_classes():
    x, y = waves(90, 1)
    return starling.from_jax_network(
        lambda key: init(key, 1, 3), apply, (x, (y > 100).astype(int)), likelihood="classes"
    )


CASES = {
    "tails": lambda: (starling.from_jax_network(init, apply, waves(90, 1), data_batch=30), {}),
    "own prior, noise": lambda: (
        starling.from_jax_network(
            init, apply, waves(90, 1), log_prior=square_prior, prior_weight=2, likelihood="normal"
        ),
        dict(noise=0.5),
    ),
    "batches, noise": lambda: (
        starling.from_jax_network(init, apply, batches(*waves(90, 1), 20), fixed=["bias"]),
        dict(noise=1),
    ),
    "own prior": lambda: (
        starling.from_jax_network(init, apply, waves(90, 1), log_prior=square_prior, data_batch=30),
        dict(particles=9),
    ),
    "batches, two outputs": lambda: (of_two_outputs(), dict(particles=9)),
    "classes, one particle": lambda: (of_classes(), dict(particles=1)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_loop_is_its_slow_twin(case, monkeypatch):
    """Up to rounding. Adam magnifies it where a slope is about 0, of few numbers, to a step of .01
    at most."""
    network, how = CASES[case]()
    loop, twin = (run(network, fast, monkeypatch, **how).unconstrained for fast in (True, False))
    apart = np.abs(loop - twin) / np.maximum(1, np.abs(twin))
    assert np.median(apart) < 5e-6 and apart.max() < 0.02


def test_the_length_of_loops_changes_no_bit(monkeypatch):
    network, made = network_of(60), []
    for seconds in (1e-9, 10):  # loops of one step, and of many
        monkeypatch.setattr(jax_network_loop, "SECONDS", seconds)
        made.append(run(network, True, monkeypatch).unconstrained)
    assert np.array_equal(*made)


def test_ctrl_c_waits_for_the_end_of_a_loop(monkeypatch):
    """And leaves a result of whole steps."""

    class Rows(list):
        reads = 0

        def __iter__(self):
            Rows.reads += 1
            if Rows.reads == 4:
                os.kill(os.getpid(), signal.SIGINT)
            return super().__iter__()

    assert threading.current_thread() is threading.main_thread()
    network = starling.from_jax_network(init, apply, Rows(batches(*waves(40, 1), 20)))
    with pytest.warns(UserWarning, match="interrupted after"):
        result = run(network, True, monkeypatch)
    assert result.interrupted and 0 < result.settings["steps"] < STEPS
    assert np.all(np.isfinite(result.unconstrained))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_that_diverges_says_where(monkeypatch):
    def steep(weights, x):
        return 1e30 * apply(weights, x) ** 3

    network = starling.from_jax_network(init, steep, waves(40, 1))
    with pytest.raises(starling.Diverged, match=r"diverged by step \d+, particle \d: its p"):
        run(network, True, monkeypatch)


def test_long_runs_are_loops_and_short_ones_are_not():
    network = network_of(40)
    work = network_flight.Steps(network, network.start(5, 1), 1)
    assert network_flight.loop_pays(work, 2000) and not network_flight.loop_pays(work, 200)


def philox(seed, step, index):
    """The engine's, in whole numbers of Python."""
    counter = [index, 24, step, 0]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        low = 0xFFFFFFFF
        counter = [b >> 32 ^ counter[1] ^ key[0], b & low, a >> 32 ^ counter[3] ^ key[1], a & low]
        key = [(key[0] + 0x9E3779B9) & low, (key[1] + 0xBB67AE85) & low]
    return counter


def test_normals_are_those_of_the_engine():
    seed, particles, dim = 2**40 + 7, 3, 7
    key = np.array([seed & 0xFFFFFFFF, seed >> 32], np.uint32)
    made = np.asarray(normals(key, jnp.int32(5), particles, dim))
    for i, a in np.ndindex(particles, dim):
        bits = philox(seed, 5, i * 4 + a // 2)
        words = bits[1] << 32 | bits[0], bits[3] << 32 | bits[2]
        u, v = (((word >> 12) + 0.5) * 2.0**-52 for word in words)
        angle = 2 * np.pi * v
        pair = np.sqrt(-2 * np.log(u)) * np.array([np.cos(angle), np.sin(angle)])
        assert abs(made[i, a] - pair[a % 2]) < 5e-6
    many = np.asarray(jax.jit(normals, static_argnums=(2, 3))(key, jnp.int32(5), 100, 1000))
    assert abs(many.mean()) < 4 / np.sqrt(many.size)
    assert abs(many.var() - 1) < 4 * np.sqrt(2 / many.size)
