"""Models of the objectives and constraints of an optimiser, and the choice of its next point."""

import numpy as np

from ._batch_acquisition import best_joint_position
from ._pareto_front import non_dominated, reference_point, scalarized
from ._proposal import Feasibility, Gain, HypervolumeGain, Total, best_position
from ._surrogate import Surrogate
from ._trials import DONE, FAILED, PENDING
from ._valley_search import ValleySearch
from ._warp import Warp

LEADERS = 5  # best points so far around which candidates are drawn


class OptimizerModel:
    """The part of `BayesianOptimizer` that models the trials and proposes points."""

    def _done(self):
        return [trial for trial in self.trials if trial.status == DONE]

    def _feasible(self):
        """Feasible trials; an error if there are none."""
        feasible = [trial for trial in self.trials if trial.feasible]
        if not feasible:
            raise ValueError("No feasible point has been evaluated yet.")
        return feasible

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
        """Models of the objectives, of the constraints and of failures, for all values observed so far."""
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
                return ValleySearch(self, rng, seen, strategy, lie, terms).proposal()
            terms.append(self._gain(rng, objectives, X, Y, feasible, pending, strategy, lie))
        total = Total(self.space, terms)
        return best_position(self.space, total, self._leaders(done, Y, feasible), seen, rng), total

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
        """Value to be improved on."""
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
