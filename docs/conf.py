"""Settings of the documentation site: `sphinx-build -W docs build/site`, with the extra `docs`."""

import inspect
import re
import shutil
from pathlib import Path

import numpy as np

from jamaica_sim import __version__, rules_table
from jamaica_sim.engine.state import RULES_DTYPE, Rulebook
from jamaica_sim.engine.view import VIEW_DTYPE, View
from jamaica_sim.strategy.heuristic.weights import WEIGHTS, WEIGHTS_DTYPE, Weights
from jamaica_sim.web.part import Studio

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

nb_execution_mode = "off"  # `tools/notebooks.py` keeps their outputs in them
nb_merge_streams = True

# Links between pages are written so that they also work where the files are read one by one.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False

TRY_IT = "try_it.html"  # the studio as one file, with its engine


def setup(app):
    """The reports, which lie beside the docs, are published as they are, below the index that leads to them."""
    here, reports = Path(__file__).parent, Path(__file__).parent.parent / "reports"
    (here / "reports").mkdir(exist_ok=True)
    shutil.copy(reports / "README.md", here / "reports")
    app.connect("source-read", _link_reports)
    app.connect("source-read", _list_fields)

    def finish(app, error):
        if error is None:
            Studio().export(Path(app.outdir) / TRY_IT, "")
        for page in reports.glob("*.html"):
            shutil.copy(page, Path(app.outdir) / "reports")
        shutil.rmtree(here / "reports", ignore_errors=True)

    app.connect("build-finished", finish)


def _link_reports(app, page, source):
    """Links are written as they work in a checkout: `../reports/x.html` is `reports/x.html` of the site.

    What lies outside of the site is named without a link.
    """
    linked = re.sub(r"\[([^\]]+)\]\((?:\.\./)?(reports/)?(\w+\.html)\)", r'<a href="\2\3">\1</a>', source[0])
    linked = linked.replace("](../reports/", "](reports/")
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./\w+\.md\)", r"\1", linked)


def _list_fields(app, page, source):
    """Rules, and the fields that strategies read, from their declarations: a comment there is the meaning here."""
    if page == "rules":
        rows = [" | ".join(map(str, row[1:])) for row in rules_table().itertuples()]
        source[0] = source[0].replace("@NUMBERS@\n", "".join(f"| {row} |\n" for row in rows))
    if page == "strategy_fields":
        weights = "".join(
            f"| `{one.name}` | {one.default:g} | {one.low:g} to {one.high:g} | {one.unit} | {one.meaning} |\n"
            for one in WEIGHTS
        )
        for mark, table in {
            "WEIGHTS": weights,
            "VIEW": fields(View, VIEW_DTYPE),
            "RULES": fields(Rulebook, RULES_DTYPE),
            "RECORD": fields(Weights, WEIGHTS_DTYPE),
        }.items():
            source[0] = source[0].replace(f"@{mark}@\n", table)


def fields(record: type, dtype: np.dtype) -> str:
    """A row for each field of a record: name, shape, meaning, which is the comment above the field or at its end."""
    rows, above, declared = [], [], ""
    for line in inspect.getsource(record).splitlines():
        text, _, comment = line.partition("#")
        if not text.strip():
            above = [*above, comment.strip()] if comment else []
            continue
        declared += text
        if declared.count("[") == declared.count("]") and declared.count("(") == declared.count(")"):
            found = re.match(r"    (\w+): (?!float = )", declared)
            if found and found[1] in dtype.names:
                shape = " × ".join(str(length) for length in dtype[found[1]].shape)
                rows.append(f"| `{found[1]}` | {shape} | {comment.strip() or ' '.join(above) or 'likewise'} |\n")
            above, declared = [], ""
    return "".join(rows)
