"""Groups of networks. Each learns without some of the rows, and these rows teach the noise.

A network comes nearer to the rows it learns from than to others, so its own residuals are too
small; and what networks differ by is in them already, and again in the mixture of all. The two
errors cancel on some data and not on others. So a row that a group left out says how far its
networks are off: the noise is learned for the mixture of them. Groups have kernels of their own.
Through a common one a network would feel a row that others learn from, as a pull away from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

# Chosen by measurement (bench/networks.py --sets choose). Each group leaves out one of the parts.
GROUPS, PARTS = 4, 8


@dataclass(frozen=True)
class Groups:
    """Neighbours in the order of particles; `ends` has one past the last of each group."""

    ends: tuple[int, ...]

    @classmethod
    def of(cls, particles: int, leave_out: bool) -> Groups:
        """At least two particles in each; one group leaves nothing out."""
        count = max(1, min(GROUPS, particles // 2)) if leave_out else 1
        return cls(tuple(particles * (g + 1) // count for g in range(count)))

    @property
    def bounds(self) -> list[tuple[int, int]]:
        return list(zip((0, *self.ends), self.ends))

    def left_out(self, parts: Any) -> Any:
        """Whether a particle learns without a row, (N, rows, 1). None: all learn from all."""
        if len(self.ends) == 1:
            return None
        group = np.repeat(np.arange(len(self.ends)), np.diff((0, *self.ends)))
        return group[:, None, None] == parts[:, None]


def parts_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which part each row is in. The same row is in the same part each time it is read."""
    y = y.reshape(len(y), -1)
    digests = [
        hashlib.blake2b(np.ascontiguousarray(a), digest_size=4, key=b.tobytes()[:64]).digest()
        for a, b in zip(x, y)
    ]
    return np.frombuffer(b"".join(digests), np.uint32).astype(np.int32) % PARTS
