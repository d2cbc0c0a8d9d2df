"""Trees in rotated coordinates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor, RotatedTree
from tests.helpers import assert_close

HALF_TURN = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2.0)


@pytest.mark.spec("TRE-P17", "TRE-18")
@given(seed=st.integers(0, 10_000))
def test_a_diagonal_boundary_is_one_cut_after_the_rotation(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] > X[:, 1]
    rotated = RotatedTree(rotation=HALF_TURN).fit(X, y)
    assert rotated.estimator_.get_n_leaves() == 2
    assert rotated.score(X, y) == 1.0
    assert DecisionTreeClassifier().fit(X, y).get_n_leaves() > 4


@pytest.mark.spec("TRE-18")
def test_principal_axes_match_pca(rng):
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    model = RotatedTree().fit(X, X[:, 0] > 0)
    reference = PCA().fit(X).components_.T
    assert_close(np.abs(model.rotation_.T @ reference), np.eye(3), atol=1e-8)
    w = rng.integers(0, 3, 200)
    weighted = RotatedTree().fit(X, X[:, 0] > 0, sample_weight=w)
    rows = np.repeat(np.arange(200), w)
    assert_close(weighted.rotation_, RotatedTree().fit(X[rows], X[rows, 0] > 0).rotation_)


@pytest.mark.spec("TRE-18")
def test_it_is_the_tree_of_the_rotated_table(rng):
    X = rng.normal(size=(150, 2))
    y = np.sin(X[:, 0] + X[:, 1])
    model = RotatedTree(DecisionTreeRegressor(max_depth=4), rotation=HALF_TURN).fit(X, y)
    plain = DecisionTreeRegressor(max_depth=4).fit(X @ HALF_TURN, y)
    assert_close(model.predict(X), plain.predict(X @ HALF_TURN))
    assert_close(model.score(X, y), plain.score(X @ HALF_TURN, y))
    np.testing.assert_array_equal(model.apply(X), plain.apply(X @ HALF_TURN))
    assert not hasattr(model, "predict_proba")
    # An axis that is left out is not looked at.
    one = RotatedTree(DecisionTreeRegressor(), rotation=HALF_TURN[:, 1:]).fit(X, y)
    assert_close(one.predict(X), one.predict(X + [1.0, -1.0]))


def test_a_matrix_of_the_wrong_shape_raises(rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match="`rotation` must be a matrix"):
        RotatedTree(rotation=HALF_TURN).fit(X, X[:, 0] > 0)


def test_columns_of_any_size_have_axes(rng):
    X = rng.normal(size=(60, 2)) @ [[2.0, 1.0], [0.0, 1.0]]
    y = X[:, 0] > 0
    axes = RotatedTree().fit(X, y).rotation_
    assert_close(RotatedTree().fit(X * 1e300, y).rotation_, axes, rtol=1e-9, atol=0)
    assert_close(RotatedTree().fit(X * 1e-300, y).rotation_, axes, rtol=1e-9, atol=0)


def test_axes_without_variance_are_left_out(rng):
    plane = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 6))
    model = RotatedTree().fit(plane, plane[:, 0] > 0)
    assert model.rotation_.shape == (6, 2)
    assert_close(model.rotation_.T @ model.rotation_, np.eye(2), atol=1e-12)
    assert RotatedTree().fit(np.ones((4, 3)), [0, 1, 0, 1]).rotation_.shape == (3, 1)


def test_an_axis_of_small_variance_is_used(rng):
    X = rng.normal(size=(100, 2)) * [1.0, 1e-10]
    assert_close(np.abs(RotatedTree().fit(X, X[:, 1] > 0).rotation_), np.eye(2))
