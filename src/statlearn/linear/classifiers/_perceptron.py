"""Rosenblatt's perceptron."""

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.class_weights import class_factors, refuse_balanced_stream
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import (
    FLOATS,
    check_weights,
    class_codes,
    classes_of_stream,
    encode_classes,
    validate_data,
)
from statlearn._core.warnings import DIVERGED, MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.sparse_arrays import by_rows
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.stochastic import (
    drop_absent,
    elastic_net_parts,
    held_out_rows,
    initial_values,
    n_models,
    one_vs_rest,
    permutation_seeds,
)
from statlearn.linear._base import LinearClassifierMixin

_RULES = {"margin": 0, "sign": 1, "batch": 2}


class Perceptron(LinearClassifierMixin, BaseEstimator):
    r"""Rosenblatt's perceptron.

    Rows are processed one at a time. With labels y = ±1 and score f = b + x·w, a row with y f <= 0 updates

    .. math:: w \leftarrow w + \eta\, s\, y\, x, \qquad b \leftarrow b + \eta\, s\, y

    where s is its sample weight times the weight of its class. More than two classes are fitted one-vs-rest. The
    penalty, if any, is applied before (L2) and after (L1) each step.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        Penalty on the weights: alpha (l1_ratio \|w\|_1 + (1 - l1_ratio)/2 \|w\|^2) per row.
    alpha : float, default=0.0001
        Weight of the penalty.
    l1_ratio : float, default=0.15
        Share of the L1 penalty in the elastic net; 1 is L1.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    max_iter : int, default=1000
        Maximum number of passes over the data.
    tol : float or None, default=1e-3
        Stop when the mean loss (-y f)_+ of a pass has not decreased by `tol` for `n_iter_no_change` passes. None
        continues until a pass makes no mistake, or up to `max_iter`.
    shuffle : bool, default=True
        Permute the rows before each pass.
    verbose : int, default=0
        Positive values print the number of mistakes of each pass at the end.
    eta0 : float, default=1.0
        Step length. Without a penalty and from a zero start, it affects only the length of w.
    n_jobs : int or None, default=None
        Maximum number of threads, over which the classes are distributed. None and -1 use all that are available.
    random_state : int, RandomState or None, default=0
        Seed of the permutations (the order of the rows is that of scikit-learn).
    early_stopping : bool, default=False
        Stop by the accuracy on held-out rows instead of by the loss.
    validation_fraction : float, default=0.1
        Fraction of rows to hold out.
    n_iter_no_change : int, default=5
        Number of passes without improvement before stopping.
    class_weight : dict, "balanced" or None, default=None
        Weights by label (1 for labels not listed). "balanced" gives every class the same total weight, where a row of
        weight k counts as k rows.
    warm_start : bool, default=False
        Start from the previous solution.
    update : {"margin", "sign", "batch"}, default="margin"
        "margin" is the rule above. "sign" is the classical rule w += eta (y - sgn f) x with sgn(0) = +1, so that a row
        on the boundary counts as +1. "batch" adds eta y x for all mistakes of a pass at its end, with sgn(0) = +1, too:
        from w = 0, where all scores are 0, the first step uses the rows with y = -1 only.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray
    converged_ : bool
        Whether the last pass of every classifier made no mistake, so that a separating hyperplane was found.
    mistakes_ : list of int, or a list of these per class
        Number of mistakes in each pass.
    n_iter_ : int
        Number of passes (the largest over the classes).
    t_ : float
        Number of rows processed, plus 1.
    update_ : str
        The update rule of the fit, which decides on scores of exactly 0.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    For separable classes the number of mistakes is at most (R / gamma)^2, with R the largest norm of a row and gamma
    the margin, whatever the number of rows. The separating hyperplane found is one of many and depends on the order of
    the rows. If the classes are not separable, every pass makes mistakes. ``shuffle=False, tol=None`` is the textbook
    algorithm.

    A pass without mistakes ends the fit, since without a penalty nothing would change any more. A sample weight
    lengthens the step of its row, which is not the same as copies of the row that are processed at different times.
    Sparse and dense data give the same result (scikit-learn damps the intercept for sparse data), except that an L1
    penalty is applied to a column of sparse data only when a row with an entry in it is processed.

    References
    ----------
    F. Rosenblatt, "The perceptron", Psychological Review 65 (1958). A. B. J. Novikoff, "On convergence proofs for
    perceptrons", 1962.

    Examples
    --------
    >>> from statlearn.linear import Perceptron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = Perceptron(shuffle=False, tol=None, eta0=0.5, update="sign").fit(X, [-1, -1, -1, 1])
    >>> print(model.coef_, model.intercept_, model.converged_)
    [[2. 1.]] [-3.] True
    """

    _constraints = {
        "penalty": [Options("l2", "l1", "elasticnet"), None],
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "eta0": [Real(0, None, closed="neither")],
        "n_jobs": [Int(None, None), None],
        "random_state": ["random_state"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Real(0, 1, closed="neither")],
        "n_iter_no_change": [Int(1, None)],
        "class_weight": [Options("balanced"), Instance(dict), None],
        "warm_start": ["boolean"],
        "update": [Options(*_RULES)],
    }
    _search_space = SearchSpace("perceptron")

    def __init__(
        self,
        *,
        penalty=None,
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        eta0=1.0,
        n_jobs=None,
        random_state=0,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
        update="margin",
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.update = update

    @property
    def threshold_rule(self):
        """Class of a score of exactly 0: the higher one for the classical rules, for which sgn(0) = +1."""
        return "gt" if getattr(self, "update_", self.update) == "margin" else "ge"

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the model by repeated passes over the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        coef_init : array-like of the shape of `coef_`, or None, default=None
            Initial weights; zeros by default.
        intercept_init : array-like of the shape of `intercept_`, or None, default=None
            Initial intercepts; zeros by default.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y, reset=True)
        classes, codes = encode_classes(y, owner="Perceptron")
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        self.classes_, self.t_ = classes, 1.0
        W, b = initial_values((n_models(classes), X.shape[1]), coef_init, intercept_init)
        statuses = self._learn(X, codes, sample_weight, W, b, self.max_iter)
        if DIVERGED in statuses:
            raise ValueError("X: the weights of the perceptron overflowed; scale the features.")
        if self.tol is not None and MAX_ITER in statuses:
            warn_if_stopped(self, MAX_ITER, f"{self.max_iter} passes completed",
                            remedy="Increase max_iter; it never converges on inseparable classes.")  # fmt: skip
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the weights by one pass over a block of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like or None, default=None
            All classes that can occur; required in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        known = getattr(self, "classes_", None)
        first = known is None
        classes = classes_of_stream(known, classes)
        if first:
            refuse_balanced_stream(self.class_weight)
        X, y = self._validate(X, y, reset=first)
        if first:
            if classes.size < 2:
                raise ValueError("The number of classes has to be greater than one; got 1 class")
            self.classes_, self.t_ = classes, 1.0
            W, b = initial_values((n_models(classes), X.shape[1]), None, None)
        else:
            W, b = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
        self._learn(X, class_codes(self.classes_, y), sample_weight, W, b, 1)
        return self

    def _validate(self, X, y, *, reset):
        return validate_data(
            self, X, y, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False, reset=reset
        )

    def _learn(self, X, codes, sample_weight, W, b, max_iter):
        """Run the passes from W, b; sets the attributes and returns the status of each classifier."""
        dtype, all_rows = X.dtype, X.shape[0]
        weights = check_weights(sample_weight, X)
        factors = class_factors(self.class_weight, self.classes_, codes, weights)
        weights, X, codes = drop_absent(weights, X, codes)
        held_out = np.empty(0, dtype=np.uint8)
        if self.early_stopping:
            held_out = held_out_rows(codes, self.validation_fraction, self.random_state, stratify=True)
        Y, S = one_vs_rest(codes, W.shape[0], factors, weights)
        seeds = permutation_seeds(self.random_state, W.shape[0])
        l1, l2 = elastic_net_parts(self.penalty, self.alpha, self.l1_ratio)
        mistakes = np.zeros((W.shape[0], max_iter), dtype=np.int32)
        arguments = (
            Y, S, held_out, np.array(seeds, dtype=np.uint32), W, b, mistakes, _RULES[self.update], float(self.eta0),
            l1, l2, self.fit_intercept, self.shuffle,
            -1.0 if self.tol is None else float(self.tol), self.n_iter_no_change, max_iter, True,
        )  # fmt: skip
        with jobs(self.n_jobs):
            infos = Rows(by_rows(X)).kernel("perceptron_fit", by="rows", width=False)(*arguments)

        traces = [row[:n].tolist() for row, (n, _, _) in zip(mistakes, infos)]
        if self.verbose:
            for k, trace in enumerate(traces):
                print(f"Perceptron {k}: mistakes by pass {trace}")
        self.coef_, self.intercept_, self.update_ = W.astype(dtype), b.astype(dtype), self.update
        self.n_iter_ = max(n for n, _, _ in infos)
        self.t_ += float(self.n_iter_ * all_rows)
        self.converged_ = all(done for _, done, _ in infos)
        self.mistakes_ = traces[0] if len(traces) == 1 else traces
        return [MAX_ITER if status == MAX_ITER and not done else OK if status == MAX_ITER else status
                for _, done, status in infos]  # fmt: skip

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
