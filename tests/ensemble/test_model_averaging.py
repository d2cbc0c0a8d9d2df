"""Bayesian model averaging."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.pipeline import make_pipeline

from statlearn.assess import information_criteria, posterior_model_probabilities
from statlearn.cluster import KMeans
from statlearn.ensemble import BayesianModelAveraging
from statlearn.linear import LinearRegression, LogisticRegression, Ridge
from tests.helpers import assert_close


def on_columns(k):
    """Least squares on the first k columns."""
    return make_pipeline(ColumnTransformer([("kept", "passthrough", list(range(k)))]), LinearRegression())


def nested():
    return [(f"first{k}", on_columns(k)) for k in (1, 3, 5)]


@pytest.mark.spec("ENS-35", "ENS-T11")
def test_weights_from_three_criteria():
    X, y = load_diabetes(return_X_y=True)
    expected = [0.6896721, 0.2537162, 0.0566117]
    model = BayesianModelAveraging(nested(), log_evidence=-0.5 * np.array([10.0, 12.0, 15.0])).fit(X, y)
    assert_close(model.weights_, expected, rtol=0, atol=1e-6)
    assert_close(posterior_model_probabilities([10, 12, 15]), expected, rtol=0, atol=1e-6)


@pytest.mark.spec("ENS-35")
def test_members_are_weighted_by_their_bic():
    X, y = load_diabetes(return_X_y=True)
    prior = [1.0, 2.0, 1.0]
    model = BayesianModelAveraging(nested(), prior=prior).fit(X, y)
    bic = np.array([information_criteria(m.fit(X, y), X, y).bic for _, m in nested()])
    assert_close(model.bic_, bic)
    raw = prior * np.exp(-0.5 * (bic - bic.min()))
    assert_close(model.weights_, raw / raw.sum())
    assert_close(model.predict(X), sum(w * m.predict(X) for w, (_, m) in zip(model.weights_, nested_fitted(X, y))))
    assert_close(model.score(X, y), 1 - np.sum((y - model.predict(X)) ** 2) / np.sum((y - y.mean()) ** 2))


def nested_fitted(X, y):
    return [(name, m.fit(X, y)) for name, m in nested()]


@pytest.mark.spec("ENS-P26")
@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=8), st.floats(-1000, 1000))
def test_weights_are_a_distribution_and_equal_for_equal_evidence(evidence, level):
    X, y = np.arange(6.0)[:, None], np.array([0.0, 1, 0, 2, 1, 3])
    pairs = [(f"m{k}", LinearRegression()) for k in range(len(evidence))]
    w = BayesianModelAveraging(pairs, log_evidence=evidence).fit(X, y).weights_
    assert np.all(w >= 0)
    assert_close(w.sum(), 1.0)
    same = BayesianModelAveraging(pairs, log_evidence=np.full(len(pairs), level)).fit(X, y).weights_
    assert_close(same, np.full(len(pairs), 1 / len(pairs)))


@pytest.mark.spec("ENS-35")
def test_classifiers_average_probabilities():
    X, y = load_iris(return_X_y=True)
    pairs = [("a", LogisticRegression(C=0.1)), ("b", LogisticRegression(C=1.0))]
    model = BayesianModelAveraging(pairs).fit(X, y)
    proba = [m.fit(X, y).predict_proba(X) for _, m in pairs]
    assert_close(model.predict_proba(X), model.weights_[0] * proba[0] + model.weights_[1] * proba[1])
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(model.predict_proba(X), axis=1)])
    assert model.score(X, y) > 0.9


def test_an_exact_fit_has_all_the_weight():
    X = np.arange(10.0)[:, None]
    model = BayesianModelAveraging(log_evidence=lambda m, X, y, w: np.inf if hasattr(m, "coef_") else 0.0)
    np.testing.assert_array_equal(model.fit(X, 2 * X[:, 0]).weights_, [0.0, 1.0])


def test_members_that_cannot_be_averaged_raise():
    X, y = load_iris(return_X_y=True)
    mixed = [("a", LogisticRegression()), ("b", LinearRegression())]
    with pytest.raises(ValueError, match="must not mix"):
        BayesianModelAveraging(mixed).fit(X, y)
    with pytest.raises(ValueError, match="must contain classifiers or regressors, got KMeans"):
        BayesianModelAveraging([("a", KMeans())]).fit(X, y)
    with pytest.raises(ValueError, match="unique"):
        BayesianModelAveraging([("a", LinearRegression()), ("a", LinearRegression())]).fit(X, y)
    with pytest.raises(ValueError, match="non-empty"):
        BayesianModelAveraging([]).fit(X, y)
    with pytest.raises(ValueError, match="log_evidence"):
        BayesianModelAveraging(log_evidence=[1.0]).fit(X, y)
    with pytest.raises(ValueError, match="`prior` must contain finite numbers"):
        BayesianModelAveraging(prior=[np.nan, np.nan]).fit(X, y)
    with pytest.raises(ValueError, match="not the name of a member"):
        BayesianModelAveraging([("a", LinearRegression())], df={"b": 2}).fit(X, y)


def test_members_and_their_settings_are_parameters():
    X, y = load_diabetes(return_X_y=True)
    model = BayesianModelAveraging([("a", LinearRegression()), ("b", LinearRegression())])
    assert model.get_params()["a__fit_intercept"] is True
    model.set_params(a__fit_intercept=False, b=Ridge(2.0), b__alpha=3.0).fit(X, y)
    assert model.named_estimators_["a"].fit_intercept is False
    assert model.named_estimators_["b"].alpha == 3.0
    assert clone(model).get_params()["b__alpha"] == 3.0
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(c=1)
    with pytest.raises(ValueError, match="conflict"):
        BayesianModelAveraging([("prior", LinearRegression())]).fit(X, y)


def test_exact_fits_share_the_weight_without_a_warning(rng):
    X = rng.normal(size=(30, 2))
    assert_close(BayesianModelAveraging().fit(X, np.ones(30)).weights_, [0.5, 0.5])
    assert_close(BayesianModelAveraging().fit(X, 3 * X[:, 0]).predict(X), 3 * X[:, 0])


def test_ridge_regressions_of_scikit_learn_have_the_same_weight_as_ours():
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = (
        BayesianModelAveraging([("plane", LinearRegression()), ("ridge", ridge(alpha=0.01))]).fit(X, y)
        for ridge in (Ridge, SklearnRidge)
    )
    assert 0.01 < ours.weights_[1] < 0.99
    assert_close(theirs.weights_, ours.weights_)


def test_classifiers_can_be_replaced_by_regressors(rng):
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    model = BayesianModelAveraging([("logistic", LogisticRegression())]).fit(X, y > 0)
    model.set_params(estimators=nested()[:1]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), BayesianModelAveraging(nested()[:1]).fit(X, y).predict(X))
    assert model.score(X, y) > 0
