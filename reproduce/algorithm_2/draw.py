"""Algorithm 2: batches with replacement beside batches without."""

import colours
import errors_by_batch
from ink import Picture, function_name, note
from table import Table, with_error

ABOUT = """Algorithm 2 draws one batch of p particles after another, with replacement, so that in
one sweep some particles move twice and some not at all. The paper states it beside Algorithm 1,
works with Algorithm 1, and promises a word on the difference in section 4.2 that the printed text
does not contain. So the question is ours: the experiment of Figure 2, run with both."""


def pictures(result, space):
    sizes = result["data"]["sizes"]
    figure, axes = errors_by_batch.panels(space, errors_by_batch.FUNCTIONS, [s["p"] for s in sizes])
    for f, ax in enumerate(axes):
        for kind, line, face in (("without", "-", None), ("with_replacement", (0, (3, 2)), "none")):
            shift = 1.0 if kind == "without" else 1.1
            ax.plot(
                [s["p"] * shift for s in sizes],
                [s[kind]["mse"][f] for s in sizes],
                color=colours.MUTED,
                linewidth=0.9,
                linestyle=line,
            )
            for s in sizes:
                ax.errorbar(
                    s["p"] * shift,
                    s[kind]["mse"][f],
                    yerr=s[kind]["error"][f],
                    color=colours.batch(s["p"]),
                    marker="o",
                    markersize=5.5,
                    markerfacecolor=face or colours.batch(s["p"]),
                    elinewidth=1.2,
                )
        low, high = ax.get_ylim()
        ax.set_ylim(low, high * 2)
    note(
        axes[0],
        0.98,
        0.97,
        "filled: without replacement\nhollow: with replacement",
        ha="right",
        va="top",
    )
    return [
        Picture(
            "algorithm-2",
            figure,
            "Three panels of mean squared errors against batch size, with and without replacement.",
            "Mean squared error with standard errors. Filled: Algorithm 1, without replacement. "
            "Hollow: Algorithm 2, "
            "with replacement, as many moves in all. The paper has no figure for this.",
        )
    ]


def numbers(result):
    names = [function_name(f) for f in errors_by_batch.FUNCTIONS]
    rows = [
        [
            f"p = {s['p']}",
            *(
                with_error(m, e)
                for kind in ("without", "with_replacement")
                for m, e in zip(s[kind]["mse"], s[kind]["error"])
            ),
        ]
        for s in result["data"]["sizes"]
    ]
    return Table(
        "Mean squared errors ± standard error",
        ["batch", *(f"E {n}, without" for n in names), *(f"E {n}, with" for n in names)],
        rows,
    )
