"""The programs starling and starling-lab of the wheel: this process becomes one of them."""

import os
import sys
from pathlib import Path


def run(name: str) -> None:
    program = Path(__file__).resolve().parent / "bin" / name
    os.environ.setdefault(
        "STARLING_PYTHON", sys.executable
    )  # report pages are made by the Python that we came with
    os.execv(program, [str(program), *sys.argv[1:]])


def starling() -> None:
    run("starling")


def starling_lab() -> None:
    run("starling-lab")
