"""Stacking: weights of the members are the best ones on out-of-fold predictions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_predict

from statlearn._math.solvers.combination_weights import combination_weights
from statlearn.ensemble import StackingClassifier, StackingRegressor
from statlearn.linear import LinearRegression, LogisticRegression, Ridge, RidgeCV
from tests.helpers import assert_close


def members():
    return [("plain", LinearRegression()), ("shrunk", Ridge(1.0)), ("flat", Ridge(1e6))]


def out_of_fold(pairs, X, y, cv, method="predict"):
    return [cross_val_predict(m, X, y, cv=cv, method=method) for _, m in pairs]


@pytest.mark.spec("ENS-34", "ENS-P24")
@given(seed=st.integers(0, 10_000), members=st.integers(1, 6))
def test_simplex_weights_meet_the_optimality_conditions(seed, members):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=25)
    P = rng.uniform(0.2, 1.2, members) * y[:, None] + rng.normal(size=(25, members))
    s = rng.integers(0, 4, 25).astype(float) + np.eye(25)[0]
    w = combination_weights(P, y, s)
    assert np.all(w >= 0)
    assert_close(w.sum(), 1.0)
    gradient = P.T @ (s * (P @ w - y))
    level = w @ gradient  # the multiplier of the sum
    assert np.all(gradient >= level - 1e-6 * (1 + abs(level)))
    assert_close(w * (gradient - level), np.zeros(members), atol=1e-6)
    rows = np.repeat(np.arange(25), s.astype(int))
    assert_close(combination_weights(P[rows], y[rows]), w, atol=1e-7)


@pytest.mark.spec("ENS-34")
def test_simplex_weights_agree_with_a_general_optimiser(rng):
    y = rng.normal(size=60)
    P = y[:, None] + rng.normal(size=(60, 4)) * [0.5, 0.7, 1.0, 3.0] + [0.0, 0.3, -0.5, 0.0]
    found = minimize(
        lambda w: np.sum((y - P @ w) ** 2),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14},
        method="SLSQP",
    )
    assert_close(combination_weights(P, y), found.x, atol=1e-5)  # the optimiser's own accuracy


@pytest.mark.spec("ENS-33", "ENS-34")
@pytest.mark.parametrize("weights", ["simplex", "nonnegative", "unconstrained"])
def test_weights_minimise_the_out_of_fold_error(weights):
    X, y = load_diabetes(return_X_y=True)
    cv = KFold(4)
    model = StackingRegressor(members(), cv=cv, weights=weights).fit(X, y)
    P = np.column_stack(out_of_fold(members(), X, y, cv))
    best = np.sum((y - P @ model.weights_) ** 2)
    rng = np.random.default_rng(0)
    for step in 1e-3 * rng.normal(size=(50, 3)):
        other = model.weights_ + step
        other = other if weights == "unconstrained" else np.maximum(other, 0)
        other = other / other.sum() if weights == "simplex" else other
        assert np.sum((y - P @ other) ** 2) >= best - 1e-6
    fitted = np.column_stack([m.fit(X, y).predict(X) for _, m in members()])  # members are fitted again to all rows
    assert_close(model.predict(X), fitted @ model.weights_)


@pytest.mark.spec("ENS-33")
def test_leave_one_out_and_a_final_estimator():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], y[:60]
    P = np.column_stack(out_of_fold(members(), X, y, LeaveOneOut()))
    model = StackingRegressor(members(), LinearRegression(), cv=LeaveOneOut()).fit(X, y)
    assert_close(model.final_estimator_.coef_, LinearRegression().fit(P, y).coef_)
    assert_close(
        StackingRegressor(members(), cv=60).fit(X, y).predict(X), RidgeCV().fit(P, y).predict(model.transform(X))
    )
    with pytest.raises(AttributeError, match="weights"):
        model.weights_  # noqa: B018


@pytest.mark.spec("ENS-P24")
def test_identical_members_share_their_weight():
    X, y = load_diabetes(return_X_y=True)
    one = StackingRegressor([("a", LinearRegression()), ("b", Ridge(1e4))], weights="simplex").fit(X, y)
    two = [("a", LinearRegression()), ("twin", LinearRegression()), ("b", Ridge(1e4))]
    both = StackingRegressor(two, weights="simplex").fit(X, y)
    assert_close(both.predict(X), one.predict(X), rtol=1e-6)  # a floor of 1e-10 decides between the twins
    assert_close(both.weights_[0], both.weights_[1], rtol=1e-5)


def test_a_member_that_is_right_gets_all_the_weight():
    y = np.arange(10.0)
    assert_close(combination_weights(np.column_stack([y, -y]), y), [1.0, 0.0], atol=1e-6)
    assert_close(combination_weights(np.column_stack([y, y]), y), [0.5, 0.5])


@pytest.mark.spec("ENS-33", "ENS-34")
def test_classifier_weights_minimise_the_brier_score():
    X, y = load_iris(return_X_y=True)
    pairs = [
        ("weak", LogisticRegression(C=1e-3)),
        ("mild", LogisticRegression(C=0.1)),
        ("narrow", LogisticRegression()),
    ]
    for keep in (y >= 0, y > 0):  # three classes, two classes
        A, b = X[keep][:, :2], y[keep]
        cv = StratifiedKFold(5)
        model = StackingClassifier(pairs, cv=cv, weights="simplex").fit(A, b)
        P = np.array(out_of_fold(pairs, A, b, cv, "predict_proba"))
        hit = (b[:, None] == model.classes_).astype(float)

        def brier(w, P=P, hit=hit):
            return np.sum((hit - np.einsum("m,mnk->nk", w, P)) ** 2)

        assert_close(model.weights_.sum(), 1.0)
        assert np.all(model.weights_ >= 0)
        for other in np.random.default_rng(0).dirichlet(np.ones(3), 200):
            assert brier(other) >= brier(model.weights_) - 1e-9
        fitted = np.array([m.fit(A, b).predict_proba(A) for _, m in pairs])
        assert_close(model.predict_proba(A), np.einsum("m,mnk->nk", model.weights_, fitted))
        assert_close(model.predict_proba(A).sum(axis=1), np.ones(len(b)))


def test_combinations_that_contradict_each_other_raise():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="set one of them to None"):
        StackingRegressor(members(), Ridge(), weights="simplex").fit(X, y)
    with pytest.raises(ValueError, match="passthrough"):
        StackingRegressor(members(), weights="simplex", passthrough=True).fit(X, y)
    with pytest.raises(ValueError, match="stack_method"):
        StackingClassifier(stack_method="predict", weights="simplex").fit(X, (y > 100).astype(int))
