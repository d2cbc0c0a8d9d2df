"""Conversion of penalties between the scales used by textbooks and software."""

import numpy as np

from statlearn._core.params import Options, Real, check_arguments
from statlearn._math.penalties.scales import PENALTY_SCALES

# The constraint every penalised estimator of the family shares.
PENALTY_SCALE = [Options(*PENALTY_SCALES)]
_L2_SCALES = ("sklearn", "rss", "half_rss", "mean", "C", "prior_variance", "lambda_over_2m")
_L1_SCALES = ("sklearn", "rss", "half_rss", "mean", "C", "laplace_scale")


_LOG_LOSS_SCALES = ("rss", "C", "prior_variance", "laplace_scale", "lambda_over_2m")


def convert_penalty(value, source, target, *, penalty="l2", n_samples=None, sigma2=None, loss="squared_error"):
    r"""Conversion of a penalty from one scale to another.

    Each scale is a convention for writing "loss + penalty". The returned value gives the same fit on the scale `target`
    as `value` does on the scale `source`. RSS is the residual sum of squares (for a classifier, the sum of losses), n
    the number of rows (the sum of the weights) and σ² the noise variance:

    ==================== ================================================ ==========================================
    scale                ``penalty="l2"``                                 ``penalty="l1"``
    ==================== ================================================ ==========================================
    ``"rss"``            RSS + λ ‖w‖²                                     RSS + λ ‖w‖₁
    ``"half_rss"``       RSS/2 + λ ‖w‖²                                   RSS/2 + λ ‖w‖₁
    ``"sklearn"``        RSS + λ ‖w‖² (`Ridge`)                           RSS/(2n) + λ ‖w‖₁ (`Lasso`)
    ``"mean"``           RSS/(2n) + λ ‖w‖²/2 (`ElasticNet`, its L2 part)  RSS/(2n) + λ ‖w‖₁
    ``"C"``              C Σ loss + ‖w‖²/2, so λ = 1/(2C)                 C Σ loss + ‖w‖₁, so λ = 1/C
    ``"prior_variance"`` prior w ~ N(0, τ²), value τ²: λ = σ²/τ²
    ``"laplace_scale"``                                                   prior exp(-\|w\|/b), value b: λ = 2σ²/b
    ``"lambda_over_2m"`` RSS/(2m) + λ ‖w‖²/(2m), m rows
    ==================== ================================================ ==========================================

    The relations for C and the priors refer to the scale ``"rss"``, with the sum of losses instead of RSS for C.

    With ``loss="log_loss"`` the sum of the losses is the negative log-likelihood, and there is no noise variance:

    ==================== ================================================ ==========================================
    scale                ``penalty="l2"``                                 ``penalty="l1"``
    ==================== ================================================ ==========================================
    ``"rss"``            Σ loss + λ ‖w‖²                                  Σ loss + λ ‖w‖₁
    ``"C"``              C Σ loss + ‖w‖²/2, so λ = 1/(2C)                 C Σ loss + ‖w‖₁, so λ = 1/C
    ``"prior_variance"`` prior w ~ N(0, τ²), value τ² = C
    ``"laplace_scale"``                                                   prior exp(-\|w\|/b), value b = C
    ``"lambda_over_2m"`` Σ loss/m + λ ‖w‖²/(2m), so λ = 1/C
    ==================== ================================================ ==========================================

    Parameters
    ----------
    value : float or array-like
        The penalty on the scale `source`, at least 0.
    source, target : str
        Names from the table.
    penalty : {"l2", "l1"}, default="l2"
    n_samples : float or None, default=None
        Number of rows or sum of the weights; required by the scales that divide by n.
    sigma2 : float or None, default=None
        Noise variance; required by the two prior scales for squared errors.
    loss : {"squared_error", "log_loss"}, default="squared_error"
        The loss that the penalty is added to, which decides what the priors and "lambda_over_2m" mean.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from statlearn.linear import convert_penalty
    >>> convert_penalty(5.0, "half_rss", "sklearn", penalty="l1", n_samples=6)
    0.8333333333333334
    >>> convert_penalty(0.25, "C", "rss")
    2.0
    >>> convert_penalty(0.25, "prior_variance", "C", loss="log_loss")
    0.25
    """
    scales = {"l2": _L2_SCALES, "l1": _L1_SCALES}
    check_arguments(
        convert_penalty,
        penalty=(penalty, [Options("l2", "l1")]),
        n_samples=(n_samples, [Real(0, None, closed="neither"), None]),
        sigma2=(sigma2, [Real(0, None, closed="neither"), None]),
        loss=(loss, [Options("squared_error", "log_loss")]),
    )
    if loss == "log_loss":
        scales = {kind: tuple(scale for scale in names if scale in _LOG_LOSS_SCALES) for kind, names in scales.items()}
        if sigma2 is not None:
            raise ValueError("`sigma2` has no meaning with loss='log_loss', which has no noise variance.")
    check_arguments(
        convert_penalty, source=(source, [Options(*scales[penalty])]), target=(target, [Options(*scales[penalty])])
    )
    if loss == "log_loss":
        sigma2 = 0.5  # as in RSS + λ ‖w‖², where RSS/(2σ²) is the negative log-likelihood
        source, target = (name + "_of_losses" if name == "lambda_over_2m" else name for name in (source, target))
    values = np.asarray(value, dtype=np.float64)
    if np.any(np.isnan(values)) or np.any(values < 0):
        raise ValueError(f"value must be at least 0, got {value!r}")
    with np.errstate(divide="ignore"):  # a prior variance of 0 is an infinite penalty, and vice versa
        rss = _scale_map(source, penalty, n_samples, sigma2, inverse=False)(values)
        result = _scale_map(target, penalty, n_samples, sigma2, inverse=True)(rss)
    return float(result) if result.ndim == 0 else result


def _scale_map(scale, penalty, n, sigma2, *, inverse):
    """Conversion of penalties from a scale to lambda of RSS + lambda |w|, or back."""
    if scale == "sklearn":
        scale = "rss" if penalty == "l2" else "mean"
    if scale == "mean" and n is None:
        raise ValueError("n_samples is required: this scale divides the loss by the number of rows.")
    if scale in ("prior_variance", "laplace_scale") and sigma2 is None:
        raise ValueError(f"sigma2 is required: the scale {scale!r} is relative to the noise variance.")
    if scale in ("C", "prior_variance", "laplace_scale"):  # lambda = constant / value, which is its own inverse
        constant = {"C": 0.5 if penalty == "l2" else 1.0, "prior_variance": sigma2,
                    "laplace_scale": None if sigma2 is None else 2.0 * sigma2}[scale]  # fmt: skip
        return lambda v: constant / v
    factor = {
        "rss": 1.0,
        "lambda_over_2m": 1.0,
        "lambda_over_2m_of_losses": 0.5,
        "half_rss": 2.0,
        "mean": None if n is None else (n if penalty == "l2" else 2.0 * n),
    }[scale]
    return (lambda v: v / factor) if inverse else (lambda v: v * factor)
