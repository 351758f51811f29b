"""Targets made of rows of data, of which most steps read few: from_rows for NumPy, from_jax_rows
for JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _starling
from .targets import Function, _dimension, _names, whole

AT_A_TIME = 4096  # rows of the whole likelihood: what a function makes on the way stays small
MANY, FIRST = (
    1000,
    4,
)  # rows that are enough to look at the scores; calls that see whether sums are sums


class Rows(Function):
    """log pi(x) = log prior(x) + sum over rows r of log likelihood_r(x). Made by from_rows and
    from_jax_rows."""

    def __init__(
        self,
        likelihood: Callable,
        rows: int,
        *,
        dim: int | None = None,
        prior: Callable | None = None,
        row_scores: Callable | None = None,
        names: Sequence[str] | None = None,
        data_batch: int | None = None,
        values: Callable | None = None,
    ):
        for name, function in (
            ("likelihood", likelihood),
            ("prior", prior),
            ("row_scores", row_scores),
        ):
            if not (callable(function) or (function is None and name != "likelihood")):
                raise TypeError(f"{name}: must be a function; got {type(function).__name__}")
        super().__init__(self.of_all, dim, names)
        self.likelihood, self.prior, self.row_scores, self.values = (
            likelihood,
            prior,
            row_scores,
            values,
        )
        self.rows = whole("rows", rows, 1)
        self.data_batch = 0 if data_batch is None else whole("data_batch", data_batch, 1)
        if self.data_batch > self.rows:
            raise ValueError(
                f"data_batch: must be at most the {self.rows} rows; got {self.data_batch}"
            )

    def of_all(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log densities and scores from every row."""
        value, score = np.zeros(len(x)), np.zeros(np.shape(x))
        if self.prior is not None:
            value, score = (np.array(part, dtype=np.float64) for part in self.prior(x))
        for first in range(0, self.rows, AT_A_TIME):
            some = np.arange(first, min(first + AT_A_TIME, self.rows))
            v, s = self.likelihood(x, some, np.ones(len(some)))
            value, score = value + np.asarray(v), score + np.asarray(s)
        return value, score

    def guest(self, dim: int | None, particles: int):
        return _starling.guest_of_rows(
            self.likelihood,
            self.prior,
            self.values,
            self.row_scores,
            self.rows,
            self.data_batch,
            _dimension(self.dim, dim, self.names),
            self.names,
        )

    def watched(self) -> Rows:
        return Rows(
            _Watched(self.likelihood, self.names, self.rows),
            self.rows,
            dim=self.dim,
            prior=self.prior,
            row_scores=self.row_scores,
            names=self.names or None,
            data_batch=self.data_batch or None,
            values=self.values,
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        del kept["_function"]  # our own of_all, bound
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._function = self.of_all

    def __repr__(self) -> str:
        return f"<starling.Rows: {getattr(self.likelihood, '__name__', type(self.likelihood).__name__)} of {self.rows} rows>"


class _Watched:
    """A likelihood whose scores are looked at when it is first called with many rows, since few may
    say nothing of a column that is rare; or after the first calls, in a run that never asks for
    many."""

    def __init__(self, likelihood: Callable, names: list[str], rows: int):
        self._likelihood, self._names, self._least, self._due, self._calls = (
            likelihood,
            names,
            min(rows, MANY),
            True,
            0,
        )

    def __call__(self, x: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> Any:
        self._calls += 1
        if not self._due or (len(rows) < self._least and self._calls <= FIRST):
            return self._likelihood(x, rows, weights)
        from .gradients import Watched

        self._due = False
        return Watched(lambda at: self._likelihood(at, rows, weights), self._names)(x)

    def __reduce__(self) -> Any:
        return _as_it_was, (self._likelihood,)


def _as_it_was(likelihood: Callable) -> Callable:
    return likelihood


class _JaxRows:
    """Sums over given rows, compiled for few different numbers of positions and of rows: powers of
    two. Positions that are missing are the last one again, rows that are missing the first one,
    with no weight. Log likelihoods of rows come back apart and are summed in double here: a sum of
    tens of thousands in single precision is too coarse to accept moves by."""

    def __init__(self, log_likelihood: Callable, data: Any):
        import jax

        self._jax, self._log_likelihood = jax, log_likelihood
        self._data = jax.tree_util.tree_map(jax.numpy.asarray, data)

        def total(x, data, rows, weights):
            given = jax.tree_util.tree_map(lambda column: column[rows], data)
            each = jax.vmap(log_likelihood, (None, 0))(x, given)
            return jax.numpy.dot(weights, each), each

        def one(x, data, rows):
            given = jax.tree_util.tree_map(lambda column: column[rows], data)
            return jax.vmap(jax.grad(log_likelihood), (None, 0))(x, given)

        over = (0, None, None, None)
        self._both = jax.jit(jax.vmap(jax.value_and_grad(total, has_aux=True), over))
        self._alone = jax.jit(jax.vmap(lambda *given: total(*given)[1], over))
        self._each = jax.jit(one)

    def __reduce__(self):
        return _JaxRows, (
            self._log_likelihood,
            self._jax.tree_util.tree_map(np.asarray, self._data),
        )

    def __call__(self, x: np.ndarray, rows: np.ndarray, weights: np.ndarray):
        (_, each), score = self._both(_filled(x), self._data, *_filled_rows(rows, weights))
        return _summed(each, len(x), weights), np.asarray(score)[: len(x)]

    def values(self, x: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return _summed(
            self._alone(_filled(x), self._data, *_filled_rows(rows, weights)), len(x), weights
        )

    def row_scores(self, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._each(x, self._data, _filled_rows(rows, rows)[0]))[: len(rows)]


def _summed(each: Any, positions: int, weights: np.ndarray) -> np.ndarray:
    return np.asarray(each)[:positions, : len(weights)].astype(np.float64) @ weights


class _Filled:
    """A function of positions that is called with few different numbers of them."""

    def __init__(self, function: Callable):
        self._function = function

    def __call__(self, x: np.ndarray):
        return tuple(part[: len(x)] for part in self._function(_filled(x)))


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


def from_rows(
    likelihood: Callable,
    rows: int,
    *,
    dim: int | None = None,
    prior: Callable | None = None,
    row_scores: Callable | None = None,
    names: Sequence[str] | None = None,
    data_batch: int | None = None,
) -> Rows:
    """The target of a likelihood over many rows of data: a run in stages reads few of them in most
    steps.

    likelihood(x, rows, weights): x is an (N, d) array of positions, rows an array of B row numbers,
    0 to rows - 1 and
        some perhaps twice, weights B numbers. Returns for each position the sum over these rows of
        weight times log likelihood, N numbers, and its gradient, (N, d). It is called with at most
        4096 rows at a time.
    prior(x): log density and score of the prior at the positions; None for a flat one.
    row_scores(x, rows): gradients of the log likelihoods of single rows at one position x of d
    numbers, (B, d). With
        it rows that matter more are drawn more often; None: all alike, which is noisier where some
        columns are rare.
    data_batch: rows that a step reads; None: 1000 of 20,000 or more, else all."""
    return Rows(
        likelihood,
        rows,
        dim=dim,
        prior=prior,
        row_scores=row_scores,
        names=names,
        data_batch=data_batch,
    )


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
    or a tuple or
        dictionary of arrays, and row then has its form, without the first axis.
    log_prior(x): of one position; None for a flat one.
    data_batch: as for from_rows. Gradients, and which rows matter more, are found by JAX. It counts
    in single precision unless jax_enable_x64 is set, which is enough for the rows' log likelihoods:
    they are summed in double."""
    import jax

    from .frameworks import _JaxScore

    for name, function in (("log_likelihood", log_likelihood), ("log_prior", log_prior)):
        if not (callable(function) or (function is None and name == "log_prior")):
            raise TypeError(f"{name}: must be a function; got {type(function).__name__}")
    columns = jax.tree_util.tree_leaves(data)
    if not columns or any(np.ndim(column) == 0 for column in columns):
        raise TypeError(
            "data: must be an array with a row for each observation, or a tuple or dictionary of them; got "
            + (f"{type(data).__name__}" if not columns else "a number among them")
        )
    lengths = sorted({len(column) for column in columns})
    if len(lengths) > 1:
        raise ValueError(
            f"data: must have as many rows in every array; got {' and '.join(map(str, lengths))}"
        )
    compiled = _JaxRows(log_likelihood, data)
    prior = None if log_prior is None else _Filled(_JaxScore(log_prior))
    return Rows(
        compiled,
        whole("data", lengths[0], 1),
        dim=dim,
        prior=prior,
        row_scores=compiled.row_scores,
        names=names,
        data_batch=data_batch,
        values=compiled.values,
    )
