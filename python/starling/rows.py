"""Targets made of rows of data, of which most steps read few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _starling
from .functions import Function, _dimension, name_of, whole

ROWS_PER_CALL = 4096  # of the whole likelihood: what a function makes on the way stays small
MANY = 1000  # rows that are enough to check the scores
FIRST = 4  # calls that see whether sums are sums


class Rows(Function):
    """log pi(x) = log prior(x) + sum over rows r of log likelihood_r(x). Made by from_rows and
    from_jax_rows. on_card: whether its functions compute on a GPU by themselves, asked when a run
    begins."""

    _computes_on_card: Callable | None = None  # pickles of earlier versions lack it

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
        space: Any = None,
        on_card: Callable | None = None,
    ):
        for name, function in (
            ("likelihood", likelihood),
            ("prior", prior),
            ("row_scores", row_scores),
        ):
            if not (callable(function) or (function is None and name != "likelihood")):
                raise TypeError(f"{name}: must be a function; got {type(function).__name__}")
        super().__init__(self.of_all, dim, names, space=space)
        self._likelihood, self._prior = likelihood, prior
        self._row_scores, self._values = row_scores, values
        self._computes_on_card = on_card
        self._rows = whole("rows", rows, 1)
        self._data_batch = 0 if data_batch is None else whole("data_batch", data_batch, 1)
        if self.data_batch > self.rows:
            raise ValueError(
                f"data_batch: must be at most the {self.rows} rows; got {self.data_batch}"
            )

    # Fixed, as Function.function is: a run keeps what it began with.

    @property
    def likelihood(self) -> Callable:
        return self._likelihood

    @property
    def prior(self) -> Callable | None:
        return self._prior

    @property
    def row_scores(self) -> Callable | None:
        return self._row_scores

    @property
    def values(self) -> Callable | None:
        return self._values

    @property
    def rows(self) -> int:
        return self._rows

    @property
    def data_batch(self) -> int:
        """Rows that a step reads; 0: the run decides."""
        return self._data_batch

    def of_all(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log densities and scores from every row."""
        value, score = np.zeros(len(x)), np.zeros(np.shape(x))
        if self.prior is not None:
            value, score = (np.array(part, dtype=np.float64) for part in self.prior(x))
        for first in range(0, self.rows, ROWS_PER_CALL):
            some = np.arange(first, min(first + ROWS_PER_CALL, self.rows))
            v, s = self.likelihood(x, some, np.ones(len(some)))
            value, score = value + np.asarray(v), score + np.asarray(s)
        return value, score

    def user_target(self, dim: int | None, particles: int):
        return self._with_draws(
            _starling.target_of_rows(
                self.likelihood,
                self.prior,
                self.values,
                self.row_scores,
                self.rows,
                self.data_batch,
                _dimension(self.dim, dim, self.names),
                self.names,
                self._computes_on_card is not None and self._computes_on_card(),
            )
        )

    def with_gradient_check(self) -> Rows:
        return Rows(
            _LikelihoodCheck(self.likelihood, self.names, self.rows),
            self.rows,
            dim=self.dim,
            prior=self.prior,
            row_scores=self.row_scores,
            names=self.names or None,
            data_batch=self.data_batch or None,
            values=self.values,
            space=self.space,
            on_card=self._computes_on_card,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_function"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._function = self.of_all

    def __repr__(self) -> str:
        return f"<starling.Rows: {name_of(self.likelihood)} of {self.rows} rows>"


class _LikelihoodCheck:
    """A likelihood whose scores are checked when it is first called with many rows: few may say
    nothing of a rare column. In a run that never asks for many, after the first calls."""

    def __init__(self, likelihood: Callable, names: list[str], rows: int):
        self._likelihood, self._names, self._least = likelihood, names, min(rows, MANY)
        self._due, self._calls = True, 0

    def __call__(self, x: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> Any:
        self._calls += 1
        if not self._due or (len(rows) < self._least and self._calls <= FIRST):
            return self._likelihood(x, rows, weights)
        from .first_call import FirstCallCheck

        self._due = False
        return FirstCallCheck(lambda at: self._likelihood(at, rows, weights), self._names)(x)

    def __reduce__(self) -> Any:
        return _unchecked, (self._likelihood,)


def _unchecked(likelihood: Callable) -> Callable:
    return likelihood


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
    """The target of a likelihood over many rows of data: a run of `auto` reads few of them in most
    steps.

    likelihood(x, rows, weights): x is an (N, d) array of positions, rows an array of B row numbers
        from 0, some perhaps twice, weights B numbers. Returns for each position the sum
        over these rows of weight times log likelihood, N numbers, and its gradient, (N, d). It is
        called with at most 4096 rows at a time.
    prior(x): log density and score of the prior at the positions; None for a flat one.
    row_scores(x, rows): gradients of the log likelihoods of single rows at one position x of d
        numbers, (B, d). With it rows that matter more are drawn more often; None: all alike, which
        is noisier where some columns are rare.
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
