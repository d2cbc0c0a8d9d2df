"""Sphinx configuration: numpydoc for the docstrings, sphinx-gallery for the examples."""

import re
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
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "courses",  # ours: the indexes of docs/courses
]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
templates_path = ["_templates"]
exclude_patterns = ["_build", "_extensions"]
html_theme = "pydata_sphinx_theme"
html_title = "statlearn"

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"demo\.py",
    "show_memory": False,
}


def escape_trailing_underscores(app, what, name, obj, options, lines):
    """Fitted attributes named in a shape, such as ``(n_samples, n_components_)``, are not links."""
    for k, line in enumerate(lines):
        lines[k] = re.sub(r"(?<=shape \()[^)]*", lambda shape: re.sub(r"_(?=\W|$)", r"\_", shape[0]), line)


def setup(app):
    app.connect("autodoc-process-docstring", escape_trailing_underscores, priority=400)  # before numpydoc
