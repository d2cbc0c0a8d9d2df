"""logistic_path: certified optima, agreement with R's glmnet, grids, layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import xlogy
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from statlearn import threads
from statlearn.linear import LogisticRegression, logistic_path
from statlearn.linear.logistic._coordinate import coordinate_path
from statlearn.linear.logistic._problem import LogisticProblem
from statlearn.plot import plot_path
from tests.helpers import assert_close
from tests.linear.saheart import load_saheart

# R 4.2.2, glmnet 4.1-6: coef(glmnet(X, chd, family = "binomial", alpha = a, lambda = c(0.1, 0.03, 0.01),
# standardize = s, thresh = 1e-16, maxit = 1e7)); rows: intercept, sbp, tobacco, ldl, famhist, obesity, alcohol, age.
GLMNET = {
    (True, 1.0): [
        [-1.6917778736830, -3.2542511344699, -4.030975180697],
        [0.0, 0.0001076006355, 0.003518878312],
        [0.0091972961883, 0.0558320670648, 0.071384063565],
        [0.0007311544736, 0.1096850634124, 0.150592390372],
        [0.1104538056372, 0.6403480096356, 0.828716599461],
        [0.0, 0.0, -0.010096587950],
        [0.0, 0.0, 0.0],
        [0.0222502081490, 0.0349191817947, 0.039224003428],
    ],
    (True, 0.5): [
        [-2.38934541271, -3.825355742902, -4.04737741376],
        [0.0, 0.002994037882, 0.00478176853],
        [0.03980319961, 0.065176265572, 0.07471907147],
        [0.07142180454, 0.130101959900, 0.16284288927],
        [0.41074296858, 0.730532759233, 0.86240141701],
        [0.0, 0.0, -0.01993353189],
        [0.0, 0.0, 0.0],
        [0.02435865552, 0.034494299854, 0.03936018034],
    ],
    (False, 1.0): [
        [-3.968597098644, -4.143348979189, -4.118522300341],
        [0.004175904551, 0.004590874108, 0.005325152161],
        [0.050439895602, 0.067419212010, 0.075026459843],
        [0.063864411742, 0.147963786774, 0.171054344621],
        [0.0, 0.265414655770, 0.709174948740],
        [0.0, -0.012969894511, -0.026862244442],
        [0.001031717298, 0.001264496228, 0.000831818589],
        [0.049427480828, 0.045990492496, 0.043526628034],
    ],
}

# The same for family = "multinomial" on iris (species 0, 1, 2), standardize = FALSE: lambda 0.1 and 0.01, intercepts
# left out (they are free up to a constant).
MULTINOMIAL = {
    1.0: [
        [[0, 0, -1.422659958, 0], [0, 0, 0, 0], [0, 0, 1.166694236, 0]],
        [[0, 0, -3.472569608, 0], [0.2906828098, 0, 0, 0], [0, 0, 3.626378936, 3.120841403]],
    ],
    0.5: [
        [[0, 0, -1.309266502, 0], [0, 0, 0, 0], [0, 0, 1.020206547, 0.286450318]],
        [
            [0, 0.5579245689, -2.6339033487, -0.5564057080],
            [0.3787673950, 0, 0, -0.4970824028],
            [0, -0.1108008645, 2.8386490094, 2.0534881108],
        ],
    ],
    0.0: [
        [
            [-0.2693456749, 0.2813883758, -1.0051509959, -0.4077487139],
            [0.03174684890, -0.29656755974, 0.09657719907, -0.15724580683],
            [0.23759882605, 0.01517918398, 0.90857379687, 0.56499452074],
        ],
        [
            [-0.4158304946, 0.8238623197, -2.2465108091, -0.9491902192],
            [0.4383990248, -0.3478819283, -0.1486496313, -0.7817269514],
            [-0.02256853021, -0.47598039142, 2.39516044032, 1.73091717055],
        ],
    ],
}


def make_problem(rng, n=150, p=30, K=2):
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + rng.normal(size=p)
    B = np.zeros((K, p))
    B[:, :4] = rng.normal(size=(K, 4))
    return X, (X @ B.T + 2 * rng.gumbel(size=(n, K))).argmax(axis=1)


def objective(X, y, coef, intercept, alpha, l1_ratio):
    """The docstring formula: mean loss plus penalty."""
    scores = X @ np.atleast_2d(coef).T + intercept
    if scores.shape[1] == 1:
        loss = np.logaddexp(0, -np.where(y == 1, 1, -1) * scores[:, 0]).mean()
    else:
        loss = (np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]).mean()
    return loss + alpha * (l1_ratio * np.abs(coef).sum() + 0.5 * (1 - l1_ratio) * np.sum(coef**2))


@pytest.mark.spec("LIN-42")
@pytest.mark.parametrize("standardize, l1_ratio", list(GLMNET))
def test_binary_path_agrees_with_glmnet(standardize, l1_ratio):
    X, y = load_saheart()
    path = logistic_path(
        X, y, alphas=[0.01, 0.1, 0.03], l1_ratio=l1_ratio, standardize=standardize, tol=1e-13, max_iter=10_000
    )
    assert_close(path.alphas, [0.1, 0.03, 0.01])
    r = np.array(GLMNET[standardize, l1_ratio])
    assert_close(path.coefs, r[1:], rtol=1e-5, atol=1e-7)  # a gap of 1e-13 leaves half the digits
    assert_close(path.intercepts, r[0], rtol=1e-5)
    np.testing.assert_array_equal(path.coefs == 0, r[1:] == 0)


@pytest.mark.spec("LIN-42")
@pytest.mark.parametrize("l1_ratio", list(MULTINOMIAL))
def test_multinomial_path_agrees_with_glmnet(l1_ratio):
    X, y = load_iris(return_X_y=True)
    tol = 1e-9 if l1_ratio == 0 else 1e-12
    path = logistic_path(X, y, alphas=[0.1, 0.01], l1_ratio=l1_ratio, tol=tol, max_iter=10_000)
    r = np.moveaxis(np.array(MULTINOMIAL[l1_ratio]), 0, -1)
    assert_close(path.coefs, r, rtol=1e-3, atol=2e-4)  # glmnet stops by the change per cycle
    assert_close(path.intercepts.sum(axis=0), 0.0, atol=1e-10)
    for t, alpha in enumerate(path.alphas):
        ours = objective(X, y, path.coefs[:, :, t], path.intercepts[:, t], alpha, l1_ratio)
        theirs = objective(X, y, r[:, :, t], path.intercepts[:, t], alpha, l1_ratio)
        assert ours <= theirs + 1e-9


@pytest.mark.spec("LIN-42", "LIN-P31")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_every_point_is_certified_and_satisfies_the_subgradient_conditions(rng, K, l1_ratio, layout):
    X, y = make_problem(rng, K=K)
    if layout == "sparse":
        X[rng.uniform(size=X.shape) < 0.5] = 0.0
    data = sparse.csc_matrix(X) if layout == "sparse" else X
    path = logistic_path(data, y, l1_ratio=l1_ratio, n_alphas=15, eps=1e-2, tol=1e-9)
    null = -np.sum(np.bincount(y) / len(y) * np.log(np.bincount(y) / len(y)))
    assert np.all(path.dual_gaps <= 1e-9 * null)
    assert not path.coefs[..., 0].any()  # the largest alpha is the smallest that keeps all slopes at zero
    slightly = logistic_path(data, y, alphas=[0.999 * path.alphas[0]], l1_ratio=l1_ratio, tol=1e-12)
    assert slightly.coefs.any()
    Y = np.eye(K)[y]
    for t, alpha in enumerate(path.alphas):
        coef, intercept = path.coefs[..., t], path.intercepts[..., t]
        if K == 2:
            residual = (1 / (1 + np.exp(-(X @ coef + intercept))) - y)[:, None]
            coef = coef[None]
        else:
            scores = X @ coef.T + intercept
            residual = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None]) - Y
        gradient = residual.T @ X / len(y) + alpha * (1 - l1_ratio) * coef
        slack = np.sqrt(1e-9)  # gradients are as exact as the root of the gap
        assert np.all(np.abs(gradient[coef == 0]) <= alpha * l1_ratio + slack)
        assert_close(gradient[coef != 0], -alpha * l1_ratio * np.sign(coef[coef != 0]), rtol=0, atol=3 * slack)
    counts = np.count_nonzero(path.coefs, axis=tuple(range(path.coefs.ndim - 1)))
    assert counts[-1] > counts[0]
    assert np.sum(np.diff(counts) < 0) <= 4  # mostly growing as the penalty falls


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-7])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_reported_gaps_match_the_coefficients(rng, tol, layout):
    """Models kept from point to point, and gradients too: the gap must not be a memory of another point."""
    X = rng.normal(size=(600, 260))
    y = (X[:, :4].sum(axis=1) + 2 * rng.logistic(size=600) > 0).astype(int)
    if layout == "sparse":
        X[rng.uniform(size=X.shape) < 0.5] = 0.0
    largest = np.abs(X.T @ (y - y.mean())).max() / len(y)
    # Even steps, a point twice, a leap, small steps after it.
    share = np.r_[np.geomspace(1, 0.3, 12), 0.3, 0.05, 0.0499, 0.04, 0.01]
    path = logistic_path(sparse.csc_matrix(X) if layout == "sparse" else X, y, alphas=share * largest, tol=tol)
    assert np.count_nonzero(path.coefs[:, -1]) > 150
    for t, alpha in enumerate(path.alphas):
        coef = path.coefs[:, t]
        residual = y - 1 / (1 + np.exp(-(X @ coef + path.intercepts[t])))
        assert abs(residual.sum()) < 1e-8 * len(y)
        residual *= min(1.0, alpha / np.abs(X.T @ residual / len(y)).max())
        dual = -np.mean(xlogy(y - residual, y - residual) + xlogy(1 - y + residual, 1 - y + residual))
        gap = objective(X, y, coef, path.intercepts[t], alpha, 1.0) - dual
        assert_close(path.dual_gaps[t], gap, rtol=1e-5, atol=1e-11)
        assert gap <= tol * np.log(2)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.sampled_from([1.0, 0.5]))
def test_a_path_point_is_the_single_fit(seed, K, l1_ratio):
    rng = np.random.default_rng(seed)
    X, y = make_problem(rng, n=80, p=8, K=K)
    path = logistic_path(X, y, l1_ratio=l1_ratio, n_alphas=6, eps=0.05, tol=1e-9)
    model = LogisticRegression(C=path.Cs[3], l1_ratio=l1_ratio, solver="coordinate", tol=1e-7).fit(X, y)
    coef = path.coefs[..., 3]
    at = objective(X, y, coef, path.intercepts[..., 3], path.alphas[3], l1_ratio)
    assert_close(at, objective(X, y, model.coef_, model.intercept_, path.alphas[3], l1_ratio), rtol=1e-7)
    assert_close(np.atleast_2d(coef), model.coef_, rtol=1e-2, atol=1e-3)  # flat directions of the objective


def test_more_columns_than_rows(rng):
    X, y = make_problem(rng, n=40, p=200)
    path = logistic_path(X, y, n_alphas=20, tol=1e-6)
    assert path.alphas[-1] / path.alphas[0] == pytest.approx(1e-2)
    assert np.all(path.dual_gaps <= 1e-6)
    assert np.count_nonzero(path.coefs[:, -1]) <= 40


def test_ridge_path_is_the_ridge_fit(rng):
    X, y = make_problem(rng, p=6)
    path = logistic_path(X, y, Cs=[0.01, 1.0, 100.0], l1_ratio=0.0, tol=1e-9)
    assert_close(path.Cs, [0.01, 1.0, 100.0])
    for t, C in enumerate(path.Cs):
        model = LogisticRegression(C=C, tol=1e-9).fit(X, y)
        assert_close(path.coefs[:, t], model.coef_[0], rtol=1e-5, atol=1e-7)
    assert np.all(np.isnan(path.dual_gaps))
    assert np.all(np.diff(np.linalg.norm(path.coefs, axis=0)) > 0)


def test_weights_class_weights_and_offset_match_the_estimator(rng):
    X, y = make_problem(rng, p=6)
    weights, offset = rng.integers(1, 4, len(y)), rng.normal(size=len(y))
    path = logistic_path(X, y, alphas=[0.02], sample_weight=weights, class_weight="balanced", offset=offset, tol=1e-11)
    model = LogisticRegression(C=path.Cs[0], l1_ratio=1.0, solver="saga", class_weight="balanced", tol=1e-9)
    model.fit(X, y, sample_weight=weights, offset=offset)
    assert_close(path.coefs[:, 0], model.coef_[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("K", [2, 3])
def test_same_bits_for_any_number_of_threads(rng, K):
    X, y = make_problem(rng, n=3000, K=K)
    with threads(1):
        one = logistic_path(X, y, n_alphas=5, eps=0.1)
    with threads(2):
        two = logistic_path(X, y, n_alphas=5, eps=0.1)
    for a, b in zip(one, two):
        np.testing.assert_array_equal(a, b)


def test_single_precision_agrees_with_double(rng):
    X, y = make_problem(rng)
    double = logistic_path(X, y, n_alphas=5, eps=0.05, tol=1e-8)
    single = logistic_path(X.astype(np.float32), y, alphas=double.alphas, tol=1e-8)
    assert single.coefs.dtype == np.float32
    assert_close(single.coefs, double.coefs, rtol=1e-2, atol=1e-3)  # the data are rounded


def test_columns_far_from_zero(rng):
    X, y = make_problem(rng, p=5)
    near = logistic_path(X, y, alphas=[0.05, 0.01], tol=1e-11)
    far = logistic_path(X + 1e5, y, alphas=[0.05, 0.01], tol=1e-11)
    assert_close(far.coefs, near.coefs, rtol=1e-4, atol=1e-6)  # the data lose five digits


@pytest.mark.parametrize(
    "options, message",
    [
        ({"alphas": [-1.0]}, "alphas"),
        ({"alphas": [np.nan]}, "alphas"),
        ({"alphas": []}, "alphas"),
        ({"Cs": [0.0]}, "Cs"),
        ({"alphas": [0.1], "Cs": [1.0]}, "not both"),
        ({"alphas": [0.0]}, "positive"),
        ({"l1_ratio": 2.0}, "l1_ratio"),
        ({"eps": 0.0}, "eps"),
        ({"n_alphas": 0}, "n_alphas"),
        ({"offset": [1.0]}, "offset"),
    ],
)
def test_bad_arguments_are_named(rng, options, message):
    X, y = make_problem(rng, n=20, p=4)
    with pytest.raises(ValueError, match=message):
        logistic_path(X, y, **options)


def test_stopping_early_is_reported(rng):
    X, y = make_problem(rng)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        logistic_path(X, y, n_alphas=5, max_iter=1, tol=1e-12)


def test_one_class_is_refused(rng):
    with pytest.raises(ValueError, match="2 classes"):
        logistic_path(rng.normal(size=(5, 2)), np.ones(5))


def test_null_loss_is_the_scale_of_the_rule(rng):
    X, y = make_problem(rng)
    loose = coordinate_path(LogisticProblem(X, y, 2), [1e-3], [0.0], tol=10.0)
    assert loose.n_iters[0] == 1  # any first step is good enough
    assert loose.status[0] == 0


def test_path_can_be_drawn(rng):
    X, y = make_problem(rng)
    path = logistic_path(X, y, n_alphas=5, eps=0.05)
    assert plot_path(path.alphas, path.coefs).lines


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_competing_classes_converge_within_the_default_budget(C):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(C=C, l1_ratio=1.0, solver="saga").fit(X, y)  # warnings are errors
    assert model.dual_gap_ <= 1e-6 * np.log(3)
    assert model.n_iter_[0] < 100
