"""Soft-margin and nu classification."""

import itertools
import re
import subprocess
import sys

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import statlearn
from statlearn import kernels
from statlearn.linear import LogisticRegression, OneVsRestClassifier, RegularizedLinearClassifier, convert_penalty
from statlearn.svm import (
    SVC,
    SVCCV,
    SVR,
    HardMarginSVC,
    LinearSVC,
    NuSVC,
    NuSVR,
    OneClassSVM,
    dataset_margin,
    kkt_report,
    smo_solve,
)
from tests.helpers import assert_close
from tests.svm.data import blobs, cancer, iris, rings

KERNELS = [
    {},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"C": 10.0, "gamma": 0.5},
]


def dual_objective(model, K):
    """Sum of multipliers minus half the quadratic form, from the fitted attributes of a two-class machine."""
    b = np.ravel(model.dual_coef_)
    return np.abs(b).sum() - 0.5 * b @ K[np.ix_(model.support_, model.support_)] @ b


@pytest.mark.spec("SVM-02", "SVM-15", "SVM-P1")
@pytest.mark.parametrize("settings", KERNELS, ids=str)
def test_agrees_with_libsvm_and_is_optimal(settings):
    X, y = iris()
    ours = SVC(tol=1e-6, decision_function_shape="ovo", **settings).fit(X, y)
    theirs = sklearn.svm.SVC(tol=1e-8, decision_function_shape="ovo", **settings).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    # libsvm keeps kernel values in single precision
    assert_close(ours.decision_function(X), theirs.decision_function(X), rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    report = kkt_report(ours, X, y)
    assert report.facts["residual"] < 1e-5
    assert np.all(np.abs(report["relative_gap"]) < 1e-5)


@pytest.mark.spec("SVM-02")
def test_objective_equals_that_of_libsvm_on_a_few_thousand_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    y = np.where(np.sin(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=3000) > 0, 1, -1)
    K = rbf_kernel(X, gamma=0.1)
    ours = SVC(C=2.0, gamma=0.1).fit(X, y)
    theirs = sklearn.svm.SVC(C=2.0, gamma=0.1, tol=1e-5).fit(X, y)
    best = dual_objective(theirs, K)
    assert abs(dual_objective(ours, K) - best) < 1e-6 * best
    assert_close(ours.objective_, -best, rtol=1e-6)  # tol of 1e-3
    assert kkt_report(ours, X, y).facts["residual"] < 2e-3
    small_cache = SVC(C=2.0, gamma=0.1, cache_size=1).fit(X, y)  # 87 of 3000 rows
    assert_close(small_cache.objective_, ours.objective_, rtol=1e-6)
    plain = SVC(C=2.0, gamma=0.1, shrinking=False).fit(X, y)
    assert_close(plain.objective_, ours.objective_, rtol=1e-6)
    with statlearn.threads(1):
        again = SVC(C=2.0, gamma=0.1).fit(X, y)
    np.testing.assert_array_equal(again.dual_coef_, ours.dual_coef_)


@pytest.mark.spec("SVM-P14")
def test_weights_are_copies_and_scale_with_C():
    X, y = blobs(1, 40)
    rng = np.random.default_rng(0)
    w = rng.integers(0, 4, size=40)
    weighted = SVC(kernel="linear", tol=1e-10).fit(X, y, sample_weight=w)
    copies = SVC(kernel="linear", tol=1e-10).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(weighted.decision_function(X), copies.decision_function(X))
    rescaled = SVC(kernel="linear", tol=1e-10, C=0.25).fit(X, y, sample_weight=4.0 * w)
    assert_close(weighted.decision_function(X), rescaled.decision_function(X))


@pytest.mark.spec("SVM-04", "SVM-P1")
def test_margin_and_weights_follow_from_the_support_vectors():
    X, y = blobs(2)
    machine = SVC(kernel="linear", C=0.5, tol=1e-10).fit(X, y)
    w = machine.dual_coef_ @ machine.support_vectors_
    assert_close(machine.coef_, w)
    assert_close(machine.margin_, 1.0 / np.linalg.norm(w))
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    assert abs(machine.dual_coef_.sum()) < 1e-9
    curved = SVC(gamma=0.5, C=0.5, tol=1e-10).fit(X, y)
    b = curved.dual_coef_.ravel()
    K = rbf_kernel(curved.support_vectors_, gamma=0.5)
    assert_close(curved.margin_, 1.0 / np.sqrt(b @ K @ b))


@pytest.mark.spec("SVM-P2")
def test_every_free_support_vector_gives_the_same_intercept():
    X, y = cancer()
    machine = SVC(tol=1e-10).fit(X, y)
    free = machine.support_status_ == "margin"
    assert free.sum() > 10
    signs = np.where(y[free] == 1, 1.0, -1.0)
    assert_close(machine.decision_function(X[free]) * signs, 1.0, rtol=1e-8)


@pytest.mark.spec("SVM-P3")
def test_rows_that_do_not_support_are_not_needed():
    X, y = cancer()
    machine = SVC(tol=1e-10, gamma=0.03).fit(X, y)
    again = SVC(tol=1e-10, gamma=0.03).fit(X[machine.support_], y[machine.support_])
    assert_close(again.decision_function(X), machine.decision_function(X), rtol=1e-6, atol=1e-7)


@pytest.mark.spec("SVM-07", "SVM-P7")
@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.5, 5.0]))
@settings(max_examples=20)
def test_status_and_slack_match_the_multipliers(seed, C):
    X, y = blobs(seed)
    machine = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    f = machine.decision_function(X)
    alpha = np.zeros(y.size)
    alpha[machine.support_] = np.abs(machine.dual_coef_.ravel())
    slack = np.maximum(1 - y * f, 0)
    assert_close(machine.slack_, slack, atol=1e-7)
    status = machine.support_status_
    assert np.all(alpha[status == "outside"] == 0)
    assert np.all(y[status == "outside"] * f[status == "outside"] > 1 - 1e-7)
    margin = status == "margin"
    assert np.all((alpha[margin] > 0) & (alpha[margin] < C))
    assert np.all(np.abs(y[margin] * f[margin] - 1) < 1e-7)
    inside, wrong = status == "inside", status == "wrong"
    assert np.all(alpha[inside | wrong] == C)
    assert np.all(slack[inside] <= 1 + 1e-7)
    assert np.all(slack[wrong] > 1 - 1e-7)


@pytest.mark.spec("SVM-P5")
def test_soft_margin_is_hinge_loss_with_a_ridge_penalty():
    X, y = blobs(3)
    C = 0.7
    machine = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    for scale, alpha in (("sum", convert_penalty(C, "C", "rss")), ("sklearn", 1.0 / (C * len(y)))):
        ridge = RegularizedLinearClassifier(loss="hinge", alpha=alpha, penalty_scale=scale, tol=1e-12).fit(X, y)
        assert_close(ridge.coef_, machine.coef_, rtol=1e-6)
        assert_close(ridge.intercept_, machine.intercept_, rtol=1e-6, atol=1e-7)

    def objective(w, b):
        return 0.5 * w @ w + C * np.sum(np.maximum(1 - y * (X @ w + b), 0))

    best = objective(machine.coef_[0], machine.intercept_[0])
    rng = np.random.default_rng(0)
    for step in 1e-3 * rng.normal(size=(50, 3)):
        assert objective(machine.coef_[0] + step[:2], machine.intercept_[0] + step[2]) > best


@pytest.mark.spec("SVM-P4")
def test_large_C_is_the_hard_margin_and_small_C_widens_the_margin():
    X, y = iris()
    X, y = X[:100], y[:100]
    hard = HardMarginSVC().fit(X, y)
    widths = []
    for C in (1e-3, 1e-2, 0.1, 1.0, 1e5):
        machine = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
        widths.append(machine.width_[0])
    assert np.all(np.diff(widths) <= 1e-6)
    assert_close(machine.coef_, hard.coef_, rtol=1e-5)


@pytest.mark.spec("SVM-P8")
def test_linear_kernel_equals_the_linear_machine_with_a_free_intercept():
    X, y = cancer()
    for dual in ("auto", True):
        kernel = SVC(kernel="linear", C=0.1, tol=1e-9).fit(X, y)
        linear = LinearSVC(loss="hinge", C=0.1, penalize_intercept=False, tol=1e-7, max_iter=100_000, dual=dual,
                           random_state=0).fit(X, y)  # fmt: skip
        assert_close(kernel.coef_, linear.coef_, rtol=1e-5, atol=1e-6)
        assert_close(kernel.intercept_, linear.intercept_, rtol=1e-5, atol=1e-6)


@pytest.mark.spec("SVM-P9")
def test_polynomial_kernel_is_a_linear_machine_on_its_explicit_map():
    X, y = blobs(4)
    machine = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, tol=1e-10).fit(X, y)
    # (1 + x'z)^2 = sum over monomials with weights 1, 2, 2, 1, 2, 1
    phi = PolynomialFeatures(2).fit_transform(X) * np.sqrt([1, 2, 2, 1, 2, 1])
    linear = SVC(kernel="linear", tol=1e-10).fit(phi, y)
    assert_close(machine.decision_function(X), linear.decision_function(phi), rtol=1e-6, atol=1e-7)
    K = polynomial_kernel(X, degree=2, gamma=1.0, coef0=1.0)
    given_matrix = SVC(kernel="precomputed", tol=1e-10).fit(K, y)
    function = SVC(kernel=lambda a, b: polynomial_kernel(a, b, degree=2, gamma=1.0, coef0=1.0), tol=1e-10).fit(X, y)
    assert_close(given_matrix.decision_function(K), machine.decision_function(X), rtol=1e-6, atol=1e-7)
    assert_close(function.decision_function(X), machine.decision_function(X), rtol=1e-6, atol=1e-7)


@pytest.mark.spec("SVM-P15")
def test_gaussian_kernel_separates_rings(seed):
    X, y = rings(seed)
    assert SVC(C=10.0, gamma=1.0).fit(X, y).score(X, y) == 1.0
    assert SVC(C=10.0, kernel="linear").fit(X, y).score(X, y) < 0.8


@pytest.mark.spec("SVM-P11")
def test_moving_a_row_beyond_the_margin_has_no_effect():
    X, y = blobs(5, distance=4.0)
    machine = SVC(kernel="linear", tol=1e-10).fit(X, y)
    outside = np.flatnonzero((machine.support_status_ == "outside") & (y > 0))[0]
    moved = X.copy()
    moved[outside, 0] += 5.0
    again = SVC(kernel="linear", tol=1e-10).fit(moved, y)
    assert_close(again.coef_, machine.coef_, rtol=1e-6)
    before, after = LogisticRegression().fit(X, y), LogisticRegression().fit(moved, y)
    assert np.abs(before.coef_ - after.coef_).max() > 1e-3


@pytest.mark.spec("SVM-03")
def test_budget_form_spends_exactly_its_budget():
    X, y = blobs(6, distance=3.0)
    for budget in (8.0, 15.0, 25.0):
        machine = SVC(kernel="linear", budget=budget, tol=1e-6).fit(X, y)
        assert_close(machine.slack_.sum(), budget, rtol=1e-6)
        # the price form with the C found is the same machine
        priced = SVC(kernel="linear", C=machine.C_, tol=1e-8).fit(X, y)
        assert_close(priced.coef_, machine.coef_, rtol=1e-4)  # the slack pins C to six digits
        # no other separator with at most this slack has a wider margin: the optimum of the constrained problem
        rng = np.random.default_rng(0)
        w, b = machine.coef_[0], machine.intercept_[0]
        for step in 1e-3 * rng.normal(size=(200, 3)):
            other = w + step[:2]
            if np.maximum(1 - y * (X @ other + b + step[2]), 0).sum() <= budget:
                assert np.linalg.norm(other) > np.linalg.norm(w) - 1e-7
    with pytest.raises(ValueError, match="budget"):
        SVC(kernel="linear", budget=1e-3).fit(*blobs(6, distance=0.0))
    with pytest.raises(ValueError, match="two classes"):
        SVC(budget=1.0).fit(*iris())


@pytest.mark.spec("SVM-09")
def test_dense_quadratic_program_agrees_with_the_block_solver(seed):
    X, y = blobs(seed, p=3)
    for kernel in ("linear", "rbf"):
        fast = SVC(kernel=kernel, tol=1e-9).fit(X, y)
        reference = SVC(kernel=kernel, solver="qp").fit(X, y)
        assert_close(reference.decision_function(X), fast.decision_function(X), rtol=1e-6, atol=1e-7)
        assert_close(reference.objective_, fast.objective_, rtol=1e-8)
        assert kkt_report(reference, X, y).facts["residual"] < 1e-7


@pytest.mark.spec("SVM-14", "SVM-15", "SVM-P12")
def test_one_vs_rest_trains_k_and_one_vs_one_all_pairs():
    X, y = np.array(iris()[0]), np.repeat(np.arange(5), 30)
    X = X + 0.2 * y[:, None]
    rest, pairs = SVC(multi_class="ovr", tol=1e-6).fit(X, y), SVC(tol=1e-6).fit(X, y)
    assert rest.intercept_.size == rest.n_iter_.size == 5
    assert pairs.intercept_.size == pairs.n_iter_.size == 10
    wrapped = OneVsRestClassifier(SVC(tol=1e-6)).fit(X, y)
    np.testing.assert_array_equal(rest.predict(X), wrapped.predict(X))
    scores = np.column_stack([m.decision_function(X) for m in wrapped.estimators_])
    gamma_scores = rest.decision_function(X)
    assert_close(gamma_scores, scores, rtol=1e-4, atol=1e-4)  # tol of 1e-6
    np.testing.assert_array_equal(rest.predict(X), rest.classes_[gamma_scores.argmax(axis=1)])
    assert kkt_report(rest, X, y).facts["residual"] < 1e-4


@pytest.mark.spec("SVM-15")
def test_ties_of_votes_go_to_the_first_class_or_to_the_summed_decisions():
    X, y = iris()
    rng = np.random.default_rng(0)
    grid = rng.uniform(X.min(axis=0) - 2, X.max(axis=0) + 2, size=(20_000, 4))
    plain = SVC(C=0.1, gamma=5.0).fit(X, y)
    votes = np.zeros((len(grid), 3), dtype=int)
    values = plain.set_params(decision_function_shape="ovo").decision_function(grid)
    for c, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        votes[np.arange(len(grid)), np.where(values[:, c] > 0, i, j)] += 1
    plain.set_params(decision_function_shape="ovr")
    np.testing.assert_array_equal(plain.predict(grid), votes.argmax(axis=1))
    broken = plain.set_params(break_ties=True)
    np.testing.assert_array_equal(broken.predict(grid), broken.decision_function(grid).argmax(axis=1))
    most = votes.max(axis=1)
    assert np.all(votes[np.arange(len(grid)), broken.predict(grid)] == most)  # ties only are decided by the sums
    with pytest.raises(ValueError, match="break_ties"):
        plain.set_params(decision_function_shape="ovo").predict(grid)


@pytest.mark.spec("SVM-20")
def test_probabilities_come_from_calibration():
    X, y = cancer()
    calibrated = CalibratedClassifierCV(SVC(), ensemble=False).fit(X, y)
    p = calibrated.predict_proba(X)
    assert_close(p.sum(axis=1), 1.0)
    assert np.mean((p[:, 1] > 0.5) == y) > 0.95
    assert not hasattr(SVC(), "predict_proba")
    own = SVC(probability=True, random_state=0).fit(X, y)
    # Platt's sigmoid of held-out decision values, twice: five folds each, other shuffles
    assert_close(own.predict_proba(X), p, rtol=0.05, atol=0.05)


def test_coupled_probabilities_of_three_classes_agree_with_libsvm():
    X, y = iris()
    ours = SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    assert_close(ours.sum(axis=1), 1.0)
    theirs = sklearn.svm.SVC(probability=True, random_state=0)
    with pytest.warns(FutureWarning):
        theirs.fit(X, y)
    # both are means over random folds
    assert np.abs(ours - theirs.predict_proba(X)).mean() < 0.02


@pytest.mark.spec("SVM-02")
def test_class_weights_and_sparse_rows():
    X, y = cancer()
    ours = SVC(class_weight={0: 3.0}, tol=1e-6).fit(X, y)
    theirs = sklearn.svm.SVC(class_weight={0: 3.0}, tol=1e-8).fit(X, y)
    assert_close(ours.decision_function(X), theirs.decision_function(X), rtol=1e-3, atol=1e-4)  # single precision
    rng = np.random.default_rng(0)
    wide = sparse.random(300, 20_000, density=0.002, format="csr", random_state=0)
    labels = rng.integers(0, 2, 300)
    sparse_machine = SVC(gamma=0.5, tol=1e-8).fit(wide, labels)
    dense_machine = SVC(gamma=0.5, tol=1e-8).fit(wide.toarray(), labels)
    assert sparse.issparse(sparse_machine.support_vectors_)
    assert_close(sparse_machine.decision_function(wide), dense_machine.decision_function(wide.toarray()), rtol=1e-6,
                 atol=1e-7)  # fmt: skip


@pytest.mark.spec("SVM-02")
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.6])
def test_nu_bounds_the_margin_errors_and_support_vectors(nu):
    X, y = blobs(8, n=100, distance=3.0)
    machine = NuSVC(nu=nu, tol=1e-8).fit(X, y)
    assert machine.support_.size >= nu * 100 - 1e-6
    errors = np.sum(y * machine.decision_function(X) < 1 - 1e-6)
    assert errors <= nu * 100 + 1e-6
    # the same function as SVC with the C that the multipliers show
    C = np.abs(machine.dual_coef_).max()
    soft = SVC(C=C, tol=1e-8).fit(X, y)
    assert_close(soft.decision_function(X), machine.decision_function(X), rtol=1e-4, atol=1e-5)
    theirs = sklearn.svm.NuSVC(nu=nu, tol=1e-8).fit(X, y)
    assert_close(machine.decision_function(X), theirs.decision_function(X), rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match="nu is infeasible"):
        NuSVC(nu=0.9).fit(X[:70], np.r_[y[:40], np.ones(30)])


def test_leave_one_out_error_is_within_its_bound():
    for seed in range(3):
        X, y = blobs(seed, n=40)
        machine = SVC(C=0.3, gamma=0.3, tol=1e-8).fit(X, y)
        errors = 0
        for i in range(40):
            rest = np.arange(40) != i
            errors += SVC(C=0.3, gamma=0.3, tol=1e-8).fit(X[rest], y[rest]).predict(X[i : i + 1])[0] != y[i]
        assert errors / 40 <= machine.loo_error_bound_ <= 1.0


def test_limits_of_steps_and_interrupts_keep_a_feasible_machine(monkeypatch):
    X, y = cancer()
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        machine = SVC(max_iter=5).fit(X, y)
    assert machine.n_iter_[0] == 5
    assert machine.fit_status_ == 1
    assert abs(machine.dual_coef_.sum()) < 1e-9

    def interrupted(self, plan, *, single):
        raise KeyboardInterrupt

    monkeypatch.setattr("statlearn.svm._kernel_table.KernelTable.solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SVC().fit(X, y)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        SVC(on_interrupt="keep").fit(X, y)


def test_verbose_shows_violation_objective_and_active_set(capsys):
    SVC(verbose=True).fit(*cancer())
    out = capsys.readouterr().out
    assert "violation" in out
    assert "objective" in out
    assert "active" in out


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"kernel": "precomputed"}, np.ones((4, 3)), "square"),
        ({"kernel": "precomputed"}, np.arange(16.0).reshape(4, 4), "symmetric"),
        ({"kernel": lambda a, b: np.ones((2, 2))}, np.ones((4, 3)), "kernel returned"),
        ({"C": -1.0}, np.ones((4, 3)), "'C'"),
        ({"gamma": -1.0}, np.ones((4, 3)), "'gamma'"),
    ],
    ids=["not square", "not symmetric", "wrong shape", "C", "gamma"],
)
def test_bad_kernels_raise(settings, X, message):
    with pytest.raises(ValueError, match=message):
        SVC(**settings).fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan])
@pytest.mark.parametrize("machine", [SVC, HardMarginSVC, SVR, OneClassSVM])
def test_gamma_must_be_positive(machine, gamma):
    with pytest.raises(ValueError, match="gamma"):
        machine(kernel="rbf", gamma=gamma).fit([[0.0], [1.0]], [0, 1])


def test_the_cache_keeps_to_its_size():
    script = """
import resource, numpy as np
from statlearn.svm import SVC
X = np.random.default_rng(0).normal(size=(6000, 4))
y = X[:, 0] * X[:, 1] > 0
SVC(cache_size=4).fit(X[:1500], y[:1500])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
SVC(cache_size=4, C=10.0).fit(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)
    assert grown / (1024 if sys.platform == "linux" else 2**20) < 30  # megabytes; all kernel rows are 144


def test_one_class_and_zero_weights_raise():
    X, y = blobs(0)
    with pytest.raises(ValueError, match="greater than one"):
        SVC().fit(X, np.ones(60))
    with pytest.raises(ValueError, match="sample_weight"):
        SVC().fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="sample_weight"):
        SVC().fit(X, y, sample_weight=(y > 0).astype(float))


def test_warnings_for_uneven_columns_and_indefinite_kernels():
    X, y = blobs(0)
    for scales in ([1.0, 1e6], [1e6, 1.0]):  # whichever column varies more in its own unit
        with pytest.warns(UserWarning, match="Scale them"):
            SVC().fit(X * scales, y)
    with pytest.warns(UserWarning, match="indefinite"):
        SVC(kernel="sigmoid", gamma=1.0).fit(X, y)
    K = X @ X.T - 3 * np.eye(60)
    with pytest.warns(UserWarning, match="indefinite"):
        SVC(kernel="precomputed").fit(K, y)


@pytest.mark.spec("SVM-P10")
def test_margin_is_the_largest_of_all_separators(seed):
    rng = np.random.default_rng(seed)
    X, y = blobs(seed, distance=8.0)
    machine = HardMarginSVC().fit(X, y)
    best = dataset_margin(X, y, machine.coef_[0], machine.intercept_[0])
    assert_close(best, machine.margin_, rtol=1e-6)
    for _ in range(200):
        w = machine.coef_[0] + 0.2 * rng.normal(size=2)
        b = machine.intercept_[0] + 0.2 * rng.normal()
        assert dataset_margin(X, y, w, b) <= best + 1e-9


@pytest.mark.spec("SVM-P6")
@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_block_solver_reaches_the_objective_of_plain_smo(seed):
    X, y = blobs(seed, n=40)
    K = rbf_kernel(X, gamma=0.5)
    plain = smo_solve(K, y, 1.0, tol=1e-6)
    machine = SVC(gamma=0.5, tol=1e-6).fit(X, y)
    assert_close(-machine.objective_, plain.objective[-1], rtol=1e-6)


def test_works_in_a_pipeline_with_a_frame():
    import pandas as pd

    X, y = iris()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(SVC()).fit(frame, y)
    assert list(model[-1].feature_names_in_) == list("abcd")


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_the_bound_on_the_leave_one_out_error_holds(kernel, C):
    X, y = blobs(7, n=40)
    settings = {"kernel": kernel, "C": C, "gamma": 0.5, "degree": 2}
    bound = SVC(**settings).fit(X, y).loo_error_bound_
    wrong = [
        SVC(**settings).fit(np.delete(X, i, axis=0), np.delete(y, i)).predict(X[[i]])[0] != y[i] for i in range(len(y))
    ]
    assert np.mean(wrong) <= bound <= 1.0


def test_the_summary_counts_the_support_vectors_of_machines_and_classes():
    X, y = blobs(7, n=60)
    machine = SVC(C=0.5).fit(X, y)
    summary = machine.summary()
    status = machine.support_status_
    for column, name in (("on_margin", "margin"), ("inside", "inside"), ("wrong_side", "wrong")):
        assert summary[column][0] == np.sum(status == name)
    assert summary["support_vectors"][0] == summary.facts["n_support"] == machine.support_.size
    (classes,) = summary.tables
    assert list(classes.columns["support_vectors"]) == list(machine.n_support_)
    for k, label in enumerate(machine.classes_):
        assert classes.columns["on_margin"][k] == np.sum(status[y == label] == "margin")
    report = kkt_report(machine, X, y)
    assert_close(summary["dual_value"], report["dual_value"], rtol=1e-6)
    assert_close(summary["margin"], machine.margin_)
    assert_close(summary["width"], 2 * machine.margin_)
    assert summary.facts["loo_error_bound"] == machine.loo_error_bound_
    assert summary.facts["converged"]
    assert "Bound on the leave-one-out error" in str(summary)
    assert "<table>" in summary._repr_html_()


@pytest.mark.parametrize(("multi_class", "first"), [("ovo", "0 against 1"), ("ovr", "0 against the rest")])
def test_the_summary_has_a_row_for_every_machine(multi_class, first):
    X, y = iris()
    weights = np.ones(len(y))
    weights[::10] = 0.0
    machine = SVC(multi_class=multi_class, kernel="linear").fit(X, y, sample_weight=weights)
    summary = machine.summary()
    assert summary.table.rows[0] == first
    assert len(summary.table.rows) == machine.intercept_.size
    assert summary.facts["n_rows"] == np.sum(weights > 0)
    assert "gamma" not in str(summary)  # the linear kernel has none
    assert list(summary.to_frame()["iterations"]) == list(machine.n_iter_)


def test_a_kernel_on_lists_after_arrays_forgets_their_number_of_columns(rng):
    words, y = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff"], [0, 0, 0, 1, 1, 1]

    def lengths(A, B):
        return np.array([[float(len(a) * len(b)) for b in B] for a in A])

    model = SVC(kernel=lambda A, B: A @ B.T).fit(rng.normal(size=(6, 3)), y)
    model.set_params(kernel=lengths).fit(words, y)
    assert not hasattr(model, "n_features_in_")
    np.testing.assert_array_equal(model.predict(np.array(words)), SVC(kernel=lengths).fit(words, y).predict(words))


@pytest.mark.parametrize("scale", [1e25, 1e-30])
@pytest.mark.parametrize("model", [SVC(), SVCCV()])
def test_single_precision_rows_of_any_scale_are_distinguished(model, scale, rng):
    """Their squares do not fit in single precision."""
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[y == 1] += 3.0
    rows = (scale * X).astype(np.float32)
    assert model.fit(rows, y).score(rows, y) > 0.9
    assert np.isfinite(model.decision_function(rows)).all()


def test_many_double_precision_rows_of_any_scale_are_distinguished(rng):
    """From 1,000 rows, kernel values are computed in single precision where it can hold them."""
    X, y = rng.normal(size=(1200, 2)), np.arange(1200) % 2
    X[y == 1] += 3.0
    model = SVC().fit(1e25 * X, y)
    assert_close(model.decision_function(1e25 * X), SVC().fit(X, y).decision_function(X), atol=1e-2)


@pytest.mark.spec("CRS-123")
@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM, HardMarginSVC])
@pytest.mark.parametrize(("name", "first"), [("gaussian", "rbf"), ("polynomial", "poly")])
def test_second_names_of_kernels(rng, kind, name, first):
    X = rng.normal(size=(40, 2)) + 3.0 * np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.repeat([0, 1], 20)
    options = {"gamma": 0.5, "degree": 2, "coef0": 1.0, "max_iter": 100_000}
    one, two = (kind(kernel=kernel, **options).fit(X, y) for kernel in (name, first))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.spec("CRS-123")
@pytest.mark.parametrize("name", ["laplacian", "cosine", "chi2", "min"])
def test_other_kernels_are_named_as_objects(rng, name):
    X = rng.uniform(size=(20, 2))
    with pytest.raises(ValueError, match=r"Pass an object: kernel=.*, from statlearn\.kernels\.") as caught:
        SVC(kernel=name).fit(X, X[:, 0] > 0.5)
    call = re.search(r"kernel=(\w+\(.*?\)),", str(caught.value)).group(1)
    kernel = eval(call, {name: getattr(kernels, name) for name in kernels.__all__})
    assert SVC(kernel=kernel).fit(X, X[:, 0] > 0.5).score(X, X[:, 0] > 0.5) > 0.5


def test_kernel_values_that_are_not_finite_are_refused_by_the_solver(rng):
    """Comparisons pass over NaN: the violation was 0, and the status that of a solution."""
    from statlearn.svm._kernel_table import KernelTable
    from statlearn.svm._solver import StepSettings, classification_dual, solve

    K = np.eye(20)
    K[3, 5] = K[5, 3] = np.inf
    dual = classification_dual(np.arange(20), np.where(np.arange(20) % 2, 1.0, -1.0), np.full(20, 1.0))
    with pytest.raises(ValueError, match="not finite"):
        solve(KernelTable(K, None), [dual], StepSettings(tol=1e-3, max_iter=-1, cache_size=10))
