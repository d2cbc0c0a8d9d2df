"""Warnings point at the user's line, from whatever depth they come."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import RankWarning, SeparationWarning
from statlearn.linear import (
    Lars,
    Lasso,
    LassoCV,
    LassoLars,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    PoissonRegressor,
    Ridge,
    lars_path,
    lasso_path,
)

X = np.random.default_rng(0).normal(size=(60, 8))
Y = X @ np.arange(8.0) + np.sin(np.arange(60.0))
TWICE = np.hstack([X, X])
COUNTS = np.abs(np.round(Y))
LABELS = Y > 0

CASES = {
    "LinearRegression": (RankWarning, lambda: LinearRegression().fit(TWICE, Y)),
    "Ridge": (ConvergenceWarning, lambda: Ridge(solver="lsqr", max_iter=1, tol=1e-12).fit(X, Y)),
    "Lasso": (ConvergenceWarning, lambda: Lasso(alpha=1e-8, max_iter=1, tol=1e-14).fit(X, Y)),
    "LassoCV": (ConvergenceWarning, lambda: LassoCV(alphas=3, max_iter=1, tol=1e-14, selection="random").fit(X, Y)),
    "lasso_path": (ConvergenceWarning, lambda: lasso_path(X, Y, max_iter=1, tol=1e-14, selection="random")),
    "Lars": (ConvergenceWarning, lambda: Lars().fit(TWICE, Y)),
    "LassoLars": (ConvergenceWarning, lambda: LassoLars(alpha=0.0).fit(TWICE, Y)),
    "lars_path": (ConvergenceWarning, lambda: lars_path(TWICE, Y)),
    "LogisticRegression": (ConvergenceWarning, lambda: LogisticRegression(max_iter=1).fit(X, LABELS)),
    "separated": (SeparationWarning, lambda: LogisticRegression(C=np.inf).fit(Y[:, None], LABELS)),
    "LogisticRegressionCV": (ConvergenceWarning, lambda: LogisticRegressionCV(max_iter=1).fit(X, LABELS)),
    "PoissonRegressor": (ConvergenceWarning, lambda: PoissonRegressor(max_iter=1).fit(X, COUNTS)),
}


@pytest.mark.parametrize("name", CASES)
def test_points_at_the_line_that_called(name):
    category, act = CASES[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    places = {(entry.category, entry.filename) for entry in caught}
    assert places == {(category, __file__)}
