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
        "No clear fault, but too few particles to be sure: raise --particles.",
        "doubt",
    ),
    "still moving": (
        "The cloud is still moving: take more --steps, or give a nearer --start.",
        "doubt",
    ),
    "collapsed": (
        "The cloud is too narrow: use `--method auto`, or `--kernel gaussian+bilinear`.",
        "bad",
    ),
    "noisy": (
        "Random batches or large steps make the cloud too wide: raise --batch, lower --step-size, "
        "or change them during the run: `--advance decay`, --grow-batch.",
        "doubt",
    ),
    "diverged": (
        "Do not use this result. Lower --step-size, give a nearer --start, or check the target: "
        "`starling check`.",
        "bad",
    ),
}
IN_STAGES = {  # the same for a run in stages, whose certificate says more
    "converged": ("HMC moves confirm the particles: they can be used as draws.", "good"),
    "cannot tell": (
        "HMC moves could not confirm the cloud. Follow the advice above before you use its "
        "figures.",
        "doubt",
    ),
    "still moving": (
        "HMC moves shift the cloud: its figures are wrong by about what the table shows.",
        "bad",
    ),
    "diverged": ("Do not use this result: check the target, `starling check`.", "bad"),
}
IN_GROUPS = "There are several modes, and their shares are not known well enough: see below."
WITHOUT = ("HMC did not check it: that needs a log density, and --certify.", "doubt")


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
            todo = "The run was stopped before its end: continue it, or run it again."
        return todo, colour
    if s.get("certificate"):
        return IN_STAGES.get(s["verdict"], (todo, colour))
    return f"{WITHOUT[0]} {todo}", "doubt" if colour == "good" else colour


def how(s: dict[str, Any]) -> str:
    """Batches and steps, or stages and gradients."""
    if s.get("method") == "auto":
        total = s.get("gradients", {}).get("total")
        return "--method auto" + (f", {total} gradients" if total else "")
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
            else " For a second opinion make four independent runs with `--runs 4`: R-hat shows "
            "whether they agree."
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
    return f"{run.name}: {'your own target' if target == 'guest' else target}"


def settings(run: Run) -> str:
    s = run.summary
    shown = {"seed": s["seed"]}
    if s.get("method") == "auto":
        shown |= {f"gradients, {stage}": count for stage, count in s.get("gradients", {}).items()}
        shown |= {"modes found": number(s.get("modes"))}
        words = {
            "coordinates": s.get("frame"),
            "particles of the flight and the moves": s.get("walkers"),
            "times the flight turned back": s.get("turned_back"),
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
        ("test_accuracy", "accuracy on held-out rows"),
        ("test_log_likelihood", "log likelihood on held-out rows"),
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
        return "<p>The folder has no config.toml to repeat the run from.</p>"
    whole = (
        f'<details><summary>config.toml</summary>\n<pre class="scroll" tabindex="0"><code>'
        f"{html.escape(run.config)}</code></pre></details>"
    )
    if run.summary["target"] == "guest":
        return (
            "<p>The target was a Python function and is not in the folder. To repeat the run, "
            "give it again:</p>\n"
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
