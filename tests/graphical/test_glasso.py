"""The graphical lasso: certificates, optimality conditions, printed values, peers."""

import numpy as np
import pandas as pd
import pytest
import sklearn.covariance
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn._core.native import graphical as native
from statlearn.graphical import (
    GraphicalLasso,
    GraphicalLassoCV,
    GraphicalLassoIC,
    ebic,
    graphical_lasso,
    graphical_lasso_path,
    log_likelihood,
    nonparanormal_correlation,
)
from statlearn.graphical._penalised_likelihood import penalty_array, solve
from tests.graphical.data import CARCASS, GAUSS4, random_covariance, rows_of, sparse_precision
from tests.helpers import assert_close

SOLVERS = ["auto", "columns", "newton", "dual"]


def kkt_violation(S, L, K):
    """Largest violation of: W - S = L sign(K) where K is not zero, |W - S| <= L elsewhere."""
    G = np.linalg.inv(K) - S
    return np.where(K != 0, np.abs(G - L * np.sign(K)), np.maximum(np.abs(G) - L, 0.0)).max()


def objective_value(S, L, precision):
    """-log det K + tr(S K) + sum L |K|."""
    used = precision != 0
    return -np.linalg.slogdet(precision)[1] + np.sum(S[used] * precision[used] + L[used] * np.abs(precision[used]))


@pytest.mark.spec("GRM-T8", "GRM-08")
def test_gauss4_with_a_penalised_diagonal():
    W, K = graphical_lasso(GAUSS4, 1.0, tol=1e-12, penalize_diagonal=True)
    assert_close(np.diag(W), 11.0, atol=1e-6)
    assert_close(W[np.triu_indices(4, 1)], [1.393162, 4, 3, 1, 5, 2], atol=1e-6)
    assert_close(np.diag(K), [0.110377, 0.114594, 0.105669, 0.122571], atol=1e-6)
    assert_close(K[np.triu_indices(4, 1)], [0, -0.035849, -0.023585, -0.000979, -0.051910, -0.008990], atol=1e-6)
    assert K[0, 1] == 0.0


@pytest.mark.spec("GRM-T8")
def test_first_column_of_gauss4():
    W, B = GAUSS4 + np.eye(4), np.zeros((4, 4))
    native.glasso_column(GAUSS4, np.ones((4, 4)), 0, 1e-14, W, B)
    assert_close(B[0], [0, 0, 0.3125, 0.1875])
    assert_close(W[0], [11, 1.75, 4, 3])
    assert_close(W[:, 0], [11, 1.75, 4, 3])


@pytest.mark.spec("GRM-T9", "GRM-08")
@pytest.mark.parametrize("solver", SOLVERS)
def test_gauss4_with_a_free_diagonal(solver):
    model = GraphicalLasso(1.0, covariance="precomputed", tol=1e-12, solver=solver).fit(GAUSS4)
    assert_close(np.diag(model.covariance_), 10.0, atol=1e-6)
    assert_close(model.covariance_[np.triu_indices(4, 1)], [1.5, 4, 3, 1, 5, 2], atol=1e-6)
    expected = [0, -0.044855, -0.029024, 0, -0.066667, -0.010554]
    assert_close(model.precision_[np.triu_indices(4, 1)], expected, atol=1e-6)
    assert_close(np.diag(model.precision_), [0.126649, 0.133333, 0.120053, 0.144151], atol=1e-6)


@pytest.mark.spec("GRM-P4", "GRM-08")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("diagonal", [False, True])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**20), p=st.integers(2, 9), ratio=st.floats(0.05, 0.95))
def test_optimality_conditions_and_certificate(solver, diagonal, seed, p, ratio):
    rng = np.random.default_rng(seed)
    S = random_covariance(rng, p)
    top = np.abs(S - np.diag(np.diag(S))).max()
    L = penalty_array(ratio * top, p, diagonal)
    found = solve(S, L, tol=1e-9, max_iter=500, solver=solver, inner_tol=1e-12)
    assert found.status == 0
    assert found.gap <= 1e-9
    assert np.linalg.eigvalsh(found.precision).min() > 0
    # A gap of 1e-9 bounds the distance to the optimum by its root, in the metric of the covariance.
    assert kkt_violation(S, L, found.precision) < 1e-3 * np.abs(S).max()
    assert_close(found.objective, objective_value(S, L, found.precision))
    assert_close(found.covariance @ found.precision, np.eye(p), atol=1e-8)
    for _ in range(5):  # the certificate is a bound: no nearby matrix is better
        D = 1e-3 * rng.normal(size=(p, p))
        other = found.precision + (D + D.T) * np.sqrt(np.outer(np.diag(found.precision), np.diag(found.precision)))
        if np.linalg.eigvalsh(other).min() > 0:
            assert objective_value(S, L, other) >= found.objective - 1e-9


@pytest.mark.spec("GRM-P4")
def test_limits_of_the_penalty(seed):
    S = random_covariance(np.random.default_rng(seed), 6)
    top = np.abs(S - np.diag(np.diag(S))).max()
    K = graphical_lasso(S, top)[1]
    assert_close(K, np.diag(1 / np.diag(S)))
    assert np.count_nonzero(graphical_lasso(S, 0.98 * top)[1]) > 6
    assert_close(graphical_lasso(S, 0.0)[1], np.linalg.inv(S))


@pytest.mark.spec("GRM-08")
def test_all_solvers_agree_on_a_singular_covariance(seed):
    S = random_covariance(np.random.default_rng(seed), 12, n=6)
    found = [solve(S, penalty_array(0.2, 12), tol=1e-7, max_iter=500, solver=s, inner_tol=1e-9) for s in SOLVERS]
    for each in found:
        assert each.status == 0
        assert each.gap <= 1e-7
        assert abs(each.objective - found[0].objective) <= 1e-7


@pytest.mark.spec("GRM-08")
@pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("kind", ["independent", "chain", "factors"])
def test_tiny_penalties_with_few_rows_end_at_a_certified_optimum(kind, share, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 30))
    if kind == "chain":
        X = np.cumsum(X, axis=1)
    elif kind == "factors":
        X = rng.normal(size=(15, 3)) @ rng.normal(size=(3, 30)) + 0.3 * X
    S = np.corrcoef(X, rowvar=False)
    alpha = share * np.abs(S - np.eye(30)).max()
    model = GraphicalLasso(alpha, covariance="precomputed").fit(S)
    assert model.dual_gap_ <= 1e-4
    K = model.precision_
    value = -np.linalg.slogdet(K)[1] + np.sum(S * K) + alpha * np.abs(K - np.diag(np.diag(K))).sum()
    assert_close(value, model.objective_, rtol=1e-9)
    assert (K == 0).any()


@pytest.mark.spec("GRM-08")
@pytest.mark.parametrize("size", [(20, 40), (30, 60)])
def test_the_optimum_is_certified_at_a_penalty_near_rounding_errors(seed, size):
    X = np.random.default_rng(seed).normal(size=size)
    S = np.cov(X.T, bias=True)  # of half the rank
    model = GraphicalLasso(1e-7 * np.abs(S).max(), covariance="precomputed").fit(S)
    assert model.dual_gap_ <= 1e-4
    assert (model.precision_ == 0).any()


@pytest.mark.spec("GRM-09")
def test_dual_steps_honour_zero_and_infinite_penalties(seed):
    rng = np.random.default_rng(seed)
    S = random_covariance(rng, 8, n=20)
    L = np.full((8, 8), 0.05)
    L[0, 1] = L[1, 0] = 0.0
    L[2, 3:] = L[3:, 2] = np.inf
    found = [
        solve(S, penalty_array(0.0, 8, False, L), tol=1e-9, inner_tol=1e-11, solver=s) for s in ("columns", "dual")
    ]
    assert found[1].gap <= 1e-9
    assert abs(found[0].objective - found[1].objective) <= 1e-8
    assert not found[1].precision[2, 3:].any()


@pytest.mark.spec("GRM-08")
def test_components_are_solved_apart(seed):
    rng = np.random.default_rng(seed)
    S = np.zeros((7, 7))
    S[:3, :3], S[3:6, 3:6], S[6, 6] = random_covariance(rng, 3), random_covariance(rng, 3), 2.0
    S[0, 4] = S[4, 0] = 1e-3
    order = rng.permutation(7)
    model = GraphicalLasso(0.01, covariance="precomputed", tol=1e-10).fit(S[np.ix_(order, order)])
    assert len(set(model.component_labels_[np.argsort(order)])) == 3
    K = model.precision_[np.ix_(np.argsort(order), np.argsort(order))]
    # Two optima within a gap of 1e-10 differ by about its root.
    assert_close(K[:3, :3], graphical_lasso(S[:3, :3], 0.01, tol=1e-10)[1], rtol=1e-4)
    assert K[0, 4] == 0.0
    assert_close(K[6, 6], 0.5)


def test_values_of_the_glasso_program():
    # R 4.2.2, glasso 1.11: glasso(cov2cor(S), 0.2, thr=1e-10, maxit=1e5)$wi, upper triangle.
    scale = np.sqrt(np.diag(CARCASS))
    K = graphical_lasso(CARCASS / np.outer(scale, scale), 0.2, tol=1e-12, penalize_diagonal=True)[1]
    expected = [
        *(
            1.3806871,
            0.0000000,
            1.3698495,
            -0.3981921,
            0.0000000,
            1.3800187,
            0.0000000,
            -0.4889216,
            0.0000000,
            1.4287489,
        ),
        *(-0.3870678, 0.0000000, -0.4045516, 0.0000000, 1.3266457, 0.0000000, -0.4757948, 0.0000000, -0.5567662),
        *(0.0000000, 1.4269206, 0.2930122, 0.0000000, 0.2718126, 0.0000000, 0.1914259, -0.0789633, 1.1774865),
    ]
    assert_close(K[np.tril_indices(7)], expected, atol=2e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
def test_objective_is_at_most_scikit_learns(alpha, seed):
    rng = np.random.default_rng(seed)
    S = np.corrcoef(rows_of(rng, sparse_precision(rng, 8), 60), rowvar=False)
    L = penalty_array(alpha, 8)
    K = graphical_lasso(S, alpha, tol=1e-9)[1]
    theirs = sklearn.covariance.graphical_lasso(S, alpha, tol=1e-7, enet_tol=1e-8, max_iter=500)[1]
    assert objective_value(S, L, K) <= objective_value(S, L, theirs) + 1e-9
    assert_close(K, theirs, atol=1e-3)


@pytest.mark.spec("GRM-09")
def test_edge_penalties_free_and_forbid(seed):
    rng = np.random.default_rng(seed)
    S = random_covariance(rng, 5)
    L = np.full((5, 5), 0.1)
    L[0, 1] = L[1, 0] = np.inf
    L[2, 3] = L[3, 2] = 0.0
    model = GraphicalLasso(penalty_matrix=L, covariance="precomputed", tol=1e-10).fit(S)
    assert model.precision_[0, 1] == 0.0
    assert_close(model.covariance_[2, 3], S[2, 3], atol=1e-5)
    free = L.copy()
    np.fill_diagonal(free, 0.0)
    assert kkt_violation(S, np.where(np.isinf(free), 1e9, free), model.precision_) < 1e-4


@pytest.mark.parametrize(
    ("L", "message"),
    [
        ([[0, -1], [-1, 0]], "negative"),
        ([[0, 1], [2, 0]], "symmetric"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
        ([[0.0]], "shape"),
    ],
)
def test_bad_penalty_matrices_raise(L, message):
    with pytest.raises(ValueError, match=f"penalty_matrix.*{message}"):
        GraphicalLasso(penalty_matrix=L).fit(np.random.default_rng(0).normal(size=(9, 2)))


def test_bad_input_raises_with_a_reason():
    X = np.random.default_rng(0).normal(size=(20, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(b=1.0)
    with pytest.raises(ValueError, match=r"constant columns \(b\)"):
        GraphicalLasso().fit(frame)
    with pytest.raises(ValueError, match="alpha"):
        GraphicalLasso(alpha=-1.0).fit(X)
    with pytest.raises(ValueError, match="symmetric"):
        graphical_lasso([[1.0, 0.5], [0.1, 1.0]], 0.1)
    with pytest.raises(ValueError, match="singular"):
        graphical_lasso(np.cov(X[:3].T), 0.0)
    with pytest.raises(ValueError, match="indefinite"):
        graphical_lasso([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 0.1)
    with pytest.raises(ValueError, match="indefinite"):
        graphical_lasso([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]], 0.1)


def test_stopping_early_warns_with_the_gap(seed):
    S = random_covariance(np.random.default_rng(seed), 10, n=9)
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="duality gap"):
        GraphicalLasso(0.01, covariance="precomputed", max_iter=1, tol=1e-10).fit(S)


@pytest.mark.spec("GRM-10")
def test_ebic_of_qgraph():
    # R 4.2.2, qgraph 1.9.3: EBICglasso(S, 500, gamma = 0.5, returnAllResults = TRUE) gives 2470.448 at this penalty,
    # with S the correlations of the rows below. It leaves out the constant of the Gaussian density.
    rng = np.random.default_rng(0)
    chain = np.eye(6) + 0.4 * (np.eye(6, k=1) + np.eye(6, k=-1))
    X = rng.multivariate_normal(np.zeros(6), np.linalg.inv(chain), size=500)
    S = np.corrcoef(X, rowvar=False)
    K = graphical_lasso(S, 0.02988064, tol=1e-9)[1]
    assert_close(ebic(S, K, 500) - 500 * 6 * np.log(2 * np.pi), 2470.448, rtol=1e-6)
    assert np.count_nonzero(np.triu(K, 1)) == 8
    assert GraphicalLassoIC(refit=True).fit(X).n_edges_ == 5


@pytest.mark.spec("GRM-10")
def test_path_and_ebic(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 6), 150)
    path = graphical_lasso_path(X, n_alphas=8, X_test=X, tol=1e-7)
    assert path.n_edges[0] == 0
    assert (np.diff(path.alphas) < 0).all()
    assert (path.dual_gaps <= 1e-7).all()
    assert (np.diff(path.log_likelihoods) > -1e-6).all()
    assert_close(path.test_scores, path.log_likelihoods)
    S = np.cov(X.T, bias=True)
    for alpha, K, value in zip(path.alphas, path.precisions, path.ebic(0.5)):
        alone = graphical_lasso(S, alpha, tol=1e-7)[1]
        assert_close(K, alone, atol=1e-2)  # two optima within the same gap
        assert_close(value, ebic(S, K, 150, gamma=0.5))
        edges = np.count_nonzero(np.triu(K, 1))
        assert_close(value, -300 * log_likelihood(S, K) + edges * (np.log(150) + 2 * np.log(6)))
    best = GraphicalLassoIC(alphas=path.alphas, tol=1e-7).fit(X)
    assert best.alpha_ == path.alphas[np.argmin(path.ebic(0.5))]


@pytest.mark.spec("GRM-10")
def test_cross_validation_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 5), 80)
    ours = GraphicalLassoCV(tol=1e-6).fit(X)
    theirs = sklearn.covariance.GraphicalLassoCV(tol=1e-6, enet_tol=1e-7, max_iter=500).fit(X)
    assert_close(ours.cv_results_["alphas"][:4], np.sort(theirs.cv_results_["alphas"])[::-1][:4], rtol=0.3)
    best = ours.cv_results_["mean_test_score"].max()
    # The searches refine the same grids; scores at the chosen penalties agree to the tolerance of the fits.
    assert_close(best, theirs.cv_results_["mean_test_score"].max(), atol=1e-3)
    two = GraphicalLassoCV(alphas=[0.1, 0.5], n_jobs=2).fit(X)
    one = GraphicalLassoCV(alphas=[0.1, 0.5]).fit(X)
    assert_close(two.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"], rtol=0, atol=0)


@pytest.mark.spec("GRM-11", "GRM-P14")
def test_em_never_lowers_the_penalised_likelihood(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 5), 80)
    holes = X.copy()
    holes[rng.random(X.shape) < 0.15] = np.nan
    model = GraphicalLasso(0.1, missing="em", max_iter=300).fit(holes)
    assert (np.diff(model.log_likelihood_path_) > -1e-7).all()
    # The fixed point: a glasso of the expected covariance is the estimate itself.
    from statlearn.graphical._missing import MissingPatterns

    shift, first, second, _ = MissingPatterns(holes).expectation(model.location_, model.covariance_)
    S = second - np.outer(first, first)
    assert_close(graphical_lasso((S + S.T) / 2, 0.1, tol=1e-9)[1], model.precision_, atol=2e-2)
    assert np.abs(shift + first - model.location_).max() < 1e-2


@pytest.mark.spec("GRM-P14", "GRM-11")
def test_em_of_complete_data_is_the_plain_fit(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 4), 50)
    assert_close(GraphicalLasso(0.1, missing="em").fit(X).precision_, GraphicalLasso(0.1).fit(X).precision_)
    # One cell missing in a row that is otherwise complete changes little, and its row still counts.
    holes = X.copy()
    holes[0, 0] = np.nan
    near = GraphicalLasso(0.1, missing="em").fit(holes)
    assert np.abs(near.precision_ - GraphicalLasso(0.1).fit(X).precision_).max() < 0.3
    with pytest.raises(ValueError, match="NaN"):
        GraphicalLasso(0.1).fit(holes)


def test_em_matches_direct_maximisation_without_penalty(seed):
    """Observed likelihood of two columns with cells missing in the second: factored regression estimates (Anderson)."""
    rng = np.random.default_rng(seed)
    X = rows_of(rng, np.array([[1.0, 0.5], [0.5, 1.0]]), 60)
    X[40:, 1] = np.nan
    model = GraphicalLasso(0.0, missing="em", max_iter=5000).fit(X)
    seen = X[:40]
    slope = np.cov(seen.T, bias=True)[0, 1] / seen[:, 0].var()
    noise = np.var(seen[:, 1] - slope * seen[:, 0])
    S11 = X[:, 0].var()
    expected = [[S11, slope * S11], [slope * S11, noise + slope**2 * S11]]
    assert_close(model.covariance_, expected, atol=5e-3)  # EM stops at a small rise


def test_rank_correlations_ignore_monotone_changes(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 4), 100)
    Y = np.column_stack([np.exp(X[:, 0]), X[:, 1] ** 3, X[:, 2], np.arctan(X[:, 3])])
    for kind in ("scores", "spearman", "kendall"):
        assert_close(nonparanormal_correlation(X, kind), nonparanormal_correlation(Y, kind))
        a = GraphicalLasso(0.1, nonparanormal=kind).fit(X)
        b = GraphicalLasso(0.1, nonparanormal=kind).fit(Y)
        assert_close(a.precision_, b.precision_)
    big = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=20000)
    for kind in ("scores", "spearman", "kendall"):
        if kind != "kendall":
            assert abs(nonparanormal_correlation(np.exp(big), kind)[0, 1] - 0.6) < 0.03


def test_graph_has_the_names_of_the_frame(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rows_of(rng, np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 2]]), 500), columns=["a", "b", "c"])
    graph = GraphicalLasso(0.15).fit(frame).to_graph()
    assert {("a", "b"), ("b", "c")} <= set(graph.edges())
    assert min(graph.weights["a", "b"], graph.weights["b", "c"]) > 0


@pytest.mark.spec("GRM-P15")
def test_work_of_a_large_sparse_problem_is_a_few_sweeps():
    # The time is in the benchmark; what makes it possible is few sweeps over small components.
    rng = np.random.default_rng(0)
    K = sparse_precision(rng, 150, edges=75)
    model = GraphicalLasso(0.25).fit(rows_of(rng, K, 400))
    assert model.n_iter_ <= 10
    assert model.dual_gap_ <= 1e-4
    assert np.bincount(model.component_labels_).max() < 75


def test_folds_without_weight_raise(rng):
    weights = np.ones(20)
    weights[:10] = 0.0
    with pytest.raises(ValueError, match="sample_weight` is 0 for all"):
        GraphicalLassoCV(cv=2).fit(rng.normal(size=(20, 3)), sample_weight=weights)


@pytest.mark.spec("GRM-11")
def test_em_raises_for_constant_observed_columns():
    X = np.array([[np.nan, 1.0], [2.0, 0.0], [2.0, 3.0]])
    with pytest.raises(ValueError, match="constant columns"):
        GraphicalLasso(0.1, missing="em").fit(X)
