"""Measures of simulated trajectories, and one number from several of them."""

import numpy as np


def _norms(vectors, name):
    vectors = np.asarray(vectors, dtype=np.float64)
    if vectors.ndim != 3 or 0 in vectors.shape:
        raise ValueError(f"`{name}` must have shape (n_runs, n_times, n_coordinates), got {vectors.shape}.")
    if not np.isfinite(vectors).all():
        raise ValueError(f"`{name}` must be finite.")
    return np.linalg.norm(vectors, axis=2)


def closest_approach(distance):
    """Smallest distance of each run.

    Parameters
    ----------
    distance : array-like of shape (n_runs, n_times, n_coordinates)
        Difference of the two positions.

    Returns
    -------
    closest : ndarray of shape (n_runs,)

    Examples
    --------
    >>> from statlearn.decision import closest_approach
    >>> closest_approach([[[3, 4], [0, 2], [5, 0]]])
    array([2.])
    """
    return _norms(distance, "distance").min(axis=1)


def trajectory_metrics(distance, deviation, *, quantile=0.05):
    """Safety and accuracy of simulated trajectories.

    Parameters
    ----------
    distance, deviation : array-like of shape (n_runs, n_times, n_coordinates)
        Difference to the intruder, and to the wanted path.
    quantile : float, default=0.05
        Which quantile of the closest approaches is reported.

    Returns
    -------
    metrics : dict
        "closest_approach": array of the closest approaches; "closest_quantile": their quantile;
        "mean_deviation": mean length of the deviation over runs and times.

    Examples
    --------
    >>> from statlearn.decision import trajectory_metrics
    >>> metrics = trajectory_metrics([[[3, 4], [0, 2]]], [[[0, 0], [0, 1]]])
    >>> metrics["closest_quantile"], metrics["mean_deviation"]
    (2.0, 0.5)
    """
    if not 0 <= quantile <= 1:
        raise ValueError(f"`quantile` must be a number in [0, 1], got {quantile!r}.")
    closest = closest_approach(distance)
    return {
        "closest_approach": closest,
        "closest_quantile": float(np.quantile(closest, quantile)),
        "mean_deviation": float(_norms(deviation, "deviation").mean()),
    }


def scalarize(metrics, weights, *, maximize=()):
    r"""One objective to minimise from several metrics.

    The sum of :math:`w_k m_k` over metrics to minimise and of :math:`w_k / m_k` over metrics to maximise. With
    ``weights={"closest_quantile": beta, "mean_deviation": 1 - beta}`` and ``maximize=["closest_quantile"]`` it is the
    objective :math:`\beta / r_{5\%} + (1 - \beta)\,\text{deviation}` of the collision example.

    Parameters
    ----------
    metrics : dict of str to float
    weights : dict of str to float
        Non-negative weights of the metrics that count.
    maximize : list of str, default=()
        Metrics of which more is better; they must be positive, and 0 gives an infinite objective.

    Returns
    -------
    objective : float

    Examples
    --------
    >>> from statlearn.decision import scalarize
    >>> scalarize({"safety": 2.0, "cost": 3.0}, {"safety": 0.5, "cost": 0.5}, maximize=["safety"])
    1.75
    """
    for name in [*weights, *maximize]:
        if name not in metrics:
            raise ValueError(f"`metrics` has no {name!r}; it has {sorted(metrics)}.")
    total = 0.0
    for name, weight in weights.items():
        if not weight >= 0 or not np.isfinite(weight):
            raise ValueError(f"`weights`[{name!r}] must be a finite number of at least 0, got {weight!r}.")
        value = float(metrics[name])
        if np.isnan(value) or (name in maximize and value < 0):
            raise ValueError(
                f"`metrics`[{name!r}] must be {'at least 0' if name in maximize else 'a number'}, got {value}."
            )
        if name in maximize:
            value = 1 / value if value > 0 else np.inf
        total += weight * value if weight > 0 else 0.0
    return total
