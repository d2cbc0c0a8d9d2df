"""Collision avoidance of a drone, the worked example of the family."""

import numpy as np
from sklearn.utils import check_random_state

from ._factored_mdp import FactoredMDP
from ._grid_model import INTERPOLATORS, GridModel
from ._qmdp import QMDPPolicy, as_policy
from ._solvers import value_iteration
from ._trajectories import trajectory_metrics

# Values of one axis (the same for x and y) on the coarse and on the fine grid.
GRIDS = {
    "coarse": {
        "distance": [-15, -1, 0, 1, 15],
        "own_speed": [-5, -3, -1, 0, 1, 3, 5],
        "intruder_speed": [-5, -1, 0, 1, 5],
        "deviation": [-10, -1, 0, 1, 10],
    },
    "fine": {
        "distance": [-15, -7, -3, -1, 0, 1, 3, 7, 15],
        "own_speed": [-5, -3, -1, 0, 1, 3, 5],
        "intruder_speed": [-5, -3, -1, 0, 1, 3, 5],
        "deviation": [-10, -3, -1, 0, 1, 3, 10],
    },
}


class CollisionAvoidance:
    r"""A drone that avoids an intruder and returns to its path.

    The state holds, for x and y, the distance r to the intruder, the speeds v_o of the drone and v_i of the intruder,
    and the deviation d from the desired path. The drone chooses its acceleration a. In continuous time

    .. math:: \dot r = v_i - v_o,\quad \dot v_o = a + \varepsilon_o,\quad \dot v_i = \varepsilon_i,\quad
        \dot d = v_t - v_o,

    with desired speed v_t. The reward of a step is

    .. math:: \max\Bigl[R_{\min},\; -|a_x| - |a_y| - \frac{K_s}{\lVert r \rVert^2} - K_T \lVert d \rVert^2\Bigr].

    The two axes move independently, so the process is solved as a `FactoredMDP`.

    Parameters
    ----------
    grid : {"coarse", "fine"} or dict of str to list, default="coarse"
        765,625 or 9,529,569 states, or your own values of "distance", "own_speed", "intruder_speed" and "deviation",
        the same for both axes. With the other defaults, `solve` makes 788 sweeps on the coarse grid, 26 seconds of
        processor time on a server of 2026, spread over its threads. The fine grid takes many minutes and about 0.6 GB.
    safety : float, default=50.0
        Weight K_s of the distance.
    tracking : float, default=0.1
        Weight K_T of the deviation.
    reward_min : float, default=-500.0
        Smallest reward R_min. A very negative one slows convergence.
    time_step : float, default=0.5
        Seconds per step.
    accelerations : array-like, default=(-1.0, 0.0, 1.0)
        Possible accelerations on each axis.
    own_noise, intruder_noise : float, default=0.30 and 0.45
        Standard deviations of the noise in the accelerations.
    discount : float, default=0.99
        Discount factor. With a small one the drone may not return to its path.
    interpolation : {"multilinear", "simplex"}, default="simplex"
        Interpolation of the policy between the nodes; transitions are always multilinear.
    desired_velocity : array-like of shape (2,), default=(1, 0)
        Speed v_t of the path on both axes; (0, 0) to hover.

    Attributes
    ----------
    axes : list of eight lists
        Grid values, in the order r, v_o, v_i, d of x, then of y.
    n_states : int
    mdp : FactoredMDP
        Set by `solve`, as are `solution_` and `policy_`.
    actions : ndarray of shape (n_actions, 2)
        Accelerations of each action.

    References
    ----------
    E. R. Mueller and M. Kochenderfer (2016), "Multi-rotor aircraft collision avoidance using partially observable
    Markov decision processes", AIAA Modeling and Simulation Technologies Conference.

    Examples
    --------
    >>> from statlearn.decision import CollisionAvoidance
    >>> CollisionAvoidance("coarse").n_states, CollisionAvoidance("fine").n_states
    (765625, 9529569)
    """

    def __init__(
        self,
        grid="coarse",
        *,
        safety=50.0,
        tracking=0.1,
        reward_min=-500.0,
        time_step=0.5,
        accelerations=(-1.0, 0.0, 1.0),
        own_noise=0.30,
        intruder_noise=0.45,
        discount=0.99,
        interpolation="simplex",
        desired_velocity=(1.0, 0.0),
    ):
        if not isinstance(grid, dict) and grid not in GRIDS:
            raise ValueError(f"`grid` must be 'coarse', 'fine' or a dict of grid values, got {grid!r}.")
        values = grid if isinstance(grid, dict) else GRIDS[grid]
        if list(values) != list(GRIDS["fine"]):
            raise ValueError(f"`grid` must have the keys {list(GRIDS['fine'])} in this order, got {list(values)}.")
        for name, value in (("safety", safety), ("tracking", tracking), ("time_step", time_step)):
            if not value > 0 or not np.isfinite(value):
                raise ValueError(f"`{name}` must be a positive number, got {value!r}.")
        if not reward_min < 0 or not np.isfinite(reward_min):
            raise ValueError(f"`reward_min` must be a negative number, got {reward_min!r}.")
        if interpolation not in INTERPOLATORS:
            raise ValueError(f"`interpolation` must be 'multilinear' or 'simplex', got {interpolation!r}.")
        self.grid, self.safety, self.tracking, self.reward_min = grid, safety, tracking, reward_min
        self.time_step, self.accelerations = time_step, np.asarray(accelerations, dtype=np.float64)
        self.own_noise, self.intruder_noise = own_noise, intruder_noise
        self.discount, self.interpolation = discount, interpolation
        self.desired_velocity = np.asarray(desired_velocity, dtype=np.float64)
        if self.desired_velocity.shape != (2,) or not np.isfinite(self.desired_velocity).all():
            raise ValueError(f"`desired_velocity` must be two numbers, got {desired_velocity!r}.")
        self.axes = 2 * list(values.values())
        self.n_states = int(np.prod([len(axis) for axis in self.axes]))
        self.actions = np.stack(np.meshgrid(self.accelerations, self.accelerations, indexing="ij"), -1).reshape(-1, 2)

    def _move(self, states, acceleration, noise, wanted):
        """Next state of one axis: columns r, v_o, v_i, d."""
        distance, own, intruder, deviation = np.asarray(states).T
        dt = self.time_step
        return np.stack(
            [
                distance + dt * (intruder - own),
                own + dt * (acceleration + noise[..., 0]),
                intruder + dt * noise[..., 1],
                deviation + dt * (wanted - own),
            ],
            axis=1,
        )

    def _factor(self, wanted):
        return GridModel(
            self.axes[:4],
            lambda states, action, noise: self._move(states, action, noise, wanted),
            self.accelerations,
            noise_scale=[self.own_noise, self.intruder_noise],
        )

    def build(self):
        """The process on the grid.

        Returns
        -------
        mdp : FactoredMDP
        """
        x, y = (self._factor(wanted) for wanted in self.desired_velocity)
        rx, dx = x.states[:, 0], x.states[:, 3]
        ry, dy = y.states[:, 0], y.states[:, 3]
        with np.errstate(divide="ignore"):  # a collision: -inf, raised to reward_min
            closeness = self.safety / (rx[:, None] ** 2 + ry**2)
        state_reward = -closeness - self.tracking * (dx[:, None] ** 2 + dy**2)
        effort = np.abs(self.accelerations)
        return FactoredMDP(
            x.transitions(),
            y.transitions(),
            state_reward,
            -(effort[:, None] + effort),
            floor=self.reward_min,
            discount=self.discount,
        )

    def solve(self, *, tol=0.1, max_iter=1000, Q0=None):
        """Optimal policy by value iteration.

        Parameters
        ----------
        tol : float, default=0.1
            Largest error of the values; see `value_iteration`. Sweeps are saved by a larger one, but above all by a
            smaller `discount`: the number of sweeps is proportional to 1 / (1 - discount).
        max_iter : int, default=1000
        Q0 : Solution or array-like, default=None
            Start, for example the `solution_` of other weights on the same grid.

        Returns
        -------
        self
        """
        self.mdp = self.build()
        self.solution_ = value_iteration(self.mdp, tol=tol, max_iter=max_iter, Q0=Q0)
        self.policy_ = QMDPPolicy(self.solution_, INTERPOLATORS[self.interpolation](self.axes))
        return self

    def simulate(self, policy=None, *, n_runs=200, n_steps=60, random_state=None, start=None):
        """Encounters in continuous space.

        Unless `start` says otherwise, the drone is on its path at the desired speed. The intruder starts 10 to 15 m
        ahead (on x), up to 2 m beside the path, and flies towards the drone at 0.5 to 2 m/s.

        Parameters
        ----------
        policy : callable, Solution or array-like of int, default=None
            ``policy(states)`` returns the number of an action for each row of `states`; by default the solved policy. A
            solution or the actions of the nodes of ``axes`` as in `policy_map`.
        n_runs : int, default=200
        n_steps : int, default=60
        random_state : int, RandomState or None, default=None
        start : array-like of shape (8,) or (n_runs, 8) or None, default=None
            States at the beginning, r, v_o, v_i, d of x, then of y. A table sets the number of runs.

        Returns
        -------
        trajectories : dict of ndarray
            "distance" and "deviation", of shape (n_runs, n_steps + 1, 2), "action", of shape (n_runs, n_steps).
        """
        if policy is None:
            if not hasattr(self, "policy_"):
                raise ValueError("There is no policy yet; call `solve` first, or pass `policy`.")
            policy = self.policy_
        policy = as_policy(policy, self.axes, INTERPOLATORS[self.interpolation])
        rng = check_random_state(random_state)
        if start is None:
            x, y = np.zeros((n_runs, 4)), np.zeros((n_runs, 4))
            x[:, 0], y[:, 0] = rng.uniform(10, 15, n_runs), rng.uniform(-2, 2, n_runs)
            x[:, 1], y[:, 1] = self.desired_velocity
            x[:, 2] = -rng.uniform(0.5, 2, n_runs)
            y[:, 2] = rng.normal(0, 0.2, n_runs)
        else:
            x, y = _starts(start, n_runs)
            n_runs = len(x)
        distance, deviation = np.empty((n_runs, n_steps + 1, 2)), np.empty((n_runs, n_steps + 1, 2))
        action = np.empty((n_runs, n_steps), dtype=np.intp)
        scale = [self.own_noise, self.intruder_noise]
        along, across = self.desired_velocity
        for step in range(n_steps + 1):
            distance[:, step], deviation[:, step] = np.stack([x[:, 0], y[:, 0]], 1), np.stack([x[:, 3], y[:, 3]], 1)
            if step == n_steps:
                break
            action[:, step] = policy(np.concatenate([x, y], axis=1))
            chosen = self.actions[action[:, step]]
            x = self._move(x, chosen[:, 0], rng.standard_normal((n_runs, 2)) * scale, along)
            y = self._move(y, chosen[:, 1], rng.standard_normal((n_runs, 2)) * scale, across)
        return {"distance": distance, "deviation": deviation, "action": action}

    def evaluate(self, policy=None, **options):
        """Safety and accuracy of simulated encounters.

        Parameters
        ----------
        policy : callable, default=None
            As in `simulate`.
        **options
            `n_runs`, `n_steps`, `random_state` and `start` of `simulate`.

        Returns
        -------
        metrics : dict
            See `trajectory_metrics`.
        """
        runs = self.simulate(policy, **options)
        return trajectory_metrics(runs["distance"], runs["deviation"])


def _starts(start, n_runs):
    """States at the beginning as two tables of four columns, one per axis."""
    start = np.asarray(start, dtype=np.float64)
    if start.ndim not in (1, 2) or start.shape[-1] != 8 or not np.isfinite(start).all():
        raise ValueError(
            f"`start` must be finite numbers of shape (8,) or (n_runs, 8), got an array of shape {start.shape}."
        )
    states = np.broadcast_to(start, (n_runs, 8)) if start.ndim == 1 else start
    return states[:, :4], states[:, 4:]
