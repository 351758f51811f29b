"""Log densities in JAX, PyTorch and PyMC as targets."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .targets import Function


class _JaxScore:
    """jit(vmap(value_and_grad(log_density))), compiled again where it is unpickled."""

    def __init__(self, log_density: Callable):
        import jax

        self._jax, self._log_density = jax, log_density
        self._compiled = jax.jit(jax.vmap(jax.value_and_grad(log_density)))

    def __reduce__(self):
        return _JaxScore, (self._log_density,)

    def __call__(self, x: np.ndarray):
        if x.dtype == np.float64 and not self._jax.config.jax_enable_x64:
            x = x.astype(np.float32)
        log_densities, scores = self._compiled(self._jax.dlpack.from_dlpack(x))
        return np.asarray(log_densities), np.asarray(scores)  # waits for them; no copy on the CPU


class _TorchScore:
    """Scores by automatic differentiation of the sum: each log density is of its own row."""

    def __init__(self, log_density: Callable):
        import torch

        self._torch, self._log_density = torch, log_density

    def __reduce__(self):
        return _TorchScore, (self._log_density,)

    def __call__(self, x: np.ndarray):
        given = self._torch.from_numpy(x).requires_grad_(True)
        log_densities = self._log_density(given)
        shape = tuple(getattr(log_densities, "shape", ()))
        if shape != (x.shape[0],):
            raise ValueError(f"target: must return log densities of shape ({x.shape[0]},); got {shape}")
        (scores,) = self._torch.autograd.grad(log_densities.sum(), given)
        return log_densities.detach().numpy(), scores.numpy()


def from_jax(log_density: Callable, *, dim: int | None = None, names: Sequence[str] | None = None) -> Function:
    """The target of a JAX log density of one position, a vector of d numbers: compiled, over all particles at once.

    Positions reach JAX without a copy where it takes them so (on the CPU), and scores come back the same way. JAX
    counts in single precision unless jax_enable_x64 is set: then positions are rounded on the way."""
    return Function(_JaxScore(_callable(log_density)), dim, names, padded=True)


def from_torch(log_density: Callable, *, dim: int | None = None, names: Sequence[str] | None = None) -> Function:
    """The target of a PyTorch log density over rows: it maps an (N, d) tensor to N log densities, each of its own row.

    Positions and scores are shared with NumPy, not copied."""
    return Function(_TorchScore(_callable(log_density)), dim, names)


def _callable(log_density: Any) -> Callable:
    if not callable(log_density):
        raise TypeError(f"log_density: must be a function; got {type(log_density).__name__}")
    return log_density


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
