"""python -m starling report: what it writes, what it refuses, and what it says of folders that it
cannot read."""

import json
import shutil
import subprocess
import sys

import pytest
import starling
from starling import report
from starling.__main__ import main


@pytest.fixture(scope="module")
def result():
    return starling.sample(
        "normal", dim=2, particles=200, steps=100, seed=1, batch=20, progress=False
    )


@pytest.fixture
def single(result, tmp_path):
    """The folder of one run that converged, without a page."""
    result.save(tmp_path / "one")
    return tmp_path / "one"


@pytest.fixture
def blank(monkeypatch):
    """Pages with nothing on them, where only their writing matters."""
    monkeypatch.setattr(report, "page", lambda run: f"{report.OURS}{run.name}")


def test_the_page_comes_out_the_same_and_gives_the_command_that_repeats_the_run(single, capsys):
    made = []
    for _ in range(2):
        assert main(["report", str(single)]) == 0
        made.append((single / "report.html").read_bytes())
    assert made[0] == made[1]
    assert capsys.readouterr().out.splitlines() == [str(single / "report.html")] * 2
    text = made[0].decode()
    assert "<span>--config</span> <span>one/config.toml</span>" in text and "Converged" in text
    assert "≠</span>" not in text  # nothing is off
    assert sorted(file.name for file in single.glob("*report*")) == ["report.html"]


def test_does_without_draws_and_without_a_trace(single):
    for file in [*single.glob("draws*"), single / "trace.csv", single / "config.toml"]:
        file.unlink()
    assert main(["report", str(single)]) == 0
    text = (single / "report.html").read_text()
    assert (
        "There are no draws" in text
        and "There is no trace" in text
        and "The folder has no config.toml" in text
    )


def test_draws_a_run_that_diverged(tmp_path):
    settings = dict(
        dim=2, particles=50, steps=50, advance="constant", step_size=500.0, seed=1, progress=False
    )
    starling.sample("normal", **settings).save(tmp_path / "out")
    assert main(["report", str(tmp_path / "out")]) == 0
    assert "Diverged" in (tmp_path / "out" / "report.html").read_text()


def test_replaces_a_page_of_its_own_with_force_and_no_other_file(blank, single, tmp_path, capsys):
    mine = tmp_path / "mine.html"
    mine.write_text("a letter")
    for force in ([], ["--force"]):
        assert main(["report", str(single), "--out", str(mine), *force]) == 73
        assert (
            capsys.readouterr().err
            == f"starling: {mine}: exists and is not a page of starling; choose another file\n"
        )
        assert mine.read_text() == "a letter"
    page = tmp_path / "page.html"
    assert main(["report", str(single), "--out", str(page)]) == 0
    assert main(["report", str(single), "--out", str(page)]) == 73
    assert capsys.readouterr().err == f"starling: {page}: exists; --force replaces it\n"
    assert main(["report", str(single), "--out", str(page), "--force"]) == 0
    assert main(["report", str(single)]) == 0 and main(["report", str(single)]) == 0


def test_writes_the_page_whole_or_not_at_all(blank, single, tmp_path, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    out = tmp_path / "page.html"
    assert main(["report", str(single), "--out", str(out)]) == 0
    before = out.read_bytes()
    monkeypatch.setattr(report.os, "fsync", full)
    assert main(["report", str(single), "--out", str(out), "--force"]) == 73
    assert (
        capsys.readouterr().err == f"starling: {out}: cannot be written: No space left on device\n"
    )
    assert out.read_bytes() == before and sorted(tmp_path.iterdir()) == sorted([out, single])


def spoil(file, **changes):
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    ("break_it", "code", "fault"),
    [
        (lambda d: (d / "summary.json").write_text("{"), 65, "summary.json: must be JSON; got "),
        (
            lambda d: (d / "summary.json").write_text("[]"),
            65,
            "summary.json: must be a JSON object; got list",
        ),
        (
            lambda d: spoil(d / "summary.json", seed="x"),
            65,
            "summary.json: seed: must be a number; got 'x'",
        ),
        (
            lambda d: spoil(d / "summary.json", verdict=None),
            65,
            "summary.json: verdict: must be text; got None",
        ),
        (
            lambda d: spoil(d / "summary.json", parameters=[1]),
            65,
            "parameters: must be a list of objects with name",
        ),
        (
            lambda d: spoil(d / "summary.json", step_size=[]),
            65,
            "step_size: must be a number or null; got []",
        ),
        (
            lambda d: (d / "trace.csv").write_text("step\n1\n"),
            65,
            "trace.csv: must have the column drift",
        ),
        (lambda d: (d / "draws.npz").write_bytes(b"PK"), 65, "draws.npz"),
        (
            lambda d: (d / "summary.json").unlink(),
            66,
            "got no summary.json and no experiment in it",
        ),
        (shutil.rmtree, 66, "must be a folder of results; got no folder"),
    ],
)
def test_names_what_is_wrong_in_one_line_and_writes_nothing(single, capsys, break_it, code, fault):
    break_it(single)
    assert main(["report", str(single)]) == code
    said = capsys.readouterr().err
    assert (
        said.count("\n") == 1
        and said.startswith("starling: ")
        and str(single) in said
        and fault in said
    )
    assert not (single / "report.html").exists()


def test_makes_the_page_of_experiments_too(binary, tmp_path, monkeypatch, capfd):
    done = subprocess.run(
        [
            str(binary),
            "reproduce",
            "lemma",
            "--quick",
            "--out",
            str(tmp_path / "out"),
            "--python",
            sys.executable,
        ],
        capture_output=True,
    )
    assert done.returncode == 0
    (tmp_path / "out" / "report.html").unlink()
    assert main(["report", str(tmp_path / "out"), "--out", str(tmp_path / "copy.html")]) == 0
    assert "Lemma 1" in (tmp_path / "out" / "report.html").read_text()
    assert (tmp_path / "copy.html").read_bytes() == (tmp_path / "out" / "report.html").read_bytes()
    capfd.readouterr()
    monkeypatch.setattr(
        report, "__file__", str(tmp_path / "a" / "b" / "report.py")
    )  # installed without it
    monkeypatch.setenv("PATH", "")
    assert main(["report", str(tmp_path / "out")]) == 66
    assert capfd.readouterr().err.startswith("starling: reproduce/page: is not installed")


def test_is_a_program(single):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "starling", *arguments], capture_output=True, text=True
        )

    done = run()
    assert "report" in done.stdout and done.returncode == 0
    done = run("report", str(single))
    assert (
        done.returncode == 0 and done.stdout == f"{single / 'report.html'}\n" and done.stderr == ""
    )
    bad = run("report")
    assert bad.returncode == 64 and bad.stderr.count("\n") == 1 and "DIR" in bad.stderr


def test_says_its_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out == f"starling {starling.__version__}\n"
