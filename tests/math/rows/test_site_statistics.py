"""Fits from statistics of several sites equal the fit to all rows."""

import warnings

import numpy as np
import pandas as pd
import pytest

from statlearn._math.rows.site_statistics import SiteStatistics
from statlearn.bayes import CategoricalNB, GaussianNB
from statlearn.decomposition import PCA
from statlearn.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from statlearn.linear import LinearRegression, Ridge
from statlearn.prep import StandardScaler
from tests.helpers import assert_close

PARTS = (slice(0, 25), slice(25, 70), slice(70, 120))
MODELS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    LinearRegression(positive=True),
    Ridge(alpha=2.0),
    Ridge(alpha=0.5, positive=True),
    Ridge(alpha=2.0, fit_intercept=False, prior_coef=[1.0, 0.0, -1.0, 2.0]),
    GaussianNB(),
    CategoricalNB(alpha=0.5),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    LinearDiscriminantAnalysis(solver="eigen", priors=[0.2, 0.3, 0.5]),
    QuadraticDiscriminantAnalysis(),
    PCA(n_components=2),
    PCA(n_components="mle"),
    StandardScaler(),
    StandardScaler(ddof=1, with_mean=False),
]


def data(model, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 4)) @ np.diag([1.0, 3.0, 0.5, 20.0]) + 100.0 + np.eye(3, 4)[y]
    if isinstance(model, CategoricalNB):
        X = rng.integers(0, 4, size=(120, 4)) + (y > 1)[:, None]
    if isinstance(model, (LinearRegression, Ridge)):
        y = X @ [1.0, -2.0, 0.0, 0.1] + rng.normal(size=120)
    return X, y


def outputs(model, X):
    for name in ("predict_proba", "predict", "transform"):
        if hasattr(model, name) and (name, getattr(model, "solver", "")) != ("transform", "lsqr"):
            values = getattr(model, name)(X)
            # The signs of canonical variates are arbitrary.
            signless = name == "transform" and isinstance(model, LinearDiscriminantAnalysis)
            yield name, np.abs(values) if signless else values
    for name in ("coef_", "intercept_", "rss_", "scale_", "mean_", "explained_variance_", "noise_variance_", "theta_"):
        if getattr(model, name, None) is not None:
            yield name, getattr(model, name)


@pytest.mark.spec("CRS-90")
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_three_sites_equal_the_pooled_fit(model, weighted, seed):
    X, y = data(model, seed)
    w = np.random.default_rng([seed, 1]).integers(0, 3, 120).astype(float) if weighted else None
    parts = [model.statistics(X[s], y[s], sample_weight=None if w is None else w[s]) for s in PARTS]
    pooled = type(model)(**model.get_params()).fit(X, y, sample_weight=w)
    for order in ((0, 1, 2), (2, 0, 1)):
        merged = parts[order[0]].merge(*(parts[k] for k in order[1:]))
        fitted = type(model).from_statistics(merged, **model.get_params())
        for (name, a), (_, b) in zip(outputs(fitted, X), outputs(pooled, X), strict=True):
            assert_close(a, b, rtol=1e-10, atol=1e-10, err_msg=name)
    assert merged.n_rows == (120 if w is None else np.count_nonzero(w))


@pytest.mark.spec("CRS-90")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_statistics_are_small_plain_arrays(model, tmp_path, seed):
    X, y = data(model, seed)
    few, many = model.statistics(X[:60], y[:60]), model.statistics(np.tile(X, (5, 1)), np.tile(y, 5))
    shapes = {name: a.shape for name, a in few.to_arrays().items()}
    assert shapes == {name: a.shape for name, a in many.to_arrays().items()}  # no rows
    np.savez(tmp_path / "site.npz", **few.to_arrays())
    with np.load(tmp_path / "site.npz") as file:
        read = SiteStatistics.from_arrays(file)
    assert repr(read) == repr(few)
    a, b = (type(model).from_statistics(s, **model.get_params()) for s in (few, read))
    for (_, u), (_, v) in zip(outputs(a, X), outputs(b, X), strict=True):
        assert_close(u, v)
    assert "holds" in str(few)
    assert "n_rows=60" in repr(few)


def test_no_row_of_a_small_or_wide_site_can_be_read(rng):
    X, y = rng.normal(size=(3, 8)), rng.normal(size=3)
    arrays = LinearRegression().statistics(X, y).to_arrays()
    centred = X - X.mean(axis=0)
    for a in arrays.values():
        if a.ndim == 2:
            assert not any(np.allclose(row[1:9], r) for row in a for r in centred)
    assert not np.tril(arrays["R"], -1).any()


@pytest.mark.spec("CRS-90")
def test_sites_may_miss_classes_and_categories(rng):
    X = rng.integers(0, 3, size=(60, 2))
    y = np.repeat(["a", "b", "c"], 20)
    X[y == "c"] += 2
    first, second = (CategoricalNB().statistics(X[rows], y[rows]) for rows in (y != "c", y == "c"))
    both = CategoricalNB.from_statistics(second.merge(first))
    assert_close(both.predict_proba(X), CategoricalNB().fit(X, y).predict_proba(X))
    Z = rng.normal(size=(60, 2))
    parts = [QuadraticDiscriminantAnalysis().statistics(Z[y == c], y[y == c]) for c in "abc"]
    model = QuadraticDiscriminantAnalysis.from_statistics(parts[1].merge(parts[0], parts[2]))
    assert_close(model.predict_proba(Z), QuadraticDiscriminantAnalysis().fit(Z, y).predict_proba(Z))


def test_missing_values_names_and_several_targets(rng):
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    gaps = X.mask(rng.uniform(size=X.shape) < 0.2)
    y = rng.integers(0, 2, 40)
    for model in (GaussianNB(), StandardScaler()):
        merged = model.statistics(gaps[:15], y[:15]).merge(model.statistics(gaps[15:], y[15:]))
        fitted, pooled = type(model).from_statistics(merged), type(model)().fit(gaps, y)
        for (_, a), (_, b) in zip(outputs(fitted, gaps), outputs(pooled, gaps), strict=True):
            assert_close(a, b, rtol=1e-10)
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    Y = rng.normal(size=(40, 2))
    for cls in (LinearRegression, Ridge):
        merged = cls().statistics(X[:15], Y[:15]).merge(cls().statistics(X[15:], Y[15:]))
        assert_close(cls.from_statistics(merged).predict(X), cls().fit(X, Y).predict(X), rtol=1e-10)
    with pytest.raises(ValueError, match="different columns cannot be merged"):
        merged.merge(cls().statistics(X[["c", "b", "a"]], Y))


def test_unsuitable_settings_are_named(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    linear, moments, scatter = LinearRegression().statistics(X, y), GaussianNB().statistics(X, y), PCA().statistics(X)
    with pytest.raises(ValueError, match="Ridge requires statistics of kind 'least squares', got 'moments'"):
        Ridge.from_statistics(moments)
    with pytest.raises(ValueError, match="`fit_intercept`=False differs from that of the statistics, True"):
        Ridge.from_statistics(linear, fit_intercept=False)
    with pytest.raises(ValueError, match="different kinds cannot be merged"):
        linear.merge(moments)
    with pytest.raises(TypeError, match="`others` must hold SiteStatistics, got int"):
        linear.merge(3)
    with pytest.raises(ValueError, match="LinearDiscriminantAnalysis requires statistics with classes"):
        LinearDiscriminantAnalysis.from_statistics(scatter)
    pooled = LinearDiscriminantAnalysis().statistics(X, y)
    with pytest.raises(ValueError, match="requires cross-products by class, got pooled ones"):
        QuadraticDiscriminantAnalysis.from_statistics(pooled)
    with pytest.raises(ValueError, match="PCA requires statistics without classes"):
        PCA.from_statistics(pooled)
    with pytest.raises(ValueError, match="columns of text have levels of their own"):
        CategoricalNB().statistics(pd.DataFrame({"a": list("xyxy")}), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"shrinkage='auto'"):
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").statistics(X, y)


@pytest.mark.parametrize(
    "model", [LinearRegression(), GaussianNB(), CategoricalNB(), QuadraticDiscriminantAnalysis()], ids=repr
)
def test_broken_arrays_raise(model, seed):
    X, y = data(model, seed)
    good = model.statistics(X, y).to_arrays()
    SiteStatistics.from_arrays(good)
    for name, a in good.items():
        broken = [{k: v for k, v in good.items() if k != name}] if name != "classes" else []
        if a.dtype.kind == "f":
            broken += [{**good, name: a * np.nan}, {**good, name: np.ones((2, 2, 2, 2))}]
        if name in ("n_features", "n_rows"):
            broken.append({**good, name: np.array(-3)})
        if name == "n_features":
            broken.append({**good, name: np.array(2)})
        if name in ("n_categories", "class_weight", "counts", "squares"):
            broken.append({**good, name: -1 - a})
        for arrays in broken:
            with pytest.raises(ValueError, match=r"must|does not suit|arrays"):
                SiteStatistics.from_arrays(arrays)


def test_statistics_do_not_fit_the_model(rng):
    model = Ridge()
    model.statistics(rng.normal(size=(9, 2)), rng.normal(size=9))
    assert not hasattr(model, "n_features_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Ridge.from_statistics(model.statistics(np.eye(3), [1.0, 2, 3])).solver_
