"""How an estimator enters an honest comparison: its default search space, declared beside the estimator itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SearchSpace:
    """What `statlearn compare` tries for an estimator; the class declares it as ``_search_space``.

    A class that stands for several methods (a GLM with its families) declares a tuple of them, each with its label.

    An estimator that tunes itself (``LassoCV``) has an empty grid and keeps its curve in ``cv_curve_``; any other is
    tuned over the product of the grid's values inside the training folds.

    Parameters
    ----------
    label : str
        What people call the method, in a leaderboard: "lasso", "logistic regression, L2".
    complexity : float
        Orders the methods from simple to complex where their errors cannot tell them apart: 0 learns nothing, 1 is a
        linear model with few coefficients, 2 one with many, 3 a single small tree, 5 an ensemble or a kernel machine.
    grid : mapping of str to sequence
        Values to try for each parameter, ordered from the simplest model to the most complex.
    fixed : mapping of str to object
        Settings other than the constructor's defaults.
    scaled : bool
        Whether the method wants columns of mean 0 and variance 1 in its design.
    table : {"design", "native"}
        The table that the method wants. "design": numbers without gaps, one column of 0 and 1 per level of a category.
        "native": one column per category with the number of its level, named to the method as `categorical_features`,
        NaN for missing cells, nothing scaled.
    default : bool
        Whether it belongs to the default portfolio; otherwise it takes part when it is named.
    max_rows, max_columns : int or None
        Beyond these the default portfolio leaves it out, with a note.
    min_rows : int or None
        With fewer rows it cannot be tuned over its grid: the portfolio leaves it out, with a note.
    needs : {"dense", "positive_target", "counts", "binary"} in a tuple
        Conditions on the table: a strictly positive target, a target of counts, two classes only.
    """

    label: str
    complexity: float
    grid: Mapping[str, Sequence] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    scaled: bool = True
    table: str = "design"
    default: bool = True
    max_rows: int | None = None
    max_columns: int | None = None
    min_rows: int | None = None
    needs: tuple[str, ...] = ()

    def __post_init__(self):
        if self.table not in ("design", "native"):
            raise ValueError(f"table must be 'design' or 'native', got {self.table!r}")
