"""Searches: scikit-learn's in everything, and the rule on top."""

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.assess import GridSearchCV, RandomizedSearchCV, one_standard_error
from statlearn.linear import LogisticRegression, Ridge
from tests.helpers import assert_close

X, y = load_diabetes(return_X_y=True)
ALPHAS = np.logspace(-3, 2, 11).tolist()


@pytest.mark.spec("ASM-27")
def test_rule_min_is_scikit_learns_search():
    ours = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5).fit(X, y)
    theirs = model_selection.GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == theirs.best_score_
    assert_close(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert isinstance(ours, model_selection.GridSearchCV)


@pytest.mark.spec("ASM-27")
def test_rule_one_se_takes_the_simplest_and_fits_it():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=10, rule="one_se").fit(X, y)
    assert search.best_index_ == one_standard_error(search.cv_results_)
    assert search.best_estimator_.alpha == search.best_params_["alpha"]
    best = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=10).fit(X, y)
    assert search.best_params_["alpha"] > best.best_params_["alpha"]
    assert search.best_score_ == search.cv_results_["mean_test_score"][search.best_index_]
    assert search.refit is True


@pytest.mark.spec("ASM-27")
def test_the_curve_holds_every_score_with_its_standard_error():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5, rule="one_se").fit(X, y)
    curve = search.cv_curve_
    assert curve.name == "alpha"
    assert_close(curve.parameter, sorted(ALPHAS, reverse=True))
    scores = np.column_stack([search.cv_results_[f"split{k}_test_score"] for k in range(5)])
    assert_close(curve.loss, -scores[search.cv_order_])
    assert_close(curve.std_error, scores[search.cv_order_].std(axis=1, ddof=1) / np.sqrt(5))
    assert search.cv_order_[curve.one_se] == search.best_index_


@pytest.mark.spec("ASM-27")
def test_pipelines_classifiers_and_several_metrics():
    A, b = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        {"logisticregression__C": [1e-3, 1e-2, 0.1, 1.0]},
        scoring=["neg_log_loss", "accuracy"],
        refit="accuracy",
        cv=4,
        rule="one_se",
    ).fit(A, b)
    chosen = one_standard_error(search.cv_results_, metric="accuracy")
    assert search.best_index_ == chosen
    assert search.score(A, b) == np.mean(search.predict(A) == b)
    assert search.predict_proba(A).shape == (len(b), 2)
    np.testing.assert_array_equal(search.classes_, [0, 1])


@pytest.mark.spec("ASM-27")
def test_random_search_follows_the_rule_too():
    options = dict(n_iter=15, cv=5, random_state=0)
    search = RandomizedSearchCV(Ridge(), {"alpha": loguniform(1e-3, 1e3)}, rule="one_se", **options).fit(X, y)
    best = RandomizedSearchCV(Ridge(), {"alpha": loguniform(1e-3, 1e3)}, **options).fit(X, y)
    assert search.best_params_["alpha"] >= best.best_params_["alpha"]
    assert search.best_index_ == one_standard_error(search.cv_results_)


@pytest.mark.parametrize("rule", ["min", "one_se"])
@pytest.mark.filterwarnings("ignore")  # of every candidate that could not be scored
def test_a_search_without_any_score_raises(rule):
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, scoring="neg_log_loss", cv=3, rule=rule)
    with pytest.raises(ValueError, match="`scoring`='neg_log_loss' gave no candidate a score"):
        search.fit(X[:60], y[:60])


def test_without_refit_the_rule_still_chooses():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, refit=False, rule="one_se").fit(X, y)
    assert search.best_index_ == one_standard_error(search.cv_results_)
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(search, "predict")


def test_groups_and_weights_go_where_they_belong():
    groups = np.arange(len(y)) % 7
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    ours = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=model_selection.GroupKFold(5))
    theirs = model_selection.GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=model_selection.GroupKFold(5))
    ours.fit(X, y, groups=groups, sample_weight=weights)
    theirs.fit(X, y, groups=groups, sample_weight=weights)
    assert_close(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert_close(ours.best_estimator_.coef_, theirs.best_estimator_.coef_)


def test_it_nests_in_cross_validation_and_pipelines():
    inner = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=3, rule="one_se")
    scores = model_selection.cross_val_score(make_pipeline(StandardScaler(), inner), X, y, cv=3)
    assert scores.shape == (3,)
    assert np.all(scores > 0.3)


def test_an_unknown_order_raises_for_one_se_only():
    grid = {"fit_intercept": [True, False], "solver": ["svd", "cholesky"]}
    with pytest.raises(ValueError, match="`complexity` to 'grid'"):
        GridSearchCV(Ridge(), grid, rule="one_se").fit(X, y)
    assert GridSearchCV(Ridge(), grid, rule="one_se", complexity="grid").fit(X, y).best_params_["fit_intercept"]
    np.testing.assert_array_equal(GridSearchCV(Ridge(), grid).fit(X, y).cv_order_, np.arange(4))


def test_contradictions_raise():
    with pytest.raises(ValueError, match="use `refit`=True"):
        GridSearchCV(Ridge(), {"alpha": ALPHAS}, rule="one_se", refit=one_standard_error).fit(X, y)
    with pytest.raises(ValueError, match="declares no default grid"):
        GridSearchCV(StandardScaler()).fit(X, y)


def test_a_search_without_refit_has_no_model_of_an_earlier_one():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS[:2]}, cv=2).fit(X, y)
    search.set_params(refit=False, scoring=["r2", "neg_mean_squared_error"]).fit(X, y)
    for name in ("best_estimator_", "best_index_", "best_params_", "best_score_", "cv_curve_", "refit_time_"):
        assert not hasattr(search, name), name
