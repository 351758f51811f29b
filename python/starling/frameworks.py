"""Log densities in NumPy, JAX and PyTorch as targets, of positions or of parameters by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .constraints import JaxMath, NumpyMath, TorchMath
from .functions import Function
from .jax_loops import ON_GPU, Loops
from .jax_trees import JaxTree
from .space import Parameters

CUDA = 2  # of DLPack's kinds of devices


def _need_card(library: str, x: Any, ask: Callable) -> None:
    """A library that was installed without CUDA says so in many words of its own."""
    try:
        if x.__dlpack_device__()[0] == CUDA:  # else the host is in its place
            ask()
    except Exception as error:
        raise ValueError(
            f"device: {library} finds no GPU here, so its function cannot run on one "
            f'({(str(error).splitlines() or [type(error).__name__])[0]}); use device="cpu"'
        ) from error


class _PulledBack:
    """A NumPy function of constrained parameters as one of positions."""

    def __init__(self, function: Callable, space: Parameters):
        self._function, self._space = function, space

    def __call__(self, x: np.ndarray):
        values, log_jacobian = self._space.forward(x, NumpyMath)
        returned = self._function(values)
        if isinstance(returned, Mapping):  # gradients alone
            return self._space.pull(x, returned)
        if not (
            isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)
        ):
            raise TypeError(
                "target: must return (log densities, gradients), the gradients as a dictionary "
                f"with an array for each parameter; got {type(returned).__name__}. Without "
                "gradients use starling.from_jax"
            )
        log_densities = np.asarray(returned[0])
        if log_densities.shape != (len(x),):
            raise ValueError(
                f"target: must return log densities of shape (N,) for N = {len(x)}; got "
                f"{log_densities.shape}"
            )
        return log_densities + log_jacobian, self._space.pull(x, returned[1])


class _JaxScore:
    """vmap(value_and_grad(log_density)), compiled again where it is unpickled: as a loop over
    blocks of rows, or where that cannot be, for each number of rows. With a space the log density
    is of its parameters, and the Jacobian's determinant is added."""

    def __init__(self, log_density: Callable, space: JaxTree | None = None):
        import jax

        self._jax, self._log_density, self._space = jax, log_density, space
        of_position = log_density
        if space is not None:
            math = JaxMath()

            def of_position(x):
                values, log_jacobian = space.forward(x, math)
                return log_density(space.tree(values)) + log_jacobian

        of_one = jax.value_and_grad(of_position)
        self._compiled, self._loops = jax.jit(jax.vmap(of_one)), Loops(of_one)
        self._fits = ""  # numbers that were seen on a card

    def __reduce__(self):
        return _JaxScore, (self._log_density, self._space)

    def loop(
        self, dim: int, single: bool, block: int = ON_GPU[0], device: int | None = None
    ) -> Any:
        return self._loops.of(dim, single, block, device)

    def __call__(self, x: np.ndarray):
        rows = min(ON_GPU[1], max(ON_GPU[0], 1 << (len(x) - 1).bit_length()))
        loop = self.loop(x.shape[1], x.dtype == np.float32, rows)
        if loop is not None:
            return loop.evaluate(np.ascontiguousarray(x))
        if x.dtype == np.float64 and not self._jax.config.jax_enable_x64:
            x = x.astype(np.float32)
        log_densities, scores = self._compiled(self._jax.dlpack.from_dlpack(x))
        return np.asarray(log_densities), np.asarray(scores)  # waits for them; no copy on the CPU

    def single_on_card(self) -> bool:
        return not self._jax.config.jax_enable_x64

    def on_card(self, x: Any):
        if x.dtype != self._fits:  # at the first call
            if x.dtype == "float64" and not self._jax.config.jax_enable_x64:
                raise ValueError(
                    "precision: must be single on a GPU, since JAX computes in single precision "
                    "here; got double (or set jax_enable_x64)"
                )
            _need_card("JAX", x, lambda: self._jax.devices("cuda"))
            self._fits = x.dtype
        return self._compiled(self._jax.dlpack.from_dlpack(x))


class _TorchScore:
    """Scores by automatic differentiation of the sum: each log density is of its own row."""

    def __init__(self, log_density: Callable, space: Parameters | None = None):
        import torch

        self._torch, self._log_density, self._fits = torch, log_density, False
        self._space, self._math = space, None if space is None else TorchMath()

    def __reduce__(self):
        return _TorchScore, (self._log_density, self._space)

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
        values, log_jacobian = given, 0
        if self._space is not None:
            values, log_jacobian = self._space.forward(given, self._math)
        log_densities = self._log_density(values)
        shape = tuple(getattr(log_densities, "shape", ()))
        if shape != (x.shape[0],):
            raise ValueError(
                f"target: must return log densities of shape (N,) for N = {x.shape[0]}; got {shape}"
            )
        log_densities = log_densities + log_jacobian
        (scores,) = self._torch.autograd.grad(log_densities.sum(), given)
        return (
            log_densities.detach(),
            scores.contiguous(),
        )  # not by columns, as that of a function of x.T comes


def from_numpy(log_density: Callable, parameters: Mapping[str, Any]) -> Function:
    """The target of a NumPy function of parameters with names, shapes and constraints.

    parameters: {"b": (3,), "sigma": starling.positive(), ...}: a shape for numbers without bounds,
        or positive, interval, simplex, ordered, cholesky_corr.
    log_density(p): p has an array (N, ...) for each parameter. It returns N log densities and a
        dictionary of their gradients by the parameters, each of the parameter's own shape. The
        Jacobian of the transforms is added, and the gradients are pulled back through them."""
    space = Parameters(parameters)
    return _in_space(_PulledBack(_callable(log_density), space), space)


def from_jax(
    log_density: Callable,
    parameters: Any = None,
    *,
    dim: int | None = None,
    names: Sequence[str] | None = None,
) -> Function:
    """The target of a JAX log density of one position, a vector of d numbers, or of parameters:
    compiled, over all particles at once.

    parameters: {"b": (3,), "sigma": starling.positive(), ...}, or any pytree: its leaves are
        shapes, constraints (positive, interval, simplex, ordered, cholesky_corr) or arrays of
        numbers. Of arrays, such as the weights of a network, only the shapes count. Other leaves
        stay as they are. The log density is called with that tree, values in the place of shapes;
        the Jacobian of the transforms is added to it.

    On the CPU it is compiled once, as a loop over blocks of rows, and called without Python.
    JAX counts in single precision unless jax_enable_x64 is set: positions are rounded on the way.

    With device="cuda" positions and scores stay on the GPU, if JAX was installed for it;
    precision="single" then, unless jax_enable_x64 is set."""
    _callable(log_density)
    if parameters is None:
        score = _JaxScore(log_density)
        return Function(score, dim, names, **how_jax_is_called(score))
    _no_more("parameters", dim=dim, names=names)
    space = JaxTree(parameters)
    score = _JaxScore(log_density, space)
    return _in_space(score, space, **how_jax_is_called(score))


def from_torch(
    log_density: Callable,
    parameters: Mapping[str, Any] | None = None,
    *,
    dim: int | None = None,
    names: Sequence[str] | None = None,
) -> Function:
    """The target of a PyTorch log density over rows: it maps an (N, d) tensor to N log densities,
    each of its own row.

    parameters: as for from_numpy: the log density then gets a dictionary with a tensor (N, ...) for
        each, and the Jacobian of the transforms is added to it.

    Positions and scores are shared with NumPy, not copied. With device="cuda" they stay on the
    GPU: what else the function needs must lie there too, so write it for the device of its
    argument (data.to(x.device))."""
    _callable(log_density)
    if parameters is None:
        score = _TorchScore(log_density)
        return Function(score, dim, names, on_card=score.on_card)
    _no_more("parameters", dim=dim, names=names)
    space = Parameters(parameters)
    score = _TorchScore(log_density, space)
    return _in_space(score, space, on_card=score.on_card)


def how_jax_is_called(score: _JaxScore) -> dict[str, Any]:
    return dict(
        padded=True,
        on_card=score.on_card,
        single_on_card=score.single_on_card,
        loop=score.loop,
    )


def _in_space(score: Callable, space: Any, **how: Any) -> Function:
    return Function(score, len(space.names), space.names, space=space, **how)


def _callable(log_density: Any) -> Callable:
    if not callable(log_density):
        raise TypeError(f"log_density: must be a function; got {type(log_density).__name__}")
    return log_density


def _no_more(having: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: {having} give it already; remove {name}")
