"""Profiles of smoothing kernels."""

import numpy as np

from statlearn._core.params import Options, check_arguments

PROFILES = ("epanechnikov", "tricube", "gaussian", "uniform")
_INTEGRALS = {"epanechnikov": 1.0, "tricube": 81 / 70, "gaussian": np.sqrt(2 * np.pi), "uniform": 2.0}


def kernel_profile(t, kernel="epanechnikov", *, normalized=False):
    r"""Kernel profile: the weight :math:`K(t)` of a point at distance t, in units of the bandwidth.

    ============== =============================================== ====================
    kernel         K(t)                                            integral over t
    ============== =============================================== ====================
    epanechnikov   :math:`\frac34 (1 - t^2)` for \|t\| < 1          1
    tricube        :math:`(1 - |t|^3)^3` for \|t\| < 1              81/70
    gaussian       :math:`\exp(-t^2/2)`                            :math:`\sqrt{2\pi}`
    uniform        1 for \|t\| ≤ 1                                  2
    ============== =============================================== ====================

    Parameters
    ----------
    t : array-like
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"} or callable, default="epanechnikov"
        A name, or a function D that returns non-negative weights for an array of distances t of at least 0.
    normalized : bool, default=False
        Divide by the integral, so that the profile is a density.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from statlearn.smooth import kernel_profile
    >>> kernel_profile([0.0, 0.5, 1.0], "tricube").round(4)
    array([1.    , 0.6699, 0.    ])
    """
    check_arguments(
        kernel_profile, kernel=(kernel, [Options(*PROFILES), "callable"]), normalized=(normalized, ["boolean"])
    )
    t = np.abs(np.asarray(t, dtype=np.float64))
    if callable(kernel):
        values = _called(kernel, t)
    elif kernel == "epanechnikov":
        values = np.where(t < 1, 0.75 * (1.0 - t**2), 0.0)
    elif kernel == "tricube":
        values = np.where(t < 1, (1.0 - t**3) ** 3, 0.0)
    elif kernel == "gaussian":
        values = np.exp(-0.5 * t**2)
    else:
        values = np.where(t <= 1, 1.0, 0.0)
    return values / kernel_integral(kernel) if normalized else values


def _called(kernel, t):
    """Checked values of a kernel given as a function."""
    values = np.asarray(kernel(t), dtype=np.float64)
    if values.shape != t.shape:
        raise ValueError(f"`kernel`: the function must return an array of shape {t.shape}, got {values.shape}.")
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        at = np.flatnonzero(~(np.isfinite(values) & (values >= 0)).ravel())[0]
        raise ValueError(
            "`kernel`: the function must return finite numbers of at least 0, got "
            f"{values.ravel()[at]} at t={t.ravel()[at]:.6g}."
        )
    return values


def kernel_integral(kernel):
    """Integral of :func:`kernel_profile` over all t.

    Parameters
    ----------
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"} or callable
        Functions are integrated numerically.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.smooth import kernel_integral
    >>> kernel_integral("uniform")
    2.0
    """
    check_arguments(kernel_integral, kernel=(kernel, [Options(*PROFILES), "callable"]))
    if callable(kernel):
        from scipy.integrate import quad

        def at(t):
            return float(_called(kernel, np.array([t]))[0])

        # Most kernels end or change their form at 1.
        half = quad(at, 0.0, 1.0, limit=200)[0] + quad(at, 1.0, np.inf, limit=200)[0]
        if not 0 < half < np.inf:
            raise ValueError(f"`kernel`: the integral of the function must be positive and finite, got {2 * half}.")
        return 2.0 * half
    return float(_INTEGRALS[kernel])
