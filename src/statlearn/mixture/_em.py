"""The EM algorithm: the loop that runs all mixtures of this package, and its diagnostics.

A model is defined by two functions. The E step takes parameters and returns the objective (an observed log-likelihood,
in nats) together with whatever the M step needs: posterior probabilities, or sums of them over the rows. The M step
takes this and returns new parameters. The driver iterates, monitors the objective, accelerates, and compares starts.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, xlogy

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.warnings import MAX_ITER, warn, warn_if_stopped
from statlearn._math.linalg.positive import cholesky
from statlearn._math.solvers.step import backtrack

# A fall of the objective below this share of its size is rounding.
_ROUNDING = 1e-9
# A change of this share of the objective is in its last digits: there is nothing more to gain, whatever `tol` says.
_LAST_DIGITS = 4e-16
# Share of a step that lowers Q below which the old parameters are kept.
_SHORTEST = 2.0**-29


class MonotonicityError(RuntimeError):
    """The objective decreased although every EM step must raise it: the E and M steps are inconsistent.

    Parameters
    ----------
    *args
        The message.

    Examples
    --------
    >>> from statlearn.mixture import EMDriver, MonotonicityError
    >>> driver = EMDriver(lambda t: (1.0 - t, t), lambda t: t + 1.0, on_fall="raise")
    >>> try:
    ...     driver.run(0.0)
    ... except MonotonicityError as error:
    ...     print(error)
    the objective decreased from 1 to 0 in step 1: the M step does not maximise the function from the E step
    """


@dataclass
class EMResult:
    """Result of EM.

    Parameters
    ----------
    parameters : object
        What the last M step returned.
    objective : float
        Observed log-likelihood (or the bound) at `parameters`.
    history : ndarray of shape (n_iter + 1,)
        The objective at the start and after each step.
    n_iter : int
    converged : bool
    expected : object
        What the last E step returned at `parameters`.
    falls : int
        Number of steps that lowered the objective beyond rounding.
    asked : bool
        Whether the report requested the stop.
    starts : ndarray
        With several starts, the objective that each of them reached.
    """

    parameters: Any
    objective: float
    history: np.ndarray
    n_iter: int
    converged: bool
    expected: Any = None
    falls: int = 0
    asked: bool = False
    starts: np.ndarray = field(default_factory=lambda: np.empty(0))


class EMDriver:
    r"""Expectation-maximisation (EM) with user-defined E and M steps.

    Repeats :math:`\theta \leftarrow \text{M}(\text{E}(\theta))` until the objective changes by less than `tol`.

    Parameters
    ----------
    e_step : callable
        ``e_step(parameters)`` returns ``(objective, expected)``: the observed log-likelihood at the parameters, and
        whatever the M step needs.
    m_step : callable
        ``m_step(expected)`` returns new parameters; with `generalized` it is called as
        ``m_step(expected, parameters)`` and starts from the old ones.
    tol : float, default=1e-6
        Stop when the objective changes by less than this in one step; with 0, when only its last digit changes.
    max_iter : int, default=1000
        Maximum number of E and M steps.
    n_init : int, default=1
        Number of starts, if `run` is given a function of starts; the highest objective wins.
    generalized : bool, default=False
        Generalized EM: the M step need not maximise Q but must not lower it. With `q_function`, a step that lowers Q is
        halved towards the old parameters until it does not (requires `pack`).
    q_function : callable or None, default=None
        ``q_function(parameters, expected)``, the expected complete-data log-likelihood.
    acceleration : {None, "squarem"}, default=None
        "squarem" extrapolates every two steps along the path of the parameters (Varadhan and Roland, scheme S3) and
        falls back to plain EM if that would lower the objective. Requires `pack` and `unpack`.
    pack, unpack : callable or None, default=None
        Functions that convert parameters to an unconstrained vector and back.
    bound : callable or None, default=None
        ``bound(parameters, expected)``: an objective that is known only after the M step (variational Bayes). It
        replaces the one of the E step.
    on_fall : {"warn", "raise", "ignore"}, default="warn"
        What to do if the objective decreases beyond rounding, which is impossible for a correct pair of steps.
    report : callable or None, default=None
        ``report(n_iter, objective, parameters)`` is called after each step; EM stops if it returns True.

    Notes
    -----
    Every step costs one E and one M step; an accelerated cycle of three steps costs three. The history holds the
    objective at the start and after every step. Once the stopping rule is met, one more M step is taken, whose E step
    has already been computed. EM finds a local maximum, so use several starts. None of them may be symmetric in the
    components, because a symmetric start is a fixed point.

    References
    ----------
    Dempster, Laird & Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm, JRSS B 39.
    Neal & Hinton (1998), A view of the EM algorithm that justifies incremental, sparse, and other variants.
    Varadhan & Roland (2008), Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm, Scand. J. Stat. 35.

    Examples
    --------
    The share of one of two known normal distributions:

    >>> import numpy as np
    >>> from statlearn.mixture import EMDriver
    >>> x = np.array([-1.0, -0.5, 0.2, 2.9, 3.1])
    >>> density = np.exp(-0.5 * (x[:, None] - [0.0, 3.0]) ** 2) / np.sqrt(2 * np.pi)
    >>> def e_step(share):
    ...     joint = density * [share, 1 - share]
    ...     return np.log(joint.sum(axis=1)).sum(), joint[:, 0] / joint.sum(axis=1)
    >>> result = EMDriver(e_step, lambda r: r.mean(), tol=1e-10).run(0.5)
    >>> round(float(result.parameters), 4), result.converged, bool(np.all(np.diff(result.history) >= 0))
    (0.6039, True, True)
    """

    def __init__(
        self,
        e_step: Callable,
        m_step: Callable,
        *,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_init: int = 1,
        generalized: bool = False,
        q_function: Callable | None = None,
        acceleration: str | None = None,
        pack: Callable | None = None,
        unpack: Callable | None = None,
        bound: Callable | None = None,
        on_fall: str = "warn",
        report: Callable | None = None,
    ):
        check_arguments(
            "EMDriver",
            e_step=(e_step, ["callable"]),
            m_step=(m_step, ["callable"]),
            tol=(tol, [Real(0, None)]),
            max_iter=(max_iter, [Int(0, None)]),
            n_init=(n_init, [Int(1, None)]),
            generalized=(generalized, ["boolean"]),
            acceleration=(acceleration, [Options("squarem"), None]),
            on_fall=(on_fall, [Options("warn", "raise", "ignore")]),
        )
        if acceleration and (pack is None or unpack is None):
            raise ValueError(
                "`acceleration` requires `pack` and `unpack`, which convert the parameters to an unconstrained "
                "vector and back."
            )
        if generalized and q_function is not None and (pack is None or unpack is None):
            raise ValueError("generalized EM with step halving requires `pack` and `unpack`.")
        self.e_step, self.m_step = e_step, m_step
        self.tol, self.max_iter, self.n_init = tol, max_iter, n_init
        self.generalized, self.q_function = generalized, q_function
        self.acceleration, self.pack, self.unpack = acceleration, pack, unpack
        self.bound, self.on_fall, self.report = bound, on_fall, report

    # ------------------------------------------------------------------------------------------------------ interface

    def run(self, start, *, before=-np.inf):
        """Run EM from one start, or from `n_init` of them.

        Parameters
        ----------
        start : object or callable
            Initial parameters, or ``start(i)``, which returns the parameters of start i.
        before : float
            The objective one step before a single start, for runs that continue an earlier one.

        Returns
        -------
        EMResult
        """
        if not callable(start):
            return self._climb(start, before)
        best, reached = None, []
        for i in range(self.n_init):
            climbed = self._climb(start(i))
            reached.append(climbed.objective)
            if best is None or climbed.objective > best.objective:
                best = climbed
        assert best is not None
        best.starts = np.array(reached)
        return best

    def warn_unless_converged(self, owner, result):
        """Issue a ConvergenceWarning if a result stopped at the maximum number of steps."""
        if not (result.converged or result.asked) and self.max_iter > 0:
            change = abs(float(np.diff(result.history[-2:]).sum()))
            warn_if_stopped(owner, MAX_ITER, f"the objective still changed by {change:.1e} after {result.n_iter} steps")

    # ----------------------------------------------------------------------------------------------------------- steps

    def _climb(self, parameters, before=-np.inf):
        state = _Climb(self, parameters, before)
        while state.n_iter < self.max_iter and not state.stopped:
            if state.met and self.bound is None:
                # The E step here has been made already: the M step that belongs to it comes for nothing.
                state.step(self._maximise(state.expected, state.parameters))
                state.converged = state.stopped = True
            elif self.acceleration and state.n_iter + 3 <= self.max_iter:
                self._squarem_cycle(state)
            else:
                state.step(self._maximise(state.expected, state.parameters))
        return state.result()

    def _maximise(self, expected, parameters):
        if not self.generalized:
            return self.m_step(expected)
        new = self.m_step(expected, parameters)
        if self.q_function is None:
            return new
        old, far = self.pack(parameters), self.pack(new)

        def ahead(t):
            there = new if t == 1.0 else self.unpack(old + t * (far - old))
            return -self.q_function(there, expected), there

        step = backtrack(ahead, -self.q_function(parameters, expected), 0.0, shortest=_SHORTEST)
        return parameters if step is None else step.state

    def _squarem_cycle(self, state):
        """Two EM steps, an extrapolation along their direction, and one EM step from there."""
        zero = self.pack(state.parameters)
        state.step(self._maximise(state.expected, state.parameters))
        if state.met or state.stopped:
            return
        one = self.pack(state.parameters)
        two_parameters = self._maximise(state.expected, state.parameters)
        two = self.pack(two_parameters)
        r = one - zero
        v = (two - one) - r
        length = -math.sqrt(float(r @ r) / max(float(v @ v), 1e-300)) if np.any(v) else -1.0
        length = min(length, -1.0)
        if length > -1.0 - 1e-8 or not np.isfinite(length):
            state.step(two_parameters)
            return
        trial = self._jump(zero - 2.0 * length * r + length * length * v)
        if trial is None or not trial[1] >= state.objective:
            state.step(two_parameters)
            return
        state.accept(*trial)
        if not (state.met or state.stopped) and state.n_iter < self.max_iter:
            state.step(self._maximise(state.expected, state.parameters))

    def _jump(self, vector):
        """Parameters, objective and expectations at a vector, or None if it does not represent valid parameters."""
        try:
            with np.errstate(all="ignore"):
                parameters = self.unpack(vector)
                objective, expected = self.e_step(parameters)
        except (ValueError, np.linalg.LinAlgError):
            return None
        return (parameters, float(objective), expected) if np.isfinite(objective) else None


class _Climb:
    """State of a single run: current parameters, history, and whether it is finished."""

    def __init__(self, driver, parameters, before):
        self.driver, self.parameters, self.before = driver, parameters, before
        self.objective, self.expected = driver.e_step(parameters)
        self.history = [] if driver.bound else [float(self.objective)]
        self.n_iter = self.falls = 0
        self.met = driver.bound is None and abs(self.objective - before) < driver.tol  # the stopping rule
        self.stopped = self.converged = self.asked = False
        if driver.bound is None and not np.isfinite(self.objective):
            raise ValueError(
                f"EM cannot start because the objective is {self.objective} at the initial values; scale the "
                "data or choose other initial values."
            )

    def step(self, parameters):
        """Move to the parameters of an M step."""
        bound = self.driver.bound
        value = None if bound is None else float(bound(parameters, self.expected))
        objective, expected = self.driver.e_step(parameters)
        self.accept(parameters, float(objective) if value is None else value, expected)

    def accept(self, parameters, objective, expected):
        """Move to parameters whose E step has been computed."""
        driver = self.driver
        before = self.history[-1] if self.history else self.before
        self.parameters, self.objective, self.expected = parameters, objective, expected
        self.n_iter += 1
        self.history.append(objective)
        if not np.isfinite(objective):
            raise ValueError(
                f"EM failed in step {self.n_iter}: the objective is {objective}. A component may have "
                "collapsed; use fewer components."
            )
        if objective < before - _ROUNDING * (1.0 + abs(before)):
            self.falls += 1
            self._tell_fall(before, objective)
        change = abs(objective - before)
        self.met = change < driver.tol or change <= _LAST_DIGITS * abs(objective)
        if driver.bound is not None and self.met:
            self.converged = self.stopped = True
        if driver.report is not None and driver.report(self.n_iter, objective, parameters):
            self.stopped = self.asked = True

    def _tell_fall(self, before, after):
        message = (
            f"the objective decreased from {before:.10g} to {after:.10g} in step {self.n_iter}: the M step "
            "does not maximise the function from the E step"
        )
        if self.driver.on_fall == "raise":
            raise MonotonicityError(message)
        if self.driver.on_fall == "warn" and self.falls == 1:
            warn(f"EM: {message}", RuntimeWarning)

    def result(self):
        return EMResult(
            self.parameters,
            float(self.objective),
            np.array(self.history),
            self.n_iter,
            self.converged,
            self.expected,
            self.falls,
            self.asked,
        )


def gem_step(q, gradient, theta, *, hessian=None, step=1.0):
    """One step that increases the function Q, for the M step of generalized EM: along the gradient, or a Newton step.

    The step is halved until Q increases by at least a ten-thousandth of what its slope predicts; if no step does, the
    old point is returned. Q therefore never decreases, and neither does the observed log-likelihood.

    Parameters
    ----------
    q : callable
        Q as a function of a vector.
    gradient : callable
        Gradient of Q.
    theta : ndarray of shape (d,)
        Starting point of the step.
    hessian : callable or None, default=None
        Second derivatives of Q, (d, d); a Newton step is taken if they are negative definite.
    step : float, default=1.0
        Length of the first step tried, in units of the gradient (or of the Newton step).

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import gem_step
    >>> def q(t): return -np.sum((t - 1.0) ** 2)
    >>> def slope(t): return -2.0 * (t - 1.0)
    >>> gem_step(q, slope, np.zeros(2), hessian=lambda t: -2.0 * np.eye(2))
    array([1., 1.])
    """
    theta = np.asarray(theta, dtype=np.float64)
    g = np.asarray(gradient(theta), dtype=np.float64)
    direction = g
    if hessian is not None:
        factor = cholesky(-np.asarray(hessian(theta), dtype=np.float64))
        direction = g if factor is None else factor.solve(g)
    slope, here = float(g @ direction), float(q(theta))
    step_found = backtrack(lambda t: -float(q(theta + t * step * direction)), -here, -step * slope, shortest=_SHORTEST)
    return theta if step_found is None else theta + step_found.length * step * direction


# ---------------------------------------------------------------------------------------------------------- diagnostics


class Elbo(NamedTuple):
    """Evidence lower bound, its gap to the log-likelihood, and the log-likelihood: bound + kl = log-likelihood."""

    bound: float
    kl: float
    log_likelihood: float


def _joint_and_q(log_joint, q, sample_weight):
    log_joint = np.asarray(log_joint, dtype=np.float64)
    q = np.asarray(q, dtype=np.float64)
    if log_joint.ndim != 2 or q.shape != log_joint.shape:
        raise ValueError(
            f"`log_joint` and `q` must be matrices of the same shape, got {log_joint.shape} and {q.shape}."
        )
    if np.any(q < 0) or not np.allclose(q.sum(axis=1), 1.0, atol=1e-8):
        raise ValueError("`q`: every row must be a probability distribution.")
    weight = np.ones(len(q)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (len(q),):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(len(q),)}!")
    return log_joint, q, weight


def free_energy(log_joint, q, sample_weight=None):
    r"""Free energy, the function that both steps of EM increase: expected complete-data log-likelihood plus entropy.

    .. math:: F(\theta, q) = \sum_i s_i \Bigl( \sum_k q_{ik} \log p(x_i, k; \theta) - \sum_k q_{ik} \log q_{ik} \Bigr)

    The E step maximises it over q, the M step over the parameters.

    Parameters
    ----------
    log_joint : array-like of shape (n_samples, n_components)
        log p(x_i, component k), including the mixing weight.
    q : array-like of shape (n_samples, n_components)
        Any distribution over the components, for each row.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    float

    See Also
    --------
    elbo : The same with its gap to the log-likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import free_energy
    >>> log_joint = np.log([[0.3, 0.1], [0.2, 0.2]])
    >>> round(free_energy(log_joint, [[0.75, 0.25], [0.5, 0.5]]), 6), round(np.log(0.4 * 0.4), 6)
    (-1.832581, np.float64(-1.832581))
    """
    log_joint, q, weight = _joint_and_q(log_joint, q, sample_weight)
    with np.errstate(invalid="ignore"):
        energy = np.where(q > 0, q * log_joint, 0.0).sum(axis=1)
    return float(weight @ (energy - xlogy(q, q).sum(axis=1)))


def elbo(log_joint, q, sample_weight=None):
    """Evidence lower bound and the decomposition of the log-likelihood.

    Parameters
    ----------
    log_joint : array-like of shape (n_samples, n_components)
        log p(x_i, component k), including the mixing weight.
    q : array-like of shape (n_samples, n_components)
        Any distribution over the components, for each row.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    Elbo
        ``bound`` (the free energy), ``kl`` (the divergence of q from the posterior, 0 right after an E step) and
        ``log_likelihood``, their sum.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import elbo
    >>> parts = elbo(np.log([[0.3, 0.1], [0.2, 0.2]]), [[0.5, 0.5], [0.5, 0.5]])
    >>> bool(parts.bound < parts.log_likelihood), round(parts.bound + parts.kl - parts.log_likelihood, 12)
    (True, 0.0)
    """
    log_joint, q, weight = _joint_and_q(log_joint, q, sample_weight)
    row = logsumexp(log_joint, axis=1)
    log_posterior = log_joint - row[:, None]
    with np.errstate(invalid="ignore"):
        cross = np.where(q > 0, q * log_posterior, 0.0).sum(axis=1)
    kl = float(weight @ (xlogy(q, q).sum(axis=1) - cross))
    return Elbo(free_energy(log_joint, q, weight), kl, float(weight @ row))
