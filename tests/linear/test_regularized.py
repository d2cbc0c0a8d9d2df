"""RegularizedLinearClassifier and RegularizedLinearRegressor: the named methods they are instances of."""

import numpy as np
import pytest
import sklearn.linear_model as reference
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.svm import SVC, SVR

from statlearn._core.warnings import StatlearnWarning
from statlearn._math.losses.scores import MARGIN_LOSSES
from statlearn._math.penalties.group import GroupPenalty
from statlearn.linear import RegularizedLinearClassifier, RegularizedLinearRegressor
from tests.helpers import assert_close

MARGINS = [name for name in MARGIN_LOSSES if name != "perceptron"]


def two_classes(rng, n=70, p=4):
    X = rng.normal(size=(n, p)) + 0.5
    y = np.where(X @ rng.normal(size=p) + rng.normal(size=n) > 0.2, "yes", "no")
    return X, y


@pytest.mark.spec("LIN-P35", "LIN-48")
@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.02, 0.3, 5.0]))
def test_hinge_is_the_linear_support_vector_machine(seed, C):
    X, y = two_classes(np.random.default_rng(seed))
    if len(set(y)) < 2:
        return
    ours = RegularizedLinearClassifier("hinge", alpha=1 / (2 * C)).fit(X, y)
    svc = SVC(kernel="linear", C=C, tol=1e-7).fit(X, y)
    sign = np.where(y == "yes", 1, -1)

    def objective(w, b):
        return np.maximum(0, 1 - sign * (X @ w + b)).sum() + w @ w / (2 * C)

    best = objective(ours.coef_[0], ours.intercept_[0])
    assert_close(ours.objective_[0], best, rtol=1e-10)
    assert best <= objective(svc.coef_[0], svc.intercept_[0]) * (1 + 1e-9)
    assert_close(best, objective(svc.coef_[0], svc.intercept_[0]), rtol=1e-5)
    assert_close(ours.coef_, svc.coef_, atol=2e-3)


@pytest.mark.spec("LIN-P35", "LIN-48")
@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.02, 0.3, 5.0]))
def test_log_loss_is_logistic_regression(seed, C):
    X, y = two_classes(np.random.default_rng(seed))
    if len(set(y)) < 2:
        return
    ours = RegularizedLinearClassifier("log_loss", alpha=1 / (2 * C), tol=1e-12).fit(X, y)
    other = reference.LogisticRegression(C=C, tol=1e-10, solver="newton-cholesky").fit(X, y)
    assert_close(ours.coef_, other.coef_, rtol=1e-6, atol=1e-8)
    assert_close(ours.intercept_, other.intercept_, rtol=1e-6, atol=1e-7)
    assert_close(ours.predict_proba(X), other.predict_proba(X), atol=1e-7)
    assert_close(np.exp(ours.predict_log_proba(X)), other.predict_proba(X), atol=1e-7)


@pytest.mark.spec("LIN-P35", "LIN-48")
@given(seed=st.integers(0, 10**6), alpha=st.sampled_from([0.1, 3.0, 50.0]))
def test_squared_error_is_the_ridge_classifier(seed, alpha):
    X, y = two_classes(np.random.default_rng(seed))
    if len(set(y)) < 2:
        return
    ours = RegularizedLinearClassifier("squared_error", alpha=alpha).fit(X, y)
    other = reference.RidgeClassifier(alpha=alpha).fit(X, y)
    assert_close(ours.coef_.ravel(), other.coef_.ravel(), rtol=1e-8, atol=1e-10)
    assert_close(ours.intercept_, other.intercept_, rtol=1e-8, atol=1e-10)


@pytest.mark.spec("LIN-48")
@pytest.mark.parametrize("loss", MARGINS)
def test_the_documented_objective_is_minimal(loss, rng):
    X, y = two_classes(rng)
    sign, weights = np.where(y == "yes", 1.0, -1.0), rng.uniform(0.5, 2.0, size=len(y))
    model = RegularizedLinearClassifier(loss, alpha=0.7, tol=1e-12).fit(X, y, weights)

    def objective(w, b):
        return weights @ MARGIN_LOSSES[loss](sign).value(X @ w + b) + 0.7 * w @ w

    best = objective(model.coef_[0], model.intercept_[0])
    assert_close(model.objective_[0], best, rtol=1e-10)
    for d in 1e-3 * rng.normal(size=(30, 5)):
        assert objective(model.coef_[0] + d[1:], model.intercept_[0] + d[0]) > best


@pytest.mark.spec("LIN-48")
@pytest.mark.parametrize("loss", MARGINS)
def test_sklearns_penalty_scale_matches_sgd(loss, rng):
    X, y = two_classes(rng)
    n, alpha = len(y), 0.05
    a = RegularizedLinearClassifier(loss, alpha=alpha, penalty_scale="sklearn", tol=1e-11).fit(X, y)
    b = RegularizedLinearClassifier(loss, alpha=n * alpha / 2, tol=1e-11).fit(X, y)
    assert_close(a.coef_, b.coef_, atol=1e-7)
    assert_close(a.objective_ * n, b.objective_, rtol=1e-8)
    sgd = reference.SGDClassifier(loss=loss, alpha=alpha, max_iter=20000, tol=None, average=True, random_state=0,
                                  learning_rate="adaptive", eta0=0.01, n_iter_no_change=50)  # fmt: skip
    sgd.set_params(max_iter=400).fit(X, y)
    # SGDClassifier's squared error and ours differ by its factor 1/2, so only the others are comparable.
    if loss != "squared_error":
        assert np.mean(sgd.predict(X) == a.predict(X)) > 0.9
        sign = np.where(y == "yes", 1.0, -1.0)
        f = sgd.decision_function(X)
        sgd_objective = np.mean(MARGIN_LOSSES[loss](sign).value(f)) + alpha / 2 * (sgd.coef_**2).sum()
        assert a.objective_[0] <= sgd_objective
        assert sgd_objective < 1.05 * a.objective_[0]


@pytest.mark.spec("LIN-48")
@pytest.mark.parametrize("loss", MARGINS)
def test_several_classes_are_fitted_one_against_the_rest(loss):
    X, y = load_iris(return_X_y=True)
    model = RegularizedLinearClassifier(loss, alpha=0.1).fit(X, y)
    assert model.coef_.shape == (3, 4)
    for k in range(3):
        one = RegularizedLinearClassifier(loss, alpha=0.1).fit(X, y == k)
        assert_close(one.coef_[0], model.coef_[k], rtol=1e-10, atol=1e-10)
    assert model.score(X, y) > 0.75
    if loss in ("log_loss", "modified_huber"):
        assert_close(model.predict_proba(X).sum(axis=1), 1.0)
    else:
        assert not hasattr(model, "predict_proba")


@pytest.mark.spec("LIN-48")
def test_the_perceptron_loss_separates_or_says_why_not(rng):
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -1.0, 2.0] > 0.3
    model = RegularizedLinearClassifier("perceptron", alpha=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.objective_[0] == 0.0
    y[:20] = ~y[:20]
    for alpha in (0.0, 0.1):
        with pytest.warns(StatlearnWarning, match="minimised by zero coefficients"):
            zero = RegularizedLinearClassifier("perceptron", alpha=alpha).fit(X, y)
        assert not zero.coef_.any()


def test_class_weights_are_sample_weights(rng):
    X, y = two_classes(rng)
    a = RegularizedLinearClassifier(class_weight={"yes": 3.0, "no": 1.0}).fit(X, y)
    b = RegularizedLinearClassifier().fit(X, y, np.where(y == "yes", 3.0, 1.0))
    assert_close(a.coef_, b.coef_, rtol=1e-12)
    assert RegularizedLinearClassifier(class_weight="balanced").fit(X, y).n_iter_ > 0


def test_a_penalised_intercept_is_a_column_of_ones(rng):
    X, y = two_classes(rng)
    ones = np.column_stack([X, np.ones(len(y))])
    for loss in ("hinge", "log_loss"):
        a = RegularizedLinearClassifier(loss, penalize_intercept=True).fit(X, y)
        b = RegularizedLinearClassifier(loss, fit_intercept=False).fit(ones, y)
        thin = RegularizedLinearClassifier(loss, penalize_intercept=True).fit(sparse.csr_array(X), y)
        assert_close(np.append(a.coef_[0], a.intercept_), b.coef_[0], atol=1e-7)
        assert_close(thin.coef_, a.coef_, atol=1e-6)


def test_real_data_hinge_beats_or_equals_libsvm():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = RegularizedLinearClassifier("hinge", alpha=0.5).fit(X, y)
    svc = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    f = svc.decision_function(X)
    theirs = np.maximum(0, 1 - np.where(y == 1, 1, -1) * f).sum() + 0.5 * (svc.coef_**2).sum()
    assert model.objective_[0] <= theirs * (1 + 1e-9)
    assert_close(model.objective_[0], theirs, rtol=1e-6)


# ------------------------------------------------------------------------------------------------------ regression


@pytest.mark.spec("LIN-49")
@pytest.mark.parametrize("l1_ratio", [0.0, 0.4, 1.0])
def test_squared_error_is_the_elastic_net(l1_ratio, rng):
    X, y = load_diabetes(return_X_y=True)
    ours = RegularizedLinearRegressor(alpha=0.1, l1_ratio=l1_ratio, penalty_scale="sklearn", tol=1e-13).fit(X, y)
    if l1_ratio == 0:
        other = reference.Ridge(alpha=0.1 * len(y)).fit(X, y)
    else:
        other = reference.ElasticNet(alpha=0.1, l1_ratio=l1_ratio, tol=1e-10, max_iter=100000).fit(X, y)
    assert_close(ours.coef_, other.coef_, rtol=1e-5, atol=1e-5)
    assert_close(ours.predict(X), other.predict(X), rtol=1e-6)


@pytest.mark.spec("LIN-49")
def test_penalty_scales_match_the_rest_of_the_family(rng):
    X, y = load_diabetes(return_X_y=True)
    n = len(y)
    fits = [
        RegularizedLinearRegressor(alpha=a, l1_ratio=1.0, penalty_scale=scale, tol=1e-13).fit(X, y)
        for scale, a in (("sklearn", 0.2), ("half_rss", 0.2 * n), ("sum", 0.2 * n), ("rss", 0.4 * n))
    ]
    for fit in fits[1:]:
        assert_close(fit.coef_, fits[0].coef_, atol=1e-6)
    assert_close(fits[1].objective_, n * fits[0].objective_, rtol=1e-9)
    assert_close(fits[3].objective_, 2 * fits[1].objective_, rtol=1e-9)


@pytest.mark.spec("LIN-49")
def test_epsilon_insensitive_is_support_vector_regression(rng):
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=80)
    ours = RegularizedLinearRegressor("epsilon_insensitive", alpha=1 / (2 * 0.5), epsilon=0.3).fit(X, y)
    svr = SVR(kernel="linear", C=0.5, epsilon=0.3, tol=1e-9).fit(X, y)
    assert_close(ours.coef_, svr.coef_[0], atol=1e-4)

    def objective(w, b):
        return np.maximum(np.abs(y - X @ w - b) - 0.3, 0).sum() + w @ w

    assert_close(ours.objective_, objective(ours.coef_, ours.intercept_), rtol=1e-10)
    assert ours.objective_ <= objective(svr.coef_[0], svr.intercept_[0]) * (1 + 1e-9)


@pytest.mark.spec("LIN-49")
@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("alpha", [0.0, 0.03])
def test_the_quantile_loss_is_quantile_regression(quantile, alpha, rng):
    X = rng.normal(size=(90, 4))
    y = X @ [1.0, 2.0, 0.0, 0.0] + rng.standard_exponential(size=90)
    ours = RegularizedLinearRegressor(
        "quantile", quantile=quantile, alpha=alpha, l1_ratio=1.0, penalty_scale="sklearn"
    ).fit(X, y)
    other = reference.QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, y)
    assert_close(ours.coef_, other.coef_, atol=1e-6)
    assert_close(ours.intercept_, other.intercept_, atol=1e-6)
    if quantile == 0.5:
        median = RegularizedLinearRegressor("absolute_error", alpha=2 * alpha, l1_ratio=1.0, penalty_scale="sklearn")
        assert_close(median.fit(X, y).coef_, ours.coef_, atol=1e-6)


@pytest.mark.spec("LIN-49")
@pytest.mark.parametrize("loss", ["huber", "log_cosh", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_documented_regression_objective_is_minimal(loss, l1_ratio, rng):
    X = rng.normal(size=(60, 4))
    y = X @ [1.0, 2.0, 0.0, 0.0] + rng.standard_t(2, size=60)
    model = RegularizedLinearRegressor(loss, alpha=2.0, l1_ratio=l1_ratio, delta=0.8, epsilon=0.2, tol=1e-12).fit(X, y)

    def objective(w, b):
        r = np.abs(y - X @ w - b)
        value = {
            "huber": np.where(r <= 0.8, r**2 / 2, 0.8 * (r - 0.4)),
            "log_cosh": np.log(np.cosh(r)),
            "squared_epsilon_insensitive": np.maximum(r - 0.2, 0) ** 2,
        }[loss]
        return value.sum() + 2.0 * (l1_ratio * np.abs(w).sum() + (1 - l1_ratio) * w @ w)

    best = objective(model.coef_, model.intercept_)
    assert_close(model.objective_, best, rtol=1e-10)
    for d in 1e-3 * rng.normal(size=(30, 5)):
        assert objective(model.coef_ + d[1:], model.intercept_ + d[0]) > best


@pytest.mark.spec("LIN-49")
def test_limits_between_losses(rng):
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=50)
    ols = RegularizedLinearRegressor(alpha=0).fit(X, y)
    assert_close(RegularizedLinearRegressor("huber", delta=1e6, alpha=0).fit(X, y).coef_, ols.coef_, rtol=1e-8)
    small = RegularizedLinearRegressor("log_cosh", alpha=0, tol=1e-12).fit(X, 1e-4 * y)
    assert_close(small.coef_, 1e-4 * ols.coef_, rtol=1e-5)
    tube = RegularizedLinearRegressor("epsilon_insensitive", epsilon=0.0, alpha=1.0).fit(X, y)
    assert_close(tube.coef_, RegularizedLinearRegressor("absolute_error", alpha=1.0).fit(X, y).coef_, atol=1e-7)


@pytest.mark.parametrize("loss", ["huber", "absolute_error", "log_cosh"])
def test_exact_zeros_under_an_l1_penalty(loss, rng):
    X = rng.normal(size=(100, 12))
    y = 3.0 * X[:, 0] - 2.0 * X[:, 1] + rng.normal(size=100)
    model = RegularizedLinearRegressor(loss, alpha=20.0, l1_ratio=1.0).fit(X, y)
    assert np.count_nonzero(model.coef_[2:]) < 5
    assert np.all(model.coef_[:2] != 0)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("base", [RegularizedLinearRegressor, RegularizedLinearClassifier])
def test_another_penalty_is_one_method_of_a_subclass(rng, base, make):
    """A group penalty, whose groups leave together, under weights, for regression and classification."""

    class Grouped(base):
        def _penalty(self, total):
            return GroupPenalty(np.array([0, 0, 1, 1]), np.full(2, 0.3))

    X, w = rng.normal(size=(60, 4)), rng.uniform(0.5, 2, 60)
    score = X @ [2.0, 1.0, 0.0, 0.0] + 0.1 * rng.normal(size=60)
    classifier = base is RegularizedLinearClassifier
    model = Grouped(loss="log_loss" if classifier else "huber", max_iter=5000)
    model.fit(make(X), score > 0 if classifier else score, sample_weight=w)
    coef = np.ravel(model.coef_)
    assert np.all(coef[:2] > 0)
    assert not coef[2:].any()
