"""Bias and variance: simulation against closed forms, and the shapes that the texts draw."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from statlearn.assess import (
    bias_variance_decomposition,
    diagnose_regime,
    learning_curve,
    linear_fit_variance,
    ols_prediction_variance,
    overfits,
    validation_curve,
)
from statlearn.linear import LinearRegression, Ridge
from tests.helpers import assert_close


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), LinearRegression())


def truth(X):
    return X[:, 0] ** 3 - 2 * X[:, 0]


def draw(rng, n=30):
    X = rng.uniform(-2, 2, size=(n, 1))
    return X, truth(X) + rng.normal(size=n)


POINTS = np.linspace(-1.9, 1.9, 25)[:, None]


@pytest.mark.spec("ASM-31", "ASM-P11")
def test_noise_bias_and_variance_add_up_to_the_error(seed):
    found = bias_variance_decomposition(
        polynomial(2), draw, POINTS, truth=truth, noise=1.0, n_sets=150, random_state=seed
    )
    assert_close(found.error, 1.0 + np.mean((found.predictions - truth(POINTS)) ** 2, axis=0))
    rng = np.random.default_rng(seed + 1)
    fresh = (found.predictions - truth(POINTS) - rng.normal(size=found.predictions.shape)) ** 2
    each = fresh.mean(axis=1)
    assert abs(each.mean() - found.average["error"]) < 4 * (each.std(ddof=1) / np.sqrt(150))
    estimated = bias_variance_decomposition(polynomial(2), draw, POINTS, truth=truth, n_sets=150, random_state=seed)
    assert_close(estimated.average["noise"], 1.0, rtol=0.1)  # 4500 residuals
    assert_close(estimated.bias2, found.bias2)


@pytest.mark.spec("ASM-31", "ASM-P11")
@pytest.mark.parametrize("k", [1, 5, 15])
def test_nearest_neighbours_at_fixed_points_have_variance_sigma2_over_k(k, seed):
    X = np.linspace(0, 1, 40)[:, None]

    def fixed(rng):
        return X, np.sin(4 * X[:, 0]) + 0.5 * rng.normal(size=40)

    found = bias_variance_decomposition(
        KNeighborsRegressor(k), fixed, X, truth=np.sin(4 * X[:, 0]), noise=0.25, n_sets=300, random_state=seed
    )
    # Neighbouring points share rows: about 40/k independent variances, each known to sqrt(2/300).
    assert_close(found.average["variance"], 0.25 / k, rtol=4 * np.sqrt(2 / 300 / max(1, 40 / k)) + 0.02)


@pytest.mark.spec("ASM-31", "ASM-P11")
def test_linear_fits_have_average_variance_p_sigma2_over_n(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 4))

    def fixed(rng):
        return X, X.sum(axis=1) + rng.normal(size=50)

    found = bias_variance_decomposition(
        LinearRegression(), fixed, X, truth=X.sum(axis=1), noise=1.0, n_sets=200, random_state=seed
    )
    expected = linear_fit_variance(50, 5)
    each = np.mean((found.predictions - found.mean_prediction) ** 2, axis=1)
    assert abs(found.average["variance"] - expected) < 4 * each.std(ddof=1) / np.sqrt(200)
    assert_close(np.mean(ols_prediction_variance(X)), expected)
    assert abs(found.average["bias2"]) < 0.01


@pytest.mark.spec("ASM-P12")
def test_bias_falls_and_variance_rises_with_the_degree(seed):
    def at_fixed_points(rng):
        return POINTS, truth(POINTS) + rng.normal(size=len(POINTS))

    found = [
        bias_variance_decomposition(
            polynomial(d), at_fixed_points, POINTS, truth=truth, noise=1.0, n_sets=100, random_state=seed
        ).average
        for d in (1, 3, 7)
    ]
    assert found[0]["bias2"] > 10 * max(found[1]["bias2"], 0.01)
    assert found[0]["variance"] < found[1]["variance"] < found[2]["variance"]


def shape_of_test_curve(f, seed, degrees=(1, 2, 3, 4, 5, 6), sd=0.5):
    def generate(rng, n):
        X = rng.uniform(-1, 1, size=(n, 1))
        return X, f(X[:, 0]) + sd * rng.normal(size=n)

    curve = validation_curve(
        polynomial(1), param_name="polynomialfeatures__degree", param_range=degrees, generator=generate, n_train=40,
        n_test=400, replicates=40, scoring="neg_mean_squared_error", random_state=seed,
    )  # fmt: skip
    return np.median(-curve.test_scores, axis=1)


@pytest.mark.spec("ASM-P12", "ASM-29")
def test_three_shapes_of_the_test_curve(seed):
    u = shape_of_test_curve(lambda x: 4 * x**3 - 2 * x, seed)
    assert np.argmin(u) == 2
    assert u[0] > u[2] < u[5]
    linear = shape_of_test_curve(lambda x: x, seed)
    assert np.argmin(linear) == 0
    assert linear[0] < linear[3] < linear[5]
    wiggly = shape_of_test_curve(lambda x: np.sin(6 * x), seed, degrees=(1, 3, 5, 7), sd=0.1)
    assert np.all(np.diff(wiggly) < 0), "more flexibility keeps paying"


@pytest.mark.slow
@pytest.mark.spec("ASM-T20", "ASM-29")
def test_polynomials_of_degree_1_3_and_7(seed):
    curve = validation_curve(
        polynomial(1), param_name="polynomialfeatures__degree", param_range=[1, 3, 7], n_train=30, n_test=500,
        generator=draw, replicates=300, scoring="neg_mean_squared_error", random_state=seed,
    )  # fmt: skip
    train, test = -curve.train_mean, np.median(-curve.test_scores, axis=1)
    assert train[0] > train[1] > train[2]
    assert test[1] < test[2] < test[0]


@pytest.mark.spec("ASM-P13", "ASM-29")
def test_more_rows_raise_the_training_error_and_lower_the_test_error(seed):
    curve = learning_curve(
        polynomial(3), generator=draw, train_sizes=[8, 20, 60, 400], replicates=40, random_state=seed,
        scoring="neg_mean_squared_error",
    )  # fmt: skip
    train, test = -curve.train_mean, np.median(-curve.test_scores, axis=1)
    assert np.all(np.diff(train) > 0)
    assert np.all(np.diff(test) < 0)
    assert abs(test[-1] - train[-1]) < 0.1, "both meet at the noise variance"
    assert_close(train[-1], 1.0, rtol=0.1)
    low, high = curve.band(0.8)
    assert np.all((low <= curve.test_mean) | (low[0] < high[0]))
    assert np.all(np.diff(high - low) < 0), "the band narrows"


@pytest.mark.spec("ASM-29")
def test_curves_on_data_are_scikit_learns():
    from sklearn import model_selection

    X, y = load_diabetes(return_X_y=True)
    sizes, train, test = learning_curve(Ridge(), X, y, train_sizes=[50, 200], cv=4, shuffle=False)
    expected = model_selection.learning_curve(Ridge(), X, y, train_sizes=[50, 200], cv=4)
    for ours, theirs in zip((sizes, train, test), expected):
        assert_close(ours, theirs)
    curve = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[10.0, 1.0, 0.1], cv=4, replicates=1)
    train, test = curve
    expected = model_selection.validation_curve(Ridge(), X, y, param_name="alpha", param_range=[10.0, 1.0, 0.1], cv=4)
    assert_close(test, expected[1])
    assert_close(curve.cv_curve.mean, -test.mean(axis=1))
    assert_close(curve.test_std_error, test.std(axis=1, ddof=1) / 2)
    repeated = learning_curve(Ridge(), X, y, train_sizes=[100], cv=4, replicates=3, random_state=0)
    assert repeated.test_scores.shape == (1, 12)
    words = validation_curve(Ridge(), X, y, param_name="solver", param_range=["svd", "cholesky"], cv=3)
    assert words.labels == ["svd", "cholesky"]


@pytest.mark.spec("ASM-32")
def test_variance_of_least_squares_predictions(rng):
    X, x0 = rng.normal(size=(20, 3)), rng.normal(size=(5, 3))
    weights = x0 @ np.linalg.solve(X.T @ X, X.T)  # h(x0), one row per point
    assert_close(
        ols_prediction_variance(X, x0, noise_variance=2.0, fit_intercept=False), 2.0 * np.sum(weights**2, axis=1)
    )
    model = LinearRegression().fit(X, rng.normal(size=20))
    assert_close(ols_prediction_variance(X), model.influence(X, rng.normal(size=20)).leverage)
    assert linear_fit_variance(1000, 10) == 0.01
    assert_close(linear_fit_variance(1000, 10, design="random"), 10 / 989)
    assert linear_fit_variance(11, 10, design="random") == np.inf
    with pytest.raises(ValueError, match="linearly dependent"):
        ols_prediction_variance(np.ones((5, 2)))
    with pytest.raises(ValueError, match="`x0` has"):
        ols_prediction_variance(X, x0[:, :2])
    with pytest.raises(ValueError, match="n >= p"):
        linear_fit_variance(3, 4)


@pytest.mark.slow
@pytest.mark.spec("ASM-32")
def test_random_designs_have_variance_p_over_n_minus_p_minus_1(rng):
    n, p, sets = 30, 5, 4000
    X = rng.normal(size=(sets, n, p))
    x0 = rng.normal(size=(sets, p))
    values = np.einsum("si,sij,sj->s", x0, np.linalg.inv(np.einsum("sni,snj->sij", X, X)), x0)
    assert abs(values.mean() - linear_fit_variance(n, p, design="random")) < 4 * values.std() / np.sqrt(sets)


@pytest.mark.spec("ASM-30")
def test_overfitting_is_relative():
    assert overfits(0.01, 0.30, 0.10, 0.15)
    assert not overfits(0.10, 0.15, 0.01, 0.30)
    assert not overfits(0.01, 0.10, 0.10, 0.15), "better on both"
    assert not overfits(0.10, 0.30, 0.10, 0.15), "not better on the training rows"
    np.testing.assert_array_equal(overfits([0.1, 0.3], [0.5, 0.5], 0.2, 0.4), [True, False])


@pytest.mark.spec("ASM-30")
def test_regimes_follow_from_gap_and_error():
    assert diagnose_regime(0.02, 0.25, acceptable=0.1).name == "high variance"
    assert diagnose_regime(0.20, 0.22, acceptable=0.1).name == "high bias"
    fine = diagnose_regime(0.05, 0.08, acceptable=0.1)
    assert fine.name == "acceptable"
    assert_close(fine.gap, 0.03)
    assert "rows" in str(diagnose_regime(0.02, 0.25, acceptable=0.1))
    options = dict(generator=draw, train_sizes=[300], replicates=5, random_state=0, scoring="neg_mean_squared_error")
    assert diagnose_regime(learning_curve(polynomial(1), **options), acceptable=1.3).name == "high bias"
    assert diagnose_regime(learning_curve(polynomial(3), **options), acceptable=1.3).name == "acceptable"


@pytest.mark.spec("ASM-29")
def test_curves_unpack_and_index_like_scikit_learns_tuples():
    X, y = load_diabetes(return_X_y=True)
    curve = learning_curve(Ridge(), X, y, train_sizes=[50, 200], cv=3, return_times=True)
    assert len(curve) == 5
    assert curve[3].shape == (2, 3)
    train, test = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[1.0, 0.1], cv=3)
    assert train.shape == test.shape == (2, 3)


@pytest.mark.spec("CRS-05")
def test_test_points_may_be_a_list_or_a_data_frame():
    def draw(rng):
        X = rng.normal(size=(20, 2))
        return X.tolist(), (X[:, 0] + rng.normal(size=20)).tolist()

    options = dict(n_sets=5, random_state=0)
    points = [[1.0, 1.0], [0.0, 2.0]]
    by_list = bias_variance_decomposition(LinearRegression(), draw, points, truth=lambda X: X[:, 0], **options)
    by_array = bias_variance_decomposition(
        LinearRegression(), draw, np.array(points), truth=lambda X: X[:, 0], **options
    )
    assert_close(by_list.error, by_array.error)
    assert_close(by_list.truth, [1.0, 0.0])

    def frames(rng):
        X = pd.DataFrame(rng.normal(size=(20, 2)), columns=["a", "b"])
        return X, X["a"]

    frame = pd.DataFrame(points, columns=["a", "b"])
    found = bias_variance_decomposition(LinearRegression(), frames, frame, truth=lambda X: X["a"], **options)
    assert_close(found.mean_prediction, [1.0, 0.0])
