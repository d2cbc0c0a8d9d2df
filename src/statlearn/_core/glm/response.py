"""Arguments of a generalised linear model: the link by name, the response, offset and exposure."""

import numpy as np
from sklearn.utils.validation import check_array

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
