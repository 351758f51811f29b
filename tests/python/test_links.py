"""Every link between pages leads to a file and a heading that are there; every file that they name
is there, and every command in them is one that the program takes."""

import re
import shlex
import subprocess

import pytest
from conftest import ROOT

VENVS = [file.parent for file in ROOT.glob("*/pyvenv.cfg")]
PAGES = sorted(
    file
    for file in ROOT.rglob("*.md")
    if not {"build", ".git", "out"} & set(file.relative_to(ROOT).parts)
    and not any(venv in file.parents for venv in VENVS)
)


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def links(page):
    for to in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", to) and re.search(r"[./#]", to):
            yield to


def anchors(page):
    """As GitHub and MyST make them: small letters, no signs, hyphens for blanks."""
    heads = re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), re.M)
    return {
        re.sub(
            r" ",
            "-",
            re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower()),
        )
        for head in heads
    }


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
    """What is given to the program in lines of code and between ticks, continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", text)
    found = re.findall(r"^ {4,}(?:\S*scripts/run|\S*bin/starling|starling) (.*)$", joined, re.M)
    found += re.findall(r"(?<!`)`(?:scripts/run|starling) ([^`]*)`", joined)
    for words in found:
        yield shlex.split(
            re.split(r"\s(?:[|;#>]|&&)", " ".join(words.split()).replace("\\|", "|") + " ")[0],
            comments=True,
        )


def test_commands_are_found_where_they_stand():
    page = (
        "Do `starling info` now:\n\n    starling sample normal --batsh 3 \\\n"
        "        --means '1;2' | less   # so\n    scripts/run demo\n\nstarlings fly\n"
    )
    assert sorted(commands(page)) == [
        ["demo"],
        ["info"],
        ["sample", "normal", "--batsh", "3", "--means", "1;2"],
    ]


def is_to_be_filled_in(word):
    return bool(re.search(r"\b[A-Z]+\b|\.\.\.|^[a-z]$|[\[|]", word)) and not word.endswith(
        (".csv", ".stan")
    )


def test_commands_in_the_pages_have_options_that_exist(binary):
    script = subprocess.run(
        [binary, "completion", "fish"], capture_output=True, text=True, check=True
    ).stdout
    known = {}
    for command, option in re.findall(
        r"__fish_seen_subcommand_from ([a-z]+)' -l ([a-z-]+)", script
    ):
        known.setdefault(command, set()).add("--" + option)
    seen = 0
    for page in PAGES:
        for words in commands(page.read_text(encoding="utf-8")):
            words = words[2:] if words[:1] == ["--simd"] else words
            if (
                not words
                or words[0] in ("...", "--help", "--version", "--simd")
                or is_to_be_filled_in(words[0])
            ):
                continue
            if words == ["checkpoint", "1"]:  # how such a file begins
                continue
            assert words[0] in known, f"{page.name}: starling {' '.join(words)}"
            options = [
                re.split("[=|]", word.strip("[]"))[0]
                for word in words[1:]
                if word.strip("[").startswith("--") and word != "--"
            ]
            assert words[0] == "explain" or set(options) <= known[words[0]], (
                f"{page.name}: starling {' '.join(words)}"
            )
            seen += 1
    assert seen > 80


def test_runs_in_the_pages_have_settings_that_are_taken(binary):
    """Told to print its settings instead of running, the program takes every one of them; but for
    those to be filled in."""
    seen = 0
    for page in PAGES:
        for words in commands(page.read_text(encoding="utf-8")):
            if (
                "sample" not in words[:3]
                or len(words) < 2
                or "--resume" in words
                or any(map(is_to_be_filled_in, words))
            ):
                continue
            done = subprocess.run(
                [binary, *words, "--dump-config"], capture_output=True, text=True, cwd=ROOT
            )
            assert done.returncode == 0, f"{page.name}: starling {' '.join(words)}\n{done.stderr}"
            seen += 1
    assert seen > 40


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_are_there(page):
    folders = "scripts|bench|examples|tests|src|include|reproduce|docs|live|package|cmake|tools"
    named = set(
        re.findall(rf"(?<![\w/.<-])((?:{folders})/[\w./-]*\w)", page.read_text(encoding="utf-8"))
    )
    made = {"examples/stan/logistic_model.so"}  # by the command above the line that names it
    gone = [
        name
        for name in named - made
        if not re.search(r"\bNAME\b", name)
        and not (ROOT / name).exists()
        and not (page.parent / name).exists()
    ]
    assert gone == []
