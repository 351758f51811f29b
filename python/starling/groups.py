"""Draws and what belongs to them, in the groups of ArviZ."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _starling
from .thinning import Variable

# Generated quantities of Stan that are no parameters: log_lik, log_lik_schools; y_rep.
OF_STAN = {"log_likelihood": r"log_lik(_.*)?", "posterior_predictive": r".*_rep"}


def group_of(name: str, stan: bool) -> str:
    """Of a variable of the draws."""
    for group, pattern in OF_STAN.items() if stan else ():
        if re.fullmatch(pattern, name):
            return group
    return "posterior"


def dataset(
    arrays: Mapping[str, np.ndarray],
    dims: Mapping[str, Any],
    coords: Mapping[str, Any],
    first: tuple[str, ...] = ("chain", "draw"),
) -> Any:
    """An xarray.Dataset of arrays whose axes are `first` and then those of each variable."""
    import xarray

    variables, labels = {}, {}
    for name, array in arrays.items():
        shape = np.shape(array)[len(first) :]
        own = list(dims.get(name) or [])[: len(shape)]
        own += [None] * (len(shape) - len(own))
        axes = [axis or f"{name}_dim_{k}" for k, axis in enumerate(own)]
        for axis, size in zip(axes, shape):
            given = coords.get(axis)
            labels[axis] = np.arange(size) if given is None or len(given) != size else given
        variables[name] = ((*first, *axes), np.asarray(array))
        labels.update({axis: np.arange(size) for axis, size in zip(first, np.shape(array))})
    return xarray.Dataset(variables, labels, {"inference_library": "starling"})


def inference_data(groups: Mapping[str, Any]) -> Any:
    """As the ArviZ that is installed has it: InferenceData (0.x) or a DataTree (1.x)."""
    import arviz

    if int(arviz.__version__.split(".")[0]) < 1:
        return arviz.InferenceData(**groups)
    import xarray

    return xarray.DataTree.from_dict(dict(groups))


def arviz_groups(result: Any) -> dict[str, Any]:
    """Of a Result: a dataset for each group."""
    space, variables, one = result._space, result._variables(), len(result._outcomes) == 1

    def chains(array: np.ndarray) -> np.ndarray:
        return array[None] if one else array

    dims, coords = labels_of(variables)
    if space is not None:
        coords = {**coords, **space.coords}
        dims = {**dims, **{v.file: space.dims[v.name] for v in variables if v.name in space.dims}}
        dims = {**space.dims, **dims}
    stan = result.settings.get("target") == "stan"
    draws: dict[str, dict[str, np.ndarray]] = {"posterior": {}}
    for v in variables:
        draws.setdefault(group_of(v.name, stan), {})[v.file] = chains(result._of(v))
    if space is not None and "log_likelihood" not in result._made:
        with contextlib.suppress(ValueError):  # not every model knows it
            result.log_likelihood()
    for group, arrays in result._made.items():
        draws.setdefault(group, {}).update({key: chains(array) for key, array in arrays.items()})
    if result.log_density is not None:
        draws["sample_stats"] = {"lp": chains(result.log_density)}
    made = {group: dataset(arrays, dims, coords) for group, arrays in draws.items()}
    if positions := positions_of(result):
        own_dims, own_coords = labels_of(positions)
        x = result.unconstrained
        made["unconstrained_posterior"] = dataset(
            {v.file: chains(x[..., v.columns].reshape(*x.shape[:-1], *v.shape)) for v in positions},
            own_dims,
            own_coords,
        )
    if space is not None:
        for group, arrays in (
            ("observed_data", space.observed_data),
            ("constant_data", space.constant_data),
        ):
            if arrays:
                made[group] = dataset(arrays, dims, coords, ())
    return made


def labels_of(variables: list[Variable]) -> tuple[dict[str, list[str]], dict[str, np.ndarray]]:
    """Dimensions named after each variable, labelled with the names' own indices."""
    dims = {v.file: [f"{v.file}_dim_{k}" for k in range(len(v.shape))] for v in variables}
    coords = {
        axis: np.arange(first, first + extent)
        for v in variables
        for axis, first, extent in zip(dims[v.file], v.first, v.shape)
    }
    return dims, coords


def positions_of(result: Any) -> list[Variable]:
    """The variables of the positions, where draws are made of them and both are known."""
    listed = (result._summary or {}).get("unconstrained", [])
    if getattr(result._outcomes[0], "unconstrained", True) is None:  # not in the files
        return []
    return [Variable._make(v) for v in _starling.variables([one["name"] for one in listed])]
