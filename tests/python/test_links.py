"""Every link between pages leads to a file and a heading that are there; every command in them has options that exist."""

import re
import subprocess

import pytest
from conftest import ROOT

VENVS = [file.parent for file in ROOT.glob("*/pyvenv.cfg")]
PAGES = sorted(file for file in ROOT.rglob("*.md") if not {"build", ".git", "out"} & set(file.relative_to(ROOT).parts)
               and not any(venv in file.parents for venv in VENVS))


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def links(page):
    for to in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", to) and re.search(r"[./#]", to):
            yield to


def anchors(page):
    """As GitHub and MyST make them: small letters, no signs, hyphens for blanks."""
    heads = re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), re.M)
    return {re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower())) for head in heads}


def wrong_links(page):
    for to in links(page):
        path, _, anchor = to.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{to}: no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{to}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    assert list(wrong_links(page)) == []


def test_a_wrong_link_would_be_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](#there) [c](gone.md) f[x](q)\n")
    assert list(wrong_links(page)) == ["#there: no such heading", "gone.md: no such file"]
    assert len(PAGES) > 20


def commands(text):
    """Lines of code that call the program, continued lines joined."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        found = re.match(r"^ {4,}(?:scripts/run|starling) ((?:--simd \w+ )?[a-z]+)\b([^|;#]*)", line)
        if found:
            yield found[1].split()[-1], re.findall(r"(?<=\s)(--[a-z][a-z-]*)", found[2])


def test_commands_in_the_pages_have_options_that_exist(binary):
    script = subprocess.run([binary, "completion", "fish"], capture_output=True, text=True, check=True).stdout
    known = {}
    for command, option in re.findall(r"__fish_seen_subcommand_from ([a-z]+)' -l ([a-z-]+)", script):
        known.setdefault(command, set()).add("--" + option)
    seen = 0
    for page in PAGES:
        for command, options in commands(page.read_text(encoding="utf-8")):
            assert command in known, f"{page.name}: starling {command}"
            assert [option for option in options if option not in known[command]] == [], f"{page.name}: starling {command}"
            seen += 1
    assert seen > 40
