"""Procrustes alignment of two or more configurations of points."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import check_array


class Procrustes(NamedTuple):
    """Result of `procrustes`: ``scale * X1 @ rotation + translation`` is closest to X2."""

    rotation: np.ndarray
    translation: np.ndarray
    scale: float
    aligned: np.ndarray
    residual: float


class ProcrustesAverage(NamedTuple):
    """Result of `procrustes_average`: mean shape, aligned shapes and rotations."""

    mean: np.ndarray
    aligned: np.ndarray
    rotations: np.ndarray
    scales: np.ndarray
    objective: list


def _rotation(A, B, reflection):
    """Orthogonal R that brings A R closest to B, and the trace of A'B under it."""
    U, s, Vt = linalg.svd(A.T @ B)
    if not reflection and np.linalg.det(U @ Vt) < 0:
        U[:, -1] *= -1.0
        s[-1] *= -1.0
    return U @ Vt, float(s.sum())


def procrustes(X1, X2, *, scale=False, reflection=True):
    r"""Rotation, shift and optional scale that bring one configuration closest to another.

    .. math:: \min_{R^\top R = I,\, \mu,\, \beta} \lVert X_2 - (\beta X_1 R + 1\mu^\top) \rVert_F^2

    With the singular value decomposition :math:`\tilde X_1^\top \tilde X_2 = U D V^\top` of the centred configurations,
    :math:`R = U V^\top`, :math:`\beta = \mathrm{tr}(D) / \lVert \tilde X_1 \rVert^2` and
    :math:`\mu = \bar x_2 - \beta R^\top \bar x_1`.

    Parameters
    ----------
    X1, X2 : array-like of shape (n_points, n_dimensions)
        Corresponding points.
    scale : bool, default=False
        Whether to scale as well.
    reflection : bool, default=True
        Whether R may include a reflection; otherwise its determinant is 1.

    Returns
    -------
    Procrustes
        Named tuple of `rotation`, `translation`, `scale`, the `aligned` X1, and the `residual` sum of squares.

    References
    ----------
    Gower (1975), Generalized Procrustes analysis. Psychometrika 40.

    Examples
    --------
    >>> from statlearn.decomposition import procrustes
    >>> square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> turned = [[2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    >>> found = procrustes(square, turned)
    >>> found.rotation.round(6) + 0.0, found.translation.round(6)
    (array([[ 0.,  1.],
           [-1.,  0.]]), array([2., 0.]))
    """
    check_arguments(procrustes, scale=(scale, ["boolean"]), reflection=(reflection, ["boolean"]))
    X1 = check_array(X1, dtype=np.float64, input_name="X1")
    X2 = check_array(X2, dtype=np.float64, input_name="X2")
    if X1.shape != X2.shape:
        raise ValueError(f"X1 and X2 must have the same shape, got {X1.shape} and {X2.shape}.")
    m1, m2 = X1.mean(axis=0), X2.mean(axis=0)
    A, B = X1 - m1, X2 - m2
    R, trace = _rotation(A, B, reflection)
    factor = 1.0
    if scale:
        size = float(np.sum(A * A))
        if size == 0:
            raise ValueError("X1 has only one distinct point, which cannot be scaled; use `scale`=False.")
        factor = trace / size
    shift = m2 - factor * (m1 @ R)
    aligned = factor * (X1 @ R) + shift
    return Procrustes(R, shift, factor, aligned, float(np.sum((X2 - aligned) ** 2)))


def procrustes_average(shapes, *, scale=False, reflection=True, max_iter=100, tol=1e-10):
    r"""Mean shape of several configurations, aligned by rotations (and optionally scales).

    .. math:: \min_{M, R_l} \sum_l \lVert \tilde X_l R_l - M \rVert_F^2

    by turns: every centred configuration is rotated to the mean M, and M becomes the mean of the rotated ones. With
    `scale`, each configuration is also scaled to M, which is kept at size 1.

    Parameters
    ----------
    shapes : array-like of shape (n_shapes, n_points, n_dimensions)
        Configurations with corresponding points.
    scale : bool, default=False
    reflection : bool, default=True
    max_iter : int, default=100
    tol : float, default=1e-10
        Relative decrease of the objective at which the iteration stops.

    Returns
    -------
    ProcrustesAverage
        Named tuple of the `mean` shape, the `aligned` shapes, their `rotations` and `scales`, and the `objective` after
        each turn, which never rises without scaling.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import procrustes_average
    >>> shape = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
    >>> turned = shape @ [[0.0, 1.0], [-1.0, 0.0]] + 5.0
    >>> round(procrustes_average([shape, turned]).objective[-1], 9)
    0.0
    """
    check_arguments(
        procrustes_average,
        scale=(scale, ["boolean"]),
        reflection=(reflection, ["boolean"]),
        max_iter=(max_iter, [Int(1, None)]),
        tol=(tol, [Real(0, None)]),
    )
    try:
        X = np.asarray(shapes, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError("`shapes` must be arrays of numbers of one shape.") from error
    if X.ndim != 3 or 0 in X.shape:
        raise ValueError(f"`shapes` must have three dimensions (shape, point, coordinate), got an array of {X.shape}.")
    if not np.isfinite(X).all():
        raise ValueError("`shapes` contains NaN or infinity.")
    X = X - X.mean(axis=1, keepdims=True)
    if scale:
        size = np.linalg.norm(X, axis=(1, 2), keepdims=True)
        if np.any(size == 0):
            raise ValueError("`shapes` contains a configuration with only one distinct point; use `scale`=False.")
    mean = X[0] / (np.linalg.norm(X[0]) if scale else 1.0)
    objective: list[float] = []
    rotations, scales = np.tile(np.eye(X.shape[2]), (len(X), 1, 1)), np.ones(len(X))
    for _ in range(max_iter):
        for i, each in enumerate(X):
            rotations[i], trace = _rotation(each, mean, reflection)
            if scale:
                scales[i] = trace / np.sum(each * each)
        aligned = scales[:, None, None] * (X @ rotations)
        mean = aligned.mean(axis=0)
        if scale:
            mean = mean / np.linalg.norm(mean)
        objective.append(float(np.sum((aligned - mean) ** 2)))
        if len(objective) > 1 and objective[-2] - objective[-1] <= tol * max(objective[-2], 1e-300):
            break
    return ProcrustesAverage(mean, aligned, rotations, scales, objective)
