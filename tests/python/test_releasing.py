"""What a release needs beside the programs: one version, recipes of packages, templates, a public
test on both architectures. Needs no build."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text().strip()


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_has_the_version():
    assert f"\nversion: {VERSION}\n" in text("CITATION.cff")


def test_the_public_test_is_the_command_of_the_readme_on_both_architectures():
    steps = text(".github/workflows/test.yml")
    assert "machine: [ubuntu-24.04, ubuntu-24.04-arm]" in steps
    assert re.findall(r"^ +- run: (scripts/\w+)$", steps, re.M) == ["scripts/test"]


def test_templates_ask_for_what_repeats_a_run():
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    assert sorted(file.name for file in folder.iterdir()) == [
        "bug.md",
        "idea.md",
        "wrong_result.md",
    ]
    for file in folder.iterdir():
        assert re.match(r"---\nname: .+\nabout: .+\n---\n", file.read_text())
    for name in ("bug.md", "wrong_result.md"):
        assert "`starling info`" in (folder / name).read_text()
    assert "scripts/test" in text(".github/pull_request_template.md")


def test_the_recipe_for_conda_needs_what_the_package_needs():
    project = tomllib.loads(text("pyproject.toml"))
    recipe = re.sub(r"(?m)^ +- ([\w-]+) (>=.*)$", r"\1\2", text("package/conda/meta.yaml"))
    host, run = re.search(r"^  host:\n(.*?)^  run:\n(.*?)\n\n", recipe, re.S | re.M).groups()
    assert [one for one in project["build-system"]["requires"] if one not in host] == []
    assert [one for one in project["project"]["dependencies"] if one not in run] == []


def test_the_wheel_has_the_extras_of_the_project():
    spec = importlib.util.spec_from_file_location("wheel", ROOT / "package" / "wheel.py")
    wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheel)
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert wheel.project()["extras"] == project["optional-dependencies"]


def test_the_sdist_has_every_file_of_the_tree_and_nothing_that_was_built(tmp_path):
    if not importlib.util.find_spec("scikit_build_core") or not (ROOT / ".git").exists():
        pytest.skip("scikit-build-core: is not here, or the tree is not a clone")
    make = f"import scikit_build_core.build as it; it.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", make], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(tmp_path / f"starling_svgd-{VERSION}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    assert set(kept.stdout.decode().strip("\0").split("\0")) - names == set()
    assert [name for name in names if name.startswith(("build/", "out/", ".git/"))] == []


def test_the_debian_source_package_is_made_and_lintian_accepts_it(tmp_path):
    if not shutil.which("dpkg-source") or not (ROOT / ".git").exists():
        pytest.skip("dpkg-source: is Debian's, and the sources come from git")
    done = subprocess.run(
        [str(ROOT / "package" / "debian_source"), str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    made = tmp_path / f"starling_{VERSION}-1.dsc"
    assert Path(done.stdout.strip()) == made and f"Version: {VERSION}-1\n" in made.read_text()
    if shutil.which("lintian"):
        looked = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", str(made)],
            capture_output=True,
            text=True,
        )
        assert looked.returncode == 0, looked.stdout + looked.stderr
