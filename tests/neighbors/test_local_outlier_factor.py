"""Local outlier factors."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import neighbors as peer

from statlearn.neighbors import LocalOutlierFactor
from tests.helpers import assert_close


def slow_factors(X, k):
    """Breunig et al. (2000), definitions 5 to 7, literally."""
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1)[:, :k]
    reach = np.sort(D, axis=1)[:, k - 1]
    density = np.array([1 / np.mean([max(reach[o], D[i, o]) for o in near[i]]) for i in range(len(X))])
    return np.array([np.mean(density[near[i]]) / density[i] for i in range(len(X))])


def test_factors_are_the_definition(rng):
    X = rng.normal(size=(80, 2)) * np.where(np.arange(80) < 40, 1.0, 10.0)[:, None]
    model = LocalOutlierFactor(7).fit(X)
    assert_close(-model.negative_outlier_factor_, slow_factors(X, 7))


@pytest.mark.parametrize("contamination", ["auto", 0.1])
def test_agrees_with_scikit_learn(contamination, rng):
    X = np.vstack([rng.normal(size=(60, 3)), rng.uniform(-6, 6, size=(6, 3))])
    Q = rng.normal(size=(20, 3)) * 3
    ours = LocalOutlierFactor(10, contamination=contamination)
    theirs = peer.LocalOutlierFactor(10, contamination=contamination)
    np.testing.assert_array_equal(ours.fit_predict(X), theirs.fit_predict(X))
    assert_close(ours.negative_outlier_factor_, theirs.negative_outlier_factor_)
    assert_close(ours.offset_, theirs.offset_)
    ours.set_params(novelty=True).fit(X)
    theirs.set_params(novelty=True).fit(X)
    assert_close(ours.score_samples(Q), theirs.score_samples(Q))
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))


def test_an_isolated_row_near_a_dense_and_a_thin_cluster(rng):
    X = np.vstack([rng.normal(size=(50, 2)) * 0.1, rng.normal(size=(50, 2)) * 3 + 20, [[1.5, 1.5]]])
    factors = -LocalOutlierFactor(10).fit(X).negative_outlier_factor_
    assert np.argmax(factors) == 100  # nearer to its cluster than most of the thin one are to each other


def test_copies_and_few_rows_warn(rng):
    X = np.vstack([np.zeros((30, 2)), rng.normal(size=(5, 2))])
    with pytest.warns(UserWarning, match="Duplicate values"):
        LocalOutlierFactor(10).fit(X)
    with pytest.warns(UserWarning, match="greater than the total number"):
        assert LocalOutlierFactor(100).fit(X[25:]).n_neighbors_ == 9
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit"):
        LocalOutlierFactor(1).fit(X[:1])


def test_methods_by_purpose(rng):
    X = rng.normal(size=(30, 2))
    assert not hasattr(LocalOutlierFactor(), "predict")
    assert not hasattr(LocalOutlierFactor(novelty=True), "fit_predict")
    model = LocalOutlierFactor(5, novelty=True).fit(X)
    assert_close(model.decision_function(X), model.score_samples(X) - model.offset_)
    D = cdist(X, X)
    given = LocalOutlierFactor(5, metric="precomputed").fit(D)
    assert_close(given.negative_outlier_factor_, LocalOutlierFactor(5).fit(X).negative_outlier_factor_)
