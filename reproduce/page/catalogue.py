"""The experiments in the order of the report, and the file draw.py of each."""

import importlib.util
from pathlib import Path

NAMES = [
    "mixture-density",
    "mixture-error",
    "mixture-runtime",
    "logistic-accuracy",
    "logistic-runtime",
    "lemma",
    "theorem",
    "algorithm-2",
    "growing-batch",
]


def drawing(name):
    """The module draw.py of an experiment: ABOUT, pictures(result, space), numbers(result)."""
    folder = name.replace("-", "_")
    file = Path(__file__).resolve().parent.parent / folder / "draw.py"
    spec = importlib.util.spec_from_file_location(f"draw_{folder}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def command(name):
    """How to run an experiment that is not there yet."""
    covertype = " --covertype covtype.csv.xz" if name == "logistic-accuracy" else ""
    return f"starling reproduce {name}{covertype} --out DIR"
