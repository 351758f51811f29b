"""A vector of weights as the arrays of a network."""

from __future__ import annotations

from typing import Any

import numpy as np


def arrays_of(w: Any, shapes: list[tuple[int, ...]]) -> list:
    """Out of one vector, or of a vector in each row: of NumPy, JAX or PyTorch."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes]).tolist()
    return [
        w[..., first:end].reshape((*w.shape[:-1], *shape))
        for first, end, shape in zip([0, *ends], ends, shapes)
    ]
