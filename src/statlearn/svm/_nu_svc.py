"""Support vector classification in the nu form: the exact machine with a given share of support vectors."""

import numpy as np

from statlearn._core.params import Real
from statlearn.svm._kernel_classifier import CLASSIFIER_CONSTRAINTS, KernelClassifier
from statlearn.svm._solver import Dual, fill_in_order


class NuSVC(KernelClassifier):
    r"""Support vector classification controlled by the share of support vectors.

    Minimises over w, b, :math:`\rho\ge0` and slacks

    .. math:: \tfrac12\lVert w\rVert^2 - \nu\rho + \tfrac1S\sum_i s_i\xi_i
        \quad\text{with}\quad y_i\,(w^\top\phi(x_i)+b) \ge \rho-\xi_i

    with weights :math:`s_i` of sum S. The solution, divided by :math:`\rho`, is that of `SVC` for some C. `nu` is an
    upper bound on the share of margin errors and a lower bound on the share of support vectors.

    Parameters
    ----------
    nu : float, default=0.5
        Between 0 and 1. It must not exceed twice the share of the smaller class.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    shrinking : bool, default=True
    probability : bool, default=False
    tol : float, default=1e-3
    cache_size : float, default=200
        As in `SVC`.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights by label, which also change the range of feasible values of `nu`.
    verbose : bool, default=False
    max_iter : int, default=-1
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
    break_ties : bool, default=False
    random_state : int, RandomState or None, default=None
    on_interrupt : {"raise", "keep"}, default="raise"
        As in `SVC`.

    Attributes
    ----------
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, probA_, probB_
        As in `SVC`.
    coef_ : ndarray of shape (n_machines, n_features)
        Only with a linear kernel.
    X_fit_ : array or list
        Training rows. Only with a callable kernel.
    class_weight_, fit_status_, n_iter_, shape_fit_, violation_, n_features_in_, feature_names_in_
        As in `SVC`.

    References
    ----------
    B. Schölkopf, A. J. Smola, R. C. Williamson and P. L. Bartlett, "New support vector algorithms", Neural Computation
    12 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> NuSVC(nu=0.1).fit(X, y).score(X, y) > 0.95
    True
    """

    _constraints = {
        "nu": [Real(0, 1, closed="right")],
        **CLASSIFIER_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        nu=0.5,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability=False,
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=False,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
        on_interrupt="raise",
    ):
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.on_interrupt = on_interrupt

    def _fit_machines(self, X, table, used, codes, bounds):
        machines = self._machines(codes)
        duals = [_nu_dual(rows, y, bounds[rows], self.nu) for rows, y in machines]
        solutions = self._solve(table, duals)
        coefs, intercepts = [], []
        for dual, solution in zip(duals, solutions):
            plus, minus = solution.level(dual, 1), solution.level(dual, 0)
            rho = 0.5 * (plus - minus)
            if not rho > 0:
                raise ValueError(
                    f"nu={self.nu} leaves no margin: the classes of y overlap completely. Use a larger nu."
                )
            coefs.append(solution.b / rho)
            intercepts.append(-0.5 * (plus + minus) / rho)
        self._set_attributes(X, used, codes, machines, coefs, intercepts, [s.n_iter for s in solutions])
        self.violation_ = np.array([s.gap for s in solutions])

    def _folds(self, bounds):
        def level(dual, solution):
            plus, minus = solution.level(dual, 1), solution.level(dual, 0)
            rho = max(0.5 * (plus - minus), 1e-12)
            return 1.0 / rho, -0.5 * (plus + minus) / rho

        return lambda rows, y: _nu_dual(rows, y, bounds[rows], self.nu), level


def _nu_dual(rows, y, upper, nu):
    """Dual in which both classes have the same fixed sum of multipliers, nu times half the total weight."""
    positive = y > 0
    total = 0.5 * nu * upper.sum()
    if total > min(upper[positive].sum(), upper[~positive].sum()) * (1 + 1e-12):
        raise ValueError(
            f"specified nu is infeasible: nu={nu} must be at most twice the share of the smaller class, "
            f"{2 * min(upper[positive].sum(), upper[~positive].sum()) / upper.sum():.4g}."
        )
    start = np.zeros(rows.size)
    start[positive] = fill_in_order(total, upper[positive])
    start[~positive] = -fill_in_order(total, upper[~positive])
    return Dual(
        rows,
        np.arange(rows.size),
        np.zeros(rows.size),
        np.where(positive, 0.0, -upper),
        np.where(positive, upper, 0.0),
        start,
        positive.astype(np.uint8),
    )
