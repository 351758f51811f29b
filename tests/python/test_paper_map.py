"""docs/paper.md is true: every file, type, test and command in it exists, and no item of the paper
is missing."""

import re
import subprocess

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
ROWS = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| item", "| ---"))
]
EQUATIONS = {
    "1": 1,
    "2": 15,
    "3": 19,
    "4": 2,
    "A": 2,
}  # how many numbered formulas each section has


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def is_path(word):
    return re.fullmatch(r"[\w./]+/[\w.]+\.(hpp|cpp|py|csv)", word) is not None


def is_test(word):
    return re.fullmatch(r"[A-Z]\w+\.[A-Z]\w+", word) is not None


def commands():
    return sorted({word for word in quoted(PAGE) if word.startswith("starling ")})


def test_names_only_files_that_exist():
    paths = {word for word in quoted(PAGE) if is_path(word)}
    assert len(paths) > 30
    assert [path for path in sorted(paths) if not (ROOT / path).is_file()] == []


def test_names_only_types_that_the_files_beside_them_have():
    missing = []
    for row in ROWS:
        words = quoted(row)
        text = "".join((ROOT / word).read_text(encoding="utf-8") for word in words if is_path(word))
        names = [word for word in words if re.fullmatch(r"\w+", word)]
        missing += [f"{name}: {row[:60]}" for name in names if not re.search(rf"\b{name}\b", text)]
    assert missing == []


def test_names_only_tests_that_exist():
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").glob("*/*.cpp"))
    known = {f"{suite}.{name}" for suite, name in re.findall(r"TEST\w*\((\w+), (\w+)\)", sources)}
    named = {word for word in quoted(PAGE) if is_test(word)}
    assert len(named) > 40
    assert sorted(named - known) == []


def test_names_every_numbered_item_of_the_paper():
    items = " ".join(row.split("|")[1] for row in ROWS)
    wanted = [f"({section}.{n})" for section, last in EQUATIONS.items() for n in range(1, last + 1)]
    wanted += [
        "Algorithm 1",
        "Algorithm 2",
        "Algorithm 3",
        "Lemma 1",
        "Theorem 1",
        "Remark 1",
        "Figure 1",
        "Figure 2",
        "Figure 3",
        "Table 1",
        "Table 2",
        "Table 3",
    ]
    assert [item for item in wanted if item not in items] == []


@pytest.mark.parametrize("command", commands())
def test_names_only_commands_that_the_binary_knows(binary, command):
    _, subcommand, *words = command.split()
    shown = subprocess.run(
        [str(binary), subcommand, "--help"], capture_output=True, text=True, timeout=600
    )
    assert f"Usage: starling {subcommand} " in shown.stdout, shown.stdout + shown.stderr
    for option in (word for word in words if word.startswith("--")):
        assert re.search(rf"{option}\b", shown.stdout), f"{option}: not in the help of {subcommand}"
    if subcommand == "sample":  # all that can be checked without a run is checked
        done = subprocess.run(
            [str(binary), *command.split()[1:], "--dump-config"],
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
    if subcommand == "reproduce" and words[0] != "--out":
        assert words[0] in (ROOT / "reproduce" / "list.cpp").read_text(encoding="utf-8")
