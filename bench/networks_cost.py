"""What a step of a network costs beside the gradient of the same network, within one run."""

from __future__ import annotations

import time
from unittest.mock import patch

import numpy as np
import starling
from starling import network_flight

INPUTS = 10
LOOKS = 20  # of a run; between two of them steps are timed, and then as many gradients


def in_jax(width: int, x: np.ndarray, y: np.ndarray, batch: int, particles: int) -> tuple:
    """The network, and a call that computes the gradients of all particles."""
    import jax
    import jax.numpy as jnp

    shapes = ((INPUTS, width), (width, width), (width, 1))

    def init(key):
        keys = zip(jax.random.split(key, 3), shapes)
        return [jax.random.normal(k, shape) / np.sqrt(shape[0]) for k, shape in keys]

    def apply(weights, x):
        a, b, c = weights
        return jax.nn.relu(jax.nn.relu(x @ a) @ b) @ c

    network = starling.from_jax_network(init, apply, (x, y), data_batch=batch)
    rows = jnp.asarray(network.inputs(x[:batch]))
    seen = jnp.asarray(network.likelihood.observed(y[:batch]))

    def loss(w):
        return jnp.sum((seen - apply(network.model.tree(w), rows)) ** 2)

    gradient = jax.jit(jax.vmap(jax.grad(loss)))
    w = jnp.asarray(network.start(particles, 1)[:, : network.model.dim])
    return network, lambda: gradient(w).block_until_ready()


def in_torch(width: int, x: np.ndarray, y: np.ndarray, batch: int, particles: int) -> tuple:
    """The same. Forward by vmap and one backward for all is faster than vmap of grad, by a fifth at
    3,050 weights on a CPU."""
    import torch
    from torch.func import functional_call, stack_module_state

    def make():
        nn, sizes = torch.nn, (INPUTS, width, width, 1)
        layers = [nn.Linear(a, b, bias=False) for a, b in zip(sizes, sizes[1:])]
        return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])

    network = starling.from_torch_module(make, (x, y), data_batch=batch)
    rows = torch.as_tensor(network.inputs(x[:batch]))
    seen = torch.as_tensor(network.likelihood.observed(y[:batch]))
    module, (weights, _) = make(), stack_module_state([make() for _ in range(particles)])
    forward = torch.vmap(lambda one: functional_call(module, one, (rows,)))

    def gradient():
        loss = torch.sum((seen - forward(weights)) ** 2)
        return torch.autograd.grad(loss, list(weights.values()))

    return network, gradient


def cost(width: int, particles: int, batch: int, by_engine: bool, framework: str) -> None:
    """Two hidden layers of `width` units, 10 inputs, all particles at `batch` rows. A step has as
    many rows, which it chooses; the gradient always has the same ones. by_engine: steps with NumPy
    and the engine beside the framework, as short runs in JAX have them."""
    steps = 100 if width < 200 else 30  # between two looks
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2000, INPUTS)), random.normal(size=2000)
    network, gradient = {"jax": in_jax, "torch": in_torch}[framework](width, x, y, batch, particles)
    gradient()
    of_steps, of_gradients, since = [], [], time.perf_counter()

    def alternate(_):
        nonlocal since
        of_steps.append((time.perf_counter() - since) / steps)
        since = time.perf_counter()
        for _ in range(steps):
            gradient()
        of_gradients.append((time.perf_counter() - since) / steps)
        since = time.perf_counter()

    with patch.object(network_flight, "loop_pays", lambda *_: not by_engine):
        starling.sample(
            network,
            particles=particles,
            steps=LOOKS * steps,
            seed=1,
            progress=False,
            callback=alternate,
        )
    step, alone = np.median(of_steps[1:]), np.median(of_gradients[1:])
    ratios = np.array(of_steps[1:]) / np.array(of_gradients[1:])
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print(
        f"{network.model.dim} weights, {particles} particles, {batch} rows: a step "
        f"{1e3 * step:.1f} ms, the gradient alone {1e3 * alone:.1f} ms, ratio {middle:.2f} "
        f"(quartiles {low:.2f}, {high:.2f})"
    )
