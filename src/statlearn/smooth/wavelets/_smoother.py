"""Curves by shrinkage of wavelet coefficients."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import check_weights, present_rows
from statlearn._math.linalg.wavelets import WaveletName, decompose, default_level, import_pywt, reconstruct
from statlearn.smooth._input_columns import check_sizes, validate_column

_MAD_OF_NORMAL = 0.6745  # median of |z| for a standard normal z, with the digits of Donoho and Johnstone
_GRID = 60  # thresholds that cross-validation tries


def shrink(values, threshold, mode):
    """Soft or hard thresholding."""
    if mode == "soft":
        return np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)
    return np.where(np.abs(values) > threshold, values, 0.0)


def universal_threshold(sigma, n):
    """Donoho and Johnstone's sigma * sqrt(2 log n)."""
    return float(sigma * np.sqrt(2.0 * np.log(n)))


def sure_threshold(values, sigma):
    """The threshold that minimises Stein's unbiased risk of soft thresholding.

    It is the universal one if the level looks like noise: the estimate of the risk is then too noisy to be minimised
    (Donoho and Johnstone 1995, section 2.4).
    """
    n = len(values)
    limit = np.sqrt(2.0 * np.log(n)) if n > 1 else 0.0
    if sigma == 0.0:
        return 0.0
    squares = np.sort((values / sigma) ** 2)
    if n > 1 and squares.mean() - 1.0 <= np.log2(n) ** 1.5 / np.sqrt(n):
        return sigma * float(limit)
    squares = np.concatenate([[0.0], squares[squares <= limit**2]])
    below = np.concatenate([[0.0], np.cumsum(squares[1:])])
    number = np.searchsorted(np.sort((values / sigma) ** 2), squares, side="right")
    risk = n - 2.0 * number + below + (n - number) * squares
    return sigma * float(np.sqrt(squares[np.argmin(risk)]))


def bayes_threshold(values, sigma):
    """Chang, Yu and Vetterli's sigma^2 / tau, tau^2 the variance of the signal; all is removed if tau is 0."""
    variance = np.mean(values**2) - sigma**2
    return float(sigma**2 / np.sqrt(variance)) if variance > 0.0 else float(np.abs(values).max(initial=0.0))


class WaveletSmoother(RegressorMixin, BaseEstimator):
    r"""Wavelet shrinkage: a curve with jumps, kinks or changing smoothness.

    The responses, ordered by x, are written in an orthonormal wavelet basis, :math:`d = Wy`. Detail coefficients are
    shrunk towards zero, and the curve is :math:`W^\top \hat d`. Soft thresholding, :math:`\hat d = \mathrm{sign}(d)
    (|d| - \lambda)_+`, minimises

    .. math:: \tfrac12 \lVert y - W^\top \theta \rVert^2 + \sum_j \lambda_j \lVert \theta_j \rVert_1

    where j runs over the levels of details, and averages at the coarsest level are not penalised: it is the lasso in an
    orthonormal basis.

    Parameters
    ----------
    threshold : {"universal", "sure", "bayes", "cv"} or float, default="universal"
        "universal" means :math:`\sigma\sqrt{2\log n}`, which removes almost all noise, but with soft thresholding also
        a large part of jumps and peaks. "sure" minimises Stein's
        unbiased estimate of the risk at each level (with the universal threshold at levels that look like noise).
        "bayes" is :math:`\sigma^2/\tau` at each level, where :math:`\tau^2` is the variance of its signal. "cv"
        predicts the odd points from the even ones and the reverse. A number is the threshold itself.
    mode : {"soft", "hard"}, default="soft"
        Shrink all coefficients by the threshold, or keep those that exceed it as they are. "sure" requires "soft".
    wavelet : str, default="sym8"
        "haar", "db1" to "db38", "sym2" to "sym20" or "coif1" to "coif17". "haar" yields step functions.
    level : int or None, default=None
        Number of levels of details. None means as many as the lengths of the data and of the filter allow.
    sigma : float or None, default=None
        Standard deviation of the noise. None means the median absolute coefficient of the finest level, divided by
        .6745.

    Attributes
    ----------
    sigma_ : float
        Standard deviation of the noise.
    thresholds_ : ndarray of shape (level_,)
        Threshold of each level of details, from coarse to fine.
    coefficients_ : ndarray of shape (n_padded,)
        The coefficients after shrinkage: averages, then details from coarse to fine.
    raw_coefficients_ : ndarray of shape (n_padded,)
        The coefficients before shrinkage.
    n_nonzero_ : int
        Number of coefficients that are not zero. With soft thresholding at fixed thresholds this is an unbiased
        estimate of the degrees of freedom.
    level_ : int
        Number of levels of details.
    knots_, values_ : ndarray of shape (n_distinct,)
        The distinct values of x, and the curve there. `predict` interpolates linearly, and is constant beyond.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The method is made for equally spaced x. Other x are ordered and treated as if they were equally spaced, which is
    reasonable if their density varies little: the curve is smooth in the rank of x, not in x itself. Rows with equal x
    are replaced by their (weighted) mean. Weights have no other effect, since all coefficients are assumed to have the
    same noise.

    The transform continues the curve periodically; if the two ends differ there are artefacts at both. If the number of
    points is not a multiple of :math:`2^{level}`, the end is padded by reflection. The noise is assumed to be
    independent and normal: the finest level of correlated noise says little about the others. For smooth curves,
    :class:`SmoothingSpline` has the smaller error.

    References
    ----------
    Donoho, D. and Johnstone, I. (1994). Ideal spatial adaptation by wavelet shrinkage. Biometrika 81, 425-455.

    Donoho, D. and Johnstone, I. (1995). Adapting to unknown smoothness via wavelet shrinkage. JASA 90, 1200-1224.

    Nason, G. (1996). Wavelet shrinkage using cross-validation. JRSS B 58, 463-479.

    Chang, S., Yu, B. and Vetterli, M. (2000). Adaptive wavelet thresholding for image denoising and compression. IEEE
    Transactions on Image Processing 9, 1532-1546.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import WaveletSmoother
    >>> x = np.arange(256) / 256
    >>> y = np.where(x < 0.4, 0.0, 3.0) + np.random.default_rng(0).normal(0, 0.3, 256)
    >>> curve = WaveletSmoother(wavelet="haar").fit(x, y)
    >>> curve.n_nonzero_, curve.predict([0.2, 0.8]).round(1)
    (9, array([0.1, 2.9]))
    """

    _constraints = {
        "threshold": [Options("universal", "sure", "bayes", "cv"), Real(0, None)],
        "mode": [Options("soft", "hard")],
        "wavelet": [WaveletName()],
        "level": [Int(0, 60), None],
        "sigma": [Real(0, None), None],
    }

    def __init__(self, threshold="universal", *, mode="soft", wavelet="sym8", level=None, sigma=None):
        self.threshold = threshold
        self.mode = mode
        self.wavelet = wavelet
        self.level = level
        self.sigma = sigma

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fit the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows that share an x.

        Returns
        -------
        self
        """
        check_params(self)
        import_pywt()
        if self.threshold == "sure" and self.mode == "hard":
            raise ValueError("`threshold`='sure' requires `mode`='soft'; with mode='hard' use another threshold.")
        x, y = validate_column(self, X, y)
        check_sizes(y=y)
        x, y, weights = present_rows(check_weights(sample_weight, x), x, y)
        self.knots_, place = np.unique(x, return_inverse=True)
        weights = np.ones(len(x)) if weights is None else weights / weights.max()
        means = np.bincount(place, weights * y) / np.bincount(place, weights)
        signal, self.level_ = self._padded(means)
        self.raw_coefficients_ = decompose(signal, self.wavelet, self.level_)
        self.sigma_ = self._noise(self.raw_coefficients_)
        self.thresholds_ = self._thresholds(means)
        self.coefficients_ = self._shrunk(self.raw_coefficients_, self.thresholds_)
        self.n_nonzero_ = int(np.count_nonzero(self.coefficients_))
        self.values_ = reconstruct(self.coefficients_, self.wavelet, self.level_)[: len(means)]
        return self

    def _padded(self, values):
        """The signal, reflected at its end to a multiple of 2^level, and the level."""
        n, level = len(values), self.level
        if level is None:
            level = default_level(self.wavelet, 1 << (n - 1).bit_length())
        if 2**level > 2 * n:
            raise ValueError(
                f"`level`={level} requires at least {2 ** (level - 1)} distinct x, got {n}; use a smaller level."
            )
        missing = -n % 2**level
        return np.pad(values, (0, missing), mode="symmetric"), level

    def _noise(self, coefficients):
        if self.sigma is not None:
            return float(self.sigma)
        if not self.level_:
            return 0.0
        return float(np.median(np.abs(coefficients[len(coefficients) // 2 :])) / _MAD_OF_NORMAL)

    def _levels(self, coefficients, level):
        """Slices of the levels of details, from coarse to fine."""
        size = len(coefficients) >> level
        return [slice(size << k, size << (k + 1)) for k in range(level)]

    def _thresholds(self, means):
        levels = self._levels(self.raw_coefficients_, self.level_)
        if not isinstance(self.threshold, str):
            return np.full(len(levels), float(self.threshold))
        if self.threshold == "universal":
            return np.full(len(levels), universal_threshold(self.sigma_, len(means)))
        if self.threshold == "cv":
            return np.full(len(levels), self._cross_validate(means))
        rule = sure_threshold if self.threshold == "sure" else bayes_threshold
        return np.array([rule(self.raw_coefficients_[level], self.sigma_) for level in levels])

    def _shrunk(self, coefficients, thresholds):
        shrunk = coefficients.copy()
        for level, threshold in zip(self._levels(coefficients, len(thresholds)), thresholds):
            shrunk[level] = shrink(coefficients[level], threshold, self.mode)
        return shrunk

    def _cross_validate(self, means):
        """Nason's two-fold cross-validation: curves of the even points predict the odd ones, and vice versa."""
        n = len(means)
        if n < 8 or self.level_ < 2:
            raise ValueError(
                f"`threshold`='cv' requires at least 8 distinct x and 2 levels, got {n} and {self.level_}; use another "
                "threshold."
            )
        halves = [means[0::2], means[1::2]]
        half = WaveletSmoother(mode=self.mode, wavelet=self.wavelet, level=self.level_ - 1)
        problems = []
        for signal in halves:
            padded, level = half._padded(signal)
            problems.append((signal, decompose(padded, self.wavelet, level), level))
        largest = max(np.abs(c[len(c) >> level :]).max(initial=0.0) for _, c, level in problems)
        grid = np.linspace(0.0, largest, _GRID)
        loss = np.zeros(_GRID)
        for parity, (signal, coefficients, level) in enumerate(problems):
            curves = [
                reconstruct(half._shrunk(coefficients, np.full(level, t)), self.wavelet, level)[: len(signal)]
                for t in grid
            ]
            position, other = np.arange(parity, n, 2), np.arange(1 - parity, n, 2)
            inside = (other > position[0]) & (other < position[-1])
            held = halves[1 - parity][inside]
            loss += [np.sum((held - np.interp(other[inside], position, curve)) ** 2) for curve in curves]
        best = grid[np.argmin(loss)]
        return float(best / np.sqrt(1.0 - np.log(2.0) / np.log(n)))  # from n / 2 points to n

    def predict(self, X):
        """Values of the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return np.interp(validate_column(self, X, reset=False), self.knots_, self.values_)
