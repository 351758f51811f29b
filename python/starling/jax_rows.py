"""Targets made of rows of data whose log likelihood is JAX's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .functions import whole
from .rows import Rows


def jax_is_on_card() -> bool:
    """Whether a GPU is where JAX computes by default."""
    import jax

    return jax.default_backend() == "gpu"


class JaxSums:
    """Sums over given rows, of each(x, data, rows): the log likelihoods of these rows at one
    position. Compiled for few different numbers of positions and of rows: powers of two. Positions
    that are missing are the last one again, rows that are missing the first one, with no weight.
    Log likelihoods of rows come back apart and are summed in double here: a sum of tens of
    thousands in single precision is too coarse to accept moves by. rows_apart: whether a call with
    one row costs no more than that row."""

    def __init__(self, each: Callable, data: Any, *, rows_apart: bool = True):
        import jax

        self._data = jax.tree_util.tree_map(jax.numpy.asarray, data)

        def total(x, data, rows, weights):
            logs = each(x, data, rows)
            return jax.numpy.dot(weights, logs), logs

        def of_row(x, data, row):
            return each(x, data, row[None])[0]

        over = (0, None, None, None)
        self._both = jax.jit(jax.vmap(jax.value_and_grad(total, has_aux=True), over))
        self._values = jax.jit(jax.vmap(lambda *given: total(*given)[1], over))
        self._each = jax.jit(
            jax.vmap(jax.grad(of_row), (None, None, 0)) if rows_apart else jax.jacfwd(each)
        )

    def __call__(self, x: np.ndarray, rows: np.ndarray, weights: np.ndarray):
        (_, each), score = self._both(_filled(x), self._data, *_filled_rows(rows, weights))
        return _summed(each, len(x), weights), np.asarray(score)[: len(x)]

    def values(self, x: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return _summed(
            self._values(_filled(x), self._data, *_filled_rows(rows, weights)), len(x), weights
        )

    def row_scores(self, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._each(x, self._data, _filled_rows(rows, rows)[0]))[: len(rows)]


class _JaxRows(JaxSums):
    """The same for a log likelihood of one row of data."""

    def __init__(self, log_likelihood: Callable, data: Any):
        import jax

        self._jax, self._log_likelihood = jax, log_likelihood

        def each(x, data, rows):
            given = jax.tree_util.tree_map(lambda column: column[rows], data)
            return jax.vmap(log_likelihood, (None, 0))(x, given)

        super().__init__(each, data)

    def __reduce__(self):
        return _JaxRows, (
            self._log_likelihood,
            self._jax.tree_util.tree_map(np.asarray, self._data),
        )


def _summed(each: Any, positions: int, weights: np.ndarray) -> np.ndarray:
    return np.asarray(each)[:positions, : len(weights)].astype(np.float64) @ weights


class Filled:
    """A function of positions that is called with few different numbers of them."""

    def __init__(self, function: Callable):
        self._function = function

    def __call__(self, x: np.ndarray):
        returned = self._function(_filled(x))
        if isinstance(returned, dict):
            return {name: np.asarray(part)[: len(x)] for name, part in returned.items()}
        return tuple(part[: len(x)] for part in returned)


def _power(n: int, least: int) -> int:
    return max(least, 1 << (n - 1).bit_length())


def _filled(x: np.ndarray) -> np.ndarray:
    n = _power(len(x), 8)
    return (
        x if n == len(x) else np.concatenate([x, np.broadcast_to(x[-1:], (n - len(x), x.shape[1]))])
    )


def _filled_rows(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    missing = _power(len(rows), 64) - len(rows)
    return np.pad(rows, (0, missing)), np.pad(weights, (0, missing))


def from_jax_rows(
    log_likelihood: Callable,
    data: Any,
    *,
    dim: int | None = None,
    log_prior: Callable | None = None,
    names: Sequence[str] | None = None,
    data_batch: int | None = None,
) -> Rows:
    """The target of a JAX log likelihood of one row at one position, over all rows of `data`.

    log_likelihood(x, row): x is a vector of d numbers, row one row of data: data may be an array,
        or a tuple or dictionary of arrays, and row then has its form, without the first axis.
    log_prior(x): of one position; None for a flat one.
    data_batch: as for from_rows.

    Gradients, and which rows matter more, are found by JAX. It counts in single precision unless
    jax_enable_x64 is set, which is enough for the rows' log likelihoods: they are summed in
    double."""
    import jax

    from .frameworks import _JaxScore

    for name, function in (("log_likelihood", log_likelihood), ("log_prior", log_prior)):
        if not (callable(function) or (function is None and name == "log_prior")):
            raise TypeError(f"{name}: must be a function; got {type(function).__name__}")
    columns = jax.tree_util.tree_leaves(data)
    if not columns or any(np.ndim(column) == 0 for column in columns):
        raise TypeError(
            "data: must be an array with a row for each observation, or a tuple or dictionary of "
            "them; got " + (f"{type(data).__name__}" if not columns else "a number among them")
        )
    lengths = sorted({len(column) for column in columns})
    if len(lengths) > 1:
        raise ValueError(
            f"data: must have as many rows in every array; got {' and '.join(map(str, lengths))}"
        )
    compiled = _JaxRows(log_likelihood, data)
    prior = None if log_prior is None else Filled(_JaxScore(log_prior))
    return Rows(
        compiled,
        whole("data", lengths[0], 1),
        dim=dim,
        prior=prior,
        row_scores=compiled.row_scores,
        names=names,
        data_batch=data_batch,
        values=compiled.values,
        on_card=jax_is_on_card,
    )
