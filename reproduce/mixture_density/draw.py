"""Figure 1: densities of the particles at six steps, and how far they are from the target."""

import colours
from ink import Picture, end_labels, log_axis, short
from matplotlib.figure import Figure
from table import Table, with_error

ABOUT = """Figure 1 of the paper is a grid of small pictures. One hundred particles start from
N(−10, 1), far left of the target, a mixture of two hills at −2 and 2. A row is a method, a column a
step. The paper prints no numbers for it; its text says that SVGD reaches the target with either
bandwidth, that RBM-SVGD gets there as well, and that with p = 2 and p = 5 the densities differ from
SVGD's and from run to run."""
REDRAWN = """The paper has this figure only as a picture, so its layout is redrawn, not its curves:
the dashed target is computed from the paper's formula, everything filled is ours."""


def colour(row, particles):
    return colours.SVGD if row["p"] >= particles else colours.batch(row["p"])


def ticks(particles):
    """A short upright line for each particle, all in one path."""
    gap = float("nan")
    return [x for p in particles for x in (p, p, gap)], [-0.07, -0.02, gap] * len(particles)


def grid_of_densities(data, space):
    steps, grid, rows = data["steps"], data["grid"], data["rows"]
    shown = range(len(steps)) if space.wide else [0, len(steps) // 2, len(steps) - 1]
    size = (8.6, 1.08 * len(rows) + 0.5) if space.wide else (3.6, 1.05 * len(rows) + 0.4)
    figure = Figure(figsize=size)
    figure.subplots_adjust(
        0.005, 0.25 / size[1], 0.995, 1 - 0.25 / size[1], wspace=0.03, hspace=0.12
    )
    axes = figure.subplots(len(rows), len(shown), squeeze=False, sharex=True, sharey=True)
    for line, row in zip(axes, rows):
        mine = colour(row, len(row["particles"][0]))
        for ax, s in zip(line, shown):
            ax.grid(False)
            ax.spines["left"].set_visible(False)
            ax.fill_between(grid, row["density"][s], color=mine, alpha=0.22, linewidth=0)
            ax.plot(grid, row["density"][s], color=mine, linewidth=1.3)
            ax.plot(grid, data["pi"], color=colours.TRUTH, linewidth=1.1, linestyle=(0, (4, 2)))
            ax.plot(*ticks(row["particles"][s]), color=mine, linewidth=0.5, alpha=0.6)
            ax.set(yticks=[], ylim=(-0.08, 0.56), xticks=[-10, -2, 2], xlim=(-14, 6.5))
        line[0].text(
            0.0,
            0.97,
            row["label"],
            transform=line[0].transAxes,
            color=mine,
            fontsize=8,
            va="top",
            fontweight="bold",
        )
    for ax, s in zip(axes[0], shown):
        ax.set_title(f"step {steps[s]}", fontweight="normal", loc="center", color=colours.MUTED)
    axes[-1][-1].annotate(
        "target",
        (0.3, 0.12),
        (-12, 0.3),
        color=colours.TRUTH,
        fontsize=8,
        arrowprops={"arrowstyle": "-", "color": colours.TRUTH, "linewidth": 0.7},
    )
    return figure


def distances(data, space):
    steps, rows = data["steps"], data["rows"]
    figure, axes = space.panels(2, height=3.1, narrow_height=2.7)
    places = range(len(steps))
    names = []
    for ax, kind, title in zip(
        axes, ("w1", "w2"), ("distance W₁ to the target", "distance W₂ to the target")
    ):
        labels = []
        for i, row in enumerate(rows):
            mine = colour(row, len(row["particles"][0]))
            mean, sd = row["repeats"][f"{kind}_mean"], row["repeats"][f"{kind}_sd"]
            dashes = (0, (3, 2)) if row["bandwidth"] == "dynamic" else "-"
            ax.errorbar(
                [at + 0.05 * (i - 2) for at in places],
                mean,
                yerr=sd,
                color=mine,
                marker="o",
                markersize=3.5,
                capsize=0,
                elinewidth=1,
                linestyle=dashes,
            )
            labels.append(
                (places[-1] + 0.12, mean[-1], row["label"].replace("RBM-SVGD, ", ""), mine)
            )
        log_axis(ax.yaxis)
        ax.set(
            title=title,
            xlabel="step",
            xlim=(-0.3, len(steps) + (1.0 if space.wide else 1.3)),
            xticks=places,
            xticklabels=steps,
        )
        ax.grid(False, axis="x")
        names.append(labels)
    for ax, labels in zip(axes, names):
        end_labels(ax, labels)
    return figure


def pictures(result, space):
    data = result["data"]
    count = data["rows"][0]["repeats"]["count"]
    return [
        Picture(
            "mixture-density",
            grid_of_densities(data, space),
            "Small pictures, a row per method and a column per step: the density of the particles "
            "moves from −10 "
            "on the left onto the two hills of the dashed target.",
            "The particles' density (filled), the particles themselves (ticks) and the target "
            f"(dashed). {REDRAWN}",
        ),
        Picture(
            "mixture-density-distance",
            distances(data, space),
            "The Wasserstein distances between particles and target fall with the step, for each "
            "method.",
            f"How far the particles are from the target: mean and standard deviation over {count} "
            "executions from one start, which differ in their batches only; SVGD has no batches "
            "and does not vary. The "
            "paper says that small batches are not very stable across executions and gives no "
            "figures to set beside.",
        ),
    ]


def numbers(result):
    data = result["data"]
    rows = [
        [
            row["label"],
            *(with_error(m, s) for m, s in zip(row["repeats"]["w1_mean"], row["repeats"]["w1_sd"])),
            short(row["w2"][-1]),
        ]
        for row in data["rows"]
    ]
    return Table(
        "Distance W₁ to the target, mean ± standard deviation over executions; W₂ of the first one "
        "at the end",
        ["method", *(f"step {s}" for s in data["steps"]), "W₂ at the end"],
        rows,
    )
