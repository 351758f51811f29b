"""Tables of other libraries as files that the engine reads: pandas, Polars, Arrow, Parquet."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

REGRESSIONS = ("linear", "logistic", "poisson", "multinomial")
BY_PYARROW = (".parquet", ".feather", ".arrow", ".ipc")


def is_table(data: Any) -> bool:
    """Whether it is no file that the engine reads by itself."""
    if isinstance(data, (str, os.PathLike)):
        return os.fsdecode(data).endswith(BY_PYARROW)
    return data is not None


class TableFile:
    """A table as a csv file, in a folder that is gone after `close`."""

    def __init__(self, data: Any):
        columns, self.categories = _columns(data)
        if not columns:
            raise ValueError("data: must have columns; got none")
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise ValueError("data: must have columns of one length; got several")
        self.folder = tempfile.mkdtemp(prefix="starling-")
        self.path = os.path.join(self.folder, "table.csv")
        try:
            with open(self.path, "w", encoding="utf-8", newline="") as stream:
                out = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
                out.writerow(columns)
                out.writerows(zip(*([_field(one) for one in all] for all in columns.values())))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _columns(data: Any) -> tuple[dict[str, list], list[str]]:
    """Values by name, and the columns that their library calls categories."""
    library = data.__class__.__module__.partition(".")[0]  # also of a formulaic.ModelMatrix
    if isinstance(data, (str, os.PathLike)):
        data, library = _by_pyarrow(os.fsdecode(data)), "pyarrow"
    if library == "pandas" and hasattr(data, "columns"):
        listed = [(name, data[name].tolist(), str(data[name].dtype)) for name in data.columns]
    elif library == "polars" and hasattr(data, "columns"):
        data = data.collect() if hasattr(data, "collect") else data
        listed = [(name, data[name].to_list(), str(data[name].dtype)) for name in data.columns]
    elif library == "pyarrow" and hasattr(data, "column_names"):
        listed = [
            (name, data[name].to_pylist(), str(data[name].type)) for name in data.column_names
        ]
    elif isinstance(data, Mapping):
        listed = [(name, np.asarray(values).tolist(), "") for name, values in data.items()]
    else:
        raise TypeError(
            "data: must be a file, a frame of pandas or Polars, a pyarrow.Table or a dictionary of "
            f"columns; got {type(data).__name__}"
        )
    categories = [
        _name(name)
        for name, _, kind in listed
        if kind == "category" or kind.startswith(("Categorical", "Enum", "dictionary"))
    ]
    return {_name(name): values for name, values, _ in listed}, categories


def _by_pyarrow(file: str) -> Any:
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        raise ImportError(
            f"{file}: Parquet and Arrow files are read by pyarrow, which is not installed: pip "
            "install pyarrow"
        ) from None
    if not os.path.exists(file):
        raise FileNotFoundError(2, os.strerror(2), file)
    try:
        return parquet.read_table(file) if file.endswith(".parquet") else feather.read_table(file)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{file}: {str(error).splitlines()[0]}") from None


def _name(name: Any) -> str:
    """A header has no numbers: the columns 0 and 1 are x0 and x1."""
    text = str(name)
    try:
        float(text)
    except ValueError:
        return text
    return f"x{text}"


def _field(value: Any) -> Any:
    """A cell as csv has it: nothing where a value is missing, an ISO date, a text in one line."""
    if value is None or value != value or str(value) in ("<NA>", "NaT"):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, float)):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return " ".join(str(value).splitlines())


def in_list(names: list[str]) -> str:
    """Names as the engine's settings list columns: NAME,NAME."""
    return ",".join(
        '"' + name.replace('"', '""') + '"' if set(name) & {",", '"'} else name for name in names
    )
