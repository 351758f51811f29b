"""Two panels, time and speedup against batch size: shared by Tables 1 and 2."""

import colours
from ink import PAPER, Picture, batch_axis, end_labels, log_axis, short
from table import Table


def figure_of(data, space):
    figure, (time, gain) = space.panels(2, height=3.2, narrow_height=2.8)
    everyone = data["particles"]
    smaller = [s for s in data["sizes"] if s["p"] < everyone]
    full = [s for s in data["sizes"] if s["p"] == everyone]
    known = [s for s in data["sizes"] if s["paper_seconds"] is not None]
    fixed = [s for s in full if s["label"] != "SVGD"]
    ends = [(time, known[-1]["p"], known[-1]["paper_seconds"], "paper", colours.MUTED)]
    time.plot([s["p"] for s in known], [s["paper_seconds"] for s in known], **PAPER)
    coloured(time, smaller + fixed, "seconds")
    for s in full:
        time.plot(s["p"], s["seconds"], "D", color=colours.SVGD, markersize=6)
        ends.append((time, s["p"], s["seconds"], s["label"], colours.SVGD))
    x, last = [s["p"] for s in smaller], smaller[-1]
    possible = [s["speedup"] * s["overhead"] for s in smaller]
    gain.plot(x, [s["ideal"] for s in smaller], color=colours.TRUTH, linewidth=1.2)
    gain.plot(x, possible, color=colours.TRUTH, linewidth=1.2, linestyle=(0, (1, 1.5)))
    known = [s for s in smaller if s["paper_speedup"] is not None]
    gain.plot([s["p"] for s in known], [s["paper_speedup"] for s in known], **PAPER)
    coloured(gain, smaller, "speedup")
    ends += [
        (gain, x[-1], last["ideal"], "N/p", colours.TRUTH),
        (gain, x[-1], possible[-1], "possible", colours.TRUTH),
        (gain, x[-1], last["speedup"], "Starling", colours.INK),
        (gain, x[-1], last["paper_speedup"], "paper", colours.MUTED),
    ]
    if "speedup_fixed" in last:
        gain.plot(
            x,
            [s["speedup_fixed"] for s in smaller],
            "o-",
            color=colours.MUTED,
            markerfacecolor="none",
            linewidth=0.9,
        )
        ends.append((gain, x[-1], last["speedup_fixed"], "at equal h", colours.MUTED))
    time.set_title("seconds for the whole run")
    gain.set_title("times faster than SVGD")
    for ax, sizes, room in ((time, data["sizes"], 6), (gain, smaller, 4)):
        log_axis(ax.yaxis)
        batch_axis(ax, [s["p"] for s in sizes])
        ax.set_xlim(None, ax.get_xlim()[1] * room)
    for ax in (time, gain):
        end_labels(ax, [end[1:] for end in ends if end[0] is ax and end[2] is not None])
    return figure


def coloured(ax, sizes, what):
    """Ours: a thin line, and a point in the colour of each batch size."""
    ax.plot([s["p"] for s in sizes], [s[what] for s in sizes], color=colours.INK, linewidth=0.9)
    for s in sizes:
        ax.plot(s["p"], s[what], "o", markersize=6, color=colours.batch(s["p"]))


def pictures(result, space, item):
    return [
        Picture(
            result["name"],
            figure_of(result["data"], space),
            "Two panels against batch size: the seconds of a run, ours and the paper's, and how "
            "many times "
            "faster than SVGD each batch size is, beside the ideal N/p.",
            f"The hollow squares are the paper's own figures, from its {item}. Ours are from this "
            "machine, theirs "
            "from MATLAB on an Intel Xeon E5-1650 v2: compare the slopes, not the seconds. As in "
            "the paper, the "
            "speedup is against SVGD with its bandwidth chosen afresh at each step; at equal h is "
            "against SVGD with "
            "the bandwidth of the batches. N/p counts pair forces alone; possible (dotted) is what "
            "remains when the "
            "work that no batching saves, scores and moves, is paid in full.",
        )
    ]


def numbers(result, item):
    rows = [
        [
            s["label"].replace("=", " = ").replace("  ", " "),
            short(s["seconds"]),
            short(s["speedup"]),
            short(s.get("speedup_fixed")),
            short(s["ideal"]),
            short(s["paper_seconds"]),
            short(s["paper_speedup"]),
        ]
        for s in result["data"]["sizes"]
    ]
    return Table(
        f"Times and speedups; the paper's from {item}",
        ["batch", "seconds", "speedup", "at equal h", "N/p", "seconds, paper", "speedup, paper"],
        rows,
    )
