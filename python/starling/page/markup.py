"""Pieces of HTML that the parts of the page share: texts, numbers, tables."""

from __future__ import annotations

import html
import re
from typing import Any

from ..canvas import plain


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


def discrepancy(ksd: Any) -> str:
    """0.01 ± 0.02, or a dash where it has no meaning."""
    value, error = (ksd.get(key) if isinstance(ksd, dict) else None for key in ("value", "se"))
    if not isinstance(value, (int, float)):
        return "–"
    shown = [
        plain(float(format(one, ".2g"))) for one in (value, error) if isinstance(one, (int, float))
    ]
    return " ± ".join(shown)


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


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
