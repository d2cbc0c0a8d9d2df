"""Regularised discriminant analysis: end points, cross-validation, leave-one-out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_predict

from statlearn.discriminant import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    scatter_matrices,
)
from statlearn.discriminant._class_scatter import ClassScatter
from statlearn.discriminant._leave_one_out import loo_scores
from tests.discriminant.tables import gaussians, vowel
from tests.helpers import assert_close


@pytest.mark.spec("DIS-06", "DIS-P8")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 4), k=st.integers(2, 4))
def test_end_points_are_linear_and_quadratic(seed, p, k):
    X, y = gaussians(np.random.default_rng(seed), 60, p, k, common=False)
    ends = RegularizedDiscriminantAnalysis(alpha=0, gamma=0), RegularizedDiscriminantAnalysis(alpha=1, gamma=0)
    rivals = LinearDiscriminantAnalysis(cov_divisor="n-k"), QuadraticDiscriminantAnalysis(cov_divisor="nk-1", tol=0)
    for end, rival in zip(ends, rivals):
        assert_close(end.fit(X, y).predict_proba(X), rival.fit(X, y).predict_proba(X), atol=1e-6)


@pytest.mark.spec("DIS-06")
@given(seed=st.integers(0, 10_000), alpha=st.floats(0, 1), gamma=st.floats(0, 1))
def test_covariances_are_the_formula(seed, alpha, gamma):
    X, y = gaussians(np.random.default_rng(seed), 60, common=False)
    model = RegularizedDiscriminantAnalysis(alpha, gamma).fit(X, y)
    s = scatter_matrices(X, y)
    for c in range(3):
        M = alpha * s.class_covariances[c] + (1 - alpha) * s.pooled_covariance
        S = (1 - gamma) * M + gamma * np.trace(M) / 3 * np.eye(3)
        assert_close(model.covariances_[c], S)
    joint = np.stack([multivariate_normal(m, S).logpdf(X) for m, S in zip(model.means_, model.covariances_)], axis=1)
    gap = model.decision_function(X) @ [1, -1, 0]
    assert_close(gap, (joint + np.log(model.priors_)) @ [1, -1, 0], rtol=1e-5, atol=1e-5)


@pytest.mark.spec("CRS-17")
def test_an_alpha_without_a_gamma_means_the_covariances_of_alpha(rng):
    X, y = gaussians(rng, 60, common=False)
    model = RegularizedDiscriminantAnalysis(alpha=0.3).fit(X, y)
    assert model.gamma_ == 0
    assert not hasattr(model, "cv_loss_")
    s = scatter_matrices(X, y)
    densities = [
        prior * multivariate_normal(X[y == c].mean(axis=0), 0.3 * S + 0.7 * s.pooled_covariance).pdf(X)
        for c, (prior, S) in enumerate(zip(np.bincount(y) / len(y), s.class_covariances))
    ]
    assert_close(model.predict_proba(X), np.transpose(densities / np.sum(densities, axis=0)), rtol=1e-12, atol=1e-12)
    assert RegularizedDiscriminantAnalysis(alpha=[0.2, 0.8]).fit(X, y).gammas_.tolist() == [0]
    for both in (
        RegularizedDiscriminantAnalysis(alpha=0.3, gamma="cv"),
        RegularizedDiscriminantAnalysis(),
        RegularizedDiscriminantAnalysis(gamma="cv"),
    ):
        assert both.fit(X, y).gammas_.tolist() == [0, 0.01, 0.1, 0.5]


@pytest.mark.spec("DIS-06")
@pytest.mark.parametrize(
    "cv", [StratifiedKFold(4, shuffle=True, random_state=0), KFold(5), [(range(40), range(30, 60))]]
)
@pytest.mark.parametrize("scoring", ["error", "log_loss"])
def test_the_grid_equals_fits_one_by_one(cv, scoring, rng):
    X, y = gaussians(rng, 60, common=False)
    order = rng.permutation(len(X))
    X, y = X[order], y[order]
    alphas, gammas = [0.0, 0.3, 1.0], [0.0, 0.2, 0.9]
    model = RegularizedDiscriminantAnalysis(alphas, gammas, cv=cv, scoring=scoring).fit(X, y)
    folds = cv if isinstance(cv, list) else list(cv.split(X, y))
    for a, alpha in enumerate(alphas):
        for g, gamma in enumerate(gammas):
            losses, sizes = [], []
            for train, test in folds:
                train, test = np.asarray(train), np.asarray(test)
                proba = RegularizedDiscriminantAnalysis(alpha, gamma).fit(X[train], y[train]).predict_proba(X[test])
                wrong = proba.argmax(axis=1) != y[test]
                losses.append(np.mean(wrong if scoring == "error" else -np.log(proba[np.arange(len(test)), y[test]])))
                sizes.append(len(test))
            assert_close(model.cv_loss_[a, g], np.average(losses, weights=sizes), rtol=1e-6, atol=1e-8)
    best = model.cv_loss_.min()
    at = np.searchsorted(model.alphas_, model.alpha_), np.searchsorted(model.gammas_, model.gamma_)
    assert model.cv_loss_[at] == best
    assert np.all(model.cv_loss_[: at[0]] > best)  # ties go to the smaller alpha ...
    assert np.all(model.cv_loss_[at[0], at[1] + 1 :] > best)  # ... and the larger gamma
    assert_close(model.cv_curve_.mean, model.cv_loss_[:, at[1]])


@pytest.mark.spec("DIS-06")
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.0, 0.4, 1.0]), gamma=st.sampled_from([0.0, 0.3, 1.0]))
def test_leave_one_out_in_closed_form_equals_refitting(seed, alpha, gamma):
    X, y = gaussians(np.random.default_rng(seed), 30, 2, common=False)
    statistic = ClassScatter.from_block(X, y, n_classes=3)
    scores = loo_scores(statistic, X, y, alpha=alpha, gammas=[gamma])[0]
    model = RegularizedDiscriminantAnalysis(alpha, gamma)
    for i in range(0, len(X), 4):
        rest = np.arange(len(X)) != i
        one = model.fit(X[rest], y[rest]).decision_function(X[[i]])[0]
        assert_close(scores[i] - scores[i, 0], one - one[0], rtol=1e-5, atol=1e-6)


def test_leave_one_out_choice(rng):
    X, y = load_wine(return_X_y=True)
    X, y = X[::2, :5], y[::2]
    model = RegularizedDiscriminantAnalysis([0.0, 0.5, 1.0], [0.0, 0.1], cv="loo").fit(X, y)
    for a, alpha in enumerate(model.alphas_):
        for g, gamma in enumerate(model.gammas_):
            one = RegularizedDiscriminantAnalysis(alpha, gamma)
            assert_close(model.cv_loss_[a, g], np.mean(cross_val_predict(one, X, y, cv=LeaveOneOut()) != y))
    weights = rng.integers(1, 3, len(X))
    twice = RegularizedDiscriminantAnalysis([0.0, 1.0], 0.1, cv="loo", scoring="log_loss")
    a = twice.fit(X, y, weights).cv_loss_
    b = twice.fit(X.repeat(weights, axis=0), y.repeat(weights)).cv_loss_
    assert_close(a, b)
    with pytest.raises(ValueError, match="sample_weight"):
        twice.fit(X, y, weights / 4)


def test_one_standard_error_prefers_the_simpler_model(rng):
    X, y = gaussians(rng, 100, spread=0.5, common=False)
    loose = RegularizedDiscriminantAnalysis(gamma=0, rule="one_se").fit(X, y)
    strict = RegularizedDiscriminantAnalysis(gamma=0).fit(X, y)
    assert loose.alpha_ <= strict.alpha_
    curve = strict.cv_curve_
    assert loose.alpha_ == curve.parameter[curve.one_se]


def test_posteriors_match_klar():
    # R 4.2.2, the part of klaR's rda() with given parameters:
    # f <- rda(as.matrix(iris[, 1:4]), iris$Species, gamma = 0.1, lambda = 0.4);
    # predict(f, as.matrix(iris[c(71, 84, 134), 1:4]))$posterior. Its lambda is 1 - alpha.
    X, y = load_iris(return_X_y=True)
    proba = RegularizedDiscriminantAnalysis(1 - 0.4, 0.1).fit(X, y).predict_proba(X[[70, 83, 133]])
    assert_close(proba[:, 1], [0.3844415247660, 0.1660397150101, 0.5525238055700], rtol=1e-9)
    assert_close(np.log(proba[:, 0]), np.log([8.059068303130e-38, 3.319488322070e-42, 1.369154165844e-39]), rtol=1e-9)
    # vowel, errors on the training and the test rows, and the posterior of the first test row
    X, y, X_test, y_test = vowel()
    for gamma, lam, train, test, first in (
        (0.0, 0.1, 0.02083333333333, 0.452380952381, [9.999999972595e-01, 2.740439533041e-09]),
        (0.02, 0.3, 0.05113636363636, 0.4632034632035, [9.993958236134e-01, 6.017150947802e-04]),
        (0.3, 0.7, 0.1875, 0.4329004329004, [4.951629461095e-01, 4.191047583673e-01]),
    ):
        model = RegularizedDiscriminantAnalysis(1 - lam, gamma).fit(X, y)
        assert_close([1 - model.score(X, y), 1 - model.score(X_test, y_test)], [train, test], rtol=1e-9)
        assert_close(model.predict_proba(X_test[:1])[0, :2], first, rtol=1e-8)


@pytest.mark.spec("DIS-06")
def test_vowel_prefers_something_in_between():
    # Hastie, Tibshirani & Friedman, section 4.3.1: the smallest test error is at alpha near 0.9
    X, y, X_test, y_test = vowel()
    error = [1 - RegularizedDiscriminantAnalysis(a, 0).fit(X, y).score(X_test, y_test) for a in np.linspace(0, 1, 21)]
    assert 0.7 <= np.linspace(0, 1, 21)[np.argmin(error)] <= 0.98
    assert min(error) < 0.5 < error[-1] < error[0]


def test_singular_models_raise_or_passed_over(rng):
    X, y = rng.normal(size=(24, 10)), np.arange(24) % 3
    with pytest.raises(linalg.LinAlgError, match="gamma > 0"):
        RegularizedDiscriminantAnalysis(1.0, 0.0).fit(X, y)
    model = RegularizedDiscriminantAnalysis([0.0, 1.0], [0.0, 0.5]).fit(X, y)
    assert np.isinf(model.cv_loss_[1, 0])
    assert np.isfinite(model.cv_loss_[1, 1])
    with pytest.raises(linalg.LinAlgError, match="all covariances"):
        RegularizedDiscriminantAnalysis([0.5, 1.0], 0.0).fit(rng.normal(size=(24, 30)), y)
    with pytest.raises(ValueError, match="`gamma` must contain numbers between 0 and 1"):
        RegularizedDiscriminantAnalysis(0.5, [0.1, 2.0]).fit(X, y)


@pytest.mark.parametrize("cv", [5, "loo"])
def test_a_class_of_one_row_and_a_prior_of_zero_leave_other_models_on_the_grid(cv, rng):
    X, y = gaussians(rng, 60, common=False)
    lone = np.where(y == 2, 0, y)
    lone[0] = 2
    model = RegularizedDiscriminantAnalysis([0.0, 0.5], [0.1, 0.5], cv=cv).fit(X, lone)
    assert np.isfinite(model.cv_loss_).any()
    assert np.isfinite(model.predict_proba(X)).all()
    never = RegularizedDiscriminantAnalysis([0.0, 0.5], [0.1, 0.5], cv=cv, priors=[0, 0.5, 0.5]).fit(X, y)
    assert np.isfinite(never.cv_loss_).all()
    assert_close(never.predict_proba(X)[:, 0], np.zeros(len(X)))
    with pytest.raises(linalg.LinAlgError, match="All columns are constant within the classes"):
        RegularizedDiscriminantAnalysis(0.5, 0.1).fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])


def test_summary_and_priors(rng):
    X, y = gaussians(rng, 80, common=False)
    model = RegularizedDiscriminantAnalysis().fit(X, y)
    summary = model.summary()
    assert summary.facts["alpha"] == model.alpha_
    assert "Cross-validated error" in str(summary)
    a = RegularizedDiscriminantAnalysis(0.5, 0.1, priors=[0.2, 0.2, 0.6]).fit(X, y)
    b = RegularizedDiscriminantAnalysis(0.5, 0.1).fit(X, y).set_priors([0.2, 0.2, 0.6])
    assert_close(a.predict_proba(X), b.predict_proba(X))


@pytest.mark.parametrize("cv", [4, "loo"])
def test_units_do_not_matter_without_the_identity(cv, rng):
    X, y = gaussians(rng, 80, common=False)
    plain = RegularizedDiscriminantAnalysis([0.0, 0.5, 1.0], 0.0, cv=cv, scoring="log_loss").fit(X, y)
    moved = RegularizedDiscriminantAnalysis([0.0, 0.5, 1.0], 0.0, cv=cv, scoring="log_loss").fit(X * [1e-7, 1, 1e7], y)
    assert_close(moved.cv_loss_, plain.cv_loss_, rtol=1e-6)
    assert moved.alpha_ == plain.alpha_
