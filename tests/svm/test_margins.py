"""Margins, their losses and what the losses estimate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from statlearn.svm import dataset_margin, margin_loss, population_minimizer
from tests.helpers import assert_close

LOSSES = ["deviance", "hinge", "squared", "huberized"]


@pytest.mark.spec("SVM-05")
@given(st.integers(0, 10**6))
def test_margin_is_the_smallest_signed_distance(seed):
    rng = np.random.default_rng(seed)
    X, y, w, b = rng.normal(size=(15, 3)), rng.integers(0, 2, 15) * 2 - 1, rng.normal(size=3), rng.normal()
    y[:2] = [1, -1]
    slow = min(y[i] * (w @ X[i] + b) / np.sqrt(w @ w) for i in range(15))
    assert_close(dataset_margin(X, y, w, b), slow)
    assert_close(dataset_margin(X, y, 7 * w, 7 * b), slow)
    with pytest.raises(ValueError, match="two classes"):
        dataset_margin(X, np.arange(15), w, b)


@pytest.mark.spec("SVM-18", "SVM-T7")
def test_huberised_loss_at_the_joint():
    assert margin_loss(-1.0, "huberized") == pytest.approx(4.0, abs=1e-12)
    for side in (-1e-9, 1e-9):
        assert margin_loss(-1.0 + side, "huberized", derivative=True) == pytest.approx(-4.0, abs=1e-7)
    assert margin_loss(-1.0, "huberized", derivative=True) == pytest.approx(-4.0, abs=1e-12)


@pytest.mark.spec("SVM-18", "SVM-T8")
def test_population_minimisers_at_four_fifths():
    expected = {"deviance": 1.3862944, "hinge": 1.0, "squared": 0.6, "huberized": 0.6}
    for loss, value in expected.items():
        assert_close(population_minimizer(0.8, loss), value, atol=1e-6)


@pytest.mark.spec("SVM-18")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", [0.1, 0.35, 0.8, 0.95])
def test_population_minimiser_minimises_the_expected_loss(loss, p):
    def risk(f):
        return p * margin_loss(f, loss) + (1 - p) * margin_loss(-f, loss)

    best = minimize_scalar(risk, bounds=(-5, 5), method="bounded", options={"xatol": 1e-10})
    assert risk(population_minimizer(p, loss)) <= best.fun + 1e-9


@pytest.mark.spec("SVM-18")
@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_match_the_losses(loss):
    m = np.array([-3.0, -1.5, -0.5, 0.2, 0.9, 1.4])
    h = 1e-6
    numeric = (margin_loss(m + h, loss) - margin_loss(m - h, loss)) / (2 * h)
    assert_close(margin_loss(m, loss, derivative=True), numeric, rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="loss"):
        margin_loss(0.0, "exponential")
    with pytest.raises(ValueError, match="between 0 and 1"):
        population_minimizer(1.5)


def test_hinge_and_deviance_grow_equally_fast():
    assert_close(margin_loss(-60.0, "deviance", derivative=True), -1.0)
    assert margin_loss(-60.0, "hinge", derivative=True) == -1.0
