"""Finite data and weights at the ends of the floating-point range: an answer, or an error that names the argument."""

import warnings

import numpy as np
import pytest

from statlearn.linear import (
    AdaptiveLasso,
    ARDRegression,
    BayesianRidge,
    BestSubsetRegressor,
    BridgeRegression,
    FactorizationMachineRegressor,
    GeneralizedLinearRegressor,
    GeneralizedLinearRegressorCV,
    GroupLasso,
    GroupLassoCV,
    HuberRegressor,
    LADRegressor,
    LarsCV,
    LassoCV,
    LassoLarsCV,
    LinearRegression,
    MAPRegressor,
    NonconvexRegressor,
    NonconvexRegressorCV,
    OrthogonalMatchingPursuitCV,
    PoissonRegressor,
    PrincipalComponentRegression,
    RecursiveLeastSquares,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    StudentTRegressor,
)
from tests.helpers import assert_close


@pytest.fixture(autouse=True)
def quiet():
    """Overflow is what these tests provoke; numpy may say so on the way to the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def data(rng, n=20, p=3):
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + rng.normal(size=n)


@pytest.mark.parametrize(
    "model",
    [
        AdaptiveLasso(),
        BestSubsetRegressor(size=None, criterion="cv", cv=5),
        GroupLassoCV(),
        LarsCV(),
        LassoCV(),
        LassoLarsCV(),
        NonconvexRegressorCV(),
        OrthogonalMatchingPursuitCV(),
        RidgeCV(cv=5),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind, used", [("training", 4), ("test", 16)])
def test_a_fold_without_weight_is_an_error_that_names_the_weights(model, kind, used, rng):
    X, y = data(rng)
    weights = np.zeros(20)
    weights[:used] = 1.0  # the first of five folds holds rows 0 to 3, the last one rows 16 to 19
    with pytest.raises(ValueError, match=f"sample_weight` is 0 for all {kind} rows of a fold"):
        model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("model", [BayesianRidge(), HuberRegressor()], ids=repr)
def test_columns_whose_squares_overflow_are_an_error(model, rng):
    X, y = data(rng)
    with pytest.raises(ValueError, match="X, y, sample_weight or parameters are so large"):
        model.fit(1e200 * X, y)


@pytest.mark.parametrize("model", [LinearRegression(), RecursiveLeastSquares()], ids=repr)
def test_slopes_that_overflow_are_an_error(model, rng):
    X, y = data(rng, 20, 30)
    with pytest.raises(ValueError, match="X, y, sample_weight or parameters are so large or so small"):
        model.fit(1e-310 * X, y)


@pytest.mark.parametrize(
    "model",
    [
        ARDRegression(alpha_2=1e6, lambda_2=1e300),
        BridgeRegression(alpha=1e300, q=1e6),
    ],
    ids=repr,
)
def test_parameters_that_overflow_are_an_error(model, rng):
    X, y = data(rng, 3, 30) if isinstance(model, ARDRegression) else data(rng)
    with pytest.raises(ValueError, match="parameters are so large"):
        model.fit(X + 10.0, y)


@pytest.mark.parametrize("unit", [1e-280, 1e-200, 1e150])
@pytest.mark.parametrize("model", [GroupLasso(alpha=0.1), NonconvexRegressor(alpha=0.1)], ids=repr)
def test_only_ratios_of_weights_matter_however_large_or_small(model, unit, rng):
    X, y = data(rng)
    expected = model.fit(X, y).coef_.copy()
    assert_close(model.fit(X, y, sample_weight=np.full(20, unit)).coef_, expected)


def test_denormal_weights_of_a_student_regression_are_an_error(rng):
    X, y = data(rng)
    with pytest.raises(ValueError, match=r"sample_weight is at most 4\.94e-324, so small that sums underflow"):
        StudentTRegressor().fit(X, y, sample_weight=np.full(20, 5e-324))


def test_reweighted_least_absolute_deviations_do_not_depend_on_the_unit_of_y(rng):
    X, y = data(rng)
    plain = LADRegressor(solver="irls", max_iter=5).fit(X, y)
    tiny = LADRegressor(solver="irls", max_iter=5).fit(X, 1e-290 * y)
    assert_close(1e290 * tiny.coef_, plain.coef_)


@pytest.mark.parametrize("likelihood", ["gaussian", "laplace", "student"])
def test_a_prior_too_narrow_for_a_finite_penalty_is_named(likelihood, rng):
    X, y = data(rng)
    with pytest.raises(ValueError, match="prior_scale=1e-300 is so small"):
        MAPRegressor(likelihood, prior_scale=1e-300).fit(X, y)


def test_a_constant_column_has_no_component_to_choose():
    with pytest.raises(ValueError, match="X or y is constant in a training fold"):
        PrincipalComponentRegression("cv", scale=True).fit(np.ones((60, 1)), np.arange(60.0))


def test_more_starts_than_can_be_made_are_refused():
    with pytest.raises(ValueError, match="n_starts"):
        BridgeRegression(q=0.5, n_starts=10**12).fit([[0.0], [1.0]], [0.0, 1.0])


def test_intervals_need_degrees_of_freedom_for_the_dispersion(rng):
    X, y = data(rng)
    model = GeneralizedLinearRegressor().fit(X, y, sample_weight=np.full(20, 1e-3))
    with pytest.raises(ValueError, match="no residual degrees of freedom"):
        model.predict_interval(X)


@pytest.mark.parametrize("model", [GeneralizedLinearRegressor(), GeneralizedLinearRegressorCV(), PoissonRegressor()])
def test_the_score_of_a_constant_response_is_a_number(model, rng):
    X, y = data(rng)
    model.fit(X, np.abs(y))
    assert model.score(X, np.full(20, 2.0)) == 0.0


def test_means_of_a_log_link_are_finite_far_from_the_data(rng):
    X, y = data(rng)
    model = PoissonRegressor(alpha=0.0).fit(X, np.round(np.abs(y)))
    assert np.isfinite(model.predict(1e6 * X)).all()
    assert np.isfinite(model.score(1e6 * X, np.round(np.abs(y))))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("model", [Ridge, RidgeClassifier, MAPRegressor, FactorizationMachineRegressor])
def test_columns_whose_squares_overflow_are_refused(model, fit_intercept, rng):
    X, y = data(rng)
    y = (y > 0).astype(int) if model is RidgeClassifier else y
    with pytest.raises(ValueError, match="so large or so small"):
        model(fit_intercept=fit_intercept).fit(1e200 * X, y)


def test_responses_whose_squares_overflow(rng):
    X, y = data(rng)
    with pytest.raises(ValueError, match="so large or so small"):
        BayesianRidge().fit(X, 1e200 * y)
    assert np.isfinite(ARDRegression().fit(X, 1e200 * y).predict(X)).all()
