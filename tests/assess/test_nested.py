"""Nested cross-validation: what was held out took no part in the tuning."""

import numpy as np
from scipy.stats import loguniform
from sklearn import model_selection
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_diabetes, load_iris

from statlearn.assess import GridSearchCV, nested_cross_validate
from statlearn.linear import LassoCV, LogisticRegression, LogisticRegressionCV, Ridge
from tests.helpers import assert_close

X, y = load_diabetes(return_X_y=True)
GRID = {"alpha": [10.0, 1.0, 0.1, 0.01]}


def test_equals_the_two_loops_written_out():
    found = nested_cross_validate(Ridge(), X, y, grid=GRID, inner=4, outer=3, rule="one_se")
    expected, chosen = [], []
    predictions = np.empty(len(y))
    for train, test in model_selection.KFold(3).split(X):
        search = GridSearchCV(Ridge(), GRID, cv=4, rule="one_se").fit(X[train], y[train])
        chosen.append(search.best_params_)
        refitted = clone(Ridge()).set_params(**search.best_params_).fit(X[train], y[train])
        expected.append(refitted.score(X[test], y[test]))
        predictions[test] = refitted.predict(X[test])
    assert_close(found.scores["score"], expected)
    assert found.params == chosen
    assert_close(found.predictions, predictions)
    assert_close(found.mean, np.mean(expected))
    assert_close(found.std_error, np.std(expected, ddof=1) / np.sqrt(3))
    assert found.fold_sizes.sum() == len(y)


class Coin(ClassifierMixin, BaseEstimator):
    """Guesses; every seed guesses differently, and none knows anything."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (np.sin(1000.0 * (1 + self.seed) * X[:, 0]) > 0).astype(int)


def test_outer_loop_reveals_optimism_of_the_best_of_many_coins(seed):
    rng = np.random.default_rng(seed)
    found = [
        nested_cross_validate(
            Coin(), rng.normal(size=(40, 1)), rng.integers(0, 2, 40), grid={"seed": list(range(40))}, inner=3, outer=3
        )
        for _ in range(6)
    ]
    assert np.mean([f.inner_scores.mean() for f in found]) > 0.6
    assert abs(np.mean([f.mean for f in found]) - 0.5) < 4 * 0.5 / np.sqrt(6 * 40)
    assert np.mean([f.optimism for f in found]) > 0.05


def test_probabilities_several_metrics_and_the_summary():
    A, b = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[b]
    found = nested_cross_validate(
        LogisticRegression(), A, names, grid={"C": [0.01, 1.0]}, scoring=["neg_log_loss", "accuracy"], random_state=1
    )
    assert found.predictions.shape == (150, 3)
    assert_close(found.predictions.sum(axis=1), np.ones(150))
    accuracy = np.mean(np.unique(names)[found.predictions.argmax(axis=1)] == names)
    assert_close(accuracy, found.scores["accuracy"].mean())  # folds of equal size
    text = str(found.summary())
    assert "neg_log_loss, mean" in text
    assert "optimism" in text


def test_groups_stay_together_outside_and_inside():
    groups = np.repeat(np.arange(26), 17)
    found = nested_cross_validate(Ridge(), X, y, grid=GRID, groups=groups, random_state=0)
    for train, test in found.splits:
        assert not set(groups[train]) & set(groups[test])
    for search, (train, _) in zip(found.estimators, found.splits):
        for a, b in search.cv.split(X[train], y[train], groups[train]):
            assert not set(groups[train][a]) & set(groups[train][b])


def test_a_model_that_tunes_itself_and_a_random_search():
    alone = nested_cross_validate(LassoCV(cv=4), X, y, outer=3)
    assert all(setting["alpha"] > 0 for setting in alone.params)
    assert np.isnan(alone.optimism)
    drawn = nested_cross_validate(
        Ridge(), X, y, grid={"alpha": loguniform(1e-3, 1e2)}, n_iter=4, outer=3, random_state=0
    )
    again = nested_cross_validate(
        Ridge(), X, y, grid={"alpha": loguniform(1e-3, 1e2)}, n_iter=4, outer=3, random_state=0
    )
    assert drawn.params == again.params
    assert_close(drawn.scores["score"], again.scores["score"])


def test_weights_are_cut_with_the_rows():
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    found = nested_cross_validate(Ridge(alpha=0.1), X, y, outer=3, params={"sample_weight": weights})
    train, test = found.splits[0]
    direct = Ridge(alpha=0.1).fit(X[train], y[train], sample_weight=weights[train])
    assert_close(found.predictions[test], direct.predict(X[test]))


def test_choices_of_a_model_are_read_from_arrays_too():
    A, b = load_iris(return_X_y=True)
    found = nested_cross_validate(LogisticRegressionCV(Cs=[0.1, 1.0], cv=2), A, b, outer=2)
    assert all(setting["C"] in (0.1, 1.0) for setting in found.params)


def test_a_single_outer_fold_has_no_spread():
    outer = model_selection.ShuffleSplit(1, random_state=0)
    found = nested_cross_validate(Ridge(), X, y, grid=GRID, inner=3, outer=outer)
    assert np.isnan(found.std)
    assert np.isnan(found.std_error)
    assert "nan" in str(found.summary()).lower()
