"""Condensed and edited training rows."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from statlearn.neighbors import CondensedNearestNeighbors, EditedNearestNeighbors, KNeighborsClassifier
from statlearn.prep import SamplingPipeline, StandardScaler


def hart(X, y):
    """Hart's rule, literally."""
    store = [int(np.flatnonzero(y == k)[0]) for k in np.unique(y)]
    while True:
        added = False
        for i in range(len(y)):
            if i not in store and y[store[int(np.argmin(np.linalg.norm(X[store] - X[i], axis=1)))]] != y[i]:
                store.append(i)
                added = True
        if not added:
            return sorted(store)


@pytest.mark.parametrize("spread", [0.3, 1.0])
def test_condensing_is_harts_rule_and_classifies_every_row(spread, rng):
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 3
    X += np.array([[0, 0], [2, 0], [0, 2]])[y] / spread
    model = CondensedNearestNeighbors().fit(X, y)
    assert model.sample_indices_.tolist() == hart(X, y)
    kept = model.sample_indices_
    assert KNeighborsClassifier(1).fit(X[kept], y[kept]).score(X, y) == 1.0
    mixed = CondensedNearestNeighbors(shuffle=True, random_state=1).fit(X, y).sample_indices_
    assert KNeighborsClassifier(1).fit(X[mixed], y[mixed]).score(X, y) == 1.0


def test_condensing_ends_with_contradictory_rows():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [5.0]])
    kept = CondensedNearestNeighbors().fit(X, [0, 1, 0, 1, 1]).sample_indices_
    assert len(kept) <= 5


def wilson(X, y, k, agreement):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    around = y[np.argsort(D, axis=1, kind="stable")[:, :k]]
    if agreement == "all":
        return np.flatnonzero((around == y[:, None]).all(axis=1))
    return np.flatnonzero([np.bincount(row, minlength=3).argmax() == own for row, own in zip(around, y)])


@pytest.mark.parametrize("agreement", ["majority", "all"])
def test_editing_is_wilsons_rule(agreement, rng):
    X, y = rng.normal(size=(150, 2)), np.arange(150) % 3
    X += np.array([[0, 0], [2, 0], [0, 2]])[y]
    model = EditedNearestNeighbors(3, agreement=agreement).fit(X, y)
    expected = wilson(X, y, 3, agreement)
    np.testing.assert_array_equal(model.sample_indices_, expected)
    again = EditedNearestNeighbors(3, agreement=agreement, max_iter=50).fit(X, y)
    kept = again.sample_indices_
    assert again.n_iter_ > 1
    np.testing.assert_array_equal(wilson(X[kept], y[kept], 3, agreement), np.arange(len(kept)))


def test_editing_then_condensing_inside_a_pipeline():
    X, y = load_iris(return_X_y=True)
    model = SamplingPipeline(
        [
            ("scale", StandardScaler()),
            ("edit", EditedNearestNeighbors()),
            ("condense", CondensedNearestNeighbors()),
            ("model", KNeighborsClassifier(1)),
        ]
    ).fit(X, y)
    assert model.named_steps["model"].n_samples_fit_ < 40
    assert model.score(X, y) > 0.9


def test_lost_classes_warn():
    X = np.arange(9.0)[:, None]
    with pytest.warns(UserWarning, match="removed every row of class 1"):
        EditedNearestNeighbors().fit(X, [0, 0, 0, 0, 1, 0, 0, 0, 0])


def test_bad_data(rng):
    X = rng.normal(size=(3, 2))
    with pytest.raises(ValueError, match="n_neighbors < n_samples"):
        EditedNearestNeighbors(3).fit(X, [0, 1, 0])
    with pytest.raises(ValueError, match="2 classes"):
        CondensedNearestNeighbors().fit(X, [0, 0, 0])
