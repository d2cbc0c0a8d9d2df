"""Mean loss on data, and expected loss under a known generator."""

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_consistent_length

from statlearn._core.params import HasMethods, Int, check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.inference import standard_error

from ._bootstrap import generator
from ._generators import draw_from
from ._intervals import CONFIDENCE
from ._result import Interval


def _loss_of(loss):
    from .losses import get

    loss = get(loss)
    if not hasattr(loss, "_rows") and not callable(loss):
        raise TypeError(f"`loss` must be a name, an object of statlearn.assess.losses or a function, got {loss!r}.")
    return loss


def _row_losses(loss, y, f):
    """One loss per row, from an object of `statlearn.assess.losses`, its name or a function of (y, f)."""
    loss = _loss_of(loss)
    rows = loss._rows(y, f) if hasattr(loss, "_rows") else loss(np.asarray(y), np.asarray(f))
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 1 or len(rows) != len(y):
        raise ValueError(f"`loss` must return one value per row, got shape {rows.shape} for {len(y)} rows.")
    return rows


def empirical_risk(loss, y, f, *, sample_weight=None):
    """Mean loss of predictions on data.

    Parameters
    ----------
    loss : str, object of `statlearn.assess.losses`, or callable
        A name such as "squared_error" (see `statlearn.assess.losses.get`), a loss, or a function of (y, f), which must
        return one value per row.
    y : array-like of shape (n, ...)
    f : array-like of shape (n, ...)
        Predictions in the format that the loss requires.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    See Also
    --------
    expected_risk : its limit, if the generator is known.

    Examples
    --------
    >>> from statlearn.assess import empirical_risk
    >>> from statlearn.assess.losses import Huber
    >>> empirical_risk(Huber(), [0.0, 0.0], [0.5, -3.0])
    1.3125
    """
    check_consistent_length(y, f)
    rows = _row_losses(loss, y, f)
    weights = check_weights(sample_weight, rows)
    if weights is None:
        return float(np.mean(rows))
    used = weights > 0
    return float(np.sum(rows[used] * weights[used]) / np.sum(weights))


def expected_risk(loss, model, sample, *, n_samples=100_000, confidence=0.95, random_state=None):
    """Expected loss of a model under a known data generator, by simulation.

    Parameters
    ----------
    loss : str, object of `statlearn.assess.losses`, or callable
        A name such as "squared_error" (see `statlearn.assess.losses.get`), a loss, or a function of (y, f), which must
        return one value per row.
    model : estimator or callable
        Model whose `predict` returns the predictions, or a function of X that does.
    sample : callable
        ``sample(rng, n)`` draws n rows with a `numpy.random.Generator` and returns ``(X, y)``. Parameters named the
        other way round, ``sample(n, rng)``, are recognised.
    n_samples : int, default=100_000
        Number of rows to draw.
    confidence : float, default=0.95
        Confidence level of the interval for the simulation error.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Interval
        `estimate` is the risk; the length of the interval decreases as one over the square root of `n_samples`.

    See Also
    --------
    empirical_risk : on given data.

    Examples
    --------
    >>> from statlearn.assess import expected_risk
    >>> from statlearn.assess.losses import SquaredError
    >>> def sample(rng, n):
    ...     x = rng.normal(size=(n, 1))
    ...     return x, x[:, 0] + rng.normal(size=n)
    >>> risk = expected_risk(SquaredError(), lambda X: X[:, 0], sample, random_state=0)
    >>> 1.0 in risk
    True
    """
    check_arguments(
        expected_risk,
        model=(model, [HasMethods("predict"), "callable"]),
        sample=(sample, ["callable"]),
        n_samples=(n_samples, [Int(2, None)]),
        confidence=(confidence, CONFIDENCE),
        random_state=(random_state, ["random_state"]),
    )
    X, y = draw_from(sample, generator(random_state), n_samples, argument="sample")
    rows = _row_losses(loss, y, model.predict(X) if hasattr(model, "predict") else model(X))
    risk, error = float(np.mean(rows)), standard_error(rows)
    half = float(ndtri(0.5 + 0.5 * confidence)) * error
    return Interval(risk, risk - half, risk + half, confidence, "simulation", error)
