"""The package's own warning categories, and the one way to say that an iteration stopped early."""

import os
import sys
import warnings

import sklearn
from sklearn.exceptions import ConvergenceWarning

# Frames that are not the user's: the package's own, and the decorator of `_core.callbacks`.
_INSIDE = (os.path.dirname(os.path.dirname(__file__)) + os.sep, os.path.join(sklearn.__path__[0], "callback") + os.sep)

# Status codes of native/common/status.hpp.
OK, MAX_ITER, INTERRUPTED, DIVERGED = range(4)


class StatlearnWarning(UserWarning):
    """Base of statlearn's warnings."""


class RankWarning(StatlearnWarning):
    """Columns of X are linearly dependent: the coefficients are not unique."""


class LeakageWarning(StatlearnWarning):
    """Rows were resampled outside a pipeline: a split made afterwards puts copies of one row on both sides."""


class SeparationWarning(StatlearnWarning):
    """A hyperplane separates the classes: the maximum-likelihood coefficients are infinite."""


class CollapseWarning(StatlearnWarning):
    """A component of a mixture has shrunk to a point or a plane: only a ridge keeps its variance above 0."""


def warn(message, category=UserWarning):
    """Warn at the line that called into the package, however deep inside the reason was found."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def pass_on(caught, words):
    """Give caught warnings of an inner model again; those of a category in `words` with these words instead."""
    for each in caught:
        own = next((text for category, text in words.items() if issubclass(each.category, category)), None)
        warn(str(each.message) if own is None else own, each.category)


def warn_if_stopped(estimator, status, detail, *, remedy="Increase max_iter, scale the features, or raise tol."):
    """Warn when a kernel reports that it stopped before its rule was met."""
    if status == OK:
        return
    owner = estimator if isinstance(estimator, str) else type(estimator).__name__
    what = "diverged" if status == DIVERGED else "did not converge"
    warn(f"{owner} {what}: {detail}. {remedy}", ConvergenceWarning)
