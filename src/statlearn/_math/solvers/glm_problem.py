"""A generalised linear model to be fitted, as one object."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..losses.glm import GlmLoss
from ..rows.rows import Rows


@dataclass
class GlmProblem:
    """A response y of a family, with a link, on a table of rows that all have a positive weight.

    Minimised is the weighted mean of half the unit deviances of the scores ``offset + b + x'w``, plus a penalty of w.
    """

    rows: Rows
    y: np.ndarray
    family: Any
    link: Any
    offset: np.ndarray | None = None
    intercept: bool = True

    @property
    def weights(self):
        return self.rows.weights

    @property
    def total_weight(self):
        return self.rows.total_weight

    @cached_property
    def shares(self):
        """The weights divided by their sum."""
        return self.weights / self.weights.sum()

    @property
    def fixed(self):
        """The offset, or 0."""
        return 0.0 if self.offset is None else self.offset

    @cached_property
    def loss(self):
        return GlmLoss(self.y, self.family, self.link)

    def scores(self, coef, intercept):
        """The linear predictor of every row."""
        return self.rows.scores(coef) + intercept + self.fixed

    def of_family(self, family):
        """The problem under another family."""
        return replace(self, family=family)
