"""Lemma 1: the random force has the right mean, and the variance that the lemma states."""

import colours
from ink import Picture, batch_axis, log_axis, note, short
from table import Table, with_error

ABOUT = """Lemma 1 says two things about the difference χ between SVGD's force and the force inside
a random batch. Its mean is zero: E χ = 0. And its variance is known: E|χ|² = (1 − 1/N)² (1/(p − 1)
− 1/(N − 1)) Λ. With six or seven particles all orders can be tried one by one, and the lemma must
hold to rounding; with many particles batches are drawn at random and it must hold within the
sampling error."""


def pictures(result, space):
    data = result["data"]
    figure, (bias, ratio) = space.panels(2, height=2.9, narrow_height=2.5)
    kinds = sorted({(c["particles"], c["p"]) for c in data["enumeration"]})
    for cases, markers in (
        (data["enumeration"], {"SVGD": "o", "general": "^"}),
        (data["negative_control"].get("enumeration", []), {"SVGD": "s", "general": "s"}),
    ):
        for case in cases:
            force, right = case.get("force", "SVGD"), markers["general"] == "^"
            at = kinds.index((case["particles"], case["p"])) + (
                0.12 if force == "general" else -0.12
            )
            mine = colours.batch(case["p"]) if right else colours.MUTED
            bias.plot(
                at,
                max(case["bias"] / case["scale"], 1e-17),
                markers[force],
                color=mine,
                markersize=6,
                markerfacecolor=mine if right else "none",
            )
    bias.axhline(2.2e-16, color=colours.TRUTH, linewidth=1.1, linestyle=(0, (4, 2)))
    log_axis(bias.yaxis)
    bias.grid(False, axis="x")
    bias.set(
        title="all orders: |mean − full force| / force",
        ylim=(1e-17, 1e3),
        xlim=(-0.6, len(kinds) - 0.4),
        xticks=range(len(kinds)),
        xticklabels=[f"{n} / {p}" for n, p in kinds],
        yticks=[1e-16, 1e-12, 1e-8, 1e-4, 1],
        xlabel="particles N / batch size p",
    )
    note(bias, 0.98, 0.62, "hollow: weight 1/p, which is wrong", ha="right")
    note(bias, 0.98, 0.45, "dashed: one rounding of a double", colours.TRUTH, ha="right")
    sampling = data["sampling"]
    ratio.axhline(1, color=colours.TRUTH, linewidth=1.1, linestyle=(0, (4, 2)))
    for s in sampling:
        ratio.errorbar(
            s["p"],
            s["ratio"],
            yerr=2 * s["error"],
            color=colours.batch(s["p"]),
            marker="o",
            elinewidth=1.4,
        )
    batch_axis(ratio, [s["p"] for s in sampling])
    reach = max(max(abs(s["ratio"] - 1) + 2 * s["error"] for s in sampling) * 1.35, 1e-3)
    ratio.set(title="drawn batches: variance measured / stated", ylim=(1 - reach, 1 + reach))
    note(ratio, 0.98, 0.97, "dashed: the lemma", colours.TRUTH, ha="right", va="top")
    return [
        Picture(
            "lemma",
            figure,
            "Left, the mean over all orders of six and seven particles equals SVGD's force to "
            "rounding. Right, the "
            "variance of drawn batches divided by the lemma's formula lies at one.",
            "Left: every order of the particles is tried, so there is no sampling error, only the "
            "rounding of long "
            "sums; triangles are a force that is not symmetric and not zero at x = y, hollow "
            "squares a wrong weight, "
            "which the same test must reject. Right: twice the standard "
            "error. The paper proves this and measures nothing; the dashed lines are what it "
            "proves.",
        )
    ]


def numbers(result):
    data = result["data"]
    rows = [
        [
            f"{c.get('force', 'SVGD')}: all {int(c['orders'])} orders, N = {c['particles']}, p = "
            f"{c['p']}",
            short(c["bias"] / c["scale"]),
            f"1 {c['variance_ratio'] - 1:+.1e}".replace("+", "+ ").replace("1 -", "1 − "),
        ]
        for c in data["enumeration"]
    ]
    rows += [
        [
            f"drawn, p = {s['p']}",
            f"{s['mean_deviation_se']:.2g} standard errors",
            with_error(s["ratio"], s["error"]),
        ]
        for s in data["sampling"]
    ]
    return Table(
        "Mean and variance of the random force against Lemma 1",
        ["case", "deviation of the mean", "variance / the lemma's"],
        rows,
    )
