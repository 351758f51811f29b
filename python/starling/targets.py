"""What to sample from: built-in targets, Stan models, plugins, and whatever a user may give."""

from __future__ import annotations

import ctypes
import errno
import json
import numbers
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from . import _starling, pymc_models
from .frames import REGRESSIONS, TableFile, in_list, is_table
from .functions import Function, Target
from .tables import TABLES, description, entry_of, no_setting, python_name
from .words import python_names_in_errors


class Builtin(Target):
    """One of the engine's own: mixture, normal, banana, funnel, logistic."""

    def __init__(self, name: str, **settings: Any):
        self.name, self.settings = name, settings

    def __repr__(self) -> str:
        given = [repr(self.name), *(f"{k}={v!r}" for k, v in self.settings.items())]
        return f"starling.builtin({', '.join(given)})"


class Stan(Builtin):
    """A Stan model: a program, which is compiled if need be, or a library that BridgeStan made from
    one."""

    def __init__(self, model: str | os.PathLike, data: Any = None):
        file, folder = os.fspath(model), None
        if "\n" in file:
            raise ValueError("model: must be a file; got the text of a program")
        if isinstance(data, Mapping):
            folder = tempfile.mkdtemp(prefix="starling-")
            data = _json_file(data, folder)
        try:
            if _starling.is_stan_program(file):
                if not os.path.exists(file):
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
                file, data = _starling.compile_stan(
                    file, "" if data is None else data, sys.executable or "python3"
                )
        except BaseException:
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        super().__init__("stan", model=file, **_given(data or None))
        if folder:  # while this target lives
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @classmethod
    def of(cls, model: Any) -> Stan:
        """The library of a bridgestan.StanModel, whose data are a text: in a file while this target
        lives."""
        if not model.data:
            return cls(model.lib_path)
        folder = tempfile.mkdtemp(prefix="starling-")
        file = os.path.join(folder, "data.json")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(model.data)
        target = cls(model.lib_path, file)
        weakref.finalize(target, shutil.rmtree, folder, ignore_errors=True)
        return target


class Plugin(Builtin):
    """A shared library with the functions of starling/plugin.h."""

    def __init__(self, library: str | os.PathLike, data: str | os.PathLike | None = None):
        super().__init__("plugin", model=os.fspath(library), **_given(data))


def _json_file(data: Mapping, folder: str) -> str:
    """Data as Stan's JSON: arrays of NumPy's are lists there."""

    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        raise TypeError(f"data: must be numbers, lists and arrays; got {type(value).__name__}")

    file = os.path.join(folder, "data.json")
    with open(file, "w", encoding="utf-8") as stream:
        json.dump(dict(data), stream, default=plain)
    return file


def _given(data: str | os.PathLike | None) -> dict[str, str]:
    return {} if data is None else {"data": os.fspath(data)}


def builtin(name: str, **settings: Any) -> Builtin:
    """A built-in target with its options of the command line: builtin("banana", curvature=0.5).
    `data` of a regression may also be a frame of pandas or Polars, a pyarrow.Table, a dictionary of
    columns, or a Parquet or Arrow file."""
    entry = entry_of("targets", name)
    if name in REGRESSIONS and is_table(settings.get("data")):
        return _of_table(name, settings)
    if entry is not None:  # one that is none is refused with all of them, by the engine
        names = {python_name(setting["name"]): setting["name"] for setting in entry["settings"]}
        for key, value in settings.items():
            if key not in names:
                raise no_setting("target", entry, key)
            if value is not None:
                with python_names_in_errors():
                    _starling.check_setting("targets", name, names[key], value)
    return Builtin(name, **settings)


def _of_table(name: str, settings: dict[str, Any]) -> Builtin:
    """The file of the table is there while the target lives."""
    table = TableFile(settings["data"])
    try:
        category = [settings.get("category") or "", in_list(table.categories)]
        given = {**settings, "data": table.path, "category": ",".join(filter(None, category))}
        target = builtin(name, **given)
    except BaseException:
        table.close()
        raise
    weakref.finalize(target, table.close)
    return target


def with_table(target: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A regression by name whose data is a frame, or a Stan model by its file whose data are given:
    the target, and the settings that are left."""
    if _is_stan_file(target) and "data" in settings:
        return Stan(target, settings["data"]), {k: v for k, v in settings.items() if k != "data"}
    named = isinstance(target, str) and target in REGRESSIONS
    if not (named and is_table(settings.get("data"))):
        return target, settings
    own = {python_name(setting["name"]) for setting in entry_of("targets", target)["settings"]}
    chosen = builtin(target, **{key: settings[key] for key in settings if key in own})
    return chosen, {key: value for key, value in settings.items() if key not in own}


builtin.__doc__ += "\n\n" + "\n\n".join(
    f"{entry['name']}: {description(entry)}" for entry in TABLES["targets"]
)


def stan(model: str | os.PathLike, data: Mapping | str | os.PathLike | None = None) -> Stan:
    """A Stan model: MODEL.stan, or MODEL.so as BridgeStan compiles it. A program is compiled by
    BridgeStan (the environment variable BRIDGESTAN names its folder) or by the package stanli, and
    kept for the next time. data: a dictionary or a JSON file."""
    return Stan(model, data)


def plugin(library: str | os.PathLike, data: str | os.PathLike | None = None) -> Plugin:
    """A library with the functions of starling/plugin.h."""
    return Plugin(library, data)


def _is_stan_file(target: Any) -> bool:
    return isinstance(target, (str, os.PathLike)) and os.fspath(target).endswith((".so", ".stan"))


def as_target(target: Any, names: Sequence[str] | None = None) -> Target:
    """What a user may give for a target, as a Target; `names` are for one that has none."""
    own = _as_target(target)
    if names is None:
        return own
    if not hasattr(own, "named"):
        raise ValueError("names: this target has its own names; remove names")
    return own.named(names)


def _as_target(target: Any) -> Target:
    if isinstance(target, Target):
        return target
    if pymc_models.is_model(target) or (target is None and pymc_models.model_around() is not None):
        return pymc_models.from_pymc(target)
    if target is None:
        raise TypeError(
            "target: must be given first, as in starling.sample(model), except inside `with "
            "model:` of PyMC; got NoneType"
        )
    if isinstance(target, (str, os.PathLike)):
        return Stan(target) if _is_stan_file(target) else Builtin(os.fspath(target))
    if hasattr(target, "log_density_gradient") and hasattr(
        target, "lib_path"
    ):  # a bridgestan.StanModel
        return Stan.of(target)
    if isinstance(target, ctypes._CFuncPtr) or hasattr(target, "address"):
        raise TypeError(
            "target: must be starling.CFunction(function, dim, batched=True or False) for a C "
            "function"
        )
    if isinstance(target, numbers.Integral):  # as in pm.sample(2000)
        raise TypeError(
            f"target: must be a model or a function; got {target}; for as many draws write "
            f"particles={target}"
        )
    return Function(target)
