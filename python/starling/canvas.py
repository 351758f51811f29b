"""What all pictures share: a figure to draw on, axes, names and numbers as people write them, fewer
points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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


def plain(value: float, _: Any = None) -> str:
    """A number as a person writes it: 0.01, 250, 10⁻⁵."""
    text = f"{value:.4g}".replace("-", "−")
    if "e" not in text:
        return text
    digits, power = text.split("e")
    raised = str(int(power.replace("−", "-"))).translate(SUPERSCRIPT)
    return f"10{raised}" if digits == "1" else f"{digits}·10{raised}"


def log_axis(ax: Any, values: np.ndarray, small: float = 0) -> None:
    """A logarithmic y axis for these values, if they span enough for one; below `small`, where that
    is given, linear through 0."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    size = np.abs(values[values != 0])
    if (values.min() <= 0 and not small) or size.max() < 5 * max(size.min(), small):
        return
    low, high = np.log10([max(size.min(), 2 * small), max(size.max(), 4 * small)])
    powers = np.arange(np.floor(low), np.ceil(high) + 1)
    powers = powers[:: max(1, len(powers) // 4)]
    ticks = np.outer(10.0**powers, [1, 2, 5] if high - low < 1.3 else [1]).ravel()
    if small:
        ticks = ticks[ticks >= 2 * small]
        ticks = np.concatenate([-ticks[ticks <= -values.min()], [0.0], ticks])
        ax.set_yscale("symlog", linthresh=small)
    else:
        ax.set_yscale("log")
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(plain))


def label(name: str) -> str:
    """A name as it is: matplotlib takes what stands between dollars for a formula."""
    return name.replace("$", r"\$")


def thinned(count: int, most: int) -> np.ndarray:
    """At most so many of the rows 0 to count - 1, evenly."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def dots(ax: Any, points: np.ndarray, axes: Sequence[int], run: int) -> None:
    """The points of a run, by two of their coordinates."""
    ax.plot(
        points[:, axes[0]],
        points[:, axes[1]],
        "o",
        color=f"C{run}",
        markersize=2.2,
        alpha=0.5,
        markeredgewidth=0,
    )
