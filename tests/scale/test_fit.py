"""Fits over blocks equal the fits in memory."""

import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from statlearn import bayes, cluster, decomposition, discriminant, graphical, linear, prep, scale, svm
from tests.scale.tables import NAMES, bits, block_folds, table

BLOCK = 700


def frames(frame, block=BLOCK):
    return [frame[k : k + block] for k in range(0, len(frame), block)]


def both(estimator, target, *, weight="weight", in_memory=None):
    """The fit over blocks and the fit in memory."""
    frame = table()
    model = scale.fit(estimator, frames(frame), target, weight, features=NAMES)
    given = {"sample_weight": frame["weight"].to_numpy()} if weight else {}
    y = (frame[target].to_numpy(),) if target else ()
    return model, clone(in_memory or estimator).fit(frame[NAMES], *y, **given)


def assert_same(model, reference, names, rtol=1e-9):
    for name in names:
        ours, theirs = getattr(model, name), getattr(reference, name)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max(), err_msg=name)


@pytest.mark.parametrize(
    "estimator",
    [
        linear.LinearRegression(),
        linear.LinearRegression(fit_intercept=False),
        linear.Ridge(3.0),
        linear.RidgeCV(criterion="gcv"),
        linear.Lasso(0.05, tol=1e-12),
        linear.ElasticNet(0.05, tol=1e-12, fit_intercept=False),
    ],
    ids=repr,
)
def test_regressions_equal_those_in_memory(estimator):
    model, reference = both(estimator, "y")
    assert_same(model, reference, ("coef_", "intercept_"))
    if hasattr(reference, "alpha_"):
        assert model.alpha_ == reference.alpha_


def test_the_inference_table_equals_that_in_memory():
    model, reference = both(linear.LinearRegression(), "y")
    ours, theirs = model.summary(), reference.summary()
    for name in ("estimate", "std_error", "t", "p", "ci_low", "ci_high"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-8)
    for name, value in theirs.facts.items():
        assert ours.facts[name] == (value if isinstance(value, str) else pytest.approx(value, rel=1e-9)), name


@pytest.mark.parametrize(
    "estimator",
    [linear.LassoCV(cv=3, tol=1e-12), linear.ElasticNetCV(l1_ratio=[0.5, 1.0], cv=3, tol=1e-12), linear.RidgeCV(cv=3)],
    ids=repr,
)
def test_cross_validation_has_folds_of_whole_blocks(estimator):
    model, reference = both(estimator, "y", in_memory=clone(estimator).set_params(cv=block_folds(3000, BLOCK, 3)))
    assert model.alpha_ == pytest.approx(reference.alpha_, rel=1e-12)
    assert model.cv == 3
    assert_same(model, reference, ("coef_", "intercept_"), 1e-8)
    if hasattr(reference, "mse_path_"):
        assert_same(model, reference, ("mse_path_",), 1e-8)


@pytest.mark.parametrize(
    "estimator",
    [
        bayes.GaussianNB(),
        discriminant.LinearDiscriminantAnalysis(),
        discriminant.QuadraticDiscriminantAnalysis(),
    ],
    ids=repr,
)
def test_classifiers_equal_those_in_memory(estimator):
    model, reference = both(estimator, "label")
    X = table()[NAMES]
    assert list(model.classes_) == list(reference.classes_)
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    "estimator, names",
    [
        (decomposition.PCA(3), ("mean_", "explained_variance_", "components_", "noise_variance_")),
        (graphical.GraphicalLasso(0.1, tol=1e-12), ("covariance_", "precision_", "location_")),
        (prep.StandardScaler(), ("mean_", "var_", "scale_")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_fits_without_target_equal_those_in_memory(estimator, names):
    assert_same(*both(estimator, None, weight=None), names, 1e-8)


@pytest.mark.parametrize("name", ["SGDClassifier", "SGDRegressor"])
def test_partial_fit_visits_the_blocks_in_order(name):
    estimator = getattr(svm, name)(random_state=0)
    frame = table()
    scaler = prep.StandardScaler().fit(frame[NAMES].to_numpy())
    scaled = pl.DataFrame(scaler.transform(frame[NAMES].to_numpy()), schema=NAMES).with_columns(frame[["y", "label"]])
    target = "label" if name == "SGDClassifier" else "y"
    model = scale.fit(estimator, frames(scaled), target, features=NAMES)
    reference = clone(estimator)
    for part in frames(scaled):
        classes = {"classes": np.array(["a", "b", "c"])} if target == "label" else {}
        reference.partial_fit(part[NAMES].to_numpy(), part[target].to_numpy(), **classes)
    np.testing.assert_array_equal(model.coef_, reference.coef_)


def test_categories_of_the_last_block_count_for_all():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (600, 2))
    codes[:500] %= 2  # the last category appears in the last block alone
    frame = pl.DataFrame(codes, schema=["a", "b"]).with_columns(y=pl.Series(rng.integers(0, 2, 600)))
    model = scale.fit(bayes.CategoricalNB(), frames(frame, 100), "y")
    X = frame[["a", "b"]]
    reference = bayes.CategoricalNB().fit(X, frame["y"].to_numpy())
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), rtol=1e-12)


def test_blocks_with_one_class_are_allowed_but_not_a_source():
    frame = table().sort("label")
    for estimator in (bayes.GaussianNB(), discriminant.LinearDiscriminantAnalysis(), svm.SGDClassifier()):
        assert list(scale.fit(estimator, frames(frame), "label", features=NAMES).classes_) == ["a", "b", "c"]
        if isinstance(estimator, bayes.GaussianNB):  # as in memory
            continue
        with pytest.raises(ValueError, match="class"):
            scale.fit(estimator, frames(frame.filter(pl.col("label") == "a")), "label", features=NAMES)


def test_blocks_without_rows_or_weight_are_left_out():
    frame = table()
    weights = frame["weight"].to_numpy().copy()
    weights[:BLOCK] = 0.0
    frame = frame.with_columns(weight=pl.Series(weights))
    parts = [frame[:0], *frames(frame)]
    model = scale.fit(linear.LinearRegression(), parts, "y", "weight", features=NAMES)
    rest = frame[BLOCK:]
    reference = linear.LinearRegression().fit(rest[NAMES].to_numpy(), rest["y"].to_numpy(), rest["weight"].to_numpy())
    assert_same(model, reference, ("coef_", "intercept_"))


def test_fits_do_not_depend_on_threads_or_kept_blocks():
    import statlearn

    source = frames(table())
    for estimator, target in ((linear.LassoCV(cv=3), "y"), (svm.SGDClassifier(random_state=0), "label")):
        with statlearn.threads(1):
            one = bits(scale.fit(estimator, source, target, features=NAMES, memory=0))
        assert one == bits(scale.fit(estimator, source, target, features=NAMES))


def test_reports_count_passes_rows_and_bytes():
    report = scale.fit(svm.SGDClassifier(), frames(table()), "label", features=NAMES, memory=0).fit_report_
    assert (report["passes"], report["blocks"], report["rows"], report["workers"]) == (2, 5, 3000, 0)
    assert report["bytes_read"] > 2 * 3000 * 5 * 8
    assert {"reading", "computing", "elapsed"} <= set(report["seconds"])


def test_supported_estimators_are_those_that_fit():
    assert {"LinearRegression", "LassoCV", "GaussianNB", "PCA", "SGDClassifier"} <= set(scale.supported())
    with pytest.raises(TypeError, match=r"got AgglomerativeClustering. These can: .*LinearRegression"):
        scale.fit(cluster.AgglomerativeClustering(), frames(table()))


@pytest.mark.parametrize(
    "settings, match",
    [
        ({"target": "nothing"}, "`target` must be one of the columns"),
        ({"target": "y", "weight": "nothing"}, "`weight` must be one of the columns"),
        ({"target": "y", "features": ["x0", "x9"]}, "`features` must be among"),
        ({"target": "y", "features": ["x0", "y"]}, "must not contain the target"),
        ({"target": "y", "features": []}, "at least one column"),
        ({"target": None}, "`target` must be the name of a column"),
        ({"target": np.zeros(3)}, "`target` must be the name of a column"),
    ],
)
def test_columns_are_checked(settings, match):
    with pytest.raises(ValueError, match=match):
        scale.fit(linear.LinearRegression(), frames(table()), **{"features": NAMES, **settings})


def test_weights_are_checked():
    frame = table()
    for value, match in ((-1.0, "at least 0"), (np.nan, "at least 0"), (0.0, "sums to 0")):
        wrong = frame.with_columns(weight=pl.lit(value))
        with pytest.raises(ValueError, match=match):
            scale.fit(linear.LinearRegression(), frames(wrong), "y", "weight", features=NAMES)


def test_settings_that_need_all_rows_raise():
    source = frames(table())
    for estimator, match in (
        (linear.LassoCV(cv=9), "exceeds the 5 blocks"),
        (linear.LassoCV(cv=[(np.arange(5), np.arange(5))]), "`cv` must be None or an int"),
        (linear.RidgeCV(), "leave-one-out"),
        (linear.Lasso(warm_start=True), "`warm_start` must be False"),
    ):
        with pytest.raises(ValueError, match=match):
            scale.fit(estimator, source, "y", features=NAMES)
    with pytest.raises(ValueError, match="no blocks"):
        scale.fit(linear.LinearRegression(), [], "y")


def test_text_features_raise_as_in_memory():
    with pytest.raises(ValueError, match=r"frame 0: .*label|frame 0: .*text|frame 0: .*string"):
        scale.fit(linear.LinearRegression(), frames(table()), "y", features=["x0", "label"])


def test_model_files_keep_the_report(tmp_path):
    pytest.importorskip("skops")
    import pickle

    model = scale.fit(linear.LinearRegression(), frames(table()), "y", features=NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pickle.loads(pickle.dumps(model))
    assert again.fit_report_ == model.fit_report_
    assert bits(again) == bits(model)
