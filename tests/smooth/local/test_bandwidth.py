"""The choice of a bandwidth."""

import numpy as np
import pytest

from statlearn._core.warnings import RankWarning
from statlearn.smooth import LocalPolynomialRegressor, Loess, NadarayaWatson, match_df, select_bandwidth
from tests.helpers import assert_close


def problem(rng):
    x = rng.uniform(size=120)
    return x, np.sin(8 * x) + 0.3 * rng.normal(size=120)


@pytest.mark.spec("SMT-20")
@pytest.mark.parametrize("criterion", ["loo", "gcv", "aicc"])
def test_the_smallest_score_wins(criterion, rng):
    x, y = problem(rng)
    choice = select_bandwidth(LocalPolynomialRegressor(), x, y, criterion=criterion)
    direct = [LocalPolynomialRegressor(h).fit(x[:, None], y).scores() for h in choice.values]
    assert_close(choice.scores, [s[criterion] for s in direct])
    assert_close(choice.df, [s["df"] for s in direct])
    assert choice.best == choice.values[np.argmin(choice.scores)] == choice.estimator.bandwidth
    assert np.mean((choice.estimator.predict(x[:, None]) - np.sin(8 * x)) ** 2) < 0.03


@pytest.mark.spec("SMT-20")
def test_folds_and_neighbours(rng):
    x, y = problem(rng)
    choice = select_bandwidth(NadarayaWatson(), x, y, [5, 10, 20, 60], parameter="n_neighbors", criterion="cv", cv=4)
    assert choice.best in (5, 10, 20)
    held = np.arange(120) < 30
    part = NadarayaWatson(n_neighbors=10).fit(x[~held, None], y[~held])
    assert_close(choice.cv_curve.loss[2, 0], np.mean((y[held] - part.predict(x[held, None])) ** 2))
    careful = select_bandwidth(
        NadarayaWatson(), x, y, [5, 10, 20, 60], parameter="n_neighbors", criterion="cv", cv=4, rule="one_se"
    )
    assert careful.best >= choice.best


@pytest.mark.spec("SMT-20")
@pytest.mark.parametrize("kernel", ["tricube", "gaussian", "epanechnikov"])
@pytest.mark.parametrize("df", [3.3, 5.86, 12.0])
def test_match_df(kernel, df, rng):
    x = rng.uniform(size=100)
    h = match_df(LocalPolynomialRegressor(kernel=kernel), x, df)
    assert_close(LocalPolynomialRegressor(h, kernel=kernel).fit(x[:, None], x).df_, df, rtol=1e-6)


def test_hopeless_bandwidths_raise(rng):
    x, y = problem(rng)
    with pytest.raises(ValueError, match="finite"):
        select_bandwidth(NadarayaWatson(), x, y, [1e-9])
    with pytest.raises(ValueError, match="positive"):
        select_bandwidth(NadarayaWatson(), x, y, [0.0])
    with pytest.raises(ValueError, match="identical"):
        select_bandwidth(NadarayaWatson(), np.ones(5), y[:5])


def test_values_that_are_only_tried_do_not_warn():
    # Windows of small spans hold fewer distinct rows than the degree needs.
    x = np.repeat(np.arange(12.0), 5)[:, None]
    y = x[:, 0] + np.random.default_rng(0).normal(size=60)
    choice = select_bandwidth(Loess(), x, y, [0.1, 0.9], parameter="span", criterion="gcv")
    assert choice.best == 0.9
    with pytest.warns(RankWarning):
        Loess(0.1).fit(x, y)


@pytest.mark.spec("SMT-20")
@pytest.mark.parametrize("criterion", ["gcv", "loo", "cv"])
def test_spans_of_the_default_grid_that_are_too_small_are_left_out(criterion, rng):
    x = np.sort(rng.uniform(size=20))
    y = np.sin(6 * x) + 0.1 * rng.normal(size=20)
    choice = select_bandwidth(Loess(), x, y, parameter="span", criterion=criterion)
    assert 0.2 <= choice.values.min() < 0.35
    assert choice.values.max() == 1.0
    with pytest.raises(ValueError, match="span of at least"):
        select_bandwidth(Loess(), x, y, [0.1, 0.5], parameter="span", criterion=criterion)
    with pytest.raises(ValueError, match="Loess has no parameter 'bandwidth'"):
        match_df(Loess(), x, 5.0)


@pytest.mark.spec("SMT-20")
def test_numbers_of_neighbours_of_the_default_grid_fit_the_folds(rng):
    x = np.sort(rng.uniform(size=50))
    y = np.sin(6 * x) + 0.1 * rng.normal(size=50)
    choice = select_bandwidth(NadarayaWatson(), x, y, parameter="n_neighbors", criterion="cv")
    assert choice.values.max() <= 40
    assert 3 <= choice.best < 20
