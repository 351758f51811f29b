"""The engine's random numbers in PyTorch: the same normals at the same address."""

from __future__ import annotations

import math
from typing import Any

import torch

STOCHASTIC_BATCH = 24  # Stream::stochastic_batch of include/starling/random/stream.hpp
WORD = 0xFFFFFFFF
BLOCKS_AT_ONCE = {"cpu": 1 << 15}  # so that they stay in the cache; elsewhere 1 << 22, for memory


def normals(seed: int, step: int, particles: int, dim: int, device: Any = "cpu") -> Any:
    """Standard normals, (particles, dim), in float. Those of coordinates a and a + 1, a even, are
    the pair at index particle * ceil(dim / 2) + a / 2."""
    blocks = (dim + 1) // 2
    made = torch.empty((particles * blocks, 2), dtype=torch.float32, device=device)
    at_once = BLOCKS_AT_ONCE.get(torch.device(device).type, 1 << 22)
    for first in range(0, len(made), at_once):
        some = made[first : first + at_once]
        index = torch.arange(first, first + len(some), device=device)
        a, b, c, d = _philox4x32_10(index, step, seed)
        radius = torch.sqrt(-2 * torch.log(_uniform(b, a)))
        angle = 2 * math.pi * _uniform(d, c)
        some[:, 0], some[:, 1] = radius * torch.cos(angle), radius * torch.sin(angle)
    return made.view(particles, 2 * blocks)[:, :dim]


def _philox4x32_10(index: Any, step: int, seed: int) -> tuple:
    """Ten rounds of include/starling/random/philox.hpp. Products have 64 bits, and the sign is one
    of them."""
    counter = (index & WORD, index >> 32 << 16 | STOCHASTIC_BATCH, step & WORD, step >> 32)
    low, high = seed & WORD, seed >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = (
            (b >> 32 ^ low ^ counter[1]) & WORD,
            b & WORD,
            (a >> 32 ^ high ^ counter[3]) & WORD,
            a & WORD,
        )
        low, high = (low + 0x9E3779B9) & WORD, (high + 0xBB67AE85) & WORD
    return counter


def _uniform(high: Any, low: Any) -> Any:
    return ((high << 20 | low >> 12).double() + 0.5) * 2.0**-52
