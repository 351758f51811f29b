"""Section 5: a batch size that grows as time goes on."""

import re

import colours
from errors_by_batch import FUNCTIONS
from ink import Picture, end_labels, function_name, log_axis, short
from table import Table, with_error

ABOUT = """The paper ends with a suggestion that it does not try: small batches first, while the
particles are far from the target and precision would be wasted, larger ones later for accuracy.
Here the error of the mixture's expectations is drawn against what was paid for it, counted in pair
forces, so that schedules of different kinds can be set side by side."""


def colour(schedule):
    """A fixed size has its own colour; all that grow share the one of nothing else."""
    fixed = re.fullmatch(r"p = (\d+)", schedule["label"])
    return colours.batch(int(fixed[1])) if fixed else colours.SVGD


def pictures(result, space):
    schedules = result["data"]["schedules"]
    dashes = iter(["-", (0, (4, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2))] * 3)
    lines = [next(dashes) if colour(s) == colours.SVGD else "-" for s in schedules]
    figure, axes = space.panels(3, height=3.1, narrow_height=2.6)
    furthest = max(
        s["points"][-1]["pairs"] for s in schedules
    )  # ends that lie close have their names in one column
    names = []
    for f, ax in enumerate(axes):
        labels = []
        for schedule, line in zip(schedules, lines):
            points = schedule["points"]
            pairs, mse = [p["pairs"] for p in points], [p["mse"][f] for p in points]
            ax.errorbar(
                pairs,
                mse,
                yerr=[p["error"][f] for p in points],
                color=colour(schedule),
                linestyle=line,
                marker="o",
                markersize=2.5,
                elinewidth=0.8,
            )
            labels.append(
                (
                    furthest if pairs[-1] > furthest / 4 else pairs[-1],
                    mse[-1],
                    schedule["label"],
                    colour(schedule),
                )
            )
        log_axis(ax.xaxis)
        log_axis(ax.yaxis)
        ax.set_title(f"mean squared error of E {function_name(FUNCTIONS[f])}")
        ax.set_xlabel("pair forces per particle so far")
        low, high = ax.get_xlim()
        ax.set_xlim(low, high * (high / low) ** (0.34 if space.wide else 0.28))
        names.append(labels)
    for ax, labels in zip(axes, names):
        end_labels(ax, labels)
    return [
        Picture(
            "growing-batch",
            figure,
            "Three panels: the error of three expectations against the pair forces spent, for "
            "fixed and growing "
            "batch sizes.",
            "Lower and further left is better. The colours of fixed batch sizes are those of the "
            "other pictures; "
            "batches that grow are black on white, white on black. The paper has no figure for "
            "this.",
        )
    ]


def numbers(result):
    rows = [
        [
            s["label"],
            s["rule"],
            short(s["points"][-1]["pairs"]),
            *(with_error(m, e) for m, e in zip(s["points"][-1]["mse"], s["points"][-1]["error"])),
        ]
        for s in result["data"]["schedules"]
    ]
    return Table(
        "At the end of each run",
        [
            "schedule",
            "rule",
            "pair forces per particle",
            *(f"E {function_name(f)}" for f in FUNCTIONS),
        ],
        rows,
    )
