"""Figure 2: mean squared error of three expectations against batch size."""

import colours
import errors_by_batch
from ink import Picture, function_name, note, short
from table import Table, with_error

ABOUT = """The particles estimate three expectations under the mixture: of x, of x² and of cos 2x,
whose true values are 2/3, 5 and cos(4)/e². The paper draws the mean squared error over 100 starts
against the batch size, with 256 particles and the fixed bandwidth 0.35; SVGD with its bandwidth
chosen afresh at each step is a point by itself at p = 256."""
REDRAWN = """The paper shows its errors as a picture without numbers. What its text says is drawn as
the shaded part: in all three panels the error falls first and rises for p ≥ 64. The hollow squares
are figures of an independent program with the same settings, not the paper's."""


def pictures(result, space):
    data = result["data"]
    sizes = [s for s in data["sizes"] if s["label"] != "SVGD"]
    svgd = [s for s in data["sizes"] if s["label"] == "SVGD"]
    figure, axes = errors_by_batch.panels(space, data["functions"], [s["p"] for s in data["sizes"]])
    for f, ax in enumerate(axes):
        ax.axvspan(64, 999, color=colours.LINE, alpha=0.45, linewidth=0)
        known = [s for s in sizes if s.get("reference")]
        ax.plot(
            [s["p"] for s in known],
            [s["reference"][f] for s in known],
            color=colours.MUTED,
            marker="s",
            markerfacecolor="none",
            linestyle="none",
            markersize=7,
            markeredgewidth=0.9,
        )
        ax.plot(
            [s["p"] for s in sizes],
            [s["mse"][f] for s in sizes],
            color=colours.MUTED,
            linewidth=0.9,
        )
        for s in sizes:
            ax.errorbar(
                s["p"],
                s["mse"][f],
                yerr=s["error"][f],
                color=colours.batch(s["p"]),
                marker="o",
                elinewidth=1.2,
            )
        for s in svgd:
            ax.errorbar(
                s["p"] * 1.12,
                s["mse"][f],
                yerr=s["error"][f],
                color=colours.SVGD,
                marker="D",
                elinewidth=1.2,
            )
        ax.set_ylim(None, ax.get_ylim()[1] * 2.5)
    note(axes[0], 0.985, 0.97, "paper: rises here", ha="right", va="top")
    for s in svgd:
        axes[0].annotate(
            "SVGD",
            (s["p"] * 1.12, s["mse"][0]),
            xytext=(2, 9),
            textcoords="offset points",
            ha="right",
            color=colours.SVGD,
            fontsize=8.5,
        )
    first = sizes[0]
    axes[0].annotate(
        f"RBM-SVGD, p = {first['p']}",
        (first["p"], first["mse"][0]),
        xytext=(10, 2),
        textcoords="offset points",
        color=colours.batch(first["p"]),
        fontsize=8.5,
    )
    return [
        Picture(
            "mixture-error",
            figure,
            "Three panels: the mean squared error falls with the batch size down to p = 64 or so "
            "and then rises.",
            f"Ours, with standard errors over the starts; a diamond is SVGD. {REDRAWN}",
        )
    ]


def numbers(result):
    data = result["data"]
    names = [function_name(f) for f in data["functions"]]
    rows = [
        [
            s["label"],
            *(with_error(m, e) for m, e in zip(s["mse"], s["error"])),
            *(short(r) for r in s.get("reference") or [None] * 3),
        ]
        for s in data["sizes"]
    ]
    return Table(
        "Mean squared errors, ours ± standard error, and those of the independent program",
        ["batch", *(f"E {n}" for n in names), *(f"E {n}, independent" for n in names)],
        rows,
    )
