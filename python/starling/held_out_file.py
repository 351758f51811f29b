"""held_out.json, beside the draws: how held-out rows are predicted, and the verdict on it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np

from .held_out import Look

NAME = "held_out.json"


def figures_of(look: Look) -> dict[str, Any]:
    """A look as JSON has it, without its rows."""
    figures = dataclasses.asdict(look)
    figures.pop("rows")
    return figures | {"inside": [[band, *found] for band, found in look.inside.items()]}


def look_of(figures: dict[str, Any], rows: Any) -> Look:
    figures = dict(figures)
    inside = {band: (share, se) for band, share, se in figures.pop("inside")}
    over = figures.pop("confidence")
    return Look(
        **figures,
        inside=inside,
        confidence=None if over is None else tuple(over),
        rows=np.asarray(rows),
    )


def packed(look: Look | None, verdict: str | None, reason: str | None) -> dict[str, bytes]:
    """The file, by its name; empty where no predictions were judged."""
    if look is None:
        return {}
    about = dict(verdict=verdict, reason=reason, **figures_of(look), rows=look.rows.tolist())
    return {NAME: json.dumps(about, indent=1).encode()}


def unpacked(text: bytes) -> tuple[Look, str, str]:
    figures = json.loads(text)
    verdict, reason, rows = (figures.pop(name) for name in ("verdict", "reason", "rows"))
    return look_of(figures, rows), verdict, reason
