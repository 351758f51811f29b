"""Figure 3 and Table 3: test accuracy on Covertype against steps."""

import colours
from ink import PAPER, Picture, end_labels, note
from table import Table

ABOUT = """Bayesian logistic regression on Covertype: 581,012 rows, 54 features, 512 particles, 100
rows of data in each step, 80 % of the rows to learn from and 20 % to test. Figure 3 shows the test
accuracy against steps for all batch sizes; Table 3 prints mean and standard deviation over 50
starts for p = 2, p = 8 and SVGD. The text says that p = 2 ends slightly below SVGD, p = 4 catches
up more slowly, and larger batches behave as SVGD does."""


def colour(size):
    return colours.SVGD if size["label"].startswith("SVGD") else colours.batch(size["p"])


def pictures(result, space):
    data = result["data"]
    steps, sizes = data["checkpoints"], data["sizes"]
    known = [s for s in sizes if s.get("paper")]
    figure, axes = space.panels(
        1 + len(known), height=2.9, widths=[1.6] + [1] * len(known), sharey=space.wide
    )
    labels = []
    for s in sizes:
        axes[0].plot(
            steps,
            s["mean"],
            color=colour(s),
            marker="D" if s["label"].startswith("SVGD") else "o",
            markersize=3.5,
        )
        labels.append((steps[-1], s["mean"][-1], s["label"].replace("p = ", ""), colour(s)))
    axes[0].set_title("all, ours")
    for ax, s in zip(axes[1:], known):
        ax.errorbar(steps, s["mean"], yerr=s["sd"], color=colour(s), marker="o", elinewidth=1.2)
        ax.fill_between(
            steps,
            [m - d for m, d in zip(s["paper"], s["paper_sd"])],
            [m + d for m, d in zip(s["paper"], s["paper_sd"])],
            color=colours.MUTED,
            alpha=0.16,
            linewidth=0,
        )
        ax.plot(steps, s["paper"], **PAPER)
        ax.set_title(s["label"], color=colour(s))
    if known:
        note(axes[1], 0.97, 0.04, "filled: ours\nhollow: paper", ha="right")
    step = max(1, len(steps) // 3)
    for ax in axes:
        ax.set(xlabel="step", xticks=steps[step - 1 :: step])
        ax.set_xlim(
            steps[0] - 0.08 * (steps[-1] - steps[0]), steps[-1] + 0.08 * (steps[-1] - steps[0])
        )
    axes[0].set_xlim(None, steps[-1] + (steps[-1] - steps[0]) * 0.22)
    for ax in axes:
        ax.set_ylim(*limits(sizes))
    end_labels(axes[0], labels, least=10)
    particles = result["settings"].get("particles", 512)
    fewer = (
        "" if particles == 512 else f" This run has {particles} particles where the paper has 512."
    )
    return [
        Picture(
            "logistic-accuracy",
            figure,
            "Test accuracy against steps: one panel with all batch sizes, then p = 2, p = 8 and "
            "SVGD each beside "
            "the paper's figures.",
            f"Mean test accuracy over {data['starts']} starts; bars are our standard deviation "
            "over starts. Hollow "
            "squares and the grey band are mean and standard deviation of the paper's Table 3. "
            "Figure 3 itself is "
            f"only a picture; the first panel redraws it from our numbers.{fewer}",
        )
    ]


def limits(sizes):
    low = min(min(m - d for m, d in zip(s["mean"], s["sd"])) for s in sizes)
    high = max(max(m + d for m, d in zip(s["mean"], s["sd"])) for s in sizes)
    for s in sizes:
        if s.get("paper"):
            low = min(low, *(m - d for m, d in zip(s["paper"], s["paper_sd"])))
            high = max(high, *(m + d for m, d in zip(s["paper"], s["paper_sd"])))
    return low - 0.002, high + 0.002


def numbers(result):
    data, rows = result["data"], []
    for s in data["sizes"]:
        rows.append([s["label"], *(f"{m:.4f} ({d:.4f})" for m, d in zip(s["mean"], s["sd"]))])
        if s.get("paper"):
            rows.append(
                [
                    f"{s['label']}, paper",
                    *(f"{m:.4f} ({d:.4f})" for m, d in zip(s["paper"], s["paper_sd"])),
                ]
            )
    return Table(
        "Test accuracy: mean (standard deviation) over starts; the paper's from Table 3",
        ["batch", *(f"step {k}" for k in data["checkpoints"])],
        rows,
    )
