"""scikit-learn's callbacks (1.9 and newer) in fits that take steps: progress bars, monitors, requests to stop.

An estimator inherits from `CallbackSupportMixin`, decorates `fit` with `with_callbacks`, and tells its steps through
`FitSteps`. With an older scikit-learn all of this does nothing.
"""

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method):
        """The method as it is."""
        return method


class FitSteps:
    """The steps of one fit, as a context manager around them.

    Steps begin and end in turn; what is open at the end is closed without a model. A model along the way is described
    by a function that returns the fitted attributes which predictions need: it is called only if a callback asks.

    Parameters
    ----------
    estimator : estimator
    X, y : array-like
        The training data, for callbacks that evaluate models on them.
    sample_weight : array-like or None
    max_steps : int or None
        At most so many steps; None where that is not known.
    name : str
        What a step is called.
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
        if hasattr(estimator, "_init_callback_context"):  # for developers of estimators, in spite of its underscore
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
        """A step begins."""
        if self._root is not None:
            self._open = self._root.subcontext(task_name=self._name)
            self._open.call_on_fit_task_begin(**self._data, reconstruction_attributes=attributes)

    def end(self, attributes=None):
        """The open step ends; whether a callback asks to stop here."""
        if self._open is None:
            return False
        step, self._open = self._open, None
        return step.call_on_fit_task_end(**self._data, reconstruction_attributes=attributes)

    def advance(self, attributes=None):
        """A step ends and the next one begins; whether a callback asks to stop here."""
        stop = self.end(attributes)
        self.begin(attributes)
        return stop
