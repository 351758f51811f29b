"""The documentation site: the pages of docs/ as they are, a reference of the Python package, the
notebooks."""

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]  # from build/site/source

project = "Starling"
author = "the Starling authors"
copyright = author
version = release = (ROOT / "VERSION").read_text().strip()

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["extra"]
html_extra_path = ["extra"]
myst_heading_anchors = 4
myst_enable_extensions = []
nb_execution_mode = os.environ.get(
    "STARLING_NOTEBOOKS", "force"
)  # off: the tests run them elsewhere
nb_execution_timeout = 300
nb_execution_raise_on_error = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # they stand in the signatures

html_show_search_summary = False  # by requests, which a browser refuses to a site of files
html_theme = "furo"
html_title = f"Starling {version}"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0a6a8a", "color-brand-content": "#0a6a8a"},
    "dark_css_variables": {"color-brand-primary": "#5cc4e6", "color-brand-content": "#5cc4e6"},
}


def listed(app, what, name, obj, options, lines):
    """Our docstrings hang the lines of an item under its first; reStructuredText wants a list."""
    paragraphs, made = "\n".join(lines).split("\n\n"), []
    for paragraph in paragraphs:
        rows = paragraph.split("\n")
        if not rows[0].startswith(" ") and any(row.startswith(" ") for row in rows):
            items = []
            for row in rows:
                if row.startswith(" "):
                    items[-1] += " " + row.strip()
                else:
                    items.append("* " + row)
            rows = items
        made += [*rows, ""]
    lines[:] = made


def load_excerpts(app, pagename, templatename, context, doctree):
    if pagename == "search":
        app.add_js_file("excerpts.js")


def write_excerpts(app, exception):
    """The text of every page, for the excerpts beside what a search found."""
    if exception is None:
        texts = {
            name: " ".join(app.env.get_doctree(name).astext().split())
            for name in sorted(app.env.found_docs)
        }
        script = (ROOT / "docs" / "site" / "excerpts.js").read_text()
        (Path(app.outdir) / "_static" / "excerpts.js").write_text(
            f"const PAGES = {json.dumps(texts)};\n{script}"
        )


def setup(app):
    app.connect("autodoc-process-docstring", listed)
    app.connect("html-page-context", load_excerpts)
    app.connect("build-finished", write_excerpts)
