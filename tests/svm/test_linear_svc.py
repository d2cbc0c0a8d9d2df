"""Linear classification machines."""

import numpy as np
import pytest
import scipy.optimize
import sklearn.svm
from scipy import sparse

import statlearn
from statlearn.svm import LinearSVC, LinearSVR, kkt_report, l1_min_c
from tests.helpers import assert_close
from tests.svm.data import blobs, cancer, iris

FORMS = [
    {},
    {"dual": True},
    {"loss": "hinge"},
    {"loss": "hinge", "dual": True},
    {"dual": False, "fit_intercept": False},
    {"class_weight": "balanced"},
    {"intercept_scaling": 5.0},
]


@pytest.mark.spec("SVM-10")
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_agrees_with_liblinear_and_is_optimal(form, kind):
    X, y = cancer()
    rows = X if kind == "dense" else sparse.csr_matrix(X)
    ours = LinearSVC(C=0.1, tol=1e-7, max_iter=100_000, random_state=0, **form).fit(rows, y)
    theirs = sklearn.svm.LinearSVC(C=0.1, tol=1e-7, max_iter=1_000_000, random_state=0, **form).fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)  # tolerance of liblinear
    assert_close(ours.intercept_, theirs.intercept_, rtol=1e-4, atol=1e-5)
    report = kkt_report(ours, X, y)
    assert abs(report["relative_gap"][0]) < 1e-6
    assert report.facts["residual"] < 1e-4


@pytest.mark.spec("SVM-10")
def test_l1_penalty_agrees_with_liblinear():
    X, y = cancer()
    ours = LinearSVC(penalty="l1", dual=False, C=0.1, tol=1e-6).fit(X, y)
    theirs = sklearn.svm.LinearSVC(penalty="l1", dual=False, C=0.1, tol=1e-7, max_iter=100_000, random_state=0).fit(
        X, y
    )

    def objective(model):
        w, b = model.coef_[0], model.intercept_[0]
        signs = np.where(y == 1, 1, -1)
        return np.abs(w).sum() + abs(b) + 0.1 * np.sum(np.maximum(1 - signs * (X @ w + b), 0) ** 2)

    assert objective(ours) <= objective(theirs) * (1 + 1e-8)
    np.testing.assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)
    for message, settings in (("loss='hinge'", {"loss": "hinge"}), ("dual=True", {"dual": True})):
        with pytest.raises(ValueError, match=message):
            LinearSVC(penalty="l1", **settings).fit(X, y)
    assert sparse.issparse(ours.sparsify().coef_)
    before = ours.predict(X)
    np.testing.assert_array_equal(ours.densify().predict(X), before)


@pytest.mark.spec("SVM-10")
def test_free_intercept_minimises_the_textbook_objective(seed):
    X, y = blobs(seed)
    X = X + 10.0  # far from the origin a penalised intercept would matter
    for loss, power in (("hinge", 1), ("squared_hinge", 2)):
        machine = LinearSVC(loss=loss, C=0.3, penalize_intercept=False, tol=1e-8).fit(X, y)
        penalised = LinearSVC(loss=loss, C=0.3, tol=1e-8).fit(X, y)

        def objective(w, b, power=power):
            return 0.5 * w @ w + 0.3 * np.sum(np.maximum(1 - y * (X @ w + b), 0) ** power)

        best = objective(machine.coef_[0], machine.intercept_[0])
        assert best < objective(penalised.coef_[0], penalised.intercept_[0])
        rng = np.random.default_rng(seed)
        for step in 1e-4 * rng.normal(size=(50, 3)):
            assert objective(machine.coef_[0] + step[:2], machine.intercept_[0] + step[2]) >= best
        assert kkt_report(machine, X, y).facts["residual"] < 1e-6


@pytest.mark.spec("SVM-10")
def test_joint_machine_agrees_with_liblinear():
    X, y = iris()
    ours = LinearSVC(multi_class="crammer_singer", C=0.1, tol=1e-6, max_iter=100_000, random_state=0).fit(X, y)
    theirs = sklearn.svm.LinearSVC(multi_class="crammer_singer", C=0.1, tol=1e-6, max_iter=100_000, random_state=0)
    theirs.fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)  # tolerance of coordinate descent


def test_many_classes_dense_and_sparse_give_the_same_machine_for_any_threads():
    X, y = iris()
    machine = LinearSVC(tol=1e-8, random_state=0, dual=True, C=0.1, max_iter=10_000).fit(X, y)
    with statlearn.threads(1):
        again = LinearSVC(tol=1e-8, random_state=0, dual=True, C=0.1, max_iter=10_000).fit(X, y)
    np.testing.assert_array_equal(machine.coef_, again.coef_)
    newton = LinearSVC(tol=1e-8, C=0.1).fit(X, y)
    assert_close(machine.coef_, newton.coef_, rtol=1e-5, atol=1e-6)


def test_single_precision_rows_stay_single():
    X, y = cancer()
    machine = LinearSVC(C=0.1).fit(X.astype(np.float32), y)
    assert machine.coef_.dtype == np.float32
    assert_close(machine.coef_, LinearSVC(C=0.1).fit(X, y).coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("loss", ["squared_hinge", "log"])
def test_below_l1_min_c_all_weights_are_zero(loss):
    X, y = cancer()
    least = l1_min_c(X, y, loss=loss)
    assert_close(least, sklearn.svm.l1_min_c(X, y, loss=loss))
    if loss == "squared_hinge":
        assert not LinearSVC(penalty="l1", dual=False, C=0.999 * least).fit(X, y).coef_.any()
        assert LinearSVC(penalty="l1", dual=False, C=1.01 * least).fit(X, y).coef_.any()


@pytest.mark.spec("SVM-10")
@pytest.mark.parametrize("form", [{}, {"fit_intercept": False}, {"penalize_intercept": False}, {"C": 10.0}], ids=str)
def test_many_sparse_rows_are_solved_alike_in_the_primal_and_in_the_dual(form):
    rng = np.random.default_rng(0)
    n, p = 1500, 400
    frequent = rng.random((n, p)) < 1.0 / (1.0 + np.arange(p))  # columns in most rows, columns in few
    X = sparse.csr_matrix(frequent * rng.exponential(size=(n, p)))
    y = X @ rng.normal(size=p) + rng.normal(size=n) > 0
    settings = {"C": 0.1, "tol": 1e-8, "max_iter": 100_000, "random_state": 0, **form}
    machine = LinearSVC(**settings).fit(X, y)
    if "C" not in form:  # the dual takes millions of steps otherwise
        dual = LinearSVC(dual=True, **settings).fit(X, y)
        assert_close(machine.coef_, dual.coef_, rtol=1e-5, atol=1e-6)
    assert kkt_report(machine, X, y).facts["residual"] < 1e-4
    with statlearn.threads(1):
        np.testing.assert_array_equal(LinearSVC(**settings).fit(X, y).coef_, machine.coef_)
    wide = LinearSVC(**{**settings, "dual": False}).fit(X.toarray(), y)  # the Hessian in full
    assert_close(machine.coef_, wide.coef_, rtol=1e-4, atol=1e-5)


def test_rows_without_entries_only_move_the_intercept():
    X, y = sparse.csr_matrix(([1.0, 2.0], ([0, 1], [0, 1])), shape=(6, 2)), [0, 1, 1, 1, 0, 1]
    machine = LinearSVC(tol=1e-10).fit(X, y)
    assert_close(machine.coef_, LinearSVC(tol=1e-10).fit(X.toarray(), y).coef_, rtol=1e-6)
    empty = LinearSVC().fit(sparse.csr_matrix((6, 2)), y)
    assert not empty.coef_.any()
    assert empty.intercept_ > 0


@pytest.mark.parametrize("form", [{}, {"dual": False}, {"loss": "hinge"}], ids=str)
@pytest.mark.parametrize("shape", [(150, 1200), (400, 200)], ids=["wide", "long"])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_separable_classes_and_large_C_reach_the_optimum_with_the_default_limits(form, shape, C):
    X = sparse.random(*shape, density=0.1, format="csr", rng=np.random.default_rng(0))
    y = X @ np.random.default_rng(1).normal(size=shape[1]) > 0
    for rows in (X, X.toarray()):
        machine = LinearSVC(C=C, random_state=0, **form).fit(rows, y)
        assert machine.score(rows, y) > 0.99
        assert objective(machine, rows, y) <= (1 + 1e-3) * lower_bound(machine, rows, y)


def objective(machine, X, y):
    loss = np.maximum(1 - np.where(y, 1, -1) * machine.decision_function(X), 0)
    loss = loss**2 if machine.loss == "squared_hinge" else loss
    return 0.5 * (np.sum(machine.coef_**2) + machine.intercept_[0] ** 2) + machine.C * loss.sum()


def lower_bound(machine, X, y):
    """The minimum, from the kernel machine or a Newton method that is as exact as rounding allows."""
    design = np.column_stack([X.toarray() if sparse.issparse(X) else X, np.ones(X.shape[0])])
    K, signs = design @ design.T, np.where(y, 1.0, -1.0)
    ridge = 0.5 / machine.C if machine.loss == "squared_hinge" else 0.0
    Q = signs[:, None] * K * signs + ridge * np.eye(signs.size)
    result = scipy.optimize.minimize(
        lambda a: (0.5 * a @ Q @ a - a.sum(), Q @ a - 1.0),
        np.zeros(signs.size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None if ridge else machine.C)] * signs.size,
        options={"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-14, "gtol": 1e-10, "maxcor": 50},
    )
    return -result.fun


@pytest.mark.parametrize(("form", "free"), [(sparse.csr_matrix, False), (np.asarray, True)], ids=["sparse", "dense"])
def test_the_hinge_with_many_columns_overlapping_classes_and_large_C_converges_by_default(form, free):
    rng = np.random.default_rng(0)
    X = sparse.random(1500, 1010, density=0.02, format="csr", rng=rng).toarray()
    y = X @ rng.normal(size=1010) + 0.2 * rng.normal(size=1500) > 0
    machine = LinearSVC(loss="hinge", C=1e4, penalize_intercept=not free, random_state=0).fit(form(X), y)
    assert machine.n_iter_ < machine.max_iter
    assert np.max(np.abs(kkt_report(machine, X, y)["relative_gap"])) < 1e-6


def test_a_tube_with_many_columns_and_large_C_converges_by_default():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 1010)) * (np.arange(1010) < 60)
    y = X @ rng.normal(size=1010) + rng.normal(size=120)
    machine = LinearSVR(epsilon=0.1, C=1e3, random_state=0).fit(X, y)
    assert machine.n_iter_ < machine.max_iter
    assert np.max(np.abs(kkt_report(machine, X, y)["relative_gap"])) < 1e-6


@pytest.mark.parametrize("form", [{}, {"loss": "hinge"}, {"penalty": "l1"}, {"penalize_intercept": False}], ids=str)
def test_the_summary_shows_the_objective_and_the_rows_with_a_loss(form):
    X, y = iris()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = LinearSVC(random_state=0, **form).fit(X, y)
    summary = machine.summary()
    signs = np.where(y == np.arange(3)[:, None], 1.0, -1.0)
    slack = np.maximum(1.0 - signs * machine.decision_function(X).T, 0.0)
    losses = slack if machine.loss == "hinge" else slack**2
    W = machine.coef_
    if machine.penalize_intercept:
        W = np.column_stack([W, machine.intercept_])
    size = np.abs(W).sum(axis=1) if machine.penalty == "l1" else 0.5 * np.sum(W**2, axis=1)
    assert_close(summary["objective"], size + losses.sum(axis=1))
    assert list(summary["rows_with_loss"]) == list(np.sum(slack > 0, axis=1))
    assert list(summary["wrong_side"]) == list(np.sum(slack >= 1, axis=1))
    assert_close(summary["margin"], 1.0 / np.linalg.norm(machine.coef_, axis=1))
    assert summary.facts["converged"]
    assert "1 against the rest" in str(summary)


def test_the_summary_of_the_joint_machine_has_one_objective():
    X, y = iris()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = LinearSVC(multi_class="crammer_singer", C=0.1, random_state=0).fit(X, y)
    scores = machine.decision_function(X)
    own = scores[np.arange(len(y)), y]
    losses = np.max(scores + (np.arange(3) != y[:, None]), axis=1) - own
    size = 0.5 * (np.sum(machine.coef_**2) + np.sum(machine.intercept_**2))
    assert_close(machine.summary().facts["objective"], size + 0.1 * losses.sum())


def test_the_report_of_a_squared_hinge_survives_a_large_price(seed):
    # The slacks are known to the tolerance, and 2 C times this tolerance would be far larger than the multipliers.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 1100))
    y = X[:, 0] + 0.1 * rng.normal(size=60) > 0
    for free in (False, True):
        machine = LinearSVC(C=1e5, penalize_intercept=not free, random_state=0).fit(X, y)
        report = kkt_report(machine, X, y)
        assert abs(report["relative_gap"][0]) < 1e-3
        assert report["complementary_slackness"][0] < 10 * machine.tol
        worse = LinearSVC(C=1e5, penalize_intercept=not free, random_state=0).fit(X, y)
        worse.coef_ = 1.1 * worse.coef_
        assert kkt_report(worse, X, y)["relative_gap"][0] > 0.01
