"""The documentation lists every public name, once, and its examples run."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from statlearn._core.families import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("family", [*FAMILIES, "plot", "scale"])
def test_every_public_name_has_a_page(family):
    text = (DOCS / family / "index.rst").read_text(encoding="utf-8")
    listed = [
        name for block in re.findall(r":nosignatures:\n\n((?:    \w+\n)+)", text + "\n") for name in block.split()
    ]
    assert sorted(listed) == sorted(importlib.import_module(f"statlearn.{family}").__all__)


# Pages that are written, not those that Sphinx makes beside them.
WRITTEN = [page for folder in (".", "app", "plot", "scale", *FAMILIES) for page in (DOCS / folder).glob("*.rst")]
PAGES = sorted(page for page in WRITTEN if ">>> " in page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_the_examples_of_a_guide_page_run_as_printed(page):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_an_executed_example(family):
    assert any(page.parent.name == family for page in PAGES)
