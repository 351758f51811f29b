"""Groups of networks. Each learns without some of the rows, and these rows teach the noise.

Residuals of rows that a network learns from are too small. Differences of networks count twice: in
their residuals, and in the mixture. The two errors cancel on some data and not on others. So the
noise is learned from rows that a group leaves out, for the mixture of its networks. Half of the
rows teach it. Groups have kernels of their own. With a common kernel a network would be pulled away
from rows that others learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Chosen by measurement (bench/networks.py --sets choose). Each group leaves out one part of the
# rows. A part is chosen by a hash, so parts are about of one size.
GROUPS, PARTS = 4, 8
ROWS_AT_ONCE = 1024  # so that a large table needs no copy of itself


class LeftOut(NamedTuple):
    """Who learns without a row, of each (N, rows, 1). All but the last are 0 for the others.

    What m of N particles predict of it is moved away from its mean. Let v be their variance. The
    squared error of their mean is v/m larger than that of very many particles, and their mixture
    has the variance v (m - 1)/m. The noise is to be that of the mixture of all N. So the variance
    of what is moved must be v (1 + 1/m - 2/N)."""

    share: Any  # 1/m
    wider: Any  # by what predictions are then further from their mean
    learns: Any  # 0 for them, 1 for the others


@dataclass(frozen=True)
class Groups:
    """Particles of a group are neighbours; `ends` has one past the last of each group."""

    ends: tuple[int, ...]

    @classmethod
    def of(cls, particles: int, leave_out: bool) -> Groups:
        """At least two particles in each group. A single group leaves nothing out."""
        count = max(1, min(GROUPS, particles // 2)) if leave_out else 1
        return cls(tuple(particles * (g + 1) // count for g in range(count)))

    @property
    def bounds(self) -> list[tuple[int, int]]:
        return list(zip((0, *self.ends), self.ends))

    def left_out(self, parts: Any) -> Any:
        """Of parts (..., rows). None: all learn from all."""
        if len(self.ends) == 1:
            return None
        sizes = np.diff((0, *self.ends))
        group, m = (np.repeat(a, sizes)[:, None, None] for a in (np.arange(len(sizes)), sizes))
        out = group == parts[..., None, :, None]
        wider = np.sqrt((1 + 1 / m - 2 / self.ends[-1]) / (1 - 1 / m))
        share, wider, one = (np.asarray(a, np.float32) for a in (1 / m, wider, 1))
        return LeftOut(out * share, out * wider, ~out * one)


def parts_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which part each row is in. Rows of the same numbers are in the same part, whenever they are
    read. A row that is read with other numbers is another row."""
    parts = np.empty(len(x), np.int32)
    for first in range(0, len(x), ROWS_AT_ONCE):
        some = slice(first, first + ROWS_AT_ONCE)
        mixed = _sum_of_words(x[some], 1) + _sum_of_words(y[some], 2)
        for shift in (32, 29):  # so that the highest bits depend on all others
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(0xD6E8FEB86659FD93)
        parts[some] = (mixed >> np.uint64(32)) % np.uint64(PARTS)
    return parts


def _sum_of_words(rows: np.ndarray, seed: int) -> np.ndarray:
    """Of each row, its numbers' bits times random odd numbers, modulo 2^64."""
    rows = np.ascontiguousarray(rows.reshape(len(rows), -1) + 0)  # + 0: no -0
    words = rows.view(np.uint32 if rows.itemsize % 4 == 0 else np.uint8)
    odd = 2 * np.random.default_rng(seed).integers(2**63, size=words.shape[1], dtype=np.uint64)
    return (words * (odd + np.uint64(1))).sum(axis=1, dtype=np.uint64)
