"""Evaluation of an objective at proposed points: one after the other, or several at a time."""

import math
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from ._trials import DONE, FAILED


class Evaluator:
    """Runs an objective for an optimiser until a limit is reached.

    Parameters
    ----------
    optimizer : BayesianOptimizer
    objective : callable
    limit : float
        Number of evaluations of the study.
    timeout : float or None
        Seconds after which no evaluation is begun.
    callback : callable or None
    """

    def __init__(self, optimizer, objective, limit, timeout, callback):
        self.optimizer, self.objective, self.limit, self.callback = optimizer, objective, limit, callback
        self.deadline = math.inf if timeout is None else time.monotonic() + timeout
        self.patience = max(5, optimizer.n_initial)  # failures before the first value
        self.stopped = False

    def run(self, n_jobs, executor):
        if executor is None and n_jobs == 1:
            while self._goes_on(0):
                point = self._next()
                if point is None:
                    return
                self._take(point, _attempt(self.objective, point))
        elif executor is None:
            with ThreadPoolExecutor(n_jobs) as pool:
                self._run_many(pool, n_jobs)
        else:
            self._run_many(executor, n_jobs if n_jobs > 1 else getattr(executor, "_max_workers", 1))

    def _run_many(self, pool, n_jobs):
        running: dict = {}
        while True:
            while len(running) < n_jobs and self._goes_on(len(running)):
                point = self._next()
                if point is None:
                    self.stopped = True
                    break
                running[pool.submit(_attempt, self.objective, point)] = point
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                self._take(running.pop(future), future.result())

    def _goes_on(self, n_running):
        finished = sum(trial.status in (DONE, FAILED) for trial in self.optimizer.trials)
        return not self.stopped and finished + n_running < self.limit and time.monotonic() < self.deadline

    def _next(self):
        from ._bayesian_optimizer import SpaceExhausted

        try:
            return self.optimizer.ask()
        except SpaceExhausted:
            return None

    def _take(self, point, outcome):
        result, error = outcome
        optimizer = self.optimizer
        if error is not None:
            trial = optimizer.tell(point, error=f"{type(error).__name__}: {error}")
        elif optimizer.n_constraints:
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise ValueError(
                    "`objective` must return the value and the list of the constraints' values, because "
                    f"`n_constraints` is {optimizer.n_constraints}; got {result!r}."
                )
            trial = optimizer.tell(point, result[0], result[1])
        else:
            trial = optimizer.tell(point, result)
        self._check_failures(error, trial)
        if self.callback is not None and self.callback(optimizer, trial) is True:
            self.stopped = True

    def _check_failures(self, error, trial):
        """Stop a study in which all evaluations fail."""
        trials = self.optimizer.trials
        failed = sum(each.status == FAILED for each in trials)
        if trial.status == FAILED and failed >= self.patience and not any(each.status == DONE for each in trials):
            raise RuntimeError(f"The first {failed} evaluations failed, the last one with: {trial.error}") from error


def _attempt(objective, point):
    """Value or error of one evaluation."""
    try:
        return objective(point), None
    except Exception as error:  # whatever the user's function raises is a failed evaluation
        return None, error
