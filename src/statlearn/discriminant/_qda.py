"""Quadratic discriminant analysis."""

import numpy as np
from scipy import linalg, stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.class_scores import class_priors
from statlearn._core.fitted_state import forget
from statlearn._core.params import HasMethods, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table, as_counts
from statlearn._core.validation import require_finite
from statlearn._core.warnings import RankWarning, warn
from statlearn._math.linalg.eigen import eigh
from statlearn._math.rows.site_statistics import StatisticsMixin

from ._base import DiscriminantClassifier, check_block, check_training
from ._class_scatter import ClassScatter, scatter_of_site, site_scatter
from ._covariance import check_shrinkage, class_covariances_by, shrunk
from ._leave_one_out import loo_posteriors
from ._sphering import correlation_condition, small_blas, sphere, sphere_regular, stack_spherings


def gaussian_scores(X, means, factors, log_dets):
    """Log density of each class up to a constant, shape (n, k); -inf for classes whose log determinant is infinite.

    `factors` are the spherings of the classes and whether they are triangles, as `stack_spherings` returns them.
    """
    W, upper = factors
    scores = np.empty((len(X), len(means)), dtype=X.dtype)
    with single_blas_thread():
        native.discriminant.gaussian_scores(
            X, means.astype(X.dtype, copy=False), W.astype(X.dtype, copy=False), upper, -0.5 * log_dets, scores
        )
    return scores


def box_m(log_dets, pooled_log_det, counts, p):
    """Box's M statistic with its chi-squared approximation: (M, chi2, df, p-value)."""
    v = counts - 1.0
    total, k = v.sum(), len(counts)
    M = total * pooled_log_det - v @ log_dets
    c = (np.sum(1 / v) - 1 / total) * (2 * p**2 + 3 * p - 1) / (6 * (p + 1) * (k - 1))
    df = p * (p + 1) * (k - 1) / 2
    return float(M), float(M * (1 - c)), df, float(stats.chi2.sf(M * (1 - c), df))


class QuadraticDiscriminantAnalysis(StatisticsMixin, DiscriminantClassifier, ClassifierMixin, BaseEstimator):
    r"""Quadratic discriminant analysis: Gaussian classes with their own covariances.

    A row goes to the class with the largest

    .. math:: \delta_k(x) = -\tfrac12 \log |\Sigma_k| - \tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k) + \log \pi_k

    and posterior probabilities are the softmax of the discriminants.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        Both work on the eigenvectors of the class covariances and find the same rule. `shrinkage` and
        `covariance_estimator` require "eigen"; "svd" requires more rows than columns in each class.
    shrinkage : float in [0, 1], "auto" or None, default=None
        Amount λ of shrinkage of every class covariance to (1 - λ) Σ_k + λ (tr Σ_k / p) I. "auto" uses the formula of
        Ledoit and Wolf on standardised columns.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors, in the order of the sorted labels. None for the class proportions of the training data.
    reg_param : float in [0, 1], default=0.0
        Replaces Σ_k by (1 - r) Σ_k + r I. Depends on the units of the columns.
    store_covariance : bool, default=False
        Whether the class covariances are stored in `covariance_`.
    tol : float, default=1e-4
        A class covariance counts as singular if a direction has a standard deviation of at most `tol`, in units of the
        columns' standard deviations. Fitting then raises LinAlgError. (scikit-learn compares variances in the units of
        the data.)
    covariance_estimator : estimator or None, default=None
        Estimator with `fit` and `covariance_`, fitted to the rows of each class.
    cov_divisor : {"auto", "nk", "nk-1"}, default="auto"
        Divisor of the class covariances: "nk" is the maximum likelihood estimate, and what "auto" means, as in
        scikit-learn 1.9; "nk-1" is the unbiased one of R and of older versions of scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    rotations_ : list of ndarray of shape (n_features, n_features)
        Principal axes of each class.
    scalings_ : list of ndarray of shape (n_features,)
        Variances along these axes, descending.
    covariance_ : list of ndarray of shape (n_features, n_features)
        Only if `store_covariance`.
    class_count_ : ndarray of shape (n_classes,)
        Sum of the weights of each class.
    class_scatters_ : ndarray of shape (n_classes, n_features, n_features)
        Scatter of each class about its mean.
    n_parameters_ : int
        Parameters of the rule, (K - 1)(p (p + 3) / 2 + 1).
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    One pass over the rows collects means and scatters in O(n p²); the rest costs O(K p³), a prediction O(K p²).

    Pitfall: with p close to the number of rows of a class, its covariance is singular or nearly so. Use
    `RegularizedDiscriminantAnalysis`, `shrinkage`, or a diagonal or linear model.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> round(QuadraticDiscriminantAnalysis().fit(X, y).score(X, y), 2)
    0.98
    """

    _search_space = SearchSpace(
        "quadratic discriminant analysis", grid={"shrinkage": [0.9, 0.5, 0.1, 0.01]}, fixed={"solver": "eigen"}
    )

    _constraints = {
        "solver": [Options("svd", "eigen")],
        "shrinkage": [Options("auto"), Real(0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "reg_param": [Real(0, 1, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Real(0, None)],
        "covariance_estimator": [HasMethods("fit"), None],
        "cov_divisor": [Options("auto", "nk", "nk-1")],
    }

    def __init__(
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
        cov_divisor="auto",
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.cov_divisor = cov_divisor

    def _check_settings(self):
        check_params(self)
        check_shrinkage(self)

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to its absence.

        Returns
        -------
        self
        """
        self._check_settings()
        X, classes, codes, weights = check_training(self, X, y, sample_weight, minimum=1)
        if len(classes) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one. Got {len(classes)} class. "
                "QuadraticDiscriminantAnalysis"
                " needs rows of at least two classes."
            )
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(classes))
        for label, count in zip(classes, statistic.counts):
            if count <= 1:
                raise ValueError(
                    f"y has only 1 sample in class {label}, covariance is ill defined. Remove the class, or use "
                    "LinearDiscriminantAnalysis or RegularizedDiscriminantAnalysis."
                )
        S = None
        if not self._is_plain():
            S = class_covariances_by(X, codes, weights, len(classes), self.covariance_estimator)
        self._solve(classes, statistic, X.dtype, S)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a block of rows to the model.

        The result is that of a fit to all blocks together, up to rounding. Classes that have too few rows so far are
        never predicted, with a warning.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like or None, default=None
            All labels that will ever occur; required in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        self._check_settings()
        if not self._is_plain():
            raise ValueError(
                "partial_fit keeps sums, not rows: it does not support shrinkage='auto' or `covariance_estimator`."
            )
        X, known, codes, weights, first = check_block(self, X, y, classes, sample_weight)
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(known))
        if not first:
            statistic = ClassScatter(self.class_count_, self._exact_means, self.class_scatters_).merge(statistic)
        self._solve(known, statistic, X.dtype, partial=True)
        return self

    _statistics_kind = "scatter"

    def _require_sums(self, who):
        self._check_settings()
        if not self._is_plain():
            raise ValueError(
                f"{who} keeps sums, not rows: it does not support shrinkage='auto' or `covariance_estimator`."
            )

    def _site_statistics(self, X, y, sample_weight):
        self._require_sums("statistics")
        X, classes, codes, weights = check_training(self, X, y, sample_weight, minimum=1)
        return site_scatter(self, X, classes, codes, weights, pooled=False)

    def _fit_statistics(self, statistics):
        self._require_sums("from_statistics")
        statistic = scatter_of_site(statistics, type(self).__name__)
        if statistics.arrays["pooled"]:
            raise ValueError("QuadraticDiscriminantAnalysis requires cross-products by class, got pooled ones.")
        self._solve(statistics.classes, statistic, np.dtype(np.float64))

    def _is_plain(self):
        return self.covariance_estimator is None and self.shrinkage != "auto"

    def _solve(self, classes, statistic, dtype, S=None, partial=False):
        p, k = statistic.means.shape[1], len(classes)
        unbiased = self.cov_divisor == "nk-1"
        if S is None:
            S = statistic.class_covariances(1.0 if unbiased else 0.0)
            if self.shrinkage:
                S = shrunk(S, self.shrinkage, "scaled_identity")
        elif unbiased:
            S = S * (statistic.counts / (statistic.counts - 1.0))[:, None, None]
        if self.solver == "svd" and self.reg_param:
            S = (1 - self.reg_param) * S + self.reg_param * np.eye(p)
        priors = class_priors(self.priors, statistic.counts)
        spherings, log_dets, rotations, scalings, missing = [], [], [], [], []
        with small_blas(p):
            for c, label in enumerate(classes):
                few = statistic.counts[c] <= 1 or (self.solver == "svd" and statistic.counts[c] < p)
                if not np.isnan(S[c]).all():
                    require_finite(S[c])
                sphering = (
                    None if partial and statistic.counts[c] <= 1 else sphere_regular(S[c], tol=self.tol, dtype=dtype)
                )
                if few or sphering is None or sphering.rank < p:
                    if not partial:
                        raise linalg.LinAlgError(self._singular(label, statistic.counts[c], p))
                    missing.append(label)
                    sphering = None
                spherings.append(sphering)
                log_dets.append(np.inf if sphering is None else sphering.log_det)
                values, vectors = (np.full(p, np.nan), np.full((p, p), np.nan)) if sphering is None else eigh(S[c])
                rotations.append(vectors[:, ::-1].astype(dtype))
                scalings.append(values[::-1].astype(dtype))
        if missing:
            warn(
                f"QuadraticDiscriminantAnalysis: classes {[str(label) for label in missing]} have too few rows so far "
                "for a covariance of full rank, and are not predicted until more rows arrive.",
                RankWarning,
            )
        self.classes_, self.priors_, self.class_count_ = classes, priors, statistic.counts
        self._exact_means, self.class_scatters_ = statistic.means, statistic.scatter
        self.means_ = statistic.means.astype(dtype)
        self._factors, self._log_dets = stack_spherings(spherings, p, dtype), np.array(log_dets)
        self.rotations_, self.scalings_ = rotations, scalings
        forget(self, "covariance_")
        if self.store_covariance:
            self.covariance_ = [each.astype(dtype) for each in S]
        self.n_parameters_ = (k - 1) * (p * (p + 3) // 2 + 1)

    def _singular(self, label, count, p):
        head = f"The covariance matrix of class {label} is not full rank. "
        if self.solver == "svd" and count <= p:
            return (
                head
                + "When using `solver='svd'` the number of samples in each class should be more than the number of "
                f"features, but class {label} has {count:g} samples and {p} features. Try using `solver='eigen'` and "
                "setting the parameter `shrinkage` for regularization, or RegularizedDiscriminantAnalysis."
            )
        name = "shrinkage" if self.solver == "eigen" else "reg_param"
        return head + f"Increase the value of `{name}` to reduce the collinearity, or remove constant columns."

    def _likelihood_scores(self, X):
        if np.isposinf(self._log_dets).all():
            raise ValueError("No class has enough rows for a covariance of full rank; add rows with partial_fit.")
        return gaussian_scores(X, self.means_, self._factors, self._log_dets)

    def discriminant_functions(self, X):
        r"""The discriminants δ_k(x) of the formula above for every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._scores(X)

    def loo_predict_proba(self, X, y, sample_weight=None):
        """Leave-one-out posteriors of the training rows, without refitting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Numbers of copies, at least 1 where not 0. One copy of a row is left out at a time.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Row i is predicted by the model fitted to all other rows. Rows of weight 0 are predicted by the model of all
            rows. Classes are in sorted order.

        Notes
        -----
        Exact, by a rank-one update of the scatter of the row's class. Priors that are not given are the class
        proportions of the remaining rows; R's ``qda(CV = TRUE)`` keeps those of all rows.
        """
        self._check_settings()
        if not self._is_plain() or self.shrinkage or self.reg_param:
            raise ValueError(
                "Leave-one-out in closed form requires empirical covariances; for regularised ones, use "
                "RegularizedDiscriminantAnalysis."
            )
        scratch = type(self)(**self.get_params(deep=False))
        minus = 1.0 if self.cov_divisor == "nk-1" else 0.0
        return loo_posteriors(scratch, X, y, sample_weight, alpha=1.0, minus_class=minus)

    def summary(self):
        """Table of the classes, and Box's M test of equal covariances.

        Returns
        -------
        Summary
            One row per class: weight, prior, log determinant and condition number of the covariance, regularised if the
            model is. The condition number is that of the correlation matrix.

        Notes
        -----
        Box's test is sensitive to departures from normality: a small p-value can mean heavy tails instead of unequal
        covariances. It uses the unbiased empirical covariances, whatever the regularisation of the model.
        """
        check_is_fitted(self)
        p = self.n_features_in_
        statistic = ClassScatter(self.class_count_, self._exact_means, self.class_scatters_)
        covariances = statistic.class_covariances(1.0)
        spherings = [sphere(S) if np.isfinite(S).all() else None for S in covariances]
        condition = [
            correlation_condition((vectors.astype(float) * values) @ vectors.T.astype(float))
            for values, vectors in zip(self.scalings_, self.rotations_)
        ]
        labels = [str(c) for c in self.classes_]
        columns = {
            "n": as_counts(self.class_count_),
            "prior": self.priors_,
            "log_determinant": self._log_dets,
            "condition_number": np.array(condition),
        }
        facts = {"n": statistic.total_weight, "n_parameters": self.n_parameters_}
        names = {"n": "Rows (sum of weights)", "n_parameters": "Parameters of the rule"}
        if all(each is not None and each.rank == p for each in spherings):
            pooled = sphere(statistic.pooled_covariance(len(labels))).log_det
            M, chi2, df, p_value = box_m(np.array([each.log_det for each in spherings]), pooled, self.class_count_, p)
            facts |= {"box_m": M, "box_chi2": chi2, "box_df": df, "box_p": p_value}
            names |= {"box_m": "Box's M", "box_chi2": "  chi-squared", "box_df": "  df", "box_p": "  p value"}
        return Summary("Quadratic discriminant analysis", Table(labels, columns), facts=facts, labels=names)
