"""Logistic regression with the penalty chosen by cross-validation."""

import numbers
import warnings

import numpy as np
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from statlearn._core.callbacks import FitSteps, with_callbacks
from statlearn._core.class_weights import class_and_sample_weights
from statlearn._core.fitted_state import forget, take_attributes
from statlearn._core.jobs import jobs
from statlearn._core.params import GRID_POINTS, Instance, Options, Real, check_params
from statlearn._core.registry import published
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import SeparationWarning, warn

from ._logistic import L1_RATIOS, PENALTIES, SOLVERS, LogisticRegression, check_solver, penalty_kind

# Parameters passed on to the fits of the folds.
_SHARED = ("dual", "tol", "fit_intercept", "intercept_scaling", "solver", "max_iter", "reference", "penalize_intercept")
# Known by identity, which `clone` keeps.
_DEFAULT_RATIOS = (0.0,)


class LogisticRegressionCV(LogisticRegression):
    r"""Logistic regression with the penalty chosen by cross-validation.

    The objective is that of `LogisticRegression`, and `C` (and optionally `l1_ratio`) is chosen. Each fold is fitted
    along the whole grid of C with warm starts, and the chosen model is refitted on all rows.

    Parameters
    ----------
    Cs : int or array-like, default=10
        The grid, or the number of values between 1e-4 and 1e4, evenly spaced on a log scale.
    l1_ratios : array-like, default=(0.0,)
        Mixing values to try, between 0 (L2 penalty) and 1 (L1 penalty).
    penalty : {"auto", "l1", "l2", "elasticnet"}, default="auto"
        For scripts written for scikit-learn before 1.8: "l1" and "l2" override `l1_ratios`.
    fit_intercept : bool, default=True
    cv : int, splitter, iterable or None, default=None
        None means 5 stratified folds.
    dual : bool, default=False
    scoring : str, callable or None, default="neg_log_loss"
        The score to maximise; None means accuracy. In scikit-learn 1.9 the default is still accuracy, but the log-loss
        is announced as the next default.
    solver : str, default="lbfgs"
        See `LogisticRegression`, also for the next two.
    tol : float, default=1e-4
    max_iter : int, default=100
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int or None, default=None
        Number of threads; None means all available. Results do not depend on it.
    verbose : int, default=0
    refit : bool, default=True
        If False, the coefficients at the best C of each fold are averaged over the folds.
    intercept_scaling : float, default=1.0
    random_state : int, RandomState or None, default=None
        Not used.
    use_legacy_attributes : bool, default=False
        If True, ``coefs_paths_`` and ``scores_`` are dicts by class and ``C_`` and ``l1_ratio_`` are arrays, as in
        scikit-learn before 1.8. The axis of the mixing values exists only if `l1_ratios` is given.
    rule : {"min", "one_se"}, default="min"
        ``"min"`` chooses the best mean score, ``"one_se"`` the smallest C within one standard error of it.
    threshold : float, default=0.5
        See `LogisticRegression`, also for the next three.
    threshold_rule : {"gt", "ge"}, default="gt"
    reference : class label, "last" or None, default=None
    penalize_intercept : bool, default=False

    Attributes
    ----------
    C_, l1_ratio_ : float
        The chosen values.
    Cs_, l1_ratios_ : ndarray
        The grids, in the given order.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_classes or 1, n_features + intercept)
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
    cv_curve_ : CVCurve
        Negative scores along C at the chosen `l1_ratio`, smallest C first, with standard errors and a plot.
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in `LogisticRegression`.
    log_likelihood_ : float
        Log-likelihood of the final fit, without the penalty. Only with ``refit=True``.
    dual_gap_ : float
        Duality gap of the final fit on the scale of the mean objective. Only with ``refit=True`` and an L1 term.

    Notes
    -----
    Cross-validated scores are nearly flat around their optimum, where ``rule="one_se"`` prefers the simpler model.
    Callbacks of scikit-learn 1.9 are called for every fold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from statlearn.linear import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=[0.01, 0.1, 1.0, 10.0, 100.0], cv=5).fit(scale(X), y)
    >>> model.C_
    1.0
    """

    # Weights are requested by the scorer, not by this class.
    __metadata_request__score = {"sample_weight": UNUSED}

    store_steps, prior, prior_coef = (
        False,
        None,
        None,
    )  # read by the methods of the class above; no parameters of this one
    _constraints = {
        **{
            name: rule
            for name, rule in LogisticRegression._constraints.items()
            if name not in ("C", "l1_ratio", "warm_start", "store_steps", "prior", "prior_scale", "prior_coef")
        },
        "Cs": [GRID_POINTS, "array-like"],
        "l1_ratios": ["array-like"],
        "penalty": [Options(*PENALTIES)],
        "cv": ["cv"],
        "scoring": [Instance(str), "callable", None],
        "refit": ["boolean"],
        "solver": [Options(*SOLVERS)],
        "use_legacy_attributes": ["boolean"],
        "rule": [Options("min", "one_se")],
        "intercept_scaling": [Real(0, None, closed="neither")],
    }
    _search_space = (
        SearchSpace(
            "logistic, L2", fixed={"cv": 5, "Cs": tuple(10 ** (k / 2) for k in range(-8, 7)), "max_iter": 1000}
        ),
        SearchSpace(
            "logistic, L1",
            fixed={
                "cv": 5,
                "Cs": tuple(10 ** (k / 3) for k in range(-9, 7)),
                "l1_ratios": (1.0,),
                "solver": "saga",
                "max_iter": 1000,
            },
        ),
    )

    def __init__(
        self,
        *,
        Cs=10,
        l1_ratios=_DEFAULT_RATIOS,
        penalty="auto",
        fit_intercept=True,
        cv=None,
        dual=False,
        scoring="neg_log_loss",
        solver="lbfgs",
        tol=1e-4,
        max_iter=100,
        class_weight=None,
        n_jobs=None,
        verbose=0,
        refit=True,
        intercept_scaling=1.0,
        random_state=None,
        use_legacy_attributes=False,
        rule="min",
        threshold=0.5,
        threshold_rule="gt",
        reference=None,
        penalize_intercept=False,
    ):
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.rule = rule
        self.threshold = threshold
        self.threshold_rule = threshold_rule
        self.reference = reference
        self.penalize_intercept = penalize_intercept

    # --- fitting ----------------------------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X, y, sample_weight=None, **params):
        """Choose the penalty by cross-validation and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Used in the fits and, if the score supports weights, in the scores.
        **params : dict
            Passed to the splitter and the scorer; requires scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        from sklearn.model_selection import check_cv

        self._refuse_params(params)
        check_params(self)
        ratios = self._ratios()
        Cs = self._grid()
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
        split_params, score_params = self._routed(weights, params)
        combined = class_and_sample_weights(self.class_weight, self.classes_, codes, weights)
        folds = weighty_folds(check_cv(self.cv, y, classifier=True).split(X, y, **split_params), combined)
        order = np.argsort(Cs, kind="stable")
        shape = (len(folds), len(ratios), len(Cs))
        scores, n_iter, paths = np.empty(shape), np.empty(shape, dtype=np.int32), None
        steps = FitSteps(self, X, y, sample_weight, max_steps=len(folds), name="fold")
        with steps, jobs(self.n_jobs), _one_warning(self):
            for f, (train, test) in enumerate(folds):
                steps.begin()
                fold_weights = None if combined is None else combined[train]
                held_out = {key: _rows_of(value, test, X.shape[0]) for key, value in score_params.items()}
                for r, ratio in enumerate(ratios):
                    model = self._single(warm_start=True)
                    for c in order:
                        model._solve(X[train], codes[train], fold_weights, None, float(Cs[c]), ratio)
                        row = np.hstack([model.coef_, model.intercept_[:, None]])
                        if paths is None:
                            paths = np.empty((*shape, len(row), X.shape[1] + bool(self.fit_intercept)))
                        paths[f, r, c] = row[:, : paths.shape[-1]]
                        n_iter[f, r, c] = max(1, model.n_iter_[0])  # the evaluation at the start counts
                    for c in range(len(Cs)):  # scored in the order of the grid, as the scorer may count
                        model.coef_, model.intercept_ = self._unpack(paths[f, r, c], X)
                        scores[f, r, c] = self._score(model, X[test], y[test], held_out)
                steps.end()
            self._choose(X, codes, combined, Cs, ratios, order, scores, paths)
        self.Cs_, self.l1_ratios_ = Cs, np.asarray(ratios)
        self.scores_, self.coefs_paths_, self.n_iter_ = scores, paths, n_iter
        self._inference, self._why_no_inference = None, "the penalty was chosen by cross-validation"
        if self.use_legacy_attributes:
            self._to_legacy()
        return self

    def _ratios(self):
        ratios = [L1_RATIOS[self.penalty]] if self.penalty in L1_RATIOS else self.l1_ratios
        if len(ratios) == 0 or any(not isinstance(r, numbers.Real) or not 0 <= r <= 1 for r in ratios):
            raise ValueError(
                f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={self.l1_ratios!r})"
            )
        for ratio in ratios:
            check_solver(self.solver, penalty_kind(1.0, ratio), self.dual)
        return [float(r) for r in ratios]

    def _grid(self):
        if isinstance(self.Cs, numbers.Integral):
            return np.logspace(-4, 4, self.Cs)
        Cs = np.asarray(self.Cs, dtype=np.float64)
        if Cs.ndim != 1 or Cs.size == 0:
            raise ValueError(f"Cs must be an int or a non-empty 1-d array-like, got shape {Cs.shape}.")
        if not np.all(Cs > 0):
            raise ValueError("Cs must contain positive numbers only.")
        return Cs

    def _single(self, **extra):
        model = LogisticRegression(**{name: getattr(self, name) for name in _SHARED}, **extra)
        model.classes_, model.n_features_in_ = self.classes_, self.n_features_in_
        return model

    def _unpack(self, row, X):
        """coef_ and intercept_ from one entry of the paths."""
        p = X.shape[1]
        if self.fit_intercept:
            return row[:, :p].astype(X.dtype), row[:, p].astype(X.dtype)
        return row.astype(X.dtype), np.zeros(len(row), dtype=X.dtype)

    def _choose(self, X, codes, weights, Cs, ratios, order, scores, paths):
        mean = scores.mean(axis=0)  # (ratios, Cs)
        best_ratio = int(np.unravel_index(np.argmax(mean.T), mean.T.shape)[1])
        name = "accuracy" if self.scoring is None else self.scoring if isinstance(self.scoring, str) else "score"
        shown = None if name == "neg_log_loss" else name  # the default score is minus a loss
        self.cv_curve_ = CVCurve(Cs[order], -scores[:, best_ratio, order].T, name="C", score=shown)
        forget(self, "log_likelihood_", "dual_gap_")
        if self.refit:
            chosen = int(order[self.cv_curve_.chosen(self.rule)])
            self.C_, self.l1_ratio_ = float(Cs[chosen]), float(ratios[best_ratio])
            model = self._single(warm_start=True)
            model.coef_, model.intercept_ = self._unpack(paths[:, best_ratio, chosen].mean(axis=0), X)
            model._solve(X, codes, weights, None, self.C_, self.l1_ratio_)
            self.coef_, self.intercept_ = model.coef_, model.intercept_
            self.log_likelihood_ = model.log_likelihood_
            take_attributes(self, model, "dual_gap_")
            return
        flat = scores.transpose(0, 2, 1).reshape(len(scores), -1)  # (folds, Cs * ratios)
        best = [np.unravel_index(k, mean.T.shape) for k in np.argmax(flat, axis=1)]
        self.C_ = float(np.mean([Cs[c] for c, _ in best]))
        self.l1_ratio_ = float(np.mean([ratios[r] for _, r in best]))
        rows = np.mean([paths[f, r, c] for f, (c, r) in enumerate(best)], axis=0)
        self.coef_, self.intercept_ = self._unpack(rows, X)

    def _to_legacy(self):
        """The attributes as scikit-learn had them before 1.8."""
        labels = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        scores = self.scores_.transpose(0, 2, 1)
        self.coefs_paths_ = {
            label: self.coefs_paths_[:, :, :, k].transpose(0, 2, 1, 3) for k, label in enumerate(labels)
        }
        self.scores_ = {label: scores.copy() for label in labels}
        self.n_iter_ = self.n_iter_.transpose(0, 2, 1)[None]
        self.C_ = np.full(len(labels), self.C_)
        self.l1_ratio_ = np.full(len(labels), self.l1_ratio_)
        if self.l1_ratios is _DEFAULT_RATIOS:
            # Unless the user passed mixing values (which may equal the default), there was no axis for them.
            self.coefs_paths_ = {label: path[:, :, 0] for label, path in self.coefs_paths_.items()}
            self.scores_ = {label: score[:, :, 0] for label, score in self.scores_.items()}
            self.n_iter_ = self.n_iter_[..., 0]

    # --- scores -----------------------------------------------------------------------------------------------------

    def _scorer(self):
        return published("assess.get_scorer")("accuracy" if self.scoring is None else self.scoring)

    def _score(self, model, X, y, params):
        """The score of a fitted model; common scores need no scorer and handle classes missing from a fold."""
        name = "accuracy" if self.scoring is None else self.scoring
        if not isinstance(name, str) or name not in ("accuracy", "neg_log_loss", "neg_brier_score"):
            return self._scorer()(model, X, y, **params)
        codes = np.searchsorted(self.classes_, y)
        if name == "neg_log_loss":
            values = model.predict_log_proba(X)[np.arange(len(codes)), codes]
            values = np.maximum(values, np.log(np.finfo(values.dtype).eps))  # as in scikit-learn's log_loss
        elif name == "neg_brier_score":
            K = len(self.classes_)
            values = -np.sum((model.predict_proba(X) - np.eye(K)[codes]) ** 2, axis=1)
            values *= 0.5 if K == 2 else 1.0  # scikit-learn counts one of two classes, all of several
        else:
            values = model.predict(X) == y
        return float(np.average(values, weights=params.get("sample_weight")))

    def score(self, X, y, *, sample_weight=None, **score_params):
        """Score of the given data by the metric of `scoring`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
        **score_params : dict
            Passed to the scorer; requires scikit-learn's metadata routing.

        Returns
        -------
        float
        """
        self._refuse_params(score_params)
        check_is_fitted(self)
        if sample_weight is not None:
            score_params["sample_weight"] = sample_weight
        if get_config()["enable_metadata_routing"]:
            score_params = process_routing(self, "score", **score_params).scorer.score
        return self._scorer()(self, X, y, **score_params)

    def _refuse_params(self, params):
        if params and not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"Passing extra keyword arguments ({', '.join(params)}) to {type(self).__name__} is only supported if "
                "enable_metadata_routing=True, which you can set using `sklearn.set_config`."
            )

    def _routed(self, sample_weight, params):
        """Keyword arguments for the splitter and for the scorer."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return routed.splitter.split, {k: v for k, v in routed.scorer.score.items() if v is not None}
        return {}, {} if sample_weight is None else {"sample_weight": sample_weight}

    def get_metadata_routing(self):
        """Metadata routing of this estimator, see scikit-learn's user guide.

        Returns
        -------
        MetadataRouter
        """
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(
                scorer=self._scorer(),
                method_mapping=MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score"),
            )
        )


def _rows_of(value, rows, n):
    """The given rows of a per-row argument; anything else unchanged."""
    if value is None or np.isscalar(value) or not hasattr(value, "__len__") or len(value) != n:
        return value
    return np.asarray(value)[rows]


class _one_warning:
    """Collects the convergence and separation warnings of many fits into one of each kind."""

    def __init__(self, estimator):
        self.estimator = estimator

    def __enter__(self):
        self._catcher = warnings.catch_warnings(record=True)
        self._caught = self._catcher.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, kind, error, trace):
        self._catcher.__exit__(kind, error, trace)
        if kind is not None:
            return
        seen = {}
        for caught in self._caught:
            seen.setdefault(caught.category, []).append(caught)
        for category, several in seen.items():
            text = str(several[0].message)
            if category in (ConvergenceWarning, SeparationWarning) and len(several) > 1:
                text = f"In {len(several)} of the fits, the first being: {text}"
            warn(text.replace("LogisticRegression:", "LogisticRegressionCV:"), category)
