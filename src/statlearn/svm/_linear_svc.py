"""Linear support vector classification for many rows."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from statlearn._core.class_weights import class_factors
from statlearn._core.fitted_state import forget
from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_labels, check_weights, encode_classes, naming, validate_data
from statlearn._core.warnings import OK, warn_if_stopped
from statlearn._math.linalg.products import product
from statlearn._math.rows.linear_scores import LinearClassifierMixin, SparseCoefMixin
from statlearn.svm._linear import MachineProblem, solve_crammer_singer, solve_linear
from statlearn.svm._scale_warning import warn_if_uneven
from statlearn.svm._summary import linear_svc_summary


class LinearSVC(SparseCoefMixin, LinearClassifierMixin, BaseEstimator):
    r"""Linear support vector classification.

    For labels :math:`y_i=\pm1` minimises

    .. math:: \tfrac12\lVert w\rVert^2 + \tfrac12 v^2 + \sum_i C_i\,L\bigl(y_i(x_i^\top w+b)\bigr), \qquad b = s v

    with the squared hinge :math:`L(m)=\max(0,1-m)^2` or the hinge :math:`\max(0,1-m)`. :math:`C_i` is `C` times the
    weight of the row and of its class. As in liblinear and scikit-learn, the intercept is the weight v of a constant
    column s (`intercept_scaling`) and is penalised; ``penalize_intercept=False`` is the textbook machine, equal to
    `SVC` with a linear kernel if the loss is the hinge. More than two classes are fitted one-vs-rest.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        ``"l1"`` replaces :math:`\frac12\lVert w\rVert^2` by :math:`\lVert w\rVert_1` and gives sparse weights; with the
        squared hinge only.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
    dual : "auto" or bool, default="auto"
        The algorithm, which does not change the solution. ``"auto"`` uses Newton's method (squared hinge) or interior
        points (hinge) for dense tables with up to 1000 columns, Newton's method with conjugate gradients (squared
        hinge) for sparse tables with at least as many rows as columns, and dual coordinate descent otherwise, which
        True requests. With ``"auto"``, the relative duality gap must be at most 10 times `tol` as well, and where
        coordinate descent does not reach this within 500 passes, Newton's method (squared hinge), interior points
        (hinge, up to 1000 columns and 20 million cells) or an augmented Lagrangian (hinge) takes over.
    tol : float, default=1e-4
        Dual coordinate descent stops when the projected gradients lie within `tol`; the other algorithms when the
        relative decrease to be expected, or the relative duality gap, is below 1e-4 times `tol`.
    C : float, default=1.0
        Weight of the losses relative to the penalty.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        ``"crammer_singer"`` optimises one joint objective over all classes and ignores `loss`, `penalty` and `dual`.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        The constant s. Larger values penalise the intercept less.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by label. ``"balanced"`` gives every class the same total, where a row of weight k counts as k
        rows.
    verbose : int, default=0
        Positive values print iterations and remaining violation.
    random_state : int, RandomState or None, default=None
        Order of the rows in dual coordinate descent.
    max_iter : int, default=1000
        Maximum number of iterations, which are passes over the rows in dual coordinate descent.
    penalize_intercept : bool, default=True
        False leaves the intercept unpenalised, and `intercept_scaling` has no effect.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
        0.0 without an intercept.
    classes_ : ndarray of shape (n_classes,)
    objective_ : ndarray of shape (n_machines,)
        The value that is minimised, of every machine; one value with ``multi_class="crammer_singer"``.
    violation_ : float
        What the algorithm compares with its tolerance (see `tol`), at the end.
    fit_status_ : int
        0 if the fit converged, else 1.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    SVC : Machines with kernels.
    SGDClassifier : Stochastic gradients, for streams.

    Notes
    -----
    Scale the columns first. Coordinate descent converges slowly for large C, many rows and few columns, where
    ``"auto"`` takes another algorithm. If the classes can be separated and C is large, Newton's method follows a path
    of rising C.

    References
    ----------
    C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual coordinate descent method for
    large-scale linear SVM", ICML 2008. S. S. Keerthi and D. DeCoste, "A modified finite Newton method for fast
    solution of large scale linear SVMs", JMLR 6 (2005). K. Crammer and Y. Singer, "On the algorithmic implementation
    of multiclass kernel-based vector machines", JMLR 2 (2001). Y. Yan and Q. Li, "An efficient augmented Lagrangian
    method for support vector machine", Optimization Methods and Software 35 (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.svm import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVC().fit(X, y).score(X, y) > 0.95
    True
    """

    _constraints = {
        "penalty": [Options("l1", "l2")],
        "loss": [Options("hinge", "squared_hinge")],
        "dual": ["boolean", Options("auto")],
        "tol": [Real(0, None, closed="neither")],
        "C": [Real(0, None, closed="neither")],
        "multi_class": [Options("ovr", "crammer_singer")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Real(0, None, closed="neither")],
        "class_weight": [Options("balanced"), Instance(dict), None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Int(1, None)],
        "penalize_intercept": ["boolean"],
    }
    _search_space = SearchSpace(
        "linear support vector machine", grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]}, fixed={"random_state": 0}
    )

    def __init__(
        self,
        penalty="l2",
        loss="squared_hinge",
        *,
        dual="auto",
        tol=1e-4,
        C=1.0,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        verbose=0,
        random_state=None,
        max_iter=1000,
        penalize_intercept=True,
    ):
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.penalize_intercept = penalize_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Factors of C by row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False)
        weights = check_weights(sample_weight, X)
        if weights is not None and not weights.all():
            used = np.flatnonzero(weights)
            X, y, weights = X[used], y[used], weights[used]
        warn_if_uneven(X, "LinearSVC")
        classes, codes = encode_classes(y, owner="LinearSVC")
        self.classes_ = classes
        self._n_rows = int(codes.size)
        factors = class_factors(self.class_weight, classes, codes, weights)
        prices = self.C * (np.ones(codes.size) if weights is None else weights.astype(np.float64))
        if self.multi_class == "crammer_singer":
            if self.fit_intercept and not self.penalize_intercept:
                raise ValueError("penalize_intercept=False is not supported with multi_class='crammer_singer'.")
            self._fit_jointly(X, codes, prices * factors[codes])
            return self
        self._refuse_combinations()
        if classes.size == 2:
            targets = np.where(codes == 1, 1.0, -1.0)[None]
            costs = (prices * factors[codes])[None]
        else:
            member = np.arange(classes.size)[:, None] == codes
            targets = np.where(member, 1.0, -1.0)
            costs = prices * np.where(member, factors[:, None], 1.0)
        intercept = "none" if not self.fit_intercept else "penalised" if self.penalize_intercept else "free"
        problem = MachineProblem(
            X,
            targets,
            costs,
            self.loss,
            self.penalty,
            intercept=intercept,
            intercept_scaling=self.intercept_scaling,
        )
        coef, b, n_iter, rest, status = solve_linear(
            problem, self.dual, tol=self.tol, max_iter=self.max_iter, random_state=self.random_state
        )
        self._set(coef, b, n_iter, rest, status, X.dtype)
        self._measure(problem, coef, b)
        return self

    def _measure(self, problem, coef, b):
        """The objective of every machine, its rows with a loss and those on the wrong side."""
        margins = problem.targets * (product(problem.X, coef.T) + b).T
        losses = np.maximum(1.0 - margins, 0.0)
        if self.loss == "squared_hinge":
            losses **= 2
        if self.penalty == "l1":
            size = np.abs(coef).sum(axis=1)
        else:
            size = 0.5 * np.sum(coef**2, axis=1)
        if problem.intercept == "penalised":
            constant = b / self.intercept_scaling
            size = size + (np.abs(constant) if self.penalty == "l1" else 0.5 * constant**2)
        self.objective_ = size + np.sum(problem.prices * losses, axis=1)
        self._losses = np.array([np.sum(margins < 1.0, axis=1), np.sum(margins <= 0.0, axis=1)])

    def _fit_jointly(self, X, codes, prices):
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        coef, b, n_iter, rest, status = solve_crammer_singer(
            X, codes, self.classes_.size, prices, scale, tol=self.tol, max_iter=self.max_iter,
            random_state=self.random_state,
        )  # fmt: skip
        scores = np.asarray(X @ coef.T, dtype=np.float64) + b + 1.0
        margins = scores[np.arange(codes.size), codes] - 1.0
        scores[np.arange(codes.size), codes] = margins
        size = np.sum(coef**2) + (np.sum(b**2) / scale**2 if scale else 0.0)
        forget(self, "_losses")
        self.objective_ = np.array([0.5 * size + prices @ (scores.max(axis=1) - margins)])
        if self.classes_.size == 2:
            coef, b = coef[1:] - coef[:1], b[1:] - b[:1]
        self._set(coef, b, n_iter, rest, status, X.dtype)

    def _set(self, coef, b, n_iter, rest, status, dtype):
        if not np.isfinite(coef).all():
            raise ValueError("X: the weights of LinearSVC overflowed; scale the features.")
        self.coef_ = coef.astype(dtype, copy=False)
        self.intercept_ = b.astype(dtype, copy=False) if self.fit_intercept else 0.0
        self.n_iter_ = int(n_iter)
        self.violation_ = float(rest)
        self.fit_status_ = int(status != OK)
        if self.verbose:
            print(f"[LinearSVC] iterations {n_iter}  violation {rest:.3e}")
        warn_if_stopped(
            self, status, f"violation {rest:.1e} after {n_iter} iterations",
            remedy="Increase the number of iterations (max_iter), scale the features, or raise tol.",
        )  # fmt: skip

    def summary(self):
        """Table of the machines.

        Returns
        -------
        Summary
            One row per machine: rows with a loss, rows on the wrong side, margin 1 / ||w|| and width 2 / ||w||,
            objective, intercept and number of weights that are not 0. ``facts`` holds the form of the machine, the
            violation at the end and the number of iterations.
        """
        check_is_fitted(self)
        return linear_svc_summary(self)

    def _refuse_combinations(self):
        unsupported = None
        if self.penalty == "l1" and self.loss == "hinge":
            unsupported = "The combination of penalty='l1' and loss='hinge' is not supported"
        elif self.penalty == "l1" and self.dual is True:
            unsupported = "The combination of penalty='l1' and loss='squared_hinge' is not supported when dual=True"
        elif self.loss == "hinge" and self.dual is False:
            unsupported = "The combination of penalty='l2' and loss='hinge' is not supported when dual=False"
        if unsupported:
            raise ValueError(
                f"Unsupported set of arguments: {unsupported}, Parameters: penalty={self.penalty!r}, "
                f"loss={self.loss!r}, dual={self.dual!r}."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def l1_min_c(X, y, *, loss="squared_hinge", fit_intercept=True, intercept_scaling=1.0):
    """Smallest C for which an L1-penalised classifier has a nonzero coefficient.

    For smaller values of C all weights of ``LinearSVC(penalty="l1")`` (or of a logistic regression) are zero.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    loss : {"squared_hinge", "log"}, default="squared_hinge"
    fit_intercept : bool, default=True
        Whether the model has a constant column with a penalised weight.
    intercept_scaling : float, default=1.0
        Value of that column.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.svm import l1_min_c
    >>> round(l1_min_c([[-1, 0], [0, 1], [1, 1], [1, 1]], [0, 1, 1, 1]), 6)
    0.166667
    """
    check_arguments(
        l1_min_c,
        loss=(loss, [Options("squared_hinge", "log")]),
        fit_intercept=(fit_intercept, ["boolean"]),
        intercept_scaling=(intercept_scaling, [Real(0, None, closed="neither")]),
    )
    with naming("X"):
        X = check_array(X, accept_sparse="csc", dtype=np.float64)
    check_consistent_length(X, y)
    check_labels(y)
    Y = LabelBinarizer(neg_label=-1).fit_transform(y).T
    slopes = np.abs(Y @ X if not sparse.issparse(X) else (X.T @ Y.T))
    top = float(np.max(slopes, initial=0.0))
    if fit_intercept:
        top = max(top, float(np.abs(intercept_scaling * Y.sum(axis=1)).max()))
    if top == 0.0:
        raise ValueError("Ill-posed l1_min_c calculation: l1 will always select zero coefficients for this data X.")
    return 0.5 / top if loss == "squared_hinge" else 2.0 / top
