"""Models that learn nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from statlearn.assess import BaselineClassifier, BaselineRegressor
from tests.helpers import assert_close


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30), st.integers(0, 2**31))
def test_weights_are_copies(values, seed):
    y = np.array(values)
    weights = np.random.default_rng(seed).integers(0, 4, size=len(y))
    weights[0] = 1
    X = np.zeros((len(y), 1))
    for statistic in ("mean", "median"):
        weighted = BaselineRegressor(statistic).fit(X, y, weights).constant_
        copies = np.repeat(y, weights)
        assert weighted == pytest.approx(getattr(np, statistic)(copies), abs=1e-9)


def test_the_mean_minimises_squares_and_the_median_absolute_errors(rng):
    y = rng.exponential(size=51)
    X = np.zeros((51, 1))
    mean, median = (BaselineRegressor(s).fit(X, y).constant_ for s in ("mean", "median"))
    for shift in (-0.1, 0.1):
        assert np.mean((y - mean - shift) ** 2) > np.mean((y - mean) ** 2)
        assert np.mean(np.abs(y - median - shift)) > np.mean(np.abs(y - median))


def test_frequencies_minimise_the_log_loss(rng):
    y = rng.choice(["a", "b", "c"], p=[0.5, 0.3, 0.2], size=200)
    model = BaselineClassifier().fit(np.zeros((200, 2)), y)
    best = log_loss(y, model.predict_proba(np.zeros((200, 2))))
    assert best < log_loss(
        y, BaselineClassifier("uniform").fit(np.zeros((200, 2)), y).predict_proba(np.zeros((200, 2)))
    )
    assert model.predict(np.zeros((1, 2)))[0] == "a"
    assert_close(model.class_prior_, [np.mean(y == c) for c in "abc"], atol=0)
