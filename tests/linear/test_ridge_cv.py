"""The choice of the ridge penalty: leave-one-out and GCV from one decomposition, K-fold, information criteria."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV, KFold

import statlearn.linear._ridge_cv as module
import statlearn.linear._spectrum as spectrum_module
from statlearn._core import native
from statlearn.linear import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV, RidgeIC
from tests.helpers import assert_close

ALPHAS = np.logspace(-3, 3, 7)


def problem(rng, n=25, p=6, m=None):
    X = rng.normal(size=(n, p)) + 1.0
    shape = n if m is None else (n, m)
    return X, (X[:, 0] if m is None else X[:, :1]) + rng.normal(size=shape) + 3.0


def refits(X, y, alpha, weights=None, fit_intercept=True):
    """Leave-one-out predictions the slow way."""
    n = len(y)
    predictions = []
    for i in range(n):
        keep = np.arange(n) != i
        model = Ridge(alpha, solver="svd", fit_intercept=fit_intercept)
        model.fit(X[keep], y[keep], None if weights is None else weights[keep])
        predictions.append(model.predict(X[[i]])[0])
    return np.array(predictions)


@pytest.mark.spec("LIN-13", "LIN-P6")
@given(
    st.sampled_from([(12, 3), (12, 11), (12, 12), (8, 20)]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_leave_one_out_shortcut_equals_refits(shape, fit_intercept, weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, *shape)
    weights = rng.uniform(0.3, 2.0, shape[0]) if weighted else None
    alphas = [0.01, 1.0, 100.0]
    model = RidgeCV(alphas, fit_intercept=fit_intercept, store_cv_results=True).fit(X, y, weights)
    for k, alpha in enumerate(alphas):
        errors = (y - refits(X, y, alpha, weights, fit_intercept)) ** 2
        expected = errors if weights is None else weights * errors
        assert_close(model.cv_results_[:, k], expected, rtol=1e-5, atol=1e-8)  # 1 - h near 0 costs digits
    best = np.argmin(model.cv_results_.mean(axis=0))
    assert model.alpha_ == alphas[best]
    assert_close(model.best_score_, -model.cv_results_[:, best].mean())
    assert_close(model.coef_, Ridge(model.alpha_, fit_intercept=fit_intercept).fit(X, y, weights).coef_, rtol=1e-6)


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("shape", [(60, 8), (15, 30)])
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_agrees_with_scikit_learn(shape, scoring, rng):
    X, Y = problem(rng, *shape, m=3)
    settings = {"alphas": ALPHAS, "scoring": scoring, "store_cv_results": True}
    ours, theirs = RidgeCV(**settings).fit(X, Y), sk.RidgeCV(**settings).fit(X, Y)
    assert ours.alpha_ == theirs.alpha_
    assert_close(ours.best_score_, theirs.best_score_)
    assert_close(ours.coef_, theirs.coef_)
    assert_close(ours.intercept_, theirs.intercept_)
    assert_close(ours.cv_results_, theirs.cv_results_, rtol=1e-6)


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("shape", [(60, 8), (15, 30)])
@pytest.mark.parametrize("mode", ["auto", "eigen", "svd", None])
def test_modes_and_sparse_input_agree(shape, mode, rng):
    X, y = problem(rng, *shape)
    X[rng.random(shape) < 0.5] = 0.0
    reference = RidgeCV(ALPHAS, gcv_mode="svd", store_cv_results=True).fit(X, y)
    model = RidgeCV(ALPHAS, gcv_mode=mode, store_cv_results=True).fit(X, y)
    assert_close(model.cv_results_, reference.cv_results_, rtol=1e-6)
    if mode != "svd":
        model = RidgeCV(ALPHAS, gcv_mode=mode, store_cv_results=True).fit(sparse.csr_array(X), y)
        assert_close(model.cv_results_, reference.cv_results_, rtol=1e-6)
    else:
        with pytest.warns(FutureWarning, match="not supported for sparse"):
            RidgeCV(ALPHAS, gcv_mode=mode).fit(sparse.csr_array(X), y)


def test_rows_come_in_blocks(rng, monkeypatch):
    X, y = problem(rng, 50, 4)
    whole = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y)
    monkeypatch.setattr(module, "RESIDUALS", 7 * len(ALPHAS))
    blocked = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y)
    assert_close(blocked.cv_results_, whole.cv_results_)
    assert_close(blocked.cv_curve_.std_error, whole.cv_curve_.std_error)


@pytest.mark.spec("LIN-13")
def test_the_whole_grid_costs_one_decomposition(rng, monkeypatch):
    """The operation count behind the speed: one cross-product pass, one eigen-decomposition, whatever the grid."""
    counts = {"products": 0, "eigh": 0}
    products, eigh = spectrum_module.CrossProducts.from_block, spectrum_module.linalg.eigh

    def counted_products(*args, **kwargs):
        counts["products"] += 1
        return products(*args, **kwargs)

    def counted_eigh(*args, **kwargs):
        counts["eigh"] += 1
        return eigh(*args, **kwargs)

    monkeypatch.setattr(spectrum_module.CrossProducts, "from_block", counted_products)
    monkeypatch.setattr(spectrum_module.linalg, "eigh", counted_eigh)
    X, y = problem(rng, 80, 5)
    RidgeCV(np.logspace(-2, 2, 50)).fit(X, y)
    assert counts == {"products": 1, "eigh": 1}


@pytest.mark.spec("LIN-13")
def test_generalised_cross_validation(rng):
    X, y = problem(rng, 40, 5)
    weights = rng.integers(1, 4, 40).astype(float)
    model = RidgeCV(ALPHAS, criterion="gcv").fit(X, y, weights)
    S = weights.sum()
    for alpha, loss in zip(model.cv_curve_.parameter, model.cv_curve_.mean):
        ones = np.column_stack([np.ones(40), X])
        penalty = np.diag([0.0, *[alpha] * 5])
        hat = ones @ np.linalg.solve(ones.T @ (weights[:, None] * ones) + penalty, (weights[:, None] * ones).T)
        rss = np.sum(weights * (y - hat @ y) ** 2)
        assert_close(loss, rss / S / (1 - np.trace(hat) / S) ** 2)
        if alpha == model.alpha_:
            assert_close(model.df_, np.trace(hat) - 1)
    copies = RidgeCV(ALPHAS, criterion="gcv").fit(
        np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int))
    )
    assert_close(copies.cv_curve_.mean, model.cv_curve_.mean)


@pytest.mark.spec("LIN-13")
def test_one_standard_error_rule_takes_a_larger_penalty(rng):
    X, y = problem(rng, 40, 10)
    alphas = np.logspace(-2, 4, 25)
    best, simple = RidgeCV(alphas).fit(X, y), RidgeCV(alphas, rule="one_se").fit(X, y)
    curve = simple.cv_curve_
    assert np.all(np.diff(curve.parameter) < 0)
    errors = RidgeCV(alphas, store_cv_results=True).fit(X, y).cv_results_[:, ::-1]
    assert_close(curve.mean, errors.mean(axis=0))
    assert_close(curve.std_error, errors.std(axis=0, ddof=1) / np.sqrt(40))
    limit = curve.mean.min() + curve.std_error[curve.mean.argmin()]
    assert simple.alpha_ == curve.parameter[curve.mean <= limit].max()
    assert simple.alpha_ > best.alpha_
    folds = RidgeCV(alphas, cv=5, rule="one_se").fit(X, y)
    assert folds.alpha_ >= RidgeCV(alphas, cv=5).fit(X, y).alpha_


def test_one_penalty_per_target(rng):
    X, Y = problem(rng, 30, 5, m=3)
    Y[:, 1] = rng.normal(size=30)
    model = RidgeCV(ALPHAS, alpha_per_target=True, store_cv_results=True).fit(X, Y)
    single = [RidgeCV(ALPHAS).fit(X, y) for y in Y.T]
    assert_close(model.alpha_, [s.alpha_ for s in single])
    assert_close(model.best_score_, [s.best_score_ for s in single])
    assert_close(model.coef_, [s.coef_ for s in single])
    assert_close(model.df_, [s.df_ for s in single])
    assert len(model.cv_curve_) == 3
    assert model.cv_results_.shape == (30, 3, 7)


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("shape", [(60, 6), (20, 30), (60, 40)])
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "callable"])
def test_folds_agree_with_a_grid_search(shape, scoring, rng):
    X, y = problem(rng, *shape)
    weights = rng.uniform(0.5, 2, shape[0])
    if scoring == "callable":
        scoring = make_scorer(mean_absolute_error, greater_is_better=False)
    cv = KFold(4, shuffle=True, random_state=0)
    model = RidgeCV(ALPHAS, cv=cv, scoring=scoring).fit(X, y, weights)
    search = GridSearchCV(sk.Ridge(solver="svd"), {"alpha": ALPHAS}, cv=cv, scoring=scoring)
    search.fit(X, y, sample_weight=weights)
    assert model.alpha_ == search.best_params_["alpha"]
    assert_close(model.best_score_, search.best_score_, rtol=1e-6)
    assert_close(-model.cv_curve_.mean[::-1], search.cv_results_["mean_test_score"], rtol=1e-6)
    assert_close(model.coef_, search.best_estimator_.coef_, rtol=1e-6)


def test_folds_survive_an_outlying_fold(rng):
    """Subtracting a fold with huge values would leave no digits of the others: they are summed anew."""
    X, y = problem(rng, 60, 3)
    X[:15] *= 1e9
    cv = KFold(4)
    search = GridSearchCV(sk.Ridge(solver="svd"), {"alpha": [1.0]}, cv=cv, scoring="neg_mean_squared_error").fit(X, y)
    model = RidgeCV([1.0], cv=cv, scoring="neg_mean_squared_error").fit(X, y)
    assert_close(-model.cv_curve_.loss[0, 0], search.cv_results_["split0_test_score"][0], rtol=1e-6)


def test_rows_of_weight_zero_are_absent(rng):
    X, y = problem(rng, 20, 3)
    weights = np.r_[np.zeros(4), rng.uniform(0.5, 2, 16)]
    y[:4] = 1e6
    model = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, weights)
    without = RidgeCV(ALPHAS, store_cv_results=True).fit(X[4:], y[4:], weights[4:])
    assert_close(model.coef_, without.coef_)
    assert_close(model.best_score_, without.best_score_)
    assert np.isnan(model.cv_results_[:4]).all()
    assert_close(model.cv_results_[4:], without.cv_results_)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"alphas": []}, "alphas is empty"),
        ({"alphas": [1.0, np.nan]}, r"alphas\[1\] == nan"),
        ({"alphas": [0.0, 1.0]}, r"alphas\[0\] == 0.0, must be > 0.0"),
        ({"criterion": "gcv", "rule": "one_se"}, "has no standard error"),
        ({"criterion": "gcv", "cv": 3}, "criterion='gcv' needs cv=None"),
        ({"scoring": "no such score"}, "no such score"),
    ],
)
def test_wrong_settings_are_refused(params, message, rng):
    X, y = problem(rng)
    with pytest.raises(ValueError, match=message):
        RidgeCV(**params).fit(X, y)


def test_classifier_chooses_like_the_regression_on_signs(rng):
    X = rng.normal(size=(50, 4))
    y = (X[:, 0] + rng.normal(size=50) > 0).astype(int)
    model = RidgeClassifierCV(ALPHAS, store_cv_results=True).fit(X, y)
    plain = RidgeCV(ALPHAS).fit(X, 2.0 * y - 1)
    assert model.alpha_ == plain.alpha_
    assert_close(model.coef_, plain.coef_)
    assert model.cv_results_.shape == (50, 1, 7)
    by_folds = RidgeClassifierCV(ALPHAS, cv=4).fit(X, y)
    search = GridSearchCV(RidgeClassifier(), {"alpha": ALPHAS}, cv=4).fit(X, y)
    assert by_folds.best_score_ == pytest.approx(search.best_score_)


def test_classifier_scores_leave_one_out_predictions(rng):
    X = rng.normal(size=(30, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.7 * rng.normal(size=30), [-0.5, 0.5])]
    model = RidgeClassifierCV([0.5], scoring="accuracy").fit(X, y)
    hits = []
    for i in range(30):
        keep = np.arange(30) != i
        hits.append(RidgeClassifier(0.5).fit(X[keep], y[keep]).predict(X[[i]])[0] == y[i])
    assert_close(model.best_score_, np.mean(hits))
    binary = np.where(y == "a", "no", "yes")
    model = RidgeClassifierCV([0.5], scoring="roc_auc").fit(X, binary)
    assert 0.5 < model.best_score_ <= 1


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("criterion", ["aic", "bic", "aicc"])
def test_information_criteria_from_their_definition(criterion, rng):
    X, y = problem(rng, 40, 5)
    weights = rng.integers(1, 4, 40)
    model = RidgeIC(ALPHAS, criterion=criterion).fit(X, y, weights)
    assert np.all(np.diff(model.alphas_) < 0)
    n = weights.sum()
    expected = []
    for alpha, df in zip(model.alphas_, model.dfs_):
        residual = y - Ridge(alpha).fit(X, y, weights).predict(X)
        rss = np.sum(weights * residual**2)
        k = df + 2  # intercept and variance
        value = n * np.log(2 * np.pi * rss / n) + n
        value += {"aic": 2 * k, "bic": np.log(n) * k, "aicc": 2 * k + 2 * k * (k + 1) / (n - k - 1)}[criterion]
        expected.append(value)
    assert_close(model.criterion_, expected)
    assert model.alpha_ == model.alphas_[np.argmin(expected)]
    copies = RidgeIC(ALPHAS, criterion=criterion).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_close(copies.criterion_, model.criterion_)
    assert_close(copies.coef_, model.coef_)


def test_criterion_grid_and_small_penalty_limit(rng):
    X, y = problem(rng, 60, 4)
    model = RidgeIC().fit(X, y)
    assert model.alphas_.shape == (100,)
    assert_close(model.dfs_[-1], 4, atol=1e-2)
    # Without a penalty AIC is that of least squares, as R's AIC(lm) counts it: p + 2 parameters.
    ols = RidgeIC([0.0]).fit(X, y)
    rss = np.sum((y - ols.predict(X)) ** 2)
    assert_close(ols.criterion_, [60 * np.log(2 * np.pi * rss / 60) + 60 + 2 * 6])
    assert_close(ols.noise_variance_, rss / 55)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 1, 1), (13, 5, 3), (101, 7, 7), (500, 300, 299)])
def test_the_kernel_is_its_formula(rng, shape, dtype):
    n, p, r = shape
    m, k = 2, 3
    X = rng.normal(size=(n, p)).astype(dtype)
    mean, root, V = rng.normal(size=p), rng.uniform(0.5, 1.5, size=n), rng.normal(size=(p, r)) / p
    fits, shrink = rng.normal(size=(r, m * k)), rng.uniform(size=(r, k)) / r
    B, base = rng.normal(size=(n, m)), rng.uniform(size=n) / 4
    Z = (root[:, None] * (X - mean)) @ V
    kept = np.maximum(1.0 - base[:, None] - Z**2 @ shrink, 0.5)
    expected = (B[:, :, None] - (Z @ fits).reshape(n, m, k)) / kept[:, None, :]
    for layout in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        found = np.empty((n, m * k))
        native.linear.ridge_loo(layout, mean, root, V, fits, shrink, B, base, 0.5, found)
        assert_close(found.reshape(n, m, k), expected, rtol=1e-11, atol=1e-12)
    plain = np.empty((n, m * k))
    native.linear.ridge_loo(X - mean.astype(dtype), None, None, V, fits, shrink, B, base, 0.5, plain)
    native.linear.ridge_loo(X - mean.astype(dtype), np.zeros(p), np.ones(n), V, fits, shrink, B, base, 0.5, found)
    assert np.array_equal(plain, found)
