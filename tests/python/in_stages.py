"""What tests of runs in stages share: settings, a correlated normal, how far draws are off."""

import numpy as np

QUIET = dict(progress=False, seed=1)
SMALL = dict(particles=64, threads=1, **QUIET)
CORRELATED = np.array([[2.0, 0.6], [0.6, 1.0]])  # a precision


def normal(x):
    return -0.5 * np.sum((x @ CORRELATED) * x, axis=1), -x @ CORRELATED


def scores(x):
    return -x @ CORRELATED


def off(draws, mean, sd, se=0.0, kurtosis=3.0):
    """How far means and sds are off, in standard errors of so many independent draws; `se` is the
    reference's, in sd. A heavy tail has a larger error of its sd, by its kurtosis."""
    n = len(draws)
    return (
        np.abs(draws.mean(axis=0) - mean) / sd / np.sqrt(1 / n + se**2),
        np.abs(np.log(draws.std(axis=0) / sd)) / np.sqrt((1 / n + se**2) * (kurtosis - 1) / 4),
    )


def assert_right(draws, mean, sd, se=0.0, kurtosis=3.0):
    means, sds = off(draws, mean, sd, se, kurtosis)
    assert means.max() < 4 and sds.max() < 4, (means, sds)
