"""Sphinx configuration: numpydoc for the docstrings, sphinx-gallery for the examples, our extensions for the rest."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "statlearn"
author = "the statlearn developers"
copyright = f"2026, {author}"
release = installed_version("statlearn")
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # ours, in docs/_extensions:
    "docstrings",  # text written for a terminal, as Sphinx needs it
    "formulas",  # formulas without a network
    "home",  # the pictures of the home page
    "courses",  # the indexes of docs/courses
    "concepts",  # the index of concepts
    "maps",  # the maps from other software
]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
templates_path = ["_templates"]
exclude_patterns = ["_build", "_extensions"]
html_theme = "pydata_sphinx_theme"
html_title = "statlearn"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "find": [], "contributing": []}
html_theme_options = {
    "logo": {"text": "statlearn"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "collapse_navigation": True,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 1,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
}

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"demo\.py",
    "show_memory": False,
}
