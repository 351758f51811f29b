"""What all pictures share: a figure to draw on, names as they are written, fewer points."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

POINTS = 1000  # of a run in a scatter plot, unless told


def figure(width: float, height: float) -> Any:
    """A figure that pyplot shows, or that a notebook shows once: as what the cell returned."""
    try:
        import matplotlib
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots: matplotlib must be installed: pip install matplotlib") from error
    made = pyplot.figure(figsize=(width, height), layout="constrained")
    if "inline" in matplotlib.get_backend():
        pyplot.close(made)
    return made


def panels(made: Any, count: int, across: int, **kinds: Any) -> list[Any]:
    """So many panels in rows of `across`, from the left."""
    grid = list(made.subplots(-(-count // across), across, squeeze=False, **kinds).flat)
    for ax in grid[count:]:
        ax.set_visible(False)
    return grid[:count]


def label(name: str) -> str:
    """A name as it is: matplotlib takes what stands between dollars for a formula."""
    return name.replace("$", r"\$")


def thinned(count: int, most: int) -> np.ndarray:
    """At most so many of the rows 0 to count - 1, evenly."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def dots(ax: Any, points: np.ndarray, axes: Sequence[int], run: int) -> None:
    """The points of a run, by two of their coordinates."""
    ax.plot(points[:, axes[0]], points[:, axes[1]], ".", color=f"C{run}", markersize=3, alpha=0.5, markeredgewidth=0)
