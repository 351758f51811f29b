"""The words of the page: the verdict and what to do about it, tables, settings, how to repeat the
run."""

from __future__ import annotations

import html
import re
from typing import Any

from .. import plots
from ..canvas import plain
from . import pictures
from .read import CELLS, Run

TODO = {  # what to do about each verdict, and how it is coloured
    "converged": ("The particles can be used as draws.", "good"),
    "cannot tell": (
        "Nothing speaks clearly against the cloud, but there are too few particles to confirm it: raise "
        "--particles.",
        "doubt",
    ),
    "still moving": ("The cloud has not come to rest: take more steps, or start nearer.", "doubt"),
    "collapsed": (
        "A kernel of longer range may help, `--kernel gaussian+0.05*polynomial:m=1`, or more particles.",
        "bad",
    ),
    "noisy": (
        "Random batches or large steps make the cloud too wide: raise --batch, lower --step-size, or let them "
        "change along the run: `--advance decay`, --grow-batch.",
        "doubt",
    ),
    "diverged": (
        "Nothing here can be used. Lower --step-size, start nearer, or check the target: `starling check`.",
        "bad",
    ),
}
IN_STAGES = {  # the same for a run in stages, whose certificate says more
    "converged": ("Exact moves confirm the particles: they can be used as draws.", "good"),
    "cannot tell": (
        "Exact moves could not confirm the cloud. Do what the sentence says before its figures are used.",
        "doubt",
    ),
    "still moving": (
        "Exact moves carry the cloud away: its figures are wrong by about what the table shows.",
        "bad",
    ),
    "diverged": ("Nothing here can be used: check the target, `starling check`.", "bad"),
}
IN_GROUPS = "The particles lie in separate groups, and how much each of them weighs is not known well enough: see below."
WITHOUT = ("It was not certified: exact moves need a log density, and --certify.", "doubt")
HEADS = ("mean", "sd", "5 %", "50 %", "95 %", "spread identity")
MOST_ROWS, MOST_MEANS = 200, 6
R_HAT = 1.05  # above it the verdict says that the runs disagree


def escaped(text: Any) -> str:
    return html.escape(" ".join(str(text).split()))


def code(text: str) -> str:
    """Text with its options, and what stands between `, set as code; +- is one sign."""
    marked = re.sub(
        r"`([^`]+)`|(?<![\w-])(--[a-z][a-z-]*)",
        lambda m: f"<code>{m[1] or m[2]}</code>",
        escaped(text),
    )
    return marked.replace("+-", "±")


def number(value: Any) -> str:
    return "–" if value is None else plain(value)


def badge(verdict: str) -> str:
    colour = TODO.get(verdict, ("", "doubt"))[1]
    return f'<span class="badge {colour}">{escaped(verdict)}</span>'


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def what_to_do(s: dict[str, Any]) -> tuple[str, str]:
    """About the verdict, and its colour."""
    todo, colour = TODO.get(s["verdict"], ("", "doubt"))
    if s.get("groups") and s["verdict"] == "cannot tell":
        return IN_GROUPS, colour
    if s.get("method") != "auto":
        return todo, colour
    if s.get("certificate"):
        return IN_STAGES.get(s["verdict"], (todo, colour))
    return f"{WITHOUT[0]} {todo}", "doubt" if colour == "good" else colour


def how(s: dict[str, Any]) -> str:
    """Batches and steps, or stages and gradients."""
    if s.get("method") == "auto":
        total = s.get("gradients", {}).get("total")
        return "in stages" + (f", {total} gradients" if total else "")
    batch = (
        "one batch of all" if s.get("batch") == "all" else f"batches of {escaped(s.get('batch'))}"
    )
    return f"{batch}, {s['steps_done']} steps"


def opening(run: Run) -> str:
    """The verdict before all else, what to do, and what was warned of."""
    s = run.summary
    todo, colour = what_to_do(s)
    runs = len(s.get("runs", []))
    if s["verdict"] == "converged":
        todo += (
            " R-hat below compares the runs."
            if runs
            else " A second opinion costs little: with `--runs 4` four "
            "clouds start each by itself, and R-hat tells whether they agree."
        )
    cut_off = ""
    if s.get("method") != "auto" and s["steps_done"] < s["steps"]:
        cut_off = f" It ended after {s['steps_done']} of {s['steps']} steps."
    warned = "".join(f"<li>{escaped(warning)}</li>" for warning in s["warnings"])
    warnings = (
        f'<div class="notice" role="note"><strong>Warnings</strong><ul>{warned}</ul></div>'
        if warned
        else ""
    )
    several = f"{runs} runs of " if runs else ""
    return f"""<p class="kicker">Starling · a run</p>
<h1>{escaped(title(run))}</h1>
<p class="lead">{several}{plural(s["particles"], "particle")} in {plural(s["dim"], "dimension")},
{how(s)} in {duration(s["seconds"])}.</p>
<p class="outcome {colour}"><strong>{escaped(s["verdict"][:1].upper() + s["verdict"][1:])}</strong>:
{code(s["verdict_reason"])}.</p>
<p>{code(todo)}{cut_off}</p>
{warnings}"""


def title(run: Run) -> str:
    target = run.summary["target"]
    return f"{run.name}: {'a target of your own' if target == 'guest' else target}"


def headed(row: str, heads: list[str]) -> str:
    """The row with the head of its column in each cell, for narrow screens."""
    left = iter(heads)
    return re.sub("<td", lambda _: f'<td data-head="{escaped(next(left, ""))}"', row)


def table(caption: str, head: list[str], rows: list[str]) -> str:
    """Rows are finished elements. The box scrolls by itself; where there is no room for columns,
    each cell has its head before it."""
    rows = [headed(row, head[1:]) for row in rows]
    cells = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in head)
    return f"""<div class="scroll" role="region" aria-label="{escaped(caption)}" tabindex="0">
<table><caption>{escaped(caption)}</caption>
<thead><tr>{cells}</tr></thead>
<tbody>
{chr(10).join(rows)}
</tbody></table>
</div>"""


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def parameter_table(listed: list[dict[str, Any]], kind: str) -> str:
    """A row for each; an identity or an R-hat that is off is marked, by a sign and not by colour
    alone."""
    several = any(p.get("r_hat") is not None for p in listed)
    off = '<span class="off"><span aria-hidden="true">≠</span><span class="hidden">off: </span> {}</span>'
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
        text += f"\n<h3>As they were sampled</h3>\n{parameter_table(sampled, 'unconstrained parameter')}"
    several = f", and an R-hat above {R_HAT}" if run.summary.get("runs") else ""
    return f"""{text}
<p class="remark">The spread identity is 1 when the spread is right, below 1 when it is too small. A sign ≠ marks
identities below {plots.RIGHT[0]} or above {plots.RIGHT[1]}{several}.</p>"""


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
        return f"{plain(float(format(scale * row['error'], '.2g')))} ± {plain(float(format(scale * row['se'], '.1g')))}{unit}"

    rows = [
        f'<tr><th scope="row">{escaped(name)}</th><td>{cell(of.get("value"), 1, "")}</td>'
        f"<td>{cell(of.get('square'), 100, ' %')}</td></tr>"
        for name, of in list(by.items())[:MOST_ROWS]
    ]
    shown = (
        table(
            "What exact moves would add",
            ["parameter", "to its mean, in sd", "to its variance"],
            rows,
        )
        if rows
        else ""
    )
    return f"""<h2>The certificate</h2>
<p>{escaped(found["finding"][:1].upper() + found["finding"][1:])}: every particle made {escaped(found.get("moves", "some"))} exact
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
        "Shares are by importance sampling from fits of each group, with standard errors; the particles were shared "
        "out by them."
        if weighed
        else "They were counted and not weighed: particles do not cross between them, so "
        "that their number says nothing of what a group weighs."
    )
    head = ["group", "share", "particles", *(f"mean of {name}" for name in names)]
    return f"""<h2>Groups</h2>
<p>{len(found)} separate groups. {how_known} A mode that nobody met is not among them.</p>
{table("Separate groups", head, rows)}"""


def share(one: dict[str, Any]) -> str:
    """.10 ± .01, or a dash where nothing weighed it."""
    return "–" if one["se"] is None else f"{one['share']:.3f} ± {max(one['se'], 0.001):.3f}"


def each_run(run: Run) -> str:
    """What each of several runs says for itself."""
    if not run.summary.get("runs"):
        return ""
    rows = [
        f'<tr><th scope="row"><span class="chip" style="background: {pictures.run_colour(k)}"></span> '
        f"{escaped(one['run'])}</th><td>{escaped(one.get('steps_done', '–'))}</td><td>{discrepancy(one['ksd'])}</td>"
        f'<td>{badge(one["verdict"])}</td><td class="words">{code(one["verdict_reason"])}</td></tr>'
        for k, one in enumerate(run.summary["runs"])
    ]
    head = ["run", "steps", "squared Stein discrepancy", "verdict", "because"]
    return "<h2>The runs</h2>\n" + table("Each run by itself", head, rows)


def discrepancy(ksd: Any) -> str:
    """0.01 ± 0.02, or a dash where it has no meaning."""
    value, error = (ksd.get(key) if isinstance(ksd, dict) else None for key in ("value", "se"))
    if not isinstance(value, (int, float)):
        return "–"
    shown = [
        plain(float(format(one, ".2g"))) for one in (value, error) if isinstance(one, (int, float))
    ]
    return " ± ".join(shown)


def settings(run: Run) -> str:
    s = run.summary
    shown = {"seed": s["seed"]}
    if s.get("method") == "auto":
        shown |= {f"gradients, {stage}": count for stage, count in s.get("gradients", {}).items()}
        shown |= {"modes found": number(s.get("modes"))}
    else:
        shown |= {
            "kernel": s["kernel"],
            "bandwidth": s["bandwidth"],
            "advance": s["advance"],
            "step size": number(s.get("step_size")),
        }
    shown |= {
        "precision": s["precision"],
        "threads": s.get("threads", "–"),
        "Stein discrepancy², inverse multiquadric": discrepancy(s.get("ksd")),
        "Stein discrepancy², Gaussian": discrepancy(s.get("ksd_gaussian")),
        "Starling": s["version"],
    }
    for key, words in (
        ("test_accuracy", "accuracy on rows held out"),
        ("test_log_likelihood", "log likelihood there"),
    ):
        if s.get(key) is not None:
            shown[words] = number(s[key])
    terms = "\n".join(
        f"<div><dt>{escaped(key)}</dt><dd>{escaped(value)}</dd></div>"
        for key, value in shown.items()
    )
    return f'<dl class="settings">\n{terms}\n</dl>'


def repeat(run: Run) -> str:
    """The command, or the call of Python if the target came from there."""
    if run.config is None:
        return "<p>There is no config.toml in the folder to repeat it from.</p>"
    whole = (
        f'<details><summary>config.toml</summary>\n<pre class="scroll" tabindex="0"><code>'
        f"{html.escape(run.config)}</code></pre></details>"
    )
    if run.summary["target"] == "guest":
        return (
            f"<p>The target was given by Python; it is not in the folder. With that target again:</p>\n"
            f'<pre class="command"><code>{html.escape(call(run))}</code></pre>\n{whole}'
        )
    command = f"starling sample --config {run.name}/config.toml --out {run.name}-again"
    words = " ".join(f"<span>{html.escape(word)}</span>" for word in command.split(" "))
    return f'<pre class="command"><code>{words}</code></pre>\n{whole}'


def call(run: Run) -> str:
    """starling.sample(...) with the settings of config.toml."""
    given = [f"dim={run.summary['dim']}"]
    for key, value in re.findall(r"^([\w-]+) = (.+)$", run.config or "", flags=re.M):
        value = {"true": "True", "false": "False", '"given"': "START"}.get(value, value)
        if key not in ("version", "target") and value not in ('""', "False"):
            given.append(f"{key.replace('-', '_')}={value}")
    return f"starling.sample(target, {', '.join(given)})"
