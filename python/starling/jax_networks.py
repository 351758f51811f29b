"""Networks in JAX: weights as a vector, forward and backward over all particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .networks import prior_sds


class JaxModel:
    """What Network asks of a framework, for JAX."""

    def __init__(self, init: Callable, apply: Callable, log_prior: Callable | None):
        import jax

        for name, function in (("init", init), ("apply", apply), ("log_prior", log_prior)):
            if not (callable(function) or (function is None and name == "log_prior")):
                raise TypeError(f"{name}: must be a function; got {type(function).__name__}")
        self._jax, self._init, self._apply = jax, init, apply
        leaves, self._form = jax.tree_util.tree_flatten(init(jax.random.PRNGKey(0)))
        self._leaves = leaves
        self._places = [k for k, leaf in enumerate(leaves) if _is_weight(leaf)]
        if not self._places:
            raise TypeError("init: must return arrays of weights; got none")
        self._shapes = [np.shape(leaves[k]) for k in self._places]
        self.dim = sum(int(np.prod(shape)) for shape in self._shapes)
        over = jax.vmap(self._outputs, (0, None))
        self._forward = jax.jit(over)
        self._forward_rows = jax.jit(lambda w, data, rows: over(w, data[rows]))
        self._pull = jax.jit(self._pulled)
        self._prior = None
        if log_prior is not None:
            self._prior = jax.jit(jax.vmap(jax.grad(lambda w: log_prior(self.tree(w)))))

    def bring(self, inputs: np.ndarray) -> None:
        """The rows to learn from; the outputs are counted on the first of them."""
        self._data = self._jax.numpy.asarray(inputs)
        w = self._vector(self._leaves)
        self.outputs = int(
            self._jax.eval_shape(self._outputs, w, self._data[: min(2, len(inputs))]).shape[1]
        )

    def tree(self, w: Any) -> Any:
        """The weights of a vector in the user's own form."""
        leaves, at = list(self._leaves), 0
        for place, shape in zip(self._places, self._shapes):
            size = int(np.prod(shape))
            leaves[place] = w[at : at + size].reshape(shape)
            at += size
        return self._form.unflatten(leaves)

    def trees(self, x: np.ndarray) -> Any:
        """One tree whose arrays have a particle in each row."""
        leaves, at = list(self._leaves), 0
        for place, shape in zip(self._places, self._shapes):
            size = int(np.prod(shape))
            leaves[place] = self._jax.numpy.asarray(x[:, at : at + size].reshape(-1, *shape))
            at += size
        return self._form.unflatten(leaves)

    def start(self, particles: int, seed: int) -> np.ndarray:
        key = self._jax.random.PRNGKey(seed % 2**32)
        return np.stack(
            [
                self._vector(self._form.flatten_up_to(self._init(one)))
                for one in self._jax.random.split(key, particles)
            ]
        )

    def prior_sds(self, start: np.ndarray) -> np.ndarray:
        return prior_sds(start, self._shapes)

    def prior_slope(self, x: np.ndarray) -> np.ndarray | None:
        return None if self._prior is None else np.asarray(self._prior(x))

    def forward(self, x: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        n = len(inputs)  # of few different numbers, each is compiled
        filled = np.concatenate([inputs, np.repeat(inputs[-1:], _power(n) - n, axis=0)])
        return np.asarray(self._forward(x, filled))[:, :n]

    def forward_rows(self, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._forward_rows(x, self._data, rows))

    def pull_rows(self, x: np.ndarray, rows: np.ndarray, psi: np.ndarray) -> np.ndarray:
        return np.asarray(self._pull(x, self._data, rows, psi))

    def _outputs(self, w: Any, inputs: Any) -> Any:
        made = self._apply(self.tree(w), inputs)
        if getattr(made, "shape", ())[:1] != (len(inputs),):
            raise ValueError(
                f"apply: must return an array with a row for each of {len(inputs)} rows; got "
                f"{getattr(made, 'shape', type(made).__name__)}"
            )
        return made.reshape(len(inputs), -1).astype(np.float32)  # also where JAX counts in double

    def _pulled(self, x: Any, data: Any, rows: Any, psi: Any) -> Any:
        inputs = data[rows]

        def of_one(w, back):
            return self._jax.vjp(lambda v: self._outputs(v, inputs), w)[1](back)[0]

        return self._jax.vmap(of_one)(x, psi)

    def _vector(self, leaves: list) -> np.ndarray:
        parts = [np.asarray(leaves[k], np.float32).ravel() for k in self._places]
        return np.concatenate(parts)


def _is_weight(leaf: Any) -> bool:
    kind = getattr(leaf, "dtype", None)
    return kind is not None and np.issubdtype(np.dtype(kind), np.floating)


def _power(n: int) -> int:
    return max(64, 1 << (n - 1).bit_length())
