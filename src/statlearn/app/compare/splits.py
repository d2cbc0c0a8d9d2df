"""The rows of a comparison: which are held out, which train and test in each outer fold, which tune inside one."""

from dataclasses import dataclass

import numpy as np

from statlearn.app.errors import DataError
from statlearn.app.setting_names import setting


@dataclass(frozen=True)
class Scheme:
    """How rows may be divided: at random (by class), whole groups at a time, or the future after the past."""

    task: str
    groups: np.ndarray | None = None
    ordered: bool = False  # rows stand in the order of time

    @property
    def at_random(self):
        """Whether rows are split one by one, as independent rows may be."""
        return self.groups is None and not self.ordered

    def splitter(self, n_splits, seed, repeats=1, stratify=True, test_size=None):
        """The scikit-learn splitter for this number of folds; `stratify=False` ignores the classes.

        `test_size` is the number of rows of a fold in the order of time.
        """
        from sklearn import model_selection as ms

        if self.ordered:
            return ms.TimeSeriesSplit(n_splits, test_size=test_size)
        by_class = self.task == "classification" and stratify
        if self.groups is not None:
            kind = ms.StratifiedGroupKFold if by_class else ms.GroupKFold
            return kind(n_splits, shuffle=True, random_state=seed)
        if repeats > 1:
            kind = ms.RepeatedStratifiedKFold if by_class else ms.RepeatedKFold
            return kind(n_splits=n_splits, n_repeats=repeats, random_state=seed)
        kind = ms.StratifiedKFold if by_class else ms.KFold
        return kind(n_splits, shuffle=True, random_state=seed)

    def rows(self, index):
        """The same scheme for some of the rows."""
        return Scheme(self.task, None if self.groups is None else self.groups[index], self.ordered)

    def units(self, n_rows):
        """For each row the unit that it belongs to: itself, its group, or a stretch of neighbours in time."""
        if self.groups is not None:
            return np.unique(self.groups, return_inverse=True)[1]
        if self.ordered:
            return np.arange(n_rows) // max(1, round(np.sqrt(n_rows)))
        return np.arange(n_rows)

    def inner(self, y, seed):
        """For an estimator's `cv`: a function from a number of folds to a splitter or to lists of rows.

        Random folds are given as a splitter. Estimators are not given the groups, so grouped folds are given as a list.
        """

        def make(n_splits):
            n_splits = self.feasible(y, n_splits)
            splitter = self.splitter(n_splits, seed, stratify=self.largest_class(y) >= n_splits)
            return splitter if self.groups is None else list(quiet_split(splitter, y, self.groups))

        return make

    def subsample(self, y, n_rows, seed):
        """Sorted numbers of some rows: the latest in the order of time, else at random, by class.

        A smaller sample with the same seed is part of a larger one.
        """
        if self.ordered:
            return np.arange(max(len(y) - n_rows, 0), len(y))
        order = mixed_order(y, self.task == "classification", np.random.default_rng(seed))
        return np.sort(order[:n_rows])

    def feasible(self, y, n_splits):
        """This number of folds, or the largest that the rows (and groups) allow."""
        if self.groups is not None:
            n_splits = min(n_splits, len(np.unique(self.groups)))
        most = len(y) // 2 if self.ordered else min(len(y), self.largest_class(y))
        return max(2, min(n_splits, most))

    def largest_class(self, y):
        """Rows of the most frequent class: more folds than that cannot be made class by class."""
        if self.task != "classification" or len(y) == 0:
            return len(y)
        return int(np.unique(y, return_counts=True)[1].max())


def mixed_order(y, by_class, rng):
    """A random order of the rows; by class, its beginnings hold each class in about its proportion."""
    order = rng.permutation(len(y))
    if not by_class:
        return order
    _, codes, counts = np.unique(np.asarray(y)[order], return_inverse=True, return_counts=True)
    rows = np.argsort(codes, kind="stable")
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.empty(len(y))
    place[rows] = (np.arange(len(y)) - starts + 0.5) / np.repeat(counts, counts)
    return order[np.argsort(place, kind="stable")]


def holdout_split(y, scheme, share, seed):
    """Row numbers of the training part and of the held-out part, both sorted."""
    n = len(y)
    rows = np.arange(n)
    if share == 0:
        return rows, rows[:0]
    n_out = int(round(share * n))
    if n_out < 1 or n - n_out < 4:
        raise DataError(f"{n} rows are too few to hold out a fraction of {share:g}; use {setting('holdout', 0)}")
    if scheme.ordered:
        return rows[: n - n_out], rows[n - n_out :]
    if scheme.groups is not None:
        n_splits = scheme.feasible(y, max(2, int(round(1 / share))))
        train, test = next(quiet_split(scheme.splitter(n_splits, seed), y, scheme.groups))
        return np.sort(train), np.sort(test)
    from sklearn.model_selection import train_test_split

    by_class = None
    if scheme.task == "classification":
        n_classes = len(np.unique(y))
        # Each class needs a row in both parts; where that cannot be, the split is by chance alone.
        by_class = y if n_classes <= min(n_out, n - n_out) else None
    train, test = train_test_split(rows, test_size=n_out, random_state=seed, stratify=by_class)
    return np.sort(train), np.sort(test)


def outer_folds(y, scheme, folds, repeats, seed):
    """Pairs of training and test rows, numbers within the training part, and how many folds there really are."""
    n_splits = scheme.feasible(y, folds)
    if scheme.task == "classification" and scheme.groups is None and scheme.largest_class(y) < 2:
        raise DataError(
            "every class has only one row for training, so nothing can be learned and tested; "
            "use a target whose classes occur several times"
        )
    if scheme.groups is not None and repeats > 1:
        pairs = []
        for repeat in range(repeats):
            pairs += list(quiet_split(scheme.splitter(n_splits, seed + repeat), y, scheme.groups))
        return pairs, n_splits
    # In the order of time the first half of the rows is for training only: the final model has more rows, not fewer.
    test_size = max(1, len(y) // (2 * n_splits)) if scheme.ordered else None
    splitter = scheme.splitter(n_splits, seed, repeats, test_size=test_size)
    return list(quiet_split(splitter, y, scheme.groups)), n_splits


def quiet_split(splitter, y, groups=None):
    """The pairs of a splitter of scikit-learn, without its warning about rare classes: the honesty box reports them."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        yield from splitter.split(np.zeros(len(y)), y, groups)
