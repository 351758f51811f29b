"""Models of PyMC and NumPyro that are not plain: discrete variables, improper priors, parts that
JAX lacks; and what is kept of a model in files."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest

import starling

FAST = dict(particles=60, method="paper", steps=20, seed=1, progress=False)
QUIET = dict(seed=1, progress=False)


@pytest.fixture(scope="module")
def numpyro(double):
    return pytest.importorskip("numpyro", reason="NumPyro is not installed")


Y = np.array([2.0, 3.0, 2.5, 0.1])


def two_kinds(y):
    """Each observation is of one of two kinds: a sum over them can be written out."""
    import numpyro
    import numpyro.distributions as dist

    p = numpyro.sample("p", dist.Beta(1, 1))
    with numpyro.plate("n", len(y)):
        k = numpyro.sample("k", dist.Bernoulli(p))
        numpyro.deterministic("place", 3.0 * k)
        numpyro.sample("y", dist.Normal(3.0 * k, 1.0), obs=y)
    numpyro.deterministic("q", 1 - p)


@pytest.mark.skipif(find_spec("funsor") is None, reason="funsor is not installed")
def test_numpyro_sums_over_discrete_sites(numpyro):
    target = starling.from_numpyro(two_kinds, Y)
    x = np.linspace(-3, 3, 7)[:, None]
    p = 1 / (1 + np.exp(-x))
    of_kinds = (1 - p) * np.exp(-(Y**2) / 2) + p * np.exp(-((Y - 3) ** 2) / 2)
    expected = np.log(of_kinds).sum(axis=1) + np.log(p * (1 - p))[:, 0]
    assert np.ptp(target(x)[0] - expected) < 1e-9
    assert starling.check(target).right is True
    result = starling.sample(target, **FAST)
    assert sorted(result.draws) == ["p", "q"], "k is summed over, and place depends on it"
    assert np.allclose(result.draws["p"] + result.draws["q"], 1)
    assert "log_likelihood" not in [group.lstrip("/") for group in result.to_arviz().groups()]
    assert abs(starling.prior(target, draws=4000).draws["p"].mean() - 0.5) < 4 * 0.29 / 4000**0.5


def test_numpyro_says_what_to_do_about_discrete_sites(numpyro, monkeypatch):
    import numpyro.distributions as dist

    monkeypatch.setattr("starling.numpyro_models.find_spec", lambda _: None)
    with pytest.raises(ValueError, match="k must be summed over.*pip install funsor"):
        starling.from_numpyro(two_kinds, Y)

    def counts():
        numpyro.sample("x", dist.Normal(0, 1))
        numpyro.sample("k", dist.Poisson(3.0))

    with pytest.raises(ValueError, match="discrete ones of few values; got k: sum over it"):
        starling.from_numpyro(counts)


def test_no_evidence_under_improper_priors(pymc, numpyro):
    import numpyro.distributions as dist

    with pymc.Model() as model:
        m = pymc.Normal("m", 0, 1)
        s = pymc.HalfFlat("s")
        pymc.Normal("y", m, s, observed=Y)

    def improper(y):
        s = numpyro.sample("s", dist.ImproperUniform(dist.constraints.positive, (), ()))
        numpyro.sample("y", dist.Normal(0, s), obs=y)

    targets = {"pymc.HalfFlat": model, "ImproperUniform": starling.from_numpyro(improper, Y)}
    for prior, target in targets.items():
        with pytest.raises(ValueError, match=f"evidence: s has the prior {prior}, which has no in"):
            starling.sample(target, evidence=True, **QUIET)
        with pytest.raises(ValueError, match=f"prior: nothing can be drawn from {prior}, the prio"):
            starling.prior(target)
        assert starling.sample(target, **FAST).log_evidence is None


def truncated(pymc):
    """JAX lacks a function of it."""
    with pymc.Model() as model:
        m = pymc.Normal("m", 0, 2)
        pymc.Deterministic("twice", 2 * m)
        pymc.Truncated("y", pymc.Normal.dist(m, 1), lower=0, upper=4, observed=Y)
    return model


def test_what_jax_lacks_is_compiled_by_pytensor(pymc):
    from math import erf

    target = starling.from_pymc(truncated(pymc))
    m = np.linspace(-2, 3, 6)
    within = np.array([erf((4 - a) / 2**0.5) + erf(a / 2**0.5) for a in m])
    expected = -(m**2) / 8 - ((Y - m[:, None]) ** 2).sum(axis=1) / 2 - 4 * np.log(within)
    assert np.ptp(target(m[:, None])[0] - expected) < 1e-6  # PyMC's own function is no better
    assert starling.check(target).right is True
    result = starling.sample(target, **FAST)
    assert np.allclose(result.draws["twice"], 2 * result.draws["m"])
    assert result.to_arviz().log_likelihood["y"].shape == (1, 60, 4)


def test_pymc_needs_no_jax(pymc, monkeypatch):
    with pymc.Model() as model:
        m = pymc.Normal("m", 0, 2)
        pymc.Normal("y", m, 1, observed=Y)
    by_jax = starling.from_pymc(model)
    monkeypatch.setitem(sys.modules, "pymc.sampling.jax", None)
    by_pytensor = starling.from_pymc(model)
    assert by_jax.padded and not by_pytensor.padded
    x = np.linspace(-2, 2, 5)[:, None]
    for ours, theirs in zip(by_pytensor(x), by_jax(x)):
        assert np.allclose(ours, theirs, rtol=1e-12)


def test_densities_that_no_gradient_leads_are_refused(pymc):
    import pytensor.tensor as pt
    from pytensor.graph.op import Apply, Op

    class Square(Op):
        def make_node(self, x):
            return Apply(self, [x], [pt.dscalar()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.asarray(inputs[0] ** 2)

    with pymc.Model() as black_box:
        pymc.Normal("y", Square()(pymc.Normal("x")), 1, observed=1.0)
    with pytest.raises(ValueError, match="model: must have a log density with a gradient; got"):
        starling.from_pymc(black_box)
    with pymc.Model() as drawing:
        x = pymc.Normal("x")
        pymc.Simulator("s", lambda rng, x, size: rng.normal(x, 1, size=size), x, observed=Y)
    with pytest.raises(ValueError, match="that is no random number.*pymc.sample_smc takes it"):
        starling.from_pymc(drawing)


@pytest.mark.parametrize("runs", [1, 2])
def test_files_keep_what_the_model_says(pymc, tmp_path, runs):
    pytest.importorskip("arviz", reason="ArviZ is not installed")
    months = np.arange("2020-01", "2020-05", dtype="datetime64[M]").astype("datetime64[ns]")
    with pymc.Model(coords={"kind": ["a", "b"], "month": months}) as model:
        known = pymc.Data("known", np.arange(4.0), dims="month")
        m = pymc.Normal("m", 0, 1, dims="kind")
        pymc.Normal("y", m[np.array([0, 0, 1, 1])] + known, 1, observed=Y, dims="month")
    made = starling.sample(model, runs=runs, **FAST)
    made.predict(lambda draws: draws["m"].sum(axis=1), name="sum")
    theirs = made.to_arviz()  # has the log likelihood, which is kept then
    made.save(tmp_path / "run")
    loaded = starling.load(tmp_path / "run")
    loaded.save(tmp_path / "again")
    for ours in (loaded.to_arviz(), starling.load(tmp_path / "again").to_arviz()):
        groups = {group.lstrip("/") for group in theirs.groups()} - {""}
        assert {"log_likelihood", "posterior_predictive", "constant_data"} <= groups
        for group in groups:
            assert ours[group].equals(theirs[group]), group
    assert list(loaded.to_arviz().posterior["m"].coords["kind"].values) == ["a", "b"]


def test_a_file_that_is_not_the_models_is_named(tmp_path):
    starling.sample(lambda x: -x, dim=1, **FAST).save(tmp_path / "run")
    assert not (tmp_path / "run" / "model.npz").exists(), "a function has nothing to keep"
    (tmp_path / "run" / "model.npz").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="model.npz: must be that of a run; got something else"):
        starling.load(tmp_path / "run")
