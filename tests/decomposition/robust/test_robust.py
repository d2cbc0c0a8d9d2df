"""Robust principal components: outliers lose their influence, and clean data give ordinary components."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.decomposition import (
    IRLSPCA,
    PCA,
    RANSACPCA,
    PrincipalComponentPursuit,
    ransac_trials,
)
from statlearn.decomposition.robust._irls import plane_distances
from tests.decomposition.problems import low_rank, same_directions
from tests.helpers import assert_close


def line_with_outliers(seed, n=60, share=0.25, noise=0.05):
    """Rows near a line through the origin of direction (1, 2, 2) / 3; the first ones are outliers."""
    rng = np.random.default_rng(seed)
    X = np.outer(rng.normal(size=n), [1 / 3, 2 / 3, 2 / 3]) + noise * rng.normal(size=(n, 3))
    bad = int(share * n)
    X[:bad] = 3.0 * rng.normal(size=(bad, 3)) + np.outer(rng.normal(size=bad), [3.0, -3.0, 0.5])
    return X, bad


TRUTH = np.array([[1 / 3, 2 / 3, 2 / 3]])


@pytest.mark.spec("DEC-12", "DEC-P6")
def test_reweighting_minimises_its_objective_and_lowers_the_weights_of_outliers(seed):
    X, bad = line_with_outliers(seed, n=200, share=0.1)
    model = IRLSPCA(1, scale=0.2, max_iter=1000).fit(X)
    assert np.all(np.diff(model.objective_) <= 1e-9)
    assert np.median(model.weights_[:bad]) < 0.02
    assert np.median(model.weights_[bad:]) > 0.8
    assert same_directions(model.components_, TRUTH) < 0.05
    assert same_directions(PCA(1).fit(X).components_, TRUTH) > 5 * same_directions(model.components_, TRUTH)

    def objective(mean, axes):
        e = plane_distances(X, mean, axes)
        return 0.5 * 0.2**2 * np.sum(np.log1p((e / 0.2) ** 2))

    best = objective(model.mean_, model.components_)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        axes = model.components_ + 1e-2 * rng.normal(size=(1, 3))
        axes = axes / np.linalg.norm(axes)
        assert objective(model.mean_ + 1e-2 * rng.normal(size=3), axes) >= best - 1e-7


@pytest.mark.spec("DEC-P6")
@given(st.integers(0, 10_000))
def test_a_large_scale_gives_ordinary_components_and_weights_count_copies(seed):
    X = low_rank(seed, n=20, p=4, k=2, noise=0.3)
    wide, plain = IRLSPCA(2, scale=1e8).fit(X), PCA(2, ddof=0).fit(X)
    assert_close(wide.components_, plain.components_, atol=1e-6)
    assert_close(wide.explained_variance_, plain.explained_variance_, rtol=1e-6)
    assert_close(wide.weights_, 1, rtol=1e-9)
    w = np.random.default_rng(seed).integers(1, 4, size=20)
    a = IRLSPCA(2, max_iter=5000, tol=1e-10).fit(X, sample_weight=w)
    b = IRLSPCA(2, max_iter=5000, tol=1e-10).fit(np.repeat(X, w, axis=0))
    assert_close(a.scale_, b.scale_)
    assert_close(a.components_, b.components_, atol=1e-6)


@pytest.mark.spec("DEC-T2", "DEC-14")
@pytest.mark.parametrize(
    ("p", "k", "q", "trials"),
    [(0.5, 2, 0.99, 17), (0.5, 3, 0.99, 35), (0.7, 3, 0.99, 11), (0.5, 4, 0.99, 72), (0.9, 5, 0.999, 8)],
)
def test_number_of_trials(p, k, q, trials):
    assert ransac_trials(p, k, q) == trials
    assert 1 - (1 - p**k) ** trials >= q
    assert 1 - (1 - p**k) ** (trials - 1) < q


def test_number_of_trials_at_the_ends():
    assert ransac_trials(1.0, 5) == 1
    with pytest.raises(ValueError, match="practically impossible"):
        ransac_trials(1e-3, 200)


@pytest.mark.spec("DEC-13", "DEC-P7")
def test_consensus_with_half_of_the_rows_outlying(seed):
    X, bad = line_with_outliers(seed, n=100, share=0.45)
    model = RANSACPCA(1, random_state=seed).fit(X)
    assert model.inlier_mask_[:bad].mean() < 0.1
    assert model.inlier_mask_[bad:].mean() > 0.8
    assert same_directions(model.components_, TRUTH) < 0.03
    rough = RANSACPCA(1, threshold=0.3, refit=False, random_state=seed).fit(X)
    fine = RANSACPCA(1, threshold=0.3, random_state=seed).fit(X)
    assert same_directions(fine.components_, TRUTH) < same_directions(rough.components_, TRUTH) + 1e-12
    exact = PCA(1, ddof=0).fit(X[fine.inlier_mask_])
    assert_close(fine.components_, exact.components_)
    assert_close(fine.explained_variance_, exact.explained_variance_)


@pytest.mark.spec("DEC-P7")
def test_the_success_rate_follows_the_formula():
    """With subsets of two of which p = 0.6 are inliers, 3 trials succeed with probability 1 - (1 - 0.36)^3 = 0.74."""
    rng = np.random.default_rng(0)
    X = np.outer(rng.normal(size=50), [0.6, 0.8])
    X[:20] += rng.normal(size=(20, 2)) * 5
    found = 0
    for trial in range(200):
        model = RANSACPCA(1, threshold=1e-6, max_trials=3, random_state=trial).fit(X)
        found += model.inlier_mask_.sum() >= 30
    # Drawn without replacement: 1 - (1 - 30 * 29 / (50 * 49))^3; three standard errors of 200 runs.
    expected = 1 - (1 - 30 * 29 / (50 * 49)) ** 3
    assert abs(found / 200 - expected) < 3 * np.sqrt(expected * (1 - expected) / 200)


@pytest.mark.spec("DEC-13")
def test_early_acceptance_and_errors():
    X, _ = line_with_outliers(0)
    early = RANSACPCA(1, threshold=0.3, min_inliers=0.5, max_trials=500, random_state=0).fit(X)
    assert early.n_trials_ < 500
    with pytest.warns(UserWarning, match="fewer than `min_inliers`=60"):
        RANSACPCA(1, threshold=1e-3, min_inliers=60, max_trials=5, random_state=0).fit(X)
    with pytest.raises(ValueError, match="`n_components`=4"):
        RANSACPCA(4).fit(X)
    with pytest.raises(ValueError, match="`subset_size`=61"):
        RANSACPCA(1, subset_size=61).fit(X)
    with pytest.raises(ValueError, match="`n_components`=4"):
        IRLSPCA(4).fit(X)


@pytest.mark.spec("DEC-13")
def test_each_subset_is_judged_once_if_there_are_few(seed):
    X, _ = line_with_outliers(seed, n=8)
    models = [RANSACPCA(1, threshold=0.3, max_trials=10_000, random_state=k).fit(X) for k in range(3)]
    assert [model.n_trials_ for model in models] == [28] * 3
    assert len({tuple(model.inlier_mask_) for model in models}) == 1
    chance = [RANSACPCA(1, threshold=0.3, max_trials=27, random_state=k).fit(X) for k in range(20)]
    assert models[0].inlier_mask_.sum() >= max(model.inlier_mask_.sum() for model in chance)


@pytest.mark.spec("DEC-15")
@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_pursuit_recovers_low_rank_and_sparse_parts_exactly(shape, seed):
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    S = np.where(rng.random(shape) < 0.05, rng.choice([-20.0, 20.0], size=shape), 0.0)
    model = PrincipalComponentPursuit().fit(L + S)
    assert_close(model.low_rank_, L, atol=1e-4)
    assert_close(model.sparse_, S, atol=1e-4)
    assert model.n_components_ == 2
    assert_close(model.low_rank_ + model.sparse_, L + S, atol=1e-5)
    V = np.linalg.svd(L)[2][:2]
    assert_close(np.linalg.svd(model.components_ @ V.T)[1], 1, atol=1e-6)
    assert_close(model.alpha_, 1 / np.sqrt(60))


def test_pursuit_with_any_tolerance_takes_a_step():
    X = np.arange(12.0).reshape(4, 3)
    model = PrincipalComponentPursuit(tol=1e300).fit(X)
    assert model.n_iter_ == 1
    assert np.isfinite(model.low_rank_ + model.sparse_).all()


@pytest.mark.spec("DEC-15")
def test_pursuit_is_at_the_minimum_of_its_objective():
    """A dual certificate: Y in the subgradients of both norms bounds the objective from below."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 20)) + 0.5 * rng.normal(size=(30, 20))
    model = PrincipalComponentPursuit(max_iter=2000, tol=1e-9).fit(X)
    alpha = model.alpha_

    def objective(L):
        return np.linalg.norm(L, "nuc") + alpha * np.abs(X - L).sum()

    best = objective(model.low_rank_)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(20):
            assert objective(model.low_rank_ + size * rng.normal(size=X.shape)) > best
            turn = rng.normal(size=(2, 20))
            assert objective(model.low_rank_ * (1 + 0.1 * size * rng.normal())) >= best - 1e-6 * best
            assert objective(model.low_rank_ + size * rng.normal(size=(30, 2)) @ turn) > best - 1e-9
    zero = PrincipalComponentPursuit().fit(np.zeros((5, 3)))
    assert not zero.low_rank_.any()
