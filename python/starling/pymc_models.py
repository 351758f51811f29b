"""PyMC models as targets, with all that the model says of its variables: through JAX, or where
that cannot be, by PyTensor's own compiler."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .frameworks import _JaxScore, how_jax_is_called
from .functions import Function
from .jax_rows import Filled, JaxSums, jax_is_on_card
from .rows import Rows
from .space import Space, given_values, in_batches, numbered


def is_model(given: Any) -> bool:
    """Without PyMC being loaded by it."""
    pymc = sys.modules.get("pymc")
    return pymc is not None and isinstance(given, pymc.Model)


def model_around() -> Any:
    """That of the `with` around the call; None: there is none."""
    pymc = sys.modules.get("pymc")
    return None if pymc is None else pymc.Model.get_context(error_if_none=False)


def from_pymc(model: Any = None) -> Function:
    """The target of a PyMC model, by default that of the `with` around the call. Draws are those of
    its variables and deterministics, within their bounds; names, dims and coords are the model's.

    Where all that is observed is of one pymc.Minibatch, and says its total_size, it is a target
    made of rows: most steps read few of them, and the verdict is of all."""
    model = model_around() if model is None else model
    if not is_model(model):
        raise TypeError(
            "model: must be a pymc.Model; got "
            f"{'none, outside of `with model:' if model is None else type(model).__name__}"
        )
    _refuse_discrete(model)
    space = PymcSpace(model)
    batches = _minibatch_nodes(model)
    if batches:
        return _rows(model, space, batches)
    _refuse_random(model)
    try:
        jaxified = _jaxified(model.value_vars, [model.logp()])
    except (NotImplementedError, ImportError):  # an Op that JAX lacks, or no JAX
        return Function(_score_by_pytensor(space), len(space.names), space.names, space=space)
    score = _JaxScore(lambda x: jaxified(*space.parts(x))[0])
    return Function(score, len(space.names), space.names, space=space, **how_jax_is_called(score))


class PymcSpace(Space):
    """The variables of a PyMC model, made of its value variables."""

    has_prior = True

    def __init__(self, model: Any):
        from pymc.backends.arviz import (
            coords_and_dims_for_inferencedata,
            find_constants,
            find_observations,
        )
        from pymc.distributions.continuous import FlatRV, HalfFlatRV
        from pymc.util import get_default_varnames

        self.model = model
        point = model.initial_point()
        self.free = {value.name: np.shape(point[value.name]) for value in model.value_vars}
        self.names = [name for value, shape in self.free.items() for name in numbered(value, shape)]
        shown = get_default_varnames(model.unobserved_value_vars, include_transformed=False)
        self._variables = self._compiled([v.name for v in shown], shown)
        begin = np.concatenate([np.ravel(point[name]) for name in self.free])[None]
        one = self._variables(begin.astype(float))
        self.shapes = {v.name: np.shape(one[v.name])[1:] for v in shown}  # in their order
        self.coords, self.dims = coords_and_dims_for_inferencedata(model)
        self.constant_data = find_constants(model)
        self._by_rows = bool(_minibatch_nodes(model))  # its observations change
        self.observed_data = {} if self._by_rows else find_observations(model)
        self._likelihood: Any = None
        self.improper = {
            rv.name: f"pymc.{type(rv.owner.op).__name__.removesuffix('RV')}"
            for rv in model.free_RVs
            if isinstance(rv.owner.op, (FlatRV, HalfFlatRV))
        }

    def parts(self, x: Any) -> list[Any]:
        """The value variables of one position."""
        made, begin = [], 0
        for shape in self.free.values():
            end = begin + int(np.prod(shape, dtype=int))
            made.append(x[begin:end].reshape(shape))
            begin = end
        return made

    def _compiled(self, names: Sequence[str], outputs: Sequence[Any]) -> Any:
        """A function of positions (N, d) that gives arrays (N, ...) by name."""
        try:
            jaxified = _jaxified(self.model.value_vars, outputs)
        except (NotImplementedError, ImportError):
            return self.by_pytensor(names, outputs)
        import jax

        return Filled(jax.jit(jax.vmap(lambda x: dict(zip(names, jaxified(*self.parts(x)))))))

    def by_pytensor(self, names: Sequence[str], outputs: Sequence[Any]) -> Any:
        """The same, one position after another."""
        compiled = self.model.compile_fn(
            list(outputs),
            inputs=self.model.value_vars,
            point_fn=False,
            on_unused_input="ignore",
        )

        def over_rows(x: np.ndarray) -> dict[str, np.ndarray]:
            rows = [compiled(*self.parts(row)) for row in x]
            return {name: np.stack(each) for name, each in zip(names, zip(*rows))}

        return over_rows

    def variables(self, x: np.ndarray) -> dict[str, np.ndarray]:
        return self._variables(x)

    def log_likelihood(self, x: np.ndarray) -> dict[str, np.ndarray]:
        observed = self.model.observed_RVs
        if self._by_rows or not observed:
            return {}
        if self._likelihood is None:
            terms = self.model.logp(observed, sum=False)
            self._likelihood = self._compiled([rv.name for rv in observed], terms)
        return in_batches(self._likelihood, x)

    def prior(self, count: int, seed: int) -> np.ndarray:
        import pymc

        drawn = pymc.draw(self._values_of_variables(), draws=count, random_seed=seed)
        return np.concatenate([np.reshape(one, (count, -1)) for one in drawn], axis=1)

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        import pytensor
        from pytensor.graph.replace import clone_replace

        variables = self.model.free_RVs
        shapes = {rv.name: self.shapes[rv.name] for rv in variables}
        given = given_values(values, shapes)
        inputs = [rv.type() for rv in variables]
        outputs = clone_replace(self._values_of_variables(), dict(zip(variables, inputs)))
        compiled = pytensor.function(inputs, outputs, on_unused_input="ignore")
        rows = [compiled(*row) for row in zip(*(given[rv.name] for rv in variables))]
        return self.within_bounds([np.stack(each).reshape(len(rows), -1) for each in zip(*rows)])

    def _values_of_variables(self) -> list[Any]:
        """Value variables, made of the variables."""
        transforms = self.model.rvs_to_transforms
        return [
            rv if transforms[rv] is None else transforms[rv].forward(rv, *rv.owner.inputs)
            for rv in self.model.free_RVs
        ]


def _jaxified(inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    import pymc.sampling.jax as pymc_jax

    return pymc_jax.get_jaxified_graph(inputs=list(inputs), outputs=list(outputs))


def _score_by_pytensor(space: PymcSpace) -> Any:
    """Log densities and scores of positions (N, d)."""
    from pytensor.gradient import NullTypeGradError

    model = space.model
    try:
        both = space.by_pytensor(["value", "score"], [model.logp(), model.dlogp()])
    except (NotImplementedError, NullTypeGradError) as error:
        raise ValueError(
            f"model: must have a log density with a gradient; got a part without one: {error}"
        ) from error

    def score(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = both(x)
        return found["value"], found["score"]

    return score


def _refuse_random(model: Any) -> None:
    from pytensor.graph.traversal import ancestors
    from pytensor.tensor.random.op import RandomVariable

    owners = (one.owner for one in ancestors([model.logp()]) if one.owner is not None)
    if any(isinstance(one.op, RandomVariable) for one in owners):
        raise ValueError(
            "model: must have a log density that is no random number; got one that draws, such as "
            "that of pymc.Simulator: pymc.sample_smc takes it"
        )


def _refuse_discrete(model: Any) -> None:
    discrete = [
        value.name + (" (missing data)" if value.name.endswith("_unobserved") else "")
        for value in model.discrete_value_vars
    ]
    if discrete:
        raise ValueError(
            f"model: must have continuous variables alone; got {', '.join(discrete)}, which has "
            "no gradient: sum over it, as pymc_extras.marginalize does"
        )
    if not model.value_vars:
        raise ValueError("model: must have a variable that is not observed; got none")


def _minibatch_nodes(model: Any) -> list[Any]:
    """Where the model takes some rows of its data."""
    return _minibatches_in([*model.basic_RVs, *model.rvs_to_values.values(), *model.deterministics])


def _minibatches_in(graphs: list[Any]) -> list[Any]:
    from pymc.data import MinibatchOp
    from pytensor.graph.traversal import ancestors

    owners = (one.owner for one in ancestors(graphs) if one.owner is not None)
    return list(dict.fromkeys(one for one in owners if isinstance(one.op, MinibatchOp)))


def _rows(model: Any, space: PymcSpace, nodes: list[Any]) -> Rows:
    """A model on pymc.Minibatch: its rows by their numbers, each with its own log likelihood."""
    import jax
    import jax.numpy as jnp
    import pytensor.tensor as pt
    from pymc.variational.minibatch_rv import MinibatchRandomVariable
    from pytensor.graph.replace import clone_replace

    scaled = [
        rv
        for rv in model.observed_RVs
        if rv.owner is not None and isinstance(rv.owner.op, MinibatchRandomVariable)
    ]
    if len(nodes) > 1 or len(scaled) != 1:
        raise ValueError(
            "model: must have one pymc.Minibatch and one observed variable with total_size, so "
            f"that its rows are known; got {len(nodes)} and {len(scaled)}"
        )
    (node,), (observed,) = nodes, scaled
    data = node.inputs[:-1]  # the last is a random state
    size = node.outputs[0].type.shape[0]  # PyMC has built it into the graph: rows go so many a time
    rows, given = pt.TensorType("int64", (size,))("rows"), [one.type() for one in data]
    values = [np.asarray(one.eval()) for one in data]
    total = len(values[0])
    (terms,) = model.logp([observed], sum=False)  # each as if it spoke for total / size rows
    each = terms.reshape((size, -1)).sum(axis=1) * (size / total)
    others = [rv for rv in model.basic_RVs if rv is not observed]
    graphs = [each, model.logp([*others, *model.potentials])]
    replaced = {
        out: one[rows].astype(out.dtype)
        for copied in _minibatches_in(graphs)  # logp makes copies of the node
        for out, one in zip(copied.outputs, given)
    }
    each, prior = clone_replace(graphs, replace=replaced, rebuild_strict=False)
    of_rows = _jaxified([*model.value_vars, *given, rows], [each])
    of_prior = _jaxified(model.value_vars, [prior])

    def logs(x, data, some):
        n = some.shape[0]
        pieces = jnp.pad(some, (0, -n % size)).reshape(-1, size)
        return jax.vmap(lambda piece: of_rows(*space.parts(x), *data, piece)[0])(pieces).ravel()[:n]

    sums = JaxSums(logs, values, rows_apart=False)
    return Rows(
        sums,
        total,
        dim=len(space.names),
        prior=Filled(_JaxScore(lambda x: of_prior(*space.parts(x))[0])),
        row_scores=sums.row_scores,
        names=space.names,
        values=sums.values,
        space=space,
        on_card=jax_is_on_card,
    )
