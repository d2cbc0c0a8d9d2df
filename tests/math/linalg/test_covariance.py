"""Covariances and their shrinkage, against scikit-learn and the definitions."""

import numpy as np
import pytest
import sklearn.covariance
from sklearn.preprocessing import StandardScaler

from statlearn._math.linalg.covariance import (
    TARGETS,
    empirical_covariance,
    ledoit_wolf,
    ledoit_wolf_amount,
    oas,
    oas_amount,
    shrink,
)
from tests.helpers import assert_close


@pytest.fixture
def table(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(23, 6)) @ rng.normal(size=(6, 6)) + rng.normal(size=6) * 10


@pytest.mark.parametrize("centred", [True, False])
def test_the_three_estimates_have_scikit_learns_values(table, centred):
    location, S = empirical_covariance(table, assume_centered=centred)
    assert_close(S, sklearn.covariance.empirical_covariance(table, assume_centered=centred))
    assert_close(location, 0.0 if centred else table.mean(axis=0))
    for mine, theirs in ((ledoit_wolf, sklearn.covariance.LedoitWolf), (oas, sklearn.covariance.OAS)):
        reference = theirs(assume_centered=centred).fit(table)
        location, covariance, amount = mine(table, assume_centered=centred)
        assert_close(amount, reference.shrinkage_)
        assert_close(covariance, reference.covariance_)
        assert_close(location, reference.location_)


@pytest.mark.parametrize("estimate", [ledoit_wolf, oas])
def test_the_diagonal_target_is_the_identity_after_standardising(table, estimate):
    scaler = StandardScaler().fit(table)
    _, shrunk, amount = estimate(scaler.transform(table))
    _, covariance, own = estimate(table, target="diagonal")
    assert_close(own, amount)
    assert_close(covariance, scaler.scale_[:, None] * shrunk * scaler.scale_)
    assert_close(np.diag(covariance), table.var(axis=0))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("estimate", [ledoit_wolf, oas])
def test_a_weight_is_a_number_of_copies(table, estimate, target, seed):
    weights = np.random.default_rng(seed).integers(0, 4, size=len(table))
    copies = estimate(np.repeat(table, weights, axis=0), target=target)
    for a, b in zip(estimate(table, weights, target=target), copies):
        assert_close(a, b)


def test_the_amount_of_ledoit_and_wolf_is_the_ratio_of_its_definition(table):
    Z = table - table.mean(axis=0)
    S = Z.T @ Z / len(Z)
    T = np.trace(S) / S.shape[0] * np.eye(S.shape[0])
    variance = np.mean([np.sum((np.outer(z, z) - S) ** 2) for z in Z]) / len(Z)
    assert_close(ledoit_wolf_amount(table), min(1.0, variance / np.sum((S - T) ** 2)))


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_the_amounts_have_no_scale(table, scale):
    for target in TARGETS:
        assert_close(ledoit_wolf_amount(scale * table, target=target), ledoit_wolf_amount(table, target=target))
        assert_close(
            oas_amount(empirical_covariance(scale * table)[1], len(table), target=target),
            oas_amount(empirical_covariance(table)[1], len(table), target=target),
        )


def test_degenerate_tables_have_an_answer():
    assert ledoit_wolf_amount(np.arange(4.0)[:, None]) == oas_amount(np.eye(1), 4) == 0.0
    constant = np.ones((5, 3))
    for estimate in (ledoit_wolf, oas):
        for target in TARGETS:
            _, covariance, amount = estimate(constant, target=target)
            assert_close(covariance, np.zeros((3, 3)))
            assert 0.0 <= amount <= 1.0


def test_a_stack_is_shrunk_matrix_by_matrix(table):
    S = empirical_covariance(table)[1]
    stack = np.array([S, 2 * S])
    for target in TARGETS:
        assert_close(shrink(stack, 0.3, target)[1], shrink(2 * S, 0.3, target))
