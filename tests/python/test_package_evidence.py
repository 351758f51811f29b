"""The log evidence from Python: against formulas, of several runs, from files, side by side."""

import numpy as np
import pytest

import starling

Y = np.array([1.2, 0.4, 2.1, 1.7, 0.9])
QUIET = dict(seed=1, progress=False, particles=500)


def normal_mean(width):
    """y ~ N(m, 1), m ~ N(0, width^2), with all constants; and its log evidence."""
    n = len(Y)

    def both(p):
        m = p["m"]
        off = Y - m[:, None]
        logs = -(off**2).sum(axis=1) / 2 - m**2 / (2 * width**2) - np.log(width)
        return logs - (n + 1) / 2 * np.log(2 * np.pi), {"m": off.sum(axis=1) - m / width**2}

    covariance = np.eye(n) + width**2
    _, log_det = np.linalg.slogdet(covariance)
    square = Y @ np.linalg.solve(covariance, Y)
    return starling.from_numpy(both, {"m": ()}), -(square + log_det + n * np.log(2 * np.pi)) / 2


@pytest.fixture(scope="module")
def narrow_and_wide():
    made = {}
    for name, width in (("wide", 50.0), ("narrow", 2.0)):
        target, truth = normal_mean(width)
        made[name] = starling.sample(target, evidence=True, **QUIET), truth
    return made


def test_it_is_that_of_the_formula(narrow_and_wide):
    for result, truth in narrow_and_wide.values():
        found = result.log_evidence
        assert found["method"] == "bridge" and found["doubt"] is None
        assert 0 < found["se"] < 0.02
        assert abs(found["value"] - truth) < 4 * found["se"]
        assert abs(found["value"] - (truth + 0.2)) > 4 * found["se"], "another constant is seen"


def test_bounds_bring_their_jacobian():
    """A Gamma density with all constants has the integral 1, whatever the coordinates."""
    target = starling.from_numpy(
        lambda p: (2 * np.log(p["s"]) - p["s"] - np.log(2), {"s": 2 / p["s"] - 1}),
        {"s": starling.positive()},
    )
    found = starling.sample(target, evidence=True, **QUIET).log_evidence
    assert abs(found["value"]) < 4 * found["se"] < 0.1


def test_runs_are_averaged_and_files_keep_it(narrow_and_wide, tmp_path):
    target, truth = normal_mean(2.0)
    several = starling.sample(target, evidence=True, runs=3, **QUIET)
    assert abs(several.log_evidence["value"] - truth) < 4 * several.log_evidence["se"]
    several.save(tmp_path / "run")
    assert starling.load(tmp_path / "run").log_evidence == several.log_evidence


def test_it_is_none_where_nobody_asked(tmp_path):
    target, _ = normal_mean(2.0)
    assert starling.sample(target, **QUIET).log_evidence is None
    with pytest.raises(ValueError, match="evidence: is a part of method='auto'"):
        starling.sample(target, evidence=True, method="paper", **QUIET)


def test_tempering_is_a_second_opinion():
    target, truth = normal_mean(2.0)
    found = starling.sample(target, evidence=True, temper=True, **QUIET).log_evidence
    assert found["doubt"] is None
    assert abs(found["tempered"]["value"] - truth) < 4 * found["tempered"]["se"]


def test_compare_puts_the_best_first(narrow_and_wide):
    pytest.importorskip("pandas", reason="pandas is not installed")
    table = starling.compare({name: result for name, (result, _) in narrow_and_wide.items()})
    assert list(table.index) == ["narrow", "wide"]
    assert list(table["difference"])[0] == 0 and list(table["difference_se"])[0] == 0
    apart = narrow_and_wide["wide"][1] - narrow_and_wide["narrow"][1]
    assert abs(table["difference"]["wide"] - apart) < 4 * table["difference_se"]["wide"]
    assert "elpd_loo" not in table


def test_compare_has_loo_where_likelihoods_are_known(narrow_and_wide):
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    given = {}
    for name, (result, _) in narrow_and_wide.items():
        result.log_likelihood(lambda draws: -((Y - draws["m"][:, None]) ** 2) / 2)
        given[name] = result
    table = starling.compare(given)
    for name, result in given.items():
        assert table["elpd_loo"][name] == arviz.loo(result.to_arviz()).elpd_loo


def test_compare_says_what_it_wants(narrow_and_wide):
    pytest.importorskip("pandas", reason="pandas is not installed")
    target, _ = normal_mean(2.0)
    plain = starling.sample(target, **QUIET)
    with pytest.raises(ValueError, match="results: plain must have a log evidence: sample with"):
        starling.compare({"plain": plain})
    with pytest.raises(TypeError, match="must be a dictionary of results by name; got Result"):
        starling.compare(plain)


def two_modes(x):
    """.5 N(0, 1) + .5 N(200, 2^2), so far that no reference around the first reaches it."""
    near = -(x[:, 0] ** 2) / 2
    far = -((x[:, 0] - 200) ** 2) / 8 - np.log(2)
    logs = np.logaddexp(near, far)
    share = np.exp(far - logs)
    return logs, (-(1 - share) * x[:, 0] - share * (x[:, 0] - 200) / 4)[:, None]


def test_tempering_begins_as_wide_as_draws_of_a_prior():
    """As many rows as particles; the scout is asked all the same, and the two ways agree."""
    draws = np.random.default_rng(1).normal(80, 120, (200, 1))
    result = starling.sample(
        two_modes, start=draws, temper=True, evidence=True, seed=1, progress=False
    )
    found, truth = result.log_evidence, np.log(2 * np.sqrt(2 * np.pi))
    assert result.verdict == "converged"
    assert abs((result.draws["x"] > 100).mean() - 0.5) < 0.05
    assert abs(found["value"] - truth) < 4 * found["se"] and found["doubt"] is None
    assert abs(found["tempered"]["value"] - truth) < 4 * found["tempered"]["se"]
    alone = starling.sample(two_modes, start=draws, seed=1, progress=False)
    assert "tempered" not in (alone.log_evidence or {}), "without temper it is where to begin"


def numpyro_model(log_likelihood, mean, sd):
    """x ~ N(mean, sd^2), and this log likelihood."""
    numpyro = pytest.importorskip("numpyro", reason="NumPyro is not installed")

    def model():
        x = numpyro.sample("x", numpyro.distributions.Normal(mean, sd))
        numpyro.factor("likelihood", log_likelihood(x))

    return starling.from_numpyro(model)


def log_normal(x, mean, variance):
    return -((x - mean) ** 2) / variance / 2 - np.log(2 * np.pi * variance) / 2


def test_tempering_begins_at_the_prior_of_a_model(double):
    """Both modes are met. From around the scout's mode, the control, one is."""

    def log_likelihood(x):
        return double.numpy.logaddexp(log_normal(x, 0.0, 1.0), log_normal(x, 2e4, 4.0))

    target = numpyro_model(log_likelihood, 8e3, 1.2e4)
    near, far = log_normal(8e3, 0.0, 1.2e4**2 + 1), log_normal(8e3, 2e4, 1.2e4**2 + 4)
    truth, share = np.logaddexp(near, far), 1 / (1 + np.exp(near - far))
    asked = dict(temper=True, evidence=True, particles=500, seed=1, progress=False)
    found = starling.sample(target, **asked)
    assert found.verdict == "converged"
    assert abs((found.draws["x"] > 1e4).mean() - share) < 0.05
    assert found.log_evidence["doubt"] is None
    for by in (found.log_evidence, found.log_evidence["tempered"]):
        assert abs(by["value"] - truth) < 4 * by["se"]
    missed = starling.sample(target, start="scout", **asked)
    assert (missed.draws["x"] > 1e4).mean() < 0.05
    assert abs(missed.log_evidence["value"] - truth) > 4 * missed.log_evidence["se"]


def test_the_evidence_of_one_mode_is_that_of_either_reference(double):
    target = numpyro_model(lambda x: log_normal(x, 1.0, 0.04), 0.0, 10.0)
    truth = log_normal(1.0, 0.0, 100.04)
    asked = dict(temper=True, evidence=True, particles=500, seed=1, progress=False)
    of_prior = starling.sample(target, **asked)
    of_scout = starling.sample(target, start="scout", **asked)
    given = starling.sample(target, start=starling.prior(target, draws=500, seed=1), **asked)
    values = [one.log_evidence["tempered"] for one in (of_prior, of_scout, given)]
    for value in values:
        assert abs(value["value"] - truth) < 4 * value["se"] < 0.5
    assert values[0] == values[2] and values[0]["value"] != values[1]["value"]


def test_without_a_prior_to_draw_from_tempering_begins_around_the_scout(double):
    numpyro = pytest.importorskip("numpyro", reason="NumPyro is not installed")

    def model():
        real = numpyro.distributions.constraints.real
        x = numpyro.sample("x", numpyro.distributions.ImproperUniform(real, (), ()))
        numpyro.factor("likelihood", log_normal(x, 1.0, 1.0))

    asked = dict(temper=True, particles=60, seed=1, progress=False)
    one, other = (
        starling.sample(starling.from_numpyro(model), start=start, **asked)
        for start in (None, "scout")
    )
    assert np.array_equal(one.draws["x"], other.draws["x"])
