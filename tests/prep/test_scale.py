"""Scaling of columns and rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, stats
from sklearn import preprocessing

from statlearn.prep import Normalizer, RobustScaler, StandardScaler, correlation_matrix
from tests.helpers import assert_close

TABLES = arrays(float, st.tuples(st.integers(3, 12), st.integers(1, 4)), elements=st.floats(-1e3, 1e3, width=32))


@pytest.mark.spec("PRE-01", "PRE-T1")
def test_printed_standard_deviations():
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    for ddof, expected in ((1, 1.2909944), (0, 1.1180340)):
        scaler = StandardScaler(ddof=ddof).fit(x)
        assert scaler.mean_[0] == 2.5
        assert_close(scaler.scale_[0], expected, atol=1e-7)


@pytest.mark.spec("PRE-P1")
@given(TABLES, st.integers(0, 1))
def test_training_columns_have_mean_zero_and_variance_one(X, ddof):
    scaler = StandardScaler(ddof=ddof).fit(X)
    Z = scaler.transform(X)
    spread = X.std(axis=0) > 1e-3  # beside that, rounding of the mean shows
    assert_close(Z.mean(axis=0)[spread], 0, atol=1e-6)
    assert_close(Z.std(axis=0, ddof=ddof)[spread], 1, rtol=1e-6)
    assert np.isfinite(Z).all()
    if ddof == 0 and spread.all():
        assert_close(Z.T @ Z / len(Z), correlation_matrix(X), atol=1e-6)


@pytest.mark.spec("PRE-P1")
def test_new_rows_use_training_statistics(rng):
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(5, 3)) + 10
    scaler = StandardScaler(ddof=1).fit(X)
    assert_close(scaler.transform(new), (new - X.mean(axis=0)) / X.std(axis=0, ddof=1))
    assert_close(scaler.inverse_transform(scaler.transform(new)), new)


def test_constant_columns_are_centred_only():
    X = np.array([[0.1, 5.0], [0.1, 5.0], [0.1, 5.0]])
    assert_close(StandardScaler(ddof=1).fit_transform(X), 0)


def test_standard_scaler_in_parts_with_weights_and_gaps(rng):
    X = rng.normal(size=(40, 2))
    X[3, 0] = np.nan
    parts = StandardScaler(ddof=1).partial_fit(X[:15]).partial_fit(X[15:])
    assert_close(parts.scale_, np.nanstd(X, axis=0, ddof=1))
    weights = rng.integers(0, 3, size=40)
    weighted = StandardScaler(ddof=1).fit(X, sample_weight=weights)
    assert_close(weighted.scale_, StandardScaler(ddof=1).fit(np.repeat(X, weights, axis=0)).scale_)
    with pytest.raises(ValueError, match="`ddof`=1 requires more than 1 rows"):
        StandardScaler(ddof=1).fit(X[:1])


def test_defaults_are_scikit_learns(rng):
    X = rng.normal(size=(30, 3)) ** 3
    for ours, theirs in (
        (StandardScaler(), preprocessing.StandardScaler()),
        (RobustScaler(), preprocessing.RobustScaler()),
        (Normalizer(), preprocessing.Normalizer()),
    ):
        np.testing.assert_array_equal(ours.fit_transform(X), theirs.fit_transform(X))


@pytest.mark.spec("PRE-02")
def test_median_absolute_deviation_and_trimmed_moments(rng):
    X = rng.standard_t(2, size=(51, 3))
    X[4, 1] = np.nan
    mad = RobustScaler(method="mad", unit_variance=True).fit(X)
    assert_close(mad.center_, np.nanmedian(X, axis=0))
    assert_close(mad.scale_, stats.median_abs_deviation(X, axis=0, nan_policy="omit", scale="normal"))
    trimmed = RobustScaler(method="trimmed").fit(X)
    for j, column in enumerate(X.T):
        column = column[~np.isnan(column)]
        low, high = np.percentile(column, [25, 75])
        inner = column[(column >= low - 1.5 * (high - low)) & (column <= high + 1.5 * (high - low))]
        assert_close([trimmed.center_[j], trimmed.scale_[j]], [inner.mean(), inner.std()])


@pytest.mark.spec("PRE-02")
def test_fences_that_leave_no_value_raise():
    with pytest.raises(ValueError, match=r"`whisker`=0\.1: all values of a column lie outside of the fences"):
        RobustScaler(method="trimmed", whisker=0.1).fit([[0.0], [1.0]])


@pytest.mark.parametrize("method", ["iqr", "mad", "trimmed"])
def test_outliers_do_not_move_the_scale(method, rng):
    X = rng.normal(size=(200, 1))
    spoilt = np.vstack([X, np.full((4, 1), 1e6)])
    clean, robust = RobustScaler(method=method).fit(X), RobustScaler(method=method).fit(spoilt)
    assert abs(robust.scale_ / clean.scale_ - 1) < 0.1
    assert StandardScaler().fit(spoilt).scale_ > 1e4
    assert len(robust.transform(spoilt)) == len(spoilt)


def test_robust_scale_of_sparse_columns(rng):
    X = rng.normal(size=(31, 3)) * (rng.random((31, 3)) < 0.8)
    csr = sparse.csr_array(X)
    dense = RobustScaler(method="mad", with_centering=False).fit_transform(X)
    assert_close(RobustScaler(method="mad", with_centering=False).fit_transform(csr).toarray(), dense)


@pytest.mark.spec("PRE-03", "PRE-T3")
def test_printed_norm():
    assert_close(np.array([[1, 2, 2]]) / Normalizer(p=3).fit_transform([[1, 2, 2]]), 2.5712816, atol=1e-7)


@pytest.mark.spec("PRE-03", "PRE-P2")
@given(TABLES, st.one_of(st.floats(1, 20), st.just(np.inf)))
def test_rows_have_unit_norm(X, p):
    X[0] = 0
    Z = Normalizer(p=p).fit_transform(X)
    zero = ~X.any(axis=1)
    assert np.isfinite(Z).all()
    assert not Z[zero].any()
    assert_close(np.linalg.norm(Z[~zero], ord=p, axis=1), 1, rtol=1e-6)
    assert_close(Normalizer(p=p).fit_transform(sparse.csr_array(X)).toarray(), Z)


def test_norms_do_not_overflow():
    assert_close(Normalizer(p=3).fit_transform([[1e200, 1e200]]), 2 ** (-1 / 3))


def test_words_and_exponents_agree(rng):
    X = rng.normal(size=(10, 3))
    for word, p in (("l1", 1), ("l2", 2), ("max", np.inf)):
        assert_close(Normalizer(p=p).fit_transform(X), Normalizer(word).fit_transform(X))


@pytest.mark.parametrize("method", ["iqr", "mad"])
def test_an_invalid_quantile_range_raises(method):
    with pytest.raises(ValueError, match=r"^quantile_range must be a pair"):
        RobustScaler(quantile_range=(), method=method).fit([[0.0], [1.0]])


@pytest.mark.parametrize("quantile_range", [(50, 50), (0, 75), (25, 100)])
def test_empty_and_infinite_quantile_ranges_cannot_be_scaled_to_unit_variance(quantile_range):
    with pytest.raises(ValueError, match="quantile_range must name two percentiles between 0 and 100"):
        RobustScaler(quantile_range=quantile_range, unit_variance=True).fit([[1.0], [2.0]])
