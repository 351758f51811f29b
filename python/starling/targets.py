"""What to sample from: functions in NumPy, JAX or PyTorch, C functions, Stan models, plugins, built-in targets."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _starling


class Target:
    """A target as the engine takes it: a name and settings, and for one of Python's own a guest."""

    name = "guest"
    settings: dict[str, Any] = {}

    def guest(self, dim: int | None):
        """What the engine calls; None for a target that it has itself."""
        return None


class Builtin(Target):
    """One of the engine's own: mixture, normal, banana, funnel, logistic."""

    def __init__(self, name: str, **settings: Any):
        self.name, self.settings = name, settings

    def __repr__(self) -> str:
        return f"starling.builtin({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.settings.items())])})"


class Stan(Builtin):
    """A Stan model that BridgeStan has compiled."""

    def __init__(self, model: str | os.PathLike, data: str | os.PathLike | None = None):
        super().__init__("stan", model=os.fspath(model), **({} if data is None else {"data": os.fspath(data)}))


class Plugin(Builtin):
    """A shared library with the functions of starling/plugin.h."""

    def __init__(self, library: str | os.PathLike, data: str | os.PathLike | None = None):
        super().__init__("plugin", model=os.fspath(library), **({} if data is None else {"data": os.fspath(data)}))


class Function(Target):
    """A function of an (N, d) array that returns scores, or (log densities, scores). Called once per step."""

    def __init__(self, function: Callable, dim: int | None = None, names: Sequence[str] | None = None):
        if not callable(function):
            raise TypeError(f"target: must be a function; got {type(function).__name__}")
        self.function, self.dim, self.names = function, dim, list(names or [])

    def guest(self, dim: int | None):
        return _starling.guest_of(self.function, _dimension(self.dim, dim, self.names), self.names)

    def __call__(self, x):
        return self.function(x)


class CFunction(Target):
    """The address of a C function, called without Python: int(n, d, x, grad, logp, user) over all particles
    (batched), or int(d, x, grad, logp, user) for one, as nutpie and walnuts have it."""

    def __init__(self, function: Any, dim: int | None = None, *, batched: bool, names: Sequence[str] | None = None):
        self.kept = function  # its code must outlive us
        self.address = _address(function)
        self.batched, self.dim, self.names = bool(batched), dim, list(names or [])

    def guest(self, dim: int | None):
        return _starling.guest_at(self.address, self.batched, _dimension(self.dim, dim, self.names), self.names)


def _address(function: Any) -> int:
    if isinstance(function, int):
        address = function
    elif hasattr(function, "address"):  # numba cfunc
        address = int(function.address)
    elif isinstance(function, ctypes._CFuncPtr):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    else:
        raise TypeError(f"target: must be a C function (ctypes, numba cfunc or an address); got {type(function).__name__}")
    if address <= 0:
        raise ValueError("target: must be the address of a function; got a null pointer")
    return address


def _dimension(own: int | None, asked: int | None, names: Sequence[str]) -> int:
    known = {int(d) for d in (own, asked, len(names) or None) if d is not None}
    if not known:
        raise ValueError("dim: must be given for this target, or start as an (N, d) array")
    if len(known) > 1:
        raise ValueError(f"dim: must be one number; got {' and '.join(map(str, sorted(known)))}")
    (dim,) = known
    if dim < 1:
        raise ValueError(f"dim: must be at least 1; got {dim}")
    return dim


def builtin(name: str, **settings: Any) -> Builtin:
    """A built-in target with its options of the command line: builtin("banana", curvature=0.5)."""
    return Builtin(name, **settings)


def stan(model: str | os.PathLike, data: str | os.PathLike | None = None) -> Stan:
    """A Stan model: MODEL.so as BridgeStan compiles it, and its data as a JSON file."""
    return Stan(model, data)


def plugin(library: str | os.PathLike, data: str | os.PathLike | None = None) -> Plugin:
    """A library with the functions of starling/plugin.h."""
    return Plugin(library, data)


def from_jax(log_density: Callable, *, dim: int | None = None, names: Sequence[str] | None = None) -> Function:
    """The target of a JAX log density of one position, a vector of d numbers: compiled, over all particles at once.

    Positions reach JAX without a copy where it takes them so (on the CPU), and scores come back the same way. JAX
    counts in single precision unless jax_enable_x64 is set: then positions are rounded on the way."""
    import jax
    import jax.numpy as jnp

    compiled = jax.jit(jax.vmap(jax.value_and_grad(log_density)))

    def score(x: np.ndarray):
        if x.dtype == np.float64 and not jax.config.jax_enable_x64:
            given = jnp.asarray(x, dtype=jnp.float32)
        else:
            given = jax.dlpack.from_dlpack(x)
        log_densities, scores = compiled(given)
        return np.asarray(log_densities), np.asarray(scores)  # waits for them; no copy on the CPU

    return Function(score, dim, names)


def from_torch(log_density: Callable, *, dim: int | None = None, names: Sequence[str] | None = None) -> Function:
    """The target of a PyTorch log density over rows: it maps an (N, d) tensor to N log densities, each of its own row.

    Positions and scores are shared with NumPy, not copied."""
    import torch

    def score(x: np.ndarray):
        given = torch.from_numpy(x).requires_grad_(True)
        log_densities = log_density(given)
        if tuple(log_densities.shape) != (x.shape[0],):
            raise ValueError(f"target: must return log densities of shape ({x.shape[0]},); got {tuple(log_densities.shape)}")
        (scores,) = torch.autograd.grad(log_densities.sum(), given)
        return log_densities.detach().numpy(), scores.numpy()

    return Function(score, dim, names)


def from_pymc(model: Any) -> Function:
    """The target of a PyMC model, in its unconstrained space, through JAX."""
    import pymc.sampling.jax as pymc_jax

    log_density = pymc_jax.get_jaxified_logp(model)
    point = model.initial_point()
    shapes = [(value.name, np.shape(point[value.name])) for value in model.value_vars]
    sizes = [int(np.prod(shape, dtype=int)) for _, shape in shapes]
    ends = np.cumsum(sizes)

    def of_vector(x):
        parts = [x[end - size:end].reshape(shape) for (_, shape), size, end in zip(shapes, sizes, ends)]
        return log_density(parts)

    names = [name if not shape else f"{name}[{','.join(str(i + 1) for i in index)}]"
             for name, shape in shapes for index in np.ndindex(shape)]
    return from_jax(of_vector, dim=int(ends[-1]), names=names)


def as_target(target: Any, **jax_or_torch: Any) -> Target:
    """What a user may give for a target, as a Target."""
    if isinstance(target, Target):
        return target
    if isinstance(target, (str, os.PathLike)):
        text = os.fspath(target)
        return Stan(text) if text.endswith(".so") else Builtin(text)
    if hasattr(target, "log_density_gradient") and hasattr(target, "param_unc_num"):  # a BridgeStan model
        data = getattr(target, "data_path", None) or getattr(target, "data", None)
        return Stan(getattr(target, "lib_path", None) or target.stanlib._name, data or None)
    if isinstance(target, ctypes._CFuncPtr) or hasattr(target, "address"):
        raise TypeError("target: must be starling.CFunction(function, dim, batched=True or False) for a C function")
    return Function(target)
