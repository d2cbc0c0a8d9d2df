"""The guide for contributors names files and folders that exist, and its example of a loss and a penalty runs."""

import re
from pathlib import Path

import numpy as np
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


def test_example_of_a_loss_and_a_penalty_runs(capsys):
    section = GUIDE.split("## Adding a loss or a penalty")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, flags=re.S)
    names = {}
    exec(code, names)
    assert capsys.readouterr().out.endswith("True\n")
    rows, loss, penalty, found = (names[name] for name in ("rows", "loss", "penalty", "solution"))

    def objective(w, b):
        return loss.value(rows.scores(w) + b).mean() + penalty.value(w)

    best, rng = objective(found.coef, found.intercept), np.random.default_rng(1)
    assert np.isclose(best, found.objective, rtol=1e-12)
    for size in (1e-4, 1e-2, 1.0):
        for move in size * rng.normal(size=(50, 6)):
            assert objective(found.coef + move[:5], found.intercept + move[5]) > best


def test_paths_are_found():
    expected = {"src/statlearn/cluster/_kmeans.py", "_core/params.py", "tests/<family>/test_<method>.py"}
    assert expected <= set(paths_named())
