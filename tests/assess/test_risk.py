"""Empirical risk is the mean loss, and converges to the expected risk."""

import numpy as np
import pytest

from statlearn.assess import empirical_risk, expected_risk, losses
from statlearn.linear import LinearRegression
from tests.helpers import assert_close


def sample(n, rng):
    x = rng.uniform(-1, 1, size=(n, 1))
    return x, 2 * x[:, 0] + rng.normal(size=n)


@pytest.mark.spec("ASM-07")
def test_empirical_risk_is_the_weighted_mean_loss(rng):
    X, y = sample(30, rng)
    f, weights = X[:, 0], rng.integers(0, 3, 30)
    assert_close(empirical_risk(losses.Huber(), y, f), np.mean(losses.Huber().value(y, f)))
    copies = np.repeat(np.arange(30), weights)
    weighted = empirical_risk(losses.SquaredError(), y, f, sample_weight=weights)
    assert_close(weighted, np.mean((y - f)[copies] ** 2))
    assert_close(empirical_risk(lambda a, b: np.abs(a - b), y, f), np.mean(np.abs(y - f)))
    one_hot, P = np.eye(2)[(y > 0).astype(int)], np.full((30, 2), 0.5)
    assert_close(empirical_risk(losses.CrossEntropy(), one_hot, P), np.log(2))
    with pytest.raises(ValueError, match="one value per row"):
        empirical_risk(lambda a, b: np.mean(a), y, f)


@pytest.mark.spec("ASM-07")
def test_expected_risk_of_a_fixed_rule_is_its_integral():
    # E (y - x)^2 = E x^2 + 1 = 4/3.
    risk = expected_risk(losses.SquaredError(), lambda X: X[:, 0], sample, confidence=0.999, random_state=0)
    assert 4 / 3 in risk
    assert risk.high - risk.low < 0.05
    X, y = sample(200, np.random.default_rng(0))
    model = LinearRegression().fit(X, y)
    # Noise 1 plus E (a + (b - 2) x)^2 of the fitted line.
    exact = 1 + model.intercept_**2 + (model.coef_[0] - 2) ** 2 / 3
    assert exact in expected_risk(losses.SquaredError(), model, sample, confidence=0.999, random_state=1)


@pytest.mark.spec("ASM-P10")
def test_risk_on_growing_samples_converges_to_the_expected_risk():
    rng = np.random.default_rng(3)
    errors = []
    for n in (100, 10_000, 1_000_000):
        X, y = sample(n, rng)
        error = abs(empirical_risk(losses.SquaredError(), y, X[:, 0]) - 4 / 3)
        spread = np.std((y - X[:, 0]) ** 2) / np.sqrt(n)
        assert error < 4 * spread
        errors.append(spread)
    assert errors[0] > 5 * errors[1] > 25 * errors[2]


@pytest.mark.spec("CRS-06")
def test_losses_of_vector_responses_are_summed_over_outputs(rng):
    Y, P = [[1, 2], [3, 4]], [[2, 4], [3, 6]]
    assert empirical_risk(losses.SquaredError(), Y, P) == 4.5
    Y, F = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    for loss in (
        losses.SquaredError(half=True),
        losses.AbsoluteError(),
        losses.Huber(0.5),
        losses.LogCosh(),
        losses.EpsilonInsensitive(0.2),
        losses.SquaredEpsilonInsensitive(0.2),
        losses.Quantile(0.3),
    ):
        columns = [loss.value(y, f) for y, f in zip(Y.T, F.T, strict=True)]
        assert_close(loss.value(Y, F), np.sum(columns, axis=0))
        assert_close(empirical_risk(loss, Y, F), np.mean(np.sum(columns, axis=0)))
        assert_close(loss.gradient(Y, F)[:, 1], loss.gradient(Y[:, 1], F[:, 1]))
        hessian = loss.hessian(Y, F)
        assert hessian.shape == (5, 3, 3)
        assert_close(hessian[:, 2, 2], loss.hessian(Y[:, 2], F[:, 2]))
        assert not hessian[:, 0, 1].any()
    with pytest.raises(ValueError, match="at most two dimensions"):
        losses.SquaredError().value(np.zeros((2, 2, 2)), np.zeros((2, 2, 2)))
