"""clang-format and ruff find nothing to do, and would find a line that is not as they want it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
C_AND_CPP = ("*.cpp", "*.hpp", "*.h", "*.c", "*.cu", "*.cuh")


def files(*patterns):
    """The files of the tree, as git knows them."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("git: must be there, and the tree a clone: the list of files is its")
    done = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def program(name):
    """The pinned one, which lies beside this Python: other versions break lines otherwise."""
    file = Path(sys.executable).parent / name
    assert file.is_file(), f"{file}: must be installed: tests/python/requirements.txt"
    return str(file)


def told(*command, **more):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **more)


def test_clang_format_has_nothing_to_do():
    names = files(*C_AND_CPP)
    assert len(names) > 500
    done = told(program("clang-format"), "--dry-run", "-Werror", *names)
    assert done.returncode == 0, done.stderr[-4000:]


def test_clang_format_sees_a_line_that_is_too_wide(tmp_path):
    (tmp_path / ".clang-format").write_text((ROOT / ".clang-format").read_text())
    file = tmp_path / "wide.cpp"
    file.write_text(f"// A file.\nint x = {' + '.join(['1'] * 40)};\n")
    done = told(program("clang-format"), "--dry-run", "-Werror", str(file))
    assert done.returncode != 0 and "wide.cpp:2" in done.stderr


@pytest.mark.parametrize("verb", [["format", "--check"], ["check"]], ids=["format", "check"])
def test_ruff_has_nothing_to_do(verb):
    done = told(program("ruff"), *verb, "--no-cache", "--output-format", "concise", "--quiet")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


@pytest.mark.parametrize(
    "verb, text",
    [
        (["format", "--check"], "x  = 1\n"),
        (["check"], f'"""A file."""\n# {"x" * 100}\n'),
        (["check"], '"""A file."""\nimport os\n'),
    ],
    ids=["format", "a line too wide", "an import for nothing"],
)
def test_ruff_sees_what_is_wrong(verb, text):
    given = ["--no-cache", "--stdin-filename", "bench/some.py", "-"]
    done = told(program("ruff"), *verb, *given, input=text)
    assert done.returncode == 1, done.stdout + done.stderr
