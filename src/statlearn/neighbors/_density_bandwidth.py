"""The bandwidth of a kernel density estimate of one column."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.density_bandwidth import RULES, rule_bandwidth
from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.validation import check_weights


def select_density_bandwidth(x, method="sj", *, sample_weight=None, n_bins=None):
    r"""The bandwidth of a Gaussian kernel density estimate on the line.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, 1)
    method : {"nrd0", "nrd", "ucv", "bcv", "sheather_jones", "sheather_jones_dpi", "sj", "sj_dpi", "cv"}, default="sj"
        R's ``bw.nrd0`` (Silverman's rule of thumb, 0.9 times the smaller of standard deviation and interquartile
        range / 1.34, times :math:`n^{-1/5}`) and ``bw.nrd`` (the same with 1.06); unbiased and biased
        cross-validation of the squared error; Sheather and Jones's plug-in rule, by solving the equation or directly
        (R's ``bw.SJ``, "ste" and "dpi"), by its long or short name; the likelihood of left-out folds
        (:class:`KernelDensity` with ``bandwidth="cv"``).
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weight k counts as k copies.
    n_bins : int or None, default=None
        Bins on which the pairs of points are counted by "ucv", "bcv" and "sj". None takes R's 1000, and more where they
        would be wider than a tenth of the oversmoothed bandwidth.

    Returns
    -------
    float

    Notes
    -----
    Sums over pairs are taken over differences of bins, as in R, so that the cost is O(n). R's own tolerance is a tenth
    of the lower end of its search: ask it for ``tol=1e-10`` to see the same digits. Where values have both signs R's
    bins shorten distances across 0, which these do not. The cross-validated criteria follow
    ties: on rounded data they may choose far too small a bandwidth.

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
        raise ValueError(f"x must be one column of numbers, got an array of shape {x.shape}.")
    weights = check_weights(sample_weight, x)
    if method == "cv":
        from ._kernel_density import KernelDensity

        return KernelDensity(bandwidth="cv").fit(x[:, None], sample_weight=weights).bandwidth_
    return rule_bandwidth(x, weights, method, n_bins)
