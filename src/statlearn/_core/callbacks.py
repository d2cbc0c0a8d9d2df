"""Support for scikit-learn's callbacks (1.9 and newer) in iterative fits: progress bars, monitors, early stopping.

An estimator inherits from `CallbackSupportMixin`, decorates `fit` with `with_callbacks`, and reports its steps through
`FitSteps`. With an older scikit-learn, all of this does nothing.
"""

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Placeholder if scikit-learn has no callbacks."""

    def with_callbacks(method):
        """Return the method unchanged."""
        return method


class FitSteps:
    """Context manager for the steps of one fit.

    Steps begin and end in turn; a step that is open at the end is closed without a model. An intermediate model is
    described by a function that returns the fitted attributes needed for predictions. It is called only if a callback
    requests them.

    Parameters
    ----------
    estimator : estimator
    X, y : array-like
        The training data, for callbacks that evaluate models on them.
    sample_weight : array-like or None, default=None
    max_steps : int or None
        Maximum number of steps; None if unknown.
    name : str
        Name of a step.
    """

    def __init__(self, estimator, X, y, sample_weight=None, *, max_steps, name):
        self._estimator, self._name = estimator, name
        self._data = {
            "estimator": estimator,
            "X": X,
            "y": y,
            "metadata": None if sample_weight is None else {"sample_weight": sample_weight},
        }
        self._root: Any = None
        self._open: Any = None
        if hasattr(estimator, "_init_callback_context"):  # meant for developers of estimators, despite its underscore
            self._root = estimator._init_callback_context(max_subtasks=max_steps)

    def __enter__(self):
        if self._root is not None:
            self._root.call_on_fit_task_begin(**self._data)
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None and self._root is not None:
            self.end()
            self._root.call_on_fit_task_end(**self._data, reconstruction_attributes={})

    def begin(self, attributes=None):
        """Begin a step."""
        if self._root is not None:
            self._open = self._root.subcontext(task_name=self._name)
            self._open.call_on_fit_task_begin(**self._data, reconstruction_attributes=attributes)

    def end(self, attributes=None):
        """End the open step; returns whether a callback requests to stop."""
        if self._open is None:
            return False
        step, self._open = self._open, None
        return step.call_on_fit_task_end(**self._data, reconstruction_attributes=attributes)

    def advance(self, attributes=None):
        """End the open step and begin the next; returns whether a callback requests to stop."""
        stop = self.end(attributes)
        self.begin(attributes)
        return stop
