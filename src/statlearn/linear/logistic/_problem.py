"""A logistic or multinomial regression to be fitted, as one object."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from statlearn._math.linalg.sparse_arrays import by_rows
from statlearn._math.solvers.logistic_loss import LogisticLoss


@dataclass(frozen=True)
class LogisticProblem:
    """Classes of the rows of a dense or sparse table, with weights and an offset; the penalties are chosen later."""

    X: Any
    codes: np.ndarray
    n_classes: int
    weights: np.ndarray | None = None
    offset: np.ndarray | None = None
    fit_intercept: bool = True

    @property
    def total(self):
        """Sum of the weights."""
        return float(self.X.shape[0] if self.weights is None else self.weights.sum())

    @property
    def shape(self):
        """Rows of parameters, one for two classes, and slopes with the intercept."""
        return 1 if self.n_classes == 2 else self.n_classes, self.X.shape[1] + bool(self.fit_intercept)

    def loss(self, l2=0.0, *, fixed_last=False):
        """The mean loss with a ridge penalty."""
        make = getattr(self.X, "logistic_loss", None)  # of a table in blocks, whose codes are those of the classes
        return (partial(LogisticLoss, by_rows(self.X)) if make is None else make)(
            self.codes,
            self.n_classes,
            weights=self.weights,
            offset=self.offset,
            l2=l2,
            fit_intercept=self.fit_intercept,
            fixed_last=fixed_last,
        )
