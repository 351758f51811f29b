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
