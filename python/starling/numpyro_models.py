"""NumPyro models as targets, with all that the model says of its sites."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from . import _starling
from .frameworks import _JaxScore, how_jax_is_called
from .functions import Function
from .jax_rows import Filled
from .space import Space, given_values, in_batches, numbered


def from_numpyro(model: Callable, *args: Any, **kwargs: Any) -> Function:
    """The target of a NumPyro model, called with these arguments. Draws are those of its sites and
    deterministics, within their bounds; plates name the dimensions. Over discrete sites of few
    values NumPyro sums, where funsor is installed; draws have none of them."""
    if not callable(model):
        raise TypeError(
            "model: must be a NumPyro model, a function, and its arguments after it; got "
            f"{type(model).__name__}"
        )
    space = NumpyroSpace(model, args, kwargs)
    score = _JaxScore(space.log_density)
    return Function(score, len(space.names), space.names, space=space, **how_jax_is_called(score))


def refuse_arguments_of(target: Any, given: tuple, named: Mapping[str, Any]) -> None:
    """sample(model, x, y=y): the arguments of a model are not sample's to take."""
    own = inspect.signature(target).parameters if inspect.isfunction(target) else ()
    if given or any(name in own for name in set(named) - set(_starling.helps())):
        raise TypeError(
            "sample: takes one target, and settings by name, such as particles=2000; for a NumPyro "
            "model and its arguments write starling.sample(starling.from_numpyro(model, ...))"
        )


class NumpyroSpace(Space):
    """The sites of a NumPyro model."""

    has_prior = True

    def __init__(self, model: Callable, args: tuple, kwargs: dict[str, Any]):
        import jax
        from jax.flatten_util import ravel_pytree
        from numpyro.infer.util import initialize_model

        self._jax, self._model, self._args, self._kwargs = jax, model, args, kwargs
        self._marked = model  # its discrete sites, to be summed over
        discrete = self._discrete_sites()
        self._sums = bool(discrete)
        if discrete:
            model = self._marked = _summed_over(model, discrete)
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
        unknown = self._changed_by(discrete, trace)
        in_order = [name for name in trace if name in one and name not in unknown]
        self.shapes = {name: tuple(one[name].shape[1:]) for name in in_order}
        self.dims = {name: _dims(name, site) for name, site in trace.items() if _is_value(site)}
        self.observed_data = {
            name: np.asarray(site["value"]) for name, site in trace.items() if _is_observation(site)
        }
        self.constant_data = self._arguments()
        self.improper = {name: "ImproperUniform" for name in sites if _is_improper(trace[name])}

    def log_density(self, x: Any) -> Any:
        return -self._potential(self._unravel(x))

    def variables(self, x: np.ndarray) -> dict[str, np.ndarray]:
        made = Filled(self._variables)(x)
        return {name: made[name] for name in self.shapes}

    def log_likelihood(self, x: np.ndarray) -> dict[str, np.ndarray]:
        from numpyro.infer import log_likelihood

        if self._sums or not self.observed_data:  # a sum over discrete sites has no terms apart
            return {}

        def of_some(some: np.ndarray) -> dict[str, np.ndarray]:
            draws = self.variables(some)
            found = log_likelihood(self._model, draws, *self._args, **self._kwargs)
            return {name: np.asarray(found[name]) for name in self.observed_data}

        return in_batches(of_some, x)

    def prior(self, count: int, seed: int) -> np.ndarray:
        from numpyro.infer import Predictive

        return self._positions(
            Predictive(self._model, num_samples=count)(
                self._jax.random.key(seed), *self._args, **self._kwargs
            )
        )

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        free = self._unravel(np.zeros(len(self.names)))
        given = given_values(values, {name: self.shapes[name] for name in free})
        return self.within_bounds([self._positions(given)])

    def _positions(self, drawn: Mapping[str, Any]) -> np.ndarray:
        from jax.flatten_util import ravel_pytree
        from numpyro.handlers import seed
        from numpyro.infer.util import unconstrain_fn

        free = {name: drawn[name] for name in self._unravel(np.zeros(len(self.names)))}

        def position(values):
            made = unconstrain_fn(seed(self._marked, 0), self._args, self._kwargs, values)
            return ravel_pytree({name: made[name] for name in sorted(free)})[0]

        return np.asarray(self._jax.vmap(position)(free), dtype=np.float64)

    def _trace(self, data: dict[str, Any]) -> dict[str, Any]:
        """The model's sites, some of them with these values."""
        from numpyro.handlers import seed, substitute, trace
        from numpyro.infer import init_to_uniform

        # What has no prior to draw from begins somewhere, as in NumPyro's own samplers.
        begun = substitute(seed(self._model, 0), substitute_fn=init_to_uniform)
        return trace(substitute(begun, data=data)).get_trace(*self._args, **self._kwargs)

    def _discrete_sites(self) -> dict[str, Any]:
        """Those that are not observed."""
        return {
            name: site
            for name, site in self._trace({}).items()
            if site["type"] == "sample"
            and not site["is_observed"]
            and site["fn"].support.is_discrete
        }

    def _changed_by(self, discrete: dict[str, Any], trace: dict[str, Any]) -> set[str]:
        """Deterministics that discrete sites change: what is summed over has no value."""
        known = {
            name: site["value"]
            for name, site in trace.items()
            if site["type"] == "sample" and not site["is_observed"] and name not in discrete
        }
        support = {
            name: one["fn"].enumerate_support(expand=False) for name, one in discrete.items()
        }
        traces = []
        for k in range(max((len(values) for values in support.values()), default=0)):
            at = {
                name: self._jax.numpy.broadcast_to(
                    values[min(k, len(values) - 1)], discrete[name]["value"].shape
                )
                for name, values in support.items()
            }
            traces.append(self._trace({**known, **at}))
        return {
            name
            for name, site in trace.items()
            if site["type"] == "deterministic"
            and any(
                not np.array_equal(one[name]["value"], traces[0][name]["value"]) for one in traces
            )
        }

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


def _summed_over(model: Callable, discrete: dict[str, Any]) -> Callable:
    """The model in which NumPyro sums over these sites."""
    names = ", ".join(discrete)
    if not all(one["fn"].has_enumerate_support for one in discrete.values()):
        raise ValueError(
            f"model: must have continuous variables, or discrete ones of few values; got {names}: "
            "sum over it in the model, or put a continuous variable in its place"
        )
    if find_spec("funsor") is None:
        raise ValueError(
            f"model: {names} must be summed over, as it is discrete: NumPyro does that with "
            "funsor, which is not installed: pip install funsor"
        )
    from numpyro.contrib.funsor import config_enumerate

    return config_enumerate(model)


def _is_improper(site: dict[str, Any]) -> bool:
    from numpyro.distributions import ImproperUniform

    prior = site["fn"]
    while hasattr(prior, "base_dist"):
        prior = prior.base_dist
    return isinstance(prior, ImproperUniform)


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
