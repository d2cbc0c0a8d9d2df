"""Support vector classification: soft margin and nu form, exact, with any kernel."""

import functools
import itertools

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import class_factors
from statlearn._core.params import Instance, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_labels
from statlearn._core.warnings import warn
from statlearn.svm._budget import solve_for_budget
from statlearn.svm._machine import KERNEL_CONSTRAINTS, KernelMachine, sparse_like
from statlearn.svm._platt import couple_pairs, fit_sigmoid, held_out_values, soft_margin_level, soft_margin_maker
from statlearn.svm._solver import LARGEST_C, Dual, classification_dual, fill_in_order, solve, solve_by_qp

STATUS = ("outside", "margin", "inside", "wrong", "")


def ovr_scores(wins_low, confidences, n_classes):
    """Per-class scores from one-vs-one decisions: votes plus a monotone map of summed confidences into (-1/3, 1/3).

    `wins_low` says that pair (i, j), i < j, votes for j; `confidences` are positive for j. This is scikit-learn's
    convention, in which the votes decide and the summed decision values break ties.
    """
    votes = np.zeros((wins_low.shape[0], n_classes))
    sums = np.zeros_like(votes)
    for k, (i, j) in enumerate(itertools.combinations(range(n_classes), 2)):
        sums[:, i] -= confidences[:, k]
        sums[:, j] += confidences[:, k]
        votes[~wins_low[:, k], i] += 1
        votes[wins_low[:, k], j] += 1
    return votes + sums / (3 * (np.abs(sums) + 1))


class _KernelClassifier(ClassifierMixin, KernelMachine):
    """Base of `SVC` and `NuSVC`: pairs of classes, votes, and the layout of the dual coefficients."""

    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, or the kernel matrix of shape (n_samples, n_samples) with ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None
            Weight of every row: its C is multiplied by the weight. A weight of k equals k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y)
        check_labels(y)
        self._refuse_one_class(y, sample_weight)
        table, kept, weights = self._prepare(X, sample_weight)
        y = y[kept]
        classes, codes = np.unique(y, return_inverse=True)
        if classes.size < 2:
            raise ValueError(f"The number of classes in y has to be greater than one; got {classes.size} class")
        self.classes_ = classes
        self._one_vs_rest = getattr(self, "multi_class", "ovo") == "ovr"
        self.class_weight_ = class_factors(self.class_weight, classes, codes, weights)
        bounds = self.class_weight_[codes] * (1.0 if weights is None else weights)
        if self.probability != "deprecated":
            warn(
                f"The `probability` parameter of {type(self).__name__} is deprecated, as in scikit-learn 1.9. Use "
                f"`CalibratedClassifierCV({type(self).__name__}(), ensemble=False)` instead.",
                FutureWarning,
            )
        self._fit_machines(X, table, kept, codes, bounds)
        self._probA = self._probB = np.empty(0)
        if self.probability is True:
            self._fit_sigmoids(table, codes, bounds)
        return self

    def _refuse_one_class(self, y, sample_weight):
        weights = None if sample_weight is None else np.asarray(sample_weight)
        if weights is None or weights.shape != y.shape or weights.dtype.kind not in "biuf" or not np.any(weights > 0):
            return
        if np.unique(y).size > 1 and np.unique(y[weights > 0]).size < 2:
            what = "Invalid input" if type(self).__name__ == "SVC" else "specified nu is infeasible"
            raise ValueError(
                f"{what} - all samples with positive weights belong to the same class. Check sample_weight."
            )

    def _fit_sigmoids(self, table, codes, bounds):
        machines = self._machines(codes)
        solver = functools.partial(solve, tol=self.tol, max_iter=self.max_iter, cache_size=self.cache_size,
                                   shrinking=self.shrinking)  # fmt: skip
        values = held_out_values(solver, table, machines, *self._folds(bounds), self.random_state)
        fitted = [fit_sigmoid(f, y, bounds[rows]) for f, (rows, y) in zip(values, machines)]
        self._probA, self._probB = (np.array(part) for part in zip(*fitted))

    def _has_probabilities(self):
        if self.probability == "deprecated" or not self.probability:
            raise AttributeError(
                "predict_proba is not available when probability=False; use "
                f"CalibratedClassifierCV({type(self).__name__}(), ensemble=False)."
            )
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Class probabilities by Platt's sigmoids, coupled over pairs for more than two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        values = self._pair_sums(X)
        if self._probA.size == 0:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        p = expit(-(values * self._probA + self._probB))
        k = self.classes_.size
        if k == 2:
            return np.column_stack([1.0 - p[:, 0], p[:, 0]])
        if self._one_vs_rest:
            return p / p.sum(axis=1, keepdims=True)
        p = np.clip(p, 1e-7, 1 - 1e-7)
        r = np.zeros((p.shape[0], k, k))
        for c, (i, j) in enumerate(itertools.combinations(range(k), 2)):
            r[:, i, j], r[:, j, i] = p[:, c], 1.0 - p[:, c]
        return couple_pairs(r)

    @property
    def probA_(self):
        """Slopes of Platt's sigmoids; deprecated with `probability`."""
        warn("Attribute `probA_` was deprecated together with `probability`.", FutureWarning)
        return self._probA

    @property
    def probB_(self):
        """Constants of Platt's sigmoids; deprecated with `probability`."""
        warn("Attribute `probB_` was deprecated together with `probability`.", FutureWarning)
        return self._probB

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.log(self.predict_proba(X))

    def _machines(self, codes):
        """Rows and labels +-1 of every binary problem."""
        k = self.classes_.size
        if k == 2:
            return [(np.arange(codes.size), np.where(codes == 1, 1.0, -1.0))]
        if self._one_vs_rest:
            return [(np.arange(codes.size), np.where(codes == c, 1.0, -1.0)) for c in range(k)]
        pairs = []
        for i, j in itertools.combinations(range(k), 2):
            rows = np.flatnonzero((codes == i) | (codes == j))
            pairs.append((rows, np.where(codes[rows] == i, 1.0, -1.0)))
        return pairs

    def _set_attributes(self, X, kept, codes, machines, coefs, intercepts, steps):
        """Support vectors by class, and dual coefficients in libsvm's layout (one-vs-one) or one row per class."""
        k, n = self.classes_.size, codes.size
        used = np.zeros(n, dtype=bool)
        for (rows, _), coef in zip(machines, coefs):
            used[rows[coef != 0]] = True
        order = np.flatnonzero(used)
        order = order[np.argsort(codes[order], kind="stable")]
        self._n_support = np.bincount(codes[order], minlength=k).astype(np.int32)
        pairwise = k > 2 and not self._one_vs_rest
        layout = np.zeros((k - 1 if pairwise else len(machines), n))
        if pairwise:
            for (rows, _), coef, (i, j) in zip(machines, coefs, itertools.combinations(range(k), 2)):
                first = codes[rows] == i
                layout[j - 1, rows[first]] = coef[first]
                layout[i, rows[~first]] = coef[~first]
        else:
            for r, ((rows, _), coef) in enumerate(zip(machines, coefs)):
                layout[r, rows] = coef
        self._keep_support(X, kept[order])
        self.dual_coef_ = sparse_like(np.ascontiguousarray(layout[:, order]), self.support_vectors_)
        self.intercept_ = np.asarray(intercepts, dtype=np.float64)
        self.n_iter_ = np.asarray(steps, dtype=np.int32)
        self._require_finite()

    def _pair_sums(self, X):
        """Decision values of the machines: positive means the second class of two, the first class of a pair."""
        check_is_fitted(self)
        k = self.classes_.size
        pairwise = k > 2 and not self._one_vs_rest
        n_support = int(self._n_support.sum())
        segments = np.concatenate([[0], np.cumsum(self._n_support)]) if pairwise else [0, n_support]
        sums = self._segment_sums(X, self.dual_coef_, segments)
        if not pairwise:
            return sums[:, 0, :] + self.intercept_
        pairs = itertools.combinations(range(k), 2)
        return np.column_stack([sums[:, i, j - 1] + sums[:, j, i] for i, j in pairs]) + self.intercept_

    def decision_function(self, X):
        """Decision values of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, or with ``kernel="precomputed"`` their kernel values with the training rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            Two classes have one value, positive for ``classes_[1]``. With ``decision_function_shape="ovo"`` there is
            one column per pair (i, j), i < j, positive for class i.
        """
        values = self._pair_sums(X)
        k = self.classes_.size
        if k == 2:
            return values.ravel()
        if self.decision_function_shape == "ovr" and not self._one_vs_rest:
            return ovr_scores(values < 0, -values, k)
        return values

    def predict(self, X):
        """Predicted class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        k = self.classes_.size
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        values = self._pair_sums(X)
        if k == 2:
            return self.classes_[(values.ravel() > 0).astype(np.intp)]
        if self._one_vs_rest:
            return self.classes_[values.argmax(axis=1)]
        if self.break_ties:
            return self.classes_[ovr_scores(values < 0, -values, k).argmax(axis=1)]
        votes = np.zeros((values.shape[0], k), dtype=np.intp)
        for c, (i, j) in enumerate(itertools.combinations(range(k), 2)):
            wins = values[:, c] > 0
            votes[wins, i] += 1
            votes[~wins, j] += 1
        return self.classes_[votes.argmax(axis=1)]

    def _linear_coef(self):
        k = self.classes_.size
        if k == 2 or self._one_vs_rest:
            return self.dual_coef_ @ self.support_vectors_
        starts = np.concatenate([[0], np.cumsum(self._n_support)])
        part = [slice(starts[c], starts[c + 1]) for c in range(k)]
        coef = []
        for i, j in itertools.combinations(range(k), 2):
            # A slice of one row keeps two dimensions, dense and sparse alike.
            first = self.dual_coef_[[j - 1]][:, part[i]] @ self.support_vectors_[part[i]]
            second = self.dual_coef_[[i]][:, part[j]] @ self.support_vectors_[part[j]]
            coef.append(first + second)
        return sparse.vstack(coef).tocsr() if sparse.issparse(coef[0]) else np.vstack(coef)


class SVC(_KernelClassifier):
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
        Price of the slacks; larger values follow the training data more closely. In the scale sum of hinge losses
        :math:`+\lambda\lVert w\rVert^2` it is :math:`\lambda=1/(2C)`, see `statlearn.linear.convert_penalty`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        ``"rbf"`` is :math:`e^{-\gamma\lVert x-z\rVert^2}`, ``"poly"`` :math:`(\gamma x^\top z+c_0)^d`, ``"sigmoid"``
        :math:`\tanh(\gamma x^\top z+c_0)`, which is not positive definite. A callable takes two tables and returns
        their kernel matrix; objects of `statlearn.kernels` are such callables.
    degree : int, default=3
        Degree d of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernel: ``"scale"`` is 1 / (n_features * X.var()), ``"auto"`` is 1 / n_features. Tune it together
        with C.
    coef0 : float, default=0.0
        Constant :math:`c_0` of the polynomial and sigmoid kernels.
    shrinking : bool, default=True
        Set multipliers aside that are unlikely to change. It saves time and does not change the solution.
    probability : bool, default=False
        Whether to fit Platt's sigmoids for `predict_proba`, from decision values of five-fold cross-validation.
        Deprecated in scikit-learn 1.9 and accepted here for compatibility: prefer
        ``CalibratedClassifierCV(SVC(), ensemble=False)``.
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
        steps have not reduced the violation, which a warning tells.
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
        Width :math:`2/\lVert w\rVert` of the margin in the feature space of the kernel.
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
        Upper bound (Joachims' xi-alpha) on the leave-one-out error rate; two classes only.
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
    [[0.5 0.5]] [-2.] [2.828427]
    >>> machine.support_status_.tolist()
    ['margin', 'outside', 'margin']
    """

    _constraints = {
        "C": [Real(0, None, closed="right")],
        **KERNEL_CONSTRAINTS,
        "class_weight": [Options("balanced"), Instance(dict), None],
        "decision_function_shape": [Options("ovr", "ovo")],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "probability": ["boolean", Options("deprecated")],
        "multi_class": [Options("ovo", "ovr")],
        "budget": [Real(0, None, closed="neither"), None],
        "solver": [Options("smo", "qp")],
    }
    _search_space = SearchSpace(
        "support vector machine",
        5.0,
        grid={"C": [0.1, 1.0, 10.0, 100.0], "gamma": ["scale", 0.01, 0.1]},
        default=False,  # no probabilities, which the default ranking needs
        max_rows=5_000,
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
        probability="deprecated",
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

    def _fit_machines(self, X, table, kept, codes, bounds):
        machines = self._machines(codes)
        if self.budget is not None and len(machines) > 1:
            raise ValueError(f"budget requires two classes, but y has {self.classes_.size}.")
        solver = self._solve_qp if self.solver == "qp" else self._solve
        if self.budget is not None:
            self.C_, duals, solutions = solve_for_budget(solver, table, machines[0], bounds, float(self.budget))
        else:
            self.C_ = min(float(self.C), LARGEST_C)
            duals = [classification_dual(rows, y, self.C_ * bounds[rows]) for rows, y in machines]
            solutions = solver(table, duals)
        coefs = [s.multipliers(d) for s, d in zip(solutions, duals)]
        intercepts = [-s.level(d) for s, d in zip(solutions, duals)]
        self._set_attributes(X, kept, codes, machines, coefs, intercepts, [s.steps for s in solutions])
        self.objective_ = np.array([s.objective for s in solutions])
        self.violation_ = np.array([s.violation for s in solutions])
        squares = np.array([max(float(c @ s.score), 0.0) for c, s in zip(coefs, solutions)])
        with np.errstate(divide="ignore"):
            self.margin_ = 2.0 / np.sqrt(squares)
        self._set_status(table, kept, codes, machines, duals, solutions, coefs, intercepts)

    def _folds(self, bounds):
        return soft_margin_maker(self.C_ * bounds), soft_margin_level

    def _solve_qp(self, table, duals):
        self.fit_status_ = 0
        return [solve_by_qp(table, dual) for dual in duals]

    def _set_status(self, table, kept, codes, machines, duals, solutions, coefs, intercepts):
        n = self.shape_fit_[0]
        status = np.full((n, len(machines)), STATUS.index(""), dtype=np.uint8)
        for c, ((rows, y), dual, solution, coef, b) in enumerate(zip(machines, duals, solutions, coefs, intercepts)):
            slack = np.maximum(1.0 - y * (solution.score + b), 0.0)
            size, most = np.abs(coef), dual.upper - dual.lower
            code = np.where(size == 0, 0, np.where(size < most, 1, np.where(slack <= 1, 2, 3)))
            status[kept[rows], c] = code
            if len(machines) == 1:
                self.slack_ = np.zeros(n)
                self.slack_[kept[rows]] = slack
                self.loo_error_bound_ = _xi_alpha(table, rows, size, slack, dual)
        self._status_codes = status

    @property
    def support_status_(self):
        """Where every training row lies, see the attributes of the class."""
        check_is_fitted(self)
        status = np.array(STATUS)[self._status_codes]
        return status[:, 0] if status.shape[1] == 1 else status


def _xi_alpha(table, rows, alpha, slack, dual):
    """Share of rows with 2 alpha R^2 + slack >= 1, an upper bound on the leave-one-out error (Joachims 2000)."""
    if table.kind == "rbf":
        radius = 1.0  # K(x, x) = 1, and no value is below 0
    else:
        diagonal = np.array([table.values([i], [i])[0, 0] for i in rows]) if rows.size <= 2000 else None
        if diagonal is None:
            return np.nan
        radius = float(diagonal.max())
    return float(np.mean(2.0 * alpha * radius + slack >= 1.0))


class NuSVC(_KernelClassifier):
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
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in `SVC`.
    class_weight_, fit_status_, n_iter_, shape_fit_, X_fit_, violation_, n_features_in_, feature_names_in_
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
        **KERNEL_CONSTRAINTS,
        "class_weight": [Options("balanced"), Instance(dict), None],
        "decision_function_shape": [Options("ovr", "ovo")],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "probability": ["boolean", Options("deprecated")],
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
        probability="deprecated",
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

    def _fit_machines(self, X, table, kept, codes, bounds):
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
        self._set_attributes(X, kept, codes, machines, coefs, intercepts, [s.steps for s in solutions])
        self.violation_ = np.array([s.violation for s in solutions])

    def _folds(self, bounds):
        def level(dual, solution):
            plus, minus = solution.level(dual, 1), solution.level(dual, 0)
            rho = max(0.5 * (plus - minus), 1e-12)
            return 1.0 / rho, -0.5 * (plus + minus) / rho

        return lambda rows, y: _nu_dual(rows, y, bounds[rows], self.nu), level


def _nu_dual(rows, y, upper, nu):
    """Both classes have the same fixed sum of multipliers, nu times half the total weight."""
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
