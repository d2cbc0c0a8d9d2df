"""Bootstrap errors against their formulas and against what is known to be true."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes
from sklearn.neighbors import KNeighborsClassifier

from statlearn.assess import (
    bootstrap_632,
    bootstrap_distribution,
    bootstrap_oob_error,
    bootstrap_optimism,
    estimate_632,
    probability_left_out,
)
from statlearn.assess._bootstrap import generator
from statlearn.assess._bootstrap_error import no_information_error, resampled_rows
from statlearn.linear import LinearRegression, Ridge
from tests.helpers import assert_close

X, y = load_diabetes(return_X_y=True)


@pytest.mark.spec("ASM-T13", "ASM-35")
def test_the_632_rule():
    assert_close(estimate_632(0.1, 0.3), 0.2264, rtol=1e-12)


@pytest.mark.spec("ASM-35")
def test_the_632_plus_rule_in_its_limits():
    assert_close(estimate_632(0.1, 0.1, 0.5), 0.1)  # no overfitting: both errors agree
    assert_close(estimate_632(0.0, 0.5, 0.5), 0.5)  # total overfitting: the left-out error alone
    assert_close(estimate_632(0.0, 0.9, 0.5), 0.5)  # worse than no information is no information
    assert 0.2264 < estimate_632(0.1, 0.3, 0.5) < 0.3


@pytest.mark.spec("ASM-T14")
def test_probability_of_being_left_out():
    assert_close([probability_left_out(10), probability_left_out(100)], [0.3486784, 0.3660323], atol=5e-8)


@pytest.mark.spec("ASM-P21", "ASM-35")
@pytest.mark.parametrize("n", [10, 100, 1000])
def test_a_resample_holds_about_632_of_the_distinct_rows(n, seed):
    found = bootstrap_distribution(
        lambda x: len(np.unique(x)) / n, np.arange(n), n_resamples=400, jackknife=False, random_state=seed
    )
    expected = 1 - probability_left_out(n)
    assert abs(found.draws.mean() - expected) < 5 * found.std_error / np.sqrt(400)


@pytest.mark.spec("ASM-35")
def test_left_out_error_written_out():
    found = bootstrap_oob_error(LinearRegression(), X, y, n_resamples=15, random_state=3)
    total, count = np.zeros(len(y)), np.zeros(len(y))
    for rows in resampled_rows(len(y), 15, generator(3)):
        out = np.setdiff1d(np.arange(len(y)), rows)
        total[out] += (y[out] - LinearRegression().fit(X[rows], y[rows]).predict(X[out])) ** 2
        count[out] += 1
    assert_close(found.left_out, np.mean(total[count > 0] / count[count > 0]))
    assert float(found) == found.estimate == found.left_out
    train = np.mean((y - LinearRegression().fit(X, y).predict(X)) ** 2)
    both = bootstrap_632(LinearRegression(), X, y, n_resamples=15, random_state=3)
    assert_close(both.estimate, 0.368 * train + 0.632 * found.left_out)
    plus = bootstrap_632(LinearRegression(), X, y, n_resamples=15, random_state=3, plus=True)
    assert_close(plus.estimate, estimate_632(train, found.left_out, plus.no_information))
    assert both.estimate < plus.estimate < found.left_out


@pytest.mark.spec("ASM-35")
def test_a_memoriser_on_noise_is_flattered_by_632_but_not_by_632_plus(seed):
    """One nearest neighbour, labels at random: error 1/2, training error 0, .632 rule near .316."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(600, 5)), np.repeat([0, 1], 300)
    plain = bootstrap_632(KNeighborsClassifier(1), A, b, n_resamples=10, random_state=seed)
    plus = bootstrap_632(KNeighborsClassifier(1), A, b, n_resamples=10, random_state=seed, plus=True)
    assert plain.train == 0.0
    assert 0.26 < plain.estimate < 0.37
    assert 0.4 < plus.estimate < 0.6


@pytest.mark.spec("ASM-35")
@pytest.mark.parametrize("loss", ["squared_error", "zero_one"])
def test_no_information_error_is_the_mean_over_all_pairs(loss, rng):
    truth, says = rng.integers(0, 3, 20), rng.integers(0, 3, 20)
    function = {"squared_error": lambda a, b: (a - b) ** 2, "zero_one": lambda a, b: (a != b) * 1.0}[loss]
    pairs = np.mean([function(a, b) for a in truth for b in says])
    assert_close(no_information_error(truth, says, loss, function), pairs)
    assert_close(no_information_error(truth, says, function, function), pairs)


@pytest.mark.spec("ASM-35")
def test_optimism_bootstrap_comes_near_the_optimism_of_least_squares(seed):
    """Mean squared error: optimism (per row) 2 d sigma²/n at fixed points, a little more at random ones."""
    rng = np.random.default_rng(seed)
    n, p = 60, 5
    A = rng.normal(size=(n, p))
    b = A.sum(axis=1) + rng.normal(size=n)
    found = bootstrap_optimism(
        LinearRegression(), A, b, scoring="neg_mean_squared_error", n_resamples=100, random_state=seed
    )
    assert_close(found.corrected, found.apparent - found.optimism)
    assert 0.5 < found.optimism / (2 * (p + 1) / n) < 2.5


def test_stratified_resamples_keep_rare_classes():
    class NeedsBoth(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            assert len(self.classes_) == 2, "a class was lost"
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    labels = np.array([0] * 28 + [1] * 2)
    found = bootstrap_oob_error(NeedsBoth(), np.zeros((30, 1)), labels, n_resamples=60, stratify=True, random_state=0)
    assert_close(found.train, 2 / 30)


def test_weights_are_resampled_with_the_rows_and_jobs_do_not_matter():
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    one = bootstrap_632(Ridge(), X, y, params={"sample_weight": w}, n_resamples=10, random_state=0)
    two = bootstrap_632(Ridge(), X, y, params={"sample_weight": w}, n_resamples=10, random_state=0, n_jobs=2)
    assert one.estimate == two.estimate


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="'loss' parameter of bootstrap_632"):
        bootstrap_632(Ridge(), X, y, loss="hinge")
    with pytest.raises(ValueError, match="increase `n_resamples`"):
        bootstrap_oob_error(KNeighborsClassifier(1), [[0.0]], [1], n_resamples=1)
