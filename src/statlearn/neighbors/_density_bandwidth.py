"""Bandwidth selection for kernel density estimates of one variable."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.density.bandwidth import RULES, rule_bandwidth


def select_density_bandwidth(x, method="sj", *, sample_weight=None, n_bins=None):
    r"""Bandwidth of a univariate Gaussian kernel density estimate.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, 1)
    method : {"nrd0", "nrd", "ucv", "bcv", "sheather_jones", "sheather_jones_dpi", "sj", "sj_dpi", "cv"}, default="sj"
        "nrd0" is R's ``bw.nrd0`` (Silverman's rule of thumb, 0.9 times the smaller of the standard deviation and the
        interquartile range / 1.34, times :math:`n^{-1/5}`), and "nrd" is ``bw.nrd`` (the same with 1.06). "ucv" and
        "bcv" are unbiased and biased cross-validation of the squared error. "sheather_jones" ("sj") and
        "sheather_jones_dpi" ("sj_dpi") are the Sheather-Jones plug-in rule, solving the equation or directly (R's
        ``bw.SJ``, "ste" and "dpi"). "cv" maximises the likelihood of held-out folds (:class:`KernelDensity` with
        ``bandwidth="cv"``).
    sample_weight : array-like of shape (n_samples,) or None, default=None
        A weight of k is equivalent to k copies.
    n_bins : int or None, default=None
        Number of bins on which "ucv", "bcv" and "sj" count pairs of points. None uses 1000 as R does, and more if they
        would be wider than a tenth of the oversmoothed bandwidth.

    Returns
    -------
    float

    Notes
    -----
    Sums over pairs are computed from differences of bins, as in R, at a cost of O(n). R's default tolerance is a tenth
    of the lower end of its search range; use ``tol=1e-10`` there to see the same digits. If values have both signs, R's
    bins shorten distances across 0, which these do not. The cross-validated criteria are sensitive to ties: on rounded
    data they may choose far too small a bandwidth.

    References
    ----------
    Sheather, S. J. and Jones, M. C. (1991). A reliable data-based bandwidth selection method for kernel density
    estimation. Journal of the Royal Statistical Society B 53, 683-690.

    Scott, D. W. and Terrell, G. R. (1987). Biased and unbiased cross-validation in density estimation. Journal of the
    American Statistical Association 82, 1131-1146.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import select_density_bandwidth
    >>> x = np.r_[np.arange(10.0), np.arange(20.0, 25.0)]
    >>> [round(select_density_bandwidth(x, m), 3) for m in ("nrd0", "nrd", "sj")]
    [4.67, 5.5, 2.607]
    """
    check_arguments(
        select_density_bandwidth,
        method=(method, [Options(*RULES, "cv")]),
        n_bins=(n_bins, [Int(2, None), None]),
    )
    x = check_array(x, ensure_2d=False, dtype=np.float64, input_name="x")
    if x.ndim == 2 and x.shape[1] == 1:
        x = x[:, 0]
    if x.ndim != 1:
        raise ValueError(f"`x` must be a single column of numbers, got an array of shape {x.shape}.")
    weights = check_weights(sample_weight, x)
    if method == "cv":
        from ._kernel_density import KernelDensity

        return KernelDensity(bandwidth="cv").fit(x[:, None], sample_weight=weights).bandwidth_
    return rule_bandwidth(x, weights, method, n_bins)
