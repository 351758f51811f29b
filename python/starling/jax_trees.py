"""Parameters of JAX functions: any tree of shapes, constraints and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .constraints import Constraint, JaxMath, Real, shape_of
from .space import Parameters, is_shape


class JaxTree(Parameters):
    """The leaves of a tree that are parameters, by their paths; the others stay as they are."""

    def __init__(self, given: Any):
        import jax

        self._given = given
        leaves, self._form = jax.tree_util.tree_flatten_with_path(given, is_leaf=_is_leaf)
        self._leaves = [leaf for _, leaf in leaves]
        self._places: dict[str, int] = {}  # of parameters among the leaves
        constraints = {}
        places = list(enumerate(leaves))
        if isinstance(given, dict):  # in the order of the user's, which JAX does not keep
            order = {key: k for k, key in enumerate(given)}
            places.sort(key=lambda one: order[one[1][0][0].key])
        for place, (path, leaf) in places:
            name, constraint = _name(path), _constraint(leaf)
            if constraint is None and isinstance(given, dict) and len(path) == 1:
                raise TypeError(
                    f"parameters: {name} must be a shape such as (3,), a constraint such as "
                    f"starling.positive(), or an array; got {leaf!r}"
                )
            if constraint is not None:
                constraints[name], self._places[name] = constraint, place
        if not constraints:
            raise TypeError(
                "parameters: must have a shape, a constraint or an array of numbers among its "
                f"leaves; got {type(given).__name__} without any"
            )
        super().__init__(constraints)

    def __reduce__(self):
        return JaxTree, (self._given,)

    def tree(self, values: dict[str, Any]) -> Any:
        """The tree with these values in it."""
        leaves = list(self._leaves)
        for name, place in self._places.items():
            leaves[place] = values[name]
        return self._form.unflatten(leaves)

    def each(self, function: Any, random: bool) -> Any:
        import jax

        math = JaxMath()

        def of_one(x, number, seed):
            tree = self.tree(self.forward(x, math)[0])
            if not random:
                return function(tree)
            return function(tree, jax.random.fold_in(jax.random.key(seed), number))

        return jax.jit(jax.vmap(of_one, (0, 0, None)))


def _is_leaf(node: Any) -> bool:
    return isinstance(node, Constraint) or is_shape(node)


def _constraint(leaf: Any) -> Constraint | None:
    """Of a parameter; None for a leaf that is none: a function, a setting."""
    if isinstance(leaf, Constraint):
        return leaf
    if is_shape(leaf):
        return Real(shape_of(leaf))
    kind = getattr(leaf, "dtype", None)
    if kind is not None and hasattr(leaf, "shape") and np.issubdtype(kind, np.floating):
        return Real(leaf.shape)
    return None


def _name(path: Any) -> str:
    """params.Dense_0.kernel"""
    keys = [
        next(str(getattr(key, kind)) for kind in ("key", "name", "idx") if hasattr(key, kind))
        for key in path
    ]
    return ".".join(keys) or "x"
