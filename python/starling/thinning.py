"""Thinning: a few particles of a result that stand for all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _starling
from .functions import whole


class Variable(NamedTuple):
    """Columns that belong together, as the engine's files have them."""

    group: str
    name: str
    file: str  # the name in ArviZ, which knows no slash and keeps chain and draw for itself
    shape: list[int]
    first: list[int]  # the lowest index along each dimension
    columns: list[int]


class Thinned(NamedTuple):
    """A few particles of a result that stand for all of them."""

    chosen: np.ndarray  # their places among the particles, of several runs one after another
    weights: np.ndarray  # of each, sum 1: all alike unless weights were asked for
    draws: dict[str, np.ndarray]  # an array per parameter, by name
    unconstrained: np.ndarray
    discrepancy: float  # kernel Stein discrepancy with these weights
    discrepancy_of_independent_draws: float  # what as many independent draws have

    def mean(self, values: Any) -> Any:
        """The weighted mean of something computed for each particle:
        mean(predict(thinned.draws))."""
        return np.tensordot(self.weights, np.asarray(values), axes=1)


def thinned(
    outcomes: list, variables: list[Variable], count: int, weights: bool, scores: Any, threads: int
) -> Thinned:
    """Of these runs together; `scores` where the runs have none."""
    count, threads = whole("count", count, 1), whole("threads", threads, 0)
    if not isinstance(weights, (bool, np.bool_)):
        raise TypeError(f"weights: must be True or False; got {weights!r}")
    positions = np.concatenate([run.positions for run in outcomes])
    if scores is None:
        own = [getattr(run, "scores", None) for run in outcomes]
        if any(one is None for one in own):
            raise ValueError(
                "scores: this result has none; give scores=, an array of the shape of unconstrained"
            )
        scores = np.concatenate(own)
    try:
        scores = np.ascontiguousarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"scores: must be real numbers; got {type(scores).__name__}") from error
    scores = scores.reshape(-1, scores.shape[-1])
    if scores.shape != positions.shape:
        raise ValueError(f"scores: must be of the shape {positions.shape}; got {scores.shape}")
    usable = int(np.isfinite(scores).all(axis=1).sum())
    if count > usable:
        raise ValueError(
            f"count: must be at most the number of particles with finite scores, {usable}; got "
            f"{count}"
        )
    chosen, kept_weights, discrepancy, independent = _starling.thin(
        np.ascontiguousarray(positions), scores, count, bool(weights), threads
    )
    rows = np.asarray(chosen)
    values = np.concatenate([run.draws for run in outcomes])[rows]
    draws = {v.name: values[:, v.columns].reshape(-1, *v.shape) for v in variables}
    return Thinned(rows, kept_weights, draws, positions[rows], discrepancy, independent)
