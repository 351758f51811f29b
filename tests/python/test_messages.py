"""What users see of the sources keeps to the style sheet of CONTRIBUTING.md as far as it can be
counted: errors, warnings, verdicts, help and pages of results. Needs no build."""

import ast
import re

import pytest
from test_words import LONGEST_SENTENCE, ROOT, refused, words

FOLDERS = ("src", "include", "tools", "python")
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".cpp", ".hpp", ".cu", ".py")
)
LITERAL = r'"(?:\\.|[^"\\\n])*"'
# Comments, letters and scripts in raw strings are passed over; neighbours are one text.
IN_CPP = re.compile(
    rf"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])+'|R"(\w*)\(.*?\)\1"|({LITERAL}(?:\s*{LITERAL})*)""",
    re.S,
)
# What is written in place of `no`, where a thing is another: "is not a command".
NOT_A = r"is no (?:option|command|key|setting|checkpoint|folder|page|number|regular file)\b"


def texts_of_cpp(source):
    for found in IN_CPP.finditer(re.sub(r"^ *#include.*", "", source, flags=re.M)):
        if found[2]:
            yield "".join(one[1:-1] for one in re.findall(LITERAL, found[2]))


def texts_of_python(source):
    """Texts, in f-strings with {} for what is put in; the words of help() are among them."""
    inside = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in node.values)
            yield "".join(part.value if is_text(part) else "{}" for part in node.values)
        elif is_text(node) and id(node) not in inside:
            yield node.value


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def messages(path):
    """Texts of at least three words, as one line each; code between ticks is one word."""
    source = path.read_text(encoding="utf-8")
    for text in texts_of_python(source) if path.suffix == ".py" else texts_of_cpp(source):
        for paragraph in re.split(r"\n\s*\n|\n\s+(?=\w[\w, ]*:)", text.replace("\\n", "\n")):
            plain = re.sub(r"`[^`]*`|\{[^{}]*\}|<[^<>]*>", "{}", " ".join(paragraph.split()))
            if len(re.findall(r"[A-Za-z]{2,}", plain)) > 2 and " " in plain:
                yield plain


def faults(text):
    # An error is one line, so a colon or a semicolon ends a sentence too.
    for sentence in re.split(r"(?<=[\w)}'\"])[.;:?!]\"? ", text):
        if len(words(sentence)) > LONGEST_SENTENCE:
            yield f"{len(words(sentence))} words: {sentence}"
    for wrong, right in refused().items():
        if re.search(rf"(?<![\w-]){wrong}(?![\w-])", text, re.I):
            yield f"write '{right}' for '{wrong}': {text}"
    if re.search(NOT_A, text):
        yield f"write 'is not a ...': {text}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_users_see_keeps_to_the_style_sheet(path):
    assert [fault for text in messages(path) for fault in faults(text)] == []


def test_messages_are_found_and_what_breaks_the_style_sheet_is_noticed(tmp_path):
    file = tmp_path / "a.cpp"
    file.write_text('#include "a b c"\n// "of a comment"\nf("go on with "\n  "{:.2f} of\\nit");')
    assert list(messages(file)) == ["go on with {} of it"]
    file = tmp_path / "a.py"
    file.write_text('"""Words of a help text."""\nraise ValueError(f"this is {a} dear " "text")\n')
    assert sorted(messages(file)) == ["Words of a help text.", "this is {} dear text"]
    long = " ".join(["word"] * LONGEST_SENTENCE)
    for wrong, right in [
        ("fine: " + long + " word", "26 words"),
        ("take this card", "'GPU'"),
        ("x: is no option of sample", "is not a"),
    ]:
        (fault,) = faults(wrong)
        assert right in fault
    assert list(faults(long + "; " + long + ": do not go: one")) == []
    seen = [text for path in SOURCES for text in messages(path)]
    assert len(seen) > 1000
    for part in ("HMC moves of {} left all means", "The particles can be used as draws."):
        assert any(part in text for text in seen), part
