"""Support vector classification: the exact soft margin with any kernel."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import Options, Real
from statlearn._core.search import SearchSpace
from statlearn.svm._budget import solve_for_budget
from statlearn.svm._kernel_classifier import CLASSIFIER_CONSTRAINTS, KernelClassifier
from statlearn.svm._loo_bound import xi_alpha_bound
from statlearn.svm._margins import MarginWidthMixin
from statlearn.svm._pair_probabilities import soft_margin_level, soft_margin_maker
from statlearn.svm._solver import LARGEST_C, classification_dual, solve_by_qp
from statlearn.svm._summary import svc_summary

STATUS = ("outside", "margin", "inside", "wrong", "")


class SVC(MarginWidthMixin, KernelClassifier):
    r"""Support vector classification with any kernel.

    For labels :math:`y_i=\pm1` the machine minimises over w, b and slacks :math:`\xi_i\ge0`

    .. math:: \tfrac12\lVert w\rVert^2 + \sum_i C_i\,\xi_i
        \quad\text{with}\quad y_i\,(w^\top\phi(x_i)+b) \ge 1-\xi_i

    where :math:`C_i` is `C` times the weight of the row and of its class, and :math:`\phi` the feature map of the
    kernel. The intercept is not penalised. The dual problem is
    :math:`\max\sum_i\alpha_i-\tfrac12\sum_{ij}\alpha_i\alpha_jy_iy_jK_{ij}` with :math:`0\le\alpha_i\le C_i` and
    :math:`\sum_i\alpha_iy_i=0`. The solver stops when no pair of multipliers violates its optimality conditions by
    `tol` or more. More than two classes are fitted one-vs-one by default.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the slacks; larger values follow the training data more closely. In the scale sum of hinge losses
        :math:`+\lambda\lVert w\rVert^2` it is :math:`\lambda=1/(2C)`, see `statlearn.linear.convert_penalty`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        ``"rbf"`` is :math:`e^{-\gamma\lVert x-z\rVert^2}`, ``"poly"`` :math:`(\gamma x^\top z+c_0)^d`, ``"sigmoid"``
        :math:`\tanh(\gamma x^\top z+c_0)`, which is not positive definite. A callable takes two tables and returns
        their kernel matrix; objects of `statlearn.kernels` are such callables. ``"gaussian"`` is ``"rbf"``, and
        ``"polynomial"`` is ``"poly"``.
    degree : int, default=3
        Degree d of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernel: ``"scale"`` is 1 / (n_features * X.var()), ``"auto"`` is 1 / n_features. Tune it together
        with C.
    coef0 : float, default=0.0
        Constant :math:`c_0` of the polynomial and sigmoid kernels. It is 1 by default in
        :class:`statlearn.kernels.PolynomialKernel`, whose gamma is 1 / n_features. The kernel
        :math:`(1 + x^\top z)^d` is ``kernel="poly", gamma=1, coef0=1`` here and
        ``PolynomialKernel(degree=d, gamma=1, coef0=1)`` there.
    shrinking : bool, default=True
        Set multipliers aside that are unlikely to change. It saves time and does not change the solution.
    probability : bool, default=False
        Whether to fit Platt's sigmoids for `predict_proba`, from decision values of five-fold cross-validation. The
        folds share one kernel matrix, so that this costs less than ``CalibratedClassifierCV(SVC(), ensemble=False)``.
        scikit-learn deprecates this parameter from version 1.9 on; statlearn keeps it.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at the end.
    cache_size : float, default=200
        Megabytes for kernel values. With less than the memory of the whole matrix, values are computed again when
        needed.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by label. ``"balanced"`` gives every class the same total, where a row of weight k counts as k
        rows.
    verbose : bool, default=False
        Print steps, violation, objective and number of active multipliers twice a second.
    max_iter : int, default=-1
        Maximum number of steps of each binary machine. With -1 the solver continues until `tol`, or until millions of
        steps have not reduced the violation, in which case it warns.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes: one column per class, or one per pair of classes.
    break_ties : bool, default=False
        Break ties between classes with the same number of votes by the summed decision values. Otherwise the first of
        them is predicted.
    random_state : int, RandomState or None, default=None
        Shuffles the folds of ``probability=True``; nothing else is random.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One machine per pair of classes and a vote, or one machine per class against the rest and the largest decision
        value.
    budget : float or None, default=None
        Upper limit of the total slack :math:`\sum_i s_i\xi_i` (s the weights). If given, C is ignored and the value
        that matches the budget is found and stored as `C_`. Two classes only.
    solver : {"smo", "qp"}, default="smo"
        ``"qp"`` solves the dense quadratic program by an active-set method, as a reference for small data.
    on_interrupt : {"raise", "keep"}, default="raise"
        ``"keep"`` ends the fit at Ctrl-C with the machine reached so far, and a warning.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors in the training data, ordered by class.
    support_vectors_ : ndarray or csr matrix of shape (n_SV, n_features)
    n_support_ : ndarray of shape (n_classes,)
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV) or (n_classes, n_SV)
        :math:`y_i\alpha_i`. One-vs-one machines have libsvm's layout; one-vs-rest has one row per class.
    intercept_ : ndarray of shape (n_machines,)
    coef_ : ndarray of shape (n_machines, n_features)
        Only with a linear kernel.
    margin_ : ndarray of shape (n_machines,)
        Margin :math:`1/\lVert w\rVert`: the distance between the boundary and the level f(x) = ±1, on which the closest
        rows of separable classes lie, in the feature space of the kernel.
    width_ : ndarray of shape (n_machines,)
        Width :math:`2/\lVert w\rVert` of the strip between the two levels, twice `margin_`.
    objective_ : ndarray of shape (n_machines,)
        The dual objective :math:`\tfrac12\sum\alpha\alpha yyK-\sum\alpha` that is minimised (minus the dual value).
    violation_ : ndarray of shape (n_machines,)
        Largest violation of the optimality conditions.
    support_status_ : ndarray of str of shape (n_samples,) or (n_samples, n_machines)
        ``"outside"`` (:math:`\alpha=0`), ``"margin"`` (:math:`0<\alpha<C`), ``"inside"`` (:math:`\alpha=C`,
        :math:`\xi\le1`) or ``"wrong"`` (:math:`\xi>1`, the wrong side); empty if the row is not part of the machine.
    slack_ : ndarray of shape (n_samples,)
        Slacks :math:`\xi_i`; two classes only.
    loo_error_bound_ : float
        Upper bound (Joachims' xi-alpha) on the leave-one-out error rate; two classes only. It is 1, which says nothing,
        if no row lies exactly on the margin.
    C_ : float
        The C of the fit, which `budget` determines if it is given.
    class_weight_ : ndarray of shape (n_classes,)
    fit_status_ : int
        0 if the tolerance was reached.
    n_iter_ : ndarray of shape (n_machines,)
        Number of steps; each changes two multipliers.
    shape_fit_ : tuple of int
    X_fit_ : array or list
        Training rows; only with a callable kernel.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
    probA_, probB_ : ndarray of shape (n_machines,)
        Slopes and constants of the sigmoids; empty without `probability`.

    See Also
    --------
    LinearSVC : Linear machines for many rows.
    NuSVC : The same machine controlled by the share of support vectors.
    HardMarginSVC : No slack at all.

    Notes
    -----
    The cost grows between the square and the cube of the number of rows. Above some 50,000 rows consider `LinearSVC`,
    perhaps on features of `statlearn.kernels.Nystroem`.

    Scale the columns first: a column with a large scale dominates every kernel. Kernels do not ignore noise columns.
    Decision values are not probabilities. For these, wrap the machine in scikit-learn's
    ``CalibratedClassifierCV(SVC(), ensemble=False)``.

    If the kernel is not positive definite (sigmoid, or a given matrix), the dual problem has no unique solution. Pairs
    of negative curvature then move to a bound, as in libsvm, and a stationary point is returned with a warning.

    The solver works on sets of 512 rows whose kernel values are computed as one block, with second-order selection
    inside. Above 1000 rows the Gaussian kernel is evaluated in single precision unless `tol` is below 1e-4. Results do
    not depend on the number of threads.

    References
    ----------
    C. Cortes and V. Vapnik, "Support-vector networks", Machine Learning 20 (1995). R.-E. Fan, P.-H. Chen and C.-J.
    Lin, "Working set selection using second order information for training support vector machines", JMLR 6 (2005).
    T. Joachims, "Estimating the generalization performance of a SVM efficiently", ICML 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.svm import SVC
    >>> X = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]
    >>> machine = SVC(kernel="linear", C=1e3, tol=1e-9).fit(X, [1, 1, -1])
    >>> print(machine.coef_.round(6), machine.intercept_.round(6), machine.margin_.round(6))
    [[0.5 0.5]] [-2.] [1.414214]
    >>> machine.support_status_.tolist()
    ['margin', 'outside', 'margin']
    """

    _constraints = {
        "C": [Real(0, None, closed="right")],
        **CLASSIFIER_CONSTRAINTS,
        "multi_class": [Options("ovo", "ovr")],
        "budget": [Real(0, None, closed="neither"), None],
        "solver": [Options("smo", "qp")],
    }
    _search_space = SearchSpace(
        "support vector machine",
        grid={"C": [0.1, 1.0, 10.0, 100.0], "gamma": ["scale", 0.01, 0.1]},
        fixed={"probability": True},
    )

    def __init__(
        self,
        *,
        C=1.0,
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
        multi_class="ovo",
        budget=None,
        solver="smo",
        on_interrupt="raise",
    ):
        self.C = C
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
        self.multi_class = multi_class
        self.budget = budget
        self.solver = solver
        self.on_interrupt = on_interrupt

    def _fit_machines(self, X, table, used, codes, bounds):
        machines = self._machines(codes)
        if self.budget is not None and len(machines) > 1:
            raise ValueError(f"`budget` requires two classes, but y has {self.classes_.size}.")
        solver = self._solve_qp if self.solver == "qp" else self._solve
        if self.budget is not None:
            self.C_, duals, solutions = solve_for_budget(solver, table, machines[0], bounds, float(self.budget))
        else:
            self.C_ = min(float(self.C), LARGEST_C)
            duals = [classification_dual(rows, y, self.C_ * bounds[rows]) for rows, y in machines]
            solutions = solver(table, duals)
        coefs = [s.multipliers(d) for s, d in zip(solutions, duals)]
        intercepts = [-s.level(d) for s, d in zip(solutions, duals)]
        self._set_attributes(X, used, codes, machines, coefs, intercepts, [s.n_iter for s in solutions])
        self.objective_ = np.array([s.objective for s in solutions])
        self.violation_ = np.array([s.gap for s in solutions])
        squares = np.array([max(float(c @ s.score), 0.0) for c, s in zip(coefs, solutions)])
        with np.errstate(divide="ignore"):
            self.margin_ = 1.0 / np.sqrt(squares)
        self._set_status(table, used, codes, machines, duals, solutions, coefs, intercepts)

    def _folds(self, bounds):
        return soft_margin_maker(self.C_ * bounds), soft_margin_level

    def _solve_qp(self, table, duals):
        self.fit_status_ = 0
        return [solve_by_qp(table, dual) for dual in duals]

    def _set_status(self, table, used, codes, machines, duals, solutions, coefs, intercepts):
        n = self.shape_fit_[0]
        forget(self, "slack_", "loo_error_bound_")
        status = np.full((n, len(machines)), STATUS.index(""), dtype=np.uint8)
        for c, ((rows, y), dual, solution, coef, b) in enumerate(zip(machines, duals, solutions, coefs, intercepts)):
            slack = np.maximum(1.0 - y * (solution.score + b), 0.0)
            size, widths = np.abs(coef), dual.upper - dual.lower
            code = np.where(size == 0, 0, np.where(size < widths, 1, np.where(slack <= 1, 2, 3)))
            status[used[rows], c] = code
            if len(machines) == 1:
                self.slack_ = np.zeros(n)
                self.slack_[used[rows]] = slack
                self.loo_error_bound_ = xi_alpha_bound(table, rows, size, widths, slack)
        self._status_codes = status

    @property
    def support_status_(self):
        """Position of every training row relative to the margin; see the attributes of the class."""
        check_is_fitted(self)
        status = np.array(STATUS)[self._status_codes]
        return status[:, 0] if status.shape[1] == 1 else status

    def summary(self):
        """Table of the binary machines, and of the support vectors of the classes.

        Returns
        -------
        Summary
            One row per machine: support vectors and where they lie (see `support_status_`), margin 1/||w|| and width
            2/||w||, dual value, remaining violation of the optimality conditions, iterations. ``facts`` holds the
            kernel, C, the share of rows that are support vectors and, for two classes, the bound on the leave-one-out
            error.

        Examples
        --------
        >>> from statlearn.svm import SVC
        >>> machine = SVC(kernel="linear", C=10).fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> int(machine.summary()["on_margin"][0])
        2
        """
        check_is_fitted(self)
        return svc_summary(self)
