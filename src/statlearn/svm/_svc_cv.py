"""Choice of C and gamma by cross-validation, with one kernel matrix per gamma."""

import itertools

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import class_factors
from statlearn._core.memory import require_memory
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.selection import weighty_folds
from statlearn._core.validation import FLOATS, encode_classes, validate_data
from statlearn.svm._kernel_classifier import KernelClassifier
from statlearn.svm._kernel_table import KernelTable, resolve_gamma
from statlearn.svm._machine_weights import machine_weights
from statlearn.svm._margins import MarginWidthMixin
from statlearn.svm._path import check_prices
from statlearn.svm._solver import StepSettings, classification_dual, solve, start_for_larger_bounds
from statlearn.svm._svc import SVC


class SVCCV(MarginWidthMixin, KernelClassifier):
    """Support vector classification with a Gaussian kernel, C and gamma chosen by cross-validation.

    The same choice as a grid search over `SVC`, several times faster: the kernel matrix of a gamma is computed once for
    all folds and prices, machines are started from the solution at the next smaller C or gamma, and held-out rows are
    predicted from the same matrix. Folds and pairs of classes run in parallel.

    Parameters
    ----------
    Cs : int or array-like, default=7
        Values of C, or their number on a logarithmic scale from 1e-3 to 1e3.
    gammas : array-like, default=("scale",)
        Factors of the kernel. Strings are resolved on all training rows.
    cv : int, splitter, iterable or None, default=None
        Folds; None and whole numbers are stratified folds, 5 by default.
    class_weight : dict, "balanced" or None, default=None
    tol : float, default=1e-3
    cache_size : float, default=200
        Megabytes for the kernel of the final fit. The search needs the whole kernel matrix twice in single
        precision.
    max_iter : int, default=-1
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
    break_ties : bool, default=False

    Attributes
    ----------
    C_, gamma_ : float
        The chosen values: the highest mean accuracy, with ties broken by the smaller C, then the smaller gamma.
    scores_ : ndarray of shape (n_gammas, n_Cs, n_folds)
        Accuracy on the held-out rows (weighted if weights are given).
    Cs_, gammas_ : ndarray
        The grid.
    best_score_ : float
        Mean accuracy of the choice. It is optimistic, since it was chosen.
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_
        As in `SVC`, from the final fit on all rows.
    fit_status_, n_iter_, shape_fit_, class_weight_, violation_, margin_, width_, objective_
        As in `SVC`.
    n_features_in_, feature_names_in_
        As in `SVC`.

    See Also
    --------
    SVC : The machine itself.

    Notes
    -----
    Scale the columns first, in a pipeline. If the best value lies at an end of the grid, extend the grid.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.svm import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVCCV(Cs=[0.1, 1, 10], gammas=[0.1, 1.0]).fit(X, y)
    >>> bool(search.best_score_ > 0.95)
    True
    """

    _constraints = {
        "Cs": [Int(1, 100), "array-like"],
        "gammas": ["array-like"],
        "cv": ["cv"],
        "class_weight": [Options("balanced"), Instance(dict), None],
        "tol": [Real(0, None, closed="neither")],
        "cache_size": [Real(0, None, closed="neither")],
        "max_iter": [Int(-1, None)],
        "decision_function_shape": [Options("ovr", "ovo")],
        "break_ties": ["boolean"],
    }
    kernel = "rbf"

    def __init__(
        self,
        Cs=7,
        gammas=("scale",),
        *,
        cv=None,
        class_weight=None,
        tol=1e-3,
        cache_size=200,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    def fit(self, X, y, sample_weight=None):
        """Search the grid and fit the machine with the chosen values on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            As in `SVC`.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False)
        weights = machine_weights(sample_weight, X)
        classes, codes = encode_classes(y, owner="SVCCV")
        w = None if weights is None else weights.astype(np.float64)
        self.Cs_ = check_prices("SVCCV", self.Cs)
        named = Options("scale", "auto")
        if not all(named.accepts(g) or Real(0, None, closed="neither").accepts(g) for g in self.gammas):
            raise ValueError(f"gammas must contain positive numbers, 'scale' or 'auto' only, got {self.gammas!r}.")
        self.gammas_ = np.array([resolve_gamma(g, X, w) for g in self.gammas])
        if self.gammas_.size == 0 or not np.all(self.gammas_ > 0):
            raise ValueError("gammas must contain at least one value, and only positive ones.")
        require_memory(
            8 * X.shape[0] ** 2, f"The {X.shape[0]:,} x {X.shape[0]:,} kernel matrix of SVCCV",
            "Search on a sample of the rows, or use GridSearchCV(SVC(), ...).",
        )  # fmt: skip
        splitter = check_cv(5 if self.cv is None else self.cv, codes, classifier=True)
        folds = weighty_folds(splitter.split(np.zeros((X.shape[0], 1)), codes), w)
        folds = [tuple(map(np.asarray, fold)) for fold in folds]
        if w is not None:  # rows of weight 0 are absent
            folds = [tuple(part[w[part] > 0] for part in fold) for fold in folds]
        jobs = self._binary_problems(codes, classes, w, folds)
        self.scores_ = np.empty((self.gammas_.size, self.Cs_.size, len(folds)))
        start = None
        for g in np.argsort(self.gammas_):  # neighbours in turn: each starts from the solutions of the one before
            table = KernelTable(X, "rbf", self.gammas_[g]).as_matrix(np.float32)
            start = self._score_gamma(table, codes, classes.size, w, folds, jobs, start, self.scores_[g])
        means = self.scores_.mean(axis=2)
        best = means.max()
        # Ties: the smallest C, then the smallest gamma.
        candidates = [(self.Cs_[c], self.gammas_[g]) for g, c in np.argwhere(means >= best - 1e-12)]
        self.C_, self.gamma_ = min(candidates)
        self.C_, self.gamma_, self.best_score_ = float(self.C_), float(self.gamma_), float(best)
        final = SVC(
            C=self.C_, gamma=self.gamma_, class_weight=self.class_weight, tol=self.tol, cache_size=self.cache_size,
            max_iter=self.max_iter,
        ).fit(X, y, sample_weight=weights)  # fmt: skip
        for name in ("support_", "support_vectors_", "_n_support", "dual_coef_", "intercept_", "fit_status_", "n_iter_",
                     "shape_fit_", "class_weight_", "violation_", "margin_", "objective_", "classes_", "_kernel",
                     "_kernel_parameters", "_one_vs_rest", "_gamma"):  # fmt: skip
            setattr(self, name, getattr(final, name))
        return self

    def _binary_problems(self, codes, classes, weights, folds):
        """Fold, pair of classes, rows, labels +-1 and unit prices of every binary problem."""
        jobs = []
        for f, (train, _) in enumerate(folds):
            w = None if weights is None else weights[train]
            factors = class_factors(self.class_weight, classes, codes[train], w)
            for i, j in itertools.combinations(range(classes.size), 2):
                rows = train[(codes[train] == i) | (codes[train] == j)]
                signs = np.where(codes[rows] == i, 1.0, -1.0)
                unit = factors[codes[rows]] * (1.0 if weights is None else weights[rows])
                jobs.append((f, i, j, rows, signs, unit))
        return jobs

    def _score_gamma(self, table, codes, n_classes, weights, folds, jobs, start, scores):
        """Accuracies of all prices and folds for one kernel matrix; returns the multipliers at the smallest price."""
        held_out = [table.X[test] for _, test in folds]
        start = [None] * len(jobs) if start is None else start
        duals, solutions = [], []
        for c, C in enumerate(self.Cs_):
            if c > 0:
                ratio = C / self.Cs_[c - 1]
                start = [start_for_larger_bounds(*pair, ratio) for pair in zip(duals, solutions)]
            duals = [classification_dual(rows, signs, C * unit, b)
                     for (_, _, _, rows, signs, unit), b in zip(jobs, start)]  # fmt: skip
            settings = StepSettings(tol=self.tol, max_iter=self.max_iter, cache_size=self.cache_size)
            solutions = solve(table, duals, settings)
            if c == 0:
                first = [solution.b.copy() for solution in solutions]
            votes = [np.zeros((test.size, n_classes), dtype=int) for _, test in folds]
            for (f, i, j, rows, _, _), dual, solution in zip(jobs, duals, solutions):
                coef = np.zeros(table.n, dtype=np.float32)
                coef[rows] = solution.b
                wins = held_out[f] @ coef > solution.level(dual)
                votes[f][wins, i] += 1
                votes[f][~wins, j] += 1
            for f, (_, test) in enumerate(folds):
                right = votes[f].argmax(axis=1) == codes[test]
                scores[c, f] = np.average(right, weights=None if weights is None else weights[test])
        return first

    def decision_function(self, X):
        """Decision values of the final machine, as in `SVC`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return super().decision_function(X)
