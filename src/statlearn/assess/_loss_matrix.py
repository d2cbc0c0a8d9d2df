"""Loss matrix of misclassification costs."""

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from ._loss_base import Loss


class LossMatrix(Loss):
    r"""Loss matrix of costs :math:`L_{kl}` of predicting l if k is true: expected losses and optimal decisions.

    For class probabilities P, predicting l costs :math:`\sum_k P_k L_{kl}` on average; the optimal decision minimises
    it. With
    0 on the diagonal and 1 elsewhere that is the most probable class.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Rows are true classes. The diagonal must be 0 and no entry may be negative.
    labels : array-like of shape (K,) or None, default=None
        Labels in the order of the rows, sorted or not; None means 0 to K - 1.
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import LossMatrix
    >>> loss = LossMatrix([[0, 1], [10, 0]], labels=["healthy", "ill"])
    >>> loss.decide([[0.8, 0.2], [0.95, 0.05]])
    array(['ill', 'healthy'], dtype='<U7')
    >>> loss.expected_loss([[0.8, 0.2]])
    array([[2. , 0.8]])
    >>> loss.value(["ill", "ill"], ["ill", "healthy"])
    array([ 0., 10.])
    """

    def __init__(self, matrix, labels=None, *, reduction="none"):
        super().__init__(reduction)
        matrix = check_array(matrix, dtype=np.float64, input_name="matrix")
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"`matrix` must be square, got shape {matrix.shape}.")
        if np.any(np.diag(matrix) != 0.0) or np.any(matrix < 0.0):
            raise ValueError("`matrix` must have a zero diagonal and no negative entries.")
        labels = np.arange(len(matrix)) if labels is None else column_or_1d(labels)
        if labels.shape != (len(matrix),) or len(np.unique(labels)) != len(labels):
            raise ValueError("`labels` must be distinct, one per row of `matrix`.")
        self.matrix, self.labels = matrix, labels

    @classmethod
    def zero_one(cls, n_classes):
        """Zero-one loss: all mistakes cost 1.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        LossMatrix
        """
        return cls(1.0 - np.eye(n_classes))

    def __repr__(self):
        return f"LossMatrix({self.matrix.tolist()}, labels={self.labels.tolist()})"

    def _codes(self, y):
        y = np.asarray(y)
        order = np.argsort(self.labels)
        place = np.minimum(np.searchsorted(self.labels, y, sorter=order), len(order) - 1)
        codes = order[place]
        if np.any(self.labels[codes] != y):
            raise ValueError("y contains a label that is not among the labels of the loss matrix.")
        return codes

    def _rows(self, y, f):
        return self.matrix[self._codes(y), self._codes(f)]

    def _first(self, y, f):
        raise NotImplementedError("A loss on class labels has no gradient.")

    _second = _first

    def expected_loss(self, y_prob):
        """Expected loss of each prediction.

        Parameters
        ----------
        y_prob : array-like of shape (n, K)
            Probabilities of the classes, in the order of `labels`.

        Returns
        -------
        ndarray of shape (n, K)
        """
        P = check_array(y_prob, dtype=np.float64, input_name="y_prob")
        if P.shape[1] != len(self.labels):
            raise ValueError(f"`y_prob` has {P.shape[1]} columns, but the loss matrix has {len(self.labels)} classes.")
        return P @ self.matrix

    def decide(self, y_prob):
        """Prediction with the smallest expected loss; the first among ties.

        Parameters
        ----------
        y_prob : array-like of shape (n, K)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.labels[self.expected_loss(y_prob).argmin(axis=1)]
