"""Binary and multinomial logistic regression, penalised or with inference."""

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.callbacks import CallbackSupportMixin, FitSteps, with_callbacks
from statlearn._core.class_weights import class_and_sample_weights
from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_labels, check_weights, refuse_one_class, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.linalg.sparse_arrays import to_dense, with_column
from statlearn._math.rows.linear_scores import SparseCoefMixin
from statlearn._math.solvers.logistic import minimise_logistic
from statlearn.linear._base import LinearClassifierMixin
from statlearn.linear._prior import check_prior_coef

from ._coordinate import coordinate_path
from ._inference import logistic_nested_fit, logistic_summary, settle_unpenalised
from ._irls_steps import irls_steps
from ._problem import LogisticProblem
from ._sigmoid import softmax

SKLEARN_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
SOLVERS = (*SKLEARN_SOLVERS, "irls", "gd", "coordinate")


# scikit-learn's messages for a solver that stops early, which users search for.
_STOPPED = {
    "lbfgs": "lbfgs failed to converge after {n} iterations",
    "liblinear": "Liblinear failed to converge, increase the number of iterations",
    "newton-cg": "newton-cg failed to converge at {n} iterations; Increase the number of iterations",
    "newton-cholesky": "Newton solver did not converge after {n} iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}


L1_RATIOS = {"l2": 0.0, "l1": 1.0}  # of the penalties that fix it
PENALTIES = ("auto", "elasticnet", *L1_RATIOS)


def penalty_kind(C, l1_ratio):
    """The penalty implied by the parameters: None, "l2", "l1" or "elasticnet"."""
    return None if np.isinf(C) else {0.0: "l2", 1.0: "l1"}.get(float(l1_ratio), "elasticnet")


def check_solver(solver, penalty, dual):
    """Raise an error for combinations that scikit-learn or our own solvers do not support."""
    if solver not in ("lbfgs", "liblinear", "saga", "coordinate") and penalty not in ("l2", None):
        able = "'coordinate', 'saga' or the default 'lbfgs'" + (", or 'liblinear'" if penalty == "l1" else "")
        raise ValueError(
            f"Solver {solver} supports only 'l2' or None penalties, got {penalty} penalty. Use solver={able}."
        )
    if solver != "liblinear" and dual:
        raise ValueError(f"Solver {solver} supports only dual=False, got dual={dual}")
    if penalty == "elasticnet" and solver == "liblinear":
        raise ValueError(
            f"Only 'saga' solver supports elasticnet penalty, got solver={solver}. Here 'coordinate' and the default "
            "'lbfgs' support it too."
        )
    if solver == "liblinear" and penalty is None:
        raise ValueError("solver='liblinear' requires a penalty, got C=np.inf; use solver='lbfgs' or 'irls'.")


class LogisticRegression(CallbackSupportMixin, SparseCoefMixin, LinearClassifierMixin, BaseEstimator):
    r"""Binary or multinomial logistic regression, optionally with an L2, L1 or elastic-net penalty.

    Minimises over slopes w and unpenalised intercepts b, with weights :math:`s_i`,

    .. math:: \sum_i s_i \, \ell(y_i, x_i^\top w + b)
              + \frac{1}{C} \Bigl( \rho \lVert w \rVert_1 + \frac{1 - \rho}{2} \lVert w \rVert_2^2 \Bigr)

    with :math:`\rho` = `l1_ratio`. The loss is a **sum** over rows: :math:`\log(1 + e^{-y f})` for two classes coded
    :math:`\pm 1`, minus the log of the softmax probability for more (all classes symmetric, unless `reference` fixes
    one). In terms of :math:`\sum \text{loss} + \lambda \lVert w \rVert_2^2` the L2 penalty is
    :math:`\lambda = 1 / (2C)`. **The default is penalised** (``C=1``); ``C=np.inf`` is maximum likelihood.

    Smooth fits stop when the largest entry of the gradient of the *mean* objective (the one above divided by the sum of
    the weights) is at most `tol`. Fits with an L1 term stop when the duality gap of that mean is at most `tol` / 100
    times the mean loss of the intercept-only model.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty; ``np.inf`` means no penalty.
    l1_ratio : float, default=0.0
        0 is the L2 penalty, 1 the L1 penalty.
    penalty : {"auto", "l1", "l2", "elasticnet"} or None, default="auto"
        For scripts written for scikit-learn before 1.8. "auto" leaves the penalty to `C` and `l1_ratio`; "l1" and "l2"
        override `l1_ratio`, and None sets `C` to infinity.
    dual : bool, default=False
        Accepted with ``solver="liblinear"``. The primal problem is solved, which has the same optimum.
    tol : float, default=1e-4
        Tolerance of the stopping rule, see above.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1
        If the intercept is penalised, it is the coefficient of a column with this constant value.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weights of the rows of each class. "balanced" gives every class the same total weight.
    random_state : int, RandomState or None, default=None
        Not used; all solvers are deterministic.
    solver : str, default="lbfgs"
        ``"lbfgs"``, ``"sag"``, ``"saga"`` and ``"liblinear"`` all use the fastest available method (quasi-Newton
        started from a Hessian, or coordinate descent with an L1 term). ``"irls"`` (also ``"newton-cholesky"``,
        ``"newton-cg"``) is Newton's method, that is, iteratively reweighted least squares from zero.
        ``"coordinate"`` is proximal Newton with coordinate descent, for any penalty. ``"gd"`` is gradient descent, for
        teaching. With an L1 term the default ``"lbfgs"`` uses coordinate descent, as ``"saga"`` and ``"coordinate"``
        do; ``"liblinear"`` accepts it for two classes only, without the other term, and penalises the intercept. The
        other solvers refuse it.
    max_iter : int, default=100
    verbose : int, default=0
        If positive, print the number of iterations and the accuracy reached.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    n_jobs : int or None, default=None
        Number of threads; None means all available. Results do not depend on it.
    threshold : float, default=0.5
        With two classes, ``classes_[1]`` is predicted if its probability exceeds this value.
    threshold_rule : {"gt", "ge"}, default="gt"
        Whether a probability equal to the threshold is assigned to the lower (``"gt"``) or the higher class.
    reference : class label, "last" or None, default=None
        With more than two classes, the class whose coefficients are fixed at 0, so that the other rows of ``coef_``
        are log-odds against it. None is the symmetric form, in which coefficients sum to 0 over the classes. With a
        penalty, the fit depends on this choice.
    penalize_intercept : bool, default=False
        Penalise the intercept like a slope.
    store_steps : bool, default=False
        Store the weighted least-squares problem of every step in ``steps_``. Requires ``solver="irls"`` and two
        classes.
    prior : {"gaussian", "laplace"} or None, default=None
        Prior of the slopes, instead of `C`, `l1_ratio` and `penalty`; the fit is the posterior mode.
    prior_scale : float, default=1.0
        Standard deviation τ of the Gaussian prior or scale b of the Laplace prior.
    prior_coef : array-like of shape (n_features,), (1, n_features) or (n_classes, n_features), or None, default=None
        Slopes of a source model, such as its ``coef_``. The penalty is then that of the difference :math:`w - w_0`, so
        that the fit shrinks towards the source instead of zero (transfer learning). It has no effect without a penalty.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_iter_ : ndarray of shape (1,)
    n_features_in_, feature_names_in_
        As in scikit-learn.
    history_ : dict of ndarray
        ``log_likelihood`` before each step (minus the penalty), ``max_change`` of a parameter and ``step`` length. Only
        with ``solver="irls"`` or ``"gd"``.
    steps_ : dict of ndarray
        For every Newton step, as rows: ``working_response`` z = Xβ + W⁻¹(y − p) and ``weight`` w = s p(1 − p) of the
        rows, at the β before the step; ``intercept`` and ``coef`` of the β after it. Weighted least squares of z on X
        with weights w (and the penalty) gives that β, unless ``history_["step"]`` is below 1. Only with `store_steps`.
    log_likelihood_ : float
        Log-likelihood of the fit, without the penalty.
    dual_gap_ : float
        Duality gap on the scale of the mean objective. Only with an L1 term.
    separated_ : bool
        Whether the classes are separable, so that the estimates are not finite (without a penalty).

    See Also
    --------
    LogisticRegressionCV : C chosen by cross-validation.
    logistic_path : Coefficients over a grid of penalties.
    StepwiseLogistic : Selection of columns.

    Notes
    -----
    A Newton step needs :math:`X^\top W X`, n p²/2 multiply-adds. If n is large, the default solver takes them on a
    sample of the rows, forms the full Hessian once near the optimum, and continues with gradients (2np) and secant
    corrections. Multinomial fits are preconditioned by one block per class, wide data by a diagonal.

    If a hyperplane separates the classes, maximum-likelihood coefficients are infinite. The fit then stops early, and a
    `SeparationWarning` names the columns responsible. Any penalty keeps the solution finite. Standardise the columns
    before a penalised fit. Sampling by class (case-control) affects only the intercept.

    The penalised fit is a posterior mode, with a flat prior of the intercept (:func:`convert_penalty` with
    ``loss="log_loss"`` converts):

    ====================== ===================== ==================================
    prior of each slope    penalty               `C`
    ====================== ===================== ==================================
    N(0, τ²)               ‖w‖²/(2τ²)            τ², with ``l1_ratio=0``
    Laplace(0, b)          ‖w‖₁/b                b, with ``l1_ratio=1``
    flat                   none                  infinity
    ====================== ===================== ==================================

    A penalty λ‖w‖²/(2m) added to the mean loss over m rows is ``C = 1 / λ``.

    With scikit-learn 1.9, callbacks (``set_callbacks``, such as progress bars and score monitors) are called in every
    iteration of a fit without an L1 term, and can stop it.

    References
    ----------
    Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, 2nd ed., section 4.4.
    Friedman, Hastie & Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent,
    J. Stat. Softw. 33(1).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import LogisticRegression
    >>> X = np.array([[0.5], [1.0], [1.5], [2.0], [2.5], [3.0]])
    >>> y = np.array([0, 0, 1, 0, 1, 1])
    >>> model = LogisticRegression(C=np.inf, solver="irls", tol=1e-8).fit(X, y)
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([[2.428]]), array([-4.249]))
    >>> model.predict_proba([[1.75]]).round(3)
    array([[0.5, 0.5]])
    """

    _constraints = {
        "C": [Real(0, None, closed="right")],
        "l1_ratio": [Real(0, 1, closed="both")],
        "penalty": [Options(*PENALTIES), None],
        "dual": ["boolean"],
        "tol": [Real(0, None)],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Real(0, None, closed="neither")],
        "class_weight": [Instance(dict), Options("balanced"), None],
        "random_state": ["random_state"],
        "solver": [Options(*SOLVERS)],
        "max_iter": [Int(0, None)],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Int()],
        "threshold": [Real(0, 1, closed="both")],
        "threshold_rule": [Options("gt", "ge")],
        "reference": [None, Instance(object)],
        "penalize_intercept": ["boolean"],
        "store_steps": ["boolean"],
        "prior": [Options("gaussian", "laplace"), None],
        "prior_scale": [Real(0, None, closed="neither")],
        "prior_coef": ["array-like", None],
    }
    _search_space: SearchSpace | tuple[SearchSpace, ...] = SearchSpace(
        "logistic, no penalty", fixed={"C": float("inf"), "max_iter": 1000}
    )

    def __init__(
        self,
        *,
        C=1.0,
        l1_ratio=0.0,
        penalty="auto",
        dual=False,
        tol=1e-4,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="lbfgs",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
        threshold=0.5,
        threshold_rule="gt",
        reference=None,
        penalize_intercept=False,
        store_steps=False,
        prior=None,
        prior_scale=1.0,
        prior_coef=None,
    ):
        self.C = C
        self.l1_ratio = l1_ratio
        self.penalty = penalty
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.threshold = threshold
        self.threshold_rule = threshold_rule
        self.reference = reference
        self.penalize_intercept = penalize_intercept
        self.store_steps = store_steps
        self.prior = prior
        self.prior_scale = prior_scale
        self.prior_coef = prior_coef

    # --- fitting ----------------------------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X, y, sample_weight=None, offset=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts the row k times; a weight of 0 leaves it out.
        offset : array-like of shape (n_samples,) or (n_samples, n_classes), or None, default=None
            A known part of the scores, added before the link. It is not part of the fitted model; predictions assume an
            offset of 0.

        Returns
        -------
        self
        """
        check_params(self)
        C, l1_ratio = self._penalty()
        check_solver(self.solver, penalty_kind(C, l1_ratio), self.dual)

        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=FLOATS,
            accept_large_sparse=self.solver not in ("liblinear", "sag", "saga"),
        )
        weights = check_weights(sample_weight, X)
        codes = self._encode(y)
        if self.store_steps and self.prior_coef is not None:
            raise ValueError("`store_steps`=True requires `prior_coef`=None.")
        if self.store_steps and (self.solver != "irls" or len(self.classes_) > 2):
            raise ValueError(
                "`store_steps`=True requires solver='irls' and two classes, got "
                f"solver={self.solver!r} and {len(self.classes_)} classes."
            )
        if self.solver == "liblinear" and X.shape[0] and abs(X).max() > 1e30:
            raise ValueError(
                "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. "
                "Please choose another solver or rescale the input X."
            )
        weights = class_and_sample_weights(self.class_weight, self.classes_, codes, weights)
        offset = self._check_offset(offset, X.shape[0])
        steps = FitSteps(self, X, y, sample_weight, max_steps=int(self.max_iter) + 1, name=f"{self.solver} iteration")
        with steps, jobs(self.n_jobs):
            self._solve(X, codes, weights, offset, C, l1_ratio, steps)
        return self

    def _penalty(self):
        """C and l1_ratio in use."""
        if self.prior is None:
            C = np.inf if self.penalty is None else self.C
            return C, 0.0 if np.isinf(C) else float(L1_RATIOS.get(self.penalty, self.l1_ratio))
        if self.C != 1.0 or self.l1_ratio != 0.0 or self.penalty != "auto":
            raise ValueError("`prior` replaces `C`, `l1_ratio` and `penalty`; leave these at their defaults.")
        with np.errstate(over="ignore", under="ignore"):
            C = np.float64(self.prior_scale) ** (2 if self.prior == "gaussian" else 1)
        if not 0 < C < np.inf:
            raise ValueError(f"`prior_scale`={self.prior_scale} is too extreme: its square cannot be represented.")
        return float(C), 1.0 if self.prior == "laplace" else 0.0

    def _encode(self, y):
        check_labels(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2 and self.solver == "liblinear":
            raise ValueError(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use "
                "another solver or wrap the estimator in a OneVsRestClassifier to keep applying a one-versus-rest "
                "scheme."
            )
        refuse_one_class(self.classes_, type(self).__name__)
        return codes.reshape(-1)

    def _check_offset(self, offset, n):
        if offset is None:
            return None
        offset = check_array(offset, ensure_2d=False, dtype=np.float64, input_name="offset", ensure_min_samples=0)
        shape = (n,) if len(self.classes_) == 2 else (n, len(self.classes_))
        if offset.shape != shape:
            raise ValueError(f"offset.shape == {offset.shape}, expected {shape}!")
        return offset

    def _reference_code(self):
        """The number of the reference class, or None for the symmetric form."""
        if self.reference is None or len(self.classes_) == 2:
            return None
        position = np.flatnonzero(self.classes_ == self.reference)
        if len(position):
            return int(position[0])
        if isinstance(self.reference, str) and self.reference == "last":
            return len(self.classes_) - 1
        raise ValueError(f"reference must be one of the classes {list(self.classes_)}, 'last' or None, "
                         f"got {self.reference!r}")  # fmt: skip

    def _solve(self, X, codes, weights, offset, C, l1_ratio, steps=None):
        K = len(self.classes_)
        reference = self._reference_code()
        p = X.shape[1]
        prior = None if np.isinf(C) else self._prior(p, reference)
        if prior is not None:  # the solvers fit the difference from it; its scores are an offset
            scores = X @ prior.T
            scores = scores[:, 0] if K == 2 else scores
            offset = scores if offset is None else offset + scores
        intercept_column = self.fit_intercept and (self.penalize_intercept or self.solver == "liblinear")
        if intercept_column:
            X = with_column(X, self.intercept_scaling)
        free_intercept = bool(self.fit_intercept and not intercept_column)
        total = float(X.shape[0] if weights is None else weights.sum())
        l1, l2 = (0.0, 0.0) if np.isinf(C) else (l1_ratio / (C * total), (1.0 - l1_ratio) / (C * total))
        order = np.arange(K)
        if reference is not None:
            order = np.append(np.delete(order, reference), reference)  # the reference class comes last
        place = np.argsort(order)
        fixed_last = K > 2 and (reference is not None or (np.isinf(C) and self.solver != "coordinate"))
        if l1 > 0.0 and reference is not None:
            raise ValueError("reference requires an L2 penalty or none: the L1 solver uses the symmetric form.")
        codes = place[codes]
        if offset is not None and K > 2:
            offset = offset[:, order]
        problem = LogisticProblem(X, codes, K, weights, offset, free_intercept)
        rows = 1 if K == 2 else K
        start = self._start(rows, X.shape[1], free_intercept, intercept_column, order)
        if prior is not None and self.warm_start and hasattr(self, "coef_"):
            start[:, :p] -= prior[order] if K > 2 else prior

        forget(self, "history_", "dual_gap_", "steps_", "_heading", "_column_names")

        def attributes(theta):
            """coef_ and intercept_ for the parameters (rows, columns + intercept) of a solver."""
            theta = np.array(theta)
            if K > 2 and reference is None and not intercept_column:
                # The likelihood is constant along these directions; the representative sums to 0.
                if free_intercept:
                    theta[:, -1] -= theta[:, -1].mean()
                if np.isinf(C):
                    theta -= theta.mean(axis=0)
            theta = theta[place] if K > 2 else theta
            intercept = np.zeros(rows)
            if intercept_column or free_intercept:
                intercept = theta[:, p] * (self.intercept_scaling if intercept_column else 1.0)
            coef = theta[:, :p] if prior is None else theta[:, :p] + prior
            return {"coef_": coef.astype(X.dtype), "intercept_": intercept.astype(X.dtype)}

        inference = None
        if l1 > 0.0 or self.solver == "coordinate":
            theta = self._solve_coordinate(problem, l1, l2, start)
        else:
            if steps is not None:
                steps.begin(lambda: attributes(start))

            iterates = [start]

            def report(theta):
                if self.store_steps:
                    iterates.append(theta)
                return steps is not None and steps.advance(lambda: attributes(theta))

            theta, inference = self._solve_smooth(problem.loss(l2, fixed_last=fixed_last), start, report)
            if self.store_steps:
                fits = [attributes(iterate) for iterate in iterates]
                self.steps_ = irls_steps(X[:, :p], codes, weights, offset, fits)
        vars(self).update(attributes(theta))
        self._inference = None if inference is None else vars(inference)
        self._why_no_inference = (
            "solver='coordinate' does not form the Hessian" if np.isinf(C) else f"the fit has a penalty (C={C})"
        )
        self._order = order

    def _prior(self, n_features, reference):
        """Source coefficients (rows of `coef_`, columns), or None."""
        K = len(self.classes_)
        prior = getattr(self, "prior_coef", None)
        if K > 2 and prior is not None and np.ndim(prior) != 2:
            raise ValueError(f"`prior_coef` must have the shape ({K}, {n_features}) of `coef_`, got {np.shape(prior)}.")
        prior = check_prior_coef(prior, 1 if K == 2 else K, n_features)
        if prior is not None and reference is not None and np.any(prior[reference]):
            raise ValueError(
                "`prior_coef` must be zero in the row of the `reference` class, whose coefficients are fixed."
            )
        return prior

    def _start(self, rows, columns, free_intercept, intercept_column, order):
        """Starting parameters (rows, columns + intercept): zero, or the previous fit."""
        theta = np.zeros((rows, columns + free_intercept))
        last = getattr(self, "coef_", None)
        if not self.warm_start or last is None:
            return theta
        p = columns - intercept_column
        if last.shape != (rows, p):
            return theta
        last = to_dense(last)
        if not (np.all(np.isfinite(last)) and np.all(np.isfinite(self.intercept_))):
            raise ValueError(
                "Floating-point under-/overflow: the coefficients of the previous fit (warm_start=True) are not finite."
            )
        theta[:, :p] = last
        if free_intercept:
            theta[:, -1] = self.intercept_
        elif intercept_column:
            theta[:, p] = np.asarray(self.intercept_) / self.intercept_scaling
        return theta[order] if rows > 1 else theta

    def _solve_smooth(self, loss, start, report):
        """Minimise by Newton's method or a relative; returns the parameters, and what inference needs."""
        fixed_last = loss.n_rows < len(start)
        if fixed_last:
            start = (start - start[-1])[:-1]

        def plain(phi):
            theta = loss.to_plain(phi)
            return np.vstack([theta, np.zeros(loss.q)]) if fixed_last else theta

        result = minimise_logistic(
            loss,
            loss.from_plain(start),
            solver=self.solver,
            tol=self.tol,
            max_iter=int(self.max_iter),
            report=lambda phi: report(plain(phi)),
        )
        inference = None
        self.separated_ = False
        if loss.l2 == 0.0:
            result, inference = settle_unpenalised(self, loss, result)
            self.separated_ = inference.separated
        self.n_iter_ = np.array([result.n_iter], dtype=np.int32)
        if result.history:
            values = np.asarray(result.history["value"])
            self.history_ = {
                "log_likelihood": -loss.total * values,
                "max_change": result.history["max_change"],
                "step": result.history["step"],
            }
        penalty = 0.5 * loss.l2 * float(np.sum((result.phi * loss._penalised) ** 2))
        self.log_likelihood_ = -loss.total * (result.objective - penalty)
        if not self.separated_:
            self._speak(result.status, result.n_iter, f"largest gradient {result.gap:.1e}, tol {self.tol:.1e}")
        return plain(result.phi), inference

    def _solve_coordinate(self, problem, l1, l2, start):
        path = coordinate_path(problem, [l1], [l2], tol=0.01 * self.tol, max_iter=int(self.max_iter), start=start)
        self.n_iter_ = np.array([path.n_iters[0]], dtype=np.int32)
        self.dual_gap_ = float(path.gaps[0])
        self.log_likelihood_ = -float(path.losses[0])
        self.separated_ = False
        self._speak(path.status[0], path.n_iters[0], f"duality gap {path.gaps[0]:.1e}, tol {self.tol:.1e}")
        return path.theta[0]

    def _speak(self, status, n_iter, detail):
        if self.verbose:
            print(f"[{type(self).__name__}] {n_iter} iterations, {detail}")
        text = _STOPPED.get(self.solver, "{n} iterations were not enough").format(n=n_iter)
        warn_if_stopped(self, status, f"{text} ({detail})")

    # --- prediction -------------------------------------------------------------------------------------------------

    def predict(self, X):
        """Predicted classes: the most probable one, or by `threshold` with two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        cut = special.logit(self.threshold)
        up = scores >= cut if self.threshold_rule == "ge" else scores > cut
        return self.classes_[up.astype(np.intp)]

    def predict_proba(self, X):
        """Class probabilities, columns in the order of ``classes_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return softmax(scores, axis=1)
        return np.column_stack([special.expit(-scores), special.expit(scores)])

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities, more accurate than ``log(predict_proba(X))``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return special.log_softmax(scores, axis=1)
        return np.column_stack([special.log_expit(-scores), special.log_expit(scores)])

    # --- inference --------------------------------------------------------------------------------------------------

    def summary(self, *, level=0.95):
        """Coefficient table with standard errors, Wald tests and odds ratios, with deviances and AIC.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the limits.

        Returns
        -------
        Summary
            Columns ``estimate, std_error, z, p, ci_low, ci_high, odds_ratio, odds_low, odds_high``; with more than two
            classes, the rows of each class are log-odds against the reference (the last class unless `reference` is
            set).

        Raises
        ------
        ValueError
            After a penalised fit, whose estimates are biased towards zero, so that maximum-likelihood standard errors
            are not valid. Fit with ``C=np.inf`` for inference.
        """
        check_is_fitted(self)
        return logistic_summary(self, level)

    def _nested_fit(self):
        return logistic_nested_fit(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self.solver != "liblinear"
        return tags
