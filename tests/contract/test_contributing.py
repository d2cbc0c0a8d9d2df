"""The guide for contributors names files and folders that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def paths_named():
    """What looks like a path, in code spans and in indented lines; placeholders such as <family> match anything."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", GUIDE, flags=re.S))
    words = [word for text in (*spans, *re.findall(r"^    (\S+)", GUIDE, flags=re.M)) for word in text.split()]
    named = {word for word in words if re.fullmatch(r"[\w.<>/-]+", word) and ("/" in word or word.endswith(".md"))}
    return sorted(named - {".venv/bin/python"})


@pytest.mark.parametrize("path", paths_named())
def test_the_path_exists(path):
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    places = (ROOT, ROOT / "src" / "statlearn")  # `_core/params.py` is short for the package's
    assert any(list(place.glob(pattern)) for place in places)


def test_paths_are_found():
    expected = {"src/statlearn/cluster/_kmeans.py", "_core/params.py", "tests/<family>/test_<method>.py"}
    assert expected <= set(paths_named())
