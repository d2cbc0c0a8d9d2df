"""What a comparison knows of its models while it runs: results, costs, and who leads."""

from dataclasses import dataclass, replace

import numpy as np

from statlearn._math.inference import standard_error
from statlearn.app.compare.fitting import ALL_ROWS, Record
from statlearn.app.compare.tuning import Effort, n_settings, tunes_by_model

COST_POWER = 1.0  # how the cost of a fit grows with the rows, where it is not measured; empirical like the next ones
NEAR = 0.15  # of the way from the leader to the baseline: a finalist is no further behind on a sample
ENOUGH_VOTES = 3  # folds whose settings are a better guide than another inner split
CLEARLY = 3.0  # standard errors behind the leader at which a finalist is not followed further


@dataclass(frozen=True)
class Sample:
    """What is known of a model from a fit to a sample of the rows."""

    rows: int
    score: float  # by the metric of the comparison, on (some) test rows of the first fold
    one_fit: float  # seconds of a fit with given settings
    predict_seconds: float


class Known:
    """Results of the units of work so far.

    Nothing that was measured is discarded: `samples` holds what is known of models not fitted to all rows.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem):
        self.problem = problem
        self.records: dict[tuple[str, int], Record] = {}
        self.samples: dict[str, list[Sample]] = {}  # smallest first
        self.dropped: dict[str, Record] = {}  # models that failed, or that are too slow to be followed further
        self.slower: dict[str, float] = {}  # how many times longer than expected a stopped fit took, at least
        self.plan: dict[str, Effort] = {}  # of the finalists of a race
        self.baseline = next(n for n, c in problem.candidates.items() if c.space.complexity == 0)

    def cost(self, name, effort):
        """Seconds that a unit will take, from the costs that were measured."""
        n = effort.rows or len(self.problem.folds[0][0])
        space = self.problem.candidates[name].space
        known = [r for (model, fold), r in list(self.records.items()) if model == name and fold >= 0]
        if known and effort.rows is None:
            fits = [r.fit_seconds if effort.settings is None else r.last_fit_seconds for r in known]
            return float(np.mean(fits) + np.mean([r.predict_seconds for r in known]))
        samples = self.samples.get(name)
        if not samples:
            return np.inf
        last, power = samples[-1], COST_POWER
        if len(samples) > 1:
            before = samples[-2]
            slope = np.log(max(last.one_fit, 1e-6) / max(before.one_fit, 1e-6)) / np.log(last.rows / before.rows)
            power = float(np.clip(slope, 0.6, 2.0))  # short times are measured badly
        whole = last.one_fit * (n / last.rows) ** power
        points = n_settings(space, self.problem.search)
        if points > 1 and effort.inner_folds and effort.settings is None:
            tuning = min(effort.tuning_rows or n, n)
            trial = last.one_fit * space.trial_share
            whole += points * effort.inner_folds * trial * (0.8 * tuning / last.rows) ** power
        return whole * self.slower.get(name, 1.0) + last.predict_seconds

    def was_stopped(self, name, effort, seconds):
        """Remember that a fit to a sample was stopped: the model stays in the race, but costs more than it seemed."""
        expected = self.cost(name, effort) / self.slower.get(name, 1.0)
        self.slower[name] = max(self.slower.get(name, 1.0), seconds / max(expected, 1e-6))

    def final_effort(self, name, effort):
        """The effort of the fit on all rows: where folds were tuned in a hurry, they vote for its settings.

        The median is taken of one parameter whose values are ordered, the most frequent choice of several parameters.
        """
        space = self.problem.candidates[name].space
        grid = {} if tunes_by_model(space, self.problem.search) else space.grid
        votes = [
            tuple(record.settings.get(key) for key in grid)
            for (model, fold), record in list(self.records.items())
            if model == name and fold >= 0 and record.tuning_rows != 0
        ]
        if not grid or not effort.hurried or len(votes) < ENOUGH_VOTES:
            return effort
        if len(grid) == 1:
            order = list(next(iter(grid.values())))
            votes.sort(key=lambda vote: order.index(vote[0]) if vote[0] in order else len(order))
            return replace(effort, settings=dict(zip(grid, votes[(len(votes) - 1) // 2])))
        return replace(effort, settings=dict(zip(grid, max(votes, key=votes.count))))

    def by_promise(self, names):
        """Best first: what reached more rows comes before what did not, then the loss there."""
        metric = self.problem.metric

        def key(name):
            full = [r for (model, fold), r in list(self.records.items()) if model == name and fold >= 0]
            samples = self.samples.get(name, [])
            if not full and not samples:
                return (1, 0, 0.0)
            score = full[0].scores.get(metric.name, np.nan) if full else samples[-1].score
            loss = -score if metric.greater_is_better else score
            reached = np.inf if full else samples[-1].rows
            return (0, -reached, loss if np.isfinite(loss) else np.inf)

        return sorted(names, key=key)

    def is_near(self, name, leader):
        """Whether a model was not far behind the leader on the largest sample that both were fitted to."""
        if name == leader:
            return True
        sign = -1.0 if self.problem.metric.greater_is_better else 1.0
        known = {sample.rows: sign * sample.score for sample in self.samples.get(leader, ())}
        both = [(known[s.rows], sign * s.score) for s in self.samples.get(name, ()) if s.rows in known]
        floor = self.samples.get(self.baseline)
        if not both or not floor:
            return True
        best, own = both[-1]
        return own - best <= NEAR * max(sign * floor[0].score - best, 0.0)

    def table(self):
        """Losses of the models with results on whole folds, one column per fold, NaN where there is none."""
        metric = self.problem.metric
        table = {}
        for (name, fold), record in list(self.records.items()):
            if fold >= 0 and not self.has_failed(name):
                row = table.setdefault(name, np.full(len(self.problem.folds), np.nan))
                row[fold] = metric.additive(record.scores.get(metric.name, np.nan))
        return table

    def has_failed(self, name):
        """Whether a fit of the model ended with an error."""
        return name in self.dropped and self.dropped[name].status == "failed"

    def leader(self):
        """The model that is ahead on whole folds, or None."""
        from statlearn.app.compare.ranking import leading

        table = self.table()
        names = [name for name in table if name != self.baseline]
        first = leading(np.array([table[name] for name in names]), np.ones(len(names), bool)) if names else None
        return None if first is None else names[first]

    def best_so_far(self):
        """The models with two finished folds or more, the best first."""
        from statlearn.app.compare.ranking import paired_means

        table = {n: row for n, row in self.table().items() if n != self.baseline and np.isfinite(row).sum() >= 2}
        names = [name for name in table if name not in self.dropped and name in self.plan]
        if not names:
            return []
        return [names[k] for k in np.argsort(paired_means(np.array([table[name] for name in names])), kind="stable")]

    def in_the_stack(self, most, folds):
        """Those of the best models that have weight in a stack of them on these folds."""
        from statlearn.app.compare.stack import useful_members

        return useful_members(self.problem, self.records, self.best_so_far()[:most], folds)

    def in_the_running(self, names):
        """Models that are not clearly behind the leader on the folds that both have finished."""
        table, leader = self.table(), self.leader()
        if leader is None:
            return names
        kept = []
        for name in names:
            gaps = table.get(name, np.full(1, np.nan)) - table[leader]
            gaps = gaps[np.isfinite(gaps)]
            if name == leader or len(gaps) < 2 or gaps.mean() <= CLEARLY * standard_error(gaps):
                kept.append(name)
        return kept

    def add_sample(self, record, effort):
        """Remember a fit to a sample of the rows."""
        rows = record.rows or len(self.problem.folds[0][0])
        space = self.problem.candidates[record.model].space
        points = n_settings(space, self.problem.search)
        fits = 1.0
        if points > 1 and effort.inner_folds:
            share = min((effort.tuning_rows or rows) / rows, 1.0)
            fits += 0.75 * space.trial_share * points * effort.inner_folds * share
        score = record.scores.get(self.problem.metric.name, np.nan)
        sample = Sample(rows, score, record.fit_seconds / fits, record.predict_seconds)
        self.samples.setdefault(record.model, []).append(sample)

    def finished(self, *, early):
        """Names of the models with two finished folds or more, and the folds that any beside the baseline has finished.

        Models that failed on a fold are not among them. There are none where only the baseline would be left because
        the work ended early, or where the leading model was not fitted on all rows.

        Parameters
        ----------
        early : bool
            Whether the work ended early.

        Returns
        -------
        names : list of str
        folds : ndarray of int
        """
        folds = {
            name: {fold for fold in range(len(self.problem.folds)) if (name, fold) in self.records}
            for name in self.problem.candidates
            if not self.has_failed(name)
        }
        folds = {name: done for name, done in folds.items() if len(done) >= 2}
        leader = self.leader()
        if leader is not None and (leader, ALL_ROWS) not in self.records:  # what leads cannot be shown as behind
            return [], np.empty(0, int)
        if leader is None and (early or self.baseline not in folds):
            return [], np.empty(0, int)
        judged = [done for name, done in folds.items() if name != self.baseline] or list(folds.values())
        return list(folds), np.array(sorted(set().union(*judged)), int)
