"""The native pass over normal and Student-t mixtures against numpy, and its additive statistic."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, multivariate_t

import statlearn
from statlearn._math.rows.statistics import AdditiveStatistic
from statlearn.mixture._missing import fill, group_rows, log_joint, moments
from statlearn.mixture._normal import (
    COVARIANCE_TYPES,
    NormalMoments,
    NormalParameters,
    TotalScatter,
    factor_of_precisions,
    order_of,
    precision_factor,
    precisions_from_factor,
)
from tests.helpers import assert_close


def random_parameters(rng, kind, k, p, dof=None):
    roots = rng.normal(size=(k, p, p))
    full = roots @ np.swapaxes(roots, 1, 2) + 0.3 * np.eye(p)
    covariances = {
        "full": full,
        "tied": full[0],
        "diag": np.diagonal(full, axis1=1, axis2=2).copy(),
        "spherical": np.trace(full, axis1=1, axis2=2) / p,
    }[kind]
    weights = rng.dirichlet(np.full(k, 3.0))
    means = 2.0 * rng.normal(size=(k, p))
    return NormalParameters.of(kind, weights, means, covariances, np.empty(0) if dof is None else dof)


def literal_log_joint(X, parameters):
    columns = []
    for k, covariance in enumerate(parameters.full_covariances()):
        if parameters.dof.size:
            density = multivariate_t(parameters.means[k], covariance, df=parameters.dof[k])
        else:
            density = multivariate_normal(parameters.means[k], covariance)
        columns.append(np.log(parameters.weights[k]) + np.atleast_1d(density.logpdf(X)))
    return np.column_stack(columns)


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
@pytest.mark.parametrize("student", [False, True])
@pytest.mark.parametrize("n, k, p", [(1, 1, 1), (40, 3, 1), (301, 2, 2), (150, 4, 5), (2500, 3, 8)])
def test_densities_and_moments_agree_with_the_formulas(kind, student, n, k, p, rng):
    parameters = random_parameters(rng, kind, k, p, rng.uniform(2, 9, size=k) if student else None)
    X = 3.0 * rng.normal(size=(n, p))
    weights = rng.uniform(0.0, 2.0, size=n)
    joint = literal_log_joint(X, parameters)
    assert_close(parameters.log_joint(X), joint, rtol=1e-9)
    row = logsumexp(joint, axis=1)
    R = np.exp(joint - row[:, None])
    for order in {order_of(kind), 2}:
        made = NormalMoments.from_block(X, parameters, weights, order=order)
        assert_close(made.log_likelihood, weights @ row, rtol=1e-10)
        assert_close(made.entropy, -weights @ np.sum(R * (joint - row[:, None]), axis=1), rtol=1e-7, atol=1e-9)
        W = R * weights[:, None]
        assert_close(made.total, W.sum(axis=0))
        D = X[:, None, :] - parameters.means
        if student:
            inverse = np.linalg.inv(parameters.full_covariances())
            q = np.einsum("nki,kij,nkj->nk", D, inverse, D)
            u = (parameters.dof + p) / (parameters.dof + q)
            assert_close(made.log_gap, np.sum(W * (np.log(u) - u), axis=0))
            W = W * u
        assert_close(made.precision, W.sum(axis=0))
        assert_close(made.first, np.einsum("nk,nki->ki", W, D), atol=1e-8)
        if order == 2:
            assert_close(made.second, np.einsum("nk,nki,nkj->kij", W, D, D), atol=1e-8)
        elif order == 1:
            assert_close(made.second, np.einsum("nk,nki->ki", W, D**2), atol=1e-8)
        else:
            assert made.second is None


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_order_precision_and_threads_do_not_matter(kind, rng):
    X = rng.normal(size=(9000, 4)).astype(np.float32)
    parameters = random_parameters(rng, kind, 3, 4)
    with statlearn.threads(1):
        one = NormalMoments.from_block(X, parameters)
    with statlearn.threads(2):
        two = NormalMoments.from_block(np.asfortranarray(X), parameters)
    for name in ("total", "first", "second", "log_likelihood", "entropy"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    double = NormalMoments.from_block(X.astype(np.float64), parameters)
    np.testing.assert_array_equal(double.first, one.first)


def test_far_away_rows_have_no_responsibility_elsewhere(rng):
    parameters = NormalParameters.of("full", np.array([0.5, 0.5]), np.array([[0.0], [1e4]]), np.ones((2, 1, 1)))
    X = np.array([[0.1], [-0.2], [1e4 + 0.3]])
    made = NormalMoments.from_block(X, parameters)
    assert_close(made.total, [2.0, 1.0])
    assert_close(made.first[:, 0], [-0.1, 0.3])
    assert_close(made.entropy, 0.0)


def test_blocks_merge_to_the_whole(rng):
    X, weights = rng.normal(size=(500, 3)), rng.uniform(0.5, 2.0, size=500)
    parameters = random_parameters(rng, "full", 2, 3)
    whole = NormalMoments.from_block(X, parameters, weights)
    parts = NormalMoments.from_block(X[:200], parameters, weights[:200]).merge(
        NormalMoments.from_block(X[200:], parameters, weights[200:])
    )
    for name in ("total", "first", "second", "log_likelihood", "entropy"):
        assert_close(getattr(parts, name), getattr(whole, name))
    assert_close(parts.solve("full").covariances, whole.solve("full").covariances)
    assert isinstance(whole, AdditiveStatistic)
    with pytest.raises(ValueError, match="different parameters"):
        whole.merge(NormalMoments.from_block(X, random_parameters(rng, "full", 2, 3)))


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_the_m_step_gives_weighted_means_and_covariances(kind, rng):
    X, k = 1e3 + rng.normal(size=(400, 3)), 2
    parameters = random_parameters(rng, kind, k, 3)
    parameters.means += 1e3
    weights = rng.uniform(0.5, 2.0, size=400)
    scatter = TotalScatter.from_block(X, weights)
    new = NormalMoments.from_block(X, parameters, weights).solve(kind, 0.0, scatter)
    joint = literal_log_joint(X, parameters)
    W = np.exp(joint - logsumexp(joint, axis=1, keepdims=True)) * weights[:, None]
    N = W.sum(axis=0)
    means = W.T @ X / N[:, None]
    full = np.stack([(W[:, j] * (X - means[j]).T) @ (X - means[j]) / N[j] for j in range(k)])
    expected = {
        "full": full,
        "tied": np.tensordot(N, full, 1) / N.sum(),
        "diag": np.diagonal(full, axis1=1, axis2=2),
        "spherical": np.trace(full, axis1=1, axis2=2) / 3,
    }[kind]
    assert_close(new.weights, N / N.sum())
    assert_close(new.means, means, rtol=1e-10)
    assert_close(new.covariances, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_factors_and_coordinates_round_trip(kind, rng):
    parameters = random_parameters(rng, kind, 3, 4)
    precisions = precisions_from_factor(parameters.factor, kind)
    assert_close(factor_of_precisions(precisions, kind), parameters.factor)
    assert_close(precision_factor(parameters.covariances, kind), parameters.factor)
    again = parameters.unpack(parameters.pack())
    assert_close(again.weights, parameters.weights)
    assert_close(again.means, parameters.means)
    assert_close(again.covariances, parameters.covariances)
    assert_close(again.factor, parameters.factor)


def test_a_matrix_that_is_not_positive_definite_raises():
    for kind, covariances in [("full", [[[1.0, 2.0], [2.0, 1.0]]]), ("diag", [[1.0, 0.0]]), ("spherical", [-1.0])]:
        with pytest.raises(ValueError, match="ill-defined empirical covariance"):
            precision_factor(covariances, kind)


# ------------------------------------------------------------------------------------------------------- missing values


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
@pytest.mark.parametrize("student", [False, True])
def test_missing_cells_are_integrated_out(kind, student, rng):
    k, p = 2, 3
    parameters = random_parameters(rng, kind, k, p, np.array([4.0, 7.0]) if student else None)
    X = rng.normal(size=(40, p))
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0] = np.nan
    joint = log_joint(X, parameters)
    S = parameters.full_covariances()
    for i, row in enumerate(X):
        seen = np.flatnonzero(~np.isnan(row))
        if seen.size == 0:
            assert_close(joint[i], np.log(parameters.weights))
            continue
        sub = NormalParameters.of(
            "full", parameters.weights, parameters.means[:, seen], S[:, seen[:, None], seen], parameters.dof
        )
        assert_close(joint[i], literal_log_joint(row[None, seen], sub)[0])


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_moments_with_missing_cells_are_conditional_expectations(kind, rng):
    k, p = 2, 3
    parameters = random_parameters(rng, kind, k, p)
    X = rng.normal(size=(30, p))
    X[rng.random(X.shape) < 0.3] = np.nan
    X = X[~np.isnan(X).all(axis=1)]
    made = moments(group_rows(X), parameters, 2)
    S, joint = parameters.full_covariances(), log_joint(X, parameters)
    R = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    first, second = np.zeros((k, p)), np.zeros((k, p, p))
    for i, row in enumerate(X):
        o, m = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        for j in range(k):
            d, C = np.zeros(p), np.zeros((p, p))
            B = S[j][np.ix_(m, o)] @ np.linalg.inv(S[j][np.ix_(o, o)])
            d[o] = row[o] - parameters.means[j, o]
            d[m] = B @ d[o]
            C[np.ix_(m, m)] = S[j][np.ix_(m, m)] - B @ S[j][np.ix_(o, m)]
            first[j] += R[i, j] * d
            second[j] += R[i, j] * (np.outer(d, d) + C)
    assert_close(made.first, first)
    assert_close(made.second, second)
    diagonal = moments(group_rows(X), parameters, 1) if kind in ("diag", "spherical") else None
    if diagonal is not None:
        assert_close(diagonal.second, np.diagonal(second, axis1=1, axis2=2))


def test_filled_cells_are_expectations(rng):
    parameters = random_parameters(rng, "full", 1, 2)
    S, mean = parameters.covariances[0], parameters.means[0]
    X = np.array([[0.3, np.nan], [np.nan, np.nan], [0.1, 0.2]])
    filled = fill(X, parameters)
    assert_close(filled[0], [0.3, mean[1] + S[1, 0] / S[0, 0] * (0.3 - mean[0])])
    assert_close(filled[1], mean)
    assert_close(filled[2], X[2])
