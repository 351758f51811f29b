"""Targets that score given rows: right against all rows, in NumPy and JAX; what is wrong with one
is said at once."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import starling
from conftest import ROOT

ROWS, DIM = 2000, 3
QUIET = dict(progress=False, seed=1, threads=1, particles=128)


def make_table(rows=ROWS):
    """A logistic regression; the second column is 1 in one row of 200 only, so that its marginal is
    skewed."""
    rng = np.random.default_rng(4)
    x = np.column_stack([rng.normal(size=rows), np.arange(rows) % 200 == 7, np.ones(rows)])
    y = (rng.random(rows) < 1 / (1 + np.exp(1 - x[:, 0] - x[:, 1]))).astype(float)
    return x, y


X, Y = make_table()


def likelihood(w, rows, weights):
    z = w @ X[rows].T
    p = 1 / (1 + np.exp(-z))
    return (Y[rows] * z - np.logaddexp(0, z)) @ weights, ((Y[rows] - p) * weights) @ X[rows]


def prior(w):
    return -np.sum(w**2, axis=1) / 8, -w / 4


def row_scores(w, rows):
    return (Y[rows] - 1 / (1 + np.exp(-X[rows] @ w)))[:, None] * X[rows]


def few(**more):
    return starling.from_rows(
        likelihood,
        ROWS,
        **{"dim": DIM, "prior": prior, "row_scores": row_scores, "data_batch": 100, **more},
    )


@pytest.fixture(scope="module")
def of_all():
    """Pooled over many exact moves of every particle, all rows read."""
    result = starling.sample(few(data_batch=ROWS), certify=50, exact="none", **QUIET)
    return np.array(list(result.pooled.values()))


def errors(result, of_all):
    draws = result.unconstrained
    return np.abs(draws.mean(axis=0) - of_all[:, 0]) / of_all[:, 1], np.abs(
        draws.std(axis=0) / of_all[:, 1] - 1
    )


def assert_right(result, of_all):
    """128 particles that repel each other are nearer than as many independent draws, whose means
    are off by .09."""
    means, sds = errors(result, of_all)
    assert means.max() < 0.15 and sds.max() < 0.15, (means, sds)


def test_few_rows_lead_where_all_do(of_all):
    result = starling.sample(few(), **QUIET)
    assert_right(result, of_all)
    assert result.verdict == "converged" and result.certificate["finding"] == "confirmed", result
    assert result.certificate["particles"] == "all"


def test_the_comparison_sees_half_the_data(of_all):
    """The negative control: rows of the first half alone are another posterior, wider by the root
    of two."""

    def half(w, rows, weights):
        return likelihood(w, rows, weights * (rows < ROWS // 2))

    result = starling.sample(
        starling.from_rows(half, ROWS, dim=DIM, prior=prior, data_batch=100),
        certify="none",
        **QUIET,
    )
    assert errors(result, of_all)[1].max() > 0.25


def test_without_row_scores_rows_are_drawn_alike_and_it_is_right(of_all):
    assert_right(starling.sample(few(row_scores=None), **QUIET), of_all)


def test_most_steps_read_few_rows():
    seen = []

    def counted(w, rows, weights):
        seen.append(len(w) * len(rows))
        assert rows.dtype == np.int64 and rows.shape == weights.shape and len(rows) <= 4096
        return likelihood(w, rows, weights)

    starling.sample(
        starling.from_rows(counted, ROWS, dim=DIM, prior=prior, data_batch=50),
        certify="none",
        exact="none",
        **{**QUIET, "particles": 1000},
    )
    assert sum(seen) < 0.2 * 200 * 1000 * ROWS  # of 200 steps that read all


def test_where_there_are_few_rows_all_are_read():
    result = starling.sample(few(data_batch=None), certify=2, exact="none", **QUIET)
    assert "rows" not in result.diagnostics


def test_the_raw_method_takes_mini_batches():
    raw = dict(steps=5, **QUIET)
    one, other, again = (
        starling.sample(few(data_batch=b), **raw).unconstrained for b in (40, 50, 40)
    )
    assert np.array_equal(one, again) and not np.array_equal(one, other)


def test_a_flight_goes_on_bit_for_bit(tmp_path):
    settings = dict(
        certify=3, exact="none", **{key: value for key, value in QUIET.items() if key != "progress"}
    )
    whole = starling.Flight(few(), **settings).step(10**6)
    part = starling.Flight(few(), **settings).step(50)
    part.save(tmp_path / "f.checkpoint")
    assert np.array_equal(
        starling.resume(tmp_path / "f.checkpoint", few()).step(10**6).positions, whole.positions
    )
    assert np.array_equal(pickle.loads(pickle.dumps(part)).step(10**6).positions, whole.positions)


def test_check_compares_all_rows():
    assert starling.check(few()).right

    def flipped(w, rows, weights):
        value, score = likelihood(w, rows, weights)
        return value, score * [1, -1, 1]

    wrong = starling.from_rows(
        flipped, ROWS, dim=DIM, prior=prior, names=["a", "b", "c"], data_batch=100
    )
    assert starling.check(wrong).right is False
    with pytest.raises(starling.TargetError, match="gradient of parameter b is -1 times"):
        starling.sample(wrong, **QUIET)


@pytest.mark.parametrize(
    "function, words",
    [
        (
            lambda w, rows, weights: likelihood(w, rows, np.ones(len(rows))),
            "a weighted sum over the rows",
        ),
        (
            lambda w, rows, weights: tuple(
                part / len(rows) for part in likelihood(w, rows, weights)
            ),
            "two halves did not add up",
        ),
        (
            lambda w, rows, weights: likelihood(w, rows, weights)[1],
            "likelihood: must return a tuple of two arrays",
        ),
        (
            lambda w, rows, weights: (likelihood(w, rows, weights)[0][:, None], w),
            r"values of shape \(N,\) for N = 2; got \(2, 1\)",
        ),
        (
            lambda w, rows, weights: (likelihood(w, rows, weights)[0], w[:, :2]),
            r"scores of shape \(N, 3\) for N = 2; got \(2, 2\)",
        ),
    ],
)
def test_what_a_likelihood_returns_wrongly_is_named(function, words):
    with pytest.raises((TypeError, ValueError), match=words):
        starling.sample(starling.from_rows(function, ROWS, dim=DIM, data_batch=100), **QUIET)


@pytest.mark.parametrize(
    "wrong, words",
    [
        (dict(prior=lambda w: w), "prior: must return a tuple of two arrays"),
        (
            dict(row_scores=lambda w, rows: row_scores(w, rows).T),
            r"row_scores: must return scores of shape \(B, 3\) for B = 1; got \(3, 1\)",
        ),
        (dict(data_batch=ROWS + 1), "data_batch: must be at most the 2000 rows; got 2001"),
        (dict(data_batch=0), "data_batch: must be at least 1; got 0"),
        (dict(prior=3), "prior: must be a function; got int"),
        (dict(dim=None), "dim: must be given for this target"),
    ],
)
def test_what_is_given_wrongly_is_named(wrong, words):
    with pytest.raises((TypeError, ValueError), match=words):
        starling.sample(few(**wrong), **QUIET)


def test_rows_must_be_a_number():
    with pytest.raises(TypeError, match="rows: must be a whole number; got 1.5"):
        starling.from_rows(likelihood, 1.5, dim=DIM)
    with pytest.raises(ValueError, match="rows: must be at least 1; got 0"):
        starling.from_rows(likelihood, 0, dim=DIM)
    with pytest.raises(TypeError, match="likelihood: must be a function; got NoneType"):
        starling.from_rows(None, ROWS, dim=DIM)


# JAX, in single precision as it comes.


def log_likelihood(w, row):
    import jax.numpy as jnp

    x, y = row
    z = jnp.dot(x, w)
    return y * z - jnp.logaddexp(0.0, z)


def log_prior(w):
    return -(w**2).sum() / 8


def test_jax_gives_what_numpy_gives():
    pytest.importorskip("jax", reason="JAX is not installed")
    target = starling.from_jax_rows(log_likelihood, (X, Y), dim=DIM, log_prior=log_prior)
    rng = np.random.default_rng(1)
    w, rows, weights = rng.normal(size=(5, DIM)), rng.integers(ROWS, size=100), rng.random(100)
    for got, wanted in zip(target.likelihood(w, rows, weights), likelihood(w, rows, weights)):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(
        target.values(w, rows, weights), likelihood(w, rows, weights)[0], rtol=1e-4
    )
    np.testing.assert_allclose(
        target.row_scores(w[0], rows), row_scores(w[0], rows), rtol=1e-4, atol=1e-5
    )
    for got, wanted in zip(target.prior(w), prior(w)):
        np.testing.assert_allclose(got, wanted, rtol=1e-4)
    kept = pickle.loads(pickle.dumps(target))
    np.testing.assert_array_equal(
        kept.likelihood(w, rows, weights)[1], target.likelihood(w, rows, weights)[1]
    )


def test_jax_rows_lead_where_all_do(of_all):
    pytest.importorskip("jax", reason="JAX is not installed")
    target = starling.from_jax_rows(
        log_likelihood, (X, Y), dim=DIM, log_prior=log_prior, data_batch=100
    )
    result = starling.sample(target, **QUIET)
    assert_right(result, of_all)
    assert result.verdict == "converged", result


def test_jax_data_may_be_a_dictionary_and_must_be_alike():
    pytest.importorskip("jax", reason="JAX is not installed")
    target = starling.from_jax_rows(lambda w, row: -((row["y"] - w[0]) ** 2), {"y": Y}, dim=1)
    assert target.rows == ROWS
    np.testing.assert_allclose(
        target.likelihood(np.zeros((1, 1)), np.arange(3), np.ones(3))[0], -np.sum(Y[:3] ** 2)
    )
    with pytest.raises(
        ValueError, match="data: must have as many rows in every array; got 2000 and 2001"
    ):
        starling.from_jax_rows(log_likelihood, (X, np.ones(ROWS + 1)), dim=DIM)
    with pytest.raises(TypeError, match="data: must be an array with a row for each observation"):
        starling.from_jax_rows(log_likelihood, (X, 3.0), dim=DIM)
    with pytest.raises(TypeError, match="log_likelihood: must be a function; got int"):
        starling.from_jax_rows(3, (X, Y), dim=DIM)


@pytest.mark.parametrize("which", [[], ["jax"]])
def test_the_example_runs(which):
    if which:
        pytest.importorskip("jax", reason="JAX is not installed")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "many_rows.py"), *which],
        capture_output=True,
        text=True,
        timeout=1500,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert "converged" in done.stdout
