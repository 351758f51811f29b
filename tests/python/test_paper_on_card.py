"""The paper's own figures, from steps that a card takes: Lemma 1, section 4.1, Covertype. Here the
host stands in the place of a card; where there is one the same tests run on it."""

import itertools

import numpy as np
import pytest
from conftest import COVERTYPE

import starling

# Mean squared errors of x, x^2 and cos 2x over a hundred starts of an independent program, h = .35.
FIGURES = {
    2: (0.0717, 1.53, 0.0032),
    8: (0.0029, 0.108, 0.00068),
    32: (0.00084, 0.0101, 0.00026),
}
TRUTH = np.array([2 / 3, 5, np.cos(4) / np.e**2])


def errors_of_the_mixture(p, starts):
    squares = []
    for seed in range(starts):
        run = starling.sample(
            "mixture",
            particles=256,
            batch=p,
            bandwidth=0.35,
            advance="adagrad",
            step_size=0.2,
            steps=500,
            start="normal:-10,1",
            seed=1000 + seed,
            device="cuda",
            precision="double",
            progress=False,
        )
        x = run.unconstrained[:, 0]
        squares.append((np.array([x.mean(), (x * x).mean(), np.cos(2 * x).mean()]) - TRUTH) ** 2)
    return np.array(squares)


def deviation(squares, reference):
    """The largest difference in standard errors; the reference's is the same share of it as ours is
    of ours."""
    ours = squares.mean(0)
    share = squares.std(0, ddof=1) / np.sqrt(len(squares)) / ours
    return (np.abs(ours - reference) / (share * np.hypot(ours, reference))).max()


@pytest.mark.parametrize("p", FIGURES)
def test_section_4_1_has_the_errors_of_an_independent_program(card, p):
    squares = errors_of_the_mixture(p, 100 if card == "card" else 30)
    assert deviation(squares, FIGURES[p]) < 4
    other = 8 if p != 8 else 2  # batches of another size have other errors, and are told apart
    assert deviation(squares, FIGURES[other]) > 4


def drift_of(i, mates, x, h):
    """What Lemma 1 says of particle i in a batch: its own score, and the others with the weight (N
    - 1) / (N (p - 1))."""
    n = len(x)
    score = -x
    total = score[i] / n
    for j in mates:
        gap = x[i] - x[j]
        value = np.exp(-(gap @ gap) / (2 * h))
        total = total + (n - 1) / (n * len(mates)) * value * (score[j] + gap / h)
    return total


@pytest.mark.parametrize(
    ("deal", "p"), [("matching", 2), ("moebius", 2), ("moebius", 4), ("cosets", 4)]
)
def test_lemma_1_holds_for_a_step_on_a_card(card, deal, p):
    """Mean and variance of a step from one cloud, over many seeds, against all the batches that a
    particle can be in."""
    n, h, eta, draws = 8, 1.5, 0.1, 1500
    x = np.random.default_rng(7).normal(size=(n, 2)) * 1.5
    exact = [
        np.array(
            [
                drift_of(i, mates, x, h)
                for mates in itertools.combinations([j for j in range(n) if j != i], p - 1)
            ]
        )
        for i in range(n)
    ]
    mean, variance = (
        np.array([one.mean(0) for one in exact]),
        np.array([one.var(0) for one in exact]),
    )
    moved = (
        np.array(
            [
                starling.sample(
                    "normal",
                    dim=2,
                    start=x,
                    batch=p,
                    deal=deal,
                    bandwidth=h,
                    advance="constant",
                    step_size=eta,
                    steps=1,
                    seed=seed,
                    device="cuda",
                    precision="double",
                    progress=False,
                ).unconstrained
                - x
                for seed in range(draws)
            ]
        )
        / eta
    )
    error = np.sqrt(variance / draws)
    assert (np.abs(moved.mean(0) - mean) < 4.5 * error + 1e-12).all()
    centred = (moved - mean) ** 2
    spread = 4.5 * centred.std(0) / np.sqrt(draws)
    assert (np.abs(centred.mean(0) - variance) < spread + 1e-12).all()
    assert (
        np.abs(centred.mean(0) - 1.3 * variance) > spread
    ).any()  # a variance 1.3 times as large would be seen
    wrong = (
        np.array([drift_of(i, [j for j in range(n) if j != i], x, h) for i in range(n)])
        * n
        / (n - 1)
    )  # the weight 1 / (p - 1)
    assert (np.abs(moved.mean(0) - wrong) > 4.5 * error).any()


def test_covertype_is_told_apart_as_well_as_the_paper_says(card):
    if not COVERTYPE.is_file():
        pytest.skip(f"{COVERTYPE} is not there")
    if card == "host":
        pytest.skip("on the host `starling reproduce logistic-accuracy` shows it")
    accuracies = [
        starling.sample(
            "logistic",
            data=str(COVERTYPE),
            positive="2",
            holdout=0.2,
            data_batch=100,
            particles=512,
            batch=2,
            bandwidth=256,
            advance="adagrad",
            step_size=0.05,
            steps=steps,
            start="prior",
            seed=1,
            device="cuda",
            precision="single",
            progress=False,
        ).diagnostics["test_accuracy"]
        for steps in (6000, 20)
    ]
    # .7471 in the paper over fifty starts, .750 of an independent program over four; one start is
    # within .004 of its mean
    far, near = np.abs(np.array(accuracies) - 0.7485)[::-1] / np.hypot(0.004, 0.0015)
    assert near < 4
    assert far > 4  # twenty steps are not enough, and are told apart
