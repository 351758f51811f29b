"""The documentation site is made without a warning, and its pages lead to each other. Notebooks are run elsewhere."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def site(binary):
    if binary.parent != ROOT / "build" / "release" or sys.prefix != str(ROOT / "build" / "venv"):
        pytest.skip("the site is made of build/release by build/venv: scripts/test has both")
    settings = {**os.environ, "STARLING_BUILT": "yes", "STARLING_NOTEBOOKS": "off"}
    done = subprocess.run([str(ROOT / "scripts" / "docs")], capture_output=True, text=True, env=settings)
    assert done.returncode == 0, done.stdout + done.stderr  # a warning is an error there
    return ROOT / "build" / "site" / "html"


def test_every_page_is_there_and_leads_to_pages_that_are(site):
    pages = sorted(site.rglob("*.html"))
    for name in ("index", "README", "docs/method", "docs/which_tool", "docs/python_reference", "docs/cpp_reference", "docs/live/index", "search"):
        assert site / f"{name}.html" in pages
    wrong = []
    for page in pages:
        if page.parent.name == "live":
            continue
        for to in re.findall(r'href="([^"#:]+)(?:#[^"]*)?"', page.read_text()):
            if not (page.parent / to.split("?")[0]).exists():
                wrong.append(f"{page.relative_to(site)}: {to}")
    assert wrong == []


def test_the_references_are_made_from_the_sources(site):
    python = (site / "docs" / "python_reference.html").read_text()
    assert all(f'id="starling.{name}"' in python for name in ("sample", "Result", "from_jax", "load"))
    assert "Settings that are None have the defaults" in python
    cpp = (site / "docs" / "cpp_reference.html").read_text()
    assert "starling/kernel/gaussian.hpp" in cpp and "concept" in cpp
    assert '<iframe src="live/index.html"' in (site / "docs" / "method.html").read_text()
