"""Penalised discriminant analysis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from sklearn.model_selection import StratifiedKFold, cross_val_score

from statlearn.discriminant import LinearDiscriminantAnalysis, PenalizedDiscriminantAnalysis, scatter_matrices
from statlearn.discriminant._pda import penalty_matrix
from tests.discriminant.tables import gaussians, vowel
from tests.helpers import assert_close


@given(seed=st.integers(0, 10_000), alpha=st.floats(0, 50), smooth=st.booleans())
def test_directions_solve_the_penalised_eigenproblem(seed, alpha, smooth):
    X, y = gaussians(np.random.default_rng(seed), 60, 5, 4)
    penalty = "smooth" if smooth else "identity"
    model = PenalizedDiscriminantAnalysis(alpha, penalty=penalty).fit(X, y)
    s = scatter_matrices(X, y)
    within = s.within + alpha * penalty_matrix(penalty, 5)
    values = linalg.eigh(s.between, within, eigvals_only=True)[::-1][:3]
    assert_close(model.r2_ / (1 - model.r2_), values[: len(model.r2_)], rtol=1e-5, atol=1e-7)
    V = model.scalings_
    inner = V.T @ within @ V / len(X)
    assert_close(inner, np.eye(len(inner)), atol=1e-5)
    if alpha == 0:
        assert_close(model.predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-6)


def test_r_agrees():
    # R 4.2.2, mda 0.5-3, vowel: f <- fda(y ~ ., data = train, method = gen.ridge, lambda = 5)
    X, y, X_test, y_test = vowel()
    model = PenalizedDiscriminantAnalysis(5.0).fit(X, y)
    explained = [56.72781943, 91.40631681, 95.80642991, 97.75264218, 98.83114663]
    assert_close(100 * np.cumsum(model.explained_variance_ratio_)[:5], explained, rtol=1e-8)
    posterior = [0.0539775493, 0.4059339144, 0.528573271195, 6.902438017e-03, 3.599738411e-06]
    assert_close(model.predict_proba(X_test[:1])[0, :5], posterior, rtol=1e-7)
    assert_close([1 - model.score(X, y), 1 - model.score(X_test, y_test)], [0.3219696970, 0.5562770563])


def test_smooth_coefficients_help_with_curves(rng):
    t = np.linspace(0, 1, 80)

    def draw(n):
        y = np.arange(n) % 2
        X = np.outer(2 * y - 1, 0.25 * np.sin(2 * np.pi * t)) + rng.normal(size=(n, 80))
        return X, y

    (X, y), (X_test, y_test) = draw(120), draw(2000)
    rough = PenalizedDiscriminantAnalysis(1e-6, penalty="smooth").fit(X, y)
    smooth = PenalizedDiscriminantAnalysis(1e5, penalty="smooth").fit(X, y)
    assert smooth.score(X_test, y_test) > rough.score(X_test, y_test) + 0.05
    bend = [np.sum(np.diff(m.scalings_[:, 0], 2) ** 2) / np.sum(m.scalings_[:, 0] ** 2) for m in (rough, smooth)]
    assert bend[1] < 1e-3 * bend[0]
    assert smooth.df_ < 15 < rough.df_
    chosen = PenalizedDiscriminantAnalysis(10.0 ** np.arange(-2, 7), penalty="smooth").fit(X, y)
    assert chosen.alpha_ >= 10
    one = chosen.cv_curve_.parameter == chosen.alpha_
    alone = cross_val_score(PenalizedDiscriminantAnalysis(chosen.alpha_, penalty="smooth"), X, y, cv=StratifiedKFold(5))
    assert_close(chosen.cv_curve_.loss[one][0], 1 - alone)


def test_penalties_of_images():
    omega = penalty_matrix("image", 12, (3, 4))
    plane = np.add.outer(2.0 * np.arange(3), -np.arange(4)).ravel()
    assert_close(plane @ omega @ plane, 0)
    bump = np.zeros((3, 4))
    bump[1, 1] = 1
    columns, rows = np.diff(bump, 2, axis=0), np.diff(bump, 2, axis=1)
    assert_close(bump.ravel() @ omega @ bump.ravel(), np.sum(columns**2) + np.sum(rows**2))
    with pytest.raises(ValueError, match="image_shape"):
        penalty_matrix("image", 12, (3, 5))
    with pytest.raises(ValueError, match="symmetric matrix of shape"):
        penalty_matrix(np.eye(3), 12)


def test_singular_problems_raise(rng):
    X, y = gaussians(rng, 40)
    Z = np.column_stack([X, X[:, 0]])
    with pytest.raises(linalg.LinAlgError, match="singular with alpha=0"):
        PenalizedDiscriminantAnalysis(0.0).fit(Z, y)
    assert PenalizedDiscriminantAnalysis(1.0).fit(Z, y).score(Z, y) > 0.5
    with pytest.raises(ValueError, match="`alpha` must contain"):
        PenalizedDiscriminantAnalysis([1.0, -1.0]).fit(X, y)
