"""sample() of a network: steps on predictions, looks at held-out rows, the verdict."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .functions import whole
from .held_out import Look, look_at, pair, verdict_of
from .network_flight import flight_of
from .network_result import NetworkResult
from .network_steps import Steps
from .networks import Network
from .progress import bar_of
from .settings import plain_settings

LOOKS = 20
ITS_OWN = (
    "data",
    "particles",
    "steps",
    "step_size",
    "noise",
    "seed",
    "threads",
    "progress",
    "callback",
)


def sample_network(network: Network, given: dict[str, Any]) -> NetworkResult:
    """`given`: what was given to sample, by name."""
    for name in given:
        if name == "comm":
            raise TypeError(
                "comm: a network runs in one process, on all its cores; for a model whose "
                "gradients take seconds give a log density instead: sample(pool(log_density), "
                "predict=..., data=...), or with comm=..."
            )
        if name not in ITS_OWN:
            raise TypeError(
                f"{name}: a network has no such setting; it has {', '.join(ITS_OWN)}, and others "
                "are given where the network is made"
            )
    return _run(network, **given)


def given_to(function: Callable, arguments: dict[str, Any]) -> dict[str, Any]:
    """Of its settings, as its locals() has them, those that differ from what it has by default."""
    defaults = {
        name: one.default
        for name, one in inspect.signature(function).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    return arguments["more"] | {
        name: arguments[name] for name, usual in defaults.items() if arguments[name] is not usual
    }


def _run(
    network: Network,
    *,
    data: Any = None,
    particles: int = 20,
    steps: int = 2000,
    step_size: float = 0.01,
    noise: float = 0.0,
    seed: Any = None,
    threads: int = 0,
    progress: bool | str = "auto",
    callback: Callable | None = None,
) -> NetworkResult:
    if network.data is None:
        raise ValueError("network: must have rows to learn from; give data where it is made")
    particles, steps = whole("particles", particles, 1), whole("steps", steps, 1)
    seed = whole("seed", plain_settings({"seed": 1 if seed is None else seed})["seed"], 0)
    held_out = None if data is None else pair("data", data)
    start = network.start(particles, seed)
    noise = temperature("noise", noise)
    work = Steps(network, start, seed, (steps + 1) // 2 if noise else None)
    step_size = positive("step_size", step_size)
    flight = flight_of(work, step_size, steps, whole("threads", threads, 0), seed, noise)
    looks: list[Look] = []

    def result(interrupted: bool = False) -> NetworkResult:
        verdict = verdict_of(looks, steps, particles, start.shape[1])
        if interrupted:
            verdict = "interrupted", f"after {flight.done} of {steps} steps; {verdict[1]}"
        settings = dict(
            particles=particles,
            steps=flight.done,
            step_size=step_size,
            noise=noise,
            seed=seed,
        )
        positions = np.array(flight.particles)
        return NetworkResult(network, positions, looks, verdict, settings, interrupted)

    stops = np.unique(np.linspace(0, steps, LOOKS + 1).astype(int)[1:])
    inputs = None if held_out is None else network.inputs(held_out[0])
    with bar_of(SimpleNamespace(total=steps, done=0), progress) as bar:
        try:
            for stop in stops:
                flight.take(int(stop))
                if held_out is not None:
                    f = network.predicted(flight.particles, inputs)
                    looks.append(look_at(flight.done, network.likelihood, f, held_out[1]))
                bar.update(flight.done - bar.n)
                if callback is not None and callback(looks[-1] if looks else flight.done):
                    return result()
        except KeyboardInterrupt:
            warnings.warn(f"interrupted after {flight.done} of {steps} steps", stacklevel=4)
            return result(interrupted=True)
    return result()


def temperature(name: str, given: Any) -> float:
    """A number of at least 0."""
    if not (_is_number(given) and given >= 0):
        raise ValueError(f"{name}: must be a finite number of at least 0; got {given!r}")
    return float(given)


def positive(name: str, given: Any) -> float:
    if not (_is_number(given) and given > 0):
        raise ValueError(f"{name}: must be a positive finite number; got {given!r}")
    return float(given)


def _is_number(given: Any) -> bool:
    return isinstance(given, (int, float, np.integer, np.floating)) and bool(np.isfinite(given))
