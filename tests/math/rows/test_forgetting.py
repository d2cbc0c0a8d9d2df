"""Statistics without some rows equal those of the remaining rows."""

import numpy as np
import pytest

from statlearn.bayes import CategoricalNB, GaussianNB
from statlearn.decomposition import PCA
from statlearn.linear import LinearRegression, Ridge
from statlearn.prep import StandardScaler
from tests.helpers import assert_close
from tests.math.rows.test_site_statistics import MODELS, data, outputs


@pytest.mark.spec("CRS-92")
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_fit_without_forgotten_rows_equals_one_that_never_saw_them(model, weighted, seed):
    X, y = data(model, seed)
    w = np.random.default_rng([seed, 2]).integers(0, 3, 120).astype(float) if weighted else None
    whole = model.statistics(X, y, sample_weight=w)
    gone, rest = np.arange(0, 120, 3), np.delete(np.arange(120), np.arange(0, 120, 3))
    parts = [model.statistics(X[g], y[g], None if w is None else w[g]) for g in (gone[:15], gone[15:])]
    fitted = type(model).from_statistics(whole.forget(*parts), **model.get_params())
    direct = type(model)(**model.get_params()).fit(X[rest], y[rest], sample_weight=None if w is None else w[rest])
    for (name, a), (_, b) in zip(outputs(fitted, X), outputs(direct, X), strict=True):
        assert_close(a, b, rtol=1e-9, atol=1e-9, err_msg=name)
    assert whole.forget(*parts).n_rows == (len(rest) if w is None else np.count_nonzero(w[rest]))


@pytest.mark.spec("CRS-92")
def test_the_last_of_five_rows_by_hand():
    x, y = np.arange(1.0, 6.0)[:, None], [1.0, 2.0, 2.0, 4.0, 5.0]
    whole = LinearRegression().statistics(x, y)
    rest = LinearRegression.from_statistics(whole.forget(LinearRegression().statistics(x[4:], y[4:])))
    assert_close([rest.intercept_, rest.coef_[0]], [0.0, 0.9], rtol=0, atol=1e-12)


def test_classes_without_rows_disappear(rng):
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1, 2], 10)
    model = GaussianNB()
    rest = GaussianNB.from_statistics(model.statistics(X, y).forget(model.statistics(X[20:], y[20:])))
    direct = GaussianNB().fit(X[:20], y[:20])
    assert rest.classes_.tolist() == [0, 1]
    assert_close(rest.theta_, direct.theta_)
    assert_close(rest.predict_proba(X), direct.predict_proba(X))


def test_rows_that_were_never_there_raise(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    strangers = 100.0 * rng.normal(size=(5, 2))
    for model in (LinearRegression(), StandardScaler(), PCA()):
        with pytest.raises(ValueError, match="`others` must hold statistics of rows that are behind this object"):
            model.statistics(X, y).forget(model.statistics(strangers, y[:5]))
    with pytest.raises(ValueError, match="further categories"):
        CategoricalNB().statistics([[0], [1], [1]], [0, 1, 1]).forget(CategoricalNB().statistics([[5]], [0]))
    with pytest.raises(ValueError, match="got the classes"):
        GaussianNB().statistics(X, np.arange(30) % 2).forget(GaussianNB().statistics(X[:2], [0, 7]))
    with pytest.raises(ValueError, match="must leave rows, but hold 30 of the 30"):
        LinearRegression().statistics(X, y).forget(LinearRegression().statistics(X, y))


@pytest.mark.spec("CRS-92")
def test_a_difference_that_would_be_rounding_raises(rng):
    X, y = np.c_[rng.normal(size=30), np.zeros(30)], rng.normal(size=30)
    X[0, 1] = 1.0  # only this row says anything about the second column
    model = Ridge()
    with pytest.raises(ValueError, match="alone determine a coefficient"):
        model.statistics(X, y).forget(model.statistics(X[:1], y[:1]))
    twice = np.c_[X[:, 0], X[:, 0]]
    with pytest.raises(ValueError, match="linearly dependent"):
        model.statistics(twice, y).forget(model.statistics(twice[:1], y[:1]))


def test_statistics_of_other_tables_raise(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    whole = Ridge().statistics(X, y)
    with pytest.raises(ValueError, match="different kinds cannot be subtracted"):
        whole.forget(PCA().statistics(X))
    with pytest.raises(TypeError, match="must hold SiteStatistics"):
        whole.forget(X)
