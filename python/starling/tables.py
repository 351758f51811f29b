"""The engine's tables of kernels, step rules and targets, and constructors made from their
entries."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from . import _starling
from .words import python_names_in_errors

TABLES: dict[str, list[dict[str, Any]]] = _starling.tables()


def python_name(name: str) -> str:
    """A name of the table as Python writes it."""
    return name.replace("-", "_")


def entry_of(table: str, name: str) -> dict[str, Any] | None:
    return next((entry for entry in TABLES[table] if entry["name"] == name), None)


def in_a_row(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def description(entry: dict[str, Any]) -> str:
    """The docstring: what it is, and its settings with their usual values and ranges."""
    lines = [entry["help"] + ("" if entry["help"].endswith(".") else ".")]
    for setting in entry["settings"]:
        range_ = f"; {setting['range']}" if setting["range"] else ""
        usual = "" if setting["usual"] == "" else f" (default {setting['usual']}{range_})"
        lines.append(f"    {python_name(setting['name'])}: {setting['help']}{usual}")
    return "\n\n".join([lines[0], "\n".join(lines[1:])]) if lines[1:] else lines[0]


def no_setting(kind: str, entry: dict[str, Any], name: str) -> TypeError:
    known = [python_name(setting["name"]) for setting in entry["settings"]]
    near = difflib.get_close_matches(name, known, 1)
    hint = (
        f"; did you mean {near[0]}?"
        if near
        else f"; it has {in_a_row(known)}"
        if known
        else "; it has none"
    )
    return TypeError(f"{name}: is not a setting of {kind} {entry['name']}{hint}")


def constructor(
    module: str,
    kind: str,
    entry: dict[str, Any],
    make: Callable[[dict[str, Any]], Any],
    first: list[inspect.Parameter],
    of: str,
    keyword_only: bool = False,
) -> Callable[..., Any]:
    """A function with the entry's settings as arguments, which calls `make` with those that were
    given."""
    how = (
        inspect.Parameter.KEYWORD_ONLY if keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    )
    settings = [
        inspect.Parameter(
            python_name(setting["name"]),
            how,
            default=setting["usual"],
            annotation=f"{type(setting['usual']).__name__} | None",
        )
        for setting in entry["settings"]
    ]
    signature = inspect.Signature([*first, *settings], return_annotation=of)

    def function(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in signature.parameters:
                raise no_setting(kind, entry, name)
        try:
            bound = signature.bind(*args, **given).arguments
        except TypeError as error:
            raise TypeError(f"{python_name(entry['name'])}(): {error}") from None
        with python_names_in_errors():
            return make({name: value for name, value in bound.items() if value is not None})

    function.__name__ = function.__qualname__ = python_name(entry["name"])
    function.__module__, function.__doc__ = module, description(entry)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def missing(module: str, name: str, known: Iterable[str]) -> AttributeError:
    near = difflib.get_close_matches(name, list(known), 1)
    return AttributeError(
        f"module {module!r} has no attribute {name!r}"
        + (f"; did you mean {near[0]}?" if near else "")
    )
