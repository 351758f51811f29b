"""Networks in JAX: weights as a vector, forward and backward over all particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .network_arrays import arrays_of


class JaxModel:
    """What Network asks of a framework, for JAX."""

    compiles = True  # a loop of steps, jax_network_loop.py

    def __init__(
        self, init: Callable, apply: Callable, log_prior: Callable | None, fixed: Any = None
    ):
        import jax

        for name, function in (("init", init), ("apply", apply), ("log_prior", log_prior)):
            if not (callable(function) or (function is None and name == "log_prior")):
                raise TypeError(f"{name}: must be a function; got {type(function).__name__}")
        self._jax, self._init, self._apply = jax, init, apply
        named, self._form = jax.tree_util.tree_flatten_with_path(init(jax.random.PRNGKey(0)))
        names = [jax.tree_util.keystr(path, simple=True, separator="/") for path, _ in named]
        leaves = [leaf for _, leaf in named]
        weights = [k for k, leaf in enumerate(leaves) if _is_weight(leaf)]
        if not weights:
            raise TypeError("init: must return arrays of weights; got none")
        held = self._held(fixed, names)
        self._leaves, self._places = leaves, [k for k in weights if not held[k]]
        if not self._places:
            raise ValueError("fixed: must leave weights to learn; got all of them")
        self.names = [names[k] for k in self._places]
        self.shapes = [np.shape(leaves[k]) for k in self._places]
        self.dim = sum(int(np.prod(shape)) for shape in self.shapes)
        over = jax.vmap(self._outputs, (0, None))
        self._forward = jax.jit(over)
        # vjp gives the outputs and what the way back needs of them: nothing is computed twice.
        self._forward_rows = jax.jit(
            lambda x, data, rows: jax.vjp(lambda w: over(w, data[rows]), x)
        )
        self._pull = jax.jit(lambda back, psi: back(psi)[0])
        self.has_prior = log_prior is not None
        if self.has_prior:
            self._prior = jax.jit(jax.vmap(jax.grad(lambda w: log_prior(self.tree(w)))))
            #: The same, of arrays and as arrays.
            self.prior_slopes = jax.vmap(jax.grad(lambda arrays: log_prior(self.tree_of(arrays))))

    @property
    def loop(self) -> type:
        from .jax_network_loop import Loop

        return Loop

    def bring(self, inputs: np.ndarray) -> None:
        """The rows to learn from."""
        self.data = self._jax.numpy.asarray(inputs)

    def count_outputs(self, inputs: np.ndarray) -> None:
        w = self._vector(self._leaves)
        self.outputs = int(self._jax.eval_shape(self._outputs, w, inputs).shape[1])

    def tree(self, w: Any) -> Any:
        """The weights of a vector in the user's own form."""
        return self.tree_of(self.arrays(w))

    def trees(self, x: np.ndarray) -> Any:
        """One tree whose arrays have a particle in each row."""
        return self.tree_of([self._jax.numpy.asarray(part) for part in self.arrays(x)])

    def arrays(self, w: Any) -> list:
        """Those that are learned, out of one vector or of a vector in each row."""
        return arrays_of(w, self.shapes)

    def tree_of(self, arrays: list) -> Any:
        """Them in the user's own form, with what stays as it is."""
        leaves = list(self._leaves)
        for place, array in zip(self._places, arrays):
            leaves[place] = array
        return self._form.unflatten(leaves)

    def start(self, particles: int, seed: int) -> np.ndarray:
        key = self._jax.random.PRNGKey(seed % 2**32)
        return np.stack(
            [
                self._vector(self._form.flatten_up_to(self._init(one)))
                for one in self._jax.random.split(key, particles)
            ]
        )

    def prior_slope(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self._prior(x))

    def forward(self, x: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        n = len(inputs)  # of few different numbers, each is compiled
        filled = np.concatenate([inputs, np.repeat(inputs[-1:], _power(n) - n, axis=0)])
        return np.asarray(self._forward(x, filled))[:, :n]

    def forward_rows(self, x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, Callable]:
        """Outputs, and the way back: what drifts of them are as drifts of x."""
        outputs, back = self._forward_rows(x, self.data, rows)
        return np.asarray(outputs), lambda psi: np.asarray(self._pull(back, psi))

    def _outputs(self, w: Any, inputs: Any) -> Any:
        return self.outputs_of(self.arrays(w), inputs)

    def outputs_of(self, arrays: list, inputs: Any) -> Any:
        """Of one particle, (rows, outputs)."""
        made = self._apply(self.tree_of(arrays), inputs)
        if getattr(made, "shape", ())[:1] != (len(inputs),):
            raise ValueError(
                f"apply: must return an array with a row for each of {len(inputs)} rows; got "
                f"{getattr(made, 'shape', type(made).__name__)}"
            )
        return made.reshape(len(inputs), -1).astype(np.float32)  # also where JAX counts in double

    def _held(self, fixed: Any, names: list[str]) -> list[bool]:
        """Of each leaf, whether it is fixed."""
        if fixed is None:
            return [False] * len(names)
        if isinstance(fixed, str) or (
            isinstance(fixed, (list, tuple)) and all(isinstance(one, str) for one in fixed)
        ):
            asked = [fixed] if isinstance(fixed, str) else fixed
            for one in asked:
                if not any(_within(name, one) for name in names):
                    raise ValueError(
                        f"fixed: must be names of weights, of {', '.join(names)}; got {one!r}"
                    )
            return [any(_within(name, one) for one in asked) for name in names]
        leaves, form = self._jax.tree_util.tree_flatten(fixed)
        if form != self._form or not all(isinstance(one, (bool, np.bool_)) for one in leaves):
            raise TypeError(
                "fixed: must be names, or True and False in the form of the weights, one for each "
                f"array; got {fixed}"
            )
        return [bool(one) for one in leaves]

    def _vector(self, leaves: list) -> np.ndarray:
        parts = [np.asarray(leaves[k], np.float32).ravel() for k in self._places]
        return np.concatenate(parts)


def _is_weight(leaf: Any) -> bool:
    kind = getattr(leaf, "dtype", None)
    return kind is not None and np.issubdtype(np.dtype(kind), np.floating) and leaf.size > 0


def _within(name: str, asked: str) -> bool:
    return name == asked or name.startswith(asked + "/")


def _power(n: int) -> int:
    return max(64, 1 << (n - 1).bit_length())
