"""One reference value beside ours, and the digits that agree."""

from dataclasses import dataclass
from math import inf, isnan, log10

import numpy as np

# Certified values have fifteen digits, as many as double precision can hold.
MOST_DIGITS = 15.0
# What any use of a coefficient or a test needs; fewer only for a source that prints fewer.
NEEDED_DIGITS = 5.0


@dataclass(frozen=True)
class Check:
    """A reference value that nobody here wrote, and ours."""

    source: str
    place: str  # problem or table
    quantity: str
    call: str
    reference: float
    ours: float
    needed: float = NEEDED_DIGITS
    reason: str = ""  # why the two differ, if they do

    @property
    def digits(self):
        """Minus the decimal logarithm of the relative error; of the absolute error if the reference is 0."""
        error = abs(self.ours - self.reference) / (abs(self.reference) or 1.0)
        if isnan(error):
            return -inf
        return MOST_DIGITS if error == 0.0 else min(MOST_DIGITS, -log10(error))

    @property
    def agrees(self):
        return self.digits >= self.needed


def compare(source, place, quantity, call, reference, ours, *, needed=NEEDED_DIGITS, reason=""):
    """One check for each value of two arrays; where the reference has none, there is nothing to check."""
    reference = np.array([np.nan if v is None else v for v in np.ravel(np.asarray(reference, object))], float)
    ours = np.asarray(ours, float).ravel()
    if reference.shape != ours.shape:
        raise ValueError(f"{source}, {place}, {quantity}: {reference.size} reference values, but {ours.size} of ours.")
    return [
        Check(source, place, quantity, call, float(theirs), float(mine), needed, reason)
        for theirs, mine in zip(reference, ours)
        if not isnan(theirs)
    ]
