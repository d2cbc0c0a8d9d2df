"""Warning categories of the package, and the common warning about iterations that stopped early."""

import os
import sys
import warnings

import sklearn
from sklearn.exceptions import ConvergenceWarning

# Frames that are not the user's: the package's own, the decorators of `_core.callbacks` and of `set_output`, and the
# methods of scikit-learn's base classes, such as `fit_transform`.
_INSIDE = (
    os.path.dirname(os.path.dirname(__file__)) + os.sep,
    os.path.join(sklearn.__path__[0], "callback") + os.sep,
    os.path.join(sklearn.__path__[0], "utils", "_set_output.py"),
    os.path.join(sklearn.__path__[0], "base.py"),
)

# Status codes of native/common/status.hpp.
OK, MAX_ITER, INTERRUPTED, DIVERGED = range(4)


class StatlearnWarning(UserWarning):
    """Base class of statlearn's warnings."""


class RankWarning(StatlearnWarning):
    """Columns of X are linearly dependent, so the coefficients are not unique."""


class LeakageWarning(StatlearnWarning):
    """Rows were resampled outside a pipeline, so a later split can put copies of one row on both sides."""


class SeparationWarning(StatlearnWarning):
    """A hyperplane separates the classes, so the maximum-likelihood coefficients are infinite."""


class CollapseWarning(StatlearnWarning):
    """A mixture component has collapsed to a point or a plane, with its variance bounded only by a ridge."""


class ZeroProbabilityWarning(StatlearnWarning):
    """Some estimated probabilities are exactly 0, so that a single value can exclude a class."""


class AmbiguousInputWarning(StatlearnWarning):
    """Legal input that usually means something else, such as a matrix of distances passed as a table of rows."""


def warn(message, category=UserWarning):
    """Issue a warning that points to the user's call into the package."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def pass_on(caught, words):
    """Re-issue caught warnings of an inner model, with the messages of the categories in `words` replaced."""
    for each in caught:
        advice = next((text for category, text in words.items() if issubclass(each.category, category)), None)
        warn(str(each.message) if advice is None else advice, each.category)


def warn_if_stopped(estimator, status, detail, *, remedy="Increase max_iter, scale the features, or raise tol."):
    """Warn if a kernel stopped before convergence."""
    if status == OK:
        return
    owner = estimator if isinstance(estimator, str) else type(estimator).__name__
    what = "diverged" if status == DIVERGED else "did not converge"
    warn(f"{owner} {what}: {detail}. {remedy}", ConvergenceWarning)
