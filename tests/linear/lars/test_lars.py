import warnings

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from statlearn.linear import Lars, LarsCV, LassoLars, LassoLarsCV, LassoLarsIC, lars_path, lars_path_gram
from tests.helpers import assert_close

FAT = [17, 17, 14, 17, 14, 20]
MEAT = [51, 49, 38, 58, 51, 40]
CARCASS6 = np.column_stack([FAT, MEAT]).astype(float)
LEAN = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])


def regression(rng, n=40, p=8, noise=1.0):
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.4 * rng.normal(size=(p, p)))
    coef = np.where(rng.random(p) < 0.6, rng.normal(size=p), 0.0)
    return X, X @ coef + noise * rng.normal(size=n)


def assert_lasso_conditions(X, y, coef, alpha, positive=False):
    """Subgradient conditions of RSS/(2n) + alpha |w|_1 without intercept."""
    gradient = X.T @ (y - X @ coef) / len(y)
    scale = 1e-9 * np.linalg.norm(X, axis=0).max() * np.linalg.norm(y)
    on = coef != 0
    assert_close(gradient[on], alpha * np.sign(coef[on]), atol=scale)
    assert np.all((gradient if positive else np.abs(gradient)) <= alpha + scale)


@pytest.mark.spec("LIN-25", "LIN-T7")
def test_carcass_breakpoints_and_fits():
    path = LassoLars(alpha=0.0, penalty_scale="half_rss").fit(CARCASS6, LEAN)
    assert_close(path.alphas_, [96.5333333, 17.2184964, 0.0], atol=1e-6)
    assert path.active_ == [1, 0]  # Meat11 first, then Fat11
    for penalty, expected in ((5, (-0.4740324, 0.3177639)), (10, (-0.2800509, 0.3024861)), (20, (0, 0.2705952))):
        half = LassoLars(alpha=penalty, penalty_scale="half_rss").fit(CARCASS6, LEAN)
        assert_close(half.coef_, expected, atol=1e-6)
        assert_close(LassoLars(alpha=penalty / 6).fit(CARCASS6, LEAN).coef_, half.coef_, atol=1e-12)
        full = LassoLars(alpha=2 * penalty, penalty_scale="rss").fit(CARCASS6, LEAN)
        assert_close(full.coef_, half.coef_, atol=1e-12)


@pytest.mark.spec("LIN-24", "LIN-P16")
@given(st.integers(0, 10**6), st.booleans())
def test_lar_inner_products_are_tied_and_fall_together_to_least_squares(seed, gram):
    X, y = regression(np.random.default_rng(seed))
    model = Lars(precompute=gram).fit(X, y)
    centred, target = X - X.mean(axis=0), y - y.mean()
    products = centred.T @ (target[:, None] - centred @ model.coef_path_)
    assert_close(model.inner_products_path_, products, atol=1e-8 * np.abs(products).max())
    steps = model.coef_path_.shape[1]
    assert steps == X.shape[1] + 1
    for k in range(steps - 1):
        active = model.active_[: k + 1]
        level = np.abs(products[:, k]).max()
        assert_close(np.abs(products[active, k]), level, rtol=1e-8, atol=0)
        assert np.count_nonzero(np.abs(products[:, k]) > level * (1 - 1e-7)) == k + 1
        assert_close(model.alphas_[k], level / len(y), rtol=1e-10, atol=0)
    assert np.all(np.diff(model.alphas_) < 0)
    ols = np.linalg.lstsq(centred, target, rcond=None)[0]
    assert_close(model.coef_, ols, rtol=1e-7, atol=1e-9)


@pytest.mark.spec("LIN-P16")
def test_lar_has_about_k_degrees_of_freedom_after_k_steps(rng):
    X, _ = regression(rng, n=50, p=6)
    X -= X.mean(axis=0)
    X /= np.linalg.norm(X, axis=0)
    mean = X @ np.array([6.0, -4.0, 3.0, 0.0, 0.0, 2.0])
    draws = 2000
    gram = X.T @ X
    covariance = np.zeros(7)
    for e in rng.normal(size=(draws, 50)):
        for sign in (1, -1):  # opposite draws: what the mean adds by chance cancels
            coefs = lars_path_gram(X.T @ (mean + sign * e), gram, n_samples=50)[2]
            covariance += sign * e @ (X @ coefs) / 2
    assert_close(covariance / draws, np.arange(7), atol=0.25)


@pytest.mark.spec("LIN-25", "LIN-P13")
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_lasso_path_satisfies_the_subgradient_conditions_at_and_between_nodes(seed, positive, wide):
    rng = np.random.default_rng(seed)
    X, y = regression(rng, n=15 if wide else 40, p=25 if wide else 9)
    alphas, _, coefs = lars_path(X, y, method="lasso", positive=positive)
    assert alphas[-1] == 0.0
    for k, alpha in enumerate(alphas):
        assert_lasso_conditions(X, y, coefs[:, k], alpha, positive)
    for k in range(len(alphas) - 1):
        middle = (alphas[k] + alphas[k + 1]) / 2
        assert_lasso_conditions(X, y, (coefs[:, k] + coefs[:, k + 1]) / 2, middle, positive)
        stopped = lars_path(X, y, method="lasso", positive=positive, alpha_min=middle, return_path=False)[2]
        assert_close(stopped, (coefs[:, k] + coefs[:, k + 1]) / 2, atol=1e-9 * np.abs(coefs).max())


@pytest.mark.spec("LIN-P13")
def test_lasso_lars_equals_coordinate_descent(seed):
    rng = np.random.default_rng(seed)
    X, y = regression(rng, n=60, p=20)
    for alpha in (0.5, 0.1, 0.01):
        ours = LassoLars(alpha=alpha).fit(X, y)
        cd = peer.Lasso(alpha=alpha, tol=1e-14, max_iter=100000).fit(X, y)
        assert_close(ours.coef_, cd.coef_, atol=1e-7)
        assert_close(ours.intercept_, cd.intercept_, atol=1e-7)


@pytest.mark.spec("LIN-24", "LIN-25")
@pytest.mark.parametrize("gram", [True, False, "auto"])
def test_paths_agree_with_scikit_learn_on_the_diabetes_data(gram):
    X, y = load_diabetes(return_X_y=True)
    for method in ("lasso", "lar"):
        ours = lars_path(X, y, Gram=gram, method=method)
        theirs = peer.lars_path(X, y, Gram=gram, method=method)
        if method == "lar":  # scikit-learn stalls for a step where a coefficient passes through 0; LAR does not
            assert len(ours[0]) == 11
            ours, theirs = [o[..., :7] for o in (ours[0], ours[2])], [t[..., :7] for t in (theirs[0], theirs[2])]
        else:
            assert ours[1] == theirs[1]
            ours, theirs = (ours[0], ours[2]), (theirs[0], theirs[2])
        for a, b in zip(ours, theirs):
            assert_close(a, b, rtol=1e-8, atol=1e-7)


def test_exact_ties_are_admitted_together():
    X = np.array([[0.0, 0.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 0.0, 0.0]])
    for model in (Lars(fit_intercept=False), LassoLars(alpha=0.0, fit_intercept=False)):
        assert_close(model.fit(X, [-2.5, -2.5]).coef_, [0, 2.5, 0, 2.5, 0], atol=0)


@given(st.integers(0, 10**6), st.booleans())
def test_tied_designs_of_small_integers_keep_the_lasso_conditions(seed, positive):
    # Entries -1, 0, 1 make ties, duplicates and dependent columns at almost every node.
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(6, 7)).astype(float)
    y = rng.integers(-2, 3, size=6).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for gram in (True, False):
            alphas, _, coefs = lars_path(X, y, method="lasso", Gram=gram, positive=positive)
            for k, alpha in enumerate(alphas):
                assert_lasso_conditions(X, y, coefs[:, k], alpha, positive)
            assert np.all(np.diff(alphas) <= 0)


def test_dependent_columns_stay_out_and_are_reported():
    rng = np.random.default_rng(0)
    X, y = regression(rng, p=4)
    X = np.column_stack([X, X[:, 0], np.full(len(X), 3.0)])
    with pytest.warns(ConvergenceWarning, match=r"degenerate.*linearly dependent"):
        model = LassoLars(alpha=0.0).fit(X, y)
    reduced = LassoLars(alpha=0.0).fit(X[:, :4], y)
    assert_close(model.predict(X), reduced.predict(X[:, :4]), rtol=1e-8, atol=0)
    assert model.coef_[5] == 0.0
    assert np.count_nonzero(model.coef_[[0, 4]]) == 1


@given(st.integers(0, 10**6))
def test_positive_path_ends_at_non_negative_least_squares(seed):
    X, y = regression(np.random.default_rng(seed))
    coef = LassoLars(alpha=0.0, positive=True, fit_intercept=False).fit(X, y).coef_
    assert coef.min() >= 0
    assert_close(coef, nnls(X, y)[0], atol=1e-8)


@given(st.integers(0, 10**6))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X, y = regression(rng, n=25, p=5)
    w = rng.integers(0, 4, size=25)
    for model in (
        LassoLars(alpha=0.05),
        Lars(),
        LassoLarsIC("bic", noise_variance=1.0),
        LassoLars(0.05, positive=True),
    ):
        weighted = model.fit(X, y, sample_weight=w)
        coef, alphas = weighted.coef_, weighted.alphas_
        copies = model.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        assert_close(coef, copies.coef_, atol=1e-8)
        assert_close(alphas, copies.alphas_, atol=1e-8)


def test_cross_validation_agrees_with_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = LassoLarsCV(cv=5).fit(X, y), peer.LassoLarsCV(cv=5).fit(X, y)
    assert_close(ours.alpha_, theirs.alpha_, atol=0)
    assert_close(ours.coef_, theirs.coef_, atol=0)
    assert_close(ours.cv_alphas_, theirs.cv_alphas_, atol=1e-9)
    assert_close(ours.mse_path_, theirs.mse_path_, atol=0)
    sparse = LassoLarsCV(cv=5, rule="one_se").fit(X, y)
    assert sparse.alpha_ > ours.alpha_
    assert np.count_nonzero(sparse.coef_) <= np.count_nonzero(ours.coef_)
    assert sparse.cv_curve_.mean[sparse.cv_curve_.one_se] <= (
        sparse.cv_curve_.mean.min() + sparse.cv_curve_.std_error[sparse.cv_curve_.best]
    )
    threaded = LarsCV(cv=4, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threaded.mse_path_, LarsCV(cv=4).fit(X, y).mse_path_)


def test_cross_validation_reports_its_penalty_on_the_scale_asked_for():
    X, y = load_diabetes(return_X_y=True)
    plain, half = LassoLarsCV().fit(X, y), LassoLarsCV(penalty_scale="half_rss").fit(X, y)
    assert_close(half.alpha_, len(y) * plain.alpha_, atol=0)
    assert_close(half.coef_, plain.coef_, rtol=1e-8, atol=0)


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_information_criteria_agree_with_scikit_learn(criterion):
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = LassoLarsIC(criterion).fit(X, y), peer.LassoLarsIC(criterion).fit(X, y)
    assert_close(ours.criterion_, theirs.criterion_, atol=0)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-7, atol=0)
    assert_close(ours.intercept_, theirs.intercept_, atol=0)
    assert_close(ours.noise_variance_, theirs.noise_variance_, atol=0)


def test_columns_of_extreme_scale_are_not_forgotten():
    # The small column ties at a level far below the rounding errors of the large one.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2)) * [1e18, 1.0]
    y = X @ [1e-18, 3.0] + 0.1 * rng.normal(size=30)
    model = LassoLars(alpha=0.0).fit(X, y)
    assert_close(model.coef_ * [1e18, 1.0], [1.0, 3.0], atol=0.1)


def test_bad_arguments_are_named():
    X, y = CARCASS6, LEAN
    with pytest.raises(ValueError, match="alpha_min"):
        lars_path(X, y, alpha_min=float("nan"))
    with pytest.raises(ValueError, match="method"):
        lars_path(X, y, method="none")
    with pytest.raises(ValueError, match="Gram"):
        lars_path(X, y, Gram=np.eye(3))
    with pytest.raises(ValueError, match="Xy"):
        lars_path_gram(np.ones(3), np.eye(2), n_samples=5)
    with pytest.raises(ValueError, match="NaN"):
        lars_path(np.full((6, 2), np.nan), y)
    with pytest.raises(ValueError, match="Xy"):
        LassoLars().fit(X, y, Xy=np.ones((2, 3)))


def test_jitter_raises_for_targets_of_text():
    with pytest.raises(ValueError, match="y must contain numbers, got 'a'"):
        Lars(jitter=0.1).fit([[0.0], [1.0]], ["a", "b"])


def test_coefficients_that_overflow_float32_are_refused(rng):
    X = rng.normal(size=(20, 2)).astype(np.float32)
    with pytest.raises(ValueError, match="Scale y, or lower `jitter`"):
        Lars(jitter=1e300, random_state=0).fit(X, rng.normal(size=20))
