"""Backfitting against least squares, penalised fits and its own equations."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from statlearn._core.warnings import SeparationWarning
from statlearn.linear import GeneralizedLinearRegressor, LinearRegression
from statlearn.smooth import GAM, AdditiveModel, Loess, SmoothingSpline, s
from tests.helpers import assert_close


def problem(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    X[:, 1] = 0.5 * X[:, 0] + 0.5 * X[:, 1]
    return X, np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * rng.normal(size=n)


@pytest.mark.spec("SMT-24", "SMT-P14")
def test_projections_give_least_squares_on_the_joint_basis():
    X, y = problem()
    cubic = make_pipeline(PolynomialFeatures(3, include_bias=False), LinearRegression())
    model = AdditiveModel(cubic, tol=1e-10, max_iter=2000).fit(X, y)
    basis = np.column_stack([X**d for d in (1, 2, 3)])
    assert_close(model.predict(X), LinearRegression().fit(basis, y).predict(basis), atol=1e-6)
    assert model.df_ is None


@pytest.mark.spec("SMT-24", "SMT-P14")
def test_functions_have_mean_zero_and_are_smooths_of_their_partial_residuals():
    X, y = problem()
    model = AdditiveModel(tol=1e-9).fit(X, y)
    parts = model.predict_terms(X)
    assert_close(parts.mean(axis=0), 0, atol=1e-10)
    assert model.intercept_ == pytest.approx(y.mean())
    for j in range(3):
        rest = y - model.intercept_ - parts.sum(axis=1) + parts[:, j]
        again = SmoothingSpline(df=4).fit(X[:, [j]], rest).predict(X[:, [j]])
        assert_close(again - again.mean(), parts[:, j], atol=1e-6)
    assert model.df_ == pytest.approx(1 + 3 * 3, abs=1e-4)


@pytest.mark.spec("SMT-P15")
def test_the_fixed_point_minimises_the_penalised_sum_of_squares():
    # Smoothing splines with fixed penalties: the criterion of an additive model with full bases and those penalties.
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.permutation(np.linspace(0, 1, 30)) for _ in range(2)])
    y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=30)
    backfitted = AdditiveModel(SmoothingSpline(lam=0.01), tol=1e-12, max_iter=5000).fit(X, y)
    knots = np.linspace(0, 1, 30)
    at_once = GAM([s(0, 30, knots=knots, lam=0.01), s(1, 30, knots=knots, lam=0.01)]).fit(X, y)
    assert_close(backfitted.predict(X), at_once.predict(X), atol=1e-6)


@pytest.mark.spec("SMT-25", "SMT-P15")
@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_local_scoring_with_linear_smoothers_is_a_generalised_linear_model(family):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    eta = X @ [0.8, -0.5]
    y = (
        (rng.uniform(size=300) < 1 / (1 + np.exp(-eta))).astype(float)
        if family == "binomial"
        else rng.poisson(np.exp(eta))
    )
    model = AdditiveModel(LinearRegression(), family=family, tol=1e-10).fit(X, y)
    other = GeneralizedLinearRegressor(family=family, tol=1e-12).fit(X, y)
    assert_close(model.predict(X), other.predict(X), rtol=1e-5, atol=0)
    assert model.deviance_ == pytest.approx(other.deviance_, rel=1e-8)
    assert np.all(np.diff(model.deviances_) <= 1e-8 * model.deviances_[0])


@pytest.mark.spec("SMT-25")
def test_local_scoring_of_smooth_functions():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(800, 2))
    truth = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 - 0.5
    y = (rng.uniform(size=800) < 1 / (1 + np.exp(-truth))).astype(float)
    model = AdditiveModel(SmoothingSpline(df=5), family="binomial").fit(X, y)
    parts = model.predict_terms(X)
    assert np.corrcoef(parts[:, 0], np.sin(2 * X[:, 0]))[0, 1] > 0.9
    assert np.corrcoef(parts[:, 1], X[:, 1] ** 2)[0, 1] > 0.9


def test_any_smoother_will_do_and_trouble_is_named():
    X, y = problem(60)
    model = AdditiveModel([SmoothingSpline(df=3), KNeighborsRegressor(15), LinearRegression()]).fit(X, y)
    assert [type(m).__name__ for m in model.smoothers_] == [
        "SmoothingSpline",
        "KNeighborsRegressor",
        "LinearRegression",
    ]
    assert clone(model).smoother is not None
    with pytest.raises(ValueError, match="one smoother per column: expected 3"):
        AdditiveModel([LinearRegression()]).fit(X, y)
    with pytest.raises(ValueError, match="does not accept weights"):
        AdditiveModel(KNeighborsRegressor(5)).fit(X, y, sample_weight=np.arange(1, 61))
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        AdditiveModel(max_iter=1).fit(X, y)


def test_selected_columns_are_reported_and_drawn():
    import matplotlib

    matplotlib.use("Agg")
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    y = np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=150)
    model = AdditiveModel([SmoothingSpline(df=5), SmoothingSpline(df=3)]).fit(X, y)
    table = model.summary()
    assert_close(table.table.columns["df"], [4, 2], atol=1e-6)
    assert_close(model.term_std_, model.predict_terms(X).std(axis=0), rtol=1e-6, atol=0)
    assert model.term_std_[0] > 5 * model.term_std_[1]
    assert "SmoothingSpline" in str(table)
    axes = model.plot()
    assert [ax.get_xlabel() for ax in axes] == ["x0", "x1"]


def test_weights_of_local_scoring_are_precisions_to_loess():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(200, 2))
    y = (rng.uniform(size=200) < 1 / (1 + np.exp(-4 * np.sin(6 * X[:, 0])))).astype(float)
    plain = AdditiveModel(Loess(span=0.6, degree=1), family="binomial").fit(X, y)
    told = AdditiveModel(Loess(span=0.6, degree=1, weights="precision"), family="binomial").fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), told.predict(X))
    assert plain.smoother.weights == "frequency"  # the user's own is left alone
    assert plain.deviance_ < 0.8 * plain.deviances_[0]


def test_verbose_prints_the_rounds(rng, capsys):
    X = rng.uniform(size=(100, 2))
    model = AdditiveModel(verbose=1).fit(X, np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=100))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert float(lines[-1].split("relative change of the functions ")[1].split()[0]) <= model.tol


def test_separated_classes_warn():
    X, y = problem()
    with pytest.warns(SeparationWarning, match="separate the classes"):
        AdditiveModel(family="binomial").fit(X, (X[:, 0] > 0.5).astype(float))
    AdditiveModel(family="binomial").fit(X, (y > y.mean()).astype(float))


def test_separated_classes_end_soon():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5))
    y = (X[:, 0] + rng.normal(size=20) > 0).astype(float)
    with pytest.warns(SeparationWarning, match="separate the classes"):
        model = AdditiveModel(family="binomial").fit(X, y)
    assert model.n_iter_ < 400  # thousands, if every step of local scoring is backfitted to its end


@pytest.mark.spec("SMT-24")
def test_local_scoring_keeps_to_the_number_of_rounds():
    """With more functions than rows, the steps of local scoring need many rounds each."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 20)), rng.poisson(2.0, 12) + 1.0
    with pytest.warns(ConvergenceWarning, match="Increase `max_iter`"):
        model = AdditiveModel(link="log", max_iter=12).fit(X, y)
    assert model.n_iter_ == 12
