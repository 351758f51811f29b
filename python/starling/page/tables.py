"""The tables of the page: parameters, the certificate, groups, runs."""

from __future__ import annotations

from typing import Any

from .. import plots
from ..canvas import plain
from . import pictures
from .markup import code, discrepancy, escaped, number, plural, table
from .read import CELLS, Run
from .words import TODO

HEADS = ("mean", "sd", "5 %", "50 %", "95 %", "spread identity")
MOST_ROWS, MOST_MEANS = 200, 6
R_HAT = 1.05  # above it the verdict says that the runs disagree


def badge(verdict: str) -> str:
    colour = TODO.get(verdict, ("", "doubt"))[1]
    return f'<span class="badge {colour}">{escaped(verdict)}</span>'


def parameter_table(listed: list[dict[str, Any]], kind: str) -> str:
    """A row for each; an identity or an R-hat that is off is marked, by a sign and not by colour
    alone."""
    several = any(p.get("r_hat") is not None for p in listed)
    off = (
        '<span class="off"><span aria-hidden="true">≠</span><span class="hidden">off: </span> '
        "{}</span>"
    )
    rows = []
    for p in listed[:MOST_ROWS]:
        cells = [number(p.get(cell)) for cell in CELLS]
        identity, r_hat = p.get("spread_identity"), p.get("r_hat")
        if identity is not None and not plots.RIGHT[0] <= identity <= plots.RIGHT[1]:
            cells[-1] = off.format(cells[-1])
        if several:
            cells.append(
                off.format(number(r_hat)) if r_hat is not None and r_hat > R_HAT else number(r_hat)
            )
        written = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f'<tr><th scope="row">{escaped(p["name"])}</th>{written}</tr>')
    caption = plural(len(listed), kind) + (
        f", the first {len(rows)} of them" if len(rows) < len(listed) else ""
    )
    return table(caption, ["parameter", *HEADS, *(["R-hat"] if several else [])], rows)


def parameters(run: Run) -> str:
    """The table of the parameters, and of what was sampled where that is another thing: of a Stan
    model."""
    listed, sampled = run.summary["parameters"], run.summary.get("unconstrained", [])
    if not listed:
        return "<p>There is nothing to summarise.</p>"
    text = parameter_table(listed, "parameter")
    if sampled:
        text += "\n<h3>As they were sampled</h3>\n"
        text += parameter_table(sampled, "unconstrained parameter")
    several = f", and an R-hat above {R_HAT}" if run.summary.get("runs") else ""
    return f"""{text}
<p class="remark">The spread identity is 1 when the spread is right, below 1 when it is too small.
A sign ≠ marks identities below {plots.RIGHT[0]} or above {plots.RIGHT[1]}{several}.</p>"""


def certificate(run: Run) -> str:
    """How far exact moves find each parameter off, with errors; nothing where there was no
    certificate."""
    found = run.summary.get("certificate")
    if not found:
        return ""
    by: dict[str, dict[str, Any]] = {}
    for row in found["estimates"]:
        by.setdefault(row["parameter"], {})[row["of"]] = row

    def cell(row: Any, scale: float, unit: str) -> str:
        if not row or row.get("error") is None or row.get("se") is None:
            return "–"
        error, se = (
            plain(float(format(scale * row[key], digits)))
            for key, digits in (("error", ".2g"), ("se", ".1g"))
        )
        return f"{error} ± {se}{unit}"

    rows = [
        f'<tr><th scope="row">{escaped(name)}</th><td>{cell(of.get("value"), 1, "")}</td>'
        f"<td>{cell(of.get('square'), 100, ' %')}</td></tr>"
        for name, of in list(by.items())[:MOST_ROWS]
    ]
    shown = (
        table(
            "What HMC moves would add",
            ["parameter", "to its mean, in sd", "to its variance"],
            rows,
        )
        if rows
        else ""
    )
    finding = escaped(found["finding"][:1].upper() + found["finding"][1:])
    some = found.get("particles", "all")
    who = "every particle" if some == "all" else f"{escaped(some)} particles"
    return f"""<h2>The certificate</h2>
<p>{finding}: {who} made {escaped(found.get("moves", "some"))} HMC
moves, of which a share of {number(found.get("acceptance"))} was accepted.</p>
{shown}"""


def groups(run: Run) -> str:
    """Separate groups: what each weighs, and where it is."""
    found = run.summary.get("groups")
    if not found:
        return ""
    weighed = all(one["se"] is not None for one in found)
    names = list(found[0]["mean"])[:MOST_MEANS]
    rows = [
        f'<tr><th scope="row">{k + 1}</th><td>{share(one)}</td><td>{escaped(one["particles"])}</td>'
        + "".join(f"<td>{number(one['mean'].get(name))}</td>" for name in names)
        + "</tr>"
        for k, one in enumerate(found)
    ]
    how_known = (
        "Shares are estimated by importance sampling from a fit of each group, with standard "
        "errors. Each group has particles by its share."
        if weighed
        else "The shares of the groups are not known: particles do not cross between groups, so "
        "their number is not the share."
    )
    head = ["group", "share", "particles", *(f"mean of {name}" for name in names)]
    return f"""<h2>Groups</h2>
<p>{len(found)} separate groups. {how_known} A mode that nobody met is not among them.</p>
{table("Separate groups", head, rows)}"""


def log_evidence(run: Run) -> str:
    """One line, and what speaks against it."""
    found = run.summary.get("log_evidence")
    if not found:
        return ""
    doubt = f" Do not use it: {code(found['doubt'])}." if found["doubt"] else ""
    return f"""<h2>Log evidence</h2>
<p>{number(found["value"])} ± {number(found["se"])}, by bridge sampling between HMC draws
and fits to other draws.{doubt}</p>"""


def share(one: dict[str, Any]) -> str:
    """.10 ± .01, or a dash where nothing weighed it."""
    return "–" if one["se"] is None else f"{one['share']:.3f} ± {max(one['se'], 0.001):.3f}"


def each_run(run: Run) -> str:
    """What each of several runs says for itself."""
    if not run.summary.get("runs"):
        return ""
    rows = [
        '<tr><th scope="row">'
        f'<span class="chip" style="background: {pictures.run_colour(k)}"></span> '
        f"{escaped(one['run'])}</th><td>{escaped(one.get('steps_done', '–'))}</td>"
        f"<td>{discrepancy(one['ksd'])}</td>"
        f'<td>{badge(one["verdict"])}</td><td class="words">{code(one["verdict_reason"])}</td></tr>'
        for k, one in enumerate(run.summary["runs"])
    ]
    head = ["run", "steps", "squared Stein discrepancy", "verdict", "because"]
    return "<h2>The runs</h2>\n" + table("Each run by itself", head, rows)
