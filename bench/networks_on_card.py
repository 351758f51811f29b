"""A step of a network in JAX on a GPU, beside its gradient and the rate of copies there.

    python bench/networks_on_card.py [--quick] [--json FILE]

20 particles of two hidden layers, about 10^6 weights, 100 rows a step. "Least" is what a step must
move beside the gradient: it reads weights, Adam's two means, the particle's draw of the prior and
the drift, and writes the first three. That is the time in which four columns of 20 x 10^6 numbers
are copied. Needs JAX and NumPy alone: it loads python/starling without the engine. It runs on a CPU
too."""

from __future__ import annotations

import argparse
import json
import sys
import time
import types
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

package = types.ModuleType("starling")  # without __init__.py, which needs the engine
package.__path__ = [str(Path(__file__).resolve().parents[1] / "python" / "starling")]
sys.modules["starling"] = package

from starling.jax_network_loop import Loop  # noqa: E402
from starling.jax_network_steps import Program  # noqa: E402
from starling.jax_networks import JaxModel  # noqa: E402
from starling.likelihoods import likelihood_of  # noqa: E402
from starling.network_data import source_of  # noqa: E402
from starling.network_steps import Steps  # noqa: E402

PARTICLES, ROWS, INPUTS, SEED = 20, 100, 10, 1


def network(width: int) -> SimpleNamespace:
    random = np.random.default_rng(1)
    x, y = random.normal(size=(10_000, INPUTS)), random.normal(size=10_000)
    shapes = ((INPUTS, width), (width, width), (width, 1))

    def init(key):
        keys = zip(jax.random.split(key, 3), shapes)
        return [jax.random.normal(k, shape) / np.sqrt(shape[0]) for k, shape in keys]

    def apply(weights, x):
        a, b, c = weights
        return jax.nn.relu(jax.nn.relu(x @ a) @ b) @ c

    model, data = JaxModel(init, apply, None), source_of((x, y), True, ROWS)
    model.count_outputs(data.first)
    likelihood = likelihood_of("student", data.y, model.outputs, True)
    data.brought_to(model, likelihood)
    program = Program(model, likelihood, data.rows / data.batch, 1.0)
    return SimpleNamespace(
        model=model, data=data, likelihood=likelihood, prior_weight=1.0, program=program
    )


def seconds(call, repeats: int) -> np.ndarray:
    made = []
    for _ in range(repeats + 2):  # the first two compile, and learn how many steps a loop takes
        began = time.perf_counter()
        call()
        made.append(time.perf_counter() - began)
    return np.array(made[2:])


def flight(net: SimpleNamespace, noise: float, total: int) -> Loop:
    start = net.model.start(PARTICLES, SEED)
    start = np.concatenate([start, net.likelihood.start(PARTICLES)], axis=1)
    work = Steps(net, start, SEED, 1 if noise else None)
    return Loop(work, 0.01, total, SEED, noise)


def measured(width: int, steps: int, repeats: int) -> dict:
    net = network(width)
    total = steps * (repeats + 2) + 200
    rows, seen = net.model.data[:ROWS], jnp.zeros((ROWS, 1))

    def loss(arrays):
        return jnp.sum((seen - net.model.outputs_of(arrays, rows)) ** 2)

    gradient = jax.jit(jax.vmap(jax.grad(loss)))
    columns = [jnp.asarray(one) for one in net.model.arrays(net.model.start(PARTICLES, SEED))]
    four = [jnp.full((PARTICLES, net.model.dim), k, jnp.float32) for k in range(4)]
    copied = jax.jit(lambda given: [jnp.copy(one) for one in given])

    def in_a_row(function, given):
        def call():
            for _ in range(steps):
                made = function(given)
            jax.block_until_ready(made)

        return call

    def further(one: Loop):
        def call():
            one.take(one.done + steps)

        return call

    made = {}
    for name, noise in (("step", 0.0), ("step with noise", 1.0)):
        one = flight(net, noise, total)
        one.take(100 if steps > 10 else 2)  # loops reach their length
        made[name] = seconds(further(one), repeats)
        del one
    made["gradient"] = seconds(in_a_row(gradient, columns), repeats)
    made["least: copies of four columns"] = seconds(in_a_row(copied, four), repeats)
    ms = {name: float(1e3 * np.median(found) / steps) for name, found in made.items()}
    least = ms["least: copies of four columns"]
    moved = 2 * 4 * 4 * PARTICLES * net.model.dim / (least * 1e-3) / 1e9
    print(f"{net.model.dim} weights, {PARTICLES} particles, {ROWS} rows a step")
    for name, found in made.items():
        low, high = 1e3 * np.quantile(found, [0.25, 0.75]) / steps
        print(f"  {name}: {ms[name]:.4f} ms (quartiles {low:.4f}, {high:.4f})")
    ratios = {
        "step over gradient": ms["step"] / ms["gradient"],
        "step over gradient and least": ms["step"] / (ms["gradient"] + least),
        "step less gradient, over least": (ms["step"] - ms["gradient"]) / least,
    }
    print(f"  copies move {moved:.0f} GB/s")
    for name, ratio in ratios.items():
        print(f"  {name}: {ratio:.2f}")
    held = (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
    if held:
        print(f"  memory of the device so far: {held / 1e6:.0f} MB")
    sys.stdout.flush()
    return dict(dim=net.model.dim, ms=ms, ratios=ratios, copies_gb_s=moved, peak_bytes=held)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="small, to try it out")
    asked.add_argument("--json", metavar="FILE")
    given = asked.parse_args()
    print(f"JAX {jax.__version__} on {jax.devices()[0].device_kind}")
    sizes = (
        ((20, 3, 2), (100, 3, 2)) if given.quick else ((50, 400, 9), (300, 400, 9), (994, 400, 9))
    )
    found = [measured(*size) for size in sizes]
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
