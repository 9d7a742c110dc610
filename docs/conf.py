"""Settings of the documentation site: `sphinx-build -W docs build/site`, with the extra `docs`."""

from jamaica_sim import __version__

project = "jamaica-sim"
author = copyright = "The jamaica-sim developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
html_theme = "furo"
html_title = "jamaica-sim"
exclude_patterns = ["_build"]

# Links between pages are written so that they also work where the files are read one by one.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Links to files outside of the site (reports, README) stay as they are.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
