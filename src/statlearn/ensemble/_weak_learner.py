"""Weak learners: one base estimator fitted repeatedly to the same rows with changing weights and targets."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

LARGEST_SEED = np.iinfo(np.int32).max


def seeded_clone(estimator, rng):
    """An unfitted copy whose random states, including those of nested estimators, are drawn from rng."""
    member = clone(estimator)
    names = [k for k in sorted(member.get_params(deep=True)) if k == "random_state" or k.endswith("__random_state")]
    if names:
        member.set_params(**{name: int(rng.randint(LARGEST_SEED)) for name in names})
    return member


class WeakLearner:
    """Fits seeded clones of an estimator to the rows of X.

    If `fit` of the estimator does not accept weights, rows are drawn with replacement with probabilities proportional
    to the weights. The weights passed to members sum to `total`, if given. If they summed to 1, a penalty would count
    as much as all rows together, and a minimum leaf weight of two rows could never be reached.
    """

    def __init__(self, estimator, X, rng, total=None):
        self.estimator, self.X, self.rng, self.total = estimator, X, rng, total
        self.takes_weights = has_fit_parameter(estimator, "sample_weight")

    def fit(self, y, weights):
        """A member fitted to y under the weights."""
        member = seeded_clone(self.estimator, self.rng)
        if self.takes_weights:
            return member.fit(self.X, y, sample_weight=self.scaled(weights))
        rows = self.rng.choice(len(y), size=len(y), p=weights / weights.sum())
        return member.fit(self.X[rows], y[rows])

    def scaled(self, weights):
        """The weights as passed to members."""
        return weights if self.total is None else weights * (self.total / weights.sum())

    def output(self, member, method="predict"):
        """Output of the member fitted last for the rows of X."""
        return getattr(member, method)(self.X)

    def codes_of(self, member, classes):
        """Indices of the classes predicted by the member fitted last for the rows of X."""
        return np.searchsorted(classes, self.output(member))


def weak_learner(estimator, X, rng, total):
    """The fastest weak learner for this estimator and table, with weights that sum to `total`."""
    from .boosting._stumps import stump_learner

    return stump_learner(estimator, X, rng, total) or WeakLearner(estimator, X, rng, total)
