"""Log densities in JAX, PyTorch and PyMC as targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .functions import Function

CUDA = 2  # of DLPack's kinds of devices


def _need_card(library: str, x: Any, ask: Callable) -> None:
    """A library that was installed without a card's part says so in many words of its own."""
    try:
        if x.__dlpack_device__()[0] == CUDA:  # else the host is in its place
            ask()
    except Exception as error:
        raise ValueError(
            f"device: {library} finds no card here, so that its function cannot run there "
            f'({(str(error).splitlines() or [type(error).__name__])[0]}); use device="cpu"'
        ) from error


class _JaxScore:
    """jit(vmap(value_and_grad(log_density))), compiled again where it is unpickled."""

    def __init__(self, log_density: Callable):
        import jax

        self._jax, self._log_density = jax, log_density
        self._compiled = jax.jit(jax.vmap(jax.value_and_grad(log_density)))
        self._fits = ""  # numbers that were seen on a card

    def __reduce__(self):
        return _JaxScore, (self._log_density,)

    def __call__(self, x: np.ndarray):
        if x.dtype == np.float64 and not self._jax.config.jax_enable_x64:
            x = x.astype(np.float32)
        log_densities, scores = self._compiled(self._jax.dlpack.from_dlpack(x))
        return np.asarray(log_densities), np.asarray(scores)  # waits for them; no copy on the CPU

    def on_card(self, x: Any):
        if x.dtype != self._fits:  # at the first call
            if x.dtype == "float64" and not self._jax.config.jax_enable_x64:
                raise ValueError(
                    "precision: must be single on a card, since JAX counts in single precision "
                    "here; got double (or set jax_enable_x64)"
                )
            _need_card("JAX", x, lambda: self._jax.devices("cuda"))
            self._fits = x.dtype
        return self._compiled(self._jax.dlpack.from_dlpack(x))


class _TorchScore:
    """Scores by automatic differentiation of the sum: each log density is of its own row."""

    def __init__(self, log_density: Callable):
        import torch

        self._torch, self._log_density, self._fits = torch, log_density, False

    def __reduce__(self):
        return _TorchScore, (self._log_density,)

    def __call__(self, x: np.ndarray):
        log_densities, scores = self._of(self._torch.from_numpy(x))
        return log_densities.numpy(), scores.numpy()

    def on_card(self, x: Any):
        if not self._fits:
            _need_card("PyTorch", x, self._torch.cuda.init)
            self._fits = True
        return self._of(self._torch.from_dlpack(x))

    def _of(self, x: Any):
        given = x.requires_grad_(True)
        log_densities = self._log_density(given)
        shape = tuple(getattr(log_densities, "shape", ()))
        if shape != (x.shape[0],):
            raise ValueError(
                f"target: must return log densities of shape ({x.shape[0]},); got {shape}"
            )
        (scores,) = self._torch.autograd.grad(log_densities.sum(), given)
        return (
            log_densities.detach(),
            scores.contiguous(),
        )  # not by columns, as that of a function of x.T comes


def from_jax(
    log_density: Callable, *, dim: int | None = None, names: Sequence[str] | None = None
) -> Function:
    """The target of a JAX log density of one position, a vector of d numbers: compiled, over all
    particles at once.

    Positions reach JAX without a copy where it takes them so (on the CPU), and scores come back the
    same way. JAX counts in single precision unless jax_enable_x64 is set: then positions are
    rounded on the way.

    With device="cuda" positions and scores stay on the card, if JAX was installed for it;
    precision="single" then, unless jax_enable_x64 is set."""
    score = _JaxScore(_callable(log_density))
    return Function(score, dim, names, padded=True, on_card=score.on_card)


def from_torch(
    log_density: Callable, *, dim: int | None = None, names: Sequence[str] | None = None
) -> Function:
    """The target of a PyTorch log density over rows: it maps an (N, d) tensor to N log densities,
    each of its own row.

    Positions and scores are shared with NumPy, not copied. With device="cuda" they stay on the
    card: what else the function needs must lie there too, so write it for the device of its
    argument (data.to(x.device))."""
    score = _TorchScore(_callable(log_density))
    return Function(score, dim, names, on_card=score.on_card)


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
        parts = [
            x[end - size : end].reshape(shape) for (_, shape), size, end in zip(shapes, sizes, ends)
        ]
        return log_density(parts)

    names = [
        name if not shape else f"{name}[{','.join(str(i + 1) for i in index)}]"
        for name, shape in shapes
        for index in np.ndindex(shape)
    ]
    return from_jax(of_vector, dim=int(ends[-1]), names=names)
