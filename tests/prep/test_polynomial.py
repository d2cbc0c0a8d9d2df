"""Polynomials and crosses."""

from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statlearn.prep import FeatureCrosses, PolynomialFeatures
from tests.helpers import assert_close


@pytest.mark.spec("PRE-06", "PRE-T4")
def test_printed_features():
    x = np.array([[3.0, 5.0]])
    plain = PolynomialFeatures(2).fit(x)
    np.testing.assert_array_equal(plain.transform(x), [[1, 3, 5, 9, 15, 25]])
    assert plain.get_feature_names_out(["X1", "X2"]).tolist() == ["1", "X1", "X2", "X1^2", "X1 X2", "X2^2"]
    quadratic = PolynomialFeatures(2, form="quadratic_map").fit(x)
    np.testing.assert_array_equal(quadratic.transform(x), [[3, 5, 9, 25, 30]])
    assert quadratic.get_feature_names_out(["X1", "X2"]).tolist() == ["X1", "X2", "X1^2", "X2^2", "2 X1 X2"]


@pytest.mark.spec("PRE-06", "PRE-P5")
@given(st.integers(1, 5), st.integers(0, 4))
def test_every_product_occurs_once(p, d):
    X = np.random.default_rng(0).uniform(0.5, 2, size=(3, p))
    Z = PolynomialFeatures(d).fit_transform(X)
    assert Z.shape[1] == comb(p + d, d)
    wanted = [np.prod(X[:, list(c)], axis=1) for k in range(d + 1) for c in combinations_with_replacement(range(p), k)]
    assert_close(Z, np.column_stack(wanted))
    assert len({tuple(row) for row in PolynomialFeatures(d).fit(X).powers_.tolist()}) == Z.shape[1]


def test_quadratic_map_of_more_columns(rng):
    X = rng.normal(size=(6, 3))
    quadratic = PolynomialFeatures(form="quadratic_map").fit(X)
    expected = np.column_stack(
        [X, X**2, 2 * X[:, 0] * X[:, 1], 2 * X[:, 0] * X[:, 2], 2 * X[:, 1] * X[:, 2]]
    )  # fmt: skip
    assert_close(quadratic.transform(X), expected)
    assert_close(quadratic.transform(sparse.csr_array(X)).toarray(), expected)
    assert quadratic.n_output_features_ == 9
    with pytest.raises(ValueError, match="`degree`=2"):
        PolynomialFeatures(3, form="quadratic_map").fit(X)


@pytest.mark.spec("PRE-16")
def test_crosses_of_numbers_and_of_bins(rng):
    table = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    X = table.to_numpy()
    crosses = FeatureCrosses().fit(table)
    assert_close(crosses.transform(table), np.column_stack([X[:, 0] * X[:, 1], X[:, 0] * X[:, 2], X[:, 1] * X[:, 2]]))
    assert crosses.get_feature_names_out().tolist() == ["a b", "a c", "b c"]
    binned = FeatureCrosses([("c", "a")], n_bins=4, sparse_output=True).fit(table)
    Z = binned.transform(table).toarray()
    assert Z.shape == (40, 16)
    np.testing.assert_array_equal(Z.sum(axis=1), 1)
    quarter = lambda x: np.searchsorted(np.quantile(x, [0.25, 0.5, 0.75]), x, side="right")  # noqa: E731
    np.testing.assert_array_equal(Z.argmax(axis=1), 4 * quarter(X[:, 2]) + quarter(X[:, 0]))
    assert binned.get_feature_names_out()[6] == "c[1] a[2]"
    kept = FeatureCrosses([(0, 1)], keep=True).fit(X)
    assert_close(kept.transform(X), np.column_stack([X, X[:, 0] * X[:, 1]]))
    assert kept.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x0 x1"]


@pytest.mark.parametrize("pairs", [[(0,)], [(0, 3)], [("a", 1)], [(1, 1)]])
def test_invalid_pairs_raise(pairs):
    with pytest.raises(ValueError, match="pairs"):
        FeatureCrosses(pairs).fit(np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("pairs", [[True], [float("nan")], ["ab"], [(0,)], [(0, 1, 2)], []])
def test_crosses_of_invalid_pairs_raise(pairs):
    with pytest.raises(ValueError, match=r"^`pairs`"):
        FeatureCrosses(pairs=pairs).fit(np.ones((3, 3)))


@pytest.mark.parametrize("form, degree, size", [("monomials", 30, 1e12), ("quadratic_map", 2, 1e160)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_powers_that_overflow_raise(form, degree, size, container):
    X = container([[1.0, size], [2.0, 3.0]])
    with pytest.raises(ValueError, match="X: powers up to `degree`"):
        PolynomialFeatures(degree, form=form).fit_transform(X)


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_matrix])
def test_high_powers_of_sparse_rows_match_dense_rows(container, rng, monkeypatch):
    X = np.where(rng.random((30, 4)) < 0.5, rng.normal(size=(30, 4)), 0.0)
    model = PolynomialFeatures((2, 5)).fit(X)
    expected = model.transform(X)
    for block in (1, 7 * expected.shape[1], 2**22):
        monkeypatch.setattr("statlearn.prep._polynomial._BLOCK", block)
        found = model.transform(container(X))
        assert found.format == container(X).format
        np.testing.assert_array_equal(found.toarray(), expected)


def test_hundreds_of_thousands_of_sparse_monomials():
    X = np.array([[0.0, 0.5, 0.0, 0.0, 1.0]])
    model = PolynomialFeatures(30).fit(X)
    found = model.transform(sparse.csr_array(X))
    assert found.shape == (1, comb(35, 5))
    assert found.nnz == comb(32, 2)  # the products of the two columns that are not zero


def test_products_that_leave_the_precision_raise(rng):
    X = (1e25 * rng.normal(size=(20, 2))).astype(np.float32)
    with pytest.raises(ValueError, match="overflow or underflow"):
        FeatureCrosses().fit_transform(X)
