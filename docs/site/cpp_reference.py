"""The C++ reference: what each header offers, read from the header itself; bodies and private parts
are left out."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*|"""
    r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|\w+|\s+|::|->|.""",
    re.S | re.M,
)
TYPE = re.compile(r"^(?:requires .*)?(?:class|struct|union)\s+(?:\w+\s+)?\w", re.S)
LEFT_OUT = re.compile(
    r"^(?:static_assert|friend|template class|template struct|extern template|using "
    r"namespace)\b|=\s*delete$"
)


def dedented(text: str) -> str:
    """The first line as it is, later ones moved so that the least of them hangs four blanks in; not
    under `template <...>`."""
    first, *rest = text.strip().split("\n")
    least = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    hang = "" if re.match(r"template\s*<.*>$", first) else "    "
    return "\n".join(
        [first.strip(), *(hang + line[least:].rstrip() for line in rest if line.strip())]
    )


def outside_of_brackets(text: str) -> str:
    """Without what stands in round, square or curly brackets."""
    kept, depth = "", 0
    for c in text:
        depth += c in "([{"
        if depth == 0:
            kept += c
        depth -= c in ")]}"
    return kept


def without_template(text: str) -> str:
    """Without `template <...>` before it."""
    if not text.startswith("template"):
        return text
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "<") - (c == ">" and text[at - 1] != "-")
        if c == ">" and depth == 0:
            return text[at + 1 :].strip()
    return text


def signature(text: str) -> str:
    """Of a function's beginning: without the list by which a constructor begins its members."""
    depth = 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if (
            c == ":"
            and depth == 0
            and ":" not in (text[at - 1], text[at + 1 : at + 2])
            and ")" in text[:at]
        ):
            return text[:at].rstrip()
    return text


class Reader:
    """Walks over the tokens of a header once; `lines` is what it offers."""

    def __init__(self, text: str, any_comment: bool = False):
        self.tokens, self.at, self.lines = TOKEN.findall(text), 0, []
        self.doc_mark = "//" if any_comment else "///"

    def emit(self, docs: list[str], text: str, indent: str) -> None:
        if len(self.lines) and docs:
            self.lines.append("")
        self.lines += [indent + doc for doc in docs] + [
            indent + line for line in dedented(text).split("\n")
        ]

    def balanced(self) -> str:
        """What stands from the opening bracket here to its end."""
        text, depth = "", 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.startswith(("//", "/*")):
                continue
            text += token
            depth += (token == "{") - (token == "}")
            if depth == 0:
                break
        return text

    def scope(self, shown: bool = True, indent: str = "") -> None:
        """Up to the bracket that closes this scope. What is not shown is read all the same."""
        docs, said, round_ = [], "", 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.startswith("//"):
                self.at += 1
                if token.startswith("///<"):
                    if self.lines and shown and not said.strip():
                        self.lines[-1] += "  " + token
                elif not said.strip() and token.startswith(self.doc_mark):
                    docs.append(token)
                continue
            if token.startswith("/*") or token.lstrip().startswith("#"):
                self.at += 1
                continue
            if token.isspace() and not said:
                docs = (
                    [] if token.count("\n") > 1 else docs
                )  # a comment that stands alone is about no declaration
                self.at += 1
                continue
            round_ += (token in "([") - (token in ")]") if len(token) == 1 else 0
            if token == "{" and round_ == 0:
                said = self.opened(docs if shown else [], said, shown, indent)
                docs = docs if said else []
                continue
            self.at += 1
            if token == "}" and round_ == 0:
                return
            if token == ":" and said.strip() in ("public", "private", "protected"):
                shown, said, docs = said.strip() == "public", "", []
            elif token == ";" and round_ == 0:
                if shown and said.strip() and not LEFT_OUT.search(said.strip()):
                    self.emit(docs, said + ";", indent)
                docs, said = [], ""
            else:
                said += token

    def opened(self, docs: list[str], said: str, shown: bool, indent: str) -> str:
        """At an opening bracket after these words; what of the declaration is still to be read."""
        words = said.strip()
        if words.startswith(("namespace", 'extern "C"', "inline namespace")):
            self.at += 1
            self.scope(shown and not re.fullmatch(r"namespace(?: [\w:]*detail)?", words), indent)
            return ""
        if (
            TYPE.search(without_template(words))
            and "(" not in outside_of_brackets(words).split("requires")[0]
            and not words.endswith("=")
        ):
            if shown:
                self.emit(docs, words + " {", indent)
            self.at += 1
            self.scope(
                shown
                and not re.search(
                    r"\bclass\s+\w+(?:\s*final)?(?:\s*:.*)?$", without_template(words)
                ),
                indent + "  ",
            )
            if shown:
                self.lines.append(indent + "};")
            while self.at < len(self.tokens) and self.tokens[self.at] != ";":
                self.at += 1
            self.at += 1
            return ""
        plain = outside_of_brackets(
            re.sub(r"operator\s*[=<>!+*/-]+", "operator", without_template(words))
        )
        in_the_list = (
            signature(words) != words
            and re.search(r"[\w>]$", words)
            and not words.endswith(("const", "noexcept"))
        )
        if (
            words.startswith("enum")
            or "=" in plain
            or "concept" in words
            or "(" not in words
            or in_the_list
        ):
            return said + self.balanced()
        if shown and not words.startswith("friend"):
            self.emit(docs, signature(words) + ";", indent)
        self.balanced()
        return ""


def offered(header: Path) -> list[str]:
    text = header.read_text()
    reader = Reader(re.sub(r"\A(?://[^\n]*\n)+", "", text), any_comment=header.suffix == ".h")
    reader.scope()
    return reader.lines


def lead(header: Path) -> str:
    """The comment at the top, as plain text."""
    text = " ".join(
        line.removeprefix("//").strip()
        for line in re.match(r"(?://[^\n]*\n)+", header.read_text())[0].splitlines()
    )
    return re.sub(r"([<*_|\[\]`\\])", r"\\\1", text)


def page(folder: Path) -> str:
    name = folder.relative_to(INCLUDE).as_posix()
    lines = [f"# {name}", ""]
    for header in sorted(folder.glob("*.h*")):
        lines += [f"## {header.relative_to(INCLUDE).as_posix()}", "", lead(header), ""]
        if said := offered(header):
            lines += ["```cpp", *said, "```", ""]
    return "\n".join(lines)


def write(to: Path) -> str:
    """A page for each folder of headers, in `to`/cpp; the page that leads to them."""
    top = INCLUDE / "starling"
    folders = [top, *sorted(path for path in top.iterdir() if path.is_dir())]
    (to / "cpp").mkdir()
    for folder in folders:
        (to / "cpp" / f"{folder.name}.md").write_text(page(folder))
    lines = [
        "# C++ reference",
        "",
        "Every header of the library and what it offers, made from the sources: bodies and private "
        "parts are left out.",
        "A first program is in the [README](../README.md), a run with looks and a verdict in "
        "[cpp.md](cpp.md). The roles and their contracts are the concepts of",
        "[starling/concepts.hpp](cpp/starling.md#starling-concepts-hpp).",
        "",
        "```{toctree}",
        ":maxdepth: 2",
        "",
        *(f"cpp/{folder.name}" for folder in folders),
        "```",
        "",
    ]
    return "\n".join(lines)
