"""Pictures for the page: SVG in two layouts, whose colours are variables of the page and turn dark
with it."""

from __future__ import annotations

import html
import io
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import plots
from .read import Run

# name: (light, dark)
COLOURS = {
    "ink": ("#1d2125", "#ebe9e4"),
    "muted": ("#59616b", "#a9b0b9"),
    "line": ("#d8dbdf", "#373d44"),
    "ground": ("#fdfdfb", "#14171a"),
    "run1": ("#2769b7", "#88c1ff"),
    "run2": ("#a64b00", "#fca676"),
    "run3": ("#00804c", "#71d6a3"),
    "run4": ("#904895", "#e5a3e8"),
    "run5": ("#836600", "#d6bd5c"),
    "run6": ("#007f88", "#43d5dc"),
    "run7": ("#ab413e", "#ff9e96"),
    "run8": ("#6a57b3", "#bdb0ff"),
}
RUNS = [name for name in COLOURS if name.startswith("run")]
POINTS = 400  # in a scatter plot, of all runs together, so that the page stays small
NARROW_PAIRS = 3


def run_colour(run: int) -> str:
    """The variable for run 0, 1, ...; they begin again after the last."""
    return f"var(--{RUNS[run % len(RUNS)]})"


def variables(dark: bool) -> str:
    """The lines of CSS that define the colours."""
    return "\n".join(f"  --{name}: {pair[dark]};" for name, pair in COLOURS.items())


def style() -> dict[str, Any]:
    """How matplotlib draws for the page, in its light colours."""
    from cycler import cycler

    ink, muted, line = (COLOURS[name][0] for name in ("ink", "muted", "line"))
    return {
        "font.family": "DejaVu Sans",
        "font.size": 8.5,
        "svg.fonttype": "none",
        "text.usetex": False,
        "text.color": ink,
        "axes.labelcolor": muted,
        "axes.edgecolor": muted,
        "axes.titlecolor": ink,
        "axes.titlesize": 9,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.linewidth": 0.7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": False,
        "grid.color": line,
        "grid.linewidth": 0.6,
        "xtick.color": muted,
        "ytick.color": muted,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "xtick.major.size": 3,
        "ytick.major.size": 3,
        "lines.linewidth": 1.2,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "axes.prop_cycle": cycler(color=[COLOURS[name][0] for name in RUNS]),
    }


def interesting(run: Run, most: int) -> list[int]:
    """The parameters to draw: all, or those whose spread identity is farthest from 1, in their
    order."""
    if len(run.names) <= most:
        return list(range(len(run.names)))
    identity = {p["name"]: p.get("spread_identity") for p in run.summary["parameters"]}

    def far(a: int) -> float:
        value = identity.get(run.names[a])
        return 0.0 if value is None else math.inf if value <= 0 else abs(math.log(value))

    return sorted(sorted(range(len(run.names)), key=far, reverse=True)[:most])


def points_of_each(run: Run) -> int:
    """How many particles of a run a scatter plot shows."""
    return min(run.draws.shape[1], max(50, POINTS // run.draws.shape[0]))


def marginals(run: Run) -> str:
    chosen = interesting(run, plots.MARGINALS)
    names = [shortened(name, 20) for name in run.names]

    def layout(across: int) -> Callable:
        across = min(across, len(chosen))
        return lambda figure: plots.marginals(figure, names, run.draws, chosen, across=across)

    wide, narrow = (4, 1.75), (2, 1.5)
    return both(
        "marginals",
        "Histograms of " + listed(run, chosen),
        (8.6 if len(chosen) > 2 else 5.4, wide[1] * -(-len(chosen) // wide[0]), layout(wide[0])),
        (3.6, narrow[1] * -(-len(chosen) // narrow[0]), layout(narrow[0])),
    )


def pairs(run: Run) -> str:
    chosen = interesting(run, plots.PAIRS)
    names = [shortened(name, 14) for name in run.names]

    def layout(most: int) -> Callable:
        return lambda figure: plots.pairs(
            figure, names, run.draws, chosen[:most], points=points_of_each(run)
        )

    side = 3.4 if len(chosen) == 2 else 1.72 * len(chosen)
    return both(
        "pairs",
        "Scatter plots of each pair of " + listed(run, chosen),
        (max(side, 4.6), side, layout(len(chosen))),
        (3.6, 3.5, layout(NARROW_PAIRS)),
    )


def trace(run: Run) -> str:
    def layout(across: int) -> Callable:
        return lambda figure: plots.trace(figure, run.trace, across=across)

    if plots.in_stages(run.trace):
        alt = "The least and greatest spread identity against steps."
        return both("trace", alt, (8.6, 2.6, layout(1)), (3.6, 2.4, layout(1)))
    alt = (
        "Four panels against steps: the drift, the squared Stein discrepancy with its standard "
        "error, the noise of the batches against the drift, and the least and greatest spread "
        "identity."
    )
    return both("trace", alt, (8.6, 4.6, layout(2)), (3.6, 7.6, layout(1)))


def listed(run: Run, chosen: list[int]) -> str:
    return ", ".join(run.names[a] for a in chosen) + "."


def shortened(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 6]}…{name[-5:]}"


def both(name: str, alt: str, wide: tuple, narrow: tuple) -> str:
    """The SVG elements of a picture, for a page and for a telephone; each given as (width, height,
    what draws it)."""
    import matplotlib
    from matplotlib.figure import Figure

    made = []
    for kind, (width, height, drawn) in (("wide", wide), ("narrow", narrow)):
        with (
            matplotlib.rc_context({**style(), "svg.hashsalt": f"{name}-{kind}"}),
            np.errstate(all="ignore"),
        ):
            figure = Figure(figsize=(width, height), layout="constrained")
            drawn(figure)
            text = io.StringIO()
            figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        made.append(inline(text.getvalue(), f"{name}-{kind}", kind, width, alt))
    return "\n".join(made)


def inline(svg: str, key: str, kind: str, width: float, alt: str) -> str:
    """SVG of matplotlib as a part of the page: its type and colours, ids that no other picture has,
    fewer digits."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :].strip(), flags=re.S)
    svg = re.sub(
        r'(?<= )(d|x|y)="[^"]*"',
        lambda m: " ".join(re.sub(r"([.]\d\d)\d+", r"\1", m[0]).split()),
        svg,
    )
    svg = re.sub(r'\bid="', f'id="{key}-', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\1#{key}-", svg)
    svg = re.sub(r"'DejaVu Sans'(, [^;\"]*)?", "var(--figure-type)", svg)
    svg = re.sub(r"(<g clip-path=\"[^\"]*\")>\s*((?:<use [^>]*/>\s*)+)", shared_style, svg)
    box = re.search(r'viewBox="[^"]*"', svg)[0]
    share = f'style="width: {width / 8.6 * 100:.0f}%" ' if kind == "wide" else ""
    head = (
        f'<svg class="{kind}" {box} {share}role="img" aria-label="{html.escape(alt)}" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    svg = re.sub(r"<svg [^>]*>", lambda _: head, svg, count=1)
    for name, (light, _) in COLOURS.items():
        svg = svg.replace(light, f"var(--{name})")
    return svg


def shared_style(group: re.Match) -> str:
    """Points of one look: the style once, for the group."""
    uses = re.findall(r'<use (xlink:href="[^"]*" x="[^"]*" y="[^"]*") style="([^"]*)"/>', group[2])
    if not uses or len({look for _, look in uses}) != 1 or len(uses) != group[2].count("<use "):
        return group[0]
    return f'{group[1]} style="{uses[0][1]}">' + "".join(f"<use {place}/>" for place, _ in uses)
