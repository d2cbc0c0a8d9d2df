"""Cross-validated lasso and elastic net: explicit refits, scikit-learn's numbers, the two rules."""

import numpy as np
import pytest
import sklearn
import sklearn.linear_model as sk
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit

import statlearn
import statlearn.linear.lasso._cv as module
from statlearn.linear import ElasticNet, ElasticNetCV, Lasso, LassoCV
from tests.helpers import assert_close


def problem(rng, n=60, p=12):
    X = np.asfortranarray(rng.normal(size=(n, p)) + 3.0)
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + rng.normal(size=n) + 10.0


@pytest.mark.spec("LIN-17")
@pytest.mark.parametrize("cv", [4, ShuffleSplit(3, test_size=0.6, random_state=0), TimeSeriesSplit(3)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_errors_equal_explicit_refits(rng, cv, weighted, intercept):
    X, y = problem(rng)
    weights = rng.integers(1, 4, size=len(y)).astype(float) if weighted else None
    settings = dict(fit_intercept=intercept, tol=1e-12)
    model = LassoCV(alphas=6, cv=cv, **settings).fit(X, y, sample_weight=weights)
    splits = (KFold(cv) if isinstance(cv, int) else cv).split(X)
    for k, (train, test) in enumerate(splits):
        for i, alpha in enumerate(model.alphas_):
            w = None if weights is None else weights[train]
            one = Lasso(alpha, **settings).fit(X[train], y[train], sample_weight=w)
            error = np.average((y[test] - one.predict(X[test])) ** 2, weights=None if w is None else weights[test])
            assert_close(model.mse_path_[i, k], error, rtol=1e-6)
    assert model.alpha_ == model.alphas_[np.argmin(model.mse_path_.mean(axis=1))]
    assert_close(model.coef_, Lasso(model.alpha_, **settings).fit(X, y, sample_weight=weights).coef_, atol=1e-9)


@pytest.mark.spec("LIN-17")
@pytest.mark.parametrize("ratio", [0.5, [0.3, 0.9, 1.0]])
def test_agrees_with_scikit_learn(ratio):
    X, y = load_diabetes(return_X_y=True)
    ours = ElasticNetCV(l1_ratio=ratio, alphas=20, tol=1e-9).fit(X, y)
    theirs = sk.ElasticNetCV(l1_ratio=ratio, alphas=20, tol=1e-9, max_iter=100_000).fit(X, y)
    assert ours.mse_path_.shape == theirs.mse_path_.shape
    assert ours.alphas_.shape == theirs.alphas_.shape
    assert_close(ours.alphas_, theirs.alphas_, rtol=1e-10)
    assert_close(ours.mse_path_, theirs.mse_path_, rtol=1e-4)
    assert ours.l1_ratio_ == theirs.l1_ratio_
    assert_close(ours.alpha_, theirs.alpha_, rtol=1e-10)
    assert_close(ours.coef_, theirs.coef_, atol=1e-3 * np.abs(theirs.coef_).max())


@pytest.mark.spec("LIN-17")
def test_one_standard_error_rule(rng):
    X, y = problem(rng)
    best, simple = (LassoCV(rule=rule, cv=6).fit(X, y) for rule in ("min", "one_se"))
    mean = best.mse_path_.mean(axis=1)
    error = best.mse_path_.std(axis=1, ddof=1) / np.sqrt(6)
    at = np.argmin(mean)
    wanted = best.alphas_[np.argmax(mean <= mean[at] + error[at])]
    assert best.alpha_ == best.alphas_[at]
    assert simple.alpha_ == wanted >= best.alpha_
    assert np.sum(simple.coef_ != 0) <= np.sum(best.coef_ != 0)
    assert_close(simple.cv_curve_.loss, best.mse_path_)


@pytest.mark.parametrize("wide", [False, True])
def test_all_ways_of_solving_the_folds_agree(rng, wide, monkeypatch):
    X, y = problem(rng, 40, 100) if wide else problem(rng, 80, 10)
    settings = dict(alphas=8, cv=5, tol=1e-11)
    gram = LassoCV(**settings, precompute=True).fit(X, y)
    rows = LassoCV(**settings, precompute=False).fit(X, y)
    spread = LassoCV(**settings).fit(sparse.csr_array(X), y)
    assert_close(rows.mse_path_, gram.mse_path_, rtol=1e-6)
    assert_close(spread.mse_path_, gram.mse_path_, rtol=1e-6)
    with statlearn.threads(1):
        assert np.array_equal(LassoCV(**settings, precompute=True).fit(X, y).mse_path_, gram.mse_path_)
    assert np.array_equal(LassoCV(**settings, n_jobs=1).fit(X, y).coef_, LassoCV(**settings).fit(X, y).coef_)
    monkeypatch.setattr(module, "_GRAM_FEATURES", 0)
    assert_close(LassoCV(**settings).fit(X, y).mse_path_, rows.mse_path_, rtol=1e-9)


@pytest.mark.spec("LIN-P30")
def test_weights_are_copies_within_folds(rng):
    X, y = problem(rng, 30, 6)
    weights = np.ones(30)
    weights[:10] = rng.integers(0, 4, size=10)
    copies = np.repeat(np.arange(30), weights.astype(int))
    fold = np.repeat([0, 1, 2], 10)

    def splits(labels):
        return [(np.flatnonzero(labels != k), np.flatnonzero(labels == k)) for k in range(3)]

    weighted = ElasticNetCV(alphas=10, cv=splits(fold), tol=1e-11).fit(X, y, sample_weight=weights)
    copied = ElasticNetCV(alphas=10, cv=splits(fold[copies]), tol=1e-11).fit(X[copies], y[copies])
    assert_close(weighted.mse_path_, copied.mse_path_, rtol=1e-7)
    assert_close(weighted.coef_, copied.coef_, atol=1e-7)


def test_scales_and_factors(rng):
    X, y = problem(rng)
    factor = np.array([0.0] + [1.0] * 11)
    model = LassoCV(penalty_scale="half_rss", penalty_factor=factor, alphas=10, tol=1e-11).fit(X, y)
    assert np.any(model.mse_path_[0] != model.mse_path_[0, 0])
    direct = Lasso(model.alpha_, penalty_scale="half_rss", penalty_factor=factor, tol=1e-11).fit(X, y)
    assert_close(model.coef_, direct.coef_, atol=1e-9)
    first = Lasso(model.alphas_[0] * (1 + 1e-9), penalty_scale="half_rss", penalty_factor=factor, tol=1e-11).fit(X, y)
    assert np.all(first.coef_[1:] == 0)
    assert first.coef_[0] != 0


def test_invalid_arguments_raise(rng):
    X, y = problem(rng)
    with pytest.raises(ValueError, match="For multi-task outputs"):
        LassoCV().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        LassoCV().fit(X, y, groups=np.arange(60) // 10)
    with pytest.raises(ValueError, match="l1_ratio"):
        ElasticNetCV(l1_ratio=[0.5, 2.0]).fit(X, y)
    with pytest.raises(ValueError, match="standard errors"):
        LassoCV(alphas=5).fit(X, y).summary()
    with sklearn.config_context(enable_metadata_routing=True):
        groups = np.arange(60) // 10
        routed = LassoCV(alphas=5, cv=GroupKFold(3)).fit(X, y, groups=groups)
    plain = LassoCV(alphas=5, cv=list(GroupKFold(3).split(X, y, groups))).fit(X, y)
    assert_close(routed.mse_path_, plain.mse_path_)


def test_constant_target_gives_the_constant(rng):
    X, _ = problem(rng, 20, 3)
    model = ElasticNetCV(alphas=3).fit(X, np.full(20, 5.0))
    assert np.array_equal(model.predict(X), np.full(20, 5.0))
    assert np.all(ElasticNet().fit(X, np.full(20, 5.0)).coef_ == 0)
