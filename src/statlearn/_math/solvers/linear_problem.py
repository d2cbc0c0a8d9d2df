"""A loss of a linear score with a penalty, as one object."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..penalties.penalty import Penalty
from ..rows.rows import Rows


@dataclass
class LinearProblem:
    """What `minimise` minimises: the weighted loss of ``offset + b + x'w`` over the rows, plus a penalty of w."""

    rows: Rows
    loss: Any
    penalty: Penalty
    weights: np.ndarray  # positive, with sum 1
    intercept: bool
    offset: np.ndarray
