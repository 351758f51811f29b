"""Parameters within bounds: the transforms from all of R^m, as in Stan's reference manual. They
have the logarithm of the Jacobian's determinant; for functions in NumPy gradients are pulled back.

Written once over the last axes, so that they serve one position (JAX) and many (NumPy, PyTorch)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .functions import whole


class NumpyMath:
    """What the transforms need of a library of arrays."""

    exp, tanh, absolute = np.exp, np.tanh, np.abs

    @staticmethod
    def array(values: np.ndarray, like: Any) -> Any:
        return values

    @staticmethod
    def log_logistic(x: Any) -> Any:
        """log 1 / (1 + exp(-x))."""
        return -np.logaddexp(0, -x)

    @staticmethod
    def joined(parts: Sequence[Any]) -> Any:
        return np.concatenate(parts, axis=-1)

    @staticmethod
    def running_sum(x: Any) -> Any:
        return np.cumsum(x, axis=-1)


class JaxMath(NumpyMath):
    def __init__(self):
        import jax.numpy as jnp

        self._jnp = jnp
        self.exp, self.tanh, self.absolute = jnp.exp, jnp.tanh, jnp.abs

    def array(self, values: np.ndarray, like: Any) -> Any:
        return self._jnp.asarray(values)

    def log_logistic(self, x: Any) -> Any:
        return -self._jnp.logaddexp(0, -x)

    def joined(self, parts: Sequence[Any]) -> Any:
        return self._jnp.concatenate(parts, axis=-1)

    def running_sum(self, x: Any) -> Any:
        return self._jnp.cumsum(x, axis=-1)


class TorchMath(NumpyMath):
    def __init__(self):
        import torch

        self._torch = torch
        self.exp, self.tanh, self.absolute = torch.exp, torch.tanh, torch.abs

    def array(self, values: np.ndarray, like: Any) -> Any:
        made = self._torch.as_tensor(values, device=like.device)
        return made.to(like.dtype) if made.is_floating_point() else made

    def log_logistic(self, x: Any) -> Any:
        return -self._torch.logaddexp(self._torch.zeros_like(x), -x)

    def joined(self, parts: Sequence[Any]) -> Any:
        return self._torch.cat(list(parts), dim=-1)

    def running_sum(self, x: Any) -> Any:
        return self._torch.cumsum(x, dim=-1)


class Constraint:
    """The values that a parameter may take. `shape` is that of the parameter, `free` that of the
    numbers it is made of."""

    shape: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    axes = 0  # at the end, of what belongs together; 0: each number by itself

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        """The parameter, and the log of the determinant, whose last axes are not yet summed."""
        raise NotImplementedError

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        """The gradient by y of a function whose gradient by the parameter is g, plus that of the
        log of the determinant."""
        raise NotImplementedError

    def inverse(self, value: np.ndarray) -> np.ndarray:
        """The numbers that the parameter is made of; not finite where it is out of bounds."""
        raise NotImplementedError


class Real(Constraint):
    """Any number."""

    def __init__(self, shape: Any = ()):
        self.shape = self.free = shape_of(shape)

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        return y, 0 * y

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        return g

    def inverse(self, value: np.ndarray) -> np.ndarray:
        return value


class Positive(Real):
    """x = exp y."""

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        return math.exp(y), y

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        return g * np.exp(y) + 1

    def inverse(self, value: np.ndarray) -> np.ndarray:
        return np.log(value)


class Interval(Real):
    """x = low + (high - low) / (1 + exp(-y))."""

    def __init__(self, low: float, high: float, shape: Any = ()):
        super().__init__(shape)
        self.low, self.high = _number("low", low), _number("high", high)
        if not self.low < self.high:
            raise ValueError(f"interval: low must be below high; got {low} and {high}")

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        width = self.high - self.low
        inside, outside = math.log_logistic(y), math.log_logistic(-y)  # log z, log(1 - z)
        return self.low + width * math.exp(inside), inside + outside + np.log(width)

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        z, rest = (np.exp(NumpyMath.log_logistic(at)) for at in (y, -y))
        return g * (self.high - self.low) * z * rest + rest - z

    def inverse(self, value: np.ndarray) -> np.ndarray:
        return np.log(value - self.low) - np.log(self.high - value)


class Simplex(Constraint):
    """Positive numbers with sum 1, by breaking a stick:
    x_k = (1 - x_1 - ... - x_k-1) z_k with z_k = 1 / (1 + exp(-(y_k - log(K - k))))."""

    axes = 1

    def __init__(self, size: int, shape: Any = ()):
        self.size, outer = whole("simplex", size, 2), shape_of(shape)
        self.shape, self.free = (*outer, self.size), (*outer, self.size - 1)
        self._offset = -np.log(np.arange(self.size - 1, 0, -1.0))

    def _logs(self, y: Any, math: Any) -> tuple[Any, Any, Any]:
        """log z_k, log(1 - z_k), and the log of what is left of the stick before each break."""
        u = y + math.array(self._offset, y)
        taken, kept = math.log_logistic(u), math.log_logistic(-u)
        return taken, kept, math.joined([0 * y[..., :1], math.running_sum(kept)])

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        taken, kept, left = self._logs(y, math)
        logs = math.joined([left[..., :-1] + taken, left[..., -1:]])
        return math.exp(logs), taken + kept + left[..., :-1]

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        taken, kept, _ = self._logs(y, NumpyMath)
        h = g * self.forward(y, NumpyMath)[0]  # by log x_k
        later = h.sum(axis=-1, keepdims=True) - np.cumsum(h, axis=-1)
        breaks_after = np.arange(self.size - 2, -1, -1)
        z, rest = np.exp(taken), np.exp(kept)
        return (h[..., :-1] + 1) * rest - (later[..., :-1] + breaks_after + 1) * z

    def inverse(self, value: np.ndarray) -> np.ndarray:
        left = value[..., ::-1].cumsum(axis=-1)[..., ::-1]  # x_k + ... + x_K
        return np.log(value[..., :-1]) - np.log(left[..., 1:]) - self._offset


class Ordered(Constraint):
    """x_1 = y_1, x_k = x_k-1 + exp y_k."""

    axes = 1

    def __init__(self, size: int, shape: Any = ()):
        self.size = whole("ordered", size, 1)
        self.shape = self.free = (*shape_of(shape), self.size)

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        rises = math.joined([y[..., :1], math.exp(y[..., 1:])])
        return math.running_sum(rises), math.joined([0 * y[..., :1], y[..., 1:]])

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        later = g[..., ::-1].cumsum(axis=-1)[..., ::-1]  # g_k + ... + g_K
        return np.concatenate([later[..., :1], later[..., 1:] * np.exp(y[..., 1:]) + 1], axis=-1)

    def inverse(self, value: np.ndarray) -> np.ndarray:
        return np.concatenate([value[..., :1], np.log(np.diff(value, axis=-1))], axis=-1)


class CholeskyCorr(Constraint):
    """The Cholesky factor of a correlation matrix, from partial correlations z = tanh y, row by
    row: L_ij = z_ij sqrt(1 - L_i1^2 - ... - L_i,j-1^2), and what is left is that of L_ii."""

    axes = 2

    def __init__(self, size: int, shape: Any = ()):
        self.size, outer = whole("cholesky_corr", size, 2), shape_of(shape)
        m = self.size * (self.size - 1) // 2
        self.shape, self.free = (*outer, self.size, self.size), (*outer, m)
        self._place = np.full((self.size, self.size), m)  # m: a zero at the end
        self._place[np.tril_indices(self.size, -1)] = np.arange(m)

    def _parts(self, y: Any, math: Any) -> tuple[Any, Any, Any]:
        """z_ij, log(1 - z_ij^2), and the sum of these to the left; 0 where nothing is free."""
        square = math.joined([y, 0 * y[..., :1]])[..., math.array(self._place, y)]
        away = math.absolute(square)
        # 1 - tanh^2 = sech^2
        logs = 2 * (np.log(2) - away + math.log_logistic(2 * away))
        return math.tanh(square), logs, math.running_sum(logs) - logs

    def forward(self, y: Any, math: Any) -> tuple[Any, Any]:
        z, logs, left = self._parts(y, math)
        below = np.tril(np.ones((self.size, self.size)), -1)
        factor = math.exp(left / 2) * (z + math.array(np.eye(self.size), y))
        return factor, (logs + left / 2) * math.array(below, y)

    def pull(self, y: np.ndarray, g: np.ndarray) -> np.ndarray:
        z, _, left = self._parts(y, NumpyMath)
        h = g * np.exp(left / 2) * (z + np.eye(self.size))  # by log L_ij
        later = h.sum(axis=-1, keepdims=True) - np.cumsum(h, axis=-1)
        i, j = np.tril_indices(self.size, -1)
        by_logs = (later[..., i, j] + (i - 1 - j)) / 2 + 1
        by_z = (g * np.exp(left / 2))[..., i, j]
        z = z[..., i, j]
        return by_z * (1 - z * z) - 2 * z * by_logs

    def inverse(self, value: np.ndarray) -> np.ndarray:
        squares = value**2
        left = np.sqrt(1 - (np.cumsum(squares, axis=-1) - squares))
        i, j = np.tril_indices(self.size, -1)
        return np.arctanh((value / left)[..., i, j])


def positive(shape: Any = ()) -> Constraint:
    """Numbers above 0."""
    return Positive(shape)


def interval(low: float, high: float, shape: Any = ()) -> Constraint:
    """Numbers between low and high."""
    return Interval(low, high, shape)


def simplex(size: int, shape: Any = ()) -> Constraint:
    """`size` positive numbers with sum 1; with a shape so many of these."""
    return Simplex(size, shape)


def ordered(size: int, shape: Any = ()) -> Constraint:
    """`size` numbers, each above the one before; with a shape so many of these."""
    return Ordered(size, shape)


def cholesky_corr(size: int, shape: Any = ()) -> Constraint:
    """The Cholesky factor of a correlation matrix of `size` variables; L L' is the matrix. With a
    shape so many of these."""
    return CholeskyCorr(size, shape)


def shape_of(shape: Any) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(whole("shape", size, 1) for size in sizes)


def _number(name: str, value: Any) -> float:
    if isinstance(value, (bool, str)) or not np.isscalar(value) or not np.isfinite(value):
        raise ValueError(f"interval: {name} must be a number; got {value!r}")
    return float(value)
