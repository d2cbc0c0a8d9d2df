"""Patient rule induction method (PRIM): boxes with a high mean target."""

import math
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.text_list import TextList
from statlearn._core.validation import check_weights

from ._attributes import categorical_mask, column_names, encode, learn_levels, read_columns
from ._prim_box import Peeler
from ._rules import Condition, Rule


def peel_count(n, alpha=0.1, *, n_end=1, rounding=None):
    r"""Number of PRIM peeling steps from n rows down to `n_end`.

    .. math:: \frac{\log(n / n_{end})}{-\log(1 - \alpha)}

    Parameters
    ----------
    n : int
        Initial number of rows.
    alpha : float, default=0.1
        Proportion of the rows removed by each peel.
    n_end : int, default=1
        Final number of rows.
    rounding : {None, "ceil"}, default=None
        None evaluates the formula. "ceil" counts peels that each remove ceil(alpha n) whole rows.

    Returns
    -------
    float or int

    Notes
    -----
    Halving uses up the rows after log2(n) steps. Small peels leave many more opportunities to correct a greedy step.

    References
    ----------
    Friedman, J. H. and Fisher, N. I. (1999). Bump hunting in high-dimensional data. *Statistics and Computing* 9,
    123-143.

    Examples
    --------
    >>> from statlearn.trees import peel_count
    >>> round(peel_count(128), 4), peel_count(128, rounding="ceil"), round(peel_count(128, 0.5, n_end=2), 9)
    (46.0517, 29, 6.0)
    """
    check_arguments(
        peel_count, n=(n, [Int(1, None)]), alpha=(alpha, [Real(0, 1, closed="neither")]), n_end=(n_end, [Int(1, None)]),
        rounding=(rounding, [Options("ceil"), None]),
    )  # fmt: skip
    if rounding is None:
        return max(math.log(n / n_end) / -math.log1p(-alpha), 0.0)
    peels = 0
    while n > n_end:
        n -= math.ceil(alpha * n - 1e-12)
        peels += 1
    return peels


@dataclass
class Trajectory:
    """Mean and support of the boxes of one search, starting with the whole table.

    Parameters
    ----------
    support : ndarray
        Proportion of the total training weight in each box.
    mean : ndarray
        Mean target in each box.
    pasted_support, pasted_mean : ndarray
        The same after pasting.
    chosen : int
        Index of the selected box.
    lower, upper : ndarray of shape (n_boxes, n_features)
        Bounds of the boxes before pasting; infinite where a box has none.
    """

    support: np.ndarray
    mean: np.ndarray
    pasted_support: np.ndarray
    pasted_mean: np.ndarray
    chosen: int
    lower: np.ndarray
    upper: np.ndarray


class PRIM(RegressorMixin, BaseEstimator):
    r"""Patient rule induction method (PRIM) for bump hunting.

    Starting from a box that contains all rows, a strip with at most a proportion `alpha` of them is peeled off one
    face, chosen to maximise the mean of y in the remaining box, until the box would contain fewer than `n_min` rows.
    Strips are then pasted back on as long as this raises the mean. Cross-validation selects one box of the trajectory.
    Its rows are removed and the search is repeated on the rest.

    Parameters
    ----------
    alpha : float, default=0.1
        Maximum proportion of the rows in the box removed by one peel. Smaller values, such as 0.05, are more patient.
    n_min : float, default=10
        Minimum weight of rows in a box.
    max_boxes : int, default=5
        Maximum number of boxes. The search stops earlier if the next box does not improve on the mean of the remaining
        rows.
    paste : bool, default=True
        Whether to paste strips back on after peeling.
    objective : {"max", "min"}, default="max"
        Whether to search for boxes with a high or a low mean.
    cv : int, splitter, iterable or None, default=5
        Cross-validation for selecting the box. With an integer, every `cv`-th row belongs to the same fold. None
        selects the box with the best training mean, which is optimistic. Cross-validation is skipped if there are
        fewer than two rows per fold.
    rule : {"one_se", "min"}, default="one_se"
        "one_se" selects the largest box whose cross-validated mean is within one standard error of the best, "min" the
        best. Inside a bump the means differ only by chance, so the box with the best mean tends to be too small.
    categorical_features : array-like of int, str or bool, or None, default=None
        Numeric columns to treat as categorical. Columns of text or of a categorical type are always categorical. A peel
        of a categorical column removes one level.

    Attributes
    ----------
    boxes_ : list of Box
        The boxes in the order in which they were found, with bounds ``lower < x <= upper``, allowed levels, mean and
        support.
    trajectory_ : list of Trajectory
        Mean and support of every box along each search.
    cv_curves_ : list of CVCurve
        Cross-validated loss (the negative mean in the box, or the mean if ``objective="min"``) by support. Empty if
        `cv` is None.
    remainder_mean_, remainder_weight_ : float
        Mean and weight of the rows outside all boxes.
    categories_ : list of ndarray or None
        Levels of the categorical columns, None for numeric columns.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    `predict` returns the mean of the first box that contains a row, or the mean outside all boxes. To find regions
    where a class is frequent, set y to 1 for the class and 0 otherwise. The mean is then the proportion of the class.

    Tied values at a face are peeled together, even if they exceed the proportion `alpha`. Bounds are midpoints between
    values. Boxes are matched between folds and the whole table by the number of peels. Each search costs
    O(n p log n + n p / alpha), and cross-validation the same for every fold.

    The training mean of the selected box is optimistic. Use `cv_curves_` or new rows for an honest estimate.

    References
    ----------
    Friedman, J. H. and Fisher, N. I. (1999). Bump hunting in high-dimensional data. *Statistics and Computing* 9,
    123-143.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 9.3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import PRIM
    >>> X = np.random.default_rng(0).random((400, 2))
    >>> y = (X > 0.6).all(axis=1) * 1.0
    >>> model = PRIM(max_boxes=1).fit(X, y)
    >>> bool(model.boxes_[0].mean > 0.9)
    True
    """

    _constraints = {
        "alpha": [Real(0, 1, closed="neither")],
        "n_min": [Real(0, None, closed="neither")],
        "max_boxes": [Int(1, None)],
        "paste": ["boolean"],
        "objective": [Options("max", "min")],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
        "categorical_features": ["array-like", None],
    }

    def __init__(
        self,
        *,
        alpha=0.1,
        n_min=10,
        max_boxes=5,
        paste=True,
        objective="max",
        cv=5,
        rule="one_se",
        categorical_features=None,
    ):
        self.alpha = alpha
        self.n_min = n_min
        self.max_boxes = max_boxes
        self.paste = paste
        self.objective = objective
        self.cv = cv
        self.rule = rule
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Find the boxes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        columns, named, y = read_columns(self, X, y, reset=True, allow_nan=False, y_numeric=True)
        y = y.astype(np.float64)
        weights = check_weights(sample_weight, np.empty((len(y), 1)))
        weights = np.ones(len(y)) if weights is None else weights
        self.categories_ = learn_levels(columns, named | categorical_mask(self.categorical_features, self))
        table = encode(columns, self.categories_, column_names(self))
        folds = self._folds(table, y, weights)
        self._cover(table, y if self.objective == "max" else -y, weights, folds)
        for box, rule in zip(self._boxes, self.rules()):
            box.text = rule.text
        return self

    @property
    def boxes_(self):
        """The boxes in order, one per line."""
        return TextList(self._boxes)

    def _folds(self, table, y, weights):
        """Fold index of each row, or None without cross-validation."""
        if self.cv is None:
            return None
        if isinstance(self.cv, (int, np.integer)):
            used = np.flatnonzero(weights > 0)
            if len(used) < 2 * self.cv:
                return None
            folds = np.full(len(y), -1)
            folds[used] = np.arange(len(used)) % self.cv
            return folds
        from sklearn.model_selection import check_cv

        folds = np.full(len(y), -1)
        for k, (_, test) in enumerate(check_cv(self.cv).split(table, y)):
            folds[test] = k
        return folds

    def _cover(self, X, y, w, folds):
        """Find boxes one after another, each on the rows outside the previous ones."""
        total, left = w.sum(), w > 0
        sign = 1.0 if self.objective == "max" else -1.0
        self._boxes, self.trajectory_, self.cv_curves_ = [], [], []
        while len(self._boxes) < self.max_boxes and w[left].sum() > self.n_min:
            rows = np.flatnonzero(left)
            overall = float(w[rows] @ y[rows] / w[rows].sum())
            peeled, boxes = self._search(X[rows], y[rows], w[rows])
            curve = self._curve(X[rows], y[rows], w[rows], folds[rows], boxes, sign) if folds is not None else None
            chosen = int(np.argmax([box.mean for box in boxes])) if curve is None else curve.chosen(self.rule)
            box = boxes[chosen]
            if not box.used() or not box.mean > overall:
                break
            if curve is not None:
                self.cv_curves_.append(curve)
            share = w[rows].sum() / total
            self.trajectory_.append(
                Trajectory(
                    share * np.array([b.support for b in peeled]),
                    sign * np.array([b.mean for b in peeled]),
                    share * np.array([b.support for b in boxes]),
                    sign * np.array([b.mean for b in boxes]),
                    chosen,
                    np.array([b.lower for b in peeled]),
                    np.array([b.upper for b in peeled]),
                )
            )
            box.support, box.mean = share * box.support, sign * box.mean
            self._boxes.append(box)
            left[rows[box.contains(X[rows])]] = False
        rest = left if left.any() else w > 0
        self.remainder_weight_ = float(w[left].sum())
        self.remainder_mean_ = sign * float(w[rest] @ y[rest] / w[rest].sum())

    def _search(self, X, y, w):
        """Boxes found by peeling, and the boxes after pasting."""
        levels = [0 if c is None else max(len(c), 1) for c in self.categories_]
        peeler = Peeler(X, y, w, levels, self.alpha, self.n_min)
        peeled = peeler.trajectory()
        return peeled, [peeler.pasted(box) for box in peeled] if self.paste else peeled

    def _curve(self, X, y, w, folds, boxes, sign):
        """Loss (signed mean) of the held-out rows in the box after each number of peels; None if one fold is left."""
        parts = [k for k in np.unique(folds[folds >= 0]) if (folds != k).any()]
        if not parts:
            return None
        loss = np.empty((len(boxes), len(parts)))
        for column, k in enumerate(parts):
            held = folds == k
            _, sequence = self._search(X[~held], y[~held], w[~held])
            for row in range(len(boxes)):
                inside = held.copy()
                inside[held] = sequence[min(row, len(sequence) - 1)].contains(X[held])
                # A box without held-out rows is assigned the mean of the whole table.
                rows = inside if inside.any() else held
                loss[row, column] = -(w[rows] @ y[rows]) / w[rows].sum()
        weight = np.array([w[folds == k].sum() for k in parts])
        return CVCurve(np.array([box.support for box in boxes]), loss, weight, "support")

    def _read(self, X):
        check_is_fitted(self)
        columns, _, _ = read_columns(self, X, allow_nan=False)
        return encode(columns, self.categories_, column_names(self))

    def apply(self, X):
        """Index of the first box that contains each row, -1 if none does.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int
        """
        table = self._read(X)
        box_of = np.full(table.shape[0], -1)
        for k, box in reversed(list(enumerate(self._boxes))):
            box_of[box.contains(table)] = k
        return box_of

    def predict(self, X):
        """Predicted values: the mean of the first box that contains each row, or the mean outside all boxes."""
        box = self.apply(X)
        return np.append([b.mean for b in self._boxes], self.remainder_mean_)[box]

    def rules(self):
        """Rules of the boxes in order, and a default rule for rows outside all boxes.

        Returns
        -------
        list of Rule
            Prints one rule per line; ``to_frame()`` makes a data frame.
        """
        check_is_fitted(self)
        names, box_rules = column_names(self), []
        for box in self._boxes:
            tests = []
            for j in box.used():
                if box.allowed[j] is not None:
                    tests.append(Condition(j, "in", tuple(self.categories_[j][box.allowed[j]].tolist()), names[j]))
                    continue
                if np.isfinite(box.lower[j]):
                    tests.append(Condition(j, ">", float(box.lower[j]), names[j]))
                if np.isfinite(box.upper[j]):
                    tests.append(Condition(j, "<=", float(box.upper[j]), names[j]))
            box_rules.append(Rule(tuple(tests), float(box.mean), box.weight, np.nan))
        return TextList([*box_rules, Rule((), self.remainder_mean_, self.remainder_weight_, np.nan)])

    def plot_trajectory(self, box=0, *, ax=None):
        """Plot of the mean against the support along the search for one box, with the selected box marked.

        Parameters
        ----------
        box : int, default=0
            Index of the box.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        if not -len(self._boxes) <= box < len(self._boxes):
            raise ValueError(f"`box`={box!r} is out of range; {len(self._boxes)} boxes were found.")
        from statlearn._draw.axes import new_axes
        from statlearn._draw.style import styled, theme

        path = self.trajectory_[box]

        @styled
        def draw(ax):
            ax = new_axes(ax, figsize=(5.6, 3.8))
            ax.plot(path.support, path.mean, "o-", ms=4, label="peeled")
            if self.paste:
                ax.plot(path.pasted_support, path.pasted_mean, "s", ms=4, mfc="none", label="then pasted")
            at = path.pasted_support[path.chosen], path.pasted_mean[path.chosen]
            ax.plot(*at, "o", ms=11, mfc="none", mew=2, color=theme().good, label="chosen")
            ax.set(xlabel="support (proportion of the rows)", ylabel="mean in the box")
            ax.legend()
            return ax

        return draw(ax)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.regressor_tags.poor_score = True  # a few boxes are a coarse regression
        return tags
