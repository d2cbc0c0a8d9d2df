"""Quadratic discriminant analysis: identities, printed values, R and scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import linalg
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Peer

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.warnings import RankWarning
from statlearn.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from tests.discriminant.tables import TWO5, TWO5_Y, crabs, gaussians, vowel
from tests.helpers import assert_close

ROWS = [70, 83, 133]


@pytest.mark.spec("DIS-04", "DIS-T4")
def test_the_printed_discriminants():
    model = QuadraticDiscriminantAnalysis(cov_divisor="nk-1").fit(TWO5, TWO5_Y)
    assert_close(model.discriminant_functions([[5, 6]])[0], [-4.7782288, -4.6441248], atol=1e-6)
    assert model.predict([[5, 6]])[0] == "B"
    assert LinearDiscriminantAnalysis().fit(TWO5, TWO5_Y).predict([[5, 6]])[0] == "A"


@pytest.mark.spec("DIS-04")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 5), k=st.integers(2, 4), divisor=st.sampled_from(["nk", "nk-1"]))
def test_posteriors_match_gaussian_densities(seed, p, k, divisor):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 80, p, k, common=False)
    assume(np.unique(y, return_counts=True)[1].min() > p)  # smaller classes have a singular covariance
    priors = rng.dirichlet(np.ones(k) * 3)
    model = QuadraticDiscriminantAnalysis(cov_divisor=divisor, priors=priors).fit(X, y)
    joint = []
    for c in range(k):
        S = np.atleast_2d(np.cov(X[y == c].T, ddof=divisor == "nk-1"))
        joint.append(multivariate_normal(X[y == c].mean(axis=0), S, allow_singular=True).logpdf(X) + np.log(priors[c]))
        assert_close(model.rotations_[c] * model.scalings_[c] @ model.rotations_[c].T, S, rtol=1e-6, atol=1e-7)
    joint = np.stack(joint, axis=1)
    assert_close(model.discriminant_functions(X), joint + p / 2 * np.log(2 * np.pi), rtol=1e-5, atol=1e-5)
    assert_close(model.predict_proba(X), softmax(joint, axis=1), atol=1e-6)


@pytest.mark.spec("DIS-04", "DIS-05")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"priors": [0.2, 0.3, 0.5]},
        {"reg_param": 0.2},
        {"solver": "eigen", "shrinkage": 0.2},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
)
def test_scikit_learn_agrees(settings):
    X, y = load_iris(return_X_y=True)
    ours, theirs = (c(**settings, store_covariance=True).fit(X, y) for c in (QuadraticDiscriminantAnalysis, Peer))
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    assert_close(ours.decision_function(X), theirs.decision_function(X))
    assert_close(ours.covariance_, theirs.covariance_)
    for a, b in zip(ours.scalings_, theirs.scalings_):
        assert_close(a, b)
    single = QuadraticDiscriminantAnalysis(**settings).fit(X.astype(np.float32), y)
    assert_close(single.predict_proba(X.astype(np.float32)), theirs.predict_proba(X), atol=1e-3)


@pytest.mark.spec("DIS-04")
def test_r_agrees():
    # R 4.2.2, MASS 7.3-58.2: q <- qda(Species ~ ., iris); predict(q, iris[c(71, 84, 134), 1:4])$posterior; q$ldet
    X, y = load_iris(return_X_y=True)
    model = QuadraticDiscriminantAnalysis(cov_divisor="nk-1").fit(X, y)
    posterior = [[0.335944183124, 0.664055816876], [0.154348330982, 0.845651669018], [0.604961131512, 0.395038868488]]
    assert_close(model.predict_proba(X[ROWS])[:, 1:], posterior, rtol=1e-9)
    assert_close(model.summary()["log_determinant"], [-13.06736032659, -10.87432504025, -8.92705847826])
    # qda(Species ~ ., iris, CV = TRUE)$posterior
    found = QuadraticDiscriminantAnalysis(cov_divisor="nk-1", priors=np.full(3, 1 / 3)).loo_predict_proba(X, y)
    left_out = [[0.1616422506499, 0.838357749350], [0.0713328172154, 0.928667182785], [0.6631975840532, 0.336802415947]]
    assert_close(found[ROWS, 1:], left_out, rtol=1e-9)
    assert np.sum(found.argmax(axis=1) != y) == 4
    X, y = crabs()
    model = QuadraticDiscriminantAnalysis(cov_divisor="nk-1", priors=np.full(4, 1 / 4)).fit(X, y)
    found = model.loo_predict_proba(X, y)
    assert np.sum(model.predict(X) != y) == 8
    assert np.sum(model.classes_[found.argmax(axis=1)] != y) == 13
    assert_close(found[159], [7.53700233288e-10, 1.71286496734e-13, 9.99999832752e-01, 1.66494181776e-07], rtol=1e-7)
    # Hastie, Tibshirani & Friedman, table 4.1: 0.01 and 0.53
    X, y, X_test, y_test = vowel()
    model = QuadraticDiscriminantAnalysis(cov_divisor="nk-1").fit(X, y)
    assert (round(1 - model.score(X, y), 2), round(1 - model.score(X_test, y_test), 2)) == (0.01, 0.53)


@pytest.mark.spec("DIS-P8")
def test_equal_class_covariances_make_it_linear(rng):
    Z = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 3))
    X, y = np.vstack([Z, Z + [1, 2, 0], Z - [3, 0, 1]]), np.arange(3).repeat(30)
    quadratic, linear = QuadraticDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    assert_close(quadratic.predict_proba(X), linear.predict_proba(X), atol=1e-9)


@pytest.mark.spec("DIS-P15")
@given(seed=st.integers(0, 10_000))
def test_affine_maps_do_not_change_decisions(seed):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 80, 3, common=False)
    A, b = rng.normal(size=(3, 3)) + 3 * np.eye(3), 10 * rng.normal(size=3)
    A *= 10.0 ** rng.integers(-6, 6)
    # `tol` is a limit on the correlation matrix, which a map can push a class across.
    plain = QuadraticDiscriminantAnalysis(tol=0).fit(X, y)
    moved = QuadraticDiscriminantAnalysis(tol=0).fit(X @ A + b, y)
    assert_close(moved.predict_proba(X @ A + b), plain.predict_proba(X), atol=1e-5)


@given(seed=st.integers(0, 10_000), divisor=st.sampled_from(["nk", "nk-1"]))
def test_leave_one_out_equals_refitting(seed, divisor):
    X, y = gaussians(np.random.default_rng(seed), 45, 2, common=False)
    model = QuadraticDiscriminantAnalysis(cov_divisor=divisor, tol=0)
    found = model.loo_predict_proba(X, y)
    for i in range(0, len(X), 5):
        rest = np.arange(len(X)) != i
        assert_close(found[i], model.fit(X[rest], y[rest]).predict_proba(X[[i]])[0], atol=1e-7)


def test_leave_one_out_predicts_absent_rows_and_raises_for_singular_classes(rng):
    X, y = gaussians(rng, 60, 2, common=False)
    w = np.ones(len(X))
    w[:3] = 0
    model = QuadraticDiscriminantAnalysis()
    found = model.loo_predict_proba(X, y, w)
    assert_close(found[:3], model.fit(X[3:], y[3:]).predict_proba(X[:3]))
    assert_close(found[3:], model.loo_predict_proba(X[3:], y[3:]))
    with pytest.raises(linalg.LinAlgError, match="A class covariance is singular"):
        model.loo_predict_proba(np.column_stack([X, X[:, 0]]), y)


def test_partial_fits_equal_one_fit(rng):
    X, y = gaussians(rng, 90, common=False)
    order = rng.permutation(len(X))
    model = QuadraticDiscriminantAnalysis()
    with pytest.warns(RankWarning, match="too few rows"):
        model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert np.all(model.predict_proba(X)[:, 2] == 0)
    model.partial_fit(X[y == 2], y[y == 2])
    whole = QuadraticDiscriminantAnalysis().fit(X[order], y[order])
    assert_close(model.predict_proba(X), whole.predict_proba(X), atol=1e-8)
    with pytest.warns(RankWarning):
        empty = QuadraticDiscriminantAnalysis().partial_fit(X[:2], y[:2], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="No class has enough rows"):
        empty.predict(X)


def test_singular_classes_raise(rng):
    X, y = gaussians(rng, 60)
    with pytest.raises(linalg.LinAlgError, match="not full rank"):
        QuadraticDiscriminantAnalysis().fit(np.column_stack([X, np.ones(len(X))]), y)
    with pytest.raises(linalg.LinAlgError, match="has 5 samples and 5 features"):
        QuadraticDiscriminantAnalysis().fit(rng.normal(size=(20, 5)), np.arange(20) % 4)
    with pytest.raises(ValueError, match=r"only 1 sample in class 9, .*RegularizedDiscriminantAnalysis"):
        QuadraticDiscriminantAnalysis().fit(X, np.where(np.arange(len(X)) == 0, 9, y))
    tiny = QuadraticDiscriminantAnalysis().fit(1e-6 * X, y)  # units do not matter
    assert_close(tiny.predict_proba(1e-6 * X), QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-7)


def test_box_test():
    # R, heplots 1.4: boxM(iris[, 1:4], iris$Species): chi-squared 140.94, df 20, p < 2.2e-16
    X, y = load_iris(return_X_y=True)
    facts = QuadraticDiscriminantAnalysis().fit(X, y).summary().facts
    assert round(facts["box_chi2"], 2) == 140.94
    assert facts["box_df"] == 20
    assert facts["box_p"] < 1e-15


@pytest.mark.spec("DIS-18")
@pytest.mark.parametrize(("p", "k"), [(1, 2), (4, 3), (3, 5)])
def test_parameters_are_counted(rng, p, k):
    X, y = gaussians(rng, 80, p, k)
    found = QuadraticDiscriminantAnalysis().fit(X, y).n_parameters_
    assert found == (k - 1) * (p * (p + 3) // 2 + 1)


@pytest.mark.spec("DIS-05")
def test_priors_can_be_changed(rng):
    X, y = gaussians(rng, 80, common=False)
    a = QuadraticDiscriminantAnalysis(priors=[0.7, 0.2, 0.1]).fit(X, y)
    b = QuadraticDiscriminantAnalysis().fit(X, y).set_priors([0.7, 0.2, 0.1])
    assert_close(a.predict_proba(X), b.predict_proba(X))


def scores_by_definition(X, means, factors, offsets):
    """The formula of the kernel, row by row."""
    out = np.empty((len(X), len(means)))
    for k, (mean, W, offset) in enumerate(zip(means, factors, offsets)):
        out[:, k] = [offset - 0.5 * np.sum((W.T @ (row - mean)) ** 2) for row in X]
    return out


@pytest.mark.parametrize("upper", [True, False], ids=["triangles", "matrices"])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_the_kernel_of_the_scores_is_its_formula(rng, dtype, rtol, upper):
    n, p, k = 1100, 21, 3  # three blocks of rows, the last one short; a width that is no multiple of a register
    X, means = rng.normal(size=(n, p)).astype(dtype), rng.normal(size=(k, p)).astype(dtype)
    factors = rng.normal(size=(k, p, p)).astype(dtype)
    if upper:
        factors = np.triu(factors)
    offsets = np.array([0.5, -np.inf, 2.0])
    expected = scores_by_definition(X.astype(float), means, factors.astype(float), offsets)
    results = []
    for n_threads in (1, 2):
        out = np.empty((n, k), dtype)
        with native.threads(n_threads), single_blas_thread():
            native.discriminant.gaussian_scores(X, means, factors, upper, offsets, out)
        results.append(out)
    assert np.array_equal(results[0], results[1])
    assert np.isneginf(results[0][:, 1]).all()
    assert_close(results[0][:, ::2], expected[:, ::2], rtol=rtol)


def test_kernel_of_the_scores_raises_for_mismatched_shapes(rng):
    good = (rng.normal(size=(4, 2)), np.zeros((3, 2)), np.zeros((3, 2, 2)), True, np.zeros(3), np.empty((4, 3)))
    wrong = {0: np.zeros((4, 3)), 1: np.zeros((2, 2)), 2: np.zeros((3, 2, 1)), 4: np.zeros(2), 5: np.empty((3, 3))}
    native.discriminant.gaussian_scores(*good)
    for place, value in wrong.items():
        with pytest.raises(ValueError, match="gaussian_scores"):
            native.discriminant.gaussian_scores(*(value if i == place else each for i, each in enumerate(good)))
