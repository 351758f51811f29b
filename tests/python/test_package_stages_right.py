"""Runs in stages from Python: right with no option, and wrong clouds are not confirmed."""

import numpy as np
import pytest
from in_stages import QUIET, assert_right, normal, off, scores

import starling


@pytest.fixture(scope="module")
def regression():
    """Ten coefficients on scales from 1 to 10^5 and the logarithm of the noise, with the posterior
    known exactly: a flat prior gives Student's t for the coefficients and a scaled chi for the
    noise."""
    rng = np.random.default_rng(11)
    n, k = 80, 10
    scale = 10.0 ** -np.linspace(0, 5, k)
    features = (rng.normal(size=(n, k)) + 0.7 * rng.normal(size=(n, 1))) * scale
    y = features @ (rng.normal(size=k) / scale) + 0.5 * rng.normal(size=n)

    def log_density(x):
        beta, log_sigma = x[:, :k], x[:, k]
        left = y - beta @ features.T
        precision = np.exp(-2 * np.maximum(log_sigma, -300))  # ways up may lead anywhere
        square = np.sum(left**2, axis=1)
        return (
            -n * log_sigma - precision * square / 2,
            np.column_stack([precision[:, None] * (left @ features), precision * square - n]),
        )

    best = np.linalg.lstsq(features, y, rcond=None)[0]
    square = np.sum((y - features @ best) ** 2)
    sd = np.sqrt(np.diag(np.linalg.inv(features.T @ features)) * square / (n - k - 2))
    draws = 0.5 * np.log(square / np.random.default_rng(1).chisquare(n - k, size=10**6))
    return log_density, np.append(best, draws.mean()), np.append(sd, draws.std())


def test_a_regression_on_all_scales_is_right_with_no_option(regression):
    target, mean, sd = regression
    assert sd[:10].max() / sd[:10].min() > 5e4
    result = starling.sample(target, dim=11, progress=False)
    assert result.verdict == "converged" and result.certificate["finding"] == "confirmed", result
    assert_right(result.unconstrained, mean, sd)
    pooled = np.array(list(result.pooled.values()))
    assert list(result.pooled) == result.names
    assert (
        np.abs((pooled[:, 0] - mean) / sd).max() < 0.1 and np.abs(pooled[:, 1] / sd - 1).max() < 0.1
    )


def test_the_comparison_sees_a_posterior_of_half_the_data(regression):
    """The negative control: everything halved is another posterior, wider by the root of two."""
    target, mean, sd = regression
    result = starling.sample(
        lambda x: tuple(part / 2 for part in target(x)), dim=11, progress=False
    )
    assert off(result.unconstrained, mean, sd)[1].max() > 10


def test_a_hierarchical_logistic_model_in_jax_is_right_with_no_option():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    pytest.importorskip("numpyro", reason="NumPyro is not installed")
    from numpyro.diagnostics import effective_sample_size
    from numpyro.infer import MCMC, NUTS

    jnp, before = jax.numpy, jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        rng = np.random.default_rng(3)
        group, z = rng.integers(27, size=250), rng.normal(size=250)
        effects = 0.4 + 0.8 * rng.normal(size=27)
        y = (rng.random(250) < 1 / (1 + np.exp(-effects[group] - 0.7 * z))).astype(float)

        def log_density(x):
            mu, log_tau, slope, eta = x[0], x[1], x[2], x[3:]
            tau = jnp.exp(log_tau)
            logit = mu + tau * eta[group] + slope * z
            prior = -(mu**2 + slope**2 + tau**2) / 8 + log_tau - jnp.sum(eta**2) / 2
            return prior + jnp.sum(y * logit - jnp.logaddexp(0.0, logit))

        result = starling.sample(starling.from_jax(log_density, dim=30), progress=False)
        exact = MCMC(
            NUTS(potential_fn=lambda x: -log_density(x)),
            num_warmup=500,
            num_samples=4000,
            progress_bar=False,
        )
        exact.run(jax.random.key(1), init_params=jnp.zeros(30))
        reference = np.asarray(exact.get_samples())
    finally:
        jax.config.update("jax_enable_x64", before)
    assert result.verdict == "converged", result
    known = np.minimum(
        effective_sample_size(reference[None]), effective_sample_size(reference[None] ** 2)
    )
    mean, sd = reference.mean(axis=0), reference.std(axis=0)
    kurtosis = np.mean(((reference - mean) / sd) ** 4, axis=0)
    assert_right(result.unconstrained, mean, sd, 1 / np.sqrt(known), kurtosis)


WRONG = {
    "half the density": lambda x: (normal(x)[0] / 2, scores(x)),
    "twice the density": lambda x: (normal(x)[0] * 2, scores(x)),
    "half the score": lambda x: (normal(x)[0], scores(x) / 2),
    "the wrong way": lambda x: (normal(x)[0], -scores(x)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_a_density_that_its_score_does_not_fit_is_never_confirmed(name):
    with pytest.raises(starling.TargetError, match="the slope of the log density"):
        starling.sample(WRONG[name], dim=2, **QUIET)
    with np.errstate(all="ignore"):
        result = starling.sample(WRONG[name], dim=2, check=False, **QUIET)
    assert result.verdict != "converged", result


@pytest.mark.parametrize("width, word", [(3, "wider"), (1 / 3, "narrower")])
def test_a_cloud_of_the_wrong_width_is_never_confirmed(width, word):
    """N(0, 1) as it is, with nothing done to it but the test."""
    result = starling.sample(
        lambda x: (-0.5 * np.sum((x / width) ** 2, axis=1), -x / width**2),
        dim=3,
        method="auto",
        prefit="none",
        steps=0,
        exact="none",
        **QUIET,
    )
    assert (
        result.verdict == "still moving"
        and word in result.reason
        and result.certificate["finding"] == "moved"
    )
    right = starling.sample(
        lambda x: (-0.5 * np.sum(x**2, axis=1), -x),
        dim=3,
        method="auto",
        prefit="none",
        steps=0,
        exact="none",
        **QUIET,
    )
    assert right.verdict == "converged", "and the right one is"


def laplace(x):
    return -np.abs(x).sum(axis=1), -np.sign(x)


def in_single_numbers(x):
    """A density of a thousand data in single numbers that come as doubles."""
    x = x.astype(np.float32)
    return (np.float32(-1e3) - np.float32(0.5) * (x**2).sum(axis=1, dtype=np.float32)).astype(
        float
    ), -x.astype(float)


@pytest.mark.parametrize(
    "target", [laplace, in_single_numbers, normal], ids=lambda target: target.__name__
)
def test_kinks_and_roundings_are_no_fault_of_a_gradient(target):
    result = starling.sample(target, dim=2, **QUIET)
    assert "as fast as its gradient says" not in result.reason
