"""The prior of weights: a draw of its own for each particle, and a scale that is learned."""

import numpy as np
import pytest
import starling
from small_network import HIDDEN, apply, init, jax, jnp, waves
from starling.network_prior import UsualPrior
from starling.network_steps import REPULSION, Steps


def steps_of(network, particles, seed=7):
    return Steps(network, network.start(particles, seed), seed)


def test_drift_of_one_particle_is_the_slope_of_the_log_posterior():
    """N = 1 has no kernel, so that the drift of predictions is their score. The prior is normal
    around the particle's own draw; its scale has the slope of log p(v | s), v a draw from it."""
    x, y = waves(40, 3)
    network = starling.from_jax_network(init, apply, (x, y), data_batch=40, likelihood="normal")
    work = steps_of(network, 1)
    anchor, unit, d = work.prior.anchors[0], work.prior.unit, network.model.dim
    inputs, seen = network.inputs(x), network.likelihood.observed(y)
    array = np.repeat(np.arange(3), HIDDEN)  # bias, first, last

    def log_posterior(row, around):
        v, log_sd, s = row[:d], row[d], jnp.exp(row[d + 1 :])[array]
        mean = apply(network.model.tree(v * unit), inputs)
        fit = -jnp.sum(((seen - mean) * jnp.exp(-log_sd)) ** 2) / 2 - len(y) * log_sd
        hyper = -(log_sd**2) / 2 - jnp.sum(row[d + 1 :] ** 2) / 2
        fixed = jax.lax.stop_gradient
        pull = -jnp.sum(((v - fixed(s) * around) / fixed(s)) ** 2) / 2
        return fit + hyper + pull - jnp.sum((fixed(v) / s) ** 2) / 2 - jnp.sum(jnp.log(s))

    row = work.start + np.random.default_rng(1).normal(0, 0.3, work.start.shape)
    row = row.astype(np.float32)
    _, score = work.predict(0, row)
    drift = work.pull(0, row, score)[0]
    slope = np.asarray(jax.grad(log_posterior)(row[0], anchor))
    np.testing.assert_allclose(drift, slope, rtol=1e-3, atol=1e-2 * REPULSION)
    around_0 = np.asarray(jax.grad(log_posterior)(row[0], 0 * anchor))
    assert np.abs(drift - around_0).max() > 1  # the test sees a prior around 0


def test_particles_start_from_draws_of_the_prior():
    network = starling.from_jax_network(init, apply, waves(40, 3))
    given, start = network.start(200, 7), steps_of(network, 200).start
    bias, first = start[:, :HIDDEN], start[:, HIDDEN : 2 * HIDDEN]
    assert np.all(given[:, :HIDDEN] == 0)
    error = np.sqrt(2 / bias.size)  # of a variance
    assert abs(bias.var() - 1) < 4 * error  # of a bias the prior has sd 1
    wide = given[:, HIDDEN : 2 * HIDDEN]  # as they are: the prior has their size
    np.testing.assert_allclose(first * np.sqrt(np.mean(wide**2)), wide, rtol=1e-4)


def test_draws_are_addressed_by_seed_and_particle():
    network = starling.from_jax_network(init, apply, waves(40, 3))
    few, many, other = (steps_of(network, n, seed).start for n, seed in ((3, 7), (9, 7), (3, 8)))
    assert np.array_equal(few[:, :HIDDEN], many[:3, :HIDDEN])
    assert not np.array_equal(few[:, :HIDDEN], other[:, :HIDDEN])


def rough(rows, seed):
    """y = 5 sin 2x + noise of sd 1 on [-3, 3]: weights must be larger than the prior's."""
    random = np.random.default_rng(seed)
    x = random.uniform(-3, 3, (rows, 1))
    return x, 5 * np.sin(2 * x[:, 0]) + random.normal(size=rows)


def towards_0(self, v, log_s, around_own_draw):
    return -v, 0 * log_s


@pytest.mark.parametrize("slopes, low, high", [(None, 0.9, 1.4), (towards_0, 1.4, 4)])
def test_functions_that_need_large_weights_are_learned(slopes, low, high, monkeypatch):
    """Not so if the prior draws weights to 0, the control."""

    def tanh(key):
        first, last = jax.random.split(key)
        return {
            "first": jax.random.normal(first, (1, 50)),
            "bias": jnp.zeros(50),
            "last": jax.random.normal(last, (50, 1)) / 5,
        }

    if slopes:
        monkeypatch.setattr(UsualPrior, "slopes", slopes)
    network = starling.from_jax_network(tanh, apply, rough(200, 1))
    result = starling.sample(network, data=rough(300, 2), seed=1, steps=1000, progress=False)
    assert low < result.held_out.error < high
