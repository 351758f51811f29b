"""The whole page: the outcome in one look, the contents, then a section for each experiment."""

from pathlib import Path

import colours
from section import MARK, prose, sentence

STYLE = Path(__file__).with_name("style.css")
WORDS = {
    "holds": ("holds", "hold"),
    "differs": ("differs", "differ"),
    "unclear": ("is unclear", "are unclear"),
}


def count(results, verdict):
    return sum(claim["verdict"] == verdict for result in results for claim in result["claims"])


def outcome(results, absent):
    """One sentence: how many claims hold, differ, are unclear; what was not run."""
    total = sum(len(result["claims"]) for result in results)
    parts = [f"<strong>{count(results, 'holds')} of {total}</strong> claims hold"]
    for verdict in ("differs", "unclear"):
        n = count(results, verdict)
        if n:
            parts.append(f"{n} {WORDS[verdict][n != 1]}")
    if absent:
        parts.append(f"{len(absent)} of {len(absent) + len(results)} experiments not run")
    return "; ".join(parts) + "."


def overall(results):
    """The worst verdict there is: a difference, then doubt."""
    return next((v for v in ("differs", "unclear") if count(results, v)), "holds")


def tile(name, title, paper, claims):
    """An entry of the contents: one mark for each claim."""
    marks = "".join(
        f'<span class="mark {c["verdict"]}" aria-hidden="true">{MARK[c["verdict"]]}</span>'
        for c in claims
    )
    said = ", ".join(
        f"{n} {WORDS[v][n != 1]}" for v in MARK if (n := sum(c["verdict"] == v for c in claims))
    )
    return (
        f'<li><a href="#{name}"><span class="item">{prose(paper)}</span> <span '
        f'class="name">{prose(title)}</span> '
        f'<span class="marks">{marks or "not run"}<span '
        f'class="hidden">{said}</span></span></a></li>'
    )


def differences(results):
    """What differs, before all else: a reader should not have to look for it."""
    items = [
        f'<li><a href="#{result["name"]}">{prose(result["paper"])}</a>: {sentence(claim["says"])}. '
        f"Measured: {prose(claim['measured'])}. <em>{sentence(claim['because'])}.</em></li>"
        for result in results
        for claim in result["claims"]
        if claim["verdict"] == "differs"
    ]
    return (
        f'<h2>Where we differ</h2>\n<ul class="differences">\n{"".join(items)}\n</ul>'
        if items
        else ""
    )


def quick_notice(results):
    quick = [result for result in results if result.get("quick")]
    if not quick:
        return ""
    which = (
        "This is a quick run"
        if len(quick) == len(results)
        else f"Of {len(results)} experiments, {len(quick)} by a quick run"
    )
    return (
        f'<p class="notice" role="note"><strong>{which}.</strong> The same code and the same '
        "claims with fewer "
        "starts and smaller sizes: sampling errors are larger, and more is left unclear. Without "
        "<code>--quick</code> the run takes up to 40 minutes.</p>"
    )


def page(results, absent, tiles, sections):
    """The document; `tiles` and `sections` are finished elements in the order of the report."""
    style = STYLE.read_text(encoding="utf-8")
    style = style.replace("/*light*/", colours.variables(dark=False)).replace(
        "/*dark*/", colours.variables(dark=True)
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>RBM-SVGD, measured again</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body>
<a class="skip" href="#main">To the results</a>
<header class="opening">
<p class="kicker">Starling · reproduction of a paper</p>
<h1>RBM-SVGD, measured again</h1>
<p class="lead">Li, Li, Liu, Liu and Lu propose in <cite>A stochastic version of Stein variational
gradient descent for efficient sampling</cite> to let particles interact only inside small random
batches. This page repeats every experiment and every theorem of the paper with Starling, sets the
paper’s figures beside ours, and says of each claim whether it was seen.</p>
<p class="outcome {overall(results)}">{outcome(results, absent)}</p>
{quick_notice(results)}
</header>
<nav aria-label="Experiments">
<h2>Contents</h2>
<ul class="tiles">
{"".join(tiles)}
</ul>
</nav>
<main id="main">
{differences(results)}
{"".join(sections)}
</main>
<footer>
<p><span class="mark holds" aria-hidden="true">✓</span> holds: seen, beyond the sampling error.
<span class="mark differs" aria-hidden="true">≠</span> differs: seen otherwise, beyond the sampling
error.
<span class="mark unclear" aria-hidden="true">?</span> unclear: the sampling error is too large to
decide.</p>
<p>A batch size has the same colour in every picture, from orange for p = 2 to blue for p = 256;
SVGD is black, or white on dark. Green lines are the truth or what theory says; hollow grey squares
are not ours.</p>
</footer>
</body>
</html>
"""
