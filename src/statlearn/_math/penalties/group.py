"""The group lasso: Euclidean norms of groups of coefficients."""

import numpy as np

from .penalty import Penalty


class GroupPenalty(Penalty):
    """sum_g weight_g |w_g|, over groups of coefficients that enter or leave the model together.

    Parameters
    ----------
    codes : ndarray of int of shape (p,)
        Number of the group of each coefficient.
    weights : ndarray of shape (n_groups,)
        Price of each group; 0 leaves it unpenalised.
    """

    def __init__(self, codes, weights):
        self.codes, self.weights = codes, weights

    def norms(self, w):
        """Euclidean norm of each group."""
        return np.sqrt(np.bincount(self.codes, weights=w**2, minlength=len(self.weights)))

    def value(self, w):
        return float(self.weights @ self.norms(w))

    def prox(self, v, step):
        norms = self.norms(v)
        price = step * self.weights
        factor = np.divide(norms - price, norms, out=np.zeros_like(norms), where=norms > price)
        return v * factor[self.codes]

    def largest(self, gradient):
        """The smallest t at which the penalised groups are 0; the unpenalised ones are to be at their optimum."""
        penalised = self.weights > 0
        return float((self.norms(gradient)[penalised] / self.weights[penalised]).max(initial=0.0))
