"""Linear discriminant analysis."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.fitted_state import forget
from statlearn._core.params import HasMethods, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.rows.site_statistics import StatisticsMixin

from ._base import DiscriminantClassifier, check_block, check_training
from ._class_scatter import ClassScatter, scatter_of_site, site_scatter
from ._covariance import check_shrinkage, covariance_by, shrunk
from ._lda_summary import lda_summary
from ._leave_one_out import loo_posteriors
from ._within_sphering import WithinSphering


class LinearDiscriminantAnalysis(
    StatisticsMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    WithinSphering,
    DiscriminantClassifier,
    ClassifierMixin,
    BaseEstimator,
):
    r"""Linear discriminant analysis: Gaussian classes with a common covariance.

    A row goes to the class with the largest discriminant

    .. math:: \delta_k(x) = x^\top \Sigma^{-1} \mu_k - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k + \log \pi_k

    with class means μ_k, priors π_k and the covariance Σ within the classes. Posterior probabilities are the softmax of
    the discriminants. `transform` projects rows on the canonical variates, the directions w that maximise the
    between-class over the within-class scatter, of which there are at most min(p, K - 1).

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen", "sphere"}, default="svd"
        All solvers find the same rule. "svd" and "eigen" find the canonical variates, "lsqr" solves for the
        coefficients only, and "sphere" stores the map that turns Σ into the identity and classifies by the nearest
        sphered mean, corrected by log π_k. Shrinkage requires "lsqr", "eigen" or "sphere".
    shrinkage : float in [0, 1], "auto" or None, default=None
        Amount λ of shrinkage of the covariance to (1 - λ) Σ + λ T. "auto" uses the formula of Ledoit and Wolf on the
        standardised columns of each class, so that T is the diagonal of the covariance.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors, in the order of the sorted labels. None for the class proportions of the training data.
    n_components : int or None, default=None
        Number of canonical variates that `transform` returns; None for min(K - 1, p).
    store_covariance : bool, default=False
        Whether "svd" stores `covariance_`; the other solvers always do.
    tol : float, default=1e-4
        "svd" ignores directions whose standard deviation within the classes, in units of the columns' own, is at most
        `tol`, and canonical variates whose between-class deviation is at most `tol` times the largest.
    covariance_estimator : estimator or None, default=None
        Estimator with `fit` and `covariance_`, fitted to the rows of each class instead of the empirical covariance.
    cov_divisor : {"auto", "n", "n-k"}, default="auto"
        Divisor of the pooled covariance: "n" is the maximum likelihood estimate, "n-k" the unbiased one used by R.
        "auto" does what scikit-learn (1.9) does: the divisor n, and with `priors` and the solvers "lsqr" and "eigen",
        class covariances averaged with the priors instead of the class proportions.
    shrinkage_target : {"scaled_identity", "identity"}, default="scaled_identity"
        The target T for a fixed amount: the identity times the mean variance, or the plain identity, which depends on
        the units of the columns.
    on_singular : {"pinv", "between", "shrink", "raise"}, default="pinv"
        What to do if the within-class scatter is singular: "pinv" ignores the directions without spread, "between"
        projects the rows on the space of the class means first, "shrink" applies the amount of Ledoit and Wolf with
        `shrinkage_target`, and "raise" raises LinAlgError. All but "raise" issue a RankWarning.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Coefficients of the discriminants; for two classes, of the second minus the first.
    intercept_ : ndarray of shape (n_classes,) or (1,)
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    xbar_ : ndarray of shape (n_features,)
        Mean of the class means, weighted by the priors.
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance within the classes, after shrinkage; with "svd" only if `store_covariance`.
    scalings_ : ndarray of shape (n_features, rank)
        Canonical directions, scaled to unit variance within the classes; not with "lsqr".
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each canonical variate in the between-class variance; not with "lsqr".
    eigenvalues_ : ndarray of shape (min(K - 1, p),)
        Variance between the classes along each canonical direction, descending, for all of them whatever `n_components`
        is; not with "lsqr". They are the eigenvalues of Σ⁻¹ B, with B the covariance of the class means, which are
        those of S_W⁻¹ S_B if the priors are the class proportions, the divisor is n and nothing is shrunk. Their sum is
        then the Hotelling-Lawley trace.
    sphering_ : ndarray of shape (n_features, rank)
        Matrix W with W'ΣW = I.
    class_count_ : ndarray of shape (n_classes,)
        Sum of the weights of each class.
    scatter_ : ndarray of shape (n_features, n_features)
        Within-class scatter S_W; not stored by "svd" and "sphere" if there are fewer rows than columns.
    n_parameters_ : int
        Parameters of the rule, (K - 1)(p + 1).
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    One pass over the rows collects class means and scatter, in O(n p²); the rest costs O(p³). "svd" works on the
    scatter, too, and on the rows themselves only if there are fewer rows than columns. Results are the same for any
    number of threads.

    Pitfalls: priors come from the sample unless given. PCA before LDA can remove the discriminating direction. With p
    close to n, use `shrinkage`. `summary` assumes Gaussian classes with equal covariances.

    References
    ----------
    Fisher (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7.
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 4.3.
    Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, J. Multivar. Anal. 88.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = LinearDiscriminantAnalysis().fit(X, y)
    >>> round(lda.score(X, y), 2)
    0.98
    >>> lda.transform(X).shape
    (150, 2)
    """

    _search_space = SearchSpace(
        "linear discriminant analysis", grid={"shrinkage": [0.5, 0.1, 0.01, 0.0]}, fixed={"solver": "sphere"}
    )

    _constraints = {
        "solver": [Options("svd", "lsqr", "eigen", "sphere")],
        "shrinkage": [Options("auto"), Real(0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "n_components": [Int(1, None), None],
        "store_covariance": ["boolean"],
        "tol": [Real(0, None)],
        "covariance_estimator": [HasMethods("fit"), None],
        "cov_divisor": [Options("auto", "n", "n-k")],
        "shrinkage_target": [Options("scaled_identity", "identity")],
        "on_singular": [Options("pinv", "between", "shrink", "raise")],
    }

    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
        *,
        cov_divisor="auto",
        shrinkage_target="scaled_identity",
        on_singular="pinv",
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.cov_divisor = cov_divisor
        self.shrinkage_target = shrinkage_target
        self.on_singular = on_singular

    # ------------------------------------------------------------------------------------------------------ fitting

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
        counts = np.bincount(codes, weights=weights, minlength=len(classes)).astype(np.float64)
        if counts.sum() <= len(classes) and len(X) == len(classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        self._reset(classes)
        priors = class_priors(self.priors, counts)
        wide = len(X) < X.shape[1] and self.solver in ("svd", "sphere") and self._is_plain()
        if wide:
            statistic = ClassScatter.without_scatter(X, codes, weights, counts)
        else:
            pooled = not (self._averages_by_priors() and self._is_plain())
            statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(classes), pooled=pooled)
        self._solve(statistic, priors, X.dtype, rows=(X, codes, weights), wide=wide)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a block of rows to the model.

        The result is that of a fit to all blocks together, up to rounding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like or None, default=None
            All labels that will ever occur; required in the first call. A class without rows so far has prior 0.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        self._check_settings()
        if not self._is_plain() or self.on_singular == "shrink" or self._averages_by_priors():
            raise ValueError(
                "partial_fit keeps sums, not rows: it does not support `shrinkage='auto'`, `covariance_estimator`, "
                "`on_singular='shrink'`, or `priors` with `cov_divisor='auto'` and this solver."
            )
        X, known, codes, weights, first = check_block(self, X, y, classes, sample_weight)
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(known), pooled=True)
        if not first:
            if not hasattr(self, "scatter_"):
                raise ValueError("The scatter of the fitted model was not kept; begin with partial_fit.")
            statistic = ClassScatter(self.class_count_, self._exact_means, self.scatter_[None]).merge(statistic)
        else:
            self._reset(known)
        self._solve(statistic, class_priors(self.priors, statistic.counts), X.dtype)
        return self

    _statistics_kind = "scatter"

    def _require_sums(self, who):
        if not self._is_plain() or self.on_singular == "shrink":
            raise ValueError(
                f"{who} keeps sums, not rows: it does not support `shrinkage='auto'`, `covariance_estimator` or "
                "`on_singular='shrink'`."
            )

    def _site_statistics(self, X, y, sample_weight):
        self._check_settings()
        self._require_sums("statistics")
        X, classes, codes, weights = check_training(self, X, y, sample_weight, minimum=1)
        pooled = not self._averages_by_priors()
        return site_scatter(self, X, classes, codes, weights, pooled=pooled)

    def _fit_statistics(self, statistics):
        self._check_settings()
        self._require_sums("from_statistics")
        statistic = scatter_of_site(statistics, type(self).__name__)
        if self._averages_by_priors() and statistics.arrays["pooled"]:
            raise ValueError(
                "`priors` with this solver require cross-products by class; make the statistics with the same `priors`."
            )
        self._reset(statistics.classes)
        self._solve(statistic, class_priors(self.priors, statistic.counts), np.dtype(np.float64))

    def _check_settings(self):
        check_params(self)
        check_shrinkage(self)

    def _reset(self, classes):
        self.classes_ = classes
        limit = min(len(classes) - 1, self.n_features_in_)
        if self.n_components is not None and self.n_components > limit:
            raise ValueError("`n_components` cannot be larger than min(n_features, n_classes - 1).")
        self._max_components = limit if self.n_components is None else self.n_components
        forget(self, "covariance_", "scalings_", "explained_variance_ratio_", "eigenvalues_", "scatter_")

    def _solve(self, statistic, priors, dtype, rows=None, wide=False):
        """Set all attributes from the statistic; `rows` are X, codes and weights if they are available."""
        self._solver = self.solver  # predictions go by the solver of the fit
        self.class_count_ = statistic.counts
        self._exact_means = statistic.means
        self.priors_ = priors.astype(dtype)
        self.means_ = statistic.means.astype(dtype)
        p, k = self.n_features_in_, len(self.classes_)
        self.n_parameters_ = (k - 1) * (p + 1)
        if wide:
            sphering = self._sphere_wide(statistic, rows, priors)
        else:
            self.scatter_ = statistic.within()
            S = self._covariance(statistic, priors, rows)
            sphering = self._sphere(S, statistic, priors, rows, dtype)
        self.sphering_ = sphering.W.astype(dtype)
        self._set_rule(statistic, priors, sphering.W, rows)
        if dtype == np.float32:
            for name in ("scalings_", "xbar_", "covariance_", "explained_variance_ratio_", "eigenvalues_"):
                if hasattr(self, name):
                    setattr(self, name, getattr(self, name).astype(np.float32))

    def _set_rule(self, statistic, priors, W, rows):
        """Canonical variates, coefficients and intercepts from the sphering W."""
        means = statistic.means
        present = statistic.counts > 0
        xbar = priors[present] @ means[present] / priors[present].sum()
        self.xbar_ = xbar
        gap = np.where(present[:, None], means - xbar, 0.0)
        inner = gap @ W
        self._half_norms = (-0.5 * np.sum(inner**2, axis=1)).astype(self.means_.dtype)
        self._directions = (inner @ W.T).astype(self.means_.dtype)
        if self.solver == "eigen":
            values, Q = linalg.eigh(W.T @ self._between(statistic, priors, rows) @ W)
            values, Q = values[::-1], Q[:, ::-1]
        elif self.solver != "lsqr":
            _, s, Vt = linalg.svd(np.sqrt(priors)[:, None] * inner, full_matrices=False)
            keep = s > self.tol * s[0] if len(s) else np.zeros(0, bool)
            values, Q = s**2, Vt.T[:, keep]
        if self.solver != "lsqr":
            total = values.sum()
            ratio = values / total if total > 0 else np.zeros(len(values))
            self.explained_variance_ratio_ = ratio[: self._max_components]
            self.eigenvalues_ = values[: min(len(self.classes_) - 1, self.n_features_in_)]
            self.scalings_ = W @ Q
        self._set_linear()

    def _between(self, statistic, priors, rows):
        """Between-class covariance of the eigen solver: the total covariance, estimated likewise, minus the within."""
        if not self._is_plain():
            X, _, weights = rows
            total = covariance_by(X, weights, self.covariance_estimator)
            return total - self.covariance_.astype(np.float64)
        gap = statistic.means - self.xbar_
        S = (priors[:, None] * gap).T @ gap
        if self.shrinkage and self.shrinkage_target == "scaled_identity":
            return shrunk(S, self.shrinkage, "scaled_identity")
        return S

    def _set_linear(self):
        """`coef_` and `intercept_` from directions and priors."""
        dtype = self.means_.dtype
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors_.astype(np.float64))
        directions = self._directions.astype(np.float64)
        if self._solver in ("lsqr", "eigen"):  # discriminants about 0 instead of the mean, as in the formula
            W = self.sphering_.astype(np.float64)
            means = self.means_.astype(np.float64) @ W
            coef, intercept = means @ W.T, -0.5 * np.sum(means**2, axis=1) + log_priors
        else:
            coef = directions
            intercept = self._half_norms - self.xbar_.astype(np.float64) @ coef.T + log_priors
        if len(self.classes_) == 2:
            coef = coef[1:] - coef[:1]
            with np.errstate(invalid="ignore"):
                intercept = intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef.astype(dtype), np.asarray(intercept, dtype=dtype)

    # -------------------------------------------------------------------------------------------------- predictions

    def _likelihood_scores(self, X):
        if self._solver == "sphere":  # nearest sphered mean
            Z = (X - self.xbar_) @ self.sphering_
            centres = (self.means_ - self.xbar_) @ self.sphering_
            return Z @ centres.T - 0.5 * np.sum(centres**2, axis=1)
        return (X - self.xbar_) @ self._directions.T + self._half_norms

    def decision_function(self, X):
        """Discriminant of each class; for two classes, that of the second minus the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Differences between classes are log posterior odds. "svd" and "sphere" leave out a term that is common to
            all classes; see `discriminant_functions`.
        """
        if len(getattr(self, "classes_", ())) == 2 or getattr(self, "_solver", "svd") in ("svd", "sphere"):
            return super().decision_function(X)
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return X @ self.coef_.T + self.intercept_

    def discriminant_functions(self, X):
        r"""The discriminants δ_k(x) of the formula above, for every class and with log π_k included.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        centres = self.means_ @ self.sphering_
        with np.errstate(divide="ignore"):
            return X @ self.sphering_ @ centres.T - 0.5 * np.sum(centres**2, axis=1) + np.log(self.priors_)

    def set_priors(self, priors):
        """Replace the class priors of the fitted model, without another pass over the data.

        Parameters
        ----------
        priors : array-like of shape (n_classes,)
            In the order of `classes_`.

        Returns
        -------
        self

        Notes
        -----
        Intercepts and posteriors change; means, covariance and canonical variates are kept.
        """
        super().set_priors(priors)
        self.priors_ = self.priors_.astype(self.means_.dtype)
        self._set_linear()
        return self

    def transform(self, X):
        """Canonical variates of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Centred at `xbar_` except with the solver "eigen".
        """
        check_is_fitted(self)
        if self._solver == "lsqr":
            raise NotImplementedError(
                "transform not implemented for 'lsqr' solver (use 'svd', 'eigen' or 'sphere' instead)."
            )
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        X = X if self._solver == "eigen" else X - self.xbar_
        return (X @ self.scalings_)[:, : self._max_components]

    @property
    def _n_features_out(self):
        return self._max_components if self._solver == "lsqr" else min(self._max_components, self.scalings_.shape[1])

    # ---------------------------------------------------------------------------------------------------- inference

    def mahalanobis_distances(self):
        """Mahalanobis distances between the class means, in the fitted covariance.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
        """
        check_is_fitted(self)
        centres = (self.means_ - self.xbar_) @ self.sphering_
        return np.sqrt(np.sum((centres[:, None] - centres[None]) ** 2, axis=2))

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
        Exact: the scatter without a row follows from the full one by a rank-one update. Priors that are not given are
        the class proportions of the remaining rows. R's ``lda(CV = TRUE)`` keeps those of all rows: pass them as
        `priors` and use ``cov_divisor="n-k"`` to obtain its values. The fitted state of the estimator is not used and
        not changed.
        """
        self._check_settings()
        if not self._is_plain() or self.shrinkage or self._averages_by_priors():
            raise ValueError(
                "Leave-one-out in closed form requires an empirical pooled covariance: no `shrinkage`, no "
                "`covariance_estimator`, and cov_divisor='n' or 'n-k' with `priors`. For shrinkage, use "
                "RegularizedDiscriminantAnalysis(alpha=0, gamma=...)."
            )
        scratch = type(self)(**self.get_params(deep=False))
        minus = None if self.cov_divisor == "n-k" else 0.0
        return loo_posteriors(scratch, X, y, sample_weight, alpha=0.0, minus_pool=minus)

    def summary(self):
        """Canonical functions, tests of equal means (Wilks and others) and group means.

        Returns
        -------
        Summary
            Prints as tables and converts to a data frame. The main table lists the canonical functions with their
            eigenvalues (of S_W^{-1} S_B), canonical correlations and Bartlett's tests. Further tables contain the
            MANOVA tests, the group means and the coefficients of the linear discriminants.

        Notes
        -----
        The tests assume Gaussian classes with equal covariances and independent rows. They do not depend on shrinkage
        or priors: they are those of the empirical scatters. They test whether means differ, not how well classes are
        predicted.
        """
        check_is_fitted(self)
        return lda_summary(self)
