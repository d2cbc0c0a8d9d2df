"""Known graphs, deviances and tests, thresholds, stepwise selection."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from statlearn._core.native import graphical as native
from statlearn.graphical import (
    GaussianGraphicalMLE,
    GraphicalLasso,
    NeighborhoodSelection,
    StabilityGGM,
    StepwiseGGM,
    ThresholdGGM,
    UndirectedGraph,
    deviance,
    ggm_loglik,
    ideviance,
    lrt,
    partial_correlation,
)
from statlearn.graphical import _stepwise_ggm as stepwise
from tests.graphical.data import CARCASS, CARCASS_NAMES, CYCLE4, GAUSS4, random_covariance, rows_of, sparse_precision
from tests.helpers import assert_close


def random_graph(rng, p, share=0.5):
    A = np.triu(rng.random((p, p)) < share, 1)
    return A | A.T


@pytest.mark.spec("GRM-T6", "GRM-07")
def test_first_sweep_of_gauss4():
    A = np.zeros((4, 4), dtype=bool)
    for i, j in CYCLE4:
        A[i, j] = A[j, i] = True
    starts = np.array([0, 2, 4, 6, 8], dtype=np.int32)
    near = np.nonzero(A)[1].astype(np.int32)
    W, B = GAUSS4.copy(), np.zeros((4, 4))
    # The kernel gives the coefficients of the sweep; the columns of W come from the same steps by hand.
    w_first = W.copy()
    native.known_graph_fit(GAUSS4, starts, near, 1e-300, 1, W, B)
    assert_close(B[0], [0, -0.21875, 0, 0.53125])
    assert_close(B[1], [0.077917, 0, 0.190991, 0], atol=1e-6)
    beta = np.linalg.solve(w_first[np.ix_([1, 3], [1, 3])], GAUSS4[0, [1, 3]])
    first = w_first[:, [1, 3]] @ beta
    assert_close(first[1:], [1, 1.15625, 4])
    w_first[0, 1:] = w_first[1:, 0] = first[1:]
    beta = np.linalg.solve(w_first[np.ix_([0, 2], [0, 2])], GAUSS4[1, [0, 2]])
    assert_close((w_first[:, [0, 2]] @ beta)[[0, 2, 3]], [1, 2, 0.884639], atol=1e-6)


@pytest.mark.spec("GRM-T7", "GRM-07", "GRM-14")
def test_gauss4_on_the_cycle():
    model = GaussianGraphicalMLE(CYCLE4, covariance="precomputed", tol=1e-13).fit(GAUSS4)
    W, K = model.covariance_, model.precision_
    assert_close(W[0, 2], 1.314206, atol=1e-6)
    assert_close(W[1, 3], 0.870472, atol=1e-6)
    expected = [
        [0.119657, -0.007859, 0, -0.047179],
        [-0.007859, 0.104770, -0.019921, 0],
        [0, -0.019921, 0.113697, -0.032375],
        [-0.047179, 0, -0.032375, 0.128584],
    ]
    assert_close(K, expected, atol=1e-6)
    assert_close(deviance(K, GAUSS4, 1), 0.661404, atol=1e-6)
    assert_close(ideviance(K, GAUSS4, 1), 0.315433, atol=1e-6)
    assert_close(deviance(K, GAUSS4, 1) + ideviance(K, GAUSS4, 1), 0.976837, atol=1e-6)
    assert 5 <= model.n_iter_ <= 8


@pytest.mark.spec("GRM-P3", "GRM-07")
@pytest.mark.parametrize("p", [3, 5, 8])
def test_moments_match_on_edges_and_zeros_elsewhere(p, seed):
    rng = np.random.default_rng(seed)
    S, A = random_covariance(rng, p), random_graph(rng, p)
    model = GaussianGraphicalMLE(A, covariance="precomputed", tol=1e-13).fit(S)
    use = A | np.eye(p, dtype=bool)
    assert_close(model.covariance_[use], S[use])
    assert (model.precision_[~use] == 0).all()
    assert_close(model.covariance_ @ model.precision_, np.eye(p), atol=1e-8)


@pytest.mark.spec("GRM-P5", "GRM-09")
def test_penalties_of_zero_and_infinity_are_the_known_graph(seed):
    rng = np.random.default_rng(seed)
    S, A = random_covariance(rng, 6), random_graph(rng, 6)
    L = np.where(A, 0.0, np.inf)
    lasso = GraphicalLasso(penalty_matrix=L, covariance="precomputed", tol=1e-12).fit(S)
    assert_close(lasso.precision_, GaussianGraphicalMLE(A, covariance="precomputed").fit(S).precision_, atol=1e-5)


@pytest.mark.spec("GRM-P6", "GRM-14")
def test_deviances_and_tests_of_nested_graphs(seed):
    rng = np.random.default_rng(seed)
    S, A = random_covariance(rng, 5), random_graph(rng, 5, 0.7)
    B = A & random_graph(rng, 5, 0.6)
    fit = [GaussianGraphicalMLE(g, covariance="precomputed", tol=1e-12).fit(S).precision_ for g in (A, B)]
    n = 37
    total = [deviance(K, S, n) + ideviance(K, S, n) for K in fit]
    assert_close(total[0], total[1])
    saturated = GaussianGraphicalMLE(covariance="precomputed").fit(S).precision_
    assert_close(deviance(saturated, S, n), 0.0, atol=1e-7)
    assert_close(ideviance(np.diag(1 / np.diag(S)), S, n), 0.0)
    assert min(deviance(K, S, n) for K in fit) >= -1e-7
    statistic, df, p_value = lrt(fit[0], fit[1], n)
    assert_close(statistic, deviance(fit[1], S, n) - deviance(fit[0], S, n))
    assert df == (A.sum() - B.sum()) // 2
    assert_close(p_value, chi2.sf(statistic, df) if df else 1.0)
    assert_close(statistic, 2 * (ggm_loglik(S, fit[0], n) - ggm_loglik(S, fit[1], n)), atol=1e-6)
    if df:
        with pytest.raises(ValueError, match="nested"):
            lrt(fit[1], fit[0], n)


@pytest.mark.spec("GRM-13")
def test_log_likelihood_is_the_sum_over_rows(seed):
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(seed)
    X, K, mu = rng.normal(size=(12, 3)), sparse_precision(rng, 3), rng.normal(size=3)
    S = np.cov(X.T, bias=True)
    value = ggm_loglik(S, K, 12, mean_difference=X.mean(axis=0) - mu)
    assert_close(value, multivariate_normal(mu, np.linalg.inv(K)).logpdf(X).sum())
    assert_close(ggm_loglik(S, K, 12) - ggm_loglik(S, K, 12, constant=False), -18 * np.log(2 * np.pi))


def test_the_covariance_of_r_with_forced_zeros():
    # R 4.2.2, glasso 1.11: z = glasso(cov2cor(S), 0, zero=rbind(c(1,2),c(1,4),c(3,6)), thr=1e-12);
    # z$w at the three pairs, and -log(det(R %*% z$wi)).
    scale = np.sqrt(np.diag(CARCASS))
    R = CARCASS / np.outer(scale, scale)
    A = ~np.eye(7, dtype=bool)
    for i, j in [(0, 1), (0, 3), (2, 5)]:
        A[i, j] = A[j, i] = False
    model = GaussianGraphicalMLE(A, covariance="precomputed", tol=1e-12).fit(R)
    assert_close(
        [model.covariance_[0, 1], model.covariance_[0, 3], model.covariance_[2, 5]],
        [0.040488, 0.034123, -0.053941],
        atol=2e-6,
    )
    assert_close(deviance(model.precision_, R, 1), 0.1098517, atol=1e-6)


@pytest.mark.spec("GRM-05")
def test_thresholds_keep_the_largest_partial_correlations():
    model = ThresholdGGM(0.3, covariance="precomputed").fit(pd.DataFrame(CARCASS, columns=CARCASS_NAMES))
    R = partial_correlation(CARCASS)
    kept = np.abs(R) > 0.3
    np.fill_diagonal(kept, True)
    assert ((model.precision_ != 0) == kept).all()
    assert ("Meat12", "Meat13") in model.to_graph().edges()
    few = ThresholdGGM(n_edges=4, covariance="precomputed").fit(CARCASS)
    assert few.n_edges_ == 4
    largest = np.sort(np.abs(R[np.triu_indices(7, 1)]))[-4:]
    assert_close(np.sort(np.abs(R[np.triu(few.precision_, 1) != 0])), largest)
    known = GaussianGraphicalMLE(few.to_graph(), covariance="precomputed").fit(pd.DataFrame(CARCASS))
    assert_close(few.precision_, known.precision_)


@pytest.mark.spec("GRM-05")
def test_thresholds_by_p_value(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 2]]), 400)
    model = ThresholdGGM(alpha=1e-3).fit(X)
    assert model.precision_[0, 1] != 0
    assert model.precision_[1, 2] != 0
    r = model.partial_correlations_[0, 2]
    from scipy.stats import norm

    raw = 2 * norm.sf(abs(np.arctanh(r)) * np.sqrt(400 - 1 - 3))
    assert_close(model.p_values_[0, 2], raw)  # the largest of the three: Holm's factor is 1
    with pytest.raises(ValueError, match="at most one"):
        ThresholdGGM(0.1, alpha=0.1).fit(X)
    with pytest.raises(ValueError, match="more rows"):
        ThresholdGGM(0.1).fit(X[:3])


@pytest.mark.spec("GRM-15")
@pytest.mark.parametrize("direction", ["backward", "forward", "both"])
@pytest.mark.parametrize("criterion", ["aic", "bic", "lrt"])
def test_no_single_edge_improves_the_selected_graph(direction, criterion, seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 5), 100)
    model = StepwiseGGM(criterion, direction=direction).fit(X)
    S, A, n = model.sample_covariance_, model.precision_ != 0, 100
    charge = {"aic": 2.0, "bic": np.log(n), "lrt": chi2.isf(0.05, 1)}[criterion]
    for i in range(5):
        for j in range(i):
            if (A[i, j] and direction == "forward") or (not A[i, j] and direction == "backward"):
                continue
            B = A.copy()
            B[i, j] = B[j, i] = not A[i, j]
            other = GaussianGraphicalMLE(B, covariance="precomputed").fit(S).precision_
            change = n * abs(np.linalg.slogdet(other)[1] - np.linalg.slogdet(model.precision_)[1])
            assert change >= charge - 1e-6 if A[i, j] else change <= charge + 1e-6


@pytest.mark.spec("GRM-15")
@pytest.mark.parametrize("direction", ["backward", "forward", "both"])
@pytest.mark.parametrize("criterion", ["aic", "bic", "lrt"])
def test_stepwise_takes_the_best_of_all_edges(direction, criterion, seed, monkeypatch):
    """With bounds that promise everything, each edge is fitted."""
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 7), 60)
    tried = []
    fit = stepwise.fit_known_graph
    monkeypatch.setattr(stepwise, "fit_known_graph", lambda *args, **options: tried.append(0) or fit(*args, **options))
    model = StepwiseGGM(criterion, direction=direction).fit(X)
    few = len(tried)
    monkeypatch.setattr(stepwise, "loss_bounds", np.zeros_like)
    monkeypatch.setattr(stepwise, "gain_bounds", lambda S, *_: np.full_like(S, np.inf))
    slow = StepwiseGGM(criterion, direction=direction).fit(X)
    assert [step[:3] for step in model.steps_] == [step[:3] for step in slow.steps_]
    assert few < (len(tried) - few) / 2


@pytest.mark.spec("GRM-15")
def test_stepwise_finds_a_strong_chain(seed):
    rng = np.random.default_rng(seed)
    K = np.eye(4) * 2 - np.diag([0.9] * 3, 1) - np.diag([0.9] * 3, -1)
    model = StepwiseGGM("bic").fit(rows_of(rng, K, 2000))
    chain = [("x0", "x1"), ("x1", "x2"), ("x2", "x3")]
    assert set(chain) <= set(model.to_graph().edges())
    assert [kind for kind, *_ in model.steps_] == ["delete"] * len(model.steps_)


def test_summary_tests_each_edge(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 4), 80)
    model = GaussianGraphicalMLE([(0, 1), (1, 2), (2, 3)]).fit(X)
    table = model.summary()
    smaller = GaussianGraphicalMLE([(1, 2), (2, 3)]).fit(X)
    assert_close(table["deviance"][0], lrt(model.precision_, smaller.precision_, 80)[0], atol=1e-5)
    assert "x0 -- x1" in str(table)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ([(0, 7)], "7"),
        ([(0, 0)], "itself"),
        ([(0, 1, 2)], "pairs"),
        (np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]), "symmetric"),
        (UndirectedGraph("pqr", ["pq"]), "'p'"),
    ],
)
def test_bad_graphs_raise(graph, message):
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(ValueError, match=message):
        GaussianGraphicalMLE(graph).fit(X)


def test_too_few_rows_for_the_graph_raise():
    X = np.random.default_rng(0).normal(size=(3, 5))
    with pytest.raises(ValueError, match="does not exist"):
        GaussianGraphicalMLE().fit(X)
    tree = GaussianGraphicalMLE([(0, 1), (1, 2), (2, 3), (3, 4)]).fit(X)  # cliques of two: three rows suffice
    assert_close(tree.covariance_[0, 1], np.cov(X.T, bias=True)[0, 1])


def test_neighbourhoods_are_lasso_regressions(seed):
    from sklearn.linear_model import Lasso

    rng = np.random.default_rng(seed)
    X = rows_of(rng, sparse_precision(rng, 6), 100)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = NeighborhoodSelection(0.1, rule="or").fit(X)
    for j in range(6):
        reference = Lasso(0.1, fit_intercept=False, tol=1e-12, max_iter=100000).fit(np.delete(Z, j, axis=1), Z[:, j])
        assert_close(np.delete(model.coef_[j], j), reference.coef_, atol=1e-6)
    both = NeighborhoodSelection(0.1).fit(X)
    assert both.n_edges_ <= model.n_edges_


def test_stability_matches_the_edge_frequencies(seed):
    rng = np.random.default_rng(seed)
    K = np.eye(8) * 2 - np.diag([0.9] * 7, 1) - np.diag([0.9] * 7, -1)
    X = rows_of(rng, K, 600)
    for method in ("glasso", "neighborhood"):
        model = StabilityGGM(method, n_subsamples=8, alphas=10, random_state=0).fit(X)
        f = model.edge_frequencies_[np.triu_indices(8, 1)]
        k = int(np.flatnonzero(model.alphas_ == model.alpha_)[0])
        assert_close(model.instability_[k], np.mean(2 * f * (1 - f)))
        assert np.maximum.accumulate(model.instability_)[k] <= 0.05
        assert np.isin(f * 8, np.arange(9)).all()
        assert model.instability_[0] == 0.0  # the path starts with an empty graph in every subsample
        assert model.instability_[-1] > 0.0  # and does not stay there


def test_penalties_that_are_all_unstable_are_reported(rng):
    X = rows_of(rng, np.eye(8), 200)
    with pytest.warns(UserWarning, match="`alphas`: the largest penalty, 0.1, has a mean instability"):
        model = StabilityGGM("neighborhood", alphas=[0.1, 0.05], n_subsamples=8, random_state=0).fit(X)
    assert model.alpha_ == 0.1
    assert model.instability_[0] > 0.05


@pytest.mark.spec("CRS-66")
def test_the_printed_regressions_of_gauss4():
    model = GaussianGraphicalMLE(CYCLE4, covariance="precomputed", store_steps=True).fit(GAUSS4)
    first, second = model.steps_[:2]
    assert (first["cycle"], first["column"], first["neighbors"].tolist()) == (0, 0, [1, 3])
    assert_close(first["W11"], [[10.0, 6.0], [6.0, 10.0]])
    assert_close(first["beta"], [-0.22, 0.53], rtol=0, atol=5e-3)
    assert_close(first["w12"], [1.00, 1.16, 4.00], rtol=0, atol=5e-3)
    assert_close(second["beta"], [0.08, 0.19], rtol=0, atol=5e-3)
    assert_close(second["w12"], [1.00, 2.00, 0.88], rtol=0, atol=5e-3)
    assert len(model.steps_) == 4 * model.n_iter_
    last = {step["column"]: step for step in model.steps_[-4:]}
    for j, step in last.items():
        assert_close(step["w12"], model.covariance_[j, step["others"]], atol=1e-8)
        assert_close(-model.precision_[step["neighbors"], j] / model.precision_[j, j], step["beta"], atol=1e-8)
    assert_close([model.covariance_[0, 2], model.covariance_[1, 3]], [1.31, 0.87], rtol=0, atol=5e-3)
    assert not hasattr(model.set_params(store_steps=False).fit(GAUSS4), "steps_")


@pytest.mark.spec("CRS-66")
def test_steps_from_a_singular_covariance_end_at_the_fit(rng):
    X = rng.normal(size=(4, 5))  # fewer rows than columns
    graph = [(0, 1), (2, 3)]  # column 4 has no neighbours
    model = GaussianGraphicalMLE(graph, store_steps=True).fit(X)
    W = model.covariance_.copy()
    for step in model.steps_:
        W[step["others"], step["column"]] = W[step["column"], step["others"]] = step["w12"]
    assert_close(W, model.covariance_, atol=1e-8)
