"""Cross-products: one block, many blocks in any order, sparse or dense, far from zero."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

from statlearn._math.rows.statistics import CrossProducts, fold_cross_products, gram_with_intercept
from tests.helpers import assert_close


def centred_by_hand(X, Y, w):
    x_mean, y_mean = np.average(X, axis=0, weights=w), np.average(Y, axis=0, weights=w)
    Xc, Yc = X - x_mean, Y - y_mean
    return x_mean, y_mean, Xc.T @ (w[:, None] * Xc), Xc.T @ (w[:, None] * Yc), Yc.T @ (w[:, None] * Yc)


def assert_matches(stat, X, Y, w):
    x_mean, y_mean, Sxx, Sxy, Syy = centred_by_hand(X, Y, w)
    assert_close(stat.means()[0], x_mean)
    assert_close(stat.means()[1], y_mean)
    for ours, theirs in zip(stat.centred(), (Sxx, Sxy, Syy)):
        assert_close(ours, theirs, atol=1e-8)


@given(cut=st.integers(1, 59), weighted=st.booleans(), kind=st.sampled_from(["dense", "wide", "sparse"]))
def test_merged_blocks_equal_one_block(cut, weighted, kind):
    rng = np.random.default_rng(cut)
    p = 600 if kind == "wide" else 5  # beyond 512 columns BLAS takes over
    X, Y = rng.normal(size=(60, p)) * rng.integers(0, 2, size=(60, p)), rng.normal(size=(60, 2))
    w = rng.integers(1, 4, size=60).astype(float) if weighted else None
    form = sparse.csr_array if kind == "sparse" else np.asarray
    whole = CrossProducts.from_block(form(X), Y, w)
    parts = [
        CrossProducts.from_block(form(X[rows]), Y[rows], None if w is None else w[rows])
        for rows in (slice(0, cut), slice(cut, None))
    ]
    for stat in (whole, parts[0].merge(parts[1]), parts[1].merge(parts[0])):
        assert_matches(stat, X, Y, np.ones(60) if w is None else w)
        assert stat.n_rows == 60


def test_data_far_from_zero_keeps_its_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 3)), rng.normal(size=1000)
    near, far = CrossProducts.from_block(X, y), CrossProducts.from_block(X + 2.0**30, y + 2.0**30)
    # The shift itself rounds X to 2^-22; plain cross-products of such data would keep no digit at all.
    assert_close(far.centred()[0], near.centred()[0], rtol=1e-6, atol=1e-3)


def test_uncentred_products_serve_fits_without_an_intercept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)) + 5, rng.normal(size=50)
    XtX, Xty, yty = CrossProducts.from_block(X, y, centre=False).uncentred()
    assert_close(XtX, X.T @ X)
    assert_close(Xty[:, 0], X.T @ y)
    assert_close(yty, [[y @ y]])


def test_blocks_of_different_width_do_not_merge():
    a = CrossProducts.from_block(np.ones((3, 2)), np.ones(3))
    b = CrossProducts.from_block(np.ones((3, 3)), np.ones(3))
    with pytest.raises(ValueError, match="different numbers of columns"):
        a.merge(b)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 1), (255, 13), (257, 2), (9001, 24)])
def test_the_order_in_memory_does_not_matter(rng, shape, dtype):
    X = (rng.normal(size=shape) + 3.0).astype(dtype)
    y = rng.normal(size=shape[0]).astype(dtype)
    for weights in (None, rng.integers(0, 3, size=shape[0]).astype(dtype)):
        by_rows, plain = (
            CrossProducts.from_block(np.ascontiguousarray(X), y, weights, centre=centre).G for centre in (True, False)
        )
        strided = np.asfortranarray(np.repeat(X, 2, axis=0))[::2]
        for columns in (np.asfortranarray(X), strided):
            by_columns = CrossProducts.from_block(columns, y, weights).G
            assert_close(by_columns, by_rows, rtol=1e-11, atol=1e-10 * shape[0])
            # Same bits but for the rough centre, which numpy sums in the order of memory.
            np.testing.assert_array_equal(CrossProducts.from_block(columns, y, weights, centre=False).G, plain)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("shape", [(9000, 4), (30, 1030)])  # several chunks of rows; too wide for the kernel
def test_sparse_products(rng, dtype, form, shape):
    X = (rng.normal(size=shape) * (rng.random(shape) < 0.3)).astype(dtype)
    Y, w = rng.normal(size=(shape[0], 1)), rng.integers(0, 3, size=shape[0]).astype(float)
    assert_matches(CrossProducts.from_block(form(X), Y, w), X.astype(float), Y, w)


def test_repeated_entries_of_a_sparse_row_are_summed():
    X = sparse.csr_array(([1.0, 2.0, 5.0, 7.0], [1, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    Sxx = CrossProducts.from_block(X, np.zeros(2), centre=False).uncentred()[0]
    assert_close(Sxx, X.toarray().T @ X.toarray())
    assert X.nnz == 4


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("splitter", [KFold(4), KFold(30), ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)])
def test_parts_of_folds(rng, splitter, weighted):
    X, Y = rng.normal(size=(30, 4)) + 1e3, rng.normal(size=(30, 2))
    X[20:] += 1e4  # folds with centres far apart
    w = rng.uniform(0.5, 2.0, size=30) if weighted else None
    folds = list(splitter.split(X))
    parts = list(fold_cross_products(X, Y, w, folds))
    assert len(parts) == len(folds)
    for pair, rows_of in zip(parts, folds):
        for part, rows in zip(pair, rows_of):
            expected = CrossProducts.from_block(X[rows], Y[rows], None if w is None else w[rows])
            assert part.n_rows == len(rows)
            assert_close(part.total_weight, expected.total_weight)
            assert_close(part.moved_to(expected.shift).G, expected.G, atol=1e-6)


def test_a_training_part_keeps_its_digits_next_to_a_huge_held_out_row():
    X = np.array([[1.0], [2.0], [4.0], [1e12]])
    folds = [(np.array([0, 1, 2]), np.array([3])), (np.array([2, 3]), np.array([0, 1])), (np.array([0, 1, 3]), [2])]
    train, _ = next(fold_cross_products(X, X[:, 0], None, folds))
    assert_close(train.means()[0], [7 / 3])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_gram_matrix_has_its_intercept_first(rng, make):
    X, w = rng.normal(size=(20, 3)), rng.uniform(size=20)
    Z = np.column_stack([np.ones(20), X])
    assert_close(gram_with_intercept(make(X), w, True), Z.T @ (w[:, None] * Z))
    assert_close(gram_with_intercept(make(X), w, False), X.T @ (w[:, None] * X))
