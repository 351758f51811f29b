"""model.npz, beside the draws: dims, coords and data of a model, and what was made of draws."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from .space import Space

NAME = "model.npz"
DATA = ("observed_data", "constant_data")
MADE = ("log_likelihood", "posterior_predictive")


class SpaceOfFile(Space):
    """What a file knows of a model: no densities, and nothing to draw from."""

    def __init__(self, dims: Mapping[str, Any], groups: Mapping[str, Mapping[str, np.ndarray]]):
        self.dims = {name: tuple(axes) for name, axes in dims.items()}
        self.coords = groups.get("coords", {})
        self.observed_data = groups.get("observed_data", {})
        self.constant_data = groups.get("constant_data", {})


def packed(space: Any, made: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """The file, by its name; empty where there is nothing to keep."""
    groups = {group: made.get(group, {}) for group in MADE}
    if space is not None:
        groups |= {group: getattr(space, group) for group in ("coords", *DATA)}
    arrays = {
        f"{group}/{name}": _plain(values)
        for group, of in groups.items()
        for name, values in of.items()
        if values is not None
    }
    dims = {} if space is None else {name: list(axes) for name, axes in space.dims.items()}
    if not (arrays or dims):
        return {}
    stream = io.BytesIO()
    np.savez(stream, dims=np.array(json.dumps(dims)), **arrays)
    return {NAME: stream.getvalue()}


def unpacked(text: bytes) -> tuple[SpaceOfFile, dict[str, dict[str, np.ndarray]]]:
    """What the model says, and what was made of the draws."""
    groups: dict[str, dict[str, np.ndarray]] = {}
    with np.load(io.BytesIO(text), allow_pickle=False) as file:
        dims = json.loads(str(file["dims"]))
        for key in file.files:
            group, slash, name = key.partition("/")
            if slash:
                groups.setdefault(group, {})[name] = file[key]
    made = {group: groups[group] for group in MADE if group in groups}
    return SpaceOfFile(dims, groups), made


def _plain(values: Any) -> np.ndarray:
    """Labels of any kind as numbers, dates or texts: NumPy would pickle objects."""
    array = np.asarray(values)
    return (
        np.array([str(one) for one in array.ravel()]).reshape(array.shape)
        if (array.dtype == object)
        else array
    )
