"""Classification by kernel density estimates."""

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve
from statlearn._core.validation import FLOATS, check_weights, encode_classes, present_rows, validate_columns
from statlearn._math.density.bandwidth import (
    CV_TOL,
    RULES,
    bandwidth_grid,
    check_unused_choice,
    chosen_bandwidth,
    likelihood_curve,
)
from statlearn._math.density.kernels import KERNELS
from statlearn.neighbors import KernelDensity


class KernelDensityClassifier(ClassifierMixin, BaseEstimator):
    r"""Bayes classifier with a kernel density estimate for each class.

    .. math:: P(k \mid x) = \frac{\pi_k \hat f_k(x)}{\sum_l \pi_l \hat f_l(x)}

    Parameters
    ----------
    bandwidth : float, str or array-like of shape (n_classes,), default="scott"
        Bandwidth of the estimates, one for all classes or one per class, or a rule of :class:`KernelDensity`:
        ``"scott"``, ``"silverman"``, ``"cv"``, and for a single column ``"nrd0"``, ``"nrd"``, ``"ucv"``, ``"bcv"``,
        ``"sheather_jones"`` (or ``"sj"``) and ``"sheather_jones_dpi"`` (``"sj_dpi"``).
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
    shared : bool, default=True
        Whether a rule gives one bandwidth for all classes: the geometric mean over the classes, weighted by their size;
        with ``"cv"``, the bandwidth that maximises the likelihood of the held-out rows given their classes. Otherwise
        every class has its own.
    priors : array-like of shape (n_classes,) or None, default=None
        Class probabilities; None uses the class proportions.
    bandwidths : array-like or None, default=None
        Candidates for ``bandwidth="cv"``.
    cv : int, splitter, iterable or None, default=None
        Cross-validation splitter for ``bandwidth="cv"``, applied within each class; None uses five folds.
    rtol : float, default=0
        Relative error allowed in a density.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
    bandwidth_ : ndarray of shape (n_classes,)
    cv_curve_ : CVCurve or list of CVCurve
        Minus the mean log density of held-out rows, one curve per class unless shared. Only with ``bandwidth="cv"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    KernelDensity : the estimates.
    LocalLogistic : local fits of the probabilities themselves.

    Notes
    -----
    Computations use logarithms, so rows far from all classes also get probabilities. If a kernel of bounded support
    reaches no row of any class, they are the priors. Classification does not need good densities: the bandwidth that
    classifies best is often larger than the best for the densities, so tune it by the loss that matters. The bandwidth
    is the same in all directions, so scale the columns. In more than a few dimensions neighbourhoods are empty.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 6.6.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import KernelDensityClassifier
    >>> X = np.array([[0.0], [0.5], [1.0], [3.0], [3.5]])
    >>> model = KernelDensityClassifier(0.5).fit(X, ["a", "a", "a", "b", "b"])
    >>> model.predict([[0.7], [2.8]])
    array(['a', 'b'], dtype='<U1')
    >>> model.predict_proba([[2.0]]).round(3)
    array([[0.501, 0.499]])
    """

    _search_space = SearchSpace(
        "kernel densities of the classes", grid={"bandwidth": (2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25)}
    )

    _constraints = {
        "bandwidth": [Real(0, None, closed="neither"), Options("scott", "silverman", "cv", *RULES), "array-like"],
        "kernel": [Options(*KERNELS)],
        "shared": ["boolean"],
        "priors": ["array-like", None],
        "bandwidths": ["array-like", None],
        "cv": ["cv"],
        "rtol": [Real(0, None)],
    }

    def __init__(
        self, bandwidth="scott", *, kernel="gaussian", shared=True, priors=None, bandwidths=None, cv=None, rtol=0.0
    ):
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.shared = shared
        self.priors = priors
        self.bandwidths = bandwidths
        self.cv = cv
        self.rtol = rtol

    def fit(self, X, y, sample_weight=None):
        """Store the rows of each class and choose the bandwidths.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, two or more classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        check_unused_choice(self)
        X, y = validate_columns(self, X, y, dtype=FLOATS)
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        rows = [np.flatnonzero(codes == k) for k in range(len(self.classes_))]
        parts = [(X[r], None if weights is None else weights[r]) for r in rows]
        sizes = np.array(
            [float(len(r)) if w is None else float(w.sum()) for r, (_, w) in zip(rows, parts, strict=True)]
        )
        self.class_prior_ = self._priors(sizes)
        self.bandwidth_ = self._bandwidths(parts, sizes, X, weights)
        self._densities = [
            self._density(float(h)).fit(Z, sample_weight=w) for h, (Z, w) in zip(self.bandwidth_, parts, strict=True)
        ]
        return self

    def _density(self, bandwidth):
        choice = {"bandwidths": self.bandwidths, "cv": self.cv} if bandwidth == "cv" else {}
        return KernelDensity(bandwidth=bandwidth, kernel=self.kernel, rtol=self.rtol, **choice)

    def _priors(self, sizes):
        if self.priors is None:
            return sizes / sizes.sum()
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != sizes.shape or np.any(~(priors >= 0)) or not np.isclose(priors.sum(), 1.0):
            raise ValueError(f"`priors` must be {len(sizes)} probabilities that sum to 1, got {self.priors!r}.")
        return priors

    def _bandwidths(self, parts, sizes, X, weights):
        count = len(parts)
        forget(self, "cv_curve_")
        if not isinstance(self.bandwidth, str):
            h = np.asarray(self.bandwidth, dtype=np.float64)
            if h.ndim and h.shape != (count,):
                raise ValueError(f"`bandwidth` must be a single number or one per class ({count}), got {h!r}.")
            if not np.all(np.isfinite(h) & (h > 0)):
                raise ValueError(f"`bandwidth` must be positive, got {self.bandwidth!r}.")
            return np.broadcast_to(h, count).copy()
        if self.bandwidth == "cv" and self.shared:
            return np.full(count, self._shared_by_likelihood(parts, X, weights))
        fits = [self._density(self.bandwidth).fit(Z, sample_weight=w) for Z, w in parts]
        if self.bandwidth == "cv":
            self.cv_curve_ = [fit.cv_curve_ for fit in fits]
        bandwidths = np.array([fit.bandwidth_ for fit in fits])
        return np.full(count, np.exp(np.average(np.log(bandwidths), weights=sizes))) if self.shared else bandwidths

    def _shared_by_likelihood(self, parts, X, weights):
        if self.bandwidths is None:
            centred = np.concatenate([Z - np.average(Z, axis=0, weights=w) for Z, w in parts])
            order = None if weights is None else np.concatenate([w for _, w in parts])
            values = bandwidth_grid(centred, order, self.kernel)
        else:
            values = np.unique(np.asarray(self.bandwidths, dtype=np.float64))[::-1]
        small = min(len(Z) for Z, _ in parts)
        if small < 2:
            raise ValueError("bandwidth='cv' requires at least two rows in every class.")
        rough = lambda h: self._density(h).set_params(rtol=max(self.rtol, CV_TOL))  # noqa: E731
        curves = [likelihood_curve(rough, Z, w, values, self.cv) for Z, w in parts]
        loss = np.concatenate([curve.loss for curve in curves], axis=1)
        share = np.concatenate([curve.fold_weight for curve in curves])
        self.cv_curve_ = CVCurve(values, loss, share, name="bandwidth")
        return chosen_bandwidth(self.cv_curve_)

    def _joint(self, X):
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False, order="C")
        logs = np.column_stack([density._log_density(X) for density in self._densities])
        nowhere = np.all(np.isneginf(logs), axis=1)
        logs[nowhere] = 0.0  # no class reaches the row: the priors decide
        with np.errstate(divide="ignore"):
            return logs + np.log(self.class_prior_)

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return log_softmax(self._joint(X), axis=1)

    def predict_proba(self, X):
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        """The most probable class of each row; the first in case of ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        joint = self._joint(X)
        return self.classes_[np.argmax(joint, axis=1)]
