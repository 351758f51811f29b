"""The page made again is the same; bad results are named in one line, and the others are drawn all
the same."""

import json
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def two(results, quick_run, tmp_path):
    """A folder with two small results of the quick run."""
    for name in ("lemma", "theorem"):
        shutil.copy(quick_run / f"{name}.json", tmp_path)
    return tmp_path


def test_comes_out_the_same_each_time(draw, two):
    made = []
    for _ in range(2):
        assert draw(two).returncode == 0
        made.append({file.name: file.read_bytes() for file in two.iterdir()})
    assert made[0] == made[1]
    assert {"report.html", "lemma.svg", "lemma.png", "theorem.svg", "theorem.png"} <= set(made[0])


def test_lists_what_was_not_run_with_its_command(draw, two):
    draw(two)
    page = (two / "report.html").read_text()
    assert "7 of 9 experiments not run" in page
    assert page.count("· not run</p>") == 7
    assert "<span>reproduce</span> <span>mixture-error</span>" in page


def test_names_a_result_that_is_cut_off_and_draws_the_other(draw, two):
    text = (two / "theorem.json").read_text()
    (two / "theorem.json").write_text(text[: len(text) // 2])
    done = draw(two)
    assert done.returncode == 65
    assert done.stderr.count("\n") == 1 and "theorem.json: must be JSON; got" in done.stderr
    assert (two / "lemma.png").is_file() and not (two / "theorem.png").exists()
    assert "its file could not be read" in (two / "report.html").read_text()


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("name", "lemmas", "name: must be one of"),
        ("name", "lemma", "name: must be that of the file; got lemma"),
        ("title", None, "title: must be text; got None"),
        ("seconds", "long", "seconds: must be a number; got 'long'"),
        ("claims", None, "claims: must be a list; got None"),
        (
            "claims",
            [{"says": "x", "where": "", "measured": "", "because": "", "verdict": "maybe"}],
            "got maybe",
        ),
        ("data", [], "data: must be an object; got list"),
        ("data", {"eta": [0.1]}, "data: must be what theorem is drawn from; got KeyError"),
    ],
)
def test_names_what_is_wrong_in_a_result(draw, two, key, value, fault):
    result = json.loads((two / "theorem.json").read_text())
    result[key] = value
    (two / "theorem.json").write_text(json.dumps(result))
    done = draw(two)
    assert done.returncode == 65
    assert done.stderr.count("\n") == 1 and "theorem.json: " in done.stderr and fault in done.stderr
    assert (two / "lemma.svg").is_file() and (two / "report.html").is_file()


def test_wants_a_folder_with_results(draw, tmp_path):
    for folder, fault in ((tmp_path, "no NAME.json in it"), (tmp_path / "absent", "no folder")):
        done = draw(folder)
        assert done.returncode == 66
        assert done.stderr.count("\n") == 1 and str(folder) in done.stderr and fault in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_does_not_let_text_of_a_result_become_markup(draw, two):
    result = json.loads((two / "theorem.json").read_text())
    result["title"] = '<script>alert("x")</script>'
    (two / "theorem.json").write_text(json.dumps(result))
    assert draw(two).returncode == 0
    assert "<script" not in (two / "report.html").read_text()


def test_python_files_of_the_working_folder_are_not_run(binary, tmp_path):
    """`starling reproduce` draws with matplotlib and numpy, not with files of these names that lie
    about."""
    for name in ("matplotlib", "numpy"):
        (tmp_path / f"{name}.py").write_text(
            f"open('{tmp_path}/{name}-ran', 'w')\nraise SystemExit(3)\n"
        )
    done = subprocess.run(
        [str(binary), "reproduce", "lemma", "--quick", "--out", "out", "--python", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("*-ran"))
    assert (tmp_path / "out" / "report.html").is_file(), done.stderr
