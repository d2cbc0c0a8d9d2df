"""Products in double precision without a copy of the table."""

import numpy as np
import pytest
from scipy import sparse

from statlearn._math.linalg import products
from statlearn._math.linalg.products import doubled_blocks, product, row_blocks, transposed_product
from statlearn._math.rows.rows import Rows
from tests.helpers import assert_close


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(doubled_blocks, "__defaults__", (12,))
    monkeypatch.setattr(row_blocks, "__defaults__", (12,))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (25, 3), (5, 40)])
def test_products_match_the_table_in_double_precision(order, shape, rng):
    X = np.asarray(rng.normal(size=shape), dtype=np.float32, order=order)
    for columns in ((), (2,)):
        W, R = rng.normal(size=(shape[1], *columns)), rng.normal(size=(shape[0], *columns))
        assert_close(product(X, W), X.astype(np.float64) @ W)
        assert_close(transposed_product(X, R), X.astype(np.float64).T @ R)
        assert product(X, W.astype(np.float32)).dtype == np.float32
    assert_close(product(sparse.csr_array(X), np.ones(shape[1])), X.sum(axis=1, dtype=np.float64), atol=1e-5)


def test_blocks_cover_all_rows_once():
    X = np.zeros((25, 5), dtype=np.float32)
    assert [rows for rows, _ in doubled_blocks(X)] == row_blocks(X)
    assert sum(len(block) for _, block in doubled_blocks(X)) == 25
    assert all(block.dtype == np.float64 and block.size <= 12 for _, block in doubled_blocks(X))
    assert products.row_blocks(X, 1) == [slice(k, k + 1) for k in range(25)]


@pytest.mark.parametrize("centre", [False, True])
def test_rows_in_single_precision_answer_as_those_in_double(centre, rng):
    X, h = rng.normal(size=(25, 3)).astype(np.float32) + 10, rng.uniform(size=25)
    single, double = Rows(X), Rows(X.astype(np.float64))
    for curvature in (h, h - 0.3):
        for ours, theirs in zip(single.gram(curvature, centre), double.gram(curvature, centre)):
            assert_close(ours, theirs)
    assert_close(Rows(X, centre=centre).squares(), Rows(X.astype(np.float64), centre=centre).squares())
    by_rows = Rows(np.ascontiguousarray(X), h, centre=centre).squares()
    assert_close(by_rows, Rows(np.asfortranarray(X), h, centre=centre).squares())
