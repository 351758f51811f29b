"""A posterior of 50,000 rows of which most steps read 1000: the same model in NumPy and in JAX.

python examples/many_rows.py [jax]
"""

import sys

import numpy as np

import starling

rng = np.random.default_rng(1)
ROWS = 50_000
TRUE = np.array([-1.0, 0.5])
time = rng.uniform(-2, 2, size=ROWS)
counts = rng.poisson(np.exp(TRUE[0] + TRUE[1] * time)).astype(float)


def likelihood(x, rows, weights):
    """y ~ Poisson(exp(a + b t)): for each position (a, b) the sum over the given rows, and its
    gradient."""
    t, y = time[rows], counts[rows]
    z = x[:, :1] + x[:, 1:] * t
    left = (y - np.exp(z)) * weights
    return (y * z - np.exp(z)) @ weights, np.column_stack([left.sum(axis=1), left @ t])


def row_scores(x, rows):
    """Gradients of single rows at one position: those that matter more are drawn more often."""
    left = counts[rows] - np.exp(x[0] + x[1] * time[rows])
    return np.column_stack([left, left * time[rows]])


def prior(x):
    return -np.sum(x**2, axis=1) / 200, -x / 100


def in_numpy():
    return starling.from_rows(
        likelihood, ROWS, prior=prior, row_scores=row_scores, names=["a", "b"]
    )


def in_jax():
    import jax.numpy as jnp

    def log_likelihood(x, row):
        t, y = row
        z = x[0] + x[1] * t
        return y * z - jnp.exp(z)

    return starling.from_jax_rows(
        log_likelihood, (time, counts), log_prior=lambda x: -jnp.sum(x**2) / 200, names=["a", "b"]
    )


if __name__ == "__main__":
    result = starling.sample(
        in_jax() if sys.argv[1:] == ["jax"] else in_numpy(), particles=256, seed=1
    )
    print(result)
    print("rows read by each stage:", result.diagnostics["rows"]["read"])
    assert result.verdict == "converged"
    off = (result.unconstrained.mean(axis=0) - TRUE) / result.unconstrained.std(axis=0)
    assert np.abs(off).max() < 4, off  # the truth is a draw from the posterior
