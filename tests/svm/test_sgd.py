"""Linear models by stochastic gradients: scikit-learn's steps, a slow version, convergence to the exact machines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import linear_model as peers
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn._math.rows.linear_scores import linear_scores
from statlearn.kernels import Nystroem
from statlearn.linear import LogisticRegression, Ridge, convert_penalty
from statlearn.svm import LinearSVC, OneClassSVM, SGDClassifier, SGDOneClassSVM, SGDRegressor, hinge_sgd_path, svm_path
from tests.helpers import assert_close
from tests.svm.data import blobs, cancer, diabetes, iris

CLASSIFIER_LOSSES = [
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "huber",
    "epsilon_insensitive",
]
REGRESSOR_LOSSES = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
SCHEDULES = [
    {"learning_rate": "constant", "eta0": 0.01},
    {"learning_rate": "optimal"},
    {"learning_rate": "invscaling", "eta0": 0.05, "power_t": 0.5},
    {"learning_rate": "invscaling", "eta0": 100.0, "power_t": 1.0},  # 1 / (alpha t)
    {"learning_rate": "adaptive", "eta0": 0.05},
]


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("loss", CLASSIFIER_LOSSES)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_takes_the_steps_of_scikit_learn(loss, kind):
    X, y = cancer()
    rows = X if kind == "dense" else sparse.csr_array(X)
    common = {"loss": loss, "alpha": 0.01, "max_iter": 7, "tol": None, "random_state": 3}
    if loss in ("squared_hinge", "huber"):  # the long first steps of the default blow up rounding errors
        common |= {"learning_rate": "constant", "eta0": 0.001}
    ours, theirs = SGDClassifier(**common).fit(rows, y), peers.SGDClassifier(**common).fit(rows, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-11)
    assert_close(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-11)
    assert ours.t_ == theirs.t_


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("average", [False, True, 300])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_schedules_and_averages_match_scikit_learn(schedule, average):
    X, y = iris()
    common = {"alpha": 0.01, "random_state": 1, "average": average, "max_iter": 40, "n_iter_no_change": 2, **schedule}
    ours, theirs = SGDClassifier(**common).fit(X, y), peers.SGDClassifier(**common).fit(X, y)
    assert ours.n_iter_ == theirs.n_iter_
    assert_close(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert_close(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("penalty", ["l1", "elasticnet", None])
def test_penalties_match_scikit_learn(penalty):
    X, y = cancer()
    common = {"penalty": penalty, "l1_ratio": 0.4, "alpha": 0.02, "random_state": 0, "max_iter": 20, "tol": None}
    ours, theirs = SGDClassifier(**common).fit(X, y), peers.SGDClassifier(**common).fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)
    if penalty == "l1":
        assert (ours.coef_ == 0).sum() > 5


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("loss", REGRESSOR_LOSSES)
@pytest.mark.parametrize("average", [False, 500])
def test_regressor_takes_the_steps_of_scikit_learn(loss, average):
    X, y = diabetes()
    common = {"loss": loss, "epsilon": 0.2, "max_iter": 9, "tol": None, "random_state": 5, "average": average}
    ours, theirs = SGDRegressor(**common).fit(X, y), peers.SGDRegressor(**common).fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-11)
    assert_close(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-11)
    assert_close(ours.predict(X), theirs.predict(X), rtol=1e-9)


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("schedule", ["pa1", "pa2"])
def test_passive_aggressive_steps(schedule):
    X, y = diabetes()
    common = {"learning_rate": schedule, "eta0": 0.1, "penalty": None, "max_iter": 3, "tol": None, "random_state": 0}
    ours = SGDRegressor(loss="epsilon_insensitive", **common).fit(X, y)
    theirs = peers.SGDRegressor(loss="epsilon_insensitive", **common).fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-9)
    labels = (y > y.mean()).astype(int)
    assert_close(SGDClassifier(**common).fit(X, labels).coef_, peers.SGDClassifier(**common).fit(X, labels).coef_)
    for model, wrong in ((SGDClassifier, "log_loss"), (SGDRegressor, "huber")):
        with pytest.raises(ValueError, match="requires loss"):
            model(loss=wrong, learning_rate=schedule).fit(X, labels)


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("average", [False, True])
def test_one_class_takes_the_steps_of_scikit_learn(average):
    X, _ = cancer()
    common = {"nu": 0.2, "max_iter": 10, "tol": None, "random_state": 0, "average": average}
    ours, theirs = SGDOneClassSVM(**common).fit(X), peers.SGDOneClassSVM(**common).fit(X)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-11)
    assert_close(ours.offset_, theirs.offset_, rtol=1e-9)
    assert_close(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-10)


def slow_averaged_hinge(X, y, alpha, passes, eta, penalty_l1=0.0):
    """Definition: rows in order, every weight after every step averaged. With L1, weights are clipped per step."""
    w, b, steps = np.zeros(X.shape[1]), 0.0, []
    applied, total = np.zeros(X.shape[1]), 0.0
    for _ in range(passes):
        for x, target in zip(X, y):
            slope = -target if target * (x @ w + b) <= 1 else 0.0
            w = (1 - eta * alpha) * w - eta * slope * x
            b = b - eta * slope
            if penalty_l1:
                total += eta * penalty_l1
                before = w.copy()
                w = np.where(w > 0, np.maximum(0, w - (total + applied)), np.minimum(0, w + (total - applied)))
                w = np.where(before == 0, 0, w)
                applied += w - before
            steps.append(np.append(w, b))
    return np.mean(steps, axis=0)


@pytest.mark.spec("SVM-11")
@given(seed=st.integers(0, 10_000), l1=st.sampled_from([0.0, 0.02]))
@settings(max_examples=15, deadline=None)
def test_average_matches_all_weights(seed, l1):
    X, y = blobs(seed, n=25, p=3)
    alpha = 0.05 + l1
    model = SGDClassifier(
        penalty="elasticnet", l1_ratio=l1 / alpha, alpha=alpha, learning_rate="constant", eta0=0.1, shuffle=False,
        tol=None, max_iter=4, average=True,
    ).fit(X, y)  # fmt: skip
    slow = slow_averaged_hinge(X, y, 0.05, 4, 0.1, l1)
    assert_close(np.append(model.coef_, model.intercept_), slow, rtol=1e-9, atol=1e-12)


@pytest.mark.spec("SVM-11", "SVM-P5")
def test_approaches_the_exact_machine():
    X, y = cancer()
    n = len(y)
    alpha = 0.05
    C = convert_penalty(alpha, "mean", "C", n_samples=n / 2)  # the mean loss has no factor 1/2
    assert_close(C, 1 / (alpha * n))
    signs = np.where(y == 1, 1.0, -1.0)

    def objective(w, b):
        return np.maximum(1 - signs * (X @ w + b), 0).mean() + alpha / 2 * w @ w

    exact = LinearSVC(loss="hinge", C=C, penalize_intercept=False, tol=1e-8).fit(X, y)
    best = objective(exact.coef_[0], exact.intercept_[0])
    found = [
        objective(m.coef_[0], m.intercept_[0])
        for m in (
            SGDClassifier(alpha=alpha, average=20 * n, tol=None, max_iter=passes, random_state=0).fit(X, y)
            for passes in (40, 320)
        )
    ]
    assert best <= found[1] <= best + 2e-4
    assert found[1] <= found[0]
    # The logistic and the least-squares machines, against exact solvers of their own.
    smooth = SGDClassifier("log_loss", alpha=alpha, average=20 * n, tol=None, max_iter=300, random_state=0).fit(X, y)
    logistic = LogisticRegression(C=1 / (alpha * n), tol=1e-10).fit(X, y)
    assert_close(smooth.coef_, logistic.coef_, atol=2e-3)
    assert_close(smooth.predict_proba(X), logistic.predict_proba(X), atol=2e-3)


@pytest.mark.spec("SVM-11")
def test_regression_approaches_ridge():
    X, y = diabetes()
    model = SGDRegressor(alpha=0.1, average=5000, tol=None, max_iter=300, random_state=0).fit(X, y)
    exact = Ridge(alpha=0.1 * len(y)).fit(X, y)
    assert_close(model.predict(X), exact.predict(X), atol=0.01 * y.std())


@pytest.mark.spec("SVM-11")
def test_one_class_on_a_kernel_map_approaches_the_exact_machine():
    X = np.random.default_rng(0).normal(size=(300, 2))
    Z = Nystroem(gamma=0.3, n_components=100, random_state=0).fit_transform(X)
    exact = OneClassSVM(kernel="linear", nu=0.2, tol=1e-6).fit(Z)
    model = SGDOneClassSVM(nu=0.2, average=30_000, tol=None, max_iter=400, random_state=0).fit(Z)
    assert np.corrcoef(model.decision_function(Z), exact.decision_function(Z))[0, 1] > 0.99
    assert abs((model.predict(Z) == -1).mean() - 0.2) < 0.05


@pytest.mark.spec("SVM-11")
@pytest.mark.parametrize("model", [SGDClassifier, SGDRegressor, SGDOneClassSVM])
@pytest.mark.parametrize("average", [False, True])
def test_blocks_without_shuffling_equal_one_pass(model, average):
    X, y = cancer()
    common = {"shuffle": False, "tol": None, "average": average, "learning_rate": "invscaling", "eta0": 0.01}
    whole = model(max_iter=1, **common).fit(X, y)
    parts = model(**common)
    for begin in range(0, len(y), 100):
        block = slice(begin, begin + 100)
        extra = {"classes": [0, 1]} if model is SGDClassifier and begin == 0 else {}
        parts.partial_fit(X[block], y[block], **extra)
    assert_close(parts.coef_, whole.coef_, rtol=1e-10)
    assert parts.t_ == whole.t_


def test_early_stopping_and_patience():
    X, y = cancer()
    model = SGDClassifier(early_stopping=True, n_iter_no_change=3, random_state=0).fit(X, y)
    curve = model.objective_curve_
    assert len(curve) == model.n_iter_ < 1000
    assert np.all(curve[-3:] > curve[:-3].min() - 1e-3)  # three passes without improvement
    assert curve.min() < 0.1  # share of errors
    regressor = SGDRegressor(early_stopping=True, random_state=0).fit(*diabetes())
    assert 0 < regressor.objective_curve_[-1] < 0.7  # 1 - R^2
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        SGDRegressor(early_stopping=True).partial_fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"SGDClassifier did not converge.*2 passes.*max_iter"):
        SGDClassifier(max_iter=2, tol=1e-9, random_state=0).fit(X, y)


def test_weights_and_absent_rows():
    X, y = cancer()
    weights = np.ones(len(y))
    weights[::3] = 0.0
    kept = weights > 0
    common = {"random_state": 0, "max_iter": 5, "tol": None}
    for model in (SGDClassifier(**common), SGDRegressor(**common), SGDOneClassSVM(**common)):
        a = clone(model).fit(X, y, sample_weight=weights)
        b = clone(model).fit(X[kept], y[kept])
        np.testing.assert_array_equal(a.coef_, b.coef_)
        assert a.t_ == b.t_
    heavy = SGDClassifier(class_weight={0: 50.0}, alpha=0.01, random_state=0).fit(X, y)
    assert (heavy.predict(X) == 0).sum() > (SGDClassifier(alpha=0.01, random_state=0).fit(X, y).predict(X) == 0).sum()


def test_probabilities_of_the_losses_that_have_them():
    X, y = iris()
    for loss in ("log_loss", "modified_huber"):
        model = SGDClassifier(loss, random_state=0, alpha=0.01).fit(X, y)
        p = model.predict_proba(X)
        assert_close(p.sum(axis=1), np.ones(len(y)))
        assert (p >= 0).all()
        assert_close(np.exp(model.predict_log_proba(X)), p)
    assert not hasattr(SGDClassifier("hinge"), "predict_proba")


def test_same_bits_for_any_number_of_threads_and_float32():
    X, y = iris()
    one = SGDClassifier(random_state=0, n_jobs=1).fit(X, y)
    with statlearn.threads(2):
        two = SGDClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    single = SGDClassifier(random_state=0, max_iter=5, tol=None).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert_close(
        single.coef_, SGDClassifier(random_state=0, max_iter=5, tol=None).fit(X, y).coef_, rtol=1e-3, atol=1e-3
    )


def test_bad_combinations_raise():
    X, y = cancer()
    with pytest.raises(ValueError, match="alpha must be > 0"):
        SGDClassifier(alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="l1_ratio must be set"):
        SGDClassifier(penalty="elasticnet", l1_ratio=None).fit(X, y)
    with pytest.raises(ValueError, match="Floating-point under-/overflow occurred at epoch #1"):
        SGDRegressor().fit(1e160 * X, y)
    with pytest.raises(ValueError, match="classes"):
        SGDClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="not one of the classes"):
        SGDClassifier().partial_fit(X, y, classes=[1, 2])
    with pytest.raises(ValueError, match="coef_init does not match"):
        SGDClassifier().fit(X, y, coef_init=np.zeros(3))


def test_coefficients_can_be_stored_sparse():
    X, y = diabetes()
    model = SGDRegressor(penalty="l1", alpha=0.1, random_state=0).fit(X, y)
    before = model.predict(X)
    assert sparse.issparse(model.sparsify().coef_)
    assert_close(model.predict(X), before)
    assert model.densify().coef_.shape == (X.shape[1],)


@pytest.mark.spec("SVM-16")
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_path_of_stochastic_machines_follows_the_exact_one(kind):
    X, y = blobs(4, n=200)
    rows = X if kind == "dense" else sparse.csr_array(X)
    Cs = [0.003, 0.03, 0.3]
    path = hinge_sgd_path(rows, y, Cs=Cs, n_passes=300, random_state=0)
    exact = svm_path(X, y, Cs=Cs, tol=1e-8)
    best = -exact.objective  # strong duality: the primal minimum
    assert np.all(path.objective >= best * (1 - 1e-9))
    assert np.all(path.objective <= best * 1.0001)
    assert_close(path.coef, exact.coef, atol=0.03)
    assert_close(path.margin, exact.margin, rtol=0.03)
    assert np.all(np.diff(path.margin) < 0)
    assert np.all(np.diff(path.n_support) <= 0)
    assert_close(path.objective, 0.5 * (path.coef**2).sum(axis=1) + path.C * path.slack)


@pytest.mark.spec("SVM-16")
@pytest.mark.parametrize("schedule", ["optimal", "inverse", "constant"])
def test_path_with_other_schedules(schedule):
    X, y = blobs(5, n=100)
    path = hinge_sgd_path(X, y, Cs=[0.1], n_passes=500, schedule=schedule, random_state=0)
    best = -svm_path(X, y, Cs=[0.1], tol=1e-8).objective[0]
    assert best <= path.objective[0] <= 1.05 * best
    with pytest.raises(ValueError, match="two classes"):
        hinge_sgd_path(X, np.arange(100) % 3)


def test_averaging_resumes_from_the_coefficients_of_blocks_without_it(rng):
    X = rng.normal(size=(30, 3))
    model = SGDRegressor(average=True, tol=None, max_iter=2, random_state=0).fit(X, X[:, 0])
    before = model.set_params(average=False).partial_fit(X, X[:, 1]).coef_.copy()
    model.set_params(average=True, learning_rate="constant", eta0=1e-300).partial_fit(X, X[:, 1])
    np.testing.assert_array_equal(model._standard_coef.ravel(), before)


def test_scores_of_large_single_precision_rows_are_numbers(rng):
    X = (1e25 * rng.normal(size=(40, 4))).astype(np.float32)
    assert np.isfinite(SGDOneClassSVM(random_state=0).fit(X).decision_function(X)).all()


def test_scores_whose_products_leave_single_precision_are_summed_in_double():
    X, coef = np.float32([[3e30, -1e30]]), np.float32([1e20, 1e20])
    assert_close(linear_scores(X, coef, 0.5), [2e50], rtol=1e-6)
    assert linear_scores(np.float32([[1.0, 2.0]]), coef, np.float32(0)).dtype == np.float32
