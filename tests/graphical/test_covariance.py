"""Empirical and shrunk covariances; scikit-learn is the reference."""

import numpy as np
import pytest
import sklearn.covariance

from statlearn import graphical
from statlearn.graphical._covariance import inverse
from tests.helpers import assert_close

SHARED = ["EmpiricalCovariance", "ShrunkCovariance", "LedoitWolf", "OAS"]


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("centred", [False, True])
def test_estimates_and_scores_are_scikit_learns(name, centred, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4)) + 3.0
    ours = getattr(graphical, name)(assume_centered=centred).fit(X)
    theirs = getattr(sklearn.covariance, name)(assume_centered=centred).fit(X)
    for attribute in ("location_", "covariance_", "precision_"):
        assert_close(getattr(ours, attribute), getattr(theirs, attribute))
    Z = rng.normal(size=(9, 4))
    assert_close(ours.score(Z), theirs.score(Z))
    assert_close(ours.mahalanobis(Z), theirs.mahalanobis(Z))
    for norm in ("frobenius", "spectral"):
        assert_close(ours.error_norm(np.eye(4), norm=norm), theirs.error_norm(np.eye(4), norm=norm))


@pytest.mark.parametrize("name", SHARED)
def test_weights_are_copies_in_fit_and_score(name, seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(20, 3)), rng.integers(0, 3, size=20)
    copies = np.repeat(X, weights, axis=0)
    a = getattr(graphical, name)().fit(X, sample_weight=weights)
    b = getattr(graphical, name)().fit(copies)
    assert_close(a.covariance_, b.covariance_)
    assert_close(a.score(X, sample_weight=weights), b.score(copies))


def test_functions_agree_with_scikit_learn(seed):
    X = np.random.default_rng(seed).normal(size=(15, 5))
    for name in ("ledoit_wolf", "oas"):
        ours, theirs = getattr(graphical, name)(X), getattr(sklearn.covariance, name)(X)
        assert_close(ours[0], theirs[0])
        assert_close(ours[1], theirs[1])
    S = graphical.empirical_covariance(X)
    assert_close(S, sklearn.covariance.empirical_covariance(X))
    assert_close(graphical.shrunk_covariance(S, 0.3), sklearn.covariance.shrunk_covariance(S, 0.3))
    assert_close(graphical.log_likelihood(S, np.eye(5)), sklearn.covariance.log_likelihood(S, np.eye(5)))


def test_robust_estimates_resist_outliers_and_match_scikit_learn_on_clean_data(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3)) @ np.diag([1.0, 2.0, 3.0])
    clean = graphical.MinCovDet(random_state=0).fit(X)
    theirs = sklearn.covariance.MinCovDet(random_state=0).fit(X)
    # Both searches find the subset with the smallest determinant, up to the luck of their starts.
    ours, other = np.linalg.slogdet(clean.raw_covariance_)[1], np.linalg.slogdet(theirs.raw_covariance_)[1]
    assert ours <= other + 0.02
    dirty = X.copy()
    dirty[:60] += 100.0
    robust = graphical.MinCovDet(random_state=0).fit(dirty)
    assert not robust.support_[:60].any()
    assert np.abs(robust.location_).max() < 1.5
    envelope = graphical.EllipticEnvelope(contamination=0.3, random_state=0).fit(dirty)
    assert (envelope.predict(dirty[:60]) == -1).all()
    assert_close(envelope.decision_function(dirty), envelope.score_samples(dirty) - envelope.offset_)


def test_the_exact_subset_of_one_column_is_the_one_with_the_smallest_variance(seed):
    x = np.random.default_rng(seed).normal(size=21) ** 3
    _, covariance, support, _ = graphical.fast_mcd(x[:, None])
    h = int(support.sum())
    ordered = np.sort(x)
    assert_close(covariance[0, 0], min(ordered[k : k + h].var() for k in range(21 - h + 1)))


def test_no_subset_of_small_data_has_a_smaller_determinant(seed):
    from itertools import combinations

    X = np.random.default_rng(seed).normal(size=(11, 2))
    _, covariance, support, _ = graphical.fast_mcd(X, random_state=0)
    best = min(
        np.linalg.det(np.cov(X[list(rows)].T, bias=True)) for rows in combinations(range(11), int(support.sum()))
    )
    assert_close(np.linalg.det(covariance), best)


@pytest.mark.parametrize("name", ["EmpiricalCovariance", "GraphicalLasso", "GraphicalLassoCV", "GraphicalLassoIC"])
def test_variances_that_overflow_raise(name, rng):
    X = rng.normal(size=(20, 3))
    X[:, 1] *= 1e200
    with pytest.raises(ValueError, match="so large or so small"):
        getattr(graphical, name)().fit(X)


def test_a_score_with_a_precision_that_overflows_raises(rng):
    X = 1e-160 * rng.normal(size=(40, 3))
    with pytest.raises(ValueError, match="overflow or underflow"):
        graphical.OAS().fit(X).score(X)


@pytest.mark.parametrize("estimator", [graphical.EmpiricalCovariance(), graphical.EllipticEnvelope(random_state=0)])
def test_a_covariance_whose_inverse_overflows_raises(estimator, rng):
    X = 1e-160 * rng.normal(size=(40, 3))
    with pytest.raises(ValueError, match="overflow or underflow"):
        estimator.fit(X)


def test_a_singular_covariance_whose_pseudo_inverse_overflows_raises():
    with pytest.raises(ValueError, match="overflow or underflow"):
        inverse(np.full((2, 2), 1e-320))
