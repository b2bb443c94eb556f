"""How Sphinx builds the manual; docs/manual runs it."""

project = "templated"
author = "the authors of templated"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["README.md"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["epub.unknown_project_files"]
smartquotes = False
highlight_language = "none"

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
html_domain_indices = False
html_theme_options = {"footer_icons": []}
