"""Monitoring of boosting rounds: training, out-of-bag and validation losses, and progress output."""

import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from statlearn._core.fitted_state import forget
from statlearn._core.warnings import StatlearnWarning, warn

_ROUNDING = 1e-5  # of the largest training loss


class Watch:
    """Loss histories of a boosted fit and the early stopping rule.

    The loss is reported times `loss.report_factor`: squared error and binary log loss are reported as deviances, twice
    the loss, as in scikit-learn.
    """

    def __init__(self, model, loss, earlier=None):
        self.model, self.loss = model, loss
        self.train, self.validation, self.oob, self.improvement = [], [], [], []
        if earlier is not None:
            self.train, self.validation = list(earlier.train_score_), list(earlier.validation_score_)
            none = [0.0] * len(self.train)
            self.oob = list(getattr(earlier, "oob_scores_", none))
            self.improvement = list(getattr(earlier, "oob_improvement_", none))
        self.recent = []
        self.scorer = None
        self.reporter = Reporter(model) if model.verbose else None

    def value(self, y, scores, weights, rows=None):
        """The reported loss on some rows."""
        if rows is not None:
            y, scores = y[rows], np.ascontiguousarray(scores[rows])
            weights = None if weights is None else weights[rows]
        return self.loss.report_factor * self.loss.value(y, scores, weights)

    def out_of_bag(self, y, scores, weights, others, before):
        """Record the loss of the out-of-bag rows and its decrease in this round."""
        self.oob.append(self.value(y, scores, weights, others))
        self.improvement.append(before - self.oob[-1])

    def validate(self, y, scores, weights):
        """Record the loss (or minus the score) of the validation rows."""
        if self.scorer is None:
            self.validation.append(self.value(y, scores, weights))
        else:
            self.validation.append(-self.scorer(scores))

    def stalled(self):
        """Whether the validation loss has not improved by at least `tol` over the last `n_iter_no_change` rounds."""
        patience = self.model.n_iter_no_change
        if patience is None or not self.validation:
            return False
        last = self.validation[-1]
        if len(self.recent) == patience and not any(last + self.model.tol < loss for loss in self.recent):
            return True
        self.recent = [*self.recent, last][-patience:]
        return False

    def warn_if_loss_rose(self, first):
        """Warn if the training loss rose over a round from `first` on, by more than rounding in single precision."""
        losses = np.asarray(self.train)
        rises = np.diff(losses) > _ROUNDING * np.abs(losses[:-1]).max(initial=0.0)
        rises = np.flatnonzero(rises[max(first - 1, 0) :]) + max(first - 1, 0)
        if len(rises):
            at = rises[0]
            warn(
                f"{type(self.model).__name__}: the training loss rose over {len(rises)} of {len(losses)} rounds, first "
                f"from {losses[at]:.4g} to {losses[at + 1]:.4g} in round {at + 2}, so the steps of the leaves are too "
                "long. Use a smaller `learning_rate`, or `reg_lambda` or `min_child_weight` to shorten them.",
                StatlearnWarning,
            )

    def report(self, round_):
        if self.reporter:
            self.reporter.line(round_, self.train[-1], self.improvement[-1] if self.improvement else None)

    def store(self):
        """Set the histories as fitted attributes."""
        model = self.model
        model.train_score_ = np.array(self.train)
        model.validation_score_ = np.array(self.validation)
        forget(model, "oob_scores_", "oob_improvement_", "oob_score_")
        if any(self.oob) or (model.subsample < 1 and self.oob):
            model.oob_scores_, model.oob_improvement_ = np.array(self.oob), np.array(self.improvement)
            model.oob_score_ = float(model.oob_scores_[-1])


class Reporter:
    """Prints a table of the rounds: all if verbose > 1, else the first ten and then progressively fewer."""

    def __init__(self, model):
        self.model = model
        self.every, self.begin = 1, time.monotonic()
        self.start = getattr(model, "n_estimators_", 0) if model.warm_start else 0
        names = ["Iter", "Train Loss"] + (["OOB Improve"] if model.subsample < 1 else []) + ["Remaining Time"]
        print(" ".join(["%10s"] + ["%16s"] * (len(names) - 1)) % tuple(names))

    def line(self, round_, loss, improvement):
        done, total = round_ + 1, self.model.n_estimators
        if self.model.verbose > 1 or done % self.every == 0:
            left = (total - done) * (time.monotonic() - self.begin) / max(done - self.start, 1)
            text = f"{done:10d} {loss:16.4f}"
            if self.model.subsample < 1:
                text += " " * 17 if improvement is None else f" {improvement:16.4f}"
            print(f"{text} {left / 60 if left > 60 else left:15.2f}{'m' if left > 60 else 's'}")
        if self.model.verbose == 1 and done // (self.every * 10) > 0:
            self.every *= 10


def scored_by(scoring, model, X_val, y_val, weights_val):
    """A function that applies a scikit-learn scorer to raw scores of the validation rows; None for the loss."""
    if scoring in (None, "loss"):
        return None
    from sklearn.metrics import check_scoring

    from statlearn.assess import get_scorer

    proxy = model._scored_proxy()
    scorer = check_scoring(proxy, get_scorer(scoring))
    arguments = {} if weights_val is None else {"sample_weight": weights_val}

    def score(scores):
        proxy.scores = scores
        return scorer(proxy, X_val, y_val, **arguments)

    return score


class ScoredRegressor(RegressorMixin, BaseEstimator):
    """Regressor with externally set scores, passed to scorers during training."""

    def __init__(self, loss=None):
        self.loss = loss
        self.scores = None

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.loss.prediction(self.scores)


class ScoredClassifier(ClassifierMixin, BaseEstimator):
    """Classifier with externally set scores, passed to scorers during training."""

    def __init__(self, loss=None, classes=None):
        self.loss, self.classes = loss, classes
        self.classes_ = classes
        self.scores = None

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return self.scores[:, 0] if self.scores.shape[1] == 1 else self.scores

    def predict_proba(self, X):
        return self.loss.prediction(self.scores)

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
