"""The drift of predictions, in JAX and in PyTorch. Its slow twin is the engine, of which
network_steps.py asks it."""

from __future__ import annotations

from math import prod
from typing import Any

from .network_groups import Groups
from .network_rule import KERNEL_WIDTH, REPULSION
from .noise import math_of

LEAST = 1e-30  # of a variance: where all predict the same, no precision matters
MOST = 2**23  # numbers of all pairs at a time: a few arrays of so many are in memory


def of_predictions(
    likelihood: Any,
    groups: Groups,
    alone: bool,
    outputs: Any,
    own: Any,
    observed: Any,
    left_out: Any,
    at_once: bool = False,
) -> tuple[Any, Any]:
    """Of outputs, (N, rows, outputs), and the slopes of what the likelihood learns. alone: each
    particle has its own score, without a kernel. at_once: groups of one size are computed together.
    That is for frameworks in which each operation is a call; XLA is slower with it."""
    psi, of_own = likelihood.score(outputs, own, observed, left_out)
    if not alone:
        psi = _within(groups, outputs, psi, at_once)
    if left_out is not None:
        psi = psi * left_out.learns
    return psi, of_own


def _within(groups: Groups, f: Any, score: Any, at_once: bool) -> Any:
    """Each group has a kernel of its own."""
    count = len(groups.ends)
    if at_once and len(f) % count == 0:
        shape = count, len(f) // count, *f.shape[1:]
        return _with_kernel(f.reshape(shape), score.reshape(shape)).reshape(f.shape)
    pieces = [_with_kernel(f[first:end], score[first:end]) for first, end in groups.bounds]
    return math_of(f).concatenate(pieces)


def _with_kernel(f: Any, score: Any) -> Any:
    """Of groups of predictions, (..., networks, rows, outputs): each number has a Gaussian kernel
    of its own, in variances of the group. Repulsion has the weight REPULSION."""
    math = math_of(f)
    f = f - f.mean(axis=-3, keepdims=True)
    variance = math.clip((f * f).mean(axis=-3, keepdims=True), LEAST, None)
    precision = ((KERNEL_WIDTH * variance) ** -1)[..., None, :, :, :]

    def drift(first: int, end: int) -> Any:
        apart = f[..., first:end, None, :, :] - f[..., None, :, :, :]
        k = math.exp(apart * apart * (-0.5 * precision))
        each = k * (score[..., None, :, :, :] + REPULSION * precision * apart)
        return each.sum(axis=-3) / count

    count = f.shape[-3]
    pieces = min(count, -(-count * prod(f.shape) // MOST))
    ends = [count * n // pieces for n in range(pieces + 1)]
    return math.concatenate([drift(*piece) for piece in zip(ends, ends[1:])], axis=-3)
