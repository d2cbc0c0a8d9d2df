"""Bayesian search with cross-validation: scikit-learn's interface, spaces, pruning, rules, failures."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.assess import GridSearchCV
from statlearn.ensemble import GradientBoostingClassifier
from statlearn.gp import BayesSearchCV, Categorical, Real
from statlearn.gp._fold_results import FoldScores
from statlearn.linear import ElasticNet, Ridge
from statlearn.svm import SVC, SVR
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close

SPACES = {"alpha": Real(1e-4, 1e3, "log-uniform")}


@pytest.fixture(scope="module")
def data():
    X, y = load_diabetes(return_X_y=True)
    return X[:150], y[:150]


@pytest.fixture(scope="module")
def svm_search():
    spaces = {"C": Real(1e-2, 1e3, "log-uniform"), "gamma": Real(1e-4, 10.0, "log-uniform")}
    return BayesSearchCV(SVC(), spaces, n_iter=15, cv=4, prune=True, random_state=0).fit(*load_iris(return_X_y=True))


def test_results_match_cross_validation(data):
    search = BayesSearchCV(Ridge(), SPACES, n_iter=8, cv=3, return_train_score=True, random_state=0).fit(*data)
    results = search.cv_results_
    grid = model_selection.GridSearchCV(
        Ridge(), {"alpha": [p["alpha"] for p in results["params"]]}, cv=3, return_train_score=True
    ).fit(*data)
    assert set(grid.cv_results_) == set(results)
    for key in grid.cv_results_:
        if "score" in key and "time" not in key:
            assert_close(results[key], grid.cv_results_[key])
    assert search.best_index_ == grid.best_index_
    assert search.best_params_ == grid.best_params_
    assert_close(search.best_score_, grid.best_score_)
    assert_close(search.predict(data[0]), grid.predict(data[0]))
    assert search.n_splits_ == 3
    assert search.n_features_in_ == 10


def test_the_optimum_matches_a_fine_grid(data):
    search = BayesSearchCV(Ridge(), SPACES, n_iter=15, cv=3, random_state=0).fit(*data)
    fine = GridSearchCV(Ridge(), {"alpha": np.logspace(-4, 3, 200)}, cv=3).fit(*data)
    assert search.best_score_ > fine.best_score_ - 1e-3


def test_the_same_seed_gives_the_same_search(data):
    one, two = (BayesSearchCV(Ridge(), SPACES, n_iter=7, cv=3, random_state=4).fit(*data) for _ in range(2))
    assert one.cv_results_["params"] == two.cv_results_["params"]
    with parallel_config("threading"):
        parallel = BayesSearchCV(Ridge(), SPACES, n_iter=7, cv=3, random_state=4, n_jobs=2, n_points=1).fit(*data)
    assert one.cv_results_["params"] == parallel.cv_results_["params"]


def test_parallel_proposals(data):
    search = BayesSearchCV(Ridge(), SPACES, n_iter=8, n_points=3, cv=2, random_state=0).fit(*data)
    values = [params["alpha"] for params in search.cv_results_["params"]]
    assert len(set(values)) == 8


def test_spaces_as_in_scikit_optimize(data):
    pipe = make_pipeline(StandardScaler(), SVR())
    spaces = [
        {"svr__C": (0.1, 100.0, "log-uniform"), "svr__kernel": Categorical(["linear"])},
        ({"svr__C": (0.1, 100.0, "log-uniform"), "svr__kernel": ["rbf"], "svr__gamma": (1e-3, 1.0, "log-uniform")}, 6),
    ]
    search = BayesSearchCV(pipe, spaces, n_iter=4, cv=2, random_state=0)
    assert search.total_iterations == 10
    search.fit(*data)
    kernels = [params["svr__kernel"] for params in search.cv_results_["params"]]
    assert kernels == ["linear"] * 4 + ["rbf"] * 6
    assert np.ma.is_masked(search.cv_results_["param_svr__gamma"][0])
    assert len(search.optimizer(1).trials) == 6
    assert search.optimizer(0).best_value <= search.best_score_ + 1e-12


def test_default_space_of_an_estimator(data):
    search = BayesSearchCV(n_iter=5, cv=2, random_state=0).fit(*data)
    assert isinstance(search.best_estimator_, Ridge)
    assert len({params["alpha"] for params in search.cv_results_["params"]}) == 5


def test_several_metrics(data):
    scoring = {"r2": "r2", "mae": "neg_mean_absolute_error"}
    search = BayesSearchCV(Ridge(), SPACES, n_iter=8, cv=2, scoring=scoring, refit="mae", random_state=0).fit(*data)
    assert search.multimetric_
    assert_close(search.best_score_, search.cv_results_["mean_test_mae"].max())
    assert_close(search.score(*data), -np.mean(np.abs(data[1] - search.predict(data[0]))))
    with pytest.raises(ValueError, match="refit"):
        BayesSearchCV(Ridge(), SPACES, n_iter=3, scoring=scoring, refit=False).fit(*data)


def test_one_standard_error_rule(data):
    plain = BayesSearchCV(Ridge(), SPACES, n_iter=12, cv=4, random_state=0).fit(*data)
    simple = BayesSearchCV(Ridge(), SPACES, n_iter=12, cv=4, rule="one_se", random_state=0).fit(*data)
    assert simple.cv_results_["params"] == plain.cv_results_["params"]
    assert simple.best_params_["alpha"] >= plain.best_params_["alpha"]
    scores = np.column_stack([plain.cv_results_[f"split{k}_test_score"] for k in range(4)])
    best = np.argmax(scores.mean(axis=1))
    bar = scores[best].mean() - scores[best].std(ddof=1) / 2
    allowed = [p["alpha"] for p, s in zip(plain.cv_results_["params"], scores.mean(axis=1)) if s >= bar]
    assert simple.best_params_["alpha"] == max(allowed)
    assert_close(simple.best_estimator_.alpha, simple.best_params_["alpha"])


def test_pruning_omits_folds_of_hopeless_settings_only(svm_search):
    results = svm_search.cv_results_
    assert results["pruned"].any()
    assert not results["pruned"].all()
    scores = np.column_stack([results[f"split{k}_test_score"] for k in range(4)])
    assert np.isnan(scores).sum() == 4 * 15 - results["n_splits_done"].sum() > 0
    assert np.isnan(scores[~results["pruned"]]).sum() == 0
    complete = np.flatnonzero(~results["pruned"])
    best = complete[np.argmax(scores[complete].mean(axis=1))]
    assert svm_search.best_index_ == best
    assert results["rank_test_score"][best] == 1
    assert results["rank_test_score"][results["pruned"]].min() > len(complete)
    assert_close(results["mean_test_score"][best], svm_search.best_score_)
    assert svm_search.best_params_["C"] == svm_search.best_estimator_.C
    assert svm_search.n_splits_ == 4
    # Evaluated on all folds, the pruned settings are indeed worse.
    for params in np.array(results["params"])[results["pruned"]]:
        full = model_selection.cross_val_score(SVC(**params), *load_iris(return_X_y=True), cv=4).mean()
        assert full < svm_search.best_score_


def test_pruning_with_rules_metrics_and_callables(data):
    spaces = {"max_depth": (1, 8), "min_samples_leaf": (1, 50)}
    settings = {"n_iter": 10, "cv": 3, "prune": True, "random_state": 0}
    simple = BayesSearchCV(DecisionTreeRegressor(), spaces, rule="one_se", **settings).fit(*data)
    assert simple.best_score_ <= simple.cv_results_["mean_test_score"][~simple.cv_results_["pruned"]].max()
    two = ["r2", "neg_mean_absolute_error"]
    several = BayesSearchCV(DecisionTreeRegressor(), spaces, scoring=two, refit="r2", **settings).fit(*data)
    assert several.best_index_ == np.argmin(several.cv_results_["rank_test_r2"])
    own = BayesSearchCV(DecisionTreeRegressor(), spaces, refit=lambda results: 1, **settings).fit(*data)
    assert own.best_index_ == 1
    assert own.best_estimator_.max_depth == own.cv_results_["params"][1]["max_depth"]
    none = BayesSearchCV(DecisionTreeRegressor(), spaces, refit=False, **settings).fit(*data)
    assert none.best_params_ == none.cv_results_["params"][np.argmin(none.cv_results_["rank_test_score"])]
    assert not hasattr(none, "best_estimator_")


def test_the_pruning_rule(seed):
    rng = np.random.default_rng(seed)
    scores = FoldScores()
    folds = rng.normal(size=5)
    scores.add(4, 5)
    for candidate, level in enumerate([0.0, -0.5, -1.0]):
        for fold in range(5):
            scores.put(candidate, fold, level + folds[fold] + 0.01 * rng.normal())
    scores.put(3, 0, folds[0] - 2.0)
    assert scores.is_hopeless(3, 1, margin=False)
    assert_close(scores.estimate(3), folds.mean() - 2.0, atol=0.05)  # the level of the folds is taken out
    scores.put(3, 0, folds[0] + 0.005)
    assert not scores.is_hopeless(3, 1, margin=False)
    scores.put(3, 0, np.nan)
    assert np.isnan(scores.estimate(3))


def test_failed_fits_are_recorded_and_reported_once(data):
    class Picky(TheirRidge):
        def fit(self, X, y, sample_weight=None):
            if self.alpha < 0.1:
                raise ValueError("too small")
            return super().fit(X, y)

    for prune in (False, True):
        search = BayesSearchCV(Picky(), SPACES, n_iter=12, cv=3, prune=prune, random_state=0)
        with pytest.warns(FitFailedWarning, match="too small") as caught:
            search.fit(*data)
        assert sum(issubclass(w.category, FitFailedWarning) for w in caught) == 1
        assert search.best_params_["alpha"] >= 0.1
        failed = [
            p["alpha"]
            for p, s in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"])
            if np.isnan(s)
        ]
        assert failed
        assert max(failed) < 0.1
    with pytest.raises(ValueError, match="too small"):
        BayesSearchCV(Picky(), SPACES, n_iter=12, cv=3, error_score="raise", random_state=0).fit(*data)


def test_weights_and_groups_are_passed_on(data):
    X, y = data
    rng = np.random.default_rng(0)
    groups, weight = rng.integers(6, size=len(y)), rng.uniform(0.5, 2, len(y))
    for prune in (False, True):
        search = BayesSearchCV(
            Ridge(), SPACES, n_iter=5, cv=model_selection.GroupKFold(3), prune=prune, random_state=0
        ).fit(X, y, groups=groups, sample_weight=weight)
        direct = Ridge(alpha=search.best_params_["alpha"]).fit(X, y, sample_weight=weight)
        assert_close(search.best_estimator_.coef_, direct.coef_)
        assert search.n_splits_ == 3


def test_a_time_limit_ends_the_search(data):
    search = BayesSearchCV(Ridge(), SPACES, n_iter=500, cv=2, timeout=0.05, random_state=0).fit(*data)
    assert 1 <= len(search.cv_results_["params"]) < 500


def test_small_finite_spaces_end_early(data):
    search = BayesSearchCV(ElasticNet(), {"l1_ratio": [0.2, 0.8], "alpha": [0.1, 1.0]}, n_iter=50, cv=2).fit(*data)
    assert len(search.cv_results_["params"]) == 4


def test_three_parameters_of_boosting():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::3], y[::3]
    spaces = {"learning_rate": (0.02, 0.5, "log-uniform"), "max_leaf_nodes": (2, 31), "n_estimators": (5, 25)}
    search = BayesSearchCV(
        GradientBoostingClassifier(), spaces, n_iter=10, cv=2, scoring="neg_log_loss", random_state=0
    ).fit(X, y)
    assert search.best_score_ > -0.25
    assert search.classes_.tolist() == [0, 1]
    assert search.predict_proba(X).shape == (len(y), 2)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"search_spaces": {"alpha": (2.0, 1.0)}}, "search_spaces.*alpha"),
        ({"search_spaces": []}, "search_spaces"),
        ({"search_spaces": [({"alpha": (1.0, 2.0)}, 0)]}, "at least 1"),
        ({"search_spaces": ["alpha"]}, "search_spaces"),
        ({"n_iter": 0}, "n_iter"),
        ({"rule": "two_se"}, "rule"),
        ({"optimizer_kwargs": {"nonsense": 1}}, "optimizer_kwargs"),
        ({"optimizer_kwargs": {"maximize": False}}, "optimizer_kwargs"),
        ({"timeout": -1.0}, "timeout"),
    ],
)
def test_bad_settings_raise(data, settings, words):
    with pytest.raises(ValueError, match=words):
        BayesSearchCV(**{"estimator": Ridge(), "search_spaces": SPACES, "n_iter": 2, **settings}).fit(*data)
