"""Candidate elimination."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, check_params

from ._categorical import LABEL, binary_target, codes_of, levels_of, read_table
from ._hypothesis import Boundaries, VersionSpace, covers


class CandidateElimination(ClassifierMixin, BaseEstimator):
    """Candidate elimination: all conjunctions that agree with the examples.

    Keeps the boundaries of the version space. A positive example removes members of G that reject it and generalises
    S; a negative one specialises the members of G that accept it.

    Parameters
    ----------
    positive : label or None, default=None
        The class to describe. None means the last of the sorted classes.
    unknown : label or None, default=None
        What `predict` returns for rows on which the hypotheses differ. None means their majority, and the other class
        in a tie.
    categories : "auto" or list of lists, default="auto"
        The values of each column. "auto" takes those of the training data.
    on_empty : {"raise", "skip"}, default="raise"
        What happens if no conjunction agrees with the examples: an error that names the first example that empties
        the space, or the example is skipped and listed in `skipped_`. "skip" takes the positive examples first.
    max_boundary : int, default=10_000
        Largest size of the general boundary; more raise :class:`SearchBudgetExceeded`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of lists
        The values of each column.
    general_ : ndarray of int of shape (n_general, n_features)
        Members of G: positions in `categories_`, -1 for any value.
    specific_ : ndarray of int of shape (n_specific, n_features)
        Members of S. It has no row while there is no positive example: then S is the unsatisfiable hypothesis.
    version_space_ : VersionSpace
        The hypotheses between `specific_` and `general_`, all that agree with the examples.
    skipped_ : ndarray of int
        Rows that were skipped.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    VersionSpace : the space itself, for single examples and enumeration.
    FindS : the specific boundary alone.

    Notes
    -----
    The method assumes examples without noise and a concept that is a conjunction: one wrong label empties the space.
    The result does not depend on the order of the examples. Numbers are values like any others; bin them first.

    References
    ----------
    Mitchell, T. (1997). Machine Learning. McGraw-Hill, chapter 2.

    Examples
    --------
    >>> from statlearn.logic import CandidateElimination
    >>> X = [["Sunny", "Hot"], ["Overcast", "Hot"], ["Rain", "Mild"]]
    >>> model = CandidateElimination(unknown="?").fit(X, ["No", "Yes", "No"])
    >>> model.version_space_
    G: {<Overcast, ?>}  S: {<Overcast, Hot>}
    >>> model.predict([["Overcast", "Hot"], ["Overcast", "Mild"], ["Rain", "Hot"]]).tolist()
    ['Yes', '?', 'No']
    >>> model.predict_proba([["Overcast", "Mild"]]).tolist()
    [[0.5, 0.5]]
    """

    _constraints = {
        "positive": LABEL,
        "unknown": LABEL,
        "categories": [Options("auto"), "array-like"],
        "on_empty": [Options("raise", "skip")],
        "max_boundary": [Int(1, 100_000)],
    }

    def __init__(self, positive=None, *, unknown=None, categories="auto", on_empty="raise", max_boundary=10_000):
        self.positive = positive
        self.unknown = unknown
        self.categories = categories
        self.on_empty = on_empty
        self.max_boundary = max_boundary

    def fit(self, X, y):
        """Find the boundaries.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Categories or numbers, without missing values.
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        self
        """
        check_params(self)
        columns, y = read_table(self, X, y, reset=True)
        self.classes_, positive = binary_target(self, y, self.positive)
        self._positive = self.classes_[-1] if self.positive is None else self.positive
        self._unknown = self.unknown
        self.categories_ = self._all_categories(columns)
        codes = [tuple(row) for row in codes_of(columns, self.categories_).tolist()]
        # Positive examples first keep G small, and the order does not matter.
        order = np.argsort(~positive, kind="stable")
        bounds = Boundaries([len(levels) for levels in self.categories_], self.max_boundary)
        skipped = []
        for k in order.tolist():
            # Once the positive examples are in, only a negative one that S accepts can empty the space.
            if self.on_empty == "skip" and not positive[k] and covers(bounds.specific, codes[k]):
                skipped.append(k)
            elif not bounds.update(codes[k], bool(positive[k])):
                self._report_empty(codes, positive)
        self.skipped_ = np.array(sorted(skipped), dtype=np.int64)
        p = len(columns)
        self.general_ = np.array(bounds.general, dtype=np.int64).reshape(-1, p)
        self.specific_ = np.array([] if bounds.specific is None else [bounds.specific], dtype=np.int64).reshape(-1, p)
        self._max_boundary = self.max_boundary
        return self

    def _all_categories(self, columns):
        levels_by_column = levels_of(columns)
        if isinstance(self.categories, str):
            return levels_by_column
        if len(self.categories) != len(columns):
            raise ValueError(
                f"`categories` must have {len(columns)} lists, one per column, got {len(self.categories)}."
            )
        declared = [list(each) for each in self.categories]
        for j, (levels, seen) in enumerate(zip(declared, levels_by_column)):
            unknown = [value for value in seen if value not in levels]
            if unknown:
                raise ValueError(f"X has the value {unknown[0]!r} in column {j}, which is not in `categories`.")
        return declared

    def _report_empty(self, codes, positive):
        """Raise, with the first row after which no hypothesis is left."""
        sizes = [len(levels) for levels in self.categories_]

        def empties(n):
            bounds = Boundaries(sizes, self.max_boundary)
            rows = sorted(range(n), key=lambda k: not positive[k])
            return not all(bounds.update(codes[k], bool(positive[k])) for k in rows)

        low, high = 1, len(codes)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if empties(middle) else (middle + 1, high)
        values = [levels[c] for levels, c in zip(self.categories_, codes[low - 1])]
        kind = "positive" if positive[low - 1] else "negative"
        raise ValueError(
            f"The version space is empty: no conjunction agrees with the examples. Row {low - 1} of X and y, the "
            f"{kind} example {values}, is the first that empties it. Check its label, use on_empty='skip', or use a "
            "learner that tolerates noise, such as a tree or Aleph."
        )

    def _bounds(self):
        bounds = Boundaries([len(levels) for levels in self.categories_], self._max_boundary)
        bounds.general = [tuple(row) for row in self.general_.tolist()]
        bounds.specific = tuple(self.specific_[0].tolist()) if len(self.specific_) else None
        return bounds

    @property
    def version_space_(self):
        """The result as a :class:`VersionSpace`."""
        check_is_fitted(self)
        space = VersionSpace(self.categories_, max_boundary=self._max_boundary)
        space._bounds = self._bounds()
        return space

    def predict_proba(self, X):
        """Shares of the hypotheses that vote for each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Only G and S vote if the space has more than about 65,000 members.
        """
        check_is_fitted(self)
        codes = codes_of(read_table(self, X, reset=False), self.categories_)
        share = self._bounds().votes(codes)
        if len(self.classes_) == 1:
            return np.ones((len(codes), 1))
        shares = np.column_stack([1 - share, share])
        return shares if self.classes_[1] == self._positive else shares[:, ::-1]

    def predict(self, X):
        """Classes of the rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            `unknown`, if it is given, where the hypotheses differ.
        """
        shares = self.predict_proba(X)
        if len(self.classes_) == 1:
            return np.full(len(shares), self.classes_[0])
        at = int(np.flatnonzero(self.classes_ == self._positive)[0])
        yes = shares[:, at] > 0.5
        labels = self.classes_[np.where(yes, at, 1 - at)]
        if self._unknown is None:
            return labels
        codes = codes_of(read_table(self, X, reset=False), self.categories_)
        bounds = self._bounds()
        labels = labels.astype(object)
        labels[[bounds.decide(tuple(row)) is None for row in codes.tolist()]] = self._unknown
        return labels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # numbers are values like any others
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
