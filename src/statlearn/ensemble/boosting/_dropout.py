"""Boosting with dropout (DART): rounds are dropped while a new one is grown."""

import numpy as np

from statlearn._math.trees.forest import Forest

from ._growth import add_predictions


class Dropout:
    """The rounds of a fit so far, and those dropped in the current round.

    With k rounds dropped, whose sum is D, the new trees are grown at the scores without D. As both fit the same
    residual, D is scaled by `kept` = k / (k + learning_rate) and the new trees by `rate` = learning_rate / (k +
    learning_rate).

    Parameters
    ----------
    model : GradientBoosting
    seed : int
    forest : Forest or None
        Trees of an earlier fit that is continued.
    per_round : int
        Number of trees per round.
    """

    def __init__(self, model, seed, forest, per_round):
        self.share, self.learning_rate = model.dropout, model.learning_rate
        self.seed, self.per_round = seed, per_round
        self.rounds = []
        if forest is not None:
            self.rounds = [forest._slice(t, t + per_round) for t in range(0, len(forest), per_round)]
            for part in self.rounds:
                part.value = part.value.copy()

    def draw(self, round_):
        """Draw the rounds to drop."""
        draws = np.random.default_rng([self.seed, round_, 1]).random(len(self.rounds))
        self.out = [self.rounds[r] for r in np.flatnonzero(draws < self.share)]
        k = len(self.out)
        self.kept = k / (k + self.learning_rate) if k else 1.0
        self.rate = self.learning_rate / (k + self.learning_rate) if k else self.learning_rate

    def sums(self, X):
        """Contribution of the dropped rounds, before scaling, to the scores of an encoded table."""
        sums = np.zeros((X.shape[0], self.per_round))
        for part in self.out:
            add_predictions(part, X, sums)
        return sums

    def settle(self, grown):
        """Scale the dropped rounds and store the new trees."""
        for part in self.out:
            part.value *= self.kept
        self.rounds.append(Forest.of(grown, range(self.per_round)))

    @property
    def values(self):
        """The values of all nodes with their current scaling."""
        return np.concatenate([part.value for part in self.rounds])
