"""Nested models against statsmodels and the formulas; generalised linear models are in glm/test_glm.py."""

import numpy as np
import pytest
import statsmodels.api as sm

from statlearn._core.warnings import SeparationWarning
from statlearn.linear import GeneralizedLinearRegressor, LinearRegression, LogisticRegression, Ridge, deviance_test
from tests.helpers import assert_close


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 4))
    return X, X @ [1.0, 0.3, 0.0, 0.1] + rng.normal(size=60)


def test_least_squares_has_the_exact_f_test(table):
    X, y = table
    small, large = LinearRegression().fit(X[:, :2], y), LinearRegression().fit(X, y)
    found = deviance_test(large, small)
    F, p, df = sm.OLS(y, sm.add_constant(X)).fit().compare_f_test(sm.OLS(y, sm.add_constant(X[:, :2])).fit())
    assert_close([found["F"][1], found["p"][1], found["df"][1]], [F, p, df], rtol=1e-9)
    assert_close(found["deviance"], [small.rss_, large.rss_])
    assert list(found["df_residual"]) == [57, 55]


def test_one_column_gives_the_square_of_its_t_value(table):
    X, y = table
    large = LinearRegression().fit(X, y)
    found = deviance_test(LinearRegression().fit(X[:, :3], y), large)
    assert_close(found["F"][1], large.summary()["t"][-1] ** 2, rtol=1e-9)
    assert_close(found["p"][1], large.summary()["p"][-1], rtol=1e-9)


def test_least_squares_is_the_gaussian_family(table):
    X, y = table
    mixed = deviance_test(LinearRegression().fit(X[:, :1], y), GeneralizedLinearRegressor("gaussian").fit(X, y))
    pure = deviance_test(LinearRegression().fit(X[:, :1], y), LinearRegression().fit(X, y))
    assert_close(mixed["p"][1], pure["p"][1], rtol=1e-7)


def test_a_weight_is_a_number_of_copies(table, rng):
    X, y = table
    times = rng.integers(1, 4, len(y))
    weighted = deviance_test(*(LinearRegression().fit(X[:, :k], y, times) for k in (2, 4)))
    X, y = np.repeat(X, times, axis=0), np.repeat(y, times)
    repeated = deviance_test(*(LinearRegression().fit(X[:, :k], y) for k in (2, 4)))
    assert_close(weighted["p"][1], repeated["p"][1], rtol=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_has_the_likelihood_ratio_test(rng, classes):
    X = rng.normal(size=(150, 3))
    y = np.argmax(X @ rng.normal(size=(3, classes)) + rng.gumbel(size=(150, classes)), axis=1)
    small, large = (LogisticRegression(C=np.inf, tol=1e-10).fit(X[:, :k], y) for k in (1, 3))
    found = deviance_test(small, large)
    likelihoods = [sm.MNLogit(y, sm.add_constant(X[:, :k])).fit(disp=0).llf for k in (1, 3)]
    assert_close(found["chi2"][1], 2 * (likelihoods[1] - likelihoods[0]), rtol=1e-6)
    assert found["df"][1] == 2 * (classes - 1)


def dobson():
    """Counts of Dobson's trial, glm.D93 of R's help(glm): outcome, treatment, counts."""
    outcome, treatment = np.tile([0, 1, 2], 3), np.repeat([0, 1, 2], 3)
    X = np.column_stack([outcome == 1, outcome == 2, treatment == 1, treatment == 2]).astype(float)
    return X, [18, 17, 15, 20, 10, 20, 25, 13, 12]


@pytest.mark.filterwarnings("ignore::statlearn._core.warnings.RankWarning")
def test_f_with_a_fixed_dispersion_has_infinite_degrees_of_freedom_as_in_r():
    """R 4.2.2: anova(glm(counts ~ outcome, poisson), test = "F"): 2.72615, .065471; quasipoisson: 2.1079, .23704."""
    X, y = dobson()
    masks = ([0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1])
    null, small, large = (GeneralizedLinearRegressor("poisson").fit(X * mask, y) for mask in masks)
    found = deviance_test(null, small, test="F")
    assert_close([found["F"][1], found["p"][1]], [2.7261523989, 0.065471], rtol=1e-5)
    quasi = deviance_test(null, small, large, dispersion="pearson")
    assert_close([quasi["F"][1], quasi["p"][1]], [2.1079, 0.23704], rtol=2e-5)
    logistic = LogisticRegression(C=np.inf).fit(X[:, :1], np.arange(9) % 2)
    with pytest.raises(ValueError, match="dispersion='pearson'"):
        deviance_test(logistic, LogisticRegression(C=np.inf).fit(X[:, :2], np.arange(9) % 2), dispersion="pearson")


def test_models_that_are_not_nested_are_refused(table):
    X, y = table
    small, other = LinearRegression().fit(X[:, :1], y), LinearRegression().fit(X[:, 2:], y)
    assert other.rss_ > small.rss_
    with pytest.raises(ValueError, match=r"must be nested.*larger deviance"):
        deviance_test(small, other)


def test_incomparable_models_raise(table):
    X, y = table
    plain = LinearRegression().fit(X, y)
    with pytest.raises(TypeError, match="got Ridge"):
        deviance_test(plain, Ridge().fit(X, y))
    with pytest.raises(ValueError, match="one target"):
        deviance_test(plain, LinearRegression().fit(X, np.c_[y, y]))
    with pytest.raises(ValueError, match="positive=True"):
        deviance_test(plain, LinearRegression(positive=True).fit(X[:, :1], y))
    with pytest.raises(ValueError, match="same family"):
        deviance_test(plain, LogisticRegression(C=np.inf).fit(X[:, :1], y > 0))
    with pytest.raises(ValueError, match="deviance_test requires an unpenalised fit"):
        deviance_test(*(LogisticRegression().fit(X[:, :k], y > 0) for k in (1, 2)))
    with pytest.warns(SeparationWarning):
        separated = LogisticRegression(C=np.inf).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="classes are separated"):
        deviance_test(separated, separated)
