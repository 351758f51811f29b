"""starling report: the page that the command line makes is the package's."""

import os
import subprocess
import sys
from pathlib import Path

import starling
from starling.__main__ import main


def run(binary, *words, **settings):
    return subprocess.run(
        [str(binary), *words], capture_output=True, text=True, env={**os.environ, **settings}
    )


def test_the_command_makes_the_same_page_as_the_package(binary, tmp_path, capsys):
    folder = tmp_path / "out"
    made = run(
        binary,
        "sample",
        "mixture",
        "--particles",
        "50",
        "--steps",
        "40",
        "--quiet",
        "--report",
        "--out",
        str(folder),
        STARLING_PYTHON=sys.executable,
        PYTHONPATH=str(Path(starling.__file__).parents[1]),
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout == f"{folder / 'report.html'}\n"
    page = (folder / "report.html").read_bytes()
    assert main(["report", str(folder)]) == 0
    assert (folder / "report.html").read_bytes() == page
    again = run(
        binary,
        "report",
        str(folder),
        "--out",
        str(tmp_path / "copy.html"),
        "--python",
        sys.executable,
    )
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "copy.html").read_bytes() == page


def test_the_exit_code_and_the_sentence_are_the_package_s(binary, tmp_path):
    bad = run(binary, "report", str(tmp_path / "nothing"), "--python", sys.executable)
    assert bad.returncode == 66
    assert (
        bad.stderr
        == f"starling: {tmp_path / 'nothing'}: must be a folder of results; got no folder\n"
    )
