"""The next point for exact values of one objective: when the best valley has been searched, search without it."""

from dataclasses import dataclass

import numpy as np

from ._proposal import Total, best_position
from ._surrogate import Surrogate
from ._trials import PENDING
from ._valleys import Edges, Outside, find_valleys

REFINE_EVERY = 4  # proposals, of which one refines the best valley even after it has been searched
MAX_LEFT_OUT = 2  # searched valleys that are left out of the model together
MIN_POINTS = 4  # that a model needs after valleys have been left out


@dataclass
class ValleyCandidate:
    """The best position of one model.

    Parameters
    ----------
    position : ndarray or None
        None if the space is exhausted.
    total : Total
        The score that it maximises.
    surrogate : Surrogate
        The model of the points that were not left out.
    usable : ndarray of bool
        The feasible ones among these points.
    log_gain : float
        Logarithm of the improvement expected at the position.
    """

    position: np.ndarray | None
    total: Total
    surrogate: Surrogate
    usable: np.ndarray
    log_gain: float


class ValleySearch:
    """One step of the search by models with and without the points of searched valleys.

    A model of all points adopts the length scales of the valley in which most of them lie, and is too certain about
    other regions. Points of searched valleys are therefore left out of the model, and the proposal is kept away from
    them. The valleys are found again in each step, so that nothing depends on earlier steps.

    Parameters
    ----------
    optimizer : BayesianOptimizer
    rng : Generator
    seen, strategy, lie
        As for `OptimizerModel._proposed`.
    terms : list
        Terms of the score besides the gain: the probabilities that constraints hold.
    """

    def __init__(self, optimizer, rng, seen, strategy, lie, terms):
        self.optimizer, self.rng, self.seen, self.strategy, self.lie = optimizer, rng, seen, strategy, lie
        self.terms = terms
        self.model = optimizer._fitted()[0][0]
        self.done = optimizer._done()
        self.pending = [trial for trial in optimizer.trials if trial.status == PENDING]
        self.X, self.y = optimizer._columns(self.done), optimizer._given_values(self.done)[:, 0]
        self.feasible = np.array([trial.feasible for trial in self.done])
        self.edges = Edges(optimizer.space)

    def proposal(self):
        """The next position, or None if the space is exhausted, and the score that it maximises."""
        valleys = self._valleys(self.model, self.feasible)
        others = [valley for valley in valleys[1:] if valley.deep]
        candidate = self._without(others, self.edges)
        if candidate is None:  # few points so far
            others, candidate = [], self._without([], self.edges)
        if valleys and valleys[0].searched(candidate.log_gain):
            if valleys[0].left or len(self.optimizer.trials) % REFINE_EVERY == 0:
                candidate = self._without(others)
            else:
                candidate = self._elsewhere(valleys[0]) or candidate
        return candidate.position, candidate.total

    def _elsewhere(self, searched):
        """The best position outside the best valley, and outside the next best if that has been searched, too."""
        best, left_out = None, [searched]
        while len(left_out) <= MAX_LEFT_OUT:
            other = self._without(left_out, self.edges)
            if other is None:
                break
            best = other
            inner = self._valleys(best.surrogate, best.usable)
            if not inner or not inner[0].searched(best.log_gain):
                break
            left_out = [*left_out, inner[0]]
        return best

    def _valleys(self, surrogate, usable):
        level = self.model.warp.centre  # which no power moves
        return find_valleys(surrogate, self.X, surrogate.warp(self.y), level, usable)

    def _without(self, valleys, *added):
        """The best position by a model without the points of some valleys; None if too few points are left."""
        outside = np.ones(len(self.y), dtype=bool)
        for valley in valleys:
            outside &= ~valley.members
        if (valleys and outside.sum() < MIN_POINTS) or not self.feasible[outside].any():
            return None
        X, feasible, space = self.X[outside], self.feasible[outside], self.optimizer.space
        model = Surrogate(X, self.y[outside], noise=False, warp=self.model.warp) if valleys else self.model
        Y = model.warp(self.y[outside])[:, None]
        gain = self.optimizer._gain(self.rng, [model], X, Y, feasible, self.pending, self.strategy, self.lie)
        centres = self.X[[valley.best for valley in valleys]]
        radii = np.array([valley.radius for valley in valleys])
        total = Total(space, [*self.terms, *added, Outside(centres, radii[:, None] * self.model.lengths), gain])
        leaders = self.optimizer._leaders([trial for trial, stays in zip(self.done, outside) if stays], Y, feasible)
        position = best_position(space, total, leaders, self.seen, self.rng)
        log_gain = np.inf if position is None else float(gain.score(space.columns(position[None]))[0])
        return ValleyCandidate(position, total, model, outside & self.feasible, log_gain)
