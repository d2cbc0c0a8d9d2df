"""Candidate elimination as a classifier."""

import numpy as np
import pytest

from statlearn.logic import CandidateElimination
from tests.logic.tasks import TENNIS_X, TENNIS_Y


@pytest.mark.spec("LOG-04", "LOG-T2")
def test_the_seven_rows_leave_one_hypothesis():
    model = CandidateElimination().fit(TENNIS_X, TENNIS_Y)
    assert repr(model.version_space_) == "G: {<Overcast, ?, ?, ?>}  S: {<Overcast, ?, ?, ?>}"
    assert model.predict(TENNIS_X).tolist() == TENNIS_Y


@pytest.mark.spec("LOG-04")
def test_unknown_rows_are_named_or_voted_on():
    X, y = TENNIS_X[:4], TENNIS_Y[:4]
    row = [["Overcast", "Mild", "Normal", "Strong"]]
    assert CandidateElimination(unknown="?").fit(X, y).predict(row).tolist() == ["?"]
    voted = CandidateElimination().fit(X, y)
    space = voted.version_space_
    share = np.mean([h.accepts(row[0]) for h in space])
    assert voted.predict_proba(row).tolist() == [[1 - share, share]]
    assert voted.predict(row).tolist() == ["Yes" if share > 0.5 else "No"]
    assert space.vote(row[0]) == share


@pytest.mark.spec("LOG-04")
def test_an_empty_space_is_reported_with_the_first_row_that_empties_it():
    X = [*TENNIS_X[:5], ["Overcast", "Hot", "High", "Weak"], *TENNIS_X[5:]]
    y = [*TENNIS_Y[:5], "No", *TENNIS_Y[5:]]
    with pytest.raises(
        ValueError, match=r"Row 5 of X and y, the negative example \['Overcast', 'Hot', 'High', 'Weak'\]"
    ):
        CandidateElimination().fit(X, y)
    skipped = CandidateElimination(on_empty="skip").fit(X, y)
    assert skipped.skipped_.tolist() == [5]
    assert repr(skipped.version_space_.specific) == "[<Overcast, ?, ?, ?>]"


@pytest.mark.spec("LOG-04")
def test_categories_beyond_the_data_widen_the_general_boundary():
    X, y = [["a"], ["b"]], [0, 0]
    with pytest.raises(ValueError, match="'b' in column 0"):
        CandidateElimination(categories=[["a"]]).fit(X, y)
    model = CandidateElimination(positive=1, categories=[["a", "b", "c"]])
    with pytest.raises(ValueError, match="positive"):
        model.fit(X, y)
    model = CandidateElimination(categories=[["a", "b", "c", "d"]]).fit([["a"], ["b"]], [0, 1])
    assert model.general_.tolist() == [[1]]


def test_more_than_two_classes_raise():
    with pytest.raises(ValueError, match="Only binary classification"):
        CandidateElimination().fit([["a"], ["b"], ["c"]], [0, 1, 2])
