"""How networks move: what their steps have for constants, in NumPy, JAX, PyTorch and the engine."""

from __future__ import annotations

# How much of the repulsion counts, chosen by measurement (bench/networks.py). A row of data alone
# would let the particles' predictions spread as wide as its noise; all rows together allow the
# share of it that is the number of parameters in effect over the number of rows.
REPULSION = 0.03
KERNEL_WIDTH = 0.5  # h of the kernel of each predicted number, in variances of the group

FADE, FADE_SQUARE, FLOOR = 0.9, 0.999, 1e-8  # of Adam: include/starling/advance/rules.hpp


def fall(k: int, total: int) -> float:
    """The step size falls in the second half, to a twentieth: the noise of rows dies out. As in
    python/bindings/function_flight.cpp."""
    return min(max(2 * (1 - k / total), 0.05), 1.0)
