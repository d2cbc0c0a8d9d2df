"""Nearest shrunken centroids with the threshold by cross-validation."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.datasets import load_iris

from statlearn.neighbors import ShrunkenCentroidsCV, shrunken_centroid_path
from tests.helpers import assert_close


def wide(rng, n=60, p=400, relevant=10, shift=1.5):
    y = np.arange(n) % 3
    X = rng.normal(size=(n, p))
    X[:, :relevant] += shift * (y[:, None] == np.arange(relevant) % 3)
    return X, y


def textbook_scores(X, y, threshold, Q):
    """Hastie, Tibshirani & Friedman (2009), equations (18.4) to (18.6), literally."""
    classes, n = np.unique(y), len(y)
    means = np.array([X[y == k].mean(axis=0) for k in classes])
    counts = np.array([np.sum(y == k) for k in classes])
    s = np.sqrt(sum(((X[y == k] - means[i]) ** 2).sum(axis=0) for i, k in enumerate(classes)) / (n - len(classes)))
    s = s + np.median(s)
    m = np.sqrt(1 / counts - 1 / n)
    d = (means - X.mean(axis=0)) / (m[:, None] * s)
    d = np.sign(d) * np.maximum(np.abs(d) - threshold, 0)
    centres = X.mean(axis=0) + m[:, None] * s * d
    return np.array([-(((Q - c) / s) ** 2).sum(axis=1) / 2 + np.log(k / n) for c, k in zip(centres, counts)]).T


@pytest.mark.parametrize("threshold", [0.0, 1.0, 2.5])
def test_scores_and_probabilities_are_the_textbooks(threshold, rng):
    X, y = wide(rng)
    model = ShrunkenCentroidsCV([threshold], cv=3).fit(X, y)
    expected = textbook_scores(X, y, threshold, X[:7])
    found = model.decision_function(X[:7])
    assert_close(found - found[:, :1], expected - expected[:, :1])
    p = np.exp(expected - expected.max(axis=1, keepdims=True))
    assert_close(model.predict_proba(X[:7]), p / p.sum(axis=1, keepdims=True))


def test_the_curve_matches_separate_fits(rng):
    X, y = wide(rng)
    group = np.arange(60) // 3 % 3
    folds = [(np.flatnonzero(group != f), np.flatnonzero(group == f)) for f in range(3)]
    grid = [0.0, 0.7, 1.5, 3.0]
    curve = ShrunkenCentroidsCV(grid, cv=folds).fit(X, y).cv_curve_
    for i, t in enumerate(curve.parameter):
        for f, (train, test) in enumerate(folds):
            said = np.argmax(textbook_scores(X[train], y[train], t, X[test]), axis=1)
            assert_close(curve.loss[i, f], np.mean(said != y[test]))


def test_finds_the_columns_that_matter(rng):
    X, y = wide(rng, n=120, shift=2.5)
    model = ShrunkenCentroidsCV(rule="one_se").fit(X, y)
    assert np.sum(model.selected_ < 10) >= 9
    assert np.sum(model.selected_ >= 10) <= 5
    new, labels = wide(rng, n=600, shift=2.5)
    assert model.score(new, labels) > 0.97


def test_path_of_deviations(rng):
    X, y = wide(rng)
    path = shrunken_centroid_path(X, y, n_thresholds=12)
    assert path.n_features[0] == 0
    assert path.n_features[-1] == X.shape[1]
    assert np.all(np.diff(path.n_features) >= 0)
    half = shrunken_centroid_path(X, y, thresholds=[0.5])
    size = np.maximum(np.abs(path.deviations[-1]) - 0.5, 0)
    assert_close(half.deviations[0], np.sign(path.deviations[-1]) * size)


def test_weights_are_copies_and_sparse_is_dense(rng):
    X, y = wide(rng, p=20)
    X[np.abs(X) < 0.5] = 0
    w = rng.integers(0, 3, size=60)
    rows = np.repeat(np.arange(60), w)
    path, copied = shrunken_centroid_path(X, y, sample_weight=w), shrunken_centroid_path(X[rows], y[rows])
    assert_close(path.deviations, copied.deviations)
    assert_close(shrunken_centroid_path(sparse.csr_array(X), y).deviations, shrunken_centroid_path(X, y).deviations)
    dense, thin = ShrunkenCentroidsCV().fit(X, y), ShrunkenCentroidsCV().fit(sparse.csr_array(X), y)
    assert_close(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X))


def test_far_from_the_origin_no_digits_are_lost(rng):
    X, y = wide(rng, p=10)
    near, far = ShrunkenCentroidsCV([0.5]).fit(X, y), ShrunkenCentroidsCV([0.5]).fit(X + 1e6, y)
    # 1e6 costs six of sixteen digits of the data themselves.
    assert_close(far.predict_proba(X + 1e6), near.predict_proba(X), rtol=1e-6)


def test_one_column_is_the_gaussian_rule(rng):
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 1)) + 2.0 * y[:, None]
    model = ShrunkenCentroidsCV([0.0], priors="uniform").fit(X, y)
    a, b = model.centroids_[:, 0]
    ratio = norm.pdf(0.3, b, model.scale_[0]) / norm.pdf(0.3, a, model.scale_[0])
    assert_close(model.decision_function([[0.3]]), [np.log(ratio)])


def test_bad_arguments():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="thresholds"):
        ShrunkenCentroidsCV([-1.0]).fit(X, y)
    with pytest.raises(ValueError, match="every column is constant"):
        ShrunkenCentroidsCV().fit(np.repeat([[0.0], [1.0]], 10, axis=0), [0] * 10 + [1] * 10)
    with pytest.raises(ValueError, match="2 classes"):
        ShrunkenCentroidsCV().fit(X[:50], y[:50])


def test_grids_without_end_raise(rng):
    X, y = rng.normal(size=(20, 3)), np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match=r"`n_thresholds`=1099511627776 is too large"):
        ShrunkenCentroidsCV(n_thresholds=2**40).fit(X, y)


def test_training_folds_without_weight_raise(rng):
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    with pytest.raises(ValueError, match="0 for all training rows of a fold"):
        ShrunkenCentroidsCV(cv=2).fit(X, y, np.arange(20) < 4)
