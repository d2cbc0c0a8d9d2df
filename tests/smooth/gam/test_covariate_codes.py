"""The model matrix as codes and tables, rounded covariates, and the criterion on cross-products."""

import numpy as np
import pandas as pd
import pytest

from statlearn._core import native
from statlearn.smooth import GAM, by, factor, lin, re, s, s2, te
from statlearn.smooth.gam._covariate_codes import MANY_ROWS, Columns, values_for
from statlearn.smooth.gam._fitted_terms import fit_terms, model_rows
from statlearn.smooth.gam._penalty import SmoothnessPenalty
from statlearn.smooth.gam._quadratic import PenaltySet, Quadratic
from tests.helpers import assert_close

TERMS = [
    s(0),
    s(1, 6, basis="ps", select=True),
    s(0, 6, basis="cc"),
    te(0, 1, k=4),
    s2(0, 1, k=12),
    factor(2),
    re(3),
    lin(1),
    by(s(1, 5), 0),
    by(s(0, 5), 2),
]


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    X[:, 2], X[:, 3] = rng.integers(0, 3, n), rng.integers(0, 7, n)
    return X, rng.uniform(0.5, 2, n)


def rows_of(X, w, values=None, written=TERMS):
    columns = Columns(X, None, {2: list("abc"), 3: list("abcdefg")}, w, values)
    terms = fit_terms(written, columns)
    return model_rows(terms, columns), terms, columns


def dense(terms, X):
    return np.column_stack([np.ones(len(X)), *(term.design(X) for term in terms)])


@pytest.mark.parametrize("order", ["C", "F"])
def test_codes_and_tables_are_the_model_matrix(order):
    X, w = table()
    rows, terms, _ = rows_of(np.array(X, order=order), w)
    B = dense(terms, X)
    rng = np.random.default_rng(1)
    beta, A = rng.normal(size=B.shape[1]), rng.normal(size=(B.shape[1],) * 2)
    A = A + A.T
    assert_close(rows.gram(w), (B.T * w) @ B, atol=1e-9)
    assert_close(rows.products(w), B.T @ w, atol=1e-10)
    assert_close(rows.values(beta), B @ beta, atol=1e-10)
    assert_close(rows.quadratic(A), np.einsum("ij,jk,ik->i", B, A, B), atol=1e-8)


def test_any_number_of_threads_gives_the_same_bits():
    X, w = table(9_000)
    rows = rows_of(X, w, 1000)[0]
    A = np.cov(np.random.default_rng(2).normal(size=(500, rows.width)).T)
    found = []
    for threads in (1, 2, 5):
        with native.threads(threads):
            found.append((rows.gram(w), rows.products(w), rows.values(A[0]), rows.quadratic(A)))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_predictions_follow_the_curves_of_the_terms_beyond_their_range_too():
    X, w = table()
    _, terms, _ = rows_of(X, w)
    far = X.copy()
    far[:, :2] = 3 * X[:, :2] - 1
    rng = np.random.default_rng(3)
    for term in terms:
        beta, out = rng.normal(size=term.width), np.zeros(len(X))
        term.add_values(far, beta, out)
        assert_close(out, term.design(far) @ beta, atol=1e-8, err_msg=term.label)


def test_a_covariate_is_rounded_only_where_it_has_many_values():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 50, 20_000) / 7, rng.lognormal(0, 2, 20_000)])
    columns = Columns(X, None, {}, np.ones(20_000), 1000)
    few = columns.coded(columns.key((0,), 10))
    np.testing.assert_array_equal(few.values[few.codes], X[:, 0])
    many = columns.coded(columns.key((1,), 10))
    assert 500 < len(many.values) <= 1002
    assert many.weight.sum() == pytest.approx(20_000)
    rounded = many.values[many.codes]
    assert rounded.mean() == pytest.approx(X[:, 1].mean(), rel=1e-12)
    # Half the values follow the quantiles, half the range: neither the bulk nor the tail is coarse.
    assert np.quantile(np.abs(np.log(rounded / X[:, 1])), 0.99) < 0.05
    assert np.abs(rounded - X[:, 1]).max() <= 2 * np.ptp(X[:, 1]) / 1000
    both = columns.coded(columns.key((0, 1), 10))
    assert both.values.shape[1] == 2
    assert both.codes.max() == len(both.values) - 1


def test_few_rows_are_never_rounded_and_users_can_choose():
    assert values_for("auto", MANY_ROWS - 1) is None
    assert values_for("auto", MANY_ROWS) == 1000
    assert values_for(False, 10**7) is None
    assert values_for(True, 10) == 1000
    assert values_for(200, 10) == 200


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_the_error_of_rounding_is_small_compared_with_the_standard_error(family):
    rng = np.random.default_rng(5)
    n = 12_000
    X = np.column_stack([rng.uniform(size=n), rng.lognormal(size=n)])
    f = np.sin(6 * X[:, 0]) + 0.5 * np.log(X[:, 1])
    y = f + rng.normal(size=n) if family == "gaussian" else rng.poisson(np.exp(f)).astype(float)
    knots = [np.quantile(x, np.linspace(0, 1, 10)) for x in X.T]  # the same for both
    terms = [s(j, knots=knots[j]) for j in range(2)]
    exact = GAM(terms, family=family, discrete=False).fit(X, y)
    rounded = GAM(terms, family=family).fit(X, y)
    parts, errors = exact.predict_terms(X[:500], return_std=True)
    off = np.abs(rounded.predict_terms(X[:500]) - parts) / errors
    assert off.max() < 0.05
    assert off.mean() < 0.02
    assert rounded.score_ == pytest.approx(exact.score_, rel=1e-4)
    assert_close(rounded.edf_, exact.edf_, rtol=2e-3, atol=0)
    coarse = GAM(terms, family=family, discrete=100).fit(X, y)
    assert (np.abs(coarse.predict_terms(X[:500]) - parts) / errors).max() < 0.5


def test_memory_does_not_grow_with_the_model_matrix(tmp_path):
    import tracemalloc

    n = 60_000
    path = tmp_path / "X.bin"
    X = np.memmap(path, np.float64, "w+", shape=(n, 5))
    rng = np.random.default_rng(6)
    X[:] = rng.uniform(size=(n, 5))
    y = np.sin(6 * X[:, 0]) + rng.normal(size=n)
    X.flush()
    X = np.memmap(path, np.float64, "r", shape=(n, 5))
    tracemalloc.start()
    model = GAM([s(j, 40) for j in range(5)]).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.edf_[0] > 4
    assert peak < 0.5 * n * 8 * len(model.coef_)  # the model matrix alone would be twice this


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
def test_a_fit_holds_codes_and_a_few_numbers_for_each_row(family):
    import tracemalloc

    n, p = 150_000, 6
    rng = np.random.default_rng(11)
    X = rng.uniform(size=(n, p))
    f = np.sin(6 * X[:, 0]) + X[:, 1]
    y = {
        "gaussian": f + rng.normal(size=n),
        "binomial": (rng.uniform(size=n) < 1 / (1 + np.exp(-f))).astype(float),
        "poisson": rng.poisson(np.exp(f)).astype(float),
    }[family]
    tracemalloc.start()
    GAM([s(j, 6) for j in range(p)], family=family).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Two bytes of code for each term, held once; the rest are linear predictors, slopes and curvatures.
    numbers = {"gaussian": 2, "binomial": 5, "poisson": 6}[family]
    assert peak < n * (2 * p + 8 * numbers) + 3e6


def test_unit_weights_are_dropped():
    X, _ = table(MANY_ROWS)
    y = np.sin(6 * X[:, 0]) + 0.3 * np.random.default_rng(12).normal(size=len(X))
    for family, response in (("gaussian", y), ("poisson", np.round(np.exp(y))), ("gamma", np.exp(y))):
        plain = GAM([s(0), s(1)], family=family).fit(X, response)
        ones = GAM([s(0), s(1)], family=family).fit(X, response, sample_weight=np.ones(len(X)), offset=np.zeros(len(X)))
        assert_close(ones.predict(X), plain.predict(X), rtol=1e-6, atol=0)
        assert ones.aic_ == pytest.approx(plain.aic_, rel=1e-9)


@pytest.mark.parametrize("restricted", [True, False])
@pytest.mark.parametrize("known_scale", [True, False])
@pytest.mark.parametrize("written", [[s(0), s(1, 6, select=True), re(3)], [te(0, 1, k=4, select=True)]])
def test_derivatives_of_the_marginal_likelihood(restricted, known_scale, written):
    X, w = table()
    rows, terms, _ = rows_of(X, w, written=written)
    penalties, blocks, start = [], [], 1
    for term in terms:
        at = slice(start, start + term.width)
        start = at.stop
        if term.penalties:
            which = list(range(len(penalties), len(penalties) + len(term.penalties)))
            blocks.append((at, which, term.null))
            penalties += [SmoothnessPenalty(at, S) for S in term.penalties]
    y = np.sin(6 * X[:, 0]) + 0.3 * np.random.default_rng(7).normal(size=len(X))
    everything = PenaltySet(penalties, blocks, rows.width)
    problem = Quadratic(
        rows.gram(w), rows.products(w * y), float(w @ y**2), float(w.sum()), everything, known_scale=known_scale
    )
    rho = np.random.default_rng(8).uniform(-1, 3, len(penalties))
    value, gradient, hessian, _ = problem.marginal(rho, restricted)
    assert problem.value(rho, restricted) == pytest.approx(value)
    for j in range(len(rho)):
        step = np.zeros(len(rho))
        step[j] = 1e-4
        up, down = problem.marginal(rho + step, restricted), problem.marginal(rho - step, restricted)
        assert (up[0] - down[0]) / 2e-4 == pytest.approx(gradient[j], rel=1e-6, abs=1e-6)
        assert_close((up[1] - down[1]) / 2e-4, hessian[j], rtol=1e-5, atol=1e-6)


def test_a_large_mean_costs_no_digits():
    X, _ = table()
    y = np.sin(6 * X[:, 0]) + 0.3 * np.random.default_rng(9).normal(size=len(X))
    near, far = GAM([s(0)]).fit(X, y), GAM([s(0)]).fit(X, y + 1e7)
    assert_close(far.edf_, near.edf_, rtol=1e-4, atol=0)
    assert far.scale_ == pytest.approx(near.scale_, rel=1e-6)


def test_frames_with_factors_are_rounded_like_arrays():
    rng = np.random.default_rng(10)
    n = MANY_ROWS + 500
    frame = pd.DataFrame({"x": rng.normal(size=n), "g": rng.choice(list("abc"), n)})
    y = frame["x"] ** 2 + (frame["g"] == "b") + rng.normal(size=n)
    model = GAM([by(s("x"), "g"), factor("g")]).fit(frame, y)
    codes = np.column_stack([frame["x"], frame["g"].map({"a": 0, "b": 1, "c": 2})])
    plain = GAM([by(s(0), 1), factor(1)]).fit(codes, y)
    assert_close(model.predict(frame), plain.predict(codes), rtol=1e-10, atol=0)
    assert model.coef_[model.coef_names_.index("gb")] == pytest.approx(1.0, abs=0.15)
    assert len(model.terms_) == 4


def test_indicators_of_many_levels_are_columns_like_others():
    n = 3000
    rng = np.random.default_rng(9)
    X = np.column_stack([rng.uniform(size=(n, 2)), rng.integers(0, 40, n), rng.integers(0, 25, n)])
    w = rng.uniform(0.5, 2, n)
    columns = Columns(X, None, {2: list(range(40)), 3: list(range(25))}, w)
    terms = fit_terms([re(2), s(0, 6), factor(3), re(3, by=1), lin(1), te(0, 1, k=4)], columns)
    rows, B = model_rows(terms, columns), dense(terms, X)
    assert np.count_nonzero(rows.columns[:, 1] >= 0) == 3
    beta, A = rng.normal(size=B.shape[1]), rng.normal(size=(B.shape[1],) * 2)
    A = A + A.T
    assert_close(rows.gram(w), (B.T * w) @ B, atol=1e-9)
    assert_close(rows.gram(np.ones(n)), B.T @ B, atol=1e-9)
    assert_close(rows.products(w), B.T @ w, atol=1e-9)
    assert_close(rows.values(beta), B @ beta, atol=1e-10)
    assert_close(rows.quadratic(A), np.einsum("ij,jk,ik->i", B, A, B), atol=1e-8)
    with pytest.raises(ValueError, match="indicator term"):
        native.smooth.gam_check(rows.codes, [], np.empty((0, 3), np.int32), np.array([[-1, 0]], np.int32), X)
