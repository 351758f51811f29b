"""What held-out rows say of predictions: likelihoods, bands, verdicts, of any target."""

import numpy as np
import pytest
import starling
from starling.held_out import Look, verdict_of
from starling.likelihoods import Classes, Regression
from starling.noise import NOISES


@pytest.mark.parametrize("likelihood", ["normal", "student", "classes"])
def test_scores_of_likelihoods_are_their_slopes(likelihood):
    random = np.random.default_rng(1)
    if likelihood == "classes":
        y = np.array([0, 2, 1, 1])
        made = Classes(y, 3)
        outputs = random.normal(size=(1, 4, 3))
    else:
        y = random.normal(size=(4, 2))
        made = Regression(likelihood, y, scale=False)
        outputs = random.normal(size=(1, 4, 2))
    own = random.normal(size=made.start(1).shape)
    f = made.join(outputs, own)
    slopes = np.zeros_like(f)
    for at in np.ndindex(f.shape):
        step = np.zeros_like(f)
        step[at] = 1e-5
        rise = made.log_likelihood(f + step, y) - made.log_likelihood(f - step, y)
        slopes[at] = rise[at[1]] / 2e-5
    of_outputs, of_own = made.score(outputs, own, made.observed(y))
    count = outputs.shape[2]
    np.testing.assert_allclose(of_outputs, slopes[:, :, :count], atol=1e-5)
    np.testing.assert_allclose(of_own, slopes[0, :, count:].sum(axis=0), atol=1e-5)


@pytest.mark.parametrize("noise", ["normal", "student"])
def test_quantiles_and_sds_are_those_of_the_mixture(noise):
    random = np.random.default_rng(2)
    made = Regression(noise, np.zeros(1), scale=False)
    f = np.stack([random.normal(size=(8, 1)), random.normal(size=(8, 1)) / 3], axis=2)
    errors = random.normal(size=(100000, 8))
    if noise == "student":
        a = random.normal(size=(8, 1, 1))
        f = np.concatenate([f, a], axis=2)
        errors = random.standard_t(2 + 10 * np.exp(a[:, 0, 0]), size=errors.shape)
    draws = f[:, 0, 0] + np.exp(f[:, 0, 1]) * errors
    for q in (0.001, 0.05, 0.5, 0.9):
        share = np.mean(draws < made.quantile(f, q)[0, 0])
        assert abs(share - q) < 5 * np.sqrt(q * (1 - q) / draws.size)
    assert abs(made.sd(f)[0, 0] / draws.std() - 1) < 0.01


def test_tails_of_students_noise_are_those_of_t():
    """Against the closed forms of 3 degrees of freedom and, of very many, of the normal."""
    law, z = NOISES["student"], np.linspace(-50, 50, 1001)
    three, many = np.log(0.1), 10.0
    exact = 0.5 + (np.arctan(z / np.sqrt(3)) + np.sqrt(3) * z / (z * z + 3)) / np.pi
    np.testing.assert_allclose(law.below(z, three), exact, atol=2e-5)
    density = 6 * np.sqrt(3) / (np.pi * (3 + z * z) ** 2)
    np.testing.assert_allclose(law.log_density(z, three), np.log(density), atol=1e-5)
    near = z[np.abs(z) < 5]
    normal = NOISES["normal"]
    np.testing.assert_allclose(law.below(near, many), normal.below(near, many), atol=1e-4)
    assert np.abs(exact - normal.below(z, many)).max() > 0.03  # it could differ


def looks(ends, inside=0.8, rows=400):
    """Looks whose last ones have these log likelihoods."""
    random = np.random.default_rng(3)
    each = random.normal(size=rows)
    return [
        Look(
            step,
            end,
            0.05,
            1.0,
            0.1,
            {0.8: (inside, 0.02)},
            rows=end + each + 0.01 * random.normal(size=rows),
        )
        for step, end in ends
    ]


@pytest.mark.parametrize(
    "word, given",
    [
        ("settled", looks([(50, -1.5), (80, -1.001), (100, -1.0)])),
        ("still improving", looks([(50, -1.5), (80, -1.2), (100, -1.0)])),
        ("getting worse", looks([(50, -0.9), (80, -1.0), (100, -1.0)])),
        ("overconfident", looks([(50, -1.5), (80, -1.0), (100, -1.0)], inside=0.7)),
        ("underconfident", looks([(50, -1.5), (80, -1.0), (100, -1.0)], inside=0.9)),
        ("not judged", []),
    ],
)
def test_verdicts(word, given):
    found, sentence = verdict_of(given, 100, 20, 700)
    assert found == word and "700" in sentence
    assert "weights" not in verdict_of(given, 100, 20, 10)[1]


@pytest.mark.parametrize("factor, word", [(1.0, "settled"), (0.5, "overconfident")])
def test_predictions_of_any_target_are_judged(factor, word):
    """A linear model in NumPy, whose noise has sd 1; and one that says half of that."""
    random = np.random.default_rng(8)
    x = random.normal(size=(400, 2))
    y = x @ [1.0, -2.0] + random.normal(size=400)
    a, b = x[:200], y[:200]

    def log_density(w):
        misfit = b - w @ a.T
        return -(misfit**2).sum(axis=1) / 2, misfit @ a

    def predict(draws, rows):
        means = draws["x"] @ rows.T
        return means, np.full(means.shape, factor)

    result = starling.sample(
        log_density, dim=2, seed=1, predict=predict, data=(x[200:], y[200:]), progress=False
    )
    assert result.predictions_verdict == word, result.predictions_reason
    assert abs(result.held_out.error - 1) < 0.15
    with pytest.raises(TypeError, match="predict: needs held-out rows too"):
        starling.sample(log_density, dim=2, predict=predict)
    with pytest.raises(ValueError, match="data: x and y must have as many rows"):  # before the run
        starling.sample(lambda w: 1 / 0, dim=2, predict=predict, data=(x, y[1:]))
    with pytest.raises(TypeError, match="predict: must return .means, sds.") as failed:
        starling.sample(
            log_density, dim=2, seed=1, predict=lambda *_: 1, data=(x, y), progress=False
        )
    assert failed.value.result.verdict == "converged"


def test_the_judgement_is_kept_in_files(tmp_path):
    y = np.random.default_rng(8).normal(size=30)

    def predict(draws, x):
        means = draws["x"].reshape(-1, 1) * np.ones(len(x))
        return means, np.ones(means.shape)

    made = starling.sample(
        lambda w: (-(w**2).sum(axis=1) / 2, -w),
        dim=1,
        seed=1,
        predict=predict,
        data=(y, y),
        progress=False,
    )
    made.save(tmp_path / "one")
    starling.load(tmp_path / "one").save(tmp_path / "two")
    for name in ("one", "two"):
        loaded = starling.load(tmp_path / name)
        assert loaded.predictions_verdict == made.predictions_verdict is not None
        assert loaded.predictions_reason == made.predictions_reason
        assert loaded.held_out.row() == made.held_out.row()
        assert loaded.held_out.inside == made.held_out.inside
        assert np.array_equal(loaded.held_out.rows, made.held_out.rows)
    for broken in ("{}", "[]", "no JSON"):
        (tmp_path / "two" / "held_out.json").write_text(broken)
        with pytest.raises(ValueError, match="held_out.json: must be that of a run"):
            starling.load(tmp_path / "two")
    (tmp_path / "two" / "held_out.json").unlink()
    alone = starling.load(tmp_path / "two")
    assert alone.held_out is alone.predictions_verdict is alone.predictions_reason is None
