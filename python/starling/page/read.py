"""Reads the folder of a run: summary.json, config.toml, trace and draws, checked as far as the page
needs them."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import plots
from ..files import load

BAD_DATA, MISSING = 65, 66  # exit codes, as those of the command line
NUMBERS = ("particles", "dim", "steps_done", "seed", "seconds")
TEXTS = ("version", "target", "verdict", "verdict_reason", "precision")
OF_THE_METHOD = (
    "kernel",
    "bandwidth",
    "advance",
)  # texts that only the raw method has, which also has steps
MAYBE = (
    "step_size",
    "test_accuracy",
    "test_log_likelihood",
    "modes",
)  # numbers, null, or not there
LISTS = {
    "parameters": ("name",),
    "unconstrained": ("name",),
    "runs": ("run", "verdict", "verdict_reason", "ksd"),
    "groups": ("share", "se", "particles", "mean"),
}
CELLS = ("mean", "sd", "q05", "q50", "q95", "spread_identity")


class BadFolder(Exception):
    """A folder that no page can be made of: one line that names it, and the exit code."""

    def __init__(self, line: str, code: int = BAD_DATA):
        super().__init__(line)
        self.code = code


@dataclass
class Run:
    """What the page is made of."""

    name: str
    summary: dict[str, Any]
    config: str | None
    trace: list[dict[str, Any]]
    names: list[str]  # of the draws; none where there are no draws
    draws: np.ndarray  # (runs, N, names)


def read(folder: Path) -> Run:
    """The run in a folder."""
    summary = _summary(folder / "summary.json")
    config = folder / "config.toml"
    runs = len(summary.get("runs", [None]))
    files = (
        [folder / "trace.csv"]
        if runs == 1
        else [folder / f"trace-{k + 1}.csv" for k in range(runs)]
    )
    trace = [row for k, file in enumerate(files) if file.exists() for row in _trace(file, k + 1)]
    names, draws = [], np.empty((0, 0, 0))
    if any(folder.glob("draws*")):
        try:
            names, draws = plots.columns(load(folder))
        except (OSError, ValueError) as error:
            said = _line(error.strerror if isinstance(error, OSError) and error.strerror else error)
            raise BadFolder(said if str(folder) in said else f"{folder}: {said}") from None
    return Run(
        folder.resolve().name,
        summary,
        _text(config) if config.exists() else None,
        trace,
        names,
        draws,
    )


def _line(text: Any) -> str:
    return " ".join(str(text).split())


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadFolder(f"{file}: cannot be read: {error.strerror}", MISSING) from None
    except UnicodeDecodeError:
        raise BadFolder(f"{file}: must be UTF-8 text") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def json_of(file: Path) -> Any:
    try:
        return json.loads(_text(file))
    except ValueError as error:
        raise BadFolder(f"{file}: must be JSON; got {_line(error)}") from None


def _summary(file: Path) -> dict[str, Any]:
    summary = json_of(file)
    if not isinstance(summary, dict):
        raise BadFolder(f"{file}: must be a JSON object; got {type(summary).__name__}")
    staged = summary.get("method") == "auto"
    for key in NUMBERS if staged else (*NUMBERS, "steps"):
        if not _is_number(summary.get(key)):
            raise BadFolder(f"{file}: {key}: must be a number; got {summary.get(key)!r}")
    for key in TEXTS if staged else (*TEXTS, *OF_THE_METHOD):
        if not isinstance(summary.get(key), str):
            raise BadFolder(f"{file}: {key}: must be text; got {summary.get(key)!r}")
    for key in MAYBE:
        if summary.get(key) is not None and not _is_number(summary[key]):
            raise BadFolder(f"{file}: {key}: must be a number or null; got {summary[key]!r}")
    for key, needed in LISTS.items():
        rows = summary.get(key, [])
        if not isinstance(rows, list) or not all(
            isinstance(r, dict) and all(k in r for k in needed) for r in rows
        ):
            raise BadFolder(f"{file}: {key}: must be a list of objects with {', '.join(needed)}")
    for row in summary.setdefault("parameters", []) + summary.get("unconstrained", []):
        for cell in (*CELLS, "r_hat"):
            if row.get(cell) is not None and not _is_number(row[cell]):
                raise BadFolder(
                    f"{file}: {row['name']}: {cell}: must be a number or null; got {row[cell]!r}"
                )
    for row in summary.get("groups", []):
        means = row["mean"]
        if not isinstance(means, dict) or not all(
            value is None or _is_number(value)
            for value in (row["share"], row["se"], row["particles"], *means.values())
        ):
            raise BadFolder(f"{file}: groups: must have numbers; got {row!r}")
    _evidence(file, summary.get("log_evidence"))
    if staged:
        _stages(file, summary)
    warnings = summary.setdefault("warnings", [])
    if not isinstance(warnings, list):
        raise BadFolder(f"{file}: warnings: must be a list; got {warnings!r}")
    return summary


def _evidence(file: Path, found: Any) -> None:
    if found is None:
        return
    fits = isinstance(found, dict) and all(
        key in found and (found[key] is None or _is_number(found[key])) for key in ("value", "se")
    )
    if not fits or not isinstance(found.get("doubt"), (str, type(None))):
        raise BadFolder(f"{file}: log_evidence: must have value, se and doubt; got {found!r}")


def _stages(file: Path, summary: dict[str, Any]) -> None:
    """What a run of `auto` says of itself."""
    gradients, certificate = summary.get("gradients", {}), summary.get("certificate")
    if not isinstance(gradients, dict) or not all(
        _is_number(count) for count in gradients.values()
    ):
        raise BadFolder(f"{file}: gradients: must be numbers by stage; got {gradients!r}")
    if certificate is None:
        return
    rows = certificate.get("estimates") if isinstance(certificate, dict) else None
    if (
        not isinstance(rows, list)
        or not isinstance(certificate.get("finding"), str)
        or not all(
            isinstance(row, dict)
            and isinstance(row.get("parameter"), str)
            and "of" in row
            and all(
                row.get(key) is None or _is_number(row[key]) for key in ("error", "se", "memory")
            )
            for row in rows
        )
    ):
        raise BadFolder(f"{file}: certificate: must have a finding and estimates of parameters")


def _trace(file: Path, run: int) -> list[dict[str, Any]]:
    """The rows of trace.csv; an unknown figure is NaN."""
    rows = []
    reader = csv.DictReader(_text(file).splitlines())
    absent = [name for name in plots.SEEN if name not in (reader.fieldnames or [])]
    if absent:
        raise BadFolder(f"{file}: must have the column {absent[0]}")
    for row in reader:
        try:
            rows.append(
                {
                    "run": run,
                    **{name: float(row[name]) if row[name] else math.nan for name in plots.SEEN},
                }
            )
        except ValueError as error:
            raise BadFolder(
                f"{file}: line {reader.line_num}: must have numbers; got {_line(error)}"
            ) from None
    return rows
