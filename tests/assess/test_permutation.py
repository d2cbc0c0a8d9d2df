"""Shuffling: a test of the score, and importances with intervals."""

import numpy as np
import pandas as pd
import polars as pl
from sklearn.inspection import permutation_importance

from statlearn.assess import permutation_importance_interval, permutation_test
from statlearn.linear import LinearRegression, LogisticRegression
from tests.helpers import assert_close


def problem(rng, n=300):
    X = rng.normal(size=(n, 3))
    return X, 2 * X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n)


def test_importances_match_least_squares_theory(rng):
    """Shuffling column j of a linear model with independent columns adds 2 b_j² to the squared error."""
    X, y = problem(rng, 4000)
    model = LinearRegression().fit(X[:2000], y[:2000])
    found = permutation_importance_interval(
        model, X[2000:], y[2000:], scoring="neg_mean_squared_error", random_state=0, n_repeats=5
    )
    # A sample variance of 2000 rows is known to 3 %, a mean over shuffles to 0.1.
    assert_close(found.mean, [8.0, 0.5, 0.0], atol=1.2)
    assert list(found.order[:2]) == [0, 1]
    assert np.all((found.lower <= found.mean) & (found.mean <= found.upper))
    assert found.lower[1] > 0
    beside = permutation_importance(model, X[2000:], y[2000:], scoring="neg_mean_squared_error", random_state=0)
    assert_close(found.mean, beside.importances_mean, atol=0.8)


def test_a_column_of_noise_has_zero_in_its_interval(rng):
    X, y = problem(rng)
    model = LinearRegression().fit(X[:150], y[:150])
    found = permutation_importance_interval(model, X[150:], y[150:], random_state=0)
    assert found.lower[2] < 0.02
    assert found.upper[2] < found.lower[0]
    narrow = permutation_importance_interval(model, X[150:], y[150:], random_state=0, interval="permutation")
    assert np.all(narrow.upper - narrow.lower < found.upper - found.lower)


def test_frames_give_names_and_the_same_numbers(rng):
    X, y = problem(rng)
    model = LinearRegression().fit(X, y)
    plain = permutation_importance_interval(model, X, y, random_state=0, n_resamples=20, n_repeats=3)
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame(dict(zip("abc", X.T)))
        named = LinearRegression().fit(table, y)
        found = permutation_importance_interval(named, table, y, random_state=0, n_resamples=20, n_repeats=3)
        assert found.names == ["a", "b", "c"]
        assert_close(found.mean, plain.mean)
        assert_close(found.lower, plain.lower)


def test_probabilities_and_chosen_columns(rng):
    X, y = problem(rng)
    model = LogisticRegression().fit(X, y > 0)
    found = permutation_importance_interval(
        model, X, y > 0, scoring="roc_auc", columns=[2, 0], random_state=0, n_resamples=20, n_repeats=3
    )
    assert found.names == ["x2", "x0"]
    assert found.mean[1] > 0.2 > abs(found.mean[0])
    losses = permutation_importance_interval(
        model, X, y > 0, scoring="neg_log_loss", random_state=0, n_resamples=5, n_repeats=2
    )
    assert losses.mean[0] > 0


def test_a_model_that_learned_has_a_small_p_value_and_noise_has_not(rng):
    X, y = problem(rng, 60)
    learned = permutation_test(LinearRegression(), X, y, n_permutations=49)
    assert learned.p_value == 1 / 50
    assert learned.null_scores.max() < learned.score
    noise = permutation_test(LinearRegression(), X, rng.normal(size=60), n_permutations=49)
    assert noise.p_value > 1 / 50
