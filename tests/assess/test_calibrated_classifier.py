"""Calibrated probabilities: optimality of the maps, scikit-learn's classifier, frames, frozen and sparse input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from statlearn.assess import CalibratedClassifier, expected_calibration_error
from statlearn.assess._calibrated_classifier import fit_isotonic, fit_sigmoid
from statlearn.linear import LogisticRegression, Ridge, RidgeClassifier
from tests.helpers import assert_close

seeds = st.integers(0, 10**6)


@given(seed=seeds, scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_sigmoid_minimises_platts_likelihood(seed, scale):
    rng = np.random.default_rng(seed)
    s, w = scale * rng.normal(size=50), rng.uniform(0.2, 2, size=50)
    positive = rng.uniform(size=50) < 1 / (1 + np.exp(-2 * s / scale))
    positive[:2] = [True, False]
    up, down = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))

    def loss(v):
        z = v[0] * s / scale + v[1]
        return w @ (np.logaddexp(0, z) - t * z)

    found = fit_sigmoid(s, positive, w)
    best = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-9})
    assert loss([found.slope * scale, found.intercept]) <= best.fun + 1e-9
    z = found.slope * s + found.intercept
    gradient = w * (1 / (1 + np.exp(-z)) - t)
    assert_close([gradient @ s / scale, gradient.sum()], [0, 0], atol=1e-6)


def test_sigmoid_of_separated_and_of_constant_scores_is_finite():
    apart = fit_sigmoid(np.r_[np.full(5, -1.0), np.full(5, 1.0)], np.repeat([False, True], 5), np.ones(10))
    assert_close(apart(np.array([-1.0, 1.0])), [1 / 7, 6 / 7])  # Platt's targets
    same = fit_sigmoid(np.zeros(6), np.repeat([False, True], [2, 4]), np.ones(6))
    assert_close(same(np.zeros(1)), (4 * 5 / 6 + 2 * 1 / 4) / 6)


@given(seed=seeds, digits=st.integers(0, 3))
def test_isotonic_agrees_with_sklearn(seed, digits):
    rng = np.random.default_rng(seed)
    s, w = np.round(rng.normal(size=60), digits), rng.uniform(0.2, 2, size=60)
    positive = rng.uniform(size=60) < 1 / (1 + np.exp(-s))
    theirs = IsotonicRegression(out_of_bounds="clip").fit(s, positive, sample_weight=w)
    at = np.linspace(-4, 4, 101)
    assert_close(fit_isotonic(s, positive, w)(at), theirs.predict(at), atol=1e-9)


@given(seed=seeds)
def test_isotonic_map_is_the_nearest_increasing_sequence(seed):
    rng = np.random.default_rng(seed)
    scores, y, w = rng.permutation(30), rng.normal(size=30), rng.uniform(0.1, 1, size=30)
    fit = fit_isotonic(scores, y, w)(scores)
    order = np.argsort(scores)
    assert np.all(np.diff(fit[order]) >= 0)
    # Optimality: cumulative residuals are never negative, and 0 at the ends of blocks.
    residual = np.cumsum((w * (y - fit))[order])
    ends = np.flatnonzero(np.diff(fit[order], append=np.inf) > 1e-12)
    assert np.all(residual >= -1e-10)
    assert_close(residual[ends], np.zeros(len(ends)), atol=1e-10)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_sklearn(method, ensemble, n_classes):
    X, y = make_classification(300, 8, n_informative=5, n_classes=n_classes, random_state=0)
    y = np.array(["a", "b", "c"])[y]
    weights = np.random.default_rng(0).uniform(0.5, 2, size=300)
    options = dict(method=method, ensemble=ensemble, cv=4)
    ours = CalibratedClassifier(GaussianNB(), **options).fit(X, y, sample_weight=weights)
    theirs = CalibratedClassifierCV(GaussianNB(), **options).fit(X, y, sample_weight=weights)
    # scikit-learn stops its sigmoid at a gradient of 1e-6 or so.
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9 if method == "isotonic" else 1e-4)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
    assert_close(ours.predict_proba(X).sum(axis=1), np.ones(300))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_makes_overconfident_probabilities_honest(method, rng):
    """Naive Bayes on copies of the same columns counts the evidence several times."""
    y = rng.integers(0, 2, 13_000)
    X = np.repeat(y[:, None] + 1.5 * rng.normal(size=(13_000, 2)), 6, axis=1)
    plain = GaussianNB().fit(X[:3000], y[:3000])
    better = CalibratedClassifier(GaussianNB(), method=method).fit(X[:3000], y[:3000])
    before, after = (expected_calibration_error(y[3000:], m.predict_proba(X[3000:])[:, 1]) for m in (plain, better))
    assert before > 0.15
    assert after < 0.5 * before


def test_a_frozen_estimator_stays_and_calibrates_on_all_rows():
    X, y = make_classification(400, 6, random_state=1)
    fitted = RidgeClassifier().fit(X[:200], y[:200])
    coef = fitted.coef_.copy()
    model = CalibratedClassifier(FrozenEstimator(fitted)).fit(X[200:], y[200:])
    assert len(model.calibrated_) == 1
    assert np.array_equal(fitted.coef_, coef)
    by_hand = fit_sigmoid(fitted.decision_function(X[200:]), y[200:] == 1, np.ones(200))
    assert_close(model.predict_proba(X)[:, 1], by_hand(fitted.decision_function(X)))


def test_frames_reach_the_inner_pipeline_unchanged(rng):
    table = pd.DataFrame({"colour": rng.choice(["red", "blue"], 200), "size": rng.normal(size=200)})
    y = ((table["colour"] == "red") + table["size"] + rng.normal(size=200) > 0.5).to_numpy()
    inner = make_pipeline(
        ColumnTransformer([("colour", OneHotEncoder(), ["colour"]), ("size", "passthrough", ["size"])]),
        LogisticRegression(),
    )
    model = CalibratedClassifier(inner).fit(table, y)
    assert list(model.feature_names_in_) == ["colour", "size"]
    assert model.score(table, y) > 0.6


def test_sparse_input_and_classes_missing_from_a_fold():
    X, y = load_iris(return_X_y=True)
    dense = CalibratedClassifier(cv=3).fit(X, y)
    assert_close(CalibratedClassifier(cv=3).fit(sparse.csr_array(X), y).predict_proba(X), dense.predict_proba(X), 1e-5)
    # Two of three classes in the first training part: the third has probability 0 in that model.
    first = np.flatnonzero(y < 2)
    cv = [(first, np.flatnonzero(y == 2)[:40]), (np.arange(0, 150, 2), np.arange(1, 150, 2))]
    model = CalibratedClassifier(cv=cv).fit(X, y)
    assert_close(model.predict_proba(X).sum(axis=1), np.ones(150))
    with pytest.raises(ValueError, match="class is missing"):
        CalibratedClassifier(cv=cv, ensemble=False).fit(X, y)
    with pytest.raises(ValueError, match="less than 60 examples"):
        CalibratedClassifier(cv=60).fit(X, y)


def test_inner_estimators_without_weights_warn():
    X, y = load_iris(return_X_y=True)

    class Deaf(NearestCentroid):
        def fit(self, X, y):
            return super().fit(X, y)

    with pytest.warns(UserWarning, match="does not appear to accept sample_weight"):
        CalibratedClassifier(Deaf()).fit(X, y, sample_weight=np.ones(150))


def test_an_estimator_without_scores_raises():
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ValueError, match=r"^estimator must be a classifier .*; got Ridge"):
        CalibratedClassifier(Ridge()).fit(X, y)
