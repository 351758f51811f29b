"""The documentation site is made without a warning, and its pages lead to each other. Notebooks are
run elsewhere."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT


def reader():
    spec = importlib.util.spec_from_file_location(
        "cpp_reference", ROOT / "docs" / "site" / "cpp_reference.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cpp_reference_has_all_that_headers_offer_and_nothing_else():
    made = reader()
    seen = 0
    for header in sorted((ROOT / "include").rglob("*.h*")):
        text, said = header.read_text(), "\n".join(made.offered(header))
        names = set(re.findall(r"^(?:class|struct|enum class) (\w+)[^;]*$", text, re.M)) | set(
            re.findall(r"^concept (\w+)", text, re.M)
        )
        assert [name for name in names if not re.search(rf"\b{name}\b", said)] == [], header
        code = re.sub(r"//.*", "", said)
        assert code.count("{") == code.count("}") and code.count("(") == code.count(")"), header
        assert not re.search(r"\w_;|\breturn\b|\bprivate\b|\bfor \(|\bif \(", code), (
            header
        )  # members of its own, bodies
        seen += len(names)
    assert seen > 150


def test_the_cpp_reference_reads_what_headers_are_made_of(tmp_path):
    header = tmp_path / "some.hpp"
    header.write_text(
        "// What it is.\n#pragma once\nnamespace a::detail {\nint hidden();\n}\nnamespace a {\n"
        "/// Two of them.\ntemplate <typename T = int>\n"
        "class Pair : public Both {\n  T first_{1};\npublic:\n"
        '  explicit Pair(T x) : first_{x}, second_(x) { grow(); }\n  /// Adds ";".\n'
        "  T sum() const { return first_ + second_; } // why\n"
        "  Pair& operator=(const Pair&) = delete;\n  int n = 2; ///< how many\n"
        "private:\n  T second_;\n};\n}\n"
    )
    assert reader().offered(header) == [
        "/// Two of them.",
        "template <typename T = int>",
        "class Pair : public Both {",
        "  explicit Pair(T x);",
        "",
        '  /// Adds ";".',
        "  T sum() const;",
        "  int n = 2;  ///< how many",
        "};",
    ]


@pytest.fixture(scope="module")
def site(binary):
    if binary.parent != ROOT / "build" / "release" or sys.prefix != str(ROOT / "build" / "venv"):
        pytest.skip("the site is made of build/release by build/venv: scripts/test has both")
    settings = {**os.environ, "STARLING_BUILT": "yes", "STARLING_NOTEBOOKS": "off"}
    done = subprocess.run(
        [str(ROOT / "scripts" / "docs")], capture_output=True, text=True, env=settings
    )
    assert done.returncode == 0, done.stdout + done.stderr  # a warning is an error there
    return ROOT / "build" / "site" / "html"


def test_every_page_is_there_and_leads_to_pages_that_are(site):
    pages = sorted(site.rglob("*.html"))
    for name in (
        "index",
        "README",
        "docs/method",
        "docs/which_tool",
        "docs/python_reference",
        "docs/cpp_reference",
        "docs/live/index",
        "search",
    ):
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
    assert all(
        f'id="starling.{name}"' in python for name in ("sample", "Result", "from_jax", "load")
    )
    assert "Settings that are None have the defaults" in python
    assert "cpp/kernel.html" in (site / "docs" / "cpp_reference.html").read_text()
    assert "starling/kernel/gaussian.hpp" in (site / "docs" / "cpp" / "kernel.html").read_text()
    assert "concept" in (site / "docs" / "cpp" / "starling.html").read_text()
    assert '<iframe src="live/index.html"' in (site / "docs" / "method.html").read_text()


def test_a_search_from_files_finds_pages_with_excerpts_and_asks_nobody(site, browser):
    page = browser.new_page()
    heard, asked = [], []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("requestfailed", lambda request: asked.append(request.url))
    page.goto((site / "search.html").as_uri() + "?q=funnel")
    page.wait_for_selector("#search-results li p.context")
    page.wait_for_function("document.querySelectorAll('#search-results li').length > 3")
    excerpts = page.locator("#search-results li p.context").all_inner_texts()
    assert sum("funnel" in text.lower() for text in excerpts) > 3
    assert all(len(text) < 300 for text in excerpts)
    assert heard == [] and asked == []
    page.close()
