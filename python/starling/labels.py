"""Names of draws as people read them: a model's own labels in place of indices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def labelled(names: list[str], space: Any) -> list[str]:
    """theta[2] as theta[Hotchkiss], where a model has coords for its dimension. Where two would
    have one name all keep their indices."""
    dims, coords = (space.dims, space.coords) if space else ({}, {})
    made = [_label(name, dims, coords) for name in names]
    return made if len(set(made)) == len(made) else names


def _label(name: str, dims: Mapping[str, Any], coords: Mapping[str, Any]) -> str:
    found = re.fullmatch(r"(.+)\[([\d,]+)\]", name)
    if not found:
        return name
    variable, indices = found[1], [int(index) for index in found[2].split(",")]
    own = list(dims.get(variable) or [])
    if len(own) != len(indices):
        return name
    labels = []
    for dim, index in zip(own, indices):
        values = coords.get(dim)
        known = values is not None and index < len(values)
        labels.append(str(values[index]) if known else str(index))
    return f"{variable}[{','.join(labels)}]"
