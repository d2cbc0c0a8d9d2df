"""Missing cells dropped and filled."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import KNNImputer

from statlearn._core.warnings import StatlearnWarning
from statlearn.linear import LinearRegression
from statlearn.prep import DropMissing, ModelImputer, SamplingPipeline, SimpleImputer
from tests.helpers import assert_close


def with_gaps(rng, n=60, p=3, share=0.2):
    X = rng.multivariate_normal(np.arange(p), np.full((p, p), 0.7) + 0.5 * np.eye(p), size=n)
    gappy = X.copy()
    gappy[rng.random(X.shape) < share] = np.nan
    return X, gappy


@pytest.mark.spec("PRE-10")
@pytest.mark.parametrize(
    "strategy, expected", [("mean", 7 / 3), ("median", 2.5), ("most_frequent", 1), ("constant", -5)]
)
def test_simple_fills(strategy, expected):
    X = np.array([[1.0], [-1.0], [2.0], [4.0], [1.0], [3.0], [3.0]])
    if strategy == "most_frequent":
        X[3:5] = 1.0
    imputer = SimpleImputer(missing_values=-1.0, strategy=strategy, fill_value=-5 if strategy == "constant" else None)
    assert_close(imputer.fit_transform(X)[1, 0], expected)


@pytest.mark.spec("PRE-11")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_and_rows_are_dropped_by_their_share(frame):
    table = frame({"a": [1.0, 2.0, 3.0, 4.0], "b": [np.nan, np.nan, np.nan, 1.0], "c": [1.0, np.nan, 5.0, 6.0]})
    columns = DropMissing(max_share=0.25).fit(table)
    assert columns.get_feature_names_out().tolist() == ["a", "c"]
    assert_close(columns.shares_, [0, 0.75, 0.25])
    rows = DropMissing("rows", max_share=0.5)
    kept, y = rows.fit_resample(table, np.arange(4))
    assert isinstance(kept, frame)
    assert y.tolist() == [0, 2, 3]
    with pytest.warns(StatlearnWarning, match="returns every row"):
        assert rows.transform(table).shape == (4, 3)  # new rows are all answered
    _, y = DropMissing("rows", max_share=0).fit_resample(table, np.arange(4))
    assert y.tolist() == [3]
    with pytest.raises(ValueError, match="every column"):
        DropMissing(max_share=0).fit(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="every row"):
        rows.fit_resample(np.full((2, 2), np.nan), [0, 1])
    with pytest.raises(ValueError, match=r"\by\b.*inconsistent numbers of samples"):
        rows.fit_resample(table, np.arange(3))


def test_text_has_missing_cells_too():
    table = pd.DataFrame({"a": ["x", None, None], "b": ["y", "z", None]})
    assert_close(DropMissing(max_share=0.9).fit(table).shares_, [2 / 3, 1 / 3])


@pytest.mark.spec("PRE-12", "PRE-P9")
def test_em_finds_the_maximum_of_the_likelihood(rng):
    _, X = with_gaps(rng, n=40, p=2)
    model = ModelImputer(tol=1e-10, max_iter=5000).fit(X)

    def loss(theta):
        mean, factor = theta[:2], np.array([[theta[2], 0], [theta[3], theta[4]]])
        covariance = factor @ factor.T
        total = 0.0
        for row in X:
            seen = ~np.isnan(row)
            if seen.any():
                total -= stats.multivariate_normal.logpdf(
                    row[seen], mean[seen], covariance[np.ix_(seen, seen)], allow_singular=True
                )
        return total

    start = np.r_[np.nanmean(X, axis=0), 1.0, 0.5, 1.0]
    best = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7})
    factor = np.array([[best.x[2], 0], [best.x[3], best.x[4]]])
    assert_close(model.mean_, best.x[:2], rtol=1e-4, atol=1e-4)
    assert_close(model.covariance_, factor @ factor.T, rtol=1e-4, atol=1e-4)
    assert_close(model.loglik_[-1], -best.fun, rtol=1e-6)


@pytest.mark.spec("PRE-12", "PRE-P9")
@given(st.integers(0, 200))
def test_em_never_loses_likelihood_and_fills_with_conditional_means(seed):
    rng = np.random.default_rng(seed)
    _, X = with_gaps(rng)
    model = ModelImputer(tol=1e-7, max_iter=5000).fit(X)
    # The ridge of the factorisation is the only way down.
    assert (np.diff(model.loglik_) > -1e-6).all()
    filled = model.transform(X)
    seen = ~np.isnan(X)
    np.testing.assert_array_equal(filled[seen], X[seen])
    S, mu = model.covariance_, model.mean_
    for row, full in zip(X[:10], filled):
        g = np.isnan(row)
        if g.any() and not g.all():
            expected = mu[g] + S[np.ix_(g, ~g)] @ np.linalg.solve(S[np.ix_(~g, ~g)], row[~g] - mu[~g])
            assert_close(full[g], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.spec("PRE-P9")
def test_filled_cells_approach_the_true_conditional_mean(rng):
    covariance = np.array([[1.0, 0.8], [0.8, 1.0]])
    X = rng.multivariate_normal([0, 0], covariance, size=20_000)
    X[rng.random(20_000) < 0.3, 1] = np.nan
    model = ModelImputer().fit(X)
    # Standard errors of slope and mean are about .006 and .008 here.
    assert_close(model.transform([[1.0, np.nan], [-2.0, np.nan]])[:, 1], [0.8, -1.6], rtol=0, atol=0.05)


@pytest.mark.spec("PRE-P9")
@pytest.mark.parametrize("method", ["gaussian", "knn"])
def test_complete_tables_come_back_and_new_rows_use_the_training_rows(method, rng):
    full, gappy = with_gaps(rng)
    model = ModelImputer(method).fit(full)
    np.testing.assert_array_equal(model.transform(full), full)
    model.fit(gappy[:50])
    together = model.transform(gappy[50:])
    alone = np.vstack([model.transform(row[None]) for row in gappy[50:]])
    assert_close(alone, together)
    assert np.isfinite(together).all()


@pytest.mark.spec("PRE-12")
def test_knn_is_scikit_learns(rng):
    _, X = with_gaps(rng)
    ours = ModelImputer("knn", n_neighbors=3, weights="distance").fit_transform(X)
    np.testing.assert_array_equal(ours, KNNImputer(n_neighbors=3, weights="distance").fit_transform(X))


def test_dependent_columns_and_empty_rows(rng):
    _, X = with_gaps(rng)
    twice = np.column_stack([X, X[:, 0], np.ones(len(X))])
    twice[0] = np.nan
    filled = ModelImputer().fit_transform(twice)
    assert np.isfinite(filled).all()
    assert_close(filled[0, :3], ModelImputer().fit(X[1:]).mean_, atol=0.2)
    gap = twice[1].copy()
    gap[3] = np.nan
    gap[0] = 2.5
    assert_close(ModelImputer().fit(twice).transform([gap])[0, 3], 2.5, rtol=1e-4)


def test_columns_without_a_value_and_too_few_iterations(rng):
    _, X = with_gaps(rng)
    with pytest.raises(ValueError, match="'x1' contain only missing values"):
        ModelImputer().fit(np.column_stack([X[:, 0], np.full(len(X), np.nan)]))
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        ModelImputer(max_iter=1).fit(X)


@pytest.mark.spec("CRS-31")
def test_rows_are_never_silently_returned():
    X = np.array([[1, np.nan, 2], [3, np.nan, np.nan], [4, 5, 6]])
    drop = DropMissing("rows")
    with pytest.warns(StatlearnWarning, match="returns every row, including 1 with too many.*`fit_resample`") as caught:
        kept = drop.fit_transform(X)
    assert caught[0].filename == __file__
    assert kept.shape == X.shape
    drop.transform(X[[0, 2]])  # nothing to drop
    DropMissing().fit_transform(X)
    model = SamplingPipeline([("drop", drop), ("impute", SimpleImputer()), ("fit", LinearRegression())])
    assert np.isfinite(model.fit(X, [1.0, 2.0, 3.0]).predict(X)).all()  # later rows are not dropped
