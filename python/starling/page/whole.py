"""The whole page of a run."""

from __future__ import annotations

from pathlib import Path

from .. import plots
from . import pictures, tables, words
from .markup import escaped
from .read import Run

STYLE = Path(__file__).with_name("style.css")


def figure(svg: str, caption: str, run: Run) -> str:
    runs = len(run.summary.get("runs", []))
    chips = "".join(
        f'<li><span class="chip" style="background: {pictures.run_colour(k)}"></span> '
        f"run {k + 1}</li>"
        for k in range(runs)
    )
    legend = f'<ul class="legend">{chips}</ul>' if runs else ""
    return f"<figure>\n{svg}\n{legend}<figcaption>{caption}</figcaption>\n</figure>"


def cut(run: Run, most: int) -> str:
    """What a picture says of the parameters that it leaves out."""
    if len(run.names) <= most:
        return ""
    known = any(p.get("spread_identity") is not None for p in run.summary["parameters"])
    which = f"the {most} whose spread identity is farthest from 1" if known else f"the first {most}"
    return f" Of {len(run.names)} parameters, {which}."


def of_draws(run: Run) -> str:
    """Marginals and pairs."""
    if not run.names:
        return "<h2>Draws</h2>\n<p>There are no draws in the folder, so none are drawn.</p>"
    bars = "Each bar is a share of the particles."
    text = "<h2>Marginals</h2>\n" + figure(
        pictures.marginals(run), bars + cut(run, plots.MARGINALS), run
    )
    if len(run.names) > 1:
        shown, there = pictures.points_of_each(run), run.draws.shape[1]
        thin = f" {shown} of {there} particles of a run are shown." if shown < there else ""
        few = (
            '<span class="narrow">On a narrow screen the first three of them.</span>'
            if len(run.names) > 3
            else ""
        )
        caption = f"A point is a particle.{thin}{cut(run, plots.PAIRS)} {few}"
        text += "\n<h2>Pairs</h2>\n" + figure(pictures.pairs(run), caption, run)
    return text


def of_trace(run: Run) -> str:
    if not run.trace:
        return "<p>There is no trace in the folder.</p>"
    identities = (
        "the least and the greatest over the parameters; 1 is right, and the verdict accepts "
        "values between the dotted lines."
    )
    if plots.in_stages(run.trace):
        return figure(pictures.trace(run), f"Spread identities: {identities}", run)
    caption = (
        "Drift: how far the particles are pushed, root mean square. Squared Stein discrepancy: how "
        "far the cloud is from the target, 0 at best, with its standard error. Noise: the random "
        "part of the drift, by Lemma 1, against its mean; it is not shown where the mean is near "
        "0. Spread identities: " + identities
    )
    return figure(pictures.trace(run), caption, run)


def page(run: Run) -> str:
    """The document."""
    style = STYLE.read_text(encoding="utf-8")
    for dark, place in ((False, "/*light*/"), (True, "/*dark*/")):
        style = style.replace(place, pictures.variables(dark))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escaped(words.title(run))}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#main">To the parameters</a>
<header>
{words.opening(run)}
</header>
<main id="main">
<h2>Parameters</h2>
{tables.parameters(run)}
{tables.groups(run)}
{tables.log_evidence(run)}
{tables.certificate(run)}
{tables.each_run(run)}
{of_draws(run)}
<h2>Diagnostics along the run</h2>
{of_trace(run)}
<h2>Settings and figures</h2>
{words.settings(run)}
<h2>Repeat it</h2>
{words.repeat(run)}
</main>
</body>
</html>
"""
