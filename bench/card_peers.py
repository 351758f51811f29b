# Times steps of JAX on a card, for the problems of `starling bench cuda`: same sizes, kernel, rule
# and target; a table, and JSON. Needs JAX with CUDA and a card. From the top: python
# bench/card_peers.py [--json FILE] [--repeats 5]
import argparse
import json
import statistics
import sys
import time
from functools import partial

parser = argparse.ArgumentParser(description="JAX's steps on a card")
parser.add_argument("--json", metavar="FILE", help="write the figures here too")
parser.add_argument("--repeats", type=int, default=5)
ARGS = parser.parse_args()

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    sys.exit(f"card_peers: package {error.name} is missing")
if jax.default_backend() != "gpu":
    sys.exit("card_peers: JAX finds no card")


def advance(x, memory, drift, first):
    """Fading AdaGrad, as everywhere here."""
    memory = jnp.where(first, drift**2, 0.9 * memory + 0.1 * drift**2)
    return x + 0.01 * drift / (1e-6 + jnp.sqrt(memory)), memory


def pair_terms(x, bandwidth):
    """Weights of a batch, (batches, p, p), by differences: exact as ours."""
    r2 = jnp.sum((x[:, :, None, :] - x[:, None, :, :]) ** 2, -1)
    return jnp.exp(-r2 / (2 * bandwidth))


def batch_drift(x, p, bandwidth, count):
    """Of batches that lie one after another; Lemma 1's weights."""
    y = x.reshape(-1, p, x.shape[-1])
    score = -y
    k = pair_terms(y, bandwidth)
    k = k * ((count - 1) / (count * (p - 1)) * (1 - jnp.eye(p)) + jnp.eye(p) / count)
    push = y * jnp.sum(k, -1, keepdims=True) - jnp.einsum("bij,bjd->bid", k, y)
    return (jnp.einsum("bij,bjd->bid", k, score) + push / bandwidth).reshape(x.shape)


def batches(p, bandwidth, steps, given):
    """Each step a new order, its rows brought together, the drift, the rows back; or, given,
    batches that cost nothing: neighbours, turned by one each step."""

    @jax.jit
    def run(key, x, memory):
        count = x.shape[0]

        def step(state, k):
            x, memory = state
            if given:
                drift = jnp.roll(batch_drift(jnp.roll(x, k, 0), p, bandwidth, count), -k, 0)
            else:
                order = jax.random.permutation(jax.random.fold_in(key, k), count)
                drift = (
                    jnp.zeros_like(x)
                    .at[order]
                    .set(batch_drift(x[order], p, bandwidth, count), unique_indices=True)
                )
            return advance(x, memory, drift, k == 0), None

        return jax.lax.scan(step, (x, memory), jnp.arange(steps))[0]

    return run


def full(bandwidth, steps, precision):
    """All pairs: the usual way with N x N numbers."""

    @jax.jit
    def run(key, x, memory):
        count = x.shape[0]

        def step(state, k):
            x, memory = state
            with jax.default_matmul_precision(precision):
                norm = jnp.sum(x * x, -1)
                r2 = norm[:, None] + norm[None, :] - 2 * x @ x.T
                weights = jnp.exp(-r2 / (2 * bandwidth)) / count
                push = x * jnp.sum(weights, -1, keepdims=True) - weights @ x
                drift = weights @ (-x) + push / bandwidth
            return advance(x, memory, drift, k == 0), None

        return jax.lax.scan(step, (x, memory), jnp.arange(steps))[0]

    return run


def microseconds(run, count, dim, steps):
    x = jax.random.normal(jax.random.key(1), (count, dim), jnp.float32)
    memory = jnp.zeros_like(x)
    jax.block_until_ready(run(jax.random.key(2), x, memory))
    taken = []
    for _ in range(ARGS.repeats):
        begin = time.perf_counter()
        jax.block_until_ready(run(jax.random.key(2), x, memory))
        taken.append((time.perf_counter() - begin) / steps * 1e6)
    return statistics.median(taken)


def main():
    figures = []
    print(f"JAX {jax.__version__} on {jax.devices()[0].device_kind}; microseconds a step")
    print(f"{'what':<34} {'particles':>9} {'dim':>4} {'batch':>6} {'us':>10}")

    def show(what, make, count, dim, batch, steps):
        try:
            us = microseconds(make(steps=steps), count, dim, steps)
        except Exception as error:  # out of memory, say: the others still count
            print(f"{what:<34} {count:>9} {dim:>4} {batch:>6} {type(error).__name__}")
            return
        figures.append({"what": what, "particles": count, "dim": dim, "batch": batch, "us": us})
        print(f"{what:<34} {count:>9} {dim:>4} {batch:>6} {us:>10.1f}", flush=True)

    for dim in (2, 56):
        for p in (2, 8):
            show(
                "a new order each step",
                partial(batches, p, float(dim), given=False),
                10**6,
                dim,
                p,
                16,
            )
            show("batches given", partial(batches, p, float(dim), given=True), 10**6, dim, p, 16)
    for count in (10_000, 40_000):
        for precision in ("default", "highest"):
            show(
                f"all pairs, products {precision}",
                partial(full, 56.0, precision=precision),
                count,
                56,
                count,
                8,
            )
    show("a new order each step", partial(batches, 2, 1.0, given=False), 256, 1, 2, 500)
    if ARGS.json:
        with open(ARGS.json, "w") as file:
            json.dump(figures, file, indent=1)


main()
