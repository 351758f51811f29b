"""The flow of particles: snapshots of a run under way, drawn side by side or as an animation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import canvas

Snapshots = Sequence[tuple[int, np.ndarray]]
MOMENTS = 6  # that a picture of the plane shows, unless told
PATHS = 200  # that a picture of the line shows


def record(snapshots: list, *, every: int = 1) -> Callable[[Any], None]:
    """A callback for starling.sample that keeps (steps done, positions) at each look, or each
    `every`-th and the last:

    snapshots = []; result = starling.sample(..., callback=record(snapshots)); result.plot("flow",
    snapshots=snapshots) There are a hundred looks in a run; a Flight that one steps oneself can be
    given to the callback at any time."""
    if every < 1:
        raise ValueError(f"every: must be at least 1; got {every}")
    looks = 0

    def keep(flight: Any) -> None:
        nonlocal looks
        if looks % every == 0 or flight.over:
            snapshots.append((flight.done, flight.positions))
        looks += 1

    return keep


def flow(
    names: Sequence[str],
    snapshots: Snapshots | None = None,
    *,
    axes: Sequence[int] | None = None,
    moments: int = MOMENTS,
) -> Any:
    """How the particles moved: paths against steps for one coordinate, the cloud at some moments
    for two."""
    films, axes = _cut(snapshots, axes)
    dim = films[0][0][1].shape[1]
    labels = [canvas.label(names[a]) if len(names) == dim else f"coordinate {a}" for a in axes]
    if len(axes) == 1:
        figure = canvas.figure(7.0, 3.6)
        ax = figure.subplots()
        for k, film in enumerate(films):
            shown = canvas.thinned(len(film[0][1]), PATHS)
            paths = np.stack([positions[shown, axes[0]] for _, positions in film])
            ax.plot([step for step, _ in film], paths, color=f"C{k}", linewidth=0.6, alpha=0.4)
        ax.set_xlabel("steps")
        ax.set_ylabel(labels[0])
        return figure
    count = min(moments, *(len(film) for film in films))
    across = min(3, count)
    figure = canvas.figure(2.7 * across + 0.5, 2.6 * -(-count // across) + 0.3)
    panels = canvas.panels(figure, count, across, sharex=True, sharey=True)
    for k, film in enumerate(films):
        for ax, m in zip(panels, np.linspace(0, len(film) - 1, count).round().astype(int)):
            step, positions = film[m]
            canvas.dots(ax, positions[canvas.thinned(len(positions), canvas.POINTS)], axes, k)
            ax.set_title(f"step {step}")
    figure.supxlabel(labels[0])
    figure.supylabel(labels[1])
    return figure


def animate(
    snapshots: Snapshots,
    *,
    axes: Sequence[int] | None = None,
    interval: int = 60,
    density: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Any:
    """The cloud as it moves, a matplotlib FuncAnimation: in a notebook
    IPython.display.HTML(animation.to_jshtml()).

    density: a function of an (M, 1) or (M, 2) array, drawn behind the cloud; on the line it must
    integrate to 1. interval: milliseconds from one snapshot to the next."""
    films, axes = _cut(snapshots, axes)
    steps = [step for step, _ in films[0]]
    clouds = [positions[:, list(axes)] for _, positions in films[0]]
    figure = canvas.figure(5.6, 3.4 if len(axes) == 1 else 5.0)
    from matplotlib.animation import FuncAnimation

    ax = figure.subplots()
    low, high = (
        np.min([x.min(axis=0) for x in clouds], axis=0),
        np.max([x.max(axis=0) for x in clouds], axis=0),
    )
    room = 0.05 * np.maximum(high - low, 1e-9)
    show = (_bars if len(axes) == 1 else _points)(ax, clouds, low - room, high + room, density)

    def frame(m: int) -> None:
        show(m)
        ax.set_title(f"step {steps[m]}")

    return FuncAnimation(figure, frame, frames=len(clouds), interval=interval)


def _bars(
    ax: Any, clouds: list[np.ndarray], low: np.ndarray, high: np.ndarray, density: Callable | None
) -> Callable:
    """A histogram; what is called with the number of a cloud to show it."""
    edges = np.linspace(low[0], high[0], 61)
    heights = [np.histogram(x, edges, density=True)[0] for x in clouds]
    tallest = max(h.max() for h in heights[len(heights) // 4 :])  # a narrow start may stick out
    if density is not None:
        grid = np.linspace(low[0], high[0], 400)
        curve = np.asarray(density(grid[:, None])).ravel()
        ax.plot(grid, curve, color="C1")
        tallest = max(tallest, curve.max())
    bars = ax.stairs(heights[0], edges, fill=True, color="C0", alpha=0.5)
    ax.set_ylim(0, 1.1 * tallest)
    return lambda m: bars.set_data(heights[m])


def _points(
    ax: Any, clouds: list[np.ndarray], low: np.ndarray, high: np.ndarray, density: Callable | None
) -> Callable:
    """A scatter plot; what is called with the number of a cloud to show it."""
    if density is not None:
        x, y = np.meshgrid(*(np.linspace(low[a], high[a], 120) for a in range(2)))
        values = np.asarray(density(np.column_stack([x.ravel(), y.ravel()])))
        ax.contour(x, y, values.reshape(x.shape), colors="0.6", linewidths=0.8)
    canvas.dots(ax, clouds[0], (0, 1), 0)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return lambda m: ax.lines[0].set_data(*clouds[m].T)


def _cut(
    snapshots: Snapshots | None, axes: Sequence[int] | None
) -> tuple[list[Snapshots], Sequence[int]]:
    """The snapshots of each run (the steps of each begin at 0), and the coordinates to show."""
    if not snapshots:
        raise ValueError(
            "snapshots: must be a list of (step, positions), as record() collects; got none"
        )
    films: list[list] = []
    last = np.inf
    for step, positions in snapshots:
        if np.ndim(positions) != 2:
            raise ValueError(
                f"snapshots: must have positions of shape (N, d); got {np.shape(positions)}"
            )
        if step <= last:
            films.append([])
        films[-1].append((step, np.asarray(positions)))
        last = step
    dim = films[0][0][1].shape[1]
    if axes is None:
        axes = tuple(range(min(dim, 2)))
    if len(axes) not in (1, 2) or not all(0 <= a < dim for a in axes):
        raise ValueError(f"axes: must be one or two numbers from 0 to {dim - 1}; got {tuple(axes)}")
    return films, axes
