"""Logistic regression and generalised linear models by Newton steps over blocks."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from statlearn import scale
from statlearn._core.warnings import SeparationWarning
from statlearn.linear import (
    GammaRegressor,
    GeneralizedLinearRegressor,
    LogisticRegression,
    PoissonRegressor,
    TweedieRegressor,
)
from tests.scale.tables import NAMES, bits, table


def frames(frame):
    return [frame[k : k + 700] for k in range(0, len(frame), 700)]


def responses():
    """The table with responses of several families, by a simulation with known coefficients."""
    frame, rng = table(), np.random.default_rng(1)
    Z = frame[NAMES].to_numpy()
    eta = (Z - Z.mean(axis=0)) / Z.std(axis=0) @ [0.3, -0.2, 0.1, 0.0, 0.2] + 0.5
    positive = rng.gamma(2.0, np.exp(eta) / 2.0)
    count = rng.poisson(np.exp(eta)).astype(float)
    bit = (rng.random(len(eta)) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    columns = {"positive": positive, "count": count, "bit": bit, "semi": np.where(count > 0, positive, 0.0)}
    return frame.with_columns(**{name: pl.Series(values) for name, values in columns.items()})


LOGISTIC = dict(tol=1e-10, max_iter=300)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {"C": np.inf},
        {},
        {"class_weight": "balanced"},
        {"fit_intercept": False, "C": 2.0},
        {"reference": "a", "class_weight": {"a": 2.0, "b": 0.5}},
        {"solver": "irls"},
    ],
    ids=str,
)
def test_logistic_regression_equals_that_in_memory(classes, settings):
    frame = table()
    if classes == 2:
        frame = frame.with_columns(label=pl.col("label").replace("c", "b"))
    estimator = LogisticRegression(**LOGISTIC, **settings)
    model = scale.fit(estimator, frames(frame), "label", "weight", features=NAMES)
    y = frame["label"].to_numpy().astype(str)
    reference = clone(estimator).fit(frame[NAMES], y, frame["weight"].to_numpy())
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, reference.intercept_, rtol=1e-8, atol=1e-9)
    assert model.log_likelihood_ == pytest.approx(reference.log_likelihood_, rel=1e-10)
    assert hasattr(model, "history_") == (settings.get("solver") == "irls")
    if np.isinf(estimator.C):
        ours, theirs = model.summary(), reference.summary()
        np.testing.assert_allclose(ours["std_error"], theirs["std_error"], rtol=1e-8)
        for name in ("null_deviance", "deviance", "aic", "bic", "test_statistic"):
            assert ours.facts[name] == pytest.approx(theirs.facts[name], rel=1e-9)
    else:
        with pytest.raises(ValueError, match="unpenalised"):
            model.summary()


def test_separated_classes_are_reported():
    frame = table().with_columns(label=pl.when(pl.col("x0") > 0).then(pl.lit("a")).otherwise(pl.lit("b")))
    with pytest.warns(SeparationWarning, match="x0"):
        model = scale.fit(LogisticRegression(C=np.inf), frames(frame), "label", features=NAMES)
    assert model.separated_


GLMS = [
    (GeneralizedLinearRegressor("gaussian"), "y"),
    (GeneralizedLinearRegressor("poisson"), "count"),
    (GeneralizedLinearRegressor("poisson", fit_intercept=False), "count"),
    (GeneralizedLinearRegressor("poisson", alpha=0.1), "count"),
    (GeneralizedLinearRegressor("gamma", link="log", tol=1e-14), "positive"),
    (GeneralizedLinearRegressor("binomial"), "bit"),
    (GeneralizedLinearRegressor("binomial", link="probit"), "bit"),
    (GeneralizedLinearRegressor("inverse_gaussian", link="log", tol=1e-14), "positive"),
    (GeneralizedLinearRegressor("tweedie", power=1.5, tol=1e-14), "semi"),
    (GeneralizedLinearRegressor("negative_binomial", theta=2.0), "count"),
    (PoissonRegressor(alpha=0.5, tol=1e-10), "count"),
    (GammaRegressor(tol=1e-10), "positive"),
    (TweedieRegressor(power=1.2, tol=1e-10), "semi"),
]


@pytest.mark.parametrize("estimator, target", GLMS, ids=repr)
def test_generalised_linear_models_equal_those_in_memory(estimator, target):
    frame = responses()
    model = scale.fit(estimator, frames(frame), target, "weight", features=NAMES)
    reference = clone(estimator).fit(frame[NAMES], frame[target].to_numpy(), frame["weight"].to_numpy())
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-6, atol=1e-7)
    assert model.intercept_ == pytest.approx(reference.intercept_, rel=1e-6)
    for name in ("deviance_", "null_deviance_", "pearson_chi2_", "log_likelihood_"):
        assert getattr(model, name) == pytest.approx(getattr(reference, name), rel=1e-8), name
    if estimator.alpha > 0:
        return
    for weights in ("frequency", "precision"):
        ours, theirs = model.summary(weights=weights), reference.summary(weights=weights)
        np.testing.assert_allclose(ours["std_error"], theirs["std_error"], rtol=1e-7)
        for name in ("deviance", "dispersion", "log_likelihood", "aic", "bic"):
            assert ours.facts[name] == pytest.approx(theirs.facts[name], rel=1e-8), (weights, name)


def test_the_target_in_other_units_gives_the_same_fit():
    frame = responses()
    model, tiny = (
        scale.fit(GeneralizedLinearRegressor("gaussian"), frames(frame.with_columns(y=pl.col("y") * unit)), "y",
                  features=NAMES)
        for unit in (1.0, 1e-7)
    )  # fmt: skip
    np.testing.assert_allclose(tiny.coef_ * 1e7, model.coef_, rtol=1e-10)


def test_infinite_estimates_are_reported():
    frame = responses().with_columns(x1=(pl.col("x0") > 0).cast(pl.Float64))
    frame = frame.with_columns(count=pl.when(pl.col("x0") > 0).then(0.0).otherwise(pl.col("count")))
    with pytest.warns(SeparationWarning, match="direction of x1,"):
        model = scale.fit(GeneralizedLinearRegressor("poisson"), frames(frame), "count", features=NAMES)
    with pytest.raises(ValueError, match="infinite"):
        model.summary()


def test_bits_do_not_depend_on_kept_blocks():
    for estimator, target in ((LogisticRegression(), "label"), (PoissonRegressor(), "count")):
        fits = [
            scale.fit(estimator, frames(responses()), target, features=NAMES, memory=memory) for memory in (0, 2**28)
        ]
        assert bits(fits[0]) == bits(fits[1])
        assert fits[0].fit_report_["bytes_read"] > 5 * fits[1].fit_report_["bytes_read"]


def test_settings_that_need_all_rows_raise():
    frame = responses()
    for estimator, target, match in (
        (LogisticRegression(l1_ratio=0.5, solver="saga"), "label", "`l1_ratio` must be 0"),
        (LogisticRegression(solver="coordinate"), "label", "`solver` must be"),
        (LogisticRegression(penalize_intercept=True), "label", "`penalize_intercept` must be False"),
        (GeneralizedLinearRegressor("negative_binomial"), "count", "`theta` must be a number"),
        (GeneralizedLinearRegressor("poisson", alpha=1.0, l1_ratio=0.5), "count", "`l1_ratio` must be 0"),
    ):
        with pytest.raises(ValueError, match=match):
            scale.fit(estimator, frames(frame), target, features=NAMES)


def test_dependent_columns_and_wrong_responses_raise():
    frame = responses().with_columns(twice=2 * pl.col("x0") + 1)
    with pytest.raises(ValueError, match=r"\['twice'\] are linearly dependent"):
        scale.fit(PoissonRegressor(alpha=0.0), frames(frame), "count", features=[*NAMES, "twice"])
    frame = frame.with_columns(count=pl.when(pl.int_range(3000) == 1500).then(-1.0).otherwise(pl.col("count")))
    with pytest.raises(ValueError, match="frame 2: "):
        scale.fit(PoissonRegressor(), frames(frame), "count", features=NAMES)
