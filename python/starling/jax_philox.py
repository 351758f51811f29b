"""The engine's random numbers in JAX: the same normals at the same address."""

from __future__ import annotations

from typing import Any

import numpy as np

STOCHASTIC_BATCH = 24  # Stream::stochastic_batch of include/starling/random/stream.hpp


def normals(key: Any, step: Any, particles: int, dim: int) -> Any:
    """Standard normals, (particles, dim), in float. Those of coordinates a and a + 1, a even, are
    the pair at index particle * ceil(dim / 2) + a / 2. key: the seed's low and high 32 bits."""
    import jax.numpy as jnp

    blocks = (dim + 1) // 2
    index = jnp.arange(particles * blocks, dtype=np.uint32)  # below 2^32: more has no memory
    zero = jnp.zeros_like(index)
    counter = (index, zero + np.uint32(STOCHASTIC_BATCH), zero + step.astype(np.uint32), zero)
    bits = _philox4x32_10(counter, (key[0], key[1]))
    radius = jnp.sqrt(-2 * _log_of_uniform(bits[1], bits[0]))
    angle = np.float32(2 * np.pi) * _uniform(bits[3])
    behind = np.array([0, np.pi / 2], np.float32)  # of the sine, behind the cosine
    pairs = radius[:, None] * jnp.cos(angle[:, None] - behind)
    return pairs.reshape(particles, 2 * blocks)[:, :dim]


def _philox4x32_10(counter: tuple, key: tuple) -> tuple:
    """Ten rounds of include/starling/random/philox.hpp, two at a time: XLA on a CPU computes what
    comes before for each of the four numbers, unless a loop parts it."""
    import jax

    def one(counter: tuple, low: Any, high: Any) -> tuple:
        a_high, a_low = _product(np.uint32(0xD2511F53), counter[0])
        b_high, b_low = _product(np.uint32(0xCD9E8D57), counter[2])
        counter = (b_high ^ counter[1] ^ low, b_low, a_high ^ counter[3] ^ high, a_low)
        return counter, low + np.uint32(0x9E3779B9), high + np.uint32(0xBB67AE85)

    return jax.lax.fori_loop(0, 5, lambda _, now: one(*one(*now)), (counter, *key))[0]


def _product(a: np.uint32, b: Any) -> tuple:
    """The high and the low 32 bits of a b, by halves: JAX has 64 bits only where it is asked."""
    a_high, a_low = np.uint32(a >> 16), np.uint32(a & 0xFFFF)
    b_high, b_low = b >> 16, b & np.uint32(0xFFFF)
    middle = a_high * b_low + (a_low * b_low >> 16)
    other = a_low * b_high + (middle & np.uint32(0xFFFF))
    return a_high * b_high + (middle >> 16) + (other >> 16), a * b


def _uniform(word: Any) -> Any:
    return (word.astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-32)


def _log_of_uniform(high: Any, low: Any) -> Any:
    """Near 1 by what is missing to 1, near 0 by all bits: float has 24 of them."""
    import jax.numpy as jnp

    small = (high.astype(np.float32) + _uniform(low)) * np.float32(2.0**-32)
    missing = ((~high).astype(np.float32) + _uniform(~low)) * np.float32(2.0**-32)
    return jnp.where(high < np.uint32(1 << 31), jnp.log(small), jnp.log1p(-missing))
