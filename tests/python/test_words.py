"""The pages keep to the style sheet of CONTRIBUTING.md as far as it can be counted: the length of
sentences and of pages, refused words, names of columns. Needs no build. tests/tree counts columns
of text."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LONGEST_SENTENCE = 25
LONGEST_PAGE = 1000
LONGEST_CELL = 80  # of the README, which is read on a narrow page
REFERENCE = {  # pages to look things up in, which may be longer
    "accuracy.md",
    "files.md",
    "paper.md",
    "performance.md",
    "performance_x86.md",
    "ranks_measured.md",
    "recipe.md",
    "reliability_machines.md",
    "reliability_probes.md",
}


def refused():
    """What not to write -> what to write, from the table of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.search(r"^\| do not write \| write \|\n\|.*\n((?:\|.*\n)+)", text, re.M)[1]
    found = {}
    for row in rows.splitlines():
        wrong, right = row.strip("| ").split(" | ")
        found.update(dict.fromkeys(wrong.split(", "), right))
    return found


def plain(text):
    """Without marks; code between ticks is one word."""
    text = re.sub(r"(`+).*?\1", "code", text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "")


def parts(page):
    """Paragraphs and items of lists, each as one line; and the tables, as lists of rows."""
    paragraphs, tables, row_before = [""], [], False
    for line in re.sub(r"^```.*?^```$", "", page, flags=re.S | re.M).splitlines():
        inside = line.strip()
        item = re.match(r"([-*]|\d+\.) +", inside)
        is_row = inside.startswith("|")
        if is_row:
            cells = re.split(r"(?<!\\)\|", inside)[1:-1]
            tables += [] if row_before else [[]]
            tables[-1].append([plain(cell).strip() for cell in cells])
        if item or is_row or not inside or inside[0] in "#<!" or line.startswith("    "):
            paragraphs.append("")
        if inside and not is_row and inside[0] not in "#<!" and not line.startswith("    "):
            paragraphs[-1] += " " + (inside[item.end() :] if item else inside)
        row_before = is_row
    return [plain(one).strip() for one in paragraphs if one], tables


def words(text):
    return [word for word in text.split() if re.search(r"\w", word)]


def faults(name, page):
    paragraphs, tables = parts(page)
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[^\s.][.?!]) +(?=[\"'(]*[A-Z0-9]|code)", paragraph):
            if len(words(sentence)) > LONGEST_SENTENCE:
                yield f"{len(words(sentence))} words: {sentence}"
    cells = [cell for table in tables for row in table for cell in row]
    for wrong, right in refused().items():
        for text in paragraphs + cells:
            if re.search(rf"(?<![\w-]){wrong}(?![\w-])", text, re.I):
                yield f"write '{right}' for '{wrong}': {text[:60]}"
    count = sum(len(words(text)) for text in paragraphs + cells)
    if count > LONGEST_PAGE and name not in REFERENCE:
        yield f"{count} words on a page"
    for table in tables:
        if "" in table[0]:
            yield f"a column without a name: {table[0]}"
    if name == "README.md":
        yield from (f"a long cell: {cell}" for cell in cells if len(cell) > LONGEST_CELL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_keeps_to_the_style_sheet(page):
    assert list(faults(page.name, page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.name)
def test_the_title_of_the_page_is_a_question(page):
    assert re.match(r"# .*\?\n", page.read_text(encoding="utf-8"))


def test_pages_that_may_be_longer_are_there_and_are_longer():
    for name in REFERENCE:
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert any("words on a page" in fault for fault in faults("", page)), name


def test_what_breaks_the_style_sheet_is_noticed():
    long = "word " * LONGEST_SENTENCE + "word.\n"
    for wrong, right in [
        (long, "26 words"),
        ("Fine.\n\n- Fine. W" + long[1:], "26 words"),
        ("This run is dear.\n", "'expensive'"),
        ("| a |\n| --- |\n| it goes on |\n", "'continue'"),
        ("Short.\n\n" * (LONGEST_PAGE + 1), "words on a page"),
        ("| a | |\n| --- | --- |\n", "without a name"),
        ("| a |\n| --- |\n| " + "x" * 81 + " |\n", "a long cell"),
    ]:
        (fault,) = faults("README.md", wrong)
        assert right in fault
    for fine in [
        "word " * 25 + ".\n",
        "Short. " * 30,
        "```\n" + long + "```\n",
        "    " + long,
        "| a |\n| --- |\n| " + long.strip() + " |\n",
        "Take `--go on, dear`.\n",
    ]:
        assert list(faults("docs/a.md", fine)) == []
    assert len(refused()) > 30 and len(PAGES) > 40
