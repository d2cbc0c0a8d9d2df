"""The training loop: history, early stopping, schedules, interrupts, callbacks."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from statlearn.neural import MLPClassifier, MLPRegressor, plot_history
from tests.helpers import assert_close

FEW = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def halves():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    return (X[::2], y[::2]), (X[1::2], y[1::2])


@FEW
@pytest.mark.spec("NEU-14")
def test_history_records_training_and_validation(halves):
    (X, y), (X_val, y_val) = halves
    model = MLPClassifier(5, max_iter=12, random_state=0).fit(X, y, X_val=X_val, y_val=y_val)
    history = model.history_
    assert {len(curve) for curve in history.values()} == {12}
    assert history["loss"] == model.loss_curve_
    p = model.predict_proba(X_val)[np.arange(len(y_val)), y_val]
    assert_close(history["validation_loss"][-1], -np.log(p).mean())  # without the penalty
    assert_close(history["validation_score"][-1], model.score(X_val, y_val))
    assert model.validation_scores_ is None  # curves only: nobody asked to stop early
    axes = plot_history(model)
    assert [line.get_label() for line in axes.lines] == ["training", "validation"]
    assert plot_history(model, score=True).get_ylabel() == "score"


@pytest.mark.spec("NEU-14")
def test_history_of_lbfgs_has_iterations(halves):
    (X, y), (X_val, y_val) = halves
    model = MLPClassifier(3, "tanh", solver="lbfgs", alpha=1.0, tol=1e-3, random_state=0)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    assert len(model.history_["loss"]) == model.n_iter_
    assert all(np.diff(model.history_["loss"]) <= 1e-12)
    assert_close(model.history_["validation_score"][-1], model.score(X_val, y_val))
    assert plot_history(model).get_xlabel() == "iteration"
    with pytest.raises(ValueError, match="requires validation rows"):
        plot_history(model.fit(X, y), score=True)


def test_early_stopping_keeps_the_weights_of_the_best_epoch(halves):
    (X, y), (X_val, y_val) = halves
    model = MLPClassifier(30, early_stopping=True, learning_rate_init=0.05, max_iter=200, random_state=0, tol=0)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    assert model.n_iter_ < 200
    scores = model.validation_scores_
    assert len(scores) == model.n_iter_
    assert model.best_validation_score_ == max(scores) == model.score(X_val, y_val)
    best = int(np.argmax(scores))
    assert model.n_iter_ - best - 1 >= model.n_iter_no_change


def test_training_ends_when_the_loss_stalls(halves):
    (X, y), _ = halves
    model = MLPClassifier(5, max_iter=5000, tol=0.5, n_iter_no_change=4, random_state=0).fit(X, y)
    assert model.n_iter_ < 30
    assert model._no_improvement_count == 5
    with pytest.warns(ConvergenceWarning, match=r"MLPClassifier did not converge: Maximum iterations \(3\)"):
        MLPClassifier(5, max_iter=3, random_state=0).fit(X, y)


def test_adaptive_steps_fall_by_five(halves):
    (X, y), _ = halves
    model = MLPClassifier(3, solver="sgd", learning_rate="adaptive", tol=1.0, n_iter_no_change=2, max_iter=500)
    rates = np.array(model.fit(X, y).history_["learning_rate"])
    steps = rates[1:] / rates[:-1]
    assert np.all(np.isclose(steps, 1) | np.isclose(steps, 0.2))
    assert rates[-1] < 1e-6 * 5.01


def test_verbose_prints_the_epochs(halves, capsys):
    (X, y), _ = halves
    MLPClassifier(3, max_iter=500, tol=1.0, n_iter_no_change=2, verbose=True, random_state=0).fit(X, y)
    out = capsys.readouterr().out
    assert "Iteration 1, loss = " in out
    assert "Training loss did not improve more than tol=1.000000 for 2 consecutive epochs. Stopping." in out


class Interrupting(MLPRegressor):
    """Receives Ctrl-C while epoch 6 is evaluated."""

    def _score_of(self, means, target, weights):
        if self.n_iter_ == 6:
            raise KeyboardInterrupt
        return super()._score_of(means, target, weights)


@FEW
@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_ctrl_c_keeps_the_best_weights_on_request(solver, halves):
    (X, y), (X_val, y_val) = halves
    settings = {"hidden_layer_sizes": 5, "solver": solver, "random_state": 0, "max_iter": 30}
    with pytest.raises(KeyboardInterrupt):
        Interrupting(**settings).fit(X, y, X_val=X_val, y_val=y_val)
    with pytest.warns(UserWarning, match="Training interrupted by user after 6 .*the best weights so far are kept"):
        model = Interrupting(on_interrupt="keep", **settings).fit(X, y, X_val=X_val, y_val=y_val)
    scores = model.history_["validation_score"]
    assert len(scores) == 5
    assert_close(model.score(X_val, y_val), max(scores))


def test_a_refused_fit_leaves_no_half_fitted_model(halves):
    (X, y), (X_val, y_val) = halves
    model = Interrupting(hidden_layer_sizes=5, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, X_val=X_val, y_val=y_val)
    assert not hasattr(model, "coefs_")
