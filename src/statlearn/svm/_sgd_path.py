"""Linear machines over a grid of values of C, by stochastic gradients."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.validation import FLOATS, check_array, check_same_length, encode_classes, naming
from statlearn._math.linalg.sparse_arrays import row_arrays
from statlearn._math.solvers.stochastic import LARGEST_SEED
from statlearn.svm._path import check_prices
from statlearn.svm._sgd import LOSSES, SCHEDULES


@dataclass
class HingeSGDPath:
    """Result of `hinge_sgd_path`.

    Attributes
    ----------
    C : ndarray of shape (m,)
        Values of C, ascending.
    coef : ndarray of shape (m, n_features)
        Weights of the features.
    intercept : ndarray of shape (m,)
    n_support : ndarray of shape (m,)
        Number of rows on or within the margin, y f(x) <= 1. For the exact machine these are the support vectors.
    margin : ndarray of shape (m,)
        Margin 1 / ``|w|``.
    width : ndarray of shape (m,)
        Width 2 / ``|w|`` between the levels f(x) = ±1, twice the margin.
    slack : ndarray of shape (m,)
        Total slack, the sum of max(0, 1 - y f(x)).
    objective : ndarray of shape (m,)
        ``|w|**2 / 2 + C * slack``, never below the minimum that `svm_path` finds.

    Examples
    --------
    >>> from statlearn.svm import hinge_sgd_path
    >>> path = hinge_sgd_path([[-1.0], [1.0]], [0, 1], Cs=[0.1, 1.0], random_state=0)
    >>> path.coef.shape
    (2, 1)
    """

    C: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    n_support: np.ndarray
    margin: np.ndarray
    slack: np.ndarray
    objective: np.ndarray

    @property
    def width(self):
        """Width between the levels f(x) = ±1, twice the margin."""
        return 2.0 * self.margin


def hinge_sgd_path(X, y, *, Cs=20, n_passes=100, schedule="inverse_root", random_state=None):
    r"""Linear soft-margin machines for two classes over a grid of C, by averaged stochastic subgradients.

    Every machine minimises :math:`\frac12\lVert w\rVert^2+C\sum_i\max(0,1-y_if(x_i))` approximately, starting from the
    machine at the next smaller C, with weights averaged over the second half of its passes. In the scale of
    `SGDClassifier`, alpha = 1 / (C n).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    Cs : int or array-like, default=20
        Values of C, or their number on a logarithmic scale from 1e-3 to 1e3.
    n_passes : int, default=100
        Passes over the rows per value of C. The error grows with C, most of all on separable classes.
    schedule : {"inverse_root", "optimal", "inverse", "constant"}, default="inverse_root"
        Length of step t: ``"inverse_root"`` is :math:`0.1/\sqrt t`, ``"optimal"`` :math:`1/(\alpha(t_0+t))` with
        Bottou's :math:`t_0`, ``"inverse"`` :math:`1/(\alpha t)` and ``"constant"`` 0.01. The first is the most accurate
        over the range of C: the steps of the next two are too long at large C and too short at small C.
    random_state : int, RandomState or None, default=None
        Order of the rows.

    Returns
    -------
    HingeSGDPath

    See Also
    --------
    svm_path : The exact machines, with any kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.svm import hinge_sgd_path
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(size=(50, 2)) - 1, rng.normal(size=(50, 2)) + 1])
    >>> path = hinge_sgd_path(X, np.repeat([0, 1], 50), Cs=[0.01, 0.1, 1.0], random_state=0)
    >>> bool(path.margin[0] > path.margin[2]), bool(path.n_support[0] > path.n_support[2])
    (True, True)
    """
    Cs = check_prices(hinge_sgd_path, Cs)
    check_arguments(
        hinge_sgd_path,
        n_passes=(n_passes, [Int(2, None)]),
        schedule=(schedule, [Options("optimal", "inverse", "inverse_root", "constant")]),
        random_state=(random_state, ["random_state"]),
    )
    with naming("X"):
        X = check_array(X, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False)
    check_same_length(X, y)
    classes, codes = encode_classes(np.asarray(y), owner="hinge_sgd_path")
    if classes.size != 2:
        raise ValueError(f"y must have two classes, got {classes.size}.")
    signs = np.where(codes == 1, 1.0, -1.0)
    seeds = check_random_state(random_state).randint(LARGEST_SEED, size=Cs.size).astype(np.uint32)
    n, m = signs.size, Cs.size
    W, b = np.zeros((1, X.shape[1])), np.zeros(1)
    coef, intercept = np.empty((m, X.shape[1])), np.empty(m)
    for k, C in enumerate(Cs):
        alpha = 1.0 / (C * n)
        _descend(X, signs, alpha, schedule, seeds[k : k + 1], n_passes, W, b)
        coef[k], intercept[k] = W[0], b[0]
    scores = np.asarray(X @ coef.T) + intercept
    margins = signs[:, None] * scores
    square = (coef**2).sum(axis=1)
    slack = np.maximum(1.0 - margins, 0.0).sum(axis=0)
    with np.errstate(divide="ignore"):
        margin = 1.0 / np.sqrt(square)
    return HingeSGDPath(Cs, coef, intercept, (margins <= 1.0).sum(axis=0), margin, slack, 0.5 * square + Cs * slack)


def _descend(X, signs, alpha, schedule, seed, n_passes, W, b):
    """Move W and b to the average over the second half of the passes."""
    name, eta0, power = {
        "optimal": ("optimal", 1.0, 1.0),
        "inverse": ("invscaling", 1.0 / alpha, 1.0),
        "inverse_root": ("invscaling", 0.1, 0.5),
        "constant": ("constant", 0.01, 1.0),
    }[schedule]
    loss, bend = LOSSES["hinge"]
    mean_W, mean_b = np.zeros_like(W), np.zeros_like(b)
    begin = float(n_passes // 2 * signs.size + 1)
    native.svm.sgd_fit(
        *row_arrays(X), signs[None], np.ones((1, signs.size)), np.empty(0, dtype=np.uint8), seed, W, b, mean_W, mean_b,
        loss, bend, SCHEDULES[name], eta0, power, alpha, 0.0, alpha, 0.0, True, 1.0, True, 1.0, begin, -1.0, 1,
        n_passes, 0,
    )  # fmt: skip
    W[:], b[:] = mean_W, mean_b
