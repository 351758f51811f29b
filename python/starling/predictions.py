"""Functions of draws: predictions, log likelihoods; and draws from the prior."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .functions import whole
from .groups import dataset, inference_data
from .targets import as_target

BATCH = 512  # draws at a time


def over_draws(
    function: Callable, result: Any, draws: list, *, seed: int | None, batch: int, name: str
) -> list[dict[str, np.ndarray]]:
    """What the function makes of the draws of each run, some at a time: arrays (N, ...) by name."""
    if not callable(function):
        raise TypeError(f"function: must be a function of draws; got {type(function).__name__}")
    batch = whole("batch", batch, 1)
    seed = None if seed is None else whole("seed", seed, 0)
    space = result._space
    each = None if space is None else space.each(function, seed is not None)
    found = []
    for run, arrays in enumerate(draws):
        parts, count = [], len(next(iter(arrays.values())))
        for first in range(0, count, batch):
            rows = np.arange(first, min(first + batch, count))
            if each is None:
                given = {variable: values[rows] for variable, values in arrays.items()}
                random = () if seed is None else (np.random.default_rng([seed, run, first]),)
                made = function(given, *random)
            else:
                x = result._outcomes[run].positions[rows]
                made = each(x, run * count + rows, seed or 0)
            parts.append(_by_name(made, len(rows), name))
        found.append({key: np.concatenate([part[key] for part in parts]) for key in parts[0]})
    return found


def _by_name(made: Any, rows: int, name: str) -> dict[str, np.ndarray]:
    arrays = {
        key: np.asarray(value)
        for key, value in (made if isinstance(made, Mapping) else {name: made}).items()
    }
    for key, array in arrays.items():
        if array.shape[:1] != (rows,):
            raise ValueError(
                f"function: must return an array with a row for each of {rows} draws; got {key} of "
                f"shape {array.shape}"
            )
    return arrays


class Prior:
    """Draws from the prior of a model: `draws` by name, and `unconstrained`, the positions."""

    def __init__(self, space: Any, positions: np.ndarray):
        self._space, self.unconstrained = space, positions
        self.draws = {
            name: np.asarray(values) for name, values in space.variables(positions).items()
        }

    def to_arviz(self) -> Any:
        """The group prior, as ArviZ has it."""
        arrays = {name: values[None] for name, values in self.draws.items()}
        return inference_data({"prior": dataset(arrays, self._space.dims, self._space.coords)})

    def __repr__(self) -> str:
        return f"<starling.Prior: {len(self.unconstrained)} draws of {', '.join(self.draws)}>"


def prior(model: Any, *, draws: int = 1000, seed: int = 0) -> Prior:
    """Draws from the prior of a PyMC or NumPyro model: to look at, or to start from, as in
    sample(model, start=prior(model))."""
    space = as_target(model).space
    if space is None or not space.has_prior:
        raise ValueError("prior: this target has none; a PyMC or NumPyro model has one")
    for name, improper in space.improper.items():
        raise ValueError(f"prior: nothing can be drawn from {improper}, the prior of {name}")
    return Prior(space, space.prior(whole("draws", draws, 1), whole("seed", seed, 0)))
