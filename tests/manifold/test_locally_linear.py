"""Locally linear embeddings."""

import numpy as np
import pytest
from sklearn import manifold as reference

from statlearn.manifold import LocallyLinearEmbedding, locally_linear_embedding, swiss_roll
from statlearn.manifold._local_forms import hessian_form, tangent_form
from tests.helpers import assert_close
from tests.manifold.problems import same_up_to_signs


@pytest.mark.parametrize("method", ["standard", "modified", "ltsa"])
@pytest.mark.parametrize("n", [150, 450])  # a complete decomposition, and the iterative one
def test_coordinates_are_scikit_learns(method, n):
    X, _ = swiss_roll(n, random_state=0)
    ours = LocallyLinearEmbedding(n_neighbors=12, method=method).fit(X)
    theirs = reference.LocallyLinearEmbedding(n_neighbors=12, method=method, eigen_solver="dense").fit(X)
    same_up_to_signs(ours.embedding_, theirs.embedding_, atol=1e-5)
    assert_close(ours.reconstruction_error_, theirs.reconstruction_error_, rtol=1e-3)
    new = X[:9] + 0.1
    same_up_to_signs(ours.transform(new), theirs.transform(new), atol=1e-5)
    Y, error = locally_linear_embedding(X, n_neighbors=12, n_components=2, method=method)
    same_up_to_signs(Y, ours.embedding_, atol=1e-5)  # the start of the eigensolver is random
    assert_close(error, ours.reconstruction_error_, rtol=1e-3)


@pytest.mark.parametrize("method", ["modified", "hessian", "ltsa"])
def test_a_plane_is_recovered(method, seed):
    plane = np.random.default_rng(seed).uniform(size=(300, 2))
    X = plane @ np.random.default_rng(seed + 1).normal(size=(2, 5))
    Y = LocallyLinearEmbedding(n_neighbors=10, method=method).fit_transform(X)
    A = np.column_stack([plane, np.ones(300)])
    residual = Y - A @ np.linalg.lstsq(A, Y, rcond=None)[0]
    assert np.linalg.norm(residual) < 5e-3 * np.linalg.norm(Y)  # an affine map of the plane, up to the ridge


def test_the_hessian_of_linear_functions_is_zero_and_only_quadratic_parts_count(seed):
    rng = np.random.default_rng(seed)
    plane = rng.uniform(-1, 1, size=(80, 2))
    near = np.argsort(((plane[:, None] - plane[None]) ** 2).sum(axis=2), axis=1)[:, 1:13]
    M = hessian_form(plane @ rng.normal(size=(2, 4)), near, 2).toarray()
    linear = np.column_stack([np.ones(80), plane])
    assert_close(M @ linear, np.zeros_like(linear), atol=1e-9)
    # The form of a quadratic is all that the linear functions leave of it, neighbourhood by neighbourhood.
    f = plane[:, 0] * plane[:, 1] + 2.0 * plane[:, 1] ** 2
    left = [f[rows] - linear[rows] @ np.linalg.lstsq(linear[rows], f[rows], rcond=None)[0] for rows in near]
    assert_close(f @ M @ f, np.sum(np.square(left)), rtol=1e-8)
    cubic = tangent_form(plane @ rng.normal(size=(2, 4)), near, 2).toarray()
    g = plane[:, 0] ** 3
    assert g @ M @ g < 0.99 * (g @ cubic @ g)  # what is neither linear nor quadratic is left to the tangent form


def test_a_graph_in_pieces_is_reported():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[20:] += 100
    with pytest.warns(UserWarning, match=r"graph has 2 connected components.*Increase `n_neighbors`"):
        LocallyLinearEmbedding(n_neighbors=6).fit(X)


def test_the_solvers_agree_and_a_short_one_warns():
    X, _ = swiss_roll(300, random_state=0)
    model = LocallyLinearEmbedding(n_neighbors=12, random_state=0)
    whole = model.set_params(eigen_solver="dense").fit_transform(X)
    same_up_to_signs(model.set_params(eigen_solver="arpack").fit_transform(X), whole, atol=1e-5)
    with pytest.warns(UserWarning, match="Increase `max_iter`"):
        model.set_params(max_iter=1, tol=0.0).fit(X)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(n_neighbors=10), "n_neighbors = 10"),
        (dict(n_components=4), "`n_components`=4 must be at most"),
        (dict(n_neighbors=2, method="modified"), "`n_neighbors`=2 must be at least 3 for `method`='modified'"),
        (dict(n_neighbors=2, method="ltsa"), "`n_neighbors`=2 must be at least 3 for `method`='ltsa'"),
        (dict(n_neighbors=5, method="hessian"), "`n_neighbors`=5 must be at least 6 for `method`='hessian'"),
    ],
)
def test_wrong_options_raise(options, message):
    with pytest.raises(ValueError, match=message):
        LocallyLinearEmbedding(**options).fit(np.random.default_rng(0).normal(size=(10, 3)))


@pytest.mark.parametrize("method", ["standard", "modified", "hessian", "ltsa"])
def test_a_table_of_equal_rows_raises(method):
    X = np.full((30, 3), 2.5)
    with pytest.raises(ValueError, match="All 30 rows of X are equal"):
        LocallyLinearEmbedding(n_neighbors=8, method=method).fit(X)
    with pytest.raises(ValueError, match="All 30 rows of X are equal"):
        locally_linear_embedding(X, n_neighbors=8, n_components=2, method=method)
