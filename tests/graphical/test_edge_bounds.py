"""Bounds of the gain of an edge against fits of the models with it."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.stats import chi2

from statlearn.graphical import StepwiseGGM
from statlearn.graphical._edge_bounds import SeparatorBounds, gain_bounds, least_gains, loss_bounds
from statlearn.graphical._known_graph import fit_known_graph
from tests.graphical.data import rows_of, sparse_precision
from tests.helpers import assert_close


def log_det(S, A, start=None):
    return np.linalg.slogdet(fit_known_graph(S, A, start=start)[1])[1]


def with_change(A, i, j):
    B = A.copy()
    B[i, j] = B[j, i] = not A[i, j]
    return B


def sparse_case(seed, p=9, share=0.2, n=40):
    """A covariance, a random graph, and the fit on it."""
    rng = np.random.default_rng(seed)
    S = np.cov(rng.normal(size=(n, p)) @ rng.normal(size=(p, p)), rowvar=False)
    A = np.triu(rng.random((p, p)) < share, 1)
    A |= A.T
    W, K, _ = fit_known_graph(S, A)
    return S, A, W, K


@pytest.mark.parametrize("share", [0.1, 0.2, 0.35])
def test_gains_lie_between_their_bounds(share, seed):
    S, A, W, K = sparse_case(seed, share=share)
    separators = SeparatorBounds(S, A, W)
    most, least, now = gain_bounds(S, A, W, K, separators, 0.0), least_gains(S, W), np.linalg.slogdet(K)[1]
    one_entry = gain_bounds(S, A, W, K, separators, np.inf)
    assert (most <= one_entry).all()
    for i, j in np.argwhere(np.triu(~A, 1)):
        gain = log_det(S, with_change(A, i, j)) - now
        assert least[i, j] - 1e-7 <= gain <= most[i, j] + 1e-7
        if np.isinf(separators.distances[i, j]):
            assert_close(most[i, j], gain, atol=1e-7)


def test_losses_are_at_least_their_bounds(seed):
    S, A, _, K = sparse_case(seed, share=0.5)
    least, now = loss_bounds(K), np.linalg.slogdet(K)[1]
    for i, j in np.argwhere(np.triu(A, 1)):
        assert now - log_det(S, with_change(A, i, j)) >= least[i, j] - 1e-7


@pytest.mark.parametrize("share", [0.1, 0.2, 0.35])
def test_the_covariance_of_a_bound_agrees_with_the_edges_and_has_its_determinant(share, seed):
    S, A, W, _ = sparse_case(seed, share=share)
    now, pieces = np.linalg.slogdet(W)[1], connected_components(A, directed=False)[1]
    separators = SeparatorBounds(S, A, W)
    with np.errstate(divide="ignore"):  # the diagonal
        apart = -np.log1p(-(S**2) / np.outer(np.diag(S), np.diag(S)))
    least = separators.tightened(np.where(pieces[:, None] == pieces, np.inf, apart), ~A, -np.inf)
    for i, j in np.argwhere(np.triu(~A, 1)):
        V, bound = separators.joined(i, j), least[i, j]
        if V is None:
            assert bound == np.inf
            continue
        B = with_change(A, i, j) | np.eye(len(A), dtype=bool)
        assert_close(V[B], S[B], rtol=1e-8)
        np.linalg.cholesky(V)
        assert_close(np.linalg.slogdet(V)[1], now - bound, atol=1e-7)


def test_a_fit_that_cannot_reach_its_goal_ends_and_others_are_unchanged(seed):
    S, A, _, K = sparse_case(seed, p=12, share=0.4)
    now = np.linalg.slogdet(K)[1]
    assert fit_known_graph(S, A, needed=now + 1e-3) is None
    assert_close(fit_known_graph(S, A, needed=now - 1e-6)[1], K, rtol=0, atol=0)


def slow_forward(S, n, alpha):
    """Forward selection by likelihood ratio tests in which each edge is fitted at each step."""
    p, found = len(S), []
    A = np.zeros((p, p), dtype=bool)
    now = log_det(S, A)
    while True:
        gains = {}
        for i, j in np.argwhere(np.triu(~A, 1)):
            try:
                gains[i, j] = log_det(S, with_change(A, i, j)) - now
            except ValueError:  # no estimate, or none found from this start
                gains[i, j] = -1.0
        edge = max(gains, key=gains.get)
        p_value = chi2.sf(n * gains[edge], 1)
        if p_value >= alpha:
            return found
        found.append((*map(int, edge), p_value))
        A, now = with_change(A, *edge), now + gains[edge]


def test_forward_selection_takes_the_best_edge_of_a_wide_table(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 14), 12)
    model = StepwiseGGM("lrt", direction="forward", alpha=0.1).fit(X)
    expected = slow_forward(model.sample_covariance_, 12, 0.1)
    assert [(i, j) for _, i, j, _ in model.steps_] == [(i, j) for i, j, _ in expected]
    assert_close([step[3] for step in model.steps_], [step[2] for step in expected], rtol=1e-5)


def test_a_singular_covariance_is_completed_on_the_edges(seed):
    """Sweeps that begin at independence leave the positive definite matrices for many such graphs."""
    rng = np.random.default_rng(seed)
    S = np.corrcoef(rng.normal(size=(5, 9)), rowvar=False)
    A = np.zeros((9, 9), dtype=bool)
    joined = []
    for i, j in rng.permutation(np.argwhere(np.triu(~A, 1))):
        B = with_change(A, i, j)
        start = SeparatorBounds(S, A, fit_known_graph(S, A)[0]).joined(i, j)
        if start is not None:
            W, K, _ = fit_known_graph(S, B)
            np.linalg.cholesky(W)
            assert_close(W[B], S[B])
            assert_close(np.linalg.slogdet(K)[1], log_det(S, B, start), atol=1e-6)
            A = B
            joined.append((i, j))
    assert len(joined) > 9


def test_no_completion_of_too_many_edges(seed):
    S = np.corrcoef(np.random.default_rng(seed).normal(size=(5, 9)), rowvar=False)
    with pytest.raises(ValueError, match="no positive definite covariance agrees with the data on its edges"):
        fit_known_graph(S, np.ones((9, 9), dtype=bool))


def test_a_forward_search_ends_at_its_limit_with_a_warning(seed):
    X = np.random.default_rng(seed).normal(size=(6, 20))
    with pytest.warns(UserWarning, match=r"StepwiseGGM stopped at 3 edges, `max_edges`, so"):
        short = StepwiseGGM("aic", direction="forward", max_edges=3).fit(X)
    with pytest.warns(UserWarning, match="stopped at 33 edges, the default of `max_edges`"):
        full = StepwiseGGM("aic", direction="forward").fit(X)
    assert short.n_edges_ == 3
    assert full.n_edges_ == int(20 * 6 / np.log(6) / 2)
    assert full.steps_[:3] == short.steps_
