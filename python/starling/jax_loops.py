"""Functions of JAX as compiled loops: a step needs no Python.

The loop fetches a block of rows from the engine, computes log densities and scores, hands them back
and waits for the next block. All of it is code that XLA compiled (python/bindings/block_queue.hpp).
On the CPU one compilation serves any number of rows, on a GPU a power of two: there a block takes
little longer than a row (python/bindings/crossing.hpp)."""

from __future__ import annotations

import functools
import itertools
import math
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _starling
from .ending import let_go_at_end

LEAST, MOST = 32, 256  # rows of a block on the CPU
ON_GPU = 64, 8192  # and on a GPU
NUMBERS = itertools.count(1)  # of loops on GPUs, by which their handlers know them
ENOUGH = 4096  # numbers that an operation should give: then its own start costs little
# Operations that JAX leaves to LAPACK. Such a call shares out its rows among XLA's threads and
# waits for them on one of these. When all of them wait in loops, nobody is left to compute, for
# ever.
WAITING = {
    *("cholesky", "cholesky_update", "eig", "eigh", "geqp3", "geqrf", "hessenberg"),
    *("householder_product", "lu", "ormqr", "qr", "schur", "svd", "symmetric_product"),
    *("triangular_solve", "tridiagonal", "tridiagonal_solve"),
}


class Loops:
    """The loops of a function of one position that returns (log density, score): one for each kind
    of numbers, compiled when it is first asked for."""

    def __init__(self, function: Callable):
        import jax

        self._jax, self._function = jax, jax.jit(function)
        self._known: dict[tuple, Any] = {}
        self._lock = threading.RLock()
        let_go_at_end(self)

    def _let_go(self) -> None:
        """At the end of the interpreter."""
        self._known.clear()

    def of(self, dim: int, single: bool, block: int = ON_GPU[0], device: int | None = None) -> Any:
        """A _starling.Loop; None where the function must be called through Python. device: the
        number of a GPU, or -1 for the CPU in its place; None: where JAX computes by default.
        block: rows at a time, if that is a GPU."""
        if _Fork.of_loops:
            raise RuntimeError(
                "target: JAX cannot compute in a process that was forked from one where it did; "
                'use multiprocessing.get_context("spawn")'
            )
        place = self._place(device)
        if place is None or not _registered(place.platform):
            return None
        double = self._jax.config.jax_enable_x64 and not single
        key = dim, double, self._jax.config.jax_default_matmul_precision, place
        key += (block,) if place.on_gpu else ()
        with self._lock:  # flights in other threads have the same loop
            if key not in self._known:
                number = np.float64 if double else np.float32
                try:
                    self._known[key] = (
                        self._compiled_there(dim, number, block, place)
                        if place.on_gpu
                        else self._compiled(dim, number)
                    )
                except Exception:  # the call through Python says what is wrong with the function
                    self._known[key] = None
            return self._known[key]

    def _place(self, device: int | None) -> _Place | None:
        """Where the loop runs; None: nowhere, as where somebody asked JAX to look at every result,
        or not to compile."""
        jax, config = self._jax, self._jax.config
        if config.jax_debug_nans or config.jax_debug_infs or config.jax_disable_jit:
            return None
        try:
            if device == -1:
                return _Place("cpu", jax.devices("cpu")[0], "in_place")
            if device is None:
                chosen = config.jax_default_device
                platform = getattr(chosen, "platform", chosen) or jax.default_backend()
                if platform == "cpu":
                    return _Place("cpu")
                there = chosen if hasattr(chosen, "platform") else jax.local_devices()[0]
                known = there in jax.devices("cuda")
                return _Place("CUDA", there, "on_cuda") if known else None
            return next(
                _Place("CUDA", one, "on_cuda")
                for one in jax.local_devices(backend="cuda")
                if one.local_hardware_id == device
            )
        except (RuntimeError, StopIteration):  # no such device: the call through Python says so
            return None

    def _compiled(self, dim: int, number: type) -> Any:
        jax, of_rows = self._jax, self._jax.vmap(self._function)
        traced = self._traced(dim, number)
        if self._waits(traced):
            return None
        block = block_for(traced)
        answer = jax.ShapeDtypeStruct((block, dim), number), jax.ShapeDtypeStruct((), np.bool_)
        kind = np.dtype(number).name
        fetch, exchange = (
            jax.ffi.ffi_call(f"starling_{name}_{kind}", answer, has_side_effect=True)
            for name in ("fetch", "exchange")
        )

        def loop(ticket: Any) -> Any:
            def computed(state: tuple) -> tuple:
                log_densities, scores = of_rows(state[0])
                return tuple(exchange(ticket, log_densities.astype(number), scores.astype(number)))

            return jax.lax.while_loop(lambda state: state[1], computed, tuple(fetch(ticket)))[1]

        compiled = jax.jit(loop).lower(jax.ShapeDtypeStruct((2,), np.uint32)).compile()

        def enter(address: int) -> None:
            compiled(np.array([address], np.uint64).view(np.uint32)).block_until_ready()

        _Fork.loops = True
        return _starling.loop_over_blocks(enter, block, dim)

    def _traced(self, dim: int, number: type) -> Any:
        return self._function.trace(self._jax.ShapeDtypeStruct((dim,), number)).jaxpr.jaxpr

    @staticmethod
    def _waits(traced: Any) -> bool:
        return any(operation.primitive.name in WAITING for operation in _operations(traced))

    def _compiled_there(self, dim: int, number: type, block: int, place: _Place) -> Any:
        """On a GPU. Its handlers move rows between the host and the GPU, and know the loop by its
        number."""
        jax, of_rows, own = self._jax, self._jax.vmap(self._function), next(NUMBERS)
        if place.platform == "cpu" and self._waits(self._traced(dim, number)):
            return None
        answer = jax.ShapeDtypeStruct((block, dim), number), jax.ShapeDtypeStruct((), np.bool_)
        kind = np.dtype(number).name
        fetch, exchange = (
            functools.partial(
                jax.ffi.ffi_call(
                    f"starling_{name}_{kind}_{place.handlers}", answer, has_side_effect=True
                ),
                loop=np.uint64(own),
            )
            for name in ("fetch", "exchange")
        )

        def loop() -> Any:
            def computed(state: tuple) -> tuple:
                log_densities, scores = of_rows(state[0])
                return tuple(exchange(log_densities.astype(number), scores.astype(number)))

            return jax.lax.while_loop(lambda state: state[1], computed, tuple(fetch()))[1]

        with jax.default_device(place.device):
            compiled = jax.jit(loop).lower().compile()

        def enter(_: int) -> None:
            with jax.default_device(place.device):
                compiled().block_until_ready()

        _Fork.loops = True
        return _starling.loop_over_blocks(enter, block, dim, own)


@dataclass(frozen=True)
class _Place:
    """Where loops run: a platform, and for a GPU the device and which handlers move its rows."""

    platform: str
    device: Any = None
    handlers: str = ""

    @property
    def on_gpu(self) -> bool:
        return bool(self.handlers)


class _Fork:
    """Threads of JAX's are not in a forked process, and a call would wait for them for ever."""

    loops = of_loops = False  # compiled here; in the process that this one was forked from

    @classmethod
    def note(cls) -> None:
        cls.of_loops = cls.loops


os.register_at_fork(after_in_child=_Fork.note)


@functools.cache
def _registered(platform: str = "cpu") -> bool:
    """Whether JAX takes what this module was built with: its interface has versions."""
    try:
        import jax.ffi

        on_gpu = platform == "CUDA"
        handlers = _starling.xla_handlers_on_cuda() if on_gpu else _starling.xla_handlers()
        for name, handler in (handlers or {}).items():
            jax.ffi.register_ffi_target(name, handler, platform=platform)
    except Exception:
        return False
    return handlers is not None


def block_for(jaxpr: Any) -> int:
    """Rows of a block: few, so that what is computed stays in the cache and little is computed for
    nobody; more where the operations of a row are so small that they start more than they compute.
    It depends on the function alone, so results do, too."""
    sizes = [
        sum(math.prod(out.aval.shape) for out in operation.outvars)
        for operation in _operations(jaxpr)
    ]
    wanted = ENOUGH / max(1, sum(sizes) / max(1, len(sizes)))
    return min(MOST, max(LEAST, 1 << math.ceil(math.log2(wanted)) if wanted > 1 else 1))


def _operations(jaxpr: Any) -> Iterator[Any]:
    """All that have no others inside, also those inside loops and functions."""
    for operation in jaxpr.eqns:
        inner = [
            getattr(one, "jaxpr", one)
            for value in operation.params.values()
            for one in (value if isinstance(value, (tuple, list)) else (value,))
            if hasattr(getattr(one, "jaxpr", one), "eqns")
        ]
        for one in inner:
            yield from _operations(one)
        if not inner:
            yield operation
