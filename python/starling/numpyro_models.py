"""NumPyro models as targets, with all that the model says of its sites."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .frameworks import _JaxScore
from .functions import Function
from .jax_rows import Filled
from .space import Space, in_batches, numbered


def from_numpyro(model: Callable, *args: Any, **kwargs: Any) -> Function:
    """The target of a NumPyro model, called with these arguments. Draws are those of its sites and
    deterministics, within their bounds; plates name the dimensions."""
    if not callable(model):
        raise TypeError(
            "model: must be a NumPyro model, a function, and its arguments after it; got "
            f"{type(model).__name__}"
        )
    space = NumpyroSpace(model, args, kwargs)
    score = _JaxScore(space.log_density)
    return Function(
        score, len(space.names), space.names, padded=True, on_card=score.on_card, space=space
    )


class NumpyroSpace(Space):
    """The sites of a NumPyro model."""

    def __init__(self, model: Callable, args: tuple, kwargs: dict[str, Any]):
        import jax
        from jax.flatten_util import ravel_pytree
        from numpyro.infer.util import initialize_model

        self._jax, self._model, self._args, self._kwargs = jax, model, args, kwargs
        info = initialize_model(
            jax.random.key(0), model, model_args=args, model_kwargs=kwargs, validate_grad=False
        )
        sites = info.param_info.z
        if not sites:
            raise ValueError("model: must have a site that is not observed; got none")
        start, self._unravel = ravel_pytree({name: sites[name] for name in sorted(sites)})
        self._potential, constrained = info.potential_fn, info.postprocess_fn
        self.names = [n for name in sorted(sites) for n in numbered(name, np.shape(sites[name]))]
        self._variables = jax.jit(jax.vmap(lambda x: constrained(self._unravel(x))))
        one = jax.eval_shape(self._variables, jax.ShapeDtypeStruct((1, len(start)), start.dtype))
        trace = info.model_trace
        in_order = [name for name in trace if name in one]
        self.shapes = {name: tuple(one[name].shape[1:]) for name in in_order}
        self.dims = {name: _dims(name, site) for name, site in trace.items() if _is_value(site)}
        self.observed_data = {
            name: np.asarray(site["value"]) for name, site in trace.items() if _is_observation(site)
        }
        self.constant_data = self._arguments()

    def log_density(self, x: Any) -> Any:
        return -self._potential(self._unravel(x))

    def variables(self, x: np.ndarray) -> dict[str, np.ndarray]:
        return Filled(self._variables)(x)

    def log_likelihood(self, x: np.ndarray) -> dict[str, np.ndarray]:
        from numpyro.infer import log_likelihood

        if not self.observed_data:
            return {}

        def of_some(some: np.ndarray) -> dict[str, np.ndarray]:
            draws = self.variables(some)
            found = log_likelihood(self._model, draws, *self._args, **self._kwargs)
            return {name: np.asarray(found[name]) for name in self.observed_data}

        return in_batches(of_some, x)

    def prior(self, count: int, seed: int) -> np.ndarray:
        from jax.flatten_util import ravel_pytree
        from numpyro.infer import Predictive
        from numpyro.infer.util import unconstrain_fn

        drawn = Predictive(self._model, num_samples=count)(
            self._jax.random.key(seed), *self._args, **self._kwargs
        )
        free = {name: drawn[name] for name in self._unravel(np.zeros(len(self.names)))}

        def position(values):
            made = unconstrain_fn(self._model, self._args, self._kwargs, values)
            return ravel_pytree({name: made[name] for name in sorted(free)})[0]

        return np.asarray(self._jax.vmap(position)(free), dtype=np.float64)

    def _arguments(self) -> dict[str, np.ndarray]:
        """Arrays among the model's arguments that are not observed themselves."""
        try:
            given = inspect.signature(self._model).bind(*self._args, **self._kwargs).arguments
        except (TypeError, ValueError):
            return {}
        observed = list(self.observed_data.values())
        arrays = {
            name: np.asarray(value)
            for name, value in given.items()
            if hasattr(value, "shape") and hasattr(value, "dtype")
        }
        return {
            name: value
            for name, value in arrays.items()
            if not any(np.array_equal(value, one) for one in observed)
        }


def _is_value(site: dict[str, Any]) -> bool:
    return site["type"] in ("sample", "deterministic")


def _is_observation(site: dict[str, Any]) -> bool:
    """Data, and not a factor of the density, which NumPyro has as a site, too."""
    from numpyro.distributions import Unit

    observed = site["type"] == "sample" and site["is_observed"]
    return observed and not isinstance(site["fn"], Unit)


def _dims(name: str, site: dict[str, Any]) -> tuple[str, ...]:
    """Plates name the axes that they are of, counted from the last of the batch."""
    shape = np.shape(site["value"])
    events = site["fn"].event_dim if site["type"] == "sample" else 0
    dims = [f"{name}_dim_{k}" for k in range(len(shape))]
    for plate in site.get("cond_indep_stack", ()):
        axis = len(shape) - events + plate.dim
        if 0 <= axis < len(shape) and shape[axis] == plate.size:
            dims[axis] = plate.name
    return tuple(dims)
