"""The blocks of Python run: of README.md, the quick start and the pages about Python, in order."""

import importlib.util
import re
import subprocess
import sys
import types
import warnings

import matplotlib
import pytest
from conftest import ROOT

# Read in this order: a later page uses what an earlier one has made.
NAMES = ["python", "python_targets", "many_rows", "python_results", "python_advanced", "networks"]
PAGES = [ROOT / "docs" / f"{name}.md" for name in NAMES]
OPTIONAL = {
    "equinox",
    "numba",
    "pymc",
    "torch",
}  # large: where one is missing, the blocks that import it are left out


def blocks(path):
    """The code of each, moved down so that errors name lines of the page."""
    page = path.read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        yield "\n" * page[: found.start(1)].count("\n") + found.group(1)


def missing(code):
    wanted = set(re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)) & OPTIONAL
    return sorted(name for name in wanted if importlib.util.find_spec(name) is None)


@pytest.fixture
def libraries(tmp_path, monkeypatch):
    """An empty folder to work in, with plugin.so and a model.so of our own behind Stan's
    interface."""
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    for source, library in [
        ("examples/plugin.c", "plugin.so"),
        ("tests/foreign/libraries/small_stan.c", "model.so"),
    ]:
        command = [
            "cc",
            "-O2",
            "-fPIC",
            "-shared",
            "-I",
            ROOT / "include",
            "-o",
            library,
            ROOT / source,
            "-lm",
        ]
        subprocess.run(command, check=True)
    (tmp_path / "model.json").write_text('{"y": 1}')


@pytest.mark.filterwarnings("ignore:(?!a block was left out)")
def test_every_block_of_the_pages_runs(libraries, monkeypatch):
    page = types.ModuleType("page")
    monkeypatch.setitem(
        sys.modules, "page", page
    )  # pickle looks there for the functions of the pages
    ran = 0
    for path in PAGES:
        for code in blocks(path):
            if missing(code):
                warnings.warn(
                    f"a block was left out: {', '.join(missing(code))} not installed", stacklevel=1
                )
                continue
            exec(compile(code, str(path), "exec"), vars(page))
            ran += 1
    assert ran >= 20


def test_the_examples_of_the_readme_run(capsys):
    for example in blocks(ROOT / "README.md"):
        exec(compile(example, str(ROOT / "README.md"), "exec"), {})
        assert "converged" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:the gradient failed")
def test_the_example_of_the_quick_start_runs(monkeypatch, capsys):
    pytest.importorskip("stanli", reason="no compiler for Stan programs: pip install stanli")
    monkeypatch.chdir(ROOT)
    (example,) = blocks(ROOT / "docs" / "quick_start.md")
    exec(compile(example, "quick_start.md", "exec"), {})
    said = capsys.readouterr().out
    assert said.startswith("converged: 20 HMC moves of 256 particles") and "tau" in said
