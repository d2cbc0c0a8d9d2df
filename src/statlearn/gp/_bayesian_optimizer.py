"""Bayesian optimisation of expensive functions, with an ask/tell interface and studies on disk."""

import math
import numbers
import time
from collections.abc import Mapping

import numpy as np

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Instance, Int, Options, check_arguments
from statlearn._core.params import Real as RealRule

from ._evaluation import Evaluator
from ._optimizer_model import OptimizerModel
from ._optimizer_plots import OptimizerPlots
from ._pareto_front import non_dominated
from ._proposal import Total, best_position
from ._space import Space, key_of
from ._study_log import StudyLog
from ._trials import DONE, FAILED, PENDING, WAITING, Trial

DESIGNS = ("sobol", "lhs", "halton", "random")
ACQUISITIONS = ("log_ei", "ei", "pi", "lcb", "ehvi", "parego")
STRATEGIES = ("constant_liar", "kriging_believer", "q_ei")
LARGEST = 1e100  # of an objective, in absolute size: squares of its values are computed


class SpaceExhausted(ValueError):
    """Every point of a finite search space has been evaluated."""


class BayesianOptimizer(StudyLog, OptimizerModel, OptimizerPlots):
    r"""Bayesian optimisation of an expensive function.

    After an initial design, a Gaussian process with a Matern 5/2 kernel and one length scale per coordinate is fitted
    to all values, and the next point maximises an acquisition function of its predictions. Use it for functions that
    take seconds or more: where evaluations are cheap, gradients are known or thousands of evaluations are possible,
    other methods are better.

    Parameters
    ----------
    space : dict, list or Space
        Dimensions of the search; see `Space` for the short forms. ``{"C": Real(1e-3, 1e3, "log-uniform"), "degree": (1,
        5), "kernel": ["poly", "rbf"]}``.
    n_initial : int or None, default=None
        Number of points before the model takes over, `initial_points` and points that were told without being asked
        included; None means twice the number of dimensions, between 4 and 20.
    design : {"sobol", "lhs", "halton", "random"}, default="sobol"
        Initial design: scrambled Sobol or Halton points, the best of several Latin hypercubes, or independent draws.
    acquisition : {"log_ei", "ei", "pi", "lcb", "ehvi", "parego"} or None, default=None
        What the next point maximises. None means "log_ei" for one objective, "ehvi" (exact expected hypervolume
        improvement) for two, and "parego" (improvement of a random weighting) for more. "ei" is maximised through its
        logarithm and gives the same points as "log_ei".
    xi : float, default=0.0
        Smallest improvement that counts for "ei" and "pi", in the unit of the objective.
    kappa : float, default=1.96
        Number of standard deviations of "lcb".
    maximize : bool or list of bool, default=False
        Whether larger values are better, for all objectives or for each.
    n_objectives : int, default=1
        Number of values that the function returns.
    n_constraints : int, default=0
        Number of constraints that are evaluated with the function. A point is feasible if all of their values are at
        most 0. They are modelled by Gaussian processes too, and the improvement is multiplied by the probability
        that they hold.
    noise : bool, default=True
        Whether the function may be noisy. The noise variance is then estimated, and improvements are measured from
        the best predicted mean. If False, values are treated as exact.
    reference : array-like of shape (2,) or None, default=None
        Reference point of the hypervolume, in the units of the objectives. None uses the worst values of the front,
        moved away by a tenth of its range.
    initial_points : list of points or None, default=None
        Points to be evaluated first, such as the current settings.
    study : str, path or None, default=None
        File that receives every step. If it exists, the study continues where it ended.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    trials : list of Trial
        All points so far with their values and states.
    best_point, best_value : dict or list, and float
        Best feasible point and its value. For noisy functions it is the point with the best predicted mean.
    pareto_trials : list of Trial
        Feasible trials that no other feasible trial dominates, for several objectives.

    Notes
    -----
    Every proposal depends on the seed, its number and the told values only. A study that was killed and opened again
    proposes the same points as one that was not.

    The length scales, the variance and the noise maximise the marginal likelihood times log-normal priors. The prior of
    the length scales grows with the root of the number of dimensions [1]_, which keeps the model from explaining
    the first few values by noise or by chance. The mean of the process is estimated by generalised least squares. Good
    points that lie close together then count little, and empty regions are expected to have ordinary values, not good
    ones.

    The values of a single objective are modelled on a transformed scale (warped Gaussian process [5]_): Yeo and
    Johnson's power transformation [6]_ about the median of the initial design. Its power, between 0 and 2, maximises
    the same likelihood times a normal prior with mean 1 (no transformation) and standard deviation 0.5. A few very bad
    settings, such as a diverging learning rate, then do not hide the differences between good ones, and a function
    that is flat except for a few deep valleys looks more like a draw from the process. Expected improvements are those
    on this scale.

    A single model of all points adopts the length scales of the valley in which most of them lie, and is then too
    certain about other regions. If the values are exact (``noise=False``) and "log_ei" or "ei" is maximised, the search
    therefore moves on when another point in the best valley is expected to gain less than 0.5 % of its depth. The
    points of that valley are left out of the model, and the search elsewhere gets as many evaluations as the first one
    took. Every fourth proposal still refines the best valley. In several dimensions, points near the faces of the space
    also score slightly lower. Noisy values are always modelled together. If a valley may be narrow, compare runs with
    different seeds, or pass points of other regions as `initial_points`.

    A function that raises an error or returns NaN is recorded as failed. The point is not proposed again, and the
    improvement is multiplied by the probability of success, from a Gaussian process fitted to successes and failures.

    Cost per step: :math:`O(n^3)` for n evaluations, about a tenth of a second for n = 60 in six dimensions.

    References
    ----------
    .. [1] Hvarfner, C., Hellsten, E. & Nardi, L. (2024). Vanilla Bayesian optimization performs great in high
       dimensions. ICML 41.
    .. [2] Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian optimization. NeurIPS
       36.
    .. [3] Ginsbourger, D., Le Riche, R. & Carraro, L. (2010). Kriging is well-suited to parallelize optimization.
       Computational Intelligence in Expensive Optimization Problems, 131-162.
    .. [4] Knowles, J. (2006). ParEGO: a hybrid algorithm with on-line landscape approximation for expensive
       multiobjective optimization problems. IEEE Transactions on Evolutionary Computation 10, 50-66.
    .. [5] Snelson, E., Rasmussen, C. & Ghahramani, Z. (2004). Warped Gaussian processes. NIPS 16.
    .. [6] Yeo, I.-K. & Johnson, R. (2000). A new family of power transformations to improve normality or symmetry.
       Biometrika 87, 954-959.

    Examples
    --------
    >>> from statlearn.gp import BayesianOptimizer
    >>> optimizer = BayesianOptimizer({"x": (-5.0, 5.0), "y": (-5.0, 5.0)}, random_state=0)
    >>> result = optimizer.optimize(lambda p: (p["x"] - 1) ** 2 + (p["y"] + 2) ** 2, n_trials=20)
    >>> {name: round(value, 1) for name, value in optimizer.best_point.items()}
    {'x': 1.0, 'y': -2.0}

    Step by step, with evaluations anywhere:

    >>> optimizer = BayesianOptimizer([(0.0, 1.0)], n_initial=2, random_state=0)
    >>> for _ in range(8):
    ...     point = optimizer.ask()
    ...     trial = optimizer.tell(point, (point[0] - 0.3) ** 2)
    >>> round(optimizer.best_point[0], 1)
    0.3
    """

    def __init__(
        self,
        space,
        *,
        n_initial=None,
        design="sobol",
        acquisition=None,
        xi=0.0,
        kappa=1.96,
        maximize=False,
        n_objectives=1,
        n_constraints=0,
        noise=True,
        reference=None,
        initial_points=None,
        study=None,
        random_state=None,
    ):
        check_arguments(
            "BayesianOptimizer",
            n_initial=(n_initial, [Int(1, None), None]),
            design=(design, [Options(*DESIGNS)]),
            acquisition=(acquisition, [Options(*ACQUISITIONS), None]),
            xi=(xi, [RealRule(0, None)]),
            kappa=(kappa, [RealRule(0, None)]),
            maximize=(maximize, ["boolean", Instance(list, tuple)]),
            n_objectives=(n_objectives, [Int(1, None)]),
            n_constraints=(n_constraints, [Int(0, None)]),
            noise=(noise, ["boolean"]),
            random_state=(random_state, ["random_state"]),
        )
        self.space = space if isinstance(space, Space) else Space(space)
        d = len(self.space)
        self.n_initial = min(max(2 * d, 4), 20) if n_initial is None else int(n_initial)
        self.design, self.xi, self.kappa, self.noise = design, float(xi), float(kappa), bool(noise)
        self.n_objectives, self.n_constraints = int(n_objectives), int(n_constraints)
        self.acquisition = _acquisition(acquisition, self.n_objectives)
        self.maximize = maximize
        self._sign = _signs(maximize, self.n_objectives)
        self.reference = _reference(reference, self.n_objectives)
        self._given = [self.space.positions(point) for point in (initial_points or [])]
        self.trials: list[Trial] = []
        self._asked: dict[int, float] = {}  # when each pending trial was asked
        self._models: tuple | None = None
        self.study = None if study is None else str(study)
        self._seed = _seed(random_state)
        self._journal = None
        if study is not None:
            self._open(study)

    # Ask and tell.

    def ask(self, n_points=None, *, strategy="constant_liar", lie=None):
        """Next point or points to evaluate.

        Points that were asked and not told yet are pending: later proposals take account of them, so evaluations may
        run in parallel and be told in any order.

        Parameters
        ----------
        n_points : int or None, default=None
            Number of points; None asks for one and returns it without a list.
        strategy : {"constant_liar", "kriging_believer", "q_ei"}, default="constant_liar"
            How pending points count. "constant_liar" pretends that they returned `lie`; "kriging_believer" that they
            returned their predicted means; "q_ei" maximises the joint expected improvement of pending and new points,
            one point at a time (one objective only). The pretended values are dropped when the real ones arrive.
        lie : {"min", "max", "mean"} or None, default=None
            Pretended value of "constant_liar", taken over the values so far. None means the best one: "min", or "max"
            if the objective is maximised.

        Returns
        -------
        point : dict or list, or a list of them
        """
        check_arguments(
            "ask",
            n_points=(n_points, [Int(1, None), None]),
            strategy=(strategy, [Options(*STRATEGIES)]),
            lie=(lie, [Options("min", "max", "mean"), None]),
        )
        if strategy == "q_ei" and self.n_objectives > 1:
            raise ValueError("`strategy`='q_ei' supports a single objective; use 'constant_liar'.")
        points: list = []
        for _ in range(n_points or 1):
            try:
                points.append(self._ask_one(strategy, lie).point)
            except SpaceExhausted:
                if not points:
                    raise
                break
        return points[0] if n_points is None else points

    def _ask_one(self, strategy, lie):
        waiting = next((trial for trial in self.trials if trial.status == WAITING), None)
        if waiting is not None:
            waiting.status = PENDING
            self._asked[waiting.number] = time.monotonic()
            return waiting
        number = len(self.trials)
        with single_blas_thread():  # many small products, with the same bits for any number of threads
            position, origin = self._next_position(number, strategy, lie)
        point = self.space.point(position)
        trial = Trial(number, point, self.space.positions(point), origin=origin)
        self._write({"trial": number, "x": self._to_stored(point), "origin": origin})
        self.trials.append(trial)
        self._asked[number] = time.monotonic()
        return trial

    def _next_position(self, number, strategy, lie):
        rng = np.random.default_rng([self._seed, 1, number])
        seen = self._seen()
        if number < len(self._given):
            return self._given[number], "given"
        done = sum(trial.status == DONE for trial in self.trials)
        if number < self.n_initial or done < 2:
            position = self._designed(sum(trial.origin == "design" for trial in self.trials))
            if key_of(position) not in seen or (self.noise and len(seen) >= self.space.size):
                return position, "design"
            total = Total(self.space, [_Anything()])
            position = best_position(self.space, total, np.empty((0, len(self.space))), seen, rng)
            if position is not None:
                return position, "design"
        position, _ = self._proposed(rng, seen, strategy, lie)
        if position is None:
            raise SpaceExhausted(f"All {self.space.size:.0f} points of the space have been evaluated.")
        return position, "model"

    def _designed(self, k):
        size = max(self.n_initial, 1)
        block, place = divmod(k, size)
        return self.space.design(size, self.design, np.random.default_rng([self._seed, 0, block]))[place]

    def _seen(self):
        """Points that must not be proposed: failed, pending and, without noise, evaluated ones."""
        finite = math.isfinite(self.space.size)
        recorded = [trial for trial in self.trials if trial.status == FAILED or not (self.noise and finite)]
        seen = {key_of(trial.position) for trial in recorded}
        if self.noise and finite:
            # A repeated evaluation of a noisy function is informative once everything else has been tried.
            known = {key_of(trial.position) for trial in self.trials}
            seen = known if len(known) < self.space.size else seen
        return seen

    def tell(self, point, value=None, constraints=None, *, error=None):
        """Report the value of a point.

        Parameters
        ----------
        point : dict or list
            A point that was asked, or any other point of the space.
        value : float, list of float or None, default=None
            Value of the objective, or one per objective. None, NaN, and values that are infinite or larger than 1e100
            in absolute size mark the point as failed.
        constraints : list of float or None, default=None
            Values of the constraints, at most 0 where they hold.
        error : str or None, default=None
            What went wrong; marks the point as failed.

        Returns
        -------
        trial : Trial
        """
        position = self.space.positions(point)
        values, reason = self._check_values(value, error)
        held, constraint_reason = self._check_constraints(constraints, failed=reason is not None)
        reason = reason or constraint_reason
        trial = self._pending_at(position)
        event: dict = {}
        if trial is None:
            point = self._from_stored(self._to_stored(point))
            trial = Trial(len(self.trials), point, self.space.positions(point), origin="given")
            event = {"x": self._to_stored(point), "origin": "given"}
            self.trials.append(trial)
        asked = self._asked.pop(trial.number, None)
        trial.seconds = None if asked is None else time.monotonic() - asked
        if reason is None:
            trial.status, trial.values, trial.constraints = DONE, values, held
            event |= {"y": values, **({"c": held} if held else {})}
        else:
            trial.status, trial.error = FAILED, reason
            event["error"] = reason
        if trial.seconds is not None:
            event["seconds"] = trial.seconds
        self._models = None
        self._write({"trial": trial.number, **event})
        return trial

    def _check_values(self, value, error):
        if error is not None:
            return [], str(error)
        if value is None:
            return [], "no value"
        values = [value] if isinstance(value, numbers.Real) or np.ndim(value) == 0 else list(np.ravel(value))
        try:
            values = [float(each) for each in values]
        except (TypeError, ValueError):
            raise ValueError(f"`value` must be a number or one number per objective, got {value!r}.") from None
        if len(values) != self.n_objectives:
            raise ValueError(f"`value` must have {self.n_objectives} number(s), got {len(values)}.")
        bad = next((each for each in values if not abs(each) < LARGEST), None)
        return values, None if bad is None else f"the objective is {bad:g}"

    def _check_constraints(self, constraints, *, failed):
        if failed:
            return [], None
        held = [] if constraints is None else [float(each) for each in np.ravel(constraints)]
        if len(held) != self.n_constraints:
            raise ValueError(f"`constraints` must have {self.n_constraints} number(s), got {len(held)}.")
        bad = next((each for each in held if not math.isfinite(each)), None)
        return held, None if bad is None else f"a constraint is {bad}"

    def _pending_at(self, position):
        key = key_of(position)
        for trial in self.trials:
            if trial.status in (PENDING, WAITING) and key_of(trial.position) == key:
                return trial
        return None

    # Results.

    @property
    def best_trial(self):
        """Trial behind `best_point`."""
        if self.n_objectives > 1:
            raise ValueError("Several objectives have no single best point; see `pareto_trials`.")
        feasible = self._feasible()
        values = np.array([trial.values[0] for trial in feasible]) * self._sign[0]
        if self.noise and len(self._done()) >= 2:
            values = self._fitted()[0][0].predict(self._columns(feasible))[0]
        return feasible[int(np.argmin(values))]

    @property
    def best_point(self):
        return self.best_trial.point

    @property
    def best_value(self):
        return self.best_trial.values[0]

    @property
    def pareto_trials(self):
        feasible = [trial for trial in self.trials if trial.feasible]
        if not feasible:
            return []
        values = np.array([trial.values for trial in feasible]) * self._sign
        front = non_dominated(values, indices=True)
        return [feasible[k] for k in front]

    def predict(self, points):
        """Predicted mean and standard deviation of the objectives, without noise.

        A single objective is modelled on a transformed scale (see the notes of the class). Its predictions are medians,
        and half the width of the interval of one standard deviation.

        Parameters
        ----------
        points : list of points

        Returns
        -------
        mean, std : ndarray of shape (n_points,) or (n_points, n_objectives)
        """
        mean, std = self._predicted(points)
        if self.n_objectives > 1:
            return mean * self._sign, std
        mean, std, warp = mean[:, 0], std[:, 0], self._warp()
        return self._sign[0] * warp.inverse(mean), (warp.inverse(mean + std) - warp.inverse(mean - std)) / 2

    def _predicted(self, points):
        """Means and standard deviations on the scale of the models, one column per objective."""
        self._require_model()
        X = self.space.columns(np.array([self.space.positions(point) for point in points]))
        pairs = [model.predict(X) for model in self._fitted()[0]]
        return np.stack([mean for mean, _ in pairs], axis=1), np.sqrt(np.stack([var for _, var in pairs], axis=1))

    def _band(self, points):
        """Ends of the 95 % intervals of a single objective."""
        mean, std = (part[:, 0] for part in self._predicted(points))
        ends = [self._sign[0] * self._warp().inverse(mean + width * std) for width in (-1.96, 1.96)]
        return np.minimum(*ends), np.maximum(*ends)

    def _require_model(self):
        if len(self._done()) < 2:
            raise ValueError("At least two points must have been evaluated.")

    def to_frame(self):
        """All trials as a pandas data frame, one row each.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        names = ["value"] if self.n_objectives == 1 else [f"value{k}" for k in range(self.n_objectives)]
        rows = []
        for trial in self.trials:
            point = trial.point if isinstance(trial.point, Mapping) else dict(zip(self.space.labels(), trial.point))
            values = trial.values or [math.nan] * self.n_objectives
            limits = trial.constraints or [math.nan] * self.n_constraints
            rows.append(
                {"trial": trial.number, **point, **dict(zip(names, values))}
                | {f"constraint{k}": limit for k, limit in enumerate(limits)}
                | {"status": trial.status, "origin": trial.origin, "seconds": trial.seconds, "error": trial.error}
            )
        return pd.DataFrame(rows)

    def __repr__(self):
        done = len(self._done())
        failed = sum(trial.status == FAILED for trial in self.trials)
        return f"BayesianOptimizer({self.space!r}, {done} evaluated" + (f", {failed} failed)" if failed else ")")

    def optimize(self, objective, n_trials=None, *, timeout=None, n_jobs=1, executor=None, callback=None):
        """Evaluate a function at proposed points.

        Parameters
        ----------
        objective : callable
            Function of a point. It returns a number, or one number per objective; with constraints, a tuple of these
            and the list of the constraints' values. An exception or NaN counts as a failure of this point.
        n_trials : int or None, default=None
            Number of evaluations in the study, including those of earlier runs, so that a script that is started again
            completes the study. None means 50 without a `timeout` and no limit with one.
        timeout : float or None, default=None
            Seconds after which no further evaluation is begun.
        n_jobs : int, default=1
            Number of evaluations at a time, in threads.
        executor : concurrent.futures.Executor or None, default=None
            Where to evaluate, for example a ``ProcessPoolExecutor`` for functions in pure Python, which threads do not
            speed up.
        callback : callable or None, default=None
            Called as ``callback(optimizer, trial)`` after each evaluation. The run ends if it returns True.

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If the first evaluations all fail; the last error is its cause.
        """
        check_arguments(
            "optimize",
            objective=(objective, ["callable"]),
            n_trials=(n_trials, [Int(1, None), None]),
            timeout=(timeout, [RealRule(0, None), None]),
            n_jobs=(n_jobs, [Int(1, None)]),
            callback=(callback, ["callable", None]),
        )
        limit = n_trials if n_trials is not None else (50 if timeout is None else math.inf)
        Evaluator(self, objective, limit, timeout, callback).run(n_jobs, executor)
        return self

    def acquisition_values(self, points):
        """Score of points for the next proposal; larger is more promising.

        Parameters
        ----------
        points : list of points

        Returns
        -------
        score : ndarray of shape (n_points,)
            Logarithm of the expected gain on the scale of the model, or minus the bound in standard deviations for
            "lcb", plus the logarithms of the probabilities that constraints hold. For exact values, the model may be
            one without the points of searched valleys, which get low scores (see the notes of the class).
        """
        self._require_model()
        rng = np.random.default_rng([self._seed, 1, len(self.trials)])
        _, total = self._proposed(rng, self._seen(), "constant_liar", None)
        return total.score(np.array([self.space.positions(point) for point in points]))


class _Anything:
    """Acquisition with the same score everywhere."""

    def score(self, X):
        return np.zeros(len(X))

    def score_and_slope(self, X):
        return np.zeros(len(X)), np.zeros(X.shape)


def _acquisition(name, n_objectives):
    if name is None:
        return {1: "log_ei", 2: "ehvi"}.get(n_objectives, "parego")
    if name == "ehvi" and n_objectives != 2:
        raise ValueError(f"`acquisition`='ehvi' needs `n_objectives`=2, got {n_objectives}; use 'parego'.")
    if name in ("log_ei", "ei", "pi", "lcb") and n_objectives > 1:
        raise ValueError(f"`acquisition`={name!r} supports one objective, got {n_objectives}; use 'ehvi' or 'parego'.")
    if name == "parego" and n_objectives == 1:
        raise ValueError("`acquisition`='parego' needs several objectives; use 'log_ei'.")
    return name


def _signs(maximize, n_objectives):
    flags = list(maximize) if isinstance(maximize, (list, tuple)) else [maximize] * n_objectives
    if len(flags) != n_objectives or not all(isinstance(flag, (bool, np.bool_)) for flag in flags):
        raise ValueError(f"`maximize` must be a bool or {n_objectives} of them, got {maximize!r}.")
    return np.where(flags, -1.0, 1.0)


def _reference(reference, n_objectives):
    if reference is None:
        return None
    values = np.asarray(reference, dtype=np.float64)
    if values.shape != (n_objectives,) or not np.isfinite(values).all():
        raise ValueError(f"`reference` must have {n_objectives} finite numbers, got {reference!r}.")
    return values


def _seed(random_state):
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    from sklearn.utils import check_random_state

    source = np.random.RandomState() if random_state is None else check_random_state(random_state)
    return int(source.randint(2**31 - 1))
