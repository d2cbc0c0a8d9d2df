"""Arguments and answers of a generalised linear model: link by name, response, offset, exposure; means, intervals."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.warnings import warn

from .families import Tweedie
from .links import make_link


def resolve_link(family, link, link_power=None):
    """The link object behind a name, "auto" or "canonical"."""
    if link == "auto":
        return make_link(family.default_link)
    if link == "canonical":
        if isinstance(family, Tweedie):
            return make_link("power", 1.0 - family.power)
        return make_link(family.canonical)
    return make_link(link, link_power)


def check_response(y, family):
    """Raise an error for values outside the range of the family."""
    if np.asarray(y).dtype.kind not in "biuf":
        raise ValueError(
            f"y must be numeric, got dtype {np.asarray(y).dtype}. The family 'binomial' expects 0 and 1, or "
            "proportions; for class labels use a classifier."
        )
    bad = ~family.in_range(y)
    if bad.any():
        raise ValueError(
            f"Some value(s) of y are out of the valid range of the loss of family {family.name!r}: "
            f"{np.asarray(y)[bad][0]:g} in row {int(np.flatnonzero(bad)[0])}."
        )


def total_offset(offset, exposure, link, n):
    """offset + log(exposure) as an array of length n, or None."""
    if offset is None and exposure is None:
        return None
    total = np.zeros(n)
    for name, values in (("offset", offset), ("exposure", exposure)):
        if values is None:
            continue
        values = check_array(np.broadcast_to(values, (n,)) if np.isscalar(values) else values, ensure_2d=False,
                             dtype=np.float64, input_name=name)  # fmt: skip
        if values.shape != (n,):
            raise ValueError(f"{name} must have shape {(n,)}, got {values.shape}.")
        if name == "exposure":
            if link.name != "log":
                raise ValueError(f"exposure requires the log link; with link={link.name!r} use offset instead.")
            if np.any(values <= 0):
                raise ValueError("exposure must be positive.")
            values = np.log(values)
        total += values
    return total


def predicted_means(owner, link, eta):
    """Means of linear predictors; NaN, with a warning, for those outside the range of the link."""
    outside = _outside(owner, link, eta)
    if not outside.any():
        return link.inverse(eta)
    means = link.inverse(np.where(outside, 1.0, eta))
    means[outside] = np.nan
    return means


def predicted_intervals(owner, link, eta, half):
    """Means at eta - half and eta + half, in ascending order, as two columns.

    An end beyond the range of the link stands for its limit: 0, or infinity for a negative power. A row whose eta is
    itself outside gets NaN, with a warning.
    """
    outside = _outside(owner, link, eta)
    ends = np.maximum(np.column_stack([eta - half, eta + half]), link.lower)
    ends[outside] = 1.0
    with np.errstate(divide="ignore"):  # the inverse of the limit 0
        ends = np.sort(link.inverse(ends), axis=1)
    ends[outside] = np.nan
    return ends


def _outside(owner, link, eta):
    """Mask of the linear predictors without a mean; warns about them."""
    outside = np.isfinite(eta) & ~link.has_mean(eta)
    if outside.any():
        warn(
            f"{type(owner).__name__}: {outside.sum()} of {len(outside)} rows have a linear predictor below "
            f"{link.lower:g}, outside the range of the link {link.name!r}; predicting NaN for them. Use link='log', "
            "which has no such limit, or check whether these rows are far from the training data."
        )
    return outside
