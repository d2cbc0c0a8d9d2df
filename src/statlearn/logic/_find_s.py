"""Find-S."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import check_params

from ._categorical import LABEL, binary_target, codes_of, levels_of, read_table
from ._hypothesis import ANY, ConjunctiveHypothesis


class FindS(ClassifierMixin, BaseEstimator):
    """Find-S: the most specific conjunction that covers all positive examples.

    Starts with the unsatisfiable hypothesis and relaxes, for every positive example, the slots that it violates. A
    row is predicted positive if it satisfies the result. Negative examples are not used.

    Parameters
    ----------
    positive : label or None, default=None
        The class to describe. None means the last of the sorted classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of lists
        Values of each column in the positive examples.
    slots_ : ndarray of int of shape (n_features,)
        Position in `categories_` of the value that each slot requires, -1 for any value.
    hypothesis_ : ConjunctiveHypothesis
        The most specific conjunction that covers the positive examples.
    n_negatives_covered_ : int
        Number of negative examples that the result accepts. If there are any, no conjunction agrees with the data.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    CandidateElimination : all conjunctions that agree with positive and negative examples.

    Notes
    -----
    The result lies below every conjunction that agrees with the examples, if there is one. One mislabelled positive
    example can generalise it without bound. Numbers are values like any others: bin them first. A value that the
    positive examples do not have satisfies only a ``?``.

    References
    ----------
    Mitchell, T. (1997). Machine Learning. McGraw-Hill, chapter 2.

    Examples
    --------
    >>> from statlearn.logic import FindS
    >>> X = [["Sunny", "Hot"], ["Overcast", "Hot"], ["Overcast", "Mild"]]
    >>> model = FindS().fit(X, ["No", "Yes", "Yes"])
    >>> model.hypothesis_
    <Overcast, ?>
    >>> model.predict([["Overcast", "Cool"], ["Rain", "Hot"]]).tolist()
    ['Yes', 'No']
    """

    _constraints = {"positive": LABEL}

    def __init__(self, positive=None):
        self.positive = positive

    def fit(self, X, y):
        """Find the hypothesis.

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
        mine = [[value for value, yes in zip(column, positive) if yes] for column in columns]
        self.categories_ = levels_of(mine)
        if not positive.any():
            raise ValueError(f"y contains no positive example of class {self.positive!r}.")
        self.slots_ = np.array([0 if len(levels) == 1 else ANY for levels in self.categories_])
        self._positive = self.classes_[-1] if self.positive is None else self.positive
        covered = self._covered(columns)
        self.n_negatives_covered_ = int(np.count_nonzero(covered & ~positive))
        return self

    def _covered(self, columns):
        codes = codes_of(columns, self.categories_)
        return np.all((self.slots_ == ANY) | (codes == self.slots_), axis=1)

    @property
    def hypothesis_(self):
        """The result as a :class:`ConjunctiveHypothesis`."""
        check_is_fitted(self)
        slots = [None if s == ANY else self.categories_[j][s] for j, s in enumerate(self.slots_)]
        return ConjunctiveHypothesis(slots)

    def predict(self, X):
        """Classes of the rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        covered = self._covered(read_table(self, X, reset=False))
        if len(self.classes_) == 1:
            return np.full(len(covered), self.classes_[0])
        at = int(np.flatnonzero(self.classes_ == self._positive)[0])
        return self.classes_[np.where(covered, at, 1 - at)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # numbers are values like any others
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
