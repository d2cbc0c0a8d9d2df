"""How a comparison uses a model: when it takes part, on which table, and how its tuning is shortened or widened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

TABLES = ("design", "native", "mixed", "counts", "indicators", "codes")


@dataclass(frozen=True)
class Entry:
    """How `compare` uses a model.

    Parameters
    ----------
    complexity : float
        Orders methods with indistinguishable errors from simple to complex: 0 learns nothing, 1 is a
        linear model with few coefficients, 2 one with many, 3 a single small tree, 5 an ensemble or a kernel machine.
    untuned : mapping of str to object
        The point of the grid that is taken where there is no time to search; by default the one in the middle.
    trial : mapping of str to object
        Settings while the grid is searched, where a cheaper model ranks the points as well: fewer trees. The chosen
        point is fitted without them.
    adapt : callable or None
        From the training target to settings that must follow its unit, such as the ratio of two penalties.
    all_rows : callable or None
        For a method that holds out training rows to stop early: from the fitted model and the number of training rows
        to the settings for a second fit that uses all of them, or to None where the first is good enough.
    averaged : bool
        Whether fits to slightly different rows differ so much that their mean predicts better than one of them, as with
        boosting and neural networks. A stack then takes the mean of the fits on all rows and of the outer folds.
    scaled : bool or "normal"
        Whether the columns of the design are standardised to mean 0 and variance 1; "normal" replaces numbers by their
        normal scores, for methods that suffer from long tails.
    table : {"design", "native", "mixed", "counts", "indicators", "codes"}
        Table passed to the method. "design" is numeric without missing values, with one indicator column per level of a
        category. "native" has one column per category with the codes of its levels, declared as `categorical_features`,
        and NaN for missing values, without scaling; "mixed" is the same with standardised numbers. The others are for
        models of discrete data. "counts" has one indicator column for every level and numbers as they are, NaN if
        missing. "codes" has the codes of levels, and of up to five bins of numbers, in all columns, NaN if missing.
        "indicators" is the same with numbers cut at their median.
    default : bool
        Whether the method belongs to the default portfolio. Otherwise, it is used only if named.
    default_rows : int or None
        Minimum number of rows for the default portfolio, for methods that pay off on large tables only.
    max_rows, max_columns : int or None
        Maximum size for the default portfolio; larger tables leave the method out, with a note.
    min_rows : int or None
        Minimum number of rows for tuning; the portfolio leaves the method out below it, with a note.
    ranges : mapping of str to tuple or list
        Wider space of three or more parameters for a Bayesian search (``search="bayes"``), in the short forms of
        `statlearn.gp.Space`: ``(low, high)``, ``(low, high, "log-uniform")`` or a list of values.
    order : tuple of str
        Parameters of `ranges` that order the proposed settings for the one-standard-error rule, with a minus sign if
        larger values give simpler models.
    needs : {"dense", "positive_target", "counts", "binary", "nonnegative", "torch"} in a tuple
        Conditions on the table: a strictly positive target, a target of counts, two classes only, features without
        negative numbers and dates; "torch" requires PyTorch.
    """

    complexity: float
    untuned: Mapping[str, object] = field(default_factory=dict)
    trial: Mapping[str, object] = field(default_factory=dict)
    adapt: Callable | None = None
    all_rows: Callable | None = None
    averaged: bool = False
    scaled: bool | str = True
    table: str = "design"
    default: bool = True
    default_rows: int | None = None
    max_rows: int | None = None
    max_columns: int | None = None
    min_rows: int | None = None
    ranges: Mapping[str, Sequence] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def __post_init__(self):
        if self.table not in TABLES:
            raise ValueError(f"`table` must be one of {', '.join(TABLES)}, got {self.table!r}.")
        if self.ranges and not self.order:
            raise ValueError("`ranges` need an order of their parameters, from simple to complex.")


@dataclass(frozen=True)
class Space(Entry):
    """An entry with the label, the grid and the fixed settings that the estimator declares (`SearchSpace`)."""

    label: str = ""
    grid: Mapping[str, Sequence] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)

    @property
    def trial_share(self):
        """Cost of a fit while the grid is searched, as a share of the cost of the final one."""
        trees, fewer = self.fixed.get("n_estimators"), self.trial.get("n_estimators")
        return fewer / trees if isinstance(trees, int) and isinstance(fewer, int) else 1.0
