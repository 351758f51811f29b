"""How well held-out rows are predicted, and the verdict that follows."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .likelihoods import Regression

BANDS = (0.50, 0.80, 0.95)
ERRORS = 2.4  # standard errors that a share must be off: three bands are looked at
POINTS = 0.05  # and how far at least
IMPROVEMENT = 0.02  # of log likelihood a row, that would still be worth a longer run
LOSS = 0.05  # since the best look, which is the best of twenty and so a little lucky
LAST = 0.75  # of the run, from where on it should stand still


@dataclass
class Look:
    """What the held-out rows said after some steps."""

    step: int
    log_likelihood: float  # a row, under the mixture of all particles
    log_likelihood_se: float
    error: float  # root mean square error, or the share of wrong classes
    spread: float  # sd of the particles' expectations, a mean over rows
    inside: dict[float, tuple[float, float]] = field(default_factory=dict)  # band: share, its se
    confidence: tuple[float, float] | None = None  # of classes: over accuracy, its se
    rows: np.ndarray | None = None  # log likelihoods of the rows

    def row(self) -> dict[str, Any]:
        """For a table."""
        named = {f"inside_{100 * band:.0f}": share for band, (share, _) in self.inside.items()}
        plain = ("step", "log_likelihood", "log_likelihood_se", "error", "spread")
        return {**{name: getattr(self, name) for name in plain}, **named}


def look_at(step: int, likelihood: Any, f: np.ndarray, y: np.ndarray) -> Look:
    rows = likelihood.log_likelihood(f, y)
    look = Look(
        step,
        float(rows.mean()),
        _se(rows),
        likelihood.error(f, y),
        float(likelihood.expected(f).std(axis=0).mean()),
        rows=rows,
    )
    if likelihood.bands:
        away = np.abs(likelihood.below(f, y.reshape(len(y), -1)) - 0.5).ravel()
        for band in BANDS:  # the error is that of a share which is as it should be
            look.inside[band] = (
                float(np.mean(away <= band / 2)),
                float(np.sqrt(band * (1 - band) / len(y))),
            )
    else:
        over = likelihood.confidence(f, y)
        look.confidence = (float(over.mean()), _se(over))
    return look


def judge(result: Any, predict: Any, data: Any) -> None:
    """Gives any result what predict(draws, x) says of held-out rows, a mean and an sd for each. The
    draws are as for Result.predict. Where predict fails, the exception has the result."""
    try:
        found = _predicted(result, predict, *data)
    except Exception as error:
        with contextlib.suppress(Exception):  # of one that cannot be changed, or in an old Python
            error.result = result
            error.add_note("starling: the run has ended; its result is this exception's .result")
        raise
    result.held_out, result.predictions_verdict, result.predictions_reason = found


def _predicted(result: Any, predict: Any, x: np.ndarray, y: np.ndarray) -> tuple[Look, str, str]:
    y = y.reshape(len(y), -1)

    def both(draws: Any) -> dict[str, Any]:
        made = predict(draws, x)
        if not (isinstance(made, (tuple, list)) and len(made) == 2):
            raise TypeError(
                "predict: must return (means, sds) of the rows; got " + type(made).__name__
            )
        return {"mean": made[0], "sd": made[1]}

    made = {
        name: np.asarray(values, np.float64) for name, values in result.made_of_draws(both).items()
    }
    if made["mean"].size % y.size or not np.all(made["sd"] > 0):
        raise ValueError(
            f"predict: must return a mean and a positive sd for each of {len(y)} rows; got shapes "
            f"{made['mean'].shape} and {made['sd'].shape}, over all draws"
        )
    mean = made["mean"].reshape(-1, *y.shape)
    sd = np.broadcast_to(made["sd"].reshape(len(mean), -1, 1), mean.shape)
    likelihood = Regression("normal", y, scale=False)
    look = look_at(0, likelihood, np.concatenate([mean, np.log(sd)], axis=2), y)
    word, sentence = verdict_of([look], 0, len(mean), 0)
    return look, word, sentence


def pair(name: str, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """x and y as arrays with as many rows."""
    if not (isinstance(data, (tuple, list)) and len(data) == 2):
        raise TypeError(f"{name}: must be (x, y), two arrays; got {type(data).__name__}")
    x, y = (np.asarray(part) for part in data)
    if x.ndim == 0 or y.ndim == 0 or len(x) != len(y) or len(x) == 0:
        raise ValueError(
            f"{name}: x and y must have as many rows, at least one; got shapes {x.shape} and "
            f"{y.shape}"
        )
    for part, values in (("x", x), ("y", y)):
        if not np.issubdtype(values.dtype, np.number):
            raise TypeError(f"{name}: {part} must be numbers; got an array of {values.dtype}")
        if not np.all(np.isfinite(values)):
            raise ValueError(f"{name}: {part} must be finite; got NaN or infinity in it")
    return x, y


def _se(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")


def verdict_of(looks: list[Look], steps: int, particles: int, dim: int) -> tuple[str, str]:
    """A word and a sentence about predictions. Of weights nothing is claimed where there are more
    of them than particles."""
    if not looks:
        return "not judged", (
            "no rows were held out; give some as data=(x, y) to have the predictions judged"
            + _about_weights(particles, dim)
        )
    last = looks[-1]
    word, seen = _judged(looks, steps)
    return word, f"{seen}; {_calibration(last)}{_about_weights(particles, dim)}"


def _judged(looks: list[Look], steps: int) -> tuple[str, str]:
    last, best = looks[-1], max(looks, key=lambda look: look.log_likelihood)
    ago = next(look for look in looks if look.step >= LAST * steps or look is last)
    here = (
        f"log likelihood {last.log_likelihood:.3f} +- {last.log_likelihood_se:.3f} a row on "
        f"{len(last.rows)} held-out rows"
    )
    gained, lost = _gain(ago, last), _gain(last, best)
    if gained[0] > max(IMPROVEMENT, 2 * gained[1]):
        return "still improving", (
            f"{here}, {gained[0]:.3f} better than at step {ago.step}; take more steps, "
            f"steps={2 * steps}"
        )
    if lost[0] > max(LOSS, 2 * lost[1]):
        return "getting worse", (
            f"{here}, {lost[0]:.3f} worse than at step {best.step}; take fewer steps, or "
            "another prior_weight"
        )
    too_few = [b for b, (share, se) in last.inside.items() if b - share > max(POINTS, ERRORS * se)]
    too_many = [b for b, (share, se) in last.inside.items() if share - b > max(POINTS, ERRORS * se)]
    if last.confidence is not None and abs(last.confidence[0]) > max(
        POINTS, 2 * last.confidence[1]
    ):
        (too_few if last.confidence[0] > 0 else too_many).append(1)
    if too_few:
        return "overconfident", f"{here}; the predictions are surer than they are right"
    if too_many:
        return "underconfident", f"{here}; the predictions are less sure than they could be"
    return "settled", here if ago is last else f"{here}, as at step {ago.step}"


def _gain(before: Look, after: Look) -> tuple[float, float]:
    """Of log likelihood a row and its error, row by row: rows differ more than looks do."""
    gain = after.rows - before.rows
    return float(gain.mean()), _se(gain)


def _calibration(look: Look) -> str:
    if look.confidence is not None:
        over, se = look.confidence
        return f"the likeliest class is right as often as said, less {over:.3f} +- {se:.3f}"
    shares = ", ".join(
        f"{100 * share:.0f} +- {100 * se:.0f} % in the {100 * band:.0f} % band"
        for band, (share, se) in look.inside.items()
    )
    return f"held-out values: {shares}"


def _about_weights(particles: int, dim: int) -> str:
    if dim <= particles:
        return ""
    return (
        f". This is about predictions: {particles} particles cannot show the distribution of {dim} "
        "weights, so read result.predict(x), not single weights"
    )
