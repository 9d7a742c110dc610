"""Settings of the documentation site: `sphinx-build -W docs build/site`, with the extra `docs`."""

import re
import shutil
from pathlib import Path

from jamaica_sim import __version__

project = "jamaica-sim"
author = copyright = "The jamaica-sim developers"
release = version = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
html_theme = "furo"
html_title = "jamaica-sim"
html_static_path = ["_static"]
html_css_files = ["site.css"]
exclude_patterns = ["_build"]
smartquotes = False  # two dashes are an option, not a dash
highlight_language = "none"  # of fences that name none: commands and what they print

# Notebooks are kept without output: the site runs them, and shows what they show.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # the first one may compile the engine
nb_merge_streams = True

# Links between pages are written so that they also work where the files are read one by one.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False


def setup(app):
    """The reports, which lie beside the docs, are pages of the site: Sphinx wants a copy of them in its own folder."""
    here = Path(__file__).parent
    shutil.rmtree(here / "reports", ignore_errors=True)
    shutil.copytree(here.parent / "reports", here / "reports", ignore=shutil.ignore_patterns("*.html"))
    app.connect("source-read", _link_reports)
    executed = Path(app.outdir).parent / "jupyter_execute"  # what the notebooks left, copied to the site by then
    app.connect("build-finished", lambda app, error: [shutil.rmtree(p, True) for p in (executed, here / "reports")])


def _link_reports(app, page, source):
    """Links are written as they work in a checkout: `../reports/x.html` is the page `reports/x` of the site.

    The reports' own index leads to each of them, so that the site's menu can fold them up below it. What lies outside
    of the site is named without a link.
    """
    linked = re.sub(r"\]\(\.\./reports/(\w+)\.html\)", r"](reports/\1.md)", source[0])
    linked = re.sub(r"\]\(\.\./reports/", "](reports/", linked)
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./\w+\.md\)", r"\1", linked)
    if page == "reports/README":
        both = r"\[HTML\]\((\w+)\.html\) · \[Markdown\]\(\w+\.md\)"
        source[0] = re.sub(both, r"[the report](\1.md)", source[0])
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n[a-z]*\n```\n"
