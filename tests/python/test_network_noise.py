"""Networks with noise: stochastic SVGD in batches of one, which keeps the posterior as it is."""

import numpy as np
import pytest
import starling
from small_network import jnp, network_of

PARTICLES, ROWS, TAU = 200, 40, 2.0


def whitened(noise, weight=1.0):
    """A linear model with a normal prior of sd TAU: its particles, less the mean of the posterior
    and in units of its sds. The posterior is that of the noise's sd which the run learned."""
    random = np.random.default_rng(5)
    x = random.normal(size=(ROWS, 3)) * [1.0, 0.5, 0.2]
    y = x @ [1.0, -2.0, 0.5] + 0.3 * random.normal(size=ROWS)

    def zeros(key):
        return {"w": jnp.zeros(3)}

    network = starling.from_jax_network(
        zeros,
        lambda weights, rows: rows @ weights["w"],
        (x, y),
        likelihood="normal",
        scale=False,
        data_batch=ROWS,
        log_prior=lambda weights: -jnp.sum(weights["w"] ** 2) / (2 * TAU**2),
        prior_weight=weight,
    )
    run = starling.sample(
        network, particles=PARTICLES, steps=1000, noise=noise, seed=3, progress=False
    )
    w, sigma = run.unconstrained[:, :3].astype(float), np.exp(run.unconstrained[0, 3])
    assert 0.2 < sigma < 0.4
    precision = x.T @ x / sigma**2 + weight * np.eye(3) / TAU**2
    mean = np.linalg.solve(precision, x.T @ y / sigma**2)
    return (w - mean) @ np.linalg.cholesky(precision)


@pytest.mark.parametrize("temperature", [1.0, 0.25])
def test_the_posterior_stays_at_any_temperature(temperature):
    z = whitened(temperature) / np.sqrt(temperature)
    assert np.all(np.abs(z.mean(axis=0)) < 4 / np.sqrt(PARTICLES))
    se = np.sqrt(2 / PARTICLES)
    assert np.all(np.abs(z.var(axis=0) - 1) < 4 * se), z.var(axis=0)
    correlations = np.corrcoef(z.T)[np.triu_indices(3, 1)]
    assert np.all(np.abs(correlations) < 4 / np.sqrt(PARTICLES))


def test_other_noise_is_seen():
    """The control: noise of another temperature, and none at all, are outside of what is allowed
    above."""
    for noise in (0.0, 0.5, 2.0):
        variance = whitened(noise).var(axis=0)
        assert np.all(np.abs(variance - 1) > 4 * np.sqrt(2 / PARTICLES)), (noise, variance)


def test_the_prior_has_a_weight():
    z = whitened(1.0, weight=50.0)
    assert np.all(np.abs(z.var(axis=0) - 1) < 4 * np.sqrt(2 / PARTICLES)), z.var(axis=0)


def test_noise_is_drawn_by_seed_and_particle_whatever_the_threads():
    network = network_of(60)

    def run(**how):
        return starling.sample(network, steps=40, progress=False, **how).unconstrained

    noisy = run(seed=4, noise=1)
    assert np.array_equal(noisy, run(seed=4, noise=1, threads=2))
    assert not np.array_equal(noisy, run(seed=5, noise=1))
    assert np.array_equal(run(seed=4), run(seed=4, noise=0))
    assert not np.array_equal(noisy, run(seed=4))
    own = noisy[:, network.model.dim :]
    assert np.all(own == own[0])  # what all learn in common has no noise


@pytest.mark.parametrize("noise", [-1, np.nan, np.inf, "some", None])
def test_noise_that_is_none_is_refused(noise):
    with pytest.raises(ValueError, match="noise: must be a finite number of at least 0; got"):
        starling.sample(network_of(20), noise=noise)
