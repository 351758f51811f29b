"""A result as a notebook shows it."""

from __future__ import annotations

import html
from typing import Any

CELLS = ("mean", "sd", "q05", "q50", "q95", "spread_identity")
MOST = 40  # rows


def table_of(parameters: list[dict[str, Any]], verdict: str | None, reason: str | None) -> str:
    """The verdict, if there is one, over a table with a row per parameter."""
    cells = [cell for cell in CELLS if cell in parameters[0]]
    head = "".join(f"<th>{cell}</th>" for cell in ["", *cells])
    rows = "".join(
        f"<tr><th>{html.escape(p['name'])}</th>"
        + "".join(f"<td>{'' if p[cell] is None else format(p[cell], '.4g')}</td>" for cell in cells)
        + "</tr>"
        for p in parameters[:MOST]
    )
    more = len(parameters) - MOST
    rest = f"<p>and {more} more</p>" if more > 0 else ""
    first = f"<p><b>{html.escape(verdict)}</b>: {html.escape(reason or '')}</p>" if verdict else ""
    return f"{first}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
