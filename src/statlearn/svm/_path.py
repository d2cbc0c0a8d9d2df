"""Machines over a grid of values of C."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Int, Real, check_arguments
from statlearn.svm._solver import LARGEST_C, classification_dual, start_for_larger_bounds
from statlearn.svm._svc import SVC


@dataclass
class SVMPath:
    """Result of `svm_path`.

    Attributes
    ----------
    C : ndarray of shape (m,)
        Values of C, ascending.
    coef : ndarray of shape (m, n_features) or None
        Weights of the features, with a linear kernel.
    dual_coef : ndarray of shape (m, n_samples)
        Signed multipliers of all rows.
    intercept : ndarray of shape (m,)
    n_support : ndarray of shape (m,)
        Number of support vectors.
    margin : ndarray of shape (m,)
        Margin :math:`1/\\lVert w\rVert`, which never grows with C.
    width : ndarray of shape (m,)
        Width :math:`2/\\lVert w\rVert` between the levels f(x) = ±1, twice the margin.
    slack : ndarray of shape (m,)
        Total slack, which never grows with C.
    objective : ndarray of shape (m,)
        Minimised dual objective.
    n_iter : ndarray of shape (m,)
        Steps of the solver at each C, from the solution before.

    Examples
    --------
    >>> from statlearn.svm import svm_path
    >>> svm_path([[-1.0], [1.0]], [0, 1], Cs=[0.1, 1.0]).coef.round(3)
    array([[0.2],
           [1. ]])
    """

    C: np.ndarray
    coef: np.ndarray | None
    dual_coef: np.ndarray
    intercept: np.ndarray
    n_support: np.ndarray
    margin: np.ndarray
    slack: np.ndarray
    objective: np.ndarray
    n_iter: np.ndarray

    @property
    def width(self):
        """Width between the levels f(x) = ±1, twice the margin."""
        return 2.0 * self.margin


def svm_path(X, y, *, Cs=20, kernel="linear", degree=3, gamma="scale", coef0=0.0, tol=1e-3, cache_size=200):
    """Soft-margin machines for two classes over a grid of C, each started from the previous one.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    Cs : int or array-like, default=20
        Values of C, or their number on a logarithmic scale from 1e-3 to 1e3.
    kernel, degree, gamma, coef0, tol, cache_size
        As in `SVC`.

    Returns
    -------
    SVMPath

    Examples
    --------
    >>> from statlearn.svm import svm_path
    >>> path = svm_path([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], Cs=[0.1, 1.0, 10.0])
    >>> bool((path.margin[1:] <= path.margin[:-1] + 1e-6).all())
    True
    """
    Cs = check_prices(svm_path, Cs)
    machine = SVC(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, tol=tol, cache_size=cache_size)
    X, labels = machine._validate(X, y)
    table, _, _ = machine._prepare(X, None)
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size != 2:
        raise ValueError(f"y must have two classes, got {classes.size}.")
    signs = np.where(codes == 1, 1.0, -1.0)
    n, m = signs.size, Cs.size
    if table.kind is not None and n * n * 8 <= cache_size * 2**20:
        rows = table.X
        table = table.as_matrix(np.float64)  # one kernel matrix for all prices
    else:
        rows = table.X
    path = SVMPath(
        Cs, None, np.zeros((m, n)), np.zeros(m), np.zeros(m, dtype=int), np.zeros(m), np.zeros(m), np.zeros(m),
        np.zeros(m, dtype=int),
    )  # fmt: skip
    dual = solution = None
    for k, C in enumerate(Cs):
        start = None if solution is None else start_for_larger_bounds(dual, solution, C / Cs[k - 1])
        dual = classification_dual(np.arange(n), signs, np.full(n, min(C, LARGEST_C)), start)
        (solution,) = machine._solve(table, [dual])
        coef = solution.b
        b = -solution.level(dual)
        square = max(float(coef @ solution.score), 0.0)
        path.dual_coef[k], path.intercept[k] = coef, b
        path.n_support[k] = np.count_nonzero(coef)
        path.margin[k] = 1.0 / np.sqrt(square) if square > 0 else np.inf
        path.slack[k] = np.maximum(1.0 - signs * (solution.score + b), 0.0).sum()
        path.objective[k], path.n_iter[k] = solution.objective, solution.n_iter
    if kernel == "linear":
        path.coef = np.asarray(path.dual_coef @ rows)
    return path


def check_prices(function, Cs):
    """Ascending positive prices from an array or a number of them."""
    if isinstance(Cs, (int, np.integer)) and not isinstance(Cs, bool):
        check_arguments(function, Cs=(Cs, [Int(1, None)]))
        return np.logspace(-3, 3, Cs)
    Cs = np.sort(np.ravel(np.asarray(Cs, dtype=np.float64)))
    for C in Cs:
        check_arguments(function, Cs=(float(C), [Real(0, None, closed="neither")]))
    if Cs.size == 0:
        raise ValueError("Cs must contain at least one value.")
    return Cs
