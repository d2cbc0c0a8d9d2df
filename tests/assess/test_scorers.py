"""Scorers by name: the package's own metrics, their signs, and names that are not known."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import clone

from statlearn.assess import (
    GridSearchCV,
    bootstrap_optimism,
    cross_val_score,
    cross_validate,
    equal_error_rate,
    get_scorer,
    get_scorer_names,
    learning_curve,
    nested_cross_validate,
    neyman_pearson_score,
    permutation_test,
    specificity_score,
    validation_curve,
)
from statlearn.assess._scorers import _SHORT
from statlearn.ensemble import GradientBoostingClassifier, permutation_importance
from statlearn.linear import LogisticRegression, LogisticRegressionCV, Ridge, RidgeClassifierCV
from tests.helpers import assert_close


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(80, 2))
    return X, np.where(X[:, 0] + rng.normal(size=80) > 0, "ill", "healthy")


@pytest.mark.spec("CRS-127")
def test_own_metrics_have_names_with_their_sign(problem):
    X, y = problem
    model = LogisticRegression().fit(X, y)
    predicted = model.predict(X)
    assert_close(get_scorer("specificity")(model, X, y), specificity_score(y, predicted))
    assert_close(get_scorer("cohen_kappa")(model, X, y), metrics.cohen_kappa_score(y, predicted))
    for name in ("neyman_pearson", "neg_neyman_pearson"):
        assert_close(get_scorer(name)(model, X, y), -neyman_pearson_score(y, predicted))
    assert_close(get_scorer("equal_error_rate")(model, X, y), -equal_error_rate(y, model.decision_function(X)))
    assert {*metrics.get_scorer_names(), "specificity", "neg_neyman_pearson"} <= set(get_scorer_names())
    binary = {"specificity", "cohen_kappa"} | {name for name in get_scorer_names() if name.startswith("neg_")}
    for name in binary - set(metrics.get_scorer_names()) - {"neg_mean_fractional_error", "neg_mean_pinball_loss"}:
        assert np.isfinite(get_scorer(name)(model, X, y)), name
    rows = Ridge().fit(X, X[:, 0] + 10)
    for name in ("mean_fractional_error", "mean_pinball_loss"):
        assert get_scorer(name)(rows, X, X[:, 0] + 10) < 0


@pytest.mark.spec("CRS-127")
def test_names_work_wherever_scoring_does(problem):
    X, y = problem
    model = LogisticRegression()
    scores = cross_val_score(model, X, y, scoring="specificity")
    expected = cross_val_score(model, X, y, scoring=metrics.make_scorer(specificity_score))
    np.testing.assert_array_equal(scores, expected)
    several = cross_validate(model, X, y, scoring=["accuracy", "specificity"])
    np.testing.assert_array_equal(several["test_specificity"], expected)
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, scoring="specificity").fit(X, y)
    assert search.scoring == "specificity"
    assert clone(search).scoring == "specificity"
    assert_close(search.cv_results_["mean_test_score"][1], expected.mean())
    learning_curve(model, X, y, scoring="neyman_pearson", train_sizes=[0.5, 1.0], cv=2)
    validation_curve(model, X, y, param_name="C", param_range=[0.1, 1.0], scoring="cohen_kappa", cv=2)
    nested_cross_validate(model, X, y, grid={"C": [0.1, 1.0]}, scoring="specificity", outer=2, inner=2)
    permutation_test(model, X, y, scoring="specificity", n_permutations=3, cv=2)
    bootstrap_optimism(model, X, y, scoring="specificity", n_resamples=3, random_state=0)
    permutation_importance(model.fit(X, y), X, y, scoring="specificity", n_repeats=2, random_state=0)
    RidgeClassifierCV(alphas=[0.1, 1.0], cv=3, scoring="specificity").fit(X, y)
    LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, scoring="cohen_kappa").fit(X, y)
    GradientBoostingClassifier(n_estimators=3, n_iter_no_change=1, scoring="specificity", random_state=0).fit(X, y)


@pytest.mark.spec("CRS-127")
@pytest.mark.parametrize(
    "ask",
    [
        lambda X, y: cross_val_score(LogisticRegression(), X, y, scoring="specifity"),
        lambda X, y: cross_validate(LogisticRegression(), X, y, scoring=["accuracy", "specifity"]),
        lambda X, y: GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring="specifity").fit(X, y),
        lambda X, y: validation_curve(
            LogisticRegression(), X, y, param_name="C", param_range=[1.0, 2.0], scoring="specifity"
        ),
    ],
)
def test_unknown_names_get_the_five_closest_and_the_list(problem, ask):
    with pytest.raises(ValueError, match="Did you mean 'specificity'") as caught:
        ask(*problem)
    message = str(caught.value)
    assert message.startswith("`scoring`='specifity' is not the name of a metric.")
    assert "get_scorer_names()" in message
    assert message.count("', '") <= 4
    assert len(message) < 300
    with pytest.raises(ValueError, match="is not the name of a metric"):
        get_scorer("qqqqqqqqqqqq")


def test_short_names_get_the_scorer_that_they_mean():
    for short, name in (("mse", "neg_mean_squared_error"), ("AUC", "roc_auc"), ("kappa", "cohen_kappa")):
        with pytest.raises(ValueError, match=f"`scoring`='{short}' is not the name of a metric. Use '{name}'."):
            get_scorer(short)
    for name in _SHORT.values():
        assert callable(get_scorer(name))
