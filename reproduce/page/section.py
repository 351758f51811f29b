"""The part of the page that belongs to one experiment."""

import html
import re

from table import Table

SPELT_OUT = [
    (r"\b1e(-?)0*(\d+)\b", lambda m: f"10<sup>{'−' if m[1] else ''}{m[2]}</sup>"),
    (r"\b([\d.]+)e(-?)[+]?0*(\d+)\b", lambda m: f"{m[1]}·10<sup>{'−' if m[2] else ''}{m[3]}</sup>"),
    (r"\bW([12])\b", lambda m: "W₁" if m[1] == "1" else "W₂"),
    (r"\b([pN])-1\b", r"\1 − 1"),
    (r"\bLambda_i\b", "Λ<sub>i</sub>"),
    (r"\bchi\b", "χ"),
    (r"\beta\b", "η"),
    (r"\bpi\b", "π"),
    (r"\bsqrt ?(?=[(\d])", "√"),
]
MARK = {"holds": "✓", "differs": "≠", "unclear": "?"}


def prose(text):
    """Plain text of a result as HTML, with the signs that plain text spells out."""
    text = html.escape(" ".join(str(text).split()))
    for pattern, sign in SPELT_OUT:
        text = re.sub(pattern, sign, text)
    for plain, sign in (
        ("+-", "±"),
        ("&gt;=", "≥"),
        ("&lt;=", "≤"),
        ("^2", "²"),
        ("X~", "X̃"),
        (" - ", " − "),
        ("&#x27;", "’"),
    ):
        text = text.replace(plain, sign)
    return re.sub(r"(?<![\w.)])-(?=[\d.])", "−", text)


def sentence(text):
    """The same, beginning with a capital letter."""
    text = prose(text)
    return text[:1].upper() + text[1:]


def duration(seconds):
    """1.3 s, 45 s, 12 min."""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def badge(verdict):
    mark = f'<span aria-hidden="true">{MARK[verdict]}</span>'
    return f'<span class="badge {verdict}">{mark} {verdict}</span>'


def claim_item(claim):
    return f"""<li class="claim {claim["verdict"]}">
<p class="says">{badge(claim["verdict"])} {sentence(claim["says"])}
<span class="where">{prose(claim["where"])}</span></p>
<dl>
<dt>Measured</dt><dd>{prose(claim["measured"])}</dd>
<dt>Because</dt><dd>{prose(claim["because"])}</dd>
</dl>
</li>"""


def table(name, numbers: Table):
    """The numbers of the pictures, in a box that scrolls by itself; on narrow screens each cell has
    its head before it."""
    head = "".join(f'<th scope="col">{prose(cell)}</th>' for cell in numbers.head)
    rows = "\n".join(
        f'<tr><th scope="row">{prose(row[0])}</th>'
        + "".join(
            f'<td data-head="{prose(head)}">{prose(cell)}</td>'
            for head, cell in zip(numbers.head[1:], row[1:])
        )
        + "</tr>"
        for row in numbers.rows
    )
    return f"""<details>
<summary>The numbers</summary>
<div class="scroll" role="region" aria-label="{prose(numbers.caption)}" tabindex="0">
<table id="{name}-numbers"><caption>{prose(numbers.caption)}</caption>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody></table>
</div>
</details>"""


def setting(value):
    """A setting as text, whatever its kind."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(setting(v) for v in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {setting(v)}" for key, v in value.items())
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def settings(result):
    terms = "\n".join(
        f"<div><dt>{prose(key.replace('_', ' '))}</dt><dd>{prose(setting(value))}</dd></div>"
        for key, value in result["settings"].items()
    )
    return (
        f'<details>\n<summary>Settings</summary>\n<dl class="settings">\n{terms}\n</dl>\n</details>'
    )


def command_line(command):
    """A command to copy; lines break between words only, not inside --out."""
    words = " ".join(f"<span>{html.escape(word)}</span>" for word in command.split())
    return f'<pre class="command"><code>{words}</code></pre>'


def figure(picture, wide_svg, narrow_svg):
    return f"""<figure>
{wide_svg}
{narrow_svg}
<figcaption>{prose(picture.caption)}</figcaption>
</figure>"""


def section(result, about, figures, numbers):
    """All of an experiment that was run. `figures` are finished figure elements."""
    name = result["name"]
    claims = (
        "\n".join(claim_item(claim) for claim in result["claims"])
        or "<li>Nothing was claimed.</li>"
    )
    quick = ' <span class="quick">quick run</span>' if result.get("quick") else ""
    cores = result.get("cores")
    machine = f"Starling {prose(result['version'])}, {prose(result['simd'])}" + (
        f", {cores} cores" if cores else ""
    )
    return f"""<section id="{name}" aria-labelledby="{name}-title">
<p class="kicker">{prose(result["paper"])}{quick}</p>
<h2 id="{name}-title">{prose(result["title"])}</h2>
<p class="question">{prose(result["question"])}</p>
<h3>What the paper has</h3>
<p>{prose(about)}</p>
<h3>The paper’s beside ours</h3>
{figures}
{table(name, numbers)}
<h3>Verdict: {badge(result["verdict"])}</h3>
<ol class="claims">
{claims}
</ol>
<h3>Repeat it</h3>
{command_line(result["command"])}
<p class="run">Took {duration(result["seconds"])}. {machine}.</p>
{settings(result)}
</section>"""


def absent(name, title, about, command, why):
    """An experiment that has no result here: what it is, and how to get it."""
    return f"""<section id="{name}" class="absent" aria-labelledby="{name}-title">
<p class="kicker">{prose(why)}</p>
<h2 id="{name}-title">{prose(title)}</h2>
<p>{prose(about)}</p>
{command_line(command)}
</section>"""
