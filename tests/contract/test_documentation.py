"""The documentation lists every public name, once."""

import importlib
import re
from pathlib import Path

import pytest

from statlearn._core.families import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("family", [*FAMILIES, "plot"])
def test_every_public_name_has_a_page(family):
    text = (DOCS / family / "index.rst").read_text(encoding="utf-8")
    listed = [
        name for block in re.findall(r":nosignatures:\n\n((?:    \w+\n)+)", text + "\n") for name in block.split()
    ]
    assert sorted(listed) == sorted(importlib.import_module(f"statlearn.{family}").__all__)
