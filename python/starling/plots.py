"""Pictures of a result: marginals, pairs, the trace of diagnostics, the flow of particles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import canvas
from .film import animate, flow, record

__all__ = ["animate", "draw", "record"]
KINDS = ("marginals", "pairs", "trace", "flow")
MARGINALS, PAIRS = 12, 5  # parameters that a picture shows, unless told
SEEN = (
    "step",
    "drift",
    "ksd",
    "ksd_se",
    "noise",
    "least_identity",
    "most_identity",
)  # what a trace is drawn from
RIGHT = (0.8, 1.25)  # spread identities that the verdict puts up with


def draw(result: Any, kind: str = "marginals", **how: Any) -> Any:
    """A matplotlib figure of a Result, or of what starling.load gave. Several runs lie over each
    other, a colour each.

    marginals, pairs: names=[...] chooses parameters ("theta" stands for all of theta[1], theta[2],
    ...). trace: drift, Stein discrepancy, noise and spread against steps; it takes a Result. flow:
    snapshots=[(step, positions), ...] as record() collects them; axes=(0, 1) chooses
    coordinates."""
    if kind not in KINDS:
        raise ValueError(f"kind: must be one of {', '.join(KINDS)}; got {kind!r}")
    if kind == "trace":
        rows = getattr(result, "trace", None)
        if not rows:
            raise ValueError("trace: this result has only draws, no trace to plot")
        return trace(canvas.figure(8.6, 5.2), rows, **how)
    names, runs = columns(result)
    if kind == "flow":
        return flow(names, **how)
    wanted = how.pop("names", None)
    if kind == "marginals":
        chosen = choose(names, wanted, MARGINALS)
        across = min(3, len(chosen))
        figure = canvas.figure(2.9 * across + 0.4, 2.2 * -(-len(chosen) // across) + 0.3)
        marginals(figure, names, runs, chosen, across=across, **how)
    else:
        chosen = choose(names, wanted, PAIRS)
        figure = pairs(
            canvas.figure(1.9 * len(chosen) + 0.7, 1.9 * len(chosen) + 0.5),
            names,
            runs,
            chosen,
            **how,
        )
    if wanted is None and len(chosen) < len(names):
        figure.suptitle(
            f"{len(chosen)} of {len(names)} parameters; names=[...] chooses others", fontsize=9
        )
    return figure


def columns(result: Any) -> tuple[list[str], np.ndarray]:
    """The names of the numbers that are drawn, and an array of them: (runs, N, names)."""
    return result.names, np.stack([np.asarray(run.draws) for run in result._outcomes])


def choose(names: Sequence[str], wanted: Sequence[str] | str | None, most: int) -> list[int]:
    """The places of the parameters to draw: those named, or the first ones."""
    if wanted is None:
        return list(range(min(most, len(names))))
    chosen: dict[int, None] = {}
    for one in [wanted] if isinstance(wanted, str) else wanted:
        found = [a for a, name in enumerate(names) if name == one or name.startswith(f"{one}[")]
        if not found:
            known = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise ValueError(f"names: must be among {known}; got {one!r}")
        chosen.update(dict.fromkeys(found))
    if not chosen:
        raise ValueError("names: must name at least one parameter; got none")
    return list(chosen)


def bins(values: np.ndarray) -> np.ndarray:
    """The edges of the bars of a histogram: one bar per whole number where values are whole and
    few."""
    low, high = values.min(), values.max()
    if low == high:
        return low + max(abs(low), 1.0) * np.array([-1e-3, 1e-3])
    if high - low <= 40 and np.all(values == np.round(values)):
        return np.arange(low - 0.5, high + 1)
    q25, q75 = np.quantile(values, [0.25, 0.75])
    width = (q75 - q25) / len(values) ** (
        1 / 3
    )  # half of Freedman and Diaconis: particles lie more evenly than draws
    count = int(np.clip((high - low) / width, 10, 50)) if width > 0 else 50
    return np.linspace(low, high, count + 1)


def histogram(ax: Any, runs: np.ndarray) -> None:
    """The shares of the particles of each run, (runs, N), in the same bars."""
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    values = [run[np.isfinite(run)] for run in runs]
    every = np.concatenate(values)
    if len(every) == 0:
        ax.set_xticks([])
        return
    edges = bins(every)
    for k, run in enumerate(values):
        shares = np.histogram(run, edges)[0] / max(1, len(run))
        if len(runs) == 1:
            ax.stairs(shares, edges, fill=True, color="C0", alpha=0.3)
        ax.stairs(shares, edges, color=f"C{k}", linewidth=1.2)
    ax.set_ylim(bottom=0)


def marginals(
    figure: Any, names: Sequence[str], runs: np.ndarray, chosen: Sequence[int], *, across: int = 3
) -> Any:
    """A histogram per parameter."""
    for ax, a in zip(canvas.panels(figure, len(chosen), across), chosen):
        lost = np.count_nonzero(~np.isfinite(runs[:, :, a]))
        ax.set_title(canvas.label(names[a]) + (f" ({lost} not finite)" if lost else ""))
        ax.locator_params(axis="x", nbins=4)
        histogram(ax, runs[:, :, a])
    return figure


def pairs(
    figure: Any,
    names: Sequence[str],
    runs: np.ndarray,
    chosen: Sequence[int],
    *,
    points: int = canvas.POINTS,
) -> Any:
    """A scatter plot per pair of parameters, histograms on the diagonal; at most so many points of
    a run."""
    grid = figure.subplots(len(chosen), len(chosen), squeeze=False, sharex="col")
    for i, down in enumerate(chosen):
        for j, along in enumerate(chosen):
            ax = grid[i, j]
            ax.set_visible(j <= i)
            ax.locator_params(nbins=3)
            if i == j:
                histogram(ax, runs[:, :, along])
            elif j < i:
                for k, run in enumerate(runs):
                    canvas.dots(ax, run[canvas.thinned(len(run), points)], (along, down), k)
                ax.tick_params(labelleft=j == 0)
            if i == len(chosen) - 1:
                ax.set_xlabel(canvas.label(names[along]))
            if j == 0 and i > 0:
                ax.set_ylabel(canvas.label(names[down]))
    return figure


def trace(figure: Any, rows: Sequence[dict[str, Any]], *, across: int = 2) -> Any:
    """Drift, squared Stein discrepancy with its error, noise and the range of spread identities at
    each look; of a run of `auto`, which has no drift all along, the identities alone."""
    if in_stages(rows):
        return identities_alone(figure, rows)
    drift, ksd, noise, identity = canvas.panels(figure, 4, across)
    runs = sorted({row["run"] for row in rows})
    for k, run in enumerate(runs):
        seen = {
            name: np.array([row[name] for row in rows if row["run"] == run], dtype=float)
            for name in SEEN
        }
        steps, band = seen["step"], {"color": f"C{k}", "alpha": 0.25, "linewidth": 0}
        drift.plot(steps, seen["drift"], color=f"C{k}")
        ksd.plot(steps, seen["ksd"], color=f"C{k}")
        ksd.fill_between(steps, seen["ksd"] - seen["ksd_se"], seen["ksd"] + seen["ksd_se"], **band)
        noise.plot(
            steps, seen["noise"], ".-", color=f"C{k}", markersize=3, linewidth=0.8
        )  # often it cannot be told
        range_of_identities(identity, seen, k)
    identities = np.concatenate([finite(rows, "least_identity"), finite(rows, "most_identity")])
    noises, errors = finite(rows, "noise"), finite(rows, "ksd_se")
    small = float(np.median(errors)) if len(errors) else 0.0
    quiet = len(noises) > 0 and not noises.any()
    looked_at = [
        (drift, "drift", finite(rows, "drift")),
        (ksd, "squared Stein discrepancy", finite(rows, "ksd")),
        (noise, "no noise: one batch" if quiet else "noise of batches / drift", noises),
        (identity, "spread identities", identities),
    ]
    ksd.axhline(0, color="0.5", linewidth=0.8)
    for right in RIGHT:
        identity.axhline(right, color="0.5", linewidth=0.8, linestyle=":")
    for ax, title, values in looked_at:
        ax.set_title(title if len(values) else f"{title}: none")
        ax.set_xlabel("steps")
        if len(values) == 0:
            ax.set(xticks=[], yticks=[])
            continue
        ax.locator_params(axis="x", nbins=4)
        if ax is not ksd:
            canvas.log_axis(ax, np.concatenate([values, RIGHT]) if ax is identity else values)
        elif values.max() > 20 * small > 0:  # it may fall below 0, by as much as its error
            canvas.log_axis(ax, values, small)
    return figure


def range_of_identities(ax: Any, seen: dict[str, np.ndarray], k: int) -> None:
    ax.fill_between(
        seen["step"],
        seen["least_identity"],
        seen["most_identity"],
        color=f"C{k}",
        alpha=0.25,
        linewidth=0,
    )
    for side in ("least_identity", "most_identity"):
        ax.plot(seen["step"], seen[side], color=f"C{k}", linewidth=1)


def in_stages(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether the trace is of a run of `auto`: only its identities are known."""
    return not any(len(finite(rows, name)) for name in ("drift", "ksd", "noise"))


def identities_alone(figure: Any, rows: Sequence[dict[str, Any]]) -> Any:
    (ax,) = canvas.panels(figure, 1, 1)
    for k, run in enumerate(sorted({row["run"] for row in rows})):
        range_of_identities(
            ax,
            {
                name: np.array([row[name] for row in rows if row["run"] == run], dtype=float)
                for name in ("step", "least_identity", "most_identity")
            },
            k,
        )
    for right in RIGHT:
        ax.axhline(right, color="0.5", linewidth=0.8, linestyle=":")
    values = np.concatenate([finite(rows, "least_identity"), finite(rows, "most_identity")])
    ax.set_title("spread identities" if len(values) else "spread identities: none")
    ax.set_xlabel("steps of all stages")
    if len(values):
        canvas.log_axis(ax, np.concatenate([values, RIGHT]))
    return figure


def finite(rows: Sequence[dict[str, Any]], column: str) -> np.ndarray:
    """The values of a column of the trace that are numbers."""
    values = np.array([row[column] for row in rows], dtype=float)
    return values[np.isfinite(values)]
