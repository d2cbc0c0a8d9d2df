"""The search for the smoothing parameters of an additive model."""

import numpy as np

from ._descent import newton, quasi_newton

# How far log smoothing parameters may go from where penalty and data are equally strong: beyond, a term is free, or a
# straight line, to six digits. Upwards the spread of the penalty's eigenvalues comes on top.
_REACH = 15.0
_STRAIGHT = 8.0  # where terms are nearly straight lines
_BACK = -np.array([3.0, 6.0, 9.0, 12.0])  # from a straight line to where a curve may be better
_ON = np.array([4.0, 8.0, 12.0])  # from a curve to smoother ones
_WORTH = 1e-6  # share of a criterion by which it must be lower there
_LOOKS = 5  # descents from there, at most
CRITERIA = {"reml": "REML", "ml": "ML", "gcv": "GCV", "ubre": "UBRE"}


class Search:
    """Minimises a criterion over the log smoothing parameters that are not fixed.

    The steps work with the vector `x` of the free ones, between `low` and `high`; what they pass on is (value,
    gradient, fit) of the criterion there.

    Parameters
    ----------
    problem : Smoothing
    method : {"reml", "ml", "gcv", "ubre"}
    rho : ndarray
        Where to begin, fixed ones included.
    fixed : ndarray of bool
    verbose : int, default=0
        Above 0: print the criterion each time it is evaluated.
    """

    def __init__(self, problem, method, rho, fixed, *, verbose=0):
        self.problem, self.method, self.rho, self.verbose = problem, method, rho, verbose
        self.evaluations = 0
        self.free = np.flatnonzero(~fixed)
        self.likelihood = method in ("reml", "ml")
        self.restricted = method == "reml"
        self._last, self.met_wall = (None, None), False
        if len(self.free):
            self.even = problem.start()[self.free]
            self.low, self.high = self.even - _REACH, self.even + _REACH + problem.set.spreads[self.free]
            self.straight = np.minimum(self.even + _STRAIGHT, self.high)

    def run(self):
        """The log smoothing parameters, the criterion and the fit there, and whether the search came to rest.

        Where the rows are separated, or nearly so, the search is made again under the weak prior of the problem.
        """
        solution = self._search()
        if not self.problem.separated(solution[2]) and (solution[3] or not self.met_wall):
            return solution
        self.problem.guard()
        self._last = (None, None)
        return self._search()

    def _search(self):
        x = self.rho[self.free]
        if not len(x):
            value, _, fit = self.criterion(x)
            return self.rho, self._score(value), fit, True
        if self.problem.gaussian and self.likelihood:
            self.descend = self._newton
        else:
            self.descend = self._quasi_newton
            x = np.clip(x, self.low, self.high)
            if self.likelihood:
                x = self._performance_start(x)
            if x is self.straight or self._separated(x):
                x = self.straight
                if self._separated(x):
                    rho = self.full(x)
                    return rho, np.nan, self.problem.fit(rho), False
        start, x = x, self.descend(x)
        state = self.criterion(x)
        if start is not self.straight:
            x, state = self._from_straight_lines(x, state)
        if not self.problem.guarded and (self.at_rest(x, state) or not self.met_wall):
            x, state = self._beyond_valleys(x, state)
        return self.full(x), self._score(state[0]), state[2], self.at_rest(x, state)

    def _score(self, value):
        return np.exp(value) if self.method == "gcv" else value

    def _tell(self, value):
        self.evaluations += 1
        if self.verbose:
            print(f"{CRITERIA[self.method]} {self.evaluations}: {self._score(value):.10g}", flush=True)

    def _separated(self, x):
        return self.problem.separated(self.problem.fit(self.full(x)))

    def full(self, x):
        rho = self.rho.copy()
        rho[self.free] = x
        return rho

    def criterion(self, x):
        """Value, gradient and fit; asked for again at the same place, they are at hand."""
        key = x.tobytes()
        if self._last[0] != key:
            rho = self.full(x)
            if self.likelihood:
                value, gradient, fit = self.problem.marginal(rho, restricted=self.restricted)
            else:
                value, gradient, fit = self.problem.gcv(rho, unbiased=self.method == "ubre")
            if self.method == "gcv":  # by its logarithm: the units of the response do not matter
                value = max(value, np.finfo(np.float64).tiny)
                value, gradient = np.log(value), gradient / value
            self._tell(value)
            self._last = (key, (value, gradient[self.free], fit))
        return self._last[1]

    def at_rest(self, x, state):
        value, gradient, _ = state
        inside = (x > self.low + 1e-6) & (x < self.high - 1e-6)
        return bool(np.all(np.abs(gradient[inside]) <= 1e-4 * max(1.0, abs(value))))

    # Descents --------------------------------------------------------------------------------------------------------

    def _newton(self, x, max_iter=200):
        def cost(x):
            self.problem.n_iter += 1
            state = self._second_order(self.problem.quadratic, x)
            self._tell(state[0])
            return state

        return newton(cost, x, self.low, self.high, max_iter=max_iter)

    def _quasi_newton(self, x, max_iter=100):
        def cost(x):
            # Laplace's approximation overrates a fit without errors, so that region is avoided if possible.
            value, gradient, fit = self.criterion(x)
            if self.problem.separated(fit):
                self.met_wall = True
                value = np.inf
            return value, gradient

        return quasi_newton(cost, x, self.low, self.high, self._guess(x), max_iter=max_iter)

    def _second_order(self, quadratic, x):
        """Value, gradient and second derivatives of the marginal likelihood of a least-squares problem."""
        value, gradient, hessian, _ = quadratic.marginal(self.full(x), self.restricted)
        return value, gradient[self.free], hessian[np.ix_(self.free, self.free)]

    def _guess(self, x):
        """Initial second derivatives."""
        problem = self.problem
        quadratic = problem.quadratic if problem.gaussian else problem.working(problem.fit(self.full(x)).beta)
        if self.likelihood:
            return self._second_order(quadratic, x)[2]
        hessian, step = np.empty((len(x), len(x))), 1e-2
        for j in range(len(x)):
            up, down = (self._slope(quadratic, x + sign * step * np.eye(len(x))[j]) for sign in (1, -1))
            hessian[j] = (up - down) / (2 * step)
        return hessian

    def _slope(self, quadratic, x):
        """Gradient of GCV's logarithm, or of UBRE, of a least-squares problem."""
        value, gradient, _ = quadratic.gcv(self.full(x), self.problem.gamma, self.method == "ubre")
        return (gradient if self.method == "ubre" else gradient / value)[self.free]

    # Where to begin, and where to look again -------------------------------------------------------------------------

    def _performance_start(self, x):
        """Smoothing parameters from the least-squares problems of successive Newton steps, cheap and near the goal."""
        beta = self.problem.fit(self.full(x)).beta
        for turn in range(20):
            working = self.problem.working(beta)
            # One step of each at first, because many steps on an early problem may lead away from the optimum.
            new = newton(
                lambda x, working=working: self._second_order(working, x), x, self.low, self.high,
                max_iter=1 if turn < 2 else 5, longest=3.0,
            )  # fmt: skip
            rho = self.full(new)
            gain = working.value(self.full(x), self.restricted) - working.value(rho, self.restricted)
            fit = working.fit(rho)
            beta, eta = self.problem.towards(beta, fit.beta, rho)
            x = new
            if self.verbose:
                print(f"least-squares problem {turn + 1}: {CRITERIA[self.method]} decreases by {gain:.3g}", flush=True)
            if self.problem.without_error(eta) or self.problem.too_few_in_doubt(fit):
                return self.straight
            if gain < 0.01:
                break
        self.problem.begin_at(self.full(x), beta)
        return x

    def _from_straight_lines(self, x, state):
        """Search again from straight lines if the first search stopped early, which may lead to a regular optimum."""
        problem = self.problem
        if problem.known_scale and self.likelihood and not problem.gaussian and not self.at_rest(x, state):
            other = self.descend(self.straight, max_iter=30)
            there = self.criterion(other)
            if self.at_rest(other, there):
                return other, there
        return x, state

    def _beyond_valleys(self, x, state):
        """Look for a second valley along each smoothing parameter: one belongs to a curve, one to a straight line.

        A term that has become straight may have stepped over the other one: look back. One that is not may be in the
        higher one: look at smoother curves.
        """
        scan, left, separated = self._scan(state[2]), _LOOKS, self.problem.separated
        here = scan(x)
        for j in range(len(x)):
            away = _BACK if x[j] > self.even[j] + 6 else np.minimum(_ON, self.high[j] - x[j])
            trial = _lower(scan, here, x, j, away) if left else None
            if trial is not None:
                left -= 1
                other = self.descend(trial)
                there = self.criterion(other)
                if there[0] < state[0] and not (separated(there[2]) and not separated(state[2])):
                    x, state, here = other, there, scan(other)
        return x, state

    def _scan(self, fit):
        """A cheap approximation of the criterion."""
        problem = self.problem
        quadratic = problem.quadratic if problem.gaussian else problem.working(fit.beta)
        if self.likelihood:
            return lambda x: quadratic.value(self.full(x), self.restricted)
        return lambda x: quadratic.gcv(self.full(x), problem.gamma, self.method == "ubre")[0]


def _lower(cost, value, x, j, away):
    """The first place along component j, by the steps `away`, where the cost is below `value`, or None."""
    for step in away:
        trial = x.copy()
        trial[j] += step
        if cost(trial) < value - _WORTH * abs(value):
            return trial
    return None
