"""Weights for shifted rows: the exact ratio of two normals, clipping, what a weighted fit gains."""

import numpy as np
import pandas as pd
import pytest

from statlearn._core.warnings import StatlearnWarning
from statlearn.linear import LinearRegression
from statlearn.neighbors import KNeighborsClassifier
from statlearn.prep import covariate_shift_weights
from tests.helpers import assert_close


def normals(rng, n=5000):
    return rng.normal(0, 1, (n, 1)), rng.normal(1, 1, (n, 1))


@pytest.mark.spec("CRS-96")
@pytest.mark.parametrize("cv", [5, None])
def test_shift_of_a_normal_has_exponential_weights(seed, cv):
    source, target = normals(np.random.default_rng(seed), 20_000)
    result = covariate_shift_weights(source, target, cv=cv, max_weight=None, random_state=0)
    slope, intercept = np.polyfit(source[:, 0], np.log(result.weights), 1)
    # Standard errors of the logistic coefficients are about .015.
    assert abs(slope - 1) < 0.08
    assert abs(intercept + 0.5) < 0.08
    # E w = 1 and E w² = e under N(0, 1).
    assert abs(result.weights.mean() - 1) < 0.1
    assert_close(result.effective_sample_size, result.weights.sum() ** 2 / (result.weights**2).sum())
    assert 0.2 < result.effective_sample_size / 20_000 < 0.55


@pytest.mark.spec("CRS-96")
def test_weights_are_clipped_and_feed_sample_weight(seed):
    rng = np.random.default_rng(seed)
    source, target = normals(rng)
    result = covariate_shift_weights(source, target, max_weight=3.0, random_state=0)
    assert result.weights.max() == 3.0
    assert result.n_clipped == np.sum(result.weights == 3.0) > 0
    # A line for a curve: the weighted one is less wrong at the target.
    truth = lambda X: X[:, 0] ** 2  # noqa: E731
    plain = LinearRegression().fit(source, truth(source))
    weighted = LinearRegression().fit(source, truth(source), sample_weight=result.weights)
    errors = [np.mean((truth(target) - model.predict(target)) ** 2) for model in (plain, weighted)]
    assert errors[1] < 0.7 * errors[0]


def test_folds_keep_a_flexible_classifier_from_memorising(seed):
    rng = np.random.default_rng(seed)
    same = rng.normal(size=(300, 2)), rng.normal(size=(300, 2))
    memorised = covariate_shift_weights(*same, KNeighborsClassifier(3), cv=None, random_state=0)
    honest = covariate_shift_weights(*same, KNeighborsClassifier(3), cv=5, random_state=0, max_weight=4.0)
    assert memorised.weights.mean() < honest.weights.mean()


def test_no_overlap_warns_and_separation_raises(seed):
    rng = np.random.default_rng(seed)
    source, target = rng.normal(size=(500, 1)), rng.normal(4, 1, size=(500, 1))
    with pytest.warns(StatlearnWarning, match="effective sample size is"):
        covariate_shift_weights(source, target, max_weight=None, random_state=0)
    with pytest.raises(ValueError, match="all weights are 0"):
        covariate_shift_weights(source, target + 50, KNeighborsClassifier(3), random_state=0)


def test_bad_arguments_raise():
    X = np.arange(10.0).reshape(5, 2)
    with pytest.raises(ValueError, match="`X_target` must have the 2 columns"):
        covariate_shift_weights(X, X[:, :1])
    with pytest.raises(ValueError, match="`X_target` must have the columns"):
        covariate_shift_weights(pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(X, columns=["b", "a"]))
    with pytest.raises(ValueError, match="exceeds the 5 rows"):
        covariate_shift_weights(X, X, cv=9)
    with pytest.raises(ValueError, match="X_source contains NaN"):
        covariate_shift_weights(X * np.nan, X)
    with pytest.raises(ValueError, match="max_weight"):
        covariate_shift_weights(X, X, max_weight=0)
