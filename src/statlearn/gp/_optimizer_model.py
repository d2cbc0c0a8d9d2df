"""What an optimiser knows about its objectives and constraints, and the next point that it makes of it."""

import numpy as np

from ._batch_acquisition import best_joint_position
from ._pareto_front import non_dominated, reference_point, scalarized
from ._proposal import Feasibility, Gain, HypervolumeGain, Total, best_position
from ._surrogate import Surrogate
from ._trials import DONE, FAILED, PENDING
from ._valleys import Edges, Outside, find_valleys
from ._warp import Warp

LEADERS = 5  # best points so far around which candidates are drawn
REFINE = 4  # one of so many proposals refines the best valley, also after it has been searched
LEVELS = 2  # searched valleys that are left out, at most
FEWEST = 4  # points that a model needs after they have been


class OptimizerModel:
    """The part of `BayesianOptimizer` that models the trials and proposes points."""

    def _done(self):
        return [trial for trial in self.trials if trial.status == DONE]

    def _given_values(self, trials):
        """Values of the objectives, one column each; smaller is better."""
        return np.array([trial.values for trial in trials]).reshape(len(trials), self.n_objectives) * self._sign

    def _warp(self):
        """The map of a single objective to the scale of its model."""
        return self._fitted()[0][0].warp

    def _values(self, trials):
        """Values as they are modelled, one column per objective."""
        Y = self._given_values(trials)
        return self._warp()(Y) if self.n_objectives == 1 else Y

    def _columns(self, trials):
        positions = np.array([trial.position for trial in trials]).reshape(len(trials), len(self.space))
        return self.space.columns(positions)

    def _fitted(self):
        """Models of the objectives, of the constraints and of failures, for all values told so far."""
        if self._models is None:
            done = self._done()
            failed = [trial for trial in self.trials if trial.status == FAILED]
            X = self._columns(done)
            Y = self._given_values(done)
            warp = Warp(Y[: self.n_initial, 0]) if self.n_objectives == 1 else None
            objectives = [Surrogate(X, y, noise=self.noise, warp=warp) for y in Y.T]
            C = np.array([trial.constraints for trial in done]).reshape(len(done), self.n_constraints)
            constraints = [Surrogate(X, C[:, k], noise=self.noise) for k in range(self.n_constraints)]
            failures = None
            if failed:
                labels = np.r_[-np.ones(len(done)), np.ones(len(failed))]
                Z = np.concatenate([X, self._columns(failed)])
                failures = Surrogate(Z, labels, noise=True, scale=(0.0, 1.0), level=False)
            self._models = objectives, constraints, failures
        return self._models

    def _proposed(self, rng, seen, strategy, lie):
        """The next position, or None if the space is exhausted, and the score that it maximises.

        The score is None for joint improvements.
        """
        objectives, constraints, failures = self._fitted()
        done, pending = self._done(), [trial for trial in self.trials if trial.status == PENDING]
        X, Y = self._columns(done), self._values(done)
        feasible = np.array([trial.feasible for trial in done])
        terms: list = [Feasibility(model) for model in constraints]
        if failures is not None:
            terms.append(Feasibility(failures))
        if feasible.any():
            if strategy == "q_ei" and pending:
                best = self._bar(objectives[0], X[feasible], Y[feasible, 0])
                leaders = self._leaders(done, Y, feasible)
                waiting = self._columns(pending)
                return best_joint_position(self.space, objectives[0], waiting, best, terms, leaders, seen, rng), None
            if not self.noise and self.acquisition in ("log_ei", "ei"):
                return self._proposed_by_valleys(rng, seen, strategy, lie, terms)
            terms.append(self._gain(rng, objectives, X, Y, feasible, pending, strategy, lie))
        total = Total(self.space, terms)
        return best_position(self.space, total, self._leaders(done, Y, feasible), seen, rng), total

    def _proposed_by_valleys(self, rng, seen, strategy, lie, terms):
        """The same for exact values of one objective: when the best valley has been searched, search without it.

        A model of all points takes the length scales of the valley in which most of them lie, and seems to know other
        regions. Points of searched valleys are therefore left out of the model, and the proposal is kept away from
        them. The valleys are found again in each step, so that nothing depends on earlier steps.
        """
        model = self._fitted()[0][0]
        done, pending = self._done(), [trial for trial in self.trials if trial.status == PENDING]
        X, y = self._columns(done), self._given_values(done)[:, 0]
        feasible = np.array([trial.feasible for trial in done])
        level = model.warp.centre  # which no power moves

        def without(valleys, *added):
            kept = ~np.any([valley.members for valley in valleys], axis=0) if valleys else np.ones(len(y), dtype=bool)
            if (valleys and kept.sum() < FEWEST) or not feasible[kept].any():
                return None
            own = Surrogate(X[kept], y[kept], noise=False, warp=model.warp) if valleys else model
            Y = own.warp(y[kept])[:, None]
            gain = self._gain(rng, [own], X[kept], Y, feasible[kept], pending, strategy, lie)
            centres, radii = X[[valley.best for valley in valleys]], np.array([valley.radius for valley in valleys])
            away = Outside(centres, radii[:, None] * model.lengths)
            total = Total(self.space, [*terms, *added, away, gain])
            leaders = self._leaders([trial for trial, stays in zip(done, kept) if stays], Y, feasible[kept])
            position = best_position(self.space, total, leaders, seen, rng)
            scores = [np.inf] if position is None else gain.score(self.space.columns(position[None]))
            return position, total, own, kept & feasible, float(scores[0])

        valleys = find_valleys(model, X, model.warp(y), level, feasible)
        others, edges = [valley for valley in valleys[1:] if valley.deep], Edges(self.space)
        found = without(others, edges)
        if found is None:  # few points so far
            others, found = [], without([], edges)
        if not valleys or not valleys[0].searched(found[-1]):
            return found[:2]
        if valleys[0].left or len(self.trials) % REFINE == 0:
            return without(others)[:2]
        left = valleys[:1]
        for _ in range(LEVELS):
            other = without(left, edges)
            if other is None:
                break
            found = other
            _, _, own, usable, log_gain = found
            inner = find_valleys(own, X, own.warp(y), level, usable)
            if not inner or not inner[0].searched(log_gain):
                break
            left = [*left, inner[0]]
        return found[:2]

    def _gain(self, rng, objectives, X, Y, feasible, pending, strategy, lie):
        """The term of the acquisition that belongs to the objectives."""
        warp = objectives[0].warp
        if self.acquisition == "parego":
            goal = scalarized(Y, rng)
            objectives, Y = [Surrogate(X, goal, noise=self.noise)], goal[:, None]
        failed = [trial for trial in self.trials if trial.status == FAILED]
        Z = np.concatenate([X, self._columns(failed), self._columns(pending)])
        if len(Z) > len(X):
            # Nothing more is to be learned at failed points, so they are given their predicted means.
            blind, waiting = Z[len(X) : len(X) + len(failed)], Z[len(X) + len(failed) :]
            lies = self._lies(objectives, Y, waiting, strategy, lie)
            Y = np.concatenate([Y, self._lies(objectives, Y, blind, "kriging_believer", None), lies])
            feasible = np.r_[feasible, np.zeros(len(Z) - len(X), dtype=bool)]
            objectives = [model.conditioned(Z, Y[:, k]) for k, model in enumerate(objectives)]
        if self.acquisition == "ehvi":
            front = np.stack([model.predict(Z[feasible])[0] for model in objectives], 1) if self.noise else Y[feasible]
            front = non_dominated(front)
            reference = reference_point(front) if self.reference is None else self.reference * self._sign
            return HypervolumeGain(objectives, front, reference)
        kind = "log_ei" if self.acquisition == "parego" else self.acquisition
        bar = self._bar(objectives[0], Z[feasible], Y[feasible, 0])
        if warp is not None and self.xi:
            bar = float(warp(warp.inverse(bar) - self.xi))
        return Gain(objectives[0], bar, kind, self.kappa)

    def _bar(self, model, X, y):
        """The value to improve on."""
        return float(model.predict(X)[0].min()) if self.noise else float(y.min())

    def _lies(self, objectives, Y, X, strategy, lie):
        if strategy == "kriging_believer" or not len(X):
            return np.stack([model.predict(X)[0] for model in objectives], axis=1)
        if lie == "mean":
            values = Y.mean(axis=0)
        elif lie is None or self.acquisition == "parego":
            values = Y.min(axis=0)  # the best: the signs are such that smaller is better
        else:
            signs = self._sign
            values = (Y * signs).min(axis=0) * signs if lie == "min" else (Y * signs).max(axis=0) * signs
        return np.tile(values, (len(X), 1))

    def _leaders(self, done, Y, feasible):
        positions = np.array([trial.position for trial in done])
        rank = Y.sum(axis=1) if self.n_objectives == 1 else ((Y - Y.mean(0)) / np.maximum(Y.std(0), 1e-300)).min(axis=1)
        order = np.lexsort((rank, ~feasible))
        return positions[order[:LEADERS]]
