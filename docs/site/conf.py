"""The documentation site: the pages of docs/ as they are, a reference of the Python package, the notebooks."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]  # from build/site/source

project = "Starling"
author = "the Starling authors"
copyright = author
version = release = (ROOT / "VERSION").read_text().strip()

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["extra"]
html_extra_path = ["extra"]
myst_heading_anchors = 4
myst_enable_extensions = []
nb_execution_mode = "off"  # the tests run the notebooks
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # they stand in the signatures

html_theme = "furo"
html_title = f"Starling {version}"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0a6a8a", "color-brand-content": "#0a6a8a"},
    "dark_css_variables": {"color-brand-primary": "#5cc4e6", "color-brand-content": "#5cc4e6"},
}
