"""Find-S."""

import itertools

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.logic import ConjunctiveHypothesis, FindS
from tests.logic.tasks import TENNIS_X, TENNIS_Y


@pytest.mark.spec("LOG-T3", "LOG-02")
@pytest.mark.parametrize("frame", [list, pd.DataFrame, lambda rows: pl.DataFrame(rows, orient="row")])
def test_find_s_on_the_seven_rows(frame):
    model = FindS().fit(frame(TENNIS_X), TENNIS_Y)
    assert repr(model.hypothesis_) == "<Overcast, ?, ?, ?>"
    assert model.n_negatives_covered_ == 0
    assert model.predict(frame(TENNIS_X)).tolist() == TENNIS_Y


@pytest.mark.spec("LOG-P10", "LOG-02")
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("cde"), st.booleans()), min_size=2, max_size=8))
def test_the_result_is_below_every_consistent_hypothesis(rows):
    labels = [yes for *_, yes in rows]
    if len(set(labels)) < 2:
        return
    X = [list(row[:2]) for row in rows]
    found = FindS().fit(X, labels).hypothesis_
    for slots in itertools.product([None, "a", "b"], [None, "c", "d", "e"]):
        h = ConjunctiveHypothesis(slots)
        if all(h.accepts(row) == yes for row, yes in zip(X, labels)):
            assert h >= found


def test_the_class_to_describe_can_be_chosen():
    model = FindS(positive="No").fit(TENNIS_X, TENNIS_Y)
    assert repr(model.hypothesis_) == "<?, ?, High, ?>"
    assert model.n_negatives_covered_ == 3
    with pytest.raises(ValueError, match="positive"):
        FindS(positive="Maybe").fit(TENNIS_X, TENNIS_Y)


def test_missing_values_raise_by_column():
    X = pd.DataFrame({"sky": ["a", None], "wind": ["x", "y"]})
    with pytest.raises(ValueError, match="sky"):
        FindS().fit(X, [0, 1])
