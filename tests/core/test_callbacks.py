"""Callbacks of scikit-learn see the steps of a fit, with a model at each, and can end it."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from statlearn.linear import LogisticRegression, LogisticRegressionCV

X, Y = load_iris(return_X_y=True)


class Recorder:
    """Records its events, and requests a stop after `limit` steps."""

    max_propagation_depth = None  # passed on to the estimators inside a search

    def __init__(self, limit=np.inf):
        self.limit, self.events, self.scores, self.weights = limit, [], [], None

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.events.append(("end", context.task_name))
        self.weights = metadata
        if context.parent is not None and fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return len(self.scores) >= self.limit

    def teardown(self, estimator, context):
        self.events.append("teardown")


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "irls", "gd"])
def test_every_iteration_is_a_step_with_a_model(solver):
    recorder, plain = Recorder(), LogisticRegression(solver=solver, tol=1e-2).fit(X, Y)
    model = LogisticRegression(solver=solver, tol=1e-2).set_callbacks(recorder).fit(X, Y, np.ones(len(Y)))
    assert np.array_equal(model.coef_, plain.coef_)
    assert recorder.events[:2] == ["setup", ("begin", "fit")]
    assert recorder.events[-2:] == [("end", "fit"), "teardown"]
    assert len(recorder.scores) == model.n_iter_[0] > 1
    assert recorder.scores[-1] == model.score(X, Y)
    assert np.array_equal(recorder.weights["sample_weight"], np.ones(len(Y)))


@pytest.mark.parametrize("solver", ["lbfgs", "irls", "gd"])
def test_a_callback_can_end_the_fit(solver):
    model = LogisticRegression(solver=solver, tol=1e-8).set_callbacks(Recorder(limit=2)).fit(X, Y)
    assert model.n_iter_[0] == 2
    with pytest.warns(match="converge"):
        two = LogisticRegression(solver=solver, tol=1e-8, max_iter=2).fit(X, Y)
    assert np.array_equal(model.coef_, two.coef_)


def test_folds_are_steps():
    recorder = Recorder()
    LogisticRegressionCV(cv=3, Cs=2).set_callbacks(recorder).fit(X, Y)
    assert recorder.events.count(("begin", "fold")) == recorder.events.count(("end", "fold")) == 3


def test_a_failed_fit_is_torn_down():
    recorder = Recorder()
    with pytest.raises(ValueError, match="reference"):
        LogisticRegression(reference="none of these").set_callbacks(recorder).fit(X, Y)
    assert recorder.events[-1] == "teardown"
    assert ("end", "fit") not in recorder.events


def test_a_search_passes_its_callbacks_on():
    recorder = Recorder()
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2).set_callbacks(recorder)
    search.fit(X, Y)
    assert ("begin", "lbfgs iteration") in recorder.events
