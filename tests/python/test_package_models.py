"""Models of PyMC and NumPyro as targets: names, bounds, dimensions, groups, priors, rows."""

import re
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from conftest import ROOT

import starling

EFFECTS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
SCHOOLS = list("ABCDEFGH")
FAST = dict(particles=60, method="paper", steps=20, seed=1, progress=False)


@pytest.fixture(scope="module")
def schools_in_pymc(pymc):
    with pymc.Model(coords={"school": SCHOOLS}) as model:
        error = pymc.Data("error", ERRORS, dims="school")
        mu = pymc.Normal("mu", 0, 5)
        tau = pymc.HalfNormal("tau", 5)
        eta = pymc.Normal("eta", 0, 1, dims="school")
        theta = pymc.Deterministic("theta", mu + tau * eta, dims="school")
        pymc.Dirichlet("p", np.ones(3))
        pymc.Normal("y", theta, error, observed=EFFECTS, dims="school")
    return model


def schools(error, y=None):
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfNormal(5))
    with numpyro.plate("school", len(error)):
        eta = numpyro.sample("eta", dist.Normal(0, 1))
        theta = numpyro.deterministic("theta", mu + tau * eta)
        numpyro.sample("y", dist.Normal(theta, error), obs=y)
    numpyro.sample("p", dist.Dirichlet(jnp.ones(3)))
    numpyro.factor("nothing", 0.0)


@pytest.fixture(scope="module")
def schools_in_numpyro(double):
    pytest.importorskip("numpyro", reason="NumPyro is not installed")
    return starling.from_numpyro(schools, ERRORS, y=EFFECTS)


def log_density_of_schools(space, x):
    """Of mu, log tau, eta, written out; the Dirichlet's part is flat but for its transform."""
    v = space.variables(x)
    mu, tau, eta = v["mu"], v["tau"], v["eta"]
    return (
        -(mu**2) / 50
        - tau**2 / 50
        + np.log(tau)
        - (eta**2).sum(axis=1) / 2
        - (((EFFECTS - mu[:, None] - tau[:, None] * eta) / ERRORS) ** 2).sum(axis=1) / 2
    )


@pytest.fixture(params=["pymc", "numpyro"])
def target(request):
    if request.param == "pymc":
        return starling.from_pymc(request.getfixturevalue("schools_in_pymc"))
    return request.getfixturevalue("schools_in_numpyro")


def test_the_density_is_the_models(target):
    space = target.space
    x = np.random.default_rng(1).normal(size=(6, len(space.names)))
    simplex = [a for a, name in enumerate(space.names) if name.startswith("p")]
    x[:, simplex] = 0.3  # alike in all rows, so that its part is a constant
    theirs = target(x)[0] - log_density_of_schools(space, x)
    assert np.ptp(theirs) < 1e-9
    assert starling.check(target).right is True


def test_draws_are_the_models_variables(target):
    result = starling.sample(target, **FAST)
    assert sorted(result.draws) == ["eta", "mu", "p", "tau", "theta"]
    assert list(result.draws)[0] == "mu", "in the model's order"
    draws = result.draws
    assert (draws["tau"] > 0).all() and np.allclose(draws["p"].sum(axis=1), 1)
    assert np.allclose(
        draws["theta"], draws["mu"][:, None] + draws["tau"][:, None] * draws["eta"], atol=1e-6
    )


def test_arviz_has_the_groups_dimensions_and_likelihoods(target):
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    result = starling.sample(target, runs=2, **FAST)
    data = result.to_arviz()
    assert {"posterior", "unconstrained_posterior", "observed_data", "constant_data"} <= set(
        group.lstrip("/") for group in data.groups()
    )
    assert data.posterior["theta"].dims == ("chain", "draw", "school")
    assert data.observed_data["y"].dims == ("school",)
    assert np.array_equal(data.observed_data["y"].values, EFFECTS)
    (constant,) = data.constant_data.data_vars.values()
    assert np.array_equal(constant.values, ERRORS)
    assert list(data.observed_data.data_vars) == list(data.log_likelihood.data_vars) == ["y"]
    likelihood = data.log_likelihood["y"]
    assert likelihood.dims == ("chain", "draw", "school")
    z = (EFFECTS - result.draws["theta"]) / ERRORS
    expected = -(z**2) / 2 - np.log(ERRORS) - np.log(2 * np.pi) / 2
    assert np.allclose(likelihood.values, expected, atol=1e-5)
    found = arviz.loo(data, pointwise=True)
    assert found.pareto_k.shape == (8,) and np.isfinite(found.elpd_loo)


def test_the_prior_is_drawn_from(target):
    drawn = starling.prior(target, draws=4000, seed=2)
    se = 1 / np.sqrt(4000)
    assert abs(drawn.draws["mu"].mean() / 5) < 4 * se
    assert abs(drawn.draws["tau"].mean() / (5 * np.sqrt(2 / np.pi)) - 1) < 4 * se
    assert abs(drawn.draws["p"].mean(axis=0) - 1 / 3).max() < 4 * se / 3
    wrong = np.exp(drawn.draws["mu"] / 5).mean()  # what a forgotten transform would look like
    assert abs(wrong - np.sqrt(2 / np.pi)) > 4 * se
    assert drawn.to_arviz().prior["theta"].shape == (1, 4000, 8)
    result = starling.sample(target, start=drawn, particles=60, certify="none", progress=False)
    assert result.settings["method"] == "auto" and result.gradients["scout"] == 0


def test_a_start_may_be_values_of_the_variables(target):
    random = np.random.default_rng(3)
    x = random.normal(size=(9, len(target.space.names)))
    values = target.space.variables(x)
    assert np.allclose(target.space.unconstrain(values), x, atol=1e-9)
    result = starling.sample(target, start=values, certify="none", progress=False)
    assert result.settings["method"] == "auto" and len(result.unconstrained) == 9
    with pytest.raises(ValueError, match=r"start: tau(_log__)? has values outside its bounds"):
        target.space.unconstrain({**values, "tau": -values["tau"]})
    with pytest.raises(ValueError, match=r"start: eta must be of shape \(N, 8\); got \(9, 7\)"):
        target.space.unconstrain({**values, "eta": values["eta"][:, :7]})
    with pytest.raises(ValueError, match="start: must have every parameter; got none for mu"):
        target.space.unconstrain({name: values[name] for name in values if name != "mu"})


def test_pymc_keeps_labels_and_takes_the_draws(pymc, schools_in_pymc):
    with schools_in_pymc:
        result = starling.sample(**FAST)
    data = result.to_arviz()
    assert list(data.posterior["theta"].coords["school"].values) == SCHOOLS
    rows = list(result.summary().index)
    assert "theta[C]" in rows and "theta[2]" not in rows and "p[2]" in rows
    assert "theta[C]" in result._repr_html_()
    assert "tau_log__" in data.unconstrained_posterior
    with schools_in_pymc:
        predicted = pymc.sample_posterior_predictive(data, progressbar=False, random_seed=1)
    assert predicted.posterior_predictive["y"].shape == (1, 60, 8)


def test_numpyro_takes_the_draws(double, schools_in_numpyro):
    from numpyro.infer import Predictive

    result = starling.sample(schools_in_numpyro, **FAST)
    predicted = Predictive(schools, result.draws)(double.random.key(1), ERRORS)
    assert predicted["y"].shape == (60, 8)


def test_a_minibatch_of_pymc_goes_by_rows(pymc):
    random = np.random.default_rng(1)
    x, y = random.normal(size=(3000, 2)), random.normal(size=3000)
    some_x, some_y = pymc.Minibatch(x, y, batch_size=100)
    with pymc.Model() as model:
        b = pymc.Normal("b", 0, 10, shape=2)
        pymc.Normal("y", pymc.math.dot(some_x, b), 1, observed=some_y, total_size=3000)
    target = starling.from_pymc(model)
    assert isinstance(target, starling.Rows) and target.rows == 3000
    at = random.normal(size=(3, 2))
    density, score = target(at)
    off = y - at @ x.T
    expected = -(off**2).sum(axis=1) / 2 - (at**2).sum(axis=1) / 200
    assert np.ptp(density - expected) < 1e-7
    assert np.allclose(score, off @ x - at / 100)
    rows = np.array([5, 700])
    assert np.allclose(target.row_scores(at[0], rows), off[0, rows, None] * x[rows])
    two = pymc.Minibatch(y, batch_size=10)
    with model:
        pymc.Normal("z", 0, 1, observed=two, total_size=3000)
    with pytest.raises(ValueError, match="with total_size, .*; got 2 and 2"):
        starling.from_pymc(model)


def test_what_is_no_model_is_named(double):
    with pytest.raises(TypeError, match="model: must be a pymc.Model; got str"):
        starling.from_pymc("x")
    with pytest.raises(TypeError, match="got none, outside of `with model:"):
        starling.from_pymc()
    for given in ({}, {"model": "m"}):  # the second as in pymc.sample(model=model)
        with pytest.raises(
            TypeError, match="target: must be given first, .* inside `with model:` of PyMC"
        ):
            starling.sample(**given)
    with pytest.raises(TypeError, match="got 2000; for as many draws write particles=2000"):
        starling.sample(2000)
    with pytest.raises(TypeError, match="model: must be a NumPyro model, a function.*got str"):
        starling.from_numpyro("x")
    with pytest.raises(ValueError, match="prior: this target has none"):
        starling.prior(lambda x: -x)


def test_arguments_of_a_numpyro_model_are_for_from_numpyro():
    def model(x, y=None):
        raise AssertionError("must not be called")

    words = r"settings by name, .*; for a NumPyro model .*starling.from_numpyro\(model, ...\)"
    for given, named in (((1, 2), {}), ((1,), {"y": 2}), ((), {"y": 2})):
        with pytest.raises(TypeError, match=words):
            starling.sample(model, *given, **named)
    with pytest.raises(TypeError, match="^z: is not a setting of a run$"):  # of nobody
        starling.sample(model, z=2)


def test_discrete_variables_are_named(pymc):
    with pymc.Model() as model:
        pymc.Poisson("k", 3)
    with pytest.raises(ValueError, match="must have continuous variables alone; got k"):
        starling.sample(model)


def posterior_of_schools(scale):
    """Means of mu, tau and the first school, and its sd, by quadrature over mu and tau ~
    half-normal(scale): given those, schools are independent normals."""
    mu, tau = np.meshgrid(np.linspace(-25, 35, 601), np.linspace(0.01, 40, 800), indexing="ij")
    variances = tau[..., None] ** 2 + ERRORS**2
    log_density = (
        -(mu**2) / 50
        - tau**2 / (2 * scale**2)
        - ((EFFECTS - mu[..., None]) ** 2 / variances + np.log(variances)).sum(axis=-1) / 2
    )
    weights = np.exp(log_density - log_density.max())
    weights /= weights.sum()
    share = tau**2 / variances[..., 0]
    first = mu + share * (EFFECTS[0] - mu)
    mean = (weights * first).sum()
    second = (weights * (first**2 + share * ERRORS[0] ** 2)).sum()
    means = [(weights * mu).sum(), (weights * tau).sum(), mean, np.sqrt(second - mean**2)]
    return np.array(means)


def test_the_example_gives_one_posterior_by_every_way(double):
    ways = [way for way in ("numpyro", "pymc", "jax") if way == "jax" or find_spec(way)]
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "eight_schools.py"), *ways],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    number = r"(-?[\d.]+)"
    found = re.findall(rf"mu {number}, tau {number}, school A {number} \+- {number}", done.stdout)
    assert len(found) == len(ways)
    se = np.array([3.3, 2.5, 5.1, 5.1 / np.sqrt(2)]) / np.sqrt(1000)  # of independent draws
    for one in np.array(found, dtype=float):
        assert (np.abs(one - posterior_of_schools(5)) < 4 * se + 0.005).all()
        assert (np.abs(one - posterior_of_schools(10)) > 4 * se + 0.005).any(), "another prior"
