"""Hard margins."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from statlearn.svm import HardMarginSVC, NotSeparableError, dataset_margin, kkt_report
from statlearn.svm._scale_warning import ScaleWarning
from tests.helpers import assert_close
from tests.svm.data import blobs, cancer, iris


@pytest.mark.spec("SVM-01", "SVM-T1")
def test_three_points_in_the_plane():
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
    machine = HardMarginSVC().fit(X, y)
    alpha = np.zeros(3)
    alpha[machine.support_] = np.abs(machine.dual_coef_.ravel())
    assert_close(alpha, [0.25, 0.0, 0.25], atol=1e-6)
    assert_close(machine.coef_, [[0.5, 0.5]], atol=1e-6)
    assert_close(machine.intercept_, [-2.0], atol=1e-6)
    assert_close(machine.margin_, np.sqrt(2), atol=1e-6)
    assert_close(machine.dual_value_, 0.25, atol=1e-6)


@pytest.mark.spec("SVM-01", "SVM-T2")
def test_three_points_with_one_coordinate_that_matters():
    machine = HardMarginSVC().fit([[-1.0, 0.0], [1.0, 0.0], [2.0, 1.0]], [-1, 1, 1])
    assert_close(machine.coef_, [[1.0, 0.0]], atol=1e-6)
    assert_close(machine.intercept_, [0.0], atol=1e-6)
    assert_close(np.abs(machine.dual_coef_), [[0.5, 0.5]], atol=1e-6)
    assert machine.support_.tolist() == [0, 1]
    assert_close(machine.margin_, 1.0, atol=1e-6)


@pytest.mark.spec("SVM-01", "SVM-T3")
def test_exclusive_or_is_separable_only_in_the_quadratic_feature_space():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    with pytest.raises(NotSeparableError, match="separates"):
        HardMarginSVC().fit(X, y)
    machine = HardMarginSVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), y)
    assert np.min(np.abs(machine.decision_function(X))) > 1 - 1e-6


@pytest.mark.spec("SVM-01", "SVM-P1")
def test_optimal_on_separable_flowers_and_refused_on_the_others():
    X, y = iris()
    machine = HardMarginSVC().fit(X[:100], y[:100])
    assert kkt_report(machine, X[:100], y[:100]).facts["residual"] < 1e-6
    with pytest.raises(NotSeparableError):
        HardMarginSVC().fit(X[50:], y[50:])
    with pytest.raises(ValueError, match="binary"):
        HardMarginSVC().fit(X, y)
    same = np.vstack([X[:2], X[:1]])
    with pytest.raises(NotSeparableError):
        HardMarginSVC(kernel="rbf").fit(same, [0, 1, 1])


@pytest.mark.spec("SVM-01")
def test_far_from_the_origin_and_badly_scaled_rows():
    X, y = blobs(3, distance=8.0)
    machine = HardMarginSVC().fit(X, y)
    shifted = HardMarginSVC().fit(X + 100.0, y)
    assert_close(shifted.coef_, machine.coef_, rtol=1e-5)
    small = HardMarginSVC().fit(1e-3 * X, y)
    assert_close(1e-3 * small.coef_, machine.coef_, rtol=1e-5)


@pytest.mark.spec("SVM-01")
def test_flipped_labels_are_separable_only_in_as_many_dimensions_as_rows(seed):
    X, y = blobs(seed, n=200, distance=3.0)
    y[:10] *= -1
    for settings in ({}, {"kernel": "poly", "degree": 2, "coef0": 1.0}, {"kernel": "poly", "degree": 3, "coef0": 1.0}):
        with pytest.raises(NotSeparableError):
            HardMarginSVC(**settings).fit(X, y)
    machine = HardMarginSVC(kernel="rbf", gamma=10.0, tol=1e-5).fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), y)
    indefinite = HardMarginSVC(kernel="precomputed").fit  # columns of K as features
    with pytest.warns(UserWarning, match="positive"), pytest.raises(NotSeparableError):
        indefinite([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [1, 1, -1])


def test_a_thin_margin_in_many_columns_is_computed_exactly():
    X, y = cancer()
    machine = HardMarginSVC(max_iter=10_000).fit(X, y)
    assert machine.violation_ < 1e-8
    width = 2 * dataset_margin(X, y, machine.coef_[0], machine.intercept_[0])
    assert_close(machine.width_, width, rtol=1e-6)
    assert kkt_report(machine, X, y).facts["residual"] < 1e-6


def test_a_margin_that_is_not_found_is_reported_without_blaming_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    with (
        pytest.warns(ScaleWarning),
        pytest.warns(ConvergenceWarning, match=r"is thin: the decision values are sums of terms up to 1e\+06\. Scale"),
    ):
        HardMarginSVC(max_iter=10_000).fit(X * [1.0, 1e7, 1.0], X[:, 0] > 0)


def test_huge_multipliers_are_finished_from_the_result_of_the_pair_steps():
    X, y = make_moons(200, noise=0.1, random_state=0)
    machine = HardMarginSVC(kernel="rbf", gamma=0.01).fit(X, y)
    assert machine.violation_ < 1e-8
    assert abs(machine.dual_coef_).max() > 1e7


def test_a_wide_gaussian_kernel_is_solved_as_far_as_its_digits_reach():
    # All kernel values lie within 1 % of 1, and the multipliers exceed 1e9: decision values keep six digits or so.
    X, y = make_moons(100, noise=0.1, random_state=0)
    machine = HardMarginSVC(kernel="rbf", gamma=0.001, tol=1e-4).fit(X, y)
    assert machine.fit_status_ == 0
    assert machine.score(X, y) == 1.0
    assert abs(machine.dual_coef_).max() > 1e9
    assert_close(np.min(np.where(y, 1, -1) * machine.decision_function(X)), 1.0, rtol=1e-4)
    with pytest.warns(ConvergenceWarning, match="of which double precision keeps 16 digits.* raise tol"):
        HardMarginSVC(kernel="rbf", gamma=0.001).fit(X, y)
