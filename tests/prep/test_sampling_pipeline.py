"""Samplers act while a pipeline is fitted, and only then."""

import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import RandomOverSampler as Theirs
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, cross_validate

from statlearn.linear import LogisticRegression
from statlearn.prep import (
    SMOTE,
    DropMissing,
    OutlierFilter,
    RandomOverSampler,
    RandomUnderSampler,
    SamplingPipeline,
    StandardScaler,
)
from tests.helpers import assert_close


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was shown."""

    trained, asked = [], []

    def fit(self, X, y):
        Spy.trained.append((np.asarray(X), np.asarray(y)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        Spy.asked.append(np.asarray(X))
        return np.full(len(X), self.classes_[0])


@pytest.fixture
def spy():
    Spy.trained, Spy.asked = [], []
    return Spy()


def unequal(rng):
    y = np.repeat([0, 1], [80, 20])
    return rng.normal(size=(100, 2)) + y[:, None], y


@pytest.mark.spec("PRE-31", "PRE-P7")
@pytest.mark.parametrize("sampler", [SMOTE(random_state=0), RandomOverSampler(), RandomUnderSampler()])
def test_validation_folds_hold_only_original_rows(sampler, spy, rng):
    X, y = unequal(rng)
    rows = {tuple(row) for row in X}
    cross_validate(SamplingPipeline([("sampler", sampler), ("spy", spy)]), X, y, cv=5)
    assert sum(len(asked) for asked in Spy.asked) == 100
    assert all(tuple(row) in rows for asked in Spy.asked for row in asked)
    for (X_train, y_train), asked in zip(Spy.trained, Spy.asked):
        assert np.bincount(y_train)[0] == np.bincount(y_train)[1]
        tested = {tuple(row) for row in asked}
        assert not any(tuple(row) in tested for row in X_train)


@pytest.mark.spec("PRE-31")
def test_the_model_matches_the_resampled_rows(rng):
    X, y = unequal(rng)
    model = SamplingPipeline(
        [("scale", StandardScaler()), ("more", RandomOverSampler(random_state=3)), ("model", LogisticRegression())]
    ).fit(X, y)
    Z = StandardScaler().fit(X)
    more = RandomOverSampler(random_state=3).fit_resample(Z.transform(X), y, training_only=True)
    alone = LogisticRegression().fit(*more)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        assert_close(getattr(model, method)(X), getattr(alone, method)(Z.transform(X)))
    assert_close(model.score(X, y), alone.score(Z.transform(X), y))
    assert_close(model.score(X, y, np.ones(100)), alone.score(Z.transform(X), y))
    np.testing.assert_array_equal(model.classes_, [0, 1])
    assert not hasattr(model, "transform")


def test_parameters_of_steps_can_be_searched(rng):
    X, y = unequal(rng)
    model = SamplingPipeline([("smote", SMOTE(random_state=0)), ("model", LogisticRegression())])
    search = GridSearchCV(model, {"smote__k_neighbors": [2, 4], "model__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert set(search.best_params_) == {"smote__k_neighbors", "model__C"}
    assert isinstance(model[:1], SamplingPipeline)
    assert model["smote"] is model[0]
    assert "smote" in model._repr_html_()
    assert clone(model).set_params(smote__k_neighbors=7).named_steps["smote"].k_neighbors == 7


@pytest.mark.spec("PRE-11", "PRE-13")
def test_rows_with_gaps_or_outliers_are_dropped_in_training_only(spy, rng):
    X, y = unequal(rng)
    X[0, 0], X[1, 0] = np.nan, 1e6
    model = SamplingPipeline(
        [
            ("gaps", DropMissing("rows", max_share=0)),
            ("far", OutlierFilter("mad", threshold=20, action="drop")),
            ("skip", "passthrough"),
            ("spy", spy),
        ]
    ).fit(X, y)
    assert len(Spy.trained[0][0]) == 98
    assert len(model.predict(X)) == 100


def test_samplers_of_imbalanced_learn_and_frames(spy, rng):
    X, y = unequal(rng)
    table = pd.DataFrame(X, columns=["a", "b"])
    model = SamplingPipeline([("more", Theirs(random_state=0)), ("spy", spy)]).fit(table, y)
    assert len(Spy.trained[0][0]) == 160
    assert len(model.predict(table)) == 100
    assert model.n_features_in_ == 2


def test_a_pipeline_that_ends_in_a_transformer(rng):
    X, y = unequal(rng)
    model = SamplingPipeline([("more", RandomOverSampler(random_state=0)), ("scale", StandardScaler())])
    Z = model.fit_transform(X, y)
    assert Z.shape == X.shape
    assert model.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "steps, error",
    [
        ([], ValueError),
        ([("a",)], ValueError),
        ([("a", object()), ("model", LogisticRegression())], TypeError),
        ([("more", RandomOverSampler())], TypeError),
    ],
)
def test_steps_that_make_no_pipeline_raise(steps, error, rng):
    with pytest.raises(error, match="step"):
        SamplingPipeline(steps).fit(*unequal(rng))


@pytest.mark.parametrize("steps", [[1], [], [("model",)], [(1, LogisticRegression())]])
def test_invalid_steps_raise(steps):
    with pytest.raises(ValueError, match=r"^`steps` must be a list of \(name, estimator\)"):
        SamplingPipeline(steps).fit([[0.0], [1.0]], [0, 1])
