"""The engine's words in the caller's own: settings as they are written in Python."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _starling

# Values that messages recommend.
WORDS = (
    "none|all|auto|paper|diagonal|dense|decay|minmax|standard|imq|single|double|constant|splitting"
    "|drop"
)


def python_names(text: str) -> str:
    """--step-size, or step-size at the start, is step_size; --drop NAME is drop=NAME; the copy of a
    Stan model's data is data."""
    known = {name.replace("_", "-") for name in _starling.helps()}
    text = re.sub(r"^\S*/(stanli|starling)-\w+/data\.json:", "data:", text)  # a copy

    def option(found: re.Match) -> str:
        name, value = found[1], found[2]
        if name not in known:
            return found[0]
        own, value = name.replace("-", "_"), (value or "").strip()
        if not value:
            return own
        plain = value[0] in "0123456789'" or value.isupper()
        return f"{own}={value}" if plain else f"{own}='{value}'"

    text = re.sub(
        r"--([a-z]+(?:-[a-z]+)*)"
        rf"( (?:[A-Z]+\b|'[^']*'|\w[-+*:=,.\w]*[0-9:*=+]\w*|[0-9]+|(?:{WORDS})\b))?",
        option,
        text,
    )
    return re.sub(
        r"(^|; |and )([a-z]+(?:-[a-z]+)+)(?=:)",
        lambda found: found[1] + found[2].replace("-", "_") if found[2] in known else found[0],
        text,
    )


# What PyMC, NumPyro and Stan's interfaces call our settings, and what they have in place of one.
ELSEWHERE = {
    "particles": "draws|iter_sampling|num_draws|num_samples|samples",
    "runs": "chains|num_chains",
    "seed": "random_seed|rng_key",
    "threads": "cores|num_threads|parallel_chains",
    "progress": "progress_bar|progressbar|show_progress",
    "start": "init_params|inits|initvals",
}
ADVICE = {
    "formulaic makes a table of one: docs/tables.md": "formula",
    "the default method tunes itself": (
        "adapt_delta|iter_warmup|max_treedepth|num_warmup|nuts_sampler|target_accept|tune|warmup"
    ),
    "result.to_arviz() has all groups": "idata_kwargs|return_inferencedata",
}


def no_setting(name: str, known: Iterable[str]) -> str:
    sentence = f"{name}: is not a setting of a run"
    for advice, names in ADVICE.items():
        if name in names.split("|"):
            return f"{sentence}; {advice}"
    for ours, names in ELSEWHERE.items():
        if name in names.split("|"):
            return f"{sentence}; did you mean {ours}?"
    near = difflib.get_close_matches(name, sorted(known), 1)
    return sentence + (f"; did you mean {near[0]}?" if near else "")


# What a file of this kind is made by, of a result; save writes a folder.
FILES = {
    ".nc": "result.to_arviz().to_netcdf({})",
    ".csv": "result.save(folder), and draws.csv is in the folder",
    ".npz": "result.save(folder), and draws.npz is in the folder",
    ".json": "result.save(folder), and summary.json is in the folder",
}


def refuse_file(folder: Any) -> None:
    """Where the name of a file stands in the place of a folder's."""
    name = os.fspath(folder)
    ending = os.path.splitext(name)[1] if isinstance(name, str) else ""
    if ending in FILES and not os.path.isdir(name):
        raise ValueError(
            f"folder: must be a folder, which save makes; got {name!r}; for such a file use "
            + FILES[ending].format(repr(name))
        )


@contextmanager
def python_names_in_errors() -> Iterator[None]:
    """Errors of the engine with settings named as the caller wrote them."""
    try:
        yield
    except (ValueError, TypeError, ArithmeticError) as error:
        if (
            len(error.args) == 1
            and isinstance(error.args[0], str)
            and type(error).__module__ in ("builtins", "starling")
        ):
            error.args = (python_names(error.args[0]),)
        raise
    except OSError as error:  # of a folder that is there
        if error.args and isinstance(error.args[-1], str) and "--force" in error.args[-1]:
            text = error.args[-1].replace("another --out", "another folder")
            text = text.replace("add --force", "add force=True").replace("--force", "force=True")
            raise type(error)(*error.args[:-1], text) from None
        raise
