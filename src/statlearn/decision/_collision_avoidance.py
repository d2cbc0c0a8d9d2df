"""Collision avoidance of a drone, the worked example of the family."""

import math
from functools import reduce

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.memory import require_memory

from ._encounters import first_states
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

    The state holds, for x and y (and z), the distance r to the intruder, the speeds v_o of the drone and v_i of the
    intruder, and the deviation d from the desired path. The drone chooses its acceleration a. In continuous time

    .. math:: \dot r = v_i - v_o,\quad \dot v_o = a + \varepsilon_o,\quad \dot v_i = \varepsilon_i,\quad
        \dot d = v_t - v_o,

    with desired speed v_t. The reward of a step is

    .. math:: \max\Bigl[R_{\min},\; -\lVert a \rVert_1 - \frac{K_s}{\lVert r \rVert^2} - K_T \lVert d \rVert^2\Bigr].

    The axes move independently, so the process is solved as a `FactoredMDP`.

    Parameters
    ----------
    grid : {"coarse", "fine"} or dict of str to list, default="coarse"
        765,625 or 9,529,569 states, or your own values of "distance", "own_speed", "intruder_speed" and "deviation",
        the same for all axes. With the other defaults, `solve` makes 788 sweeps on the coarse grid, 26 seconds of
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
    desired_velocity : array-like of shape (2,) or (3,), default=(1, 0)
        Speed v_t of the path on the axes; (0, 0) to hover. The speed on z is 0 unless it is given.
    dimensions : {2, 3}, default=2
        Whether the encounter has a third axis, z. The number of states is then that of one axis cubed, so pass a small
        `grid`: 81 states per axis make 531,441, and a sweep over them takes about 0.15 s.
    vertical : dict of str to list or None, default=None
        Grid values of z; None takes those of `grid`. Only with ``dimensions=3``.

    Attributes
    ----------
    axes : list of lists
        Grid values, in the order r, v_o, v_i, d of x, then of y, then of z.
    n_states : int
    mdp : FactoredMDP
        Set by `solve`, as are `solution_` and `policy_`.
    actions : ndarray of shape (n_actions, dimensions)
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
        dimensions=2,
        vertical=None,
    ):
        values = _grid_values(grid, "grid")
        if dimensions not in (2, 3):
            raise ValueError(f"`dimensions` must be 2 or 3, got {dimensions!r}.")
        if vertical is not None and dimensions == 2:
            raise ValueError("`vertical` requires `dimensions`=3.")
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
        velocity = np.asarray(desired_velocity, dtype=np.float64)
        if velocity.shape not in {(2,), (dimensions,)} or not np.isfinite(velocity).all():
            numbers = "two numbers" if dimensions == 2 else "two or three numbers"
            raise ValueError(f"`desired_velocity` must be {numbers}, got {desired_velocity!r}.")
        self.desired_velocity = np.append(velocity, np.zeros(dimensions - len(velocity)))
        self.dimensions = dimensions
        upward = values if vertical is None else _grid_values(vertical, "vertical")
        self.axes = 2 * list(values.values()) + (list(upward.values()) if dimensions == 3 else [])
        self.n_states = math.prod(len(axis) for axis in self.axes)
        self.actions = np.stack(np.meshgrid(*[self.accelerations] * dimensions, indexing="ij"), -1).reshape(
            -1, dimensions
        )

    def _move(self, states, acceleration, noise, wanted):
        """Next state of one axis: columns r, v_o, v_i, d."""
        distance, speed, intruder, deviation = np.asarray(states).T
        dt = self.time_step
        return np.stack(
            [
                distance + dt * (intruder - speed),
                speed + dt * (acceleration + noise[..., 0]),
                intruder + dt * noise[..., 1],
                deviation + dt * (wanted - speed),
            ],
            axis=1,
        )

    def _factor(self, wanted, axis=0):
        return GridModel(
            self.axes[4 * axis : 4 * axis + 4],
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
        require_memory(
            4 * self.n_states * len(self.actions), f"The values of {self.n_states:,} states", "Use a coarser grid."
        )
        parts = [self._factor(wanted, axis) for axis, wanted in enumerate(self.desired_velocity)]
        squares = [reduce(np.add.outer, (part.states[:, k] ** 2 for part in parts)) for k in (0, 3)]
        with np.errstate(divide="ignore"):  # a collision: -inf, raised to reward_min
            closeness = self.safety / squares[0]
        effort = reduce(np.add.outer, [np.abs(self.accelerations)] * self.dimensions)
        first, second, *third = [part.transitions() for part in parts]
        return FactoredMDP(
            first,
            second,
            -closeness - self.tracking * squares[1],
            -effort,
            third=third[0] if third else None,
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

    def simulate(
        self,
        policy=None,
        *,
        n_runs=200,
        n_steps=60,
        random_state=None,
        start="head_on",
        place=(-8.0, 0.0),
        speed=1.0,
        intruder=None,
    ):
        """Encounters in continuous space.

        Parameters
        ----------
        policy : callable, Solution or array-like of int, default=None
            ``policy(states)`` returns the number of an action for each row of `states`; by default the solved policy. A
            solution or the actions of the nodes of ``axes`` as in `policy_map`.
        n_runs : int, default=200
        n_steps : int, default=60
        random_state : int, RandomState or None, default=None
        start : {"head_on", "random_heading", "hover"} or array-like of shape (4 d,) or (n_runs, 4 d)
            States at the beginning, in the order of ``axes`` for d dimensions; "head_on" by default. A table sets the
            number of runs. By name, the drone is on its path at the desired speed, and:

            - "head_on": the intruder starts 10 to 15 m ahead (on x), up to 2 m beside the path, and flies towards the
              drone at 0.5 to 2 m/s;
            - "random_heading": the intruder leaves the origin in a random direction at a speed that does not change;
            - "hover": the drone rests at the origin, so the desired velocity must be 0, and the intruder comes from the
              right as in "head_on".
        place : array-like of shape (d,) or (2,), default=(-8, 0)
            Where the drone starts; the coordinate z is 0 unless it is given. Only with "random_heading".
        speed : float, default=1.0
            Speed of the intruder. Only with "random_heading".
        intruder : callable or None, default=None
            Behaviour other than that of the model: ``intruder(states, rng)`` returns the accelerations of the
            intruders, of shape (n_runs, d). None is the noise of the model, or none with "random_heading".

        Returns
        -------
        trajectories : dict of ndarray
            "distance" and "deviation", of shape (n_runs, n_steps + 1, d), "action", of shape (n_runs, n_steps).
        """
        if policy is None:
            if not hasattr(self, "policy_"):
                raise ValueError("There is no policy yet; call `solve` first, or pass `policy`.")
            policy = self.policy_
        policy = as_policy(policy, self.axes, INTERPOLATORS[self.interpolation])
        rng = check_random_state(random_state)
        states = first_states(self, start, n_runs, place, speed, rng)
        if intruder is None and isinstance(start, str) and start == "random_heading":
            intruder = _steady
        n, d = len(states), self.dimensions
        distance, deviation = np.empty((2, n, n_steps + 1, d))
        action = np.empty((n, n_steps), dtype=np.intp)
        for step in range(n_steps + 1):
            distance[:, step], deviation[:, step] = states[:, 0::4], states[:, 3::4]
            if step == n_steps:
                break
            action[:, step] = policy(states)
            chosen = self.actions[action[:, step]]
            behaviour = None if intruder is None else self._behaviour(intruder, states, rng)
            moved = []
            for axis, wanted in enumerate(self.desired_velocity):
                noise = rng.standard_normal((n, 2)) * [self.own_noise, self.intruder_noise]
                if behaviour is not None:
                    noise[:, 1] = behaviour[:, axis]
                moved.append(self._move(states[:, 4 * axis : 4 * axis + 4], chosen[:, axis], noise, wanted))
            states = np.concatenate(moved, axis=1)
        return {"distance": distance, "deviation": deviation, "action": action}

    def _behaviour(self, intruder, states, rng):
        """Accelerations of the intruders, checked."""
        acceleration = np.asarray(intruder(states.copy(), rng), dtype=np.float64)
        if acceleration.shape != (len(states), self.dimensions) or not np.isfinite(acceleration).all():
            raise ValueError(
                f"`intruder` must return finite accelerations of shape {(len(states), self.dimensions)}, got an array "
                f"of shape {acceleration.shape}."
            )
        return acceleration

    def evaluate(self, policy=None, **options):
        """Safety and accuracy of simulated encounters.

        Parameters
        ----------
        policy : callable, default=None
            As in `simulate`.
        **options
            The other parameters of `simulate`.

        Returns
        -------
        metrics : dict
            See `trajectory_metrics`.
        """
        runs = self.simulate(policy, **options)
        return trajectory_metrics(runs["distance"], runs["deviation"])


def _steady(states, rng):
    """The behaviour of an intruder that keeps its velocity."""
    return np.zeros((len(states), states.shape[1] // 4))


def _grid_values(grid, name):
    if not isinstance(grid, dict):
        if not isinstance(grid, str) or grid not in GRIDS:
            raise ValueError(f"`{name}` must be 'coarse', 'fine' or a dict of grid values, got {grid!r}.")
        return GRIDS[grid]
    if list(grid) != list(GRIDS["fine"]):
        raise ValueError(f"`{name}` must have the keys {list(GRIDS['fine'])} in this order, got {list(grid)}.")
    return grid
