"""The rows that a network learns from: arrays, or batches that are read again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .held_out import pair
from .network_groups import parts_of

ROWS_A_STEP = 100


class Columns:
    """How columns of x are scaled on the way in: to mean 0 and sd 1, or not at all."""

    def __init__(self, centre: Any = None, unit: Any = None):
        self.centre, self.unit = (None if a is None else np.asarray(a) for a in (centre, unit))

    def saved(self) -> list:
        return [None if a is None else a.tolist() for a in (self.centre, self.unit)]

    def __call__(self, x: Any) -> np.ndarray:
        """Rows as the network gets them."""
        x = np.asarray(x)
        if self.unit is None:
            return x.astype(np.float32) if np.issubdtype(x.dtype, np.floating) else x
        if x.ndim != 2 or x.shape[1] != len(self.unit):
            raise ValueError(f"x: must have {len(self.unit)} columns; got shape {x.shape}")
        return ((x - self.centre) / self.unit).astype(np.float32)


def can_be_scaled(x: np.ndarray) -> bool:
    return x.ndim == 2 and np.issubdtype(x.dtype, np.floating)


def columns_of(mean: np.ndarray, sd: np.ndarray) -> Columns:
    return Columns(mean, np.where(sd > 0, sd, 1.0))


def parts_to_leave_out(likelihood: Any, inputs: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Which part each row is in, where a likelihood has noise to learn."""
    return parts_of(inputs, observed) if likelihood.bands else np.zeros(len(inputs), np.int32)


class Table:
    """All rows in memory. The rows of step k are a function of the seed and k."""

    def __init__(self, data: Any, scale: bool, batch: int | None):
        x, self.y = pair("data", data)
        scaled = scale and can_be_scaled(x)
        self.columns = columns_of(x.mean(axis=0), x.std(axis=0)) if scaled else Columns()
        self.rows, self._inputs = len(x), self.columns(x)
        self.batch = min(batch or ROWS_A_STEP, self.rows)
        self.first = self._inputs[:2]

    def brought_to(self, model: Any, likelihood: Any) -> None:
        model.bring(self._inputs)
        self._observed = likelihood.observed(self.y)
        self._parts = parts_to_leave_out(likelihood, self._inputs, self._observed)

    def steps(self, model: Any, likelihood: Any, seed: int) -> Any:
        """Of step k: which rows of those that the model has, what was observed there, and which
        parts of the data they are in."""
        del model, likelihood

        def step(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            if self.batch == self.rows:
                return np.arange(self.rows), self._observed, self._parts
            rows = np.random.default_rng([seed, k]).integers(self.rows, size=self.batch)
            return rows, self._observed[rows], self._parts[rows]

        return step

    def blocks(self, model: Any, likelihood: Any, seed: int, most: int) -> Any:
        """Of steps first..last-1, at most so many: rows, observations, parts, and which of them
        each step reads. What is missing to `most` steps is 0."""
        step = self.steps(model, likelihood, seed)

        def block(first: int, last: int) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
            places = np.zeros((most, self.batch), np.int32)
            for k in range(first, last):
                places[k - first] = step(k)[0]
            return model.data, self._observed, self._parts, places

        return block


class Batches:
    """Batches (x, y) of an iterable such as a DataLoader, which has the order of rows. It is read
    once for scales and the number of rows, then again and again while the network learns. A step
    reads as many rows as the first batch has; where batches end does not matter."""

    def __init__(self, data: Iterable, scale: bool, batch: int | None):
        self._data = data
        count, total, squares, ys = 0, 0.0, 0.0, []
        for x, y in self._pairs():
            if count == 0:
                scaled = scale and can_be_scaled(x)
                self.batch, shift, some = batch or len(x), x[0].astype(np.float64), x[:2]
            if scaled:  # about the first row: squares of large numbers would cancel
                total = total + (x - shift).sum(axis=0)
                squares = squares + np.square(x - shift, dtype=np.float64).sum(axis=0)
            count += len(x)
            ys.append(y)
        if count == 0:
            raise ValueError("data: there must be at least one batch; got none")
        self.rows, self.y, self.columns = count, np.concatenate(ys), Columns()
        if scaled:
            mean = total / count
            sd = np.sqrt(np.maximum(squares / count - mean**2, 0))
            self.columns = columns_of(mean + shift, sd)
        self.batch, self.first = min(self.batch, count), self.columns(some)

    def brought_to(self, model: Any, likelihood: Any) -> None:
        """Each step brings its own rows."""

    def steps(self, model: Any, likelihood: Any, seed: int) -> Any:
        del seed
        rows, stream = np.arange(self.batch), self._stream()

        def step(_: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            x, y = next(stream)
            inputs, observed = self.columns(x), likelihood.observed(y)
            model.bring(inputs)
            return rows, observed, parts_to_leave_out(likelihood, inputs, observed)

        return step

    def blocks(self, model: Any, likelihood: Any, seed: int, most: int) -> Any:
        stream = self._stream()

        def block(first: int, last: int) -> tuple[np.ndarray, ...]:
            pieces = [next(stream) for _ in range(first, last)]
            read = len(pieces) * self.batch
            pieces += pieces[-1:] * (most - len(pieces))  # of one size: each is compiled
            x, y = (np.concatenate(arrays) for arrays in zip(*pieces))
            inputs, observed = self.columns(x), likelihood.observed(y)
            parts = np.zeros(len(x), np.int32)
            parts[:read] = parts_to_leave_out(likelihood, inputs[:read], observed[:read])
            places = np.arange(most * self.batch, dtype=np.int32).reshape(most, self.batch)
            return inputs, observed, parts, places

        return block

    def _pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for one in self._data:
            yield pair("data", one)

    def _stream(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pieces of `batch` rows, without end."""
        x = y = None
        while True:
            read = 0
            for more in self._pairs():
                read += len(more[0])
                x, y = more if x is None else (np.concatenate([a, b]) for a, b in zip((x, y), more))
                while len(x) >= self.batch:
                    yield x[: self.batch], y[: self.batch]
                    x, y = x[self.batch :], y[self.batch :]
            if read == 0:
                raise ValueError("data: must give its batches each time it is read; got none")


def source_of(data: Any, scale: bool, batch: int | None) -> Table | Batches:
    """Arrays are a pair (x, y); all else that can be read again is batches, a list of pairs too."""
    pairs = isinstance(data, list) and all(isinstance(one, tuple) for one in data)
    if not isinstance(data, Iterable) or (isinstance(data, (tuple, list)) and not pairs):
        return Table(data, scale, batch)
    if isinstance(data, Iterator):
        raise TypeError(
            "data: must be (x, y) or batches that can be read again, such as a DataLoader; got "
            f"{type(data).__name__}, which can be read once"
        )
    return Batches(data, scale, batch)
