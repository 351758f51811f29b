"""Theorem 1: the distance between RBM-SVGD and SVGD falls with the step size."""

import colours
from ink import Picture, log_axis, note, plain, short
from matplotlib.ticker import FixedLocator
from table import Table, with_error

ABOUT = """Theorem 1 sets RBM-SVGD with step η beside SVGD from the same start, on the torus and
over a fixed time: the mean squared distance of a particle to its twin is at most C η, and so the
Wasserstein distance W₂ of their distributions is at most C √η. It gives the rate, not the constant.
The proof names the main term: the variance of Lemma 1, which depends on the batch size as 1/(p − 1)
− 1/(N − 1)."""


def pictures(result, space):
    data = result["data"]
    eta, by_p = data["eta"], data["by_p"]
    figure, (rate, transport, sizes) = space.panels(3, height=3.0, narrow_height=2.4)
    guide(rate, eta, data["distance"], 1)
    rate.errorbar(
        eta,
        data["distance"],
        yerr=data["error"],
        color=colours.batch(2),
        marker="o",
        elinewidth=1.2,
        linestyle="none",
    )
    rate.set_title("E|X − X̃|² against η")
    note(
        rate,
        0.03,
        0.97,
        f"slope {with_error(data['slope'], data['slope_error'])}",
        colours.batch(2),
        va="top",
    )
    note(rate, 0.97, 0.05, "dashed: slope 1", colours.TRUTH, ha="right")
    wrong = data["negative_control"].get("distance")
    if wrong:
        rate.plot(eta, wrong, "s", color=colours.MUTED, markerfacecolor="none")
        rate.annotate(
            "weight 1/p, which is wrong",
            (min(eta), wrong[eta.index(min(eta))]),
            xytext=(-3, -13),
            textcoords="offset points",
            color=colours.MUTED,
            fontsize=8,
        )
    guide(transport, eta, data["w2"], 0.5)
    if "w2_floor" in data:
        transport.axhline(data["w2_floor"], color=colours.MUTED, linewidth=0.9)
        transport.annotate(
            "sampling floor",
            (min(eta), data["w2_floor"]),
            xytext=(0, 4),
            textcoords="offset points",
            color=colours.MUTED,
            fontsize=8,
        )
    transport.plot(eta, data["w2"], "o", color=colours.batch(2))
    transport.set_title("W₂ of the marginals against η")
    note(transport, 0.97, 0.05, "dashed: slope 1/2", colours.TRUTH, ha="right")
    for ax in (rate, transport):
        log_axis(ax.yaxis)
        log_axis(ax.xaxis)
        ticks = sorted(eta)[:: 1 if len(eta) < 5 else 2]
        ax.xaxis.set_major_locator(FixedLocator(ticks))
        ax.set_xlabel("step size η")
        low, high = ax.get_ylim()
        ax.set_ylim(low / 1.6, high * 1.8)
    by_p = [s for s in by_p if s["lambda"] > 0 and s["distance"] > 0]  # p = N has neither
    guide(sizes, [s["lambda"] for s in by_p], [s["distance"] for s in by_p], 1)
    for s in by_p:
        sizes.errorbar(
            s["lambda"],
            s["distance"],
            yerr=s["error"],
            color=colours.batch(s["p"]),
            marker="o",
            elinewidth=1.2,
        )
        sizes.annotate(
            f"p = {s['p']}",
            (s["lambda"], s["distance"]),
            xytext=(-7, 3),
            textcoords="offset points",
            ha="right",
            color=colours.batch(s["p"]),
            fontsize=8.5,
        )
    log_axis(sizes.xaxis)
    log_axis(sizes.yaxis)
    low, high = sizes.get_xlim()
    sizes.set_xlim(low / (high / low) ** 0.22, high)
    sizes.set(title="E|X − X̃|² by batch size", xlabel="1/(p − 1) − 1/(N − 1)")
    note(sizes, 0.97, 0.05, "dashed: in proportion", colours.TRUTH, ha="right")
    return [
        Picture(
            "theorem",
            figure,
            "Three panels: the mean squared distance to SVGD falls in proportion to the step size; "
            "the Wasserstein "
            "distance is set beside a line of slope one half; across batch sizes the distance goes "
            "with the variance.",
            "Points are ours with standard errors. The dashed lines are the theorem's rates, drawn "
            "through the "
            "point of the largest step or batch variance: the paper proves a rate and measures "
            "nothing. Hollow "
            "squares: a wrong weight, which must not come closer. Two samples of one law are as "
            "far apart as the "
            "sampling floor; below it W₂ says little.",
        )
    ]


def guide(ax, eta, values, slope):
    """A line of the given slope through the point furthest right."""
    top = max(range(len(eta)), key=lambda i: eta[i])
    least = min(eta)
    ax.plot(
        [least, eta[top]],
        [values[top] * (least / eta[top]) ** slope, values[top]],
        color=colours.TRUTH,
        linewidth=1.1,
        linestyle=(0, (4, 2)),
    )


def numbers(result):
    data = result["data"]
    rows = [
        [f"η = {plain(e)}", with_error(d, s), short(w)]
        for e, d, s, w in zip(data["eta"], data["distance"], data["error"], data["w2"])
    ]
    rows += [
        [
            f"p = {s['p']}, 1/(p − 1) − 1/(N − 1) = {short(s['lambda'])}",
            with_error(s["distance"], s["error"]),
            "–",
        ]
        for s in data["by_p"]
    ]
    return Table("Distance of RBM-SVGD to SVGD", ["case", "E|X − X̃|²", "W₂"], rows)
