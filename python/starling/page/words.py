"""The words of the page: the verdict and what to do about it, settings, how to repeat the run."""

from __future__ import annotations

import html
import re
from typing import Any

from .markup import code, discrepancy, escaped, number, plural
from .read import Run

TODO = {  # what to do about each verdict, and how it is coloured
    "converged": ("The particles can be used as draws.", "good"),
    "cannot tell": (
        "Nothing speaks clearly against the cloud, but there are too few particles to confirm it: "
        "raise --particles.",
        "doubt",
    ),
    "still moving": ("The cloud has not come to rest: take more steps, or start nearer.", "doubt"),
    "collapsed": (
        "A kernel of longer range may help, `--kernel gaussian+0.05*polynomial:m=1`, or more "
        "particles.",
        "bad",
    ),
    "noisy": (
        "Random batches or large steps make the cloud too wide: raise --batch, lower --step-size, "
        "or let them change along the run: `--advance decay`, --grow-batch.",
        "doubt",
    ),
    "diverged": (
        "Nothing here can be used. Lower --step-size, start nearer, or check the target: "
        "`starling check`.",
        "bad",
    ),
}
IN_STAGES = {  # the same for a run in stages, whose certificate says more
    "converged": ("Exact moves confirm the particles: they can be used as draws.", "good"),
    "cannot tell": (
        "Exact moves could not confirm the cloud. Do what the sentence says before its figures are "
        "used.",
        "doubt",
    ),
    "still moving": (
        "Exact moves carry the cloud away: its figures are wrong by about what the table shows.",
        "bad",
    ),
    "diverged": ("Nothing here can be used: check the target, `starling check`.", "bad"),
}
IN_GROUPS = (
    "The particles lie in separate groups, and how much each of them weighs is not known well "
    "enough: see below."
)
WITHOUT = ("It was not certified: exact moves need a log density, and --certify.", "doubt")


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
        if s["verdict"] == "cannot tell" and s["steps_done"] < s["steps"]:
            todo = "The run was stopped before its end: let it go on, or run it again."
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


def settings(run: Run) -> str:
    s = run.summary
    shown = {"seed": s["seed"]}
    if s.get("method") == "auto":
        shown |= {f"gradients, {stage}": count for stage, count in s.get("gradients", {}).items()}
        shown |= {"modes found": number(s.get("modes"))}
        words = {
            "coordinates": s.get("frame"),
            "particles that flew and moved": s.get("walkers"),
            "turns back of the flight": s.get("turned_back"),
        }
        shown |= {key: value for key, value in words.items() if value is not None}
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
            "<p>The target was given by Python; it is not in the folder. With that target "
            "again:</p>\n"
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
