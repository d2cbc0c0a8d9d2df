"""The package's own warning categories, and the one way to say that an iteration stopped early."""

import warnings

from sklearn.exceptions import ConvergenceWarning

# Status codes of native/common/status.hpp.
OK, MAX_ITER, INTERRUPTED, DIVERGED = range(4)


class StatlearnWarning(UserWarning):
    """Base of statlearn's warnings."""


class RankWarning(StatlearnWarning):
    """Columns of X are linearly dependent: the coefficients are not unique."""


class SeparationWarning(StatlearnWarning):
    """A hyperplane separates the classes: the maximum-likelihood coefficients are infinite."""


def warn_if_stopped(estimator, status, detail, *, remedy="Increase max_iter, scale the features, or raise tol."):
    """Warn when a kernel reports that it stopped before its rule was met.

    The warning points at the line that called `fit`.
    """
    if status == OK:
        return
    owner = estimator if isinstance(estimator, str) else type(estimator).__name__
    what = "diverged" if status == DIVERGED else "did not converge"
    warnings.warn(f"{owner} {what}: {detail}. {remedy}", ConvergenceWarning, stacklevel=3)
