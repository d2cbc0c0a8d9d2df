"""The additive statistic of classes, and scatter matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn import threads
from statlearn._core.native import discriminant as kernels
from statlearn._math.rows.statistics import AdditiveStatistic
from statlearn.discriminant import scatter_matrices
from statlearn.discriminant._class_scatter import ClassScatter, fold_scatters
from tests.discriminant.tables import TWO5, TWO5_Y, gaussians
from tests.helpers import assert_close


def slow_scatter(X, codes, w, k):
    means = np.stack([np.average(X[codes == c], axis=0, weights=w[codes == c]) for c in range(k)])
    gaps = [X[codes == c] - means[c] for c in range(k)]
    return means, np.stack([(w[codes == c, None] * g).T @ g for c, g in enumerate(gaps)])


@given(seed=st.integers(0, 10_000), p=st.integers(1, 30), k=st.integers(1, 5), weighted=st.booleans())
def test_one_pass_equals_two(seed, p, k, weighted):
    rng = np.random.default_rng(seed)
    n = k + int(rng.integers(0, 400))
    X = 1e4 + rng.normal(size=(n, p))  # far from 0: plain sums of squares would lose digits
    codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    means, scatter = slow_scatter(X, codes, w, k)
    for order in "CF":
        found = ClassScatter.from_block(np.asarray(X, order=order), codes, w if weighted else None, n_classes=k)
        assert_close(found.means, means, rtol=1e-12)
        assert_close(found.scatter, scatter, atol=1e-6)
    pooled = ClassScatter.from_block(X, codes, w if weighted else None, n_classes=k, pooled=True)
    assert_close(pooled.scatter[0], scatter.sum(axis=0), atol=1e-6)
    assert_close(pooled.counts, np.bincount(codes, weights=w, minlength=k))


def test_single_precision_keeps_its_digits(rng):
    X = (100 + rng.normal(size=(20_000, 31))).astype(np.float32)
    codes = rng.integers(0, 3, len(X))
    exact = ClassScatter.from_block(X.astype(float), codes, n_classes=3)
    found = ClassScatter.from_block(X, codes, n_classes=3)
    assert_close(found.means, exact.means, rtol=1e-7)
    assert_close(found.scatter, exact.scatter, rtol=1e-4, atol=0.05)  # of sums of some 7000 squares near 1


def test_any_number_of_threads_gives_the_same_bits(rng):
    X, codes = rng.normal(size=(9000, 20)), rng.integers(0, 4, 9000)
    for pooled in (False, True):
        found = []
        for n in (1, 3):
            with threads(n):
                found.append(ClassScatter.from_block(X, codes, n_classes=4, pooled=pooled))
        np.testing.assert_array_equal(found[0].scatter, found[1].scatter)
        np.testing.assert_array_equal(found[0].means, found[1].means)


def test_wide_tables_go_through_blas(rng):
    X, codes = rng.normal(size=(60, 530)), np.arange(60) % 3
    w = rng.integers(1, 3, 60).astype(float)
    means, scatter = slow_scatter(X, codes, w, 3)
    found = ClassScatter.from_block(X, codes, w, n_classes=3)
    assert_close(found.means, means)
    assert_close(found.scatter, scatter)


@given(seed=st.integers(0, 10_000), cuts=st.integers(1, 5))
def test_merged_blocks_equal_one_block(seed, cuts):
    rng = np.random.default_rng(seed)
    X, codes = 50 + rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    whole = ClassScatter.from_block(X, codes, n_classes=3)
    assert isinstance(whole, AdditiveStatistic)
    merged = None
    for rows in np.array_split(np.arange(80), cuts):
        part = ClassScatter.from_block(X[rows], codes[rows], n_classes=3)
        merged = part if merged is None else merged.merge(part)
    assert_close(merged.scatter, whole.scatter)
    assert_close(merged.means, whole.means)
    assert_close(merged.solve(divisor="n-k")[2], whole.within() / 77)


def test_blocks_of_different_shapes_do_not_merge(rng):
    a = ClassScatter.from_block(rng.normal(size=(5, 2)), np.zeros(5, int), n_classes=1)
    b = ClassScatter.from_block(rng.normal(size=(5, 3)), np.zeros(5, int), n_classes=1)
    with pytest.raises(ValueError, match="cannot be merged"):
        a.merge(b)


def test_folds_from_one_pass_equal_folds_one_by_one(rng):
    X, codes = rng.normal(size=(90, 3)), np.arange(90) % 3
    parts = np.array_split(rng.permutation(90), 4)
    folds = [(np.concatenate([p for p in parts if p is not part]), part) for part in parts]
    for (train, _), found in zip(folds, fold_scatters(X, codes, None, folds, 3)):
        exact = ClassScatter.from_block(X[train], codes[train], n_classes=3)
        assert_close(found.scatter, exact.scatter)
        assert_close(found.counts, exact.counts)
    overlapping = [(np.arange(60), np.arange(50, 90)), (np.arange(30, 90), np.arange(40))]
    for (train, _), found in zip(overlapping, fold_scatters(X, codes, None, overlapping, 3)):
        assert_close(found.scatter, ClassScatter.from_block(X[train], codes[train], n_classes=3).scatter)


def test_the_binding_protects_memory():
    X, shift, sums, out = np.ones((4, 2)), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2, 2))
    good = [X, np.arange(4), np.array([0, 4]), None, shift, sums, out]
    kernels.group_scatter(*good)
    bad = {
        1: np.array([0, 1, 2, 4]),
        2: np.array([0, 5]),
        3: np.ones(3),
        4: np.zeros((1, 3)),
        5: np.zeros((2, 2)),
        6: np.zeros((1, 2, 3)),
    }
    for place, value in bad.items():
        with pytest.raises(ValueError, match="group_scatter"):
            kernels.group_scatter(*(value if i == place else each for i, each in enumerate(good)))


@pytest.mark.spec("DIS-13", "DIS-T1")
def test_scatters_of_the_printed_table():
    s = scatter_matrices(TWO5, TWO5_Y)
    assert_close(s.means, [[3, 3.8], [8.4, 7.6]], atol=1e-6)
    assert_close(s.within, [[13.2, -1.2], [-1.2, 22]], atol=1e-6)
    assert_close(s.total, [[86.1, 50.1], [50.1, 58.1]], atol=1e-6)
    values = np.sort(np.linalg.eigvals(np.linalg.solve(s.within, s.between)).real)
    assert_close(values, [0, 7.6254153], atol=1e-6)
    assert_close(s.pooled_covariance, s.within / 8)
    assert_close(s.class_covariances[0], np.cov(TWO5[:5].T))


@pytest.mark.spec("DIS-13", "DIS-P1", "DIS-P3")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 6), k=st.integers(2, 5))
def test_scatters_add_up(seed, p, k):
    X, y = gaussians(np.random.default_rng(seed), 60, p, k)
    s = scatter_matrices(X, y)
    assert_close(s.within + s.between, (len(X) - 1) * np.atleast_2d(np.cov(X.T)))
    assert_close(s.total, s.within + s.between)
    assert_close(s.class_scatters.sum(axis=0), s.within)
    values = np.linalg.eigvals(np.linalg.solve(s.within, s.between)).real
    assert np.sum(values > 1e-8 * values.max()) <= min(p, k - 1)
    m = X.mean(axis=0)
    trace = sum(n * (c - m) @ np.linalg.solve(s.within, c - m) for n, c in zip(s.counts, s.means))
    assert_close(values.sum(), trace)


def test_scatters_of_weighted_rows_match_copies(rng):
    X, y = gaussians(rng, 40)
    w = rng.integers(0, 4, len(X))
    a, b = scatter_matrices(X, y, w), scatter_matrices(X.repeat(w, axis=0), y.repeat(w))
    assert_close(a.class_scatters, b.class_scatters)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        scatter_matrices(X[:5], y)


def test_rows_of_weight_0_are_absent_whatever_they_hold(rng):
    X, w = rng.normal(size=(6, 2)), np.array([1.0, 0.0, 2.0, 1.0, 0.0, 3.0])
    shift, kept = np.zeros((1, 2)), np.flatnonzero(w)
    found = []
    X[w == 0] = np.nan, np.inf
    for rows in (np.arange(6), kept):
        sums, scatter = np.empty((1, 2)), np.empty((1, 2, 2))
        kernels.group_scatter(X, rows, np.array([0, rows.size]), w, shift, sums, scatter)
        found.append((sums, scatter))
    for all_rows, present in zip(*found, strict=True):
        np.testing.assert_array_equal(all_rows, present)
