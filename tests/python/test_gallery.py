"""The gallery: every example has its picture, names files that exist, and the quick ones run."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
gallery = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gallery)


def test_every_section_is_an_example_with_its_picture():
    examples = gallery.examples()
    assert len(examples) == len(re.findall("^## ", gallery.PAGE.read_text(), re.M)) == 10
    pictures = {file.stem for file in (ROOT / "docs" / "gallery").glob("*.svg")}
    assert pictures == set(examples)
    for name, (_, code) in examples.items():
        assert f"docs/gallery/{name}.svg" in code
        for file in re.findall(r"examples/[\w/]+\.\w+", code):
            assert (ROOT / file).is_file(), file
    assert sum(file.stat().st_size for file in (ROOT / "docs" / "gallery").iterdir()) < 600_000


@pytest.mark.parametrize("name", ["banana", "modes", "exam"])
def test_quick_examples_run(tmp_path, name):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "docs" / "gallery").mkdir(parents=True)
    gallery.run(name, tmp_path)
    assert "<svg" in (tmp_path / "docs" / "gallery" / f"{name}.svg").read_text()
