"""Label propagation and spreading, against their formulas and scikit-learn's iterations."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import semi_supervised
from sklearn.datasets import make_moons

from statlearn.cluster import LabelPropagation, LabelSpreading, similarity_graph
from tests.helpers import assert_close


def moons():
    X, truth = make_moons(60, noise=0.08, random_state=0)
    y = np.full(60, -1)
    for k in (0, 1):
        y[np.flatnonzero(truth == k)[:3]] = k
    return X, y, truth


@pytest.mark.spec("CRS-86")
@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_a_chain_is_linear_between_its_ends(form):
    chain = form(np.eye(5, k=1) + np.eye(5, k=-1))
    model = LabelPropagation("precomputed", tol=1e-14).fit(chain, [0, -1, -1, -1, 1])
    assert_close(model.label_distributions_[:, 1], [0, 0.25, 0.5, 0.75, 1])
    # A new row is the weighted mean of those that it is similar to.
    assert_close(model.predict_proba(form(np.array([[0, 3.0, 0, 1.0, 0]]))), [[0.625, 0.375]])


@pytest.mark.spec("CRS-86")
def test_results_are_the_formulas_on_any_graph():
    X, y, _ = moons()
    known, Y = y >= 0, np.eye(2)[y]
    for W in (similarity_graph(X, gamma=5.0), similarity_graph(X, "nearest_neighbors", n_neighbors=12, weighted=True)):
        dense = np.array(W.toarray() if sparse.issparse(W) else W)
        np.fill_diagonal(dense, 0.0)
        D = dense.sum(axis=1)
        u = ~known
        L = np.diag(D)[np.ix_(u, u)] - dense[np.ix_(u, u)]
        harmonic = np.linalg.solve(L, dense[np.ix_(u, known)] @ Y[known])
        model = LabelPropagation("precomputed", tol=1e-13).fit(W, y)
        assert_close(model.label_distributions_[u], harmonic, rtol=1e-6)  # conjugate gradients
        assert_close(model.label_distributions_[known], Y[known])
        S = dense / np.sqrt(D)[:, None] / np.sqrt(D)
        F = 0.3 * np.linalg.solve(np.eye(60) - 0.7 * S, np.where(known[:, None], Y, 0.0))
        model = LabelSpreading("precomputed", alpha=0.7, tol=1e-13).fit(W, y)
        assert_close(model.label_distributions_, F / F.sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.spec("CRS-86")
@pytest.mark.parametrize("own, peer", [
    (LabelPropagation(gamma=8), semi_supervised.LabelPropagation(gamma=8, tol=1e-10, max_iter=100_000)),
    (LabelSpreading(gamma=8), semi_supervised.LabelSpreading(gamma=8, tol=1e-12, max_iter=10_000)),
])  # fmt: skip
def test_results_are_the_limits_of_scikit_learn(own, peer, rng):
    X, y, _ = moons()
    own.fit(X, y)
    peer.fit(X, y)
    assert_close(own.label_distributions_, peer.label_distributions_, atol=1e-6)
    assert np.array_equal(own.transduction_, peer.transduction_)
    new = rng.normal(size=(20, 2))
    assert_close(own.predict_proba(new), peer.predict_proba(new), atol=1e-6)


def test_neighbours_and_functions_as_kernels():
    X, y, truth = moons()
    for cls in (LabelPropagation, LabelSpreading):
        model = cls("knn", n_neighbors=5).fit(X, y)
        assert np.mean(model.transduction_ == truth) > 0.9
        assert np.mean(model.predict(X) == truth) > 0.9
        function = cls(lambda A, B: np.exp(-8 * ((A[:, None] - B) ** 2).sum(axis=2))).fit(X, y)
        assert_close(function.label_distributions_, cls(gamma=8).fit(X, y).label_distributions_)


def test_spreading_outvotes_a_wrong_label():
    X = np.r_[np.linspace(0, 0.2, 8), np.linspace(2, 2.2, 8)][:, None]
    y = np.r_[np.zeros(8, int), np.ones(8, int)]
    y[3] = 1
    assert LabelSpreading(alpha=0.9).fit(X, y).transduction_[3] == 0
    assert LabelPropagation().fit(X, y).transduction_[3] == 1


@pytest.mark.parametrize("cls", [LabelPropagation, LabelSpreading])
def test_rows_without_a_path_to_a_label_are_warned_of(cls):
    W = sparse.block_diag([np.ones((3, 3)), np.ones((2, 2))], format="csr")
    with pytest.warns(UserWarning, match="2 rows are not connected to any labelled row"):
        model = cls("precomputed").fit(W, [0, 1, 1, -1, -1])
    assert_close(model.label_distributions_[3:], [[1 / 3, 2 / 3]] * 2)
    assert_close(model.predict_proba(np.zeros((1, 5))), [[1 / 3, 2 / 3]])


def test_weak_edges_do_not_make_the_system_singular():
    x = np.r_[0.0, 0.1, 5.0, 5.1, 5.2, 9.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether rows count as connected depends on underflow
        model = LabelPropagation(gamma=20).fit(x[:, None], [0, -1, -1, -1, -1, 1])
    assert_close(model.label_distributions_.sum(axis=1), 1.0)
    assert model.transduction_[1] == 0
    far = model.predict_proba([[100.0]])  # all similarities underflow, but the nearest row is known
    assert_close(far, [[0.0, 1.0]])


@pytest.mark.parametrize("W", [np.ones((2, 3)), [[0, 1.0], [2.0, 0]], [[0, -1.0], [-1.0, 0]]])
def test_matrices_that_are_not_similarities_raise(W):
    with pytest.raises(ValueError, match="X must"):
        LabelPropagation("precomputed").fit(W, [0, 1])
