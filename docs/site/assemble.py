"""Lays out what Sphinx reads: the pages as they are in the tree, a reference from the sources.
python3 assemble.py TO"""

import re
import shutil
import sys
from pathlib import Path

import cpp_reference

ROOT = Path(__file__).resolve().parents[2]
TOP = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "RELEASING.md",
    "SECURITY.md",
]
CHAPTERS = {
    "Begin": [
        "README",
        "docs/install",
        "docs/quick_start",
        "docs/method",
        "docs/examples",
        "docs/gallery",
        "docs/which_tool",
    ],
    "Your own density": [
        "docs/stan",
        "docs/tables",
        "docs/python",
        "docs/python_targets",
        "docs/many_rows",
        "docs/networks",
        "docs/networks_figures",
        "docs/python_results",
        "docs/python_advanced",
        "docs/python_beside",
        "docs/own_target",
        "docs/cpp",
        "docs/notebooks",
    ],
    "Judge a result": [
        "docs/diagnostics",
        "docs/figures",
        "docs/certificate",
        "docs/mode_search",
        "docs/evidence",
        "docs/evidence_measured",
        "docs/limits",
        "docs/verdict_tests",
    ],
    "Accuracy": [
        "docs/accuracy",
        "docs/accuracy_nuts",
        "docs/accuracy_rows",
        "docs/accuracy_modes",
        "docs/recipe",
        "docs/experiments",
    ],
    "Look up": [
        "docs/guide",
        "docs/targets",
        "docs/options_auto",
        "docs/options_paper",
        "docs/long_runs",
        "docs/files",
        "docs/words",
        "docs/notation",
        "docs/python_reference",
        "docs/cpp_reference",
    ],
    "Speed": [
        "docs/performance",
        "docs/performance_x86",
        "docs/performance_threads",
        "docs/performance_jax",
        "docs/performance_notes",
        "docs/peers",
        "docs/gpu",
        "docs/gpu_runs",
        "docs/gpu_figures",
        "docs/many_machines",
        "docs/ranks_measured",
    ],
    "The paper": ["docs/paper", "docs/choosing", "docs/stan_paper"],
    "How it is built": [
        "ARCHITECTURE",
        "CONTRIBUTING",
        "docs/reliability",
        "docs/reliability_machines",
        "docs/reliability_probes",
        "RELEASING",
        "SECURITY",
        "CHANGELOG",
    ],
}


def linked(text: str, page: Path, pages: set[Path]) -> str:
    """Links to pages stay; one to the live page becomes a plain one; those to other files of the
    tree become names."""

    def target(match: re.Match) -> str:
        words, to = match[1], match[2]
        if re.match(r"[a-z]+:|#", to) or not (
            re.search(r"[./]", to) or (page.parent / to).exists()
        ):  # elsewhere, here, or a formula
            return match[0]
        path, _, anchor = to.partition("#")
        file = (page.parent / path).resolve()
        if not file.exists():
            sys.exit(f"{page.relative_to(ROOT)}: links to {to}, which is not there")
        if file.suffix == ".html":
            return f'<a href="{path}">{words}</a>'
        if file in pages or file.suffix in (".svg", ".png"):
            return match[0]
        name = file.relative_to(ROOT).as_posix()
        return words if words.strip("`") == name else f"{words} (`{name}`)"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)  # code is left alone
    return "".join(
        part if part.startswith("```") else re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", target, part)
        for part in parts
    )


def python_reference() -> str:
    text = (ROOT / "python" / "starling" / "__init__.py").read_text()
    names = re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*?)\]", text, re.S)[1])
    lines = [
        "# Python reference",
        "",
        "Made from the sources of the package; [python.md](python.md) shows how its parts go "
        "together.",
        "",
        "```{eval-rst}",
    ]
    modules = ("kernels", "plots", "rules")
    kinds = {name: "class" if name[0].isupper() else "function" for name in names}
    for name in sorted(names, key=lambda name: (name in modules, kinds[name], name)):
        if name in modules:
            lines += [f".. automodule:: starling.{name}", "   :members:", ""]
        elif name.startswith("_") or name.isupper():
            continue
        elif kinds[name] == "class":
            lines += [
                f".. autoclass:: starling.{name}",
                "   :members:",
                "   :show-inheritance:",
                "",
            ]
        else:
            lines += [f".. autofunction:: starling.{name}", ""]
    return "\n".join([*lines, "```", ""])


def notebooks(to: Path) -> str:
    books = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
    (to / "docs" / "notebooks").mkdir()
    for book in books:
        shutil.copy(book, to / "docs" / "notebooks")
    return "\n".join(
        [
            "# Notebooks",
            "",
            "Run when this site was made.",
            "",
            "```{toctree}",
            *(f"notebooks/{book.stem}" for book in books),
            "```",
            "",
        ]
    )


def main(to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    (to / "docs").mkdir(parents=True)
    sources = [ROOT / name for name in TOP] + sorted((ROOT / "docs").glob("*.md"))
    for page in sources:
        text = linked(page.read_text(), page, set(sources))
        if page.name == "method.md":
            text = text.replace(
                "\n## What goes wrong",
                '\n<iframe src="live/index.html" title="The live page" style="width: 100%; height: '
                "46rem; border: 1px solid "
                'var(--color-background-border); border-radius: 6px"></iframe>\n\n## What goes '
                "wrong",
                1,
            )
        (to / page.relative_to(ROOT)).write_text(text)
    for file in (ROOT / "docs").glob("*.svg"):
        shutil.copy(file, to / "docs")
    shutil.copytree(ROOT / "docs" / "gallery", to / "docs" / "gallery")
    (to / "docs" / "cpp_reference.md").write_text(cpp_reference.write(to / "docs"))
    (to / "docs" / "python_reference.md").write_text(python_reference())
    (to / "docs" / "notebooks.md").write_text(notebooks(to))
    shutil.copytree(ROOT / "docs" / "live", to / "extra" / "docs" / "live")
    shutil.copy(ROOT / "docs" / "site" / "conf.py", to)
    index = [
        "# Starling",
        "",
        "A sampler for posteriors: it finds modes and scales, moves a cloud of particles there, "
        "and checks the cloud by Hamiltonian Monte Carlo.",
        "",
        'See particles move: <a href="docs/live/index.html">the live page</a>.',
        "",
    ]
    for chapter, pages in CHAPTERS.items():
        index += ["```{toctree}", ":maxdepth: 1", f":caption: {chapter}", "", *pages, "```", ""]
    (to / "index.md").write_text("\n".join(index))
    listed = {name for pages in CHAPTERS.values() for name in pages}
    left_out = {page.relative_to(ROOT).with_suffix("").as_posix() for page in sources} - listed
    if left_out:
        sys.exit(f"assemble.py: no chapter has {', '.join(sorted(left_out))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
