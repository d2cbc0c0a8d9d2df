"""Every product of a table is that of the dense, centred, weighted array."""

import numpy as np
import pytest
from scipy import sparse

from statlearn._core import native
from statlearn._math.rows.rows import Rows
from tests.helpers import assert_close

FORMS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}
forms = pytest.mark.parametrize("form", FORMS)
centred = pytest.mark.parametrize("centre", [False, True])
weighted = pytest.mark.parametrize("weighted", [False, True])


def table(rng, form, centre, weighted):
    """The table in one form, its weights, and A and the weights as plain arrays."""
    X = rng.normal(size=(12, 4)) * (rng.random((12, 4)) < 0.6) + [0, 0, 3, 0]
    weights = rng.integers(0, 4, 12).astype(float) if weighted else None
    w = np.ones(12) if weights is None else weights
    A = X - (np.average(X, axis=0, weights=w) if centre else 0.0)
    return Rows(FORMS[form](X), weights, centre=centre), A, w


@forms
@centred
@weighted
def test_products_match_the_centred_array(rng, form, centre, weighted):
    rows, A, w = table(rng, form, centre, weighted)
    W, R = rng.normal(size=(4, 3)), rng.normal(size=(12, 2))
    root = np.sqrt(w)[:, None]
    assert_close(rows.scores(W), A @ W)
    assert_close(rows.scores(W[:, 0]), A @ W[:, 0])
    assert_close(rows.project(R), A.T @ R)
    assert_close(rows.project(R[:, 0]), A.T @ R[:, 0])
    assert_close(rows.weighted(R[:, 0]), w * R[:, 0])
    assert_close(rows.rooted(R), root * R)
    assert_close(rows.row_gram(), (root * A) @ (root * A).T)
    assert_close(rows.dense(), root * A)
    assert_close(rows.dense(columns=np.array([2, 0])), (root * A)[:, [2, 0]])
    assert_close(rows.dense(np.array([3, 1])), (root * A)[[3, 1]])
    assert_close(rows.squares(), w @ A**2)
    assert_close(rows.norms(), np.sqrt(w @ A**2 / w.sum()))


@forms
@centred
@weighted
def test_means_are_weighted(rng, form, centre, weighted):
    rows, _, w = table(rng, form, centre, weighted)
    expected = np.average(np.asarray(rows.X.todense() if rows.sparse else rows.X), axis=0, weights=w) * centre
    assert_close(rows.means(), expected)
    assert_close(rows.means(np.array([1, 3])), expected[[1, 3]])
    Y = rng.normal(size=(12, 2))
    assert_close(rows.average(Y), np.average(Y, axis=0, weights=w) * centre)
    assert_close(rows.average(Y[:, 0]), np.average(Y[:, 0], weights=w) * centre)
    assert rows.total_weight == w.sum()


@forms
def test_the_middle_is_near_the_means(rng, form):
    rows = Rows(FORMS[form](rng.normal(size=(2000, 2)) + 5.0))
    assert_close(rows.middle(), np.zeros(2) if rows.sparse else [5.0, 5.0], atol=0.5)


@forms
def test_a_constant_column_has_norm_zero(form):
    rows = Rows(FORMS[form](np.column_stack([np.full(7, 0.1), np.arange(7.0)])), centre=True)
    assert rows.norms()[0] == 0.0


@forms
@pytest.mark.parametrize("centre", [False, True])
def test_gram_is_updated_for_new_weights(rng, form, centre):
    X, h = rng.normal(size=(9, 3)), rng.uniform(size=9)
    S, mean, total = Rows(FORMS[form](X)).gram(h, centre)
    middle = np.average(X, axis=0, weights=h) * centre
    assert_close(mean, middle)
    assert_close(S, (X - middle).T @ (h[:, None] * (X - middle)))
    assert_close(total, h.sum() * centre)


@forms
def test_a_subset_is_centred_at_its_own_means(rng, form):
    X, w, some = rng.normal(size=(9, 3)), rng.uniform(1, 2, 9), np.array([0, 4, 7])
    part = Rows(FORMS[form](X), w, centre=True).subset(some)
    assert_close(part.mean, np.average(X[some], axis=0, weights=w[some]))


@forms
def test_double_rows_of_any_precision(rng, form):
    X = rng.normal(size=(5, 2)).astype(np.float32)
    rows = Rows.double(FORMS[form](X))
    assert rows.X.dtype == np.float64
    assert not rows.sparse or rows.X.format == "csr"
    assert_close(rows.scores(np.eye(2)), X.astype(np.float64))


@forms
def test_kernels_are_found_by_one_name(rng, form):
    rows = Rows(FORMS[form](rng.normal(size=(6, 2))))
    for name in ("enet_path", "quadratic_lasso", "glm_path"):
        kernel = rows.kernel(name)
        assert kernel.func.__name__.startswith(name)
        assert len(kernel.args) == (3 if rows.sparse else 1)
    kernel = rows.kernel("glm_pass", by="rows")
    assert kernel.func is (native.linear.glm_pass_csr if rows.sparse else native.linear.glm_pass)
    assert len(kernel.args) == (4 if rows.sparse else 1)
