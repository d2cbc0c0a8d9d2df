"""Finite processes from continuous models, and the collision example."""

import numpy as np
import pytest

from statlearn.decision import (
    CollisionAvoidance,
    GridModel,
    QMDPPolicy,
    sigma_points,
    value_iteration,
)
from tests.decision.problems import TINY
from tests.helpers import assert_close


@pytest.mark.parametrize("scale", [[0.5], [0.3, 2.0], [1.0, 0.0, 2.0], [1, 2, 3, 4, 5]])
def test_sigma_points_have_the_moments_of_the_noise(scale):
    points, weights = sigma_points(scale)
    assert (weights > 0).all()
    assert_close(weights.sum(), 1)
    assert_close(weights @ points, 0)
    assert_close((points * weights[:, None]).T @ points, np.diag(np.square(scale)))
    if len(scale) <= 3:
        assert_close(weights @ points**4, 3 * np.array(scale, dtype=float) ** 4)


def drift(states, action, noise):
    return states + np.array([action, 0.3]) + noise


@pytest.mark.spec("MDP-08")
@pytest.mark.parametrize("interpolation", ["multilinear", "simplex"])
@pytest.mark.parametrize("noise", ["sigma", "sample"])
def test_transitions_keep_the_mean_of_the_next_state(interpolation, noise):
    model = GridModel(
        [np.linspace(-10, 10, 21)] * 2,
        drift,
        [-0.7, 0.7],
        noise_scale=[0.2, 0.4],
        noise=noise,
        interpolation=interpolation,
        random_state=0,
    )
    inside = np.abs(model.states).max(axis=1) < 7  # the border does not matter there
    mean_noise = model.noise_weights @ model.noise_points
    for action, P in zip(model.actions, model.transitions()):
        assert_close(P.sum(axis=1), 1)
        expected = model.states + [action, 0.3] + mean_noise
        assert_close((P @ model.states)[inside], expected[inside])


@pytest.mark.spec("MDP-08")
def test_transitions_by_hand():
    model = GridModel([[0.0, 1.0, 2.0]], lambda s, a, e: s + a, [0.25, 5.0])
    quarter, far = (P.toarray() for P in model.transitions())
    assert_close(quarter, [[0.75, 0.25, 0], [0, 0.75, 0.25], [0, 0, 1]])
    assert_close(far, [[0, 0, 1]] * 3)


def _double_integrator(points, seed):
    """Mean cost of the policy from a grid with that many points per axis, simulated in continuous space."""
    axis = np.linspace(-4, 4, points)

    def step(s, a, e):
        return np.stack([s[:, 0] + 0.5 * s[:, 1], s[:, 1] + 0.5 * a + e[..., 0]], axis=1)

    def cost(s, a):
        return s[:, 0] ** 2 + 0.2 * s[:, 1] ** 2 + 0.1 * np.abs(a)

    model = GridModel([axis, axis], step, [-1.0, 0.0, 1.0], noise_scale=[0.1])
    solution = value_iteration(model.to_mdp(lambda s, a: -cost(s, a), discount=0.95), tol=1e-3)
    policy = QMDPPolicy(solution, model.interpolator)
    rng = np.random.default_rng(seed)
    s, total = rng.uniform(-3, 3, size=(500, 2)), 0.0
    for _ in range(60):
        a = model.actions[policy.actions(s)]
        total += cost(s, a).mean()
        s = step(s, a, 0.1 * rng.standard_normal((500, 1)))
    return total


@pytest.mark.spec("MDP-P6")
def test_a_finer_grid_performs_better(seed):
    coarse, middle, fine = (_double_integrator(points, seed) for points in (3, 5, 17))
    assert fine < middle < coarse  # costs; they differ by far more than the spread of the simulation


@pytest.mark.spec("MDP-09", "MDP-T1", "MDP-T2")
def test_grids_of_the_collision_model():
    coarse, fine = CollisionAvoidance("coarse"), CollisionAvoidance("fine")
    assert coarse.n_states == 765_625 == 5**2 * 7**2 * 5**2 * 5**2
    assert fine.n_states == 9_529_569 == 9**2 * 7**2 * 7**2 * 7**2
    assert [len(axis) for axis in coarse.axes] == 2 * [5, 7, 5, 5]
    assert [len(axis) for axis in fine.axes] == 2 * [9, 7, 7, 7]
    assert fine.axes[0] == [-15, -7, -3, -1, 0, 1, 3, 7, 15]
    assert coarse.axes[0] == [-15, -1, 0, 1, 15]
    assert fine.axes[1] == coarse.axes[1] == [-5, -3, -1, 0, 1, 3, 5]
    assert fine.axes[2] == [-5, -3, -1, 0, 1, 3, 5]
    assert coarse.axes[2] == [-5, -1, 0, 1, 5]
    assert fine.axes[3] == [-10, -3, -1, 0, 1, 3, 10]
    assert coarse.axes[3] == [-10, -1, 0, 1, 10]


@pytest.mark.spec("MDP-09")
def test_the_collision_model_is_its_formulas():
    model = CollisionAvoidance(TINY, safety=5.0, tracking=0.2, reward_min=-30.0, discount=0.9)
    mdp = model.build()
    assert mdp.n_states == model.n_states == 135**2
    states = np.stack(np.meshgrid(*model.axes, indexing="ij"), axis=-1).reshape(-1, 8)
    rx, _, _, dx, ry, _, _, dy = states.T
    for number in (0, 4, 7):
        ax, ay = model.actions[number]
        with np.errstate(divide="ignore"):
            inner = -abs(ax) - abs(ay) - 5.0 / (rx**2 + ry**2) - 0.2 * (dx**2 + dy**2)
        assert_close(mdp.reward()[:, number], np.maximum(-30.0, inner))
    # The mean of the next state follows the equations of motion, where the border is far.
    x = model._factor(1.0)
    inside = (np.abs(x.states) < [8, 2, 2, 4]).all(axis=1)
    for acceleration, P in zip(model.accelerations, x.transitions()):
        r, own, intruder, d = x.states.T
        dt = model.time_step
        after = np.stack([r + dt * (intruder - own), own + dt * acceleration, intruder, d + dt * (1 - own)], axis=1)
        assert_close((P @ x.states)[inside], after[inside])


@pytest.mark.spec("MDP-09", "MDP-10", "CRS-118")
def test_the_solved_drone_keeps_its_distance():
    model = CollisionAvoidance(TINY, discount=0.9).solve(tol=1.0)
    avoiding = model.evaluate(n_runs=300, random_state=0)
    straight = model.evaluate(lambda s: np.full(len(s), 4), n_runs=300, random_state=0)  # never accelerates
    assert avoiding["closest_quantile"] > straight["closest_quantile"]
    warm = CollisionAvoidance(TINY, discount=0.9, safety=51.0).solve(tol=1.0, Q0=model.solution_)
    assert warm.solution_.n_iter < model.solution_.n_iter
    one, two = (model.simulate(n_runs=5, random_state=3)["distance"] for _ in range(2))
    np.testing.assert_array_equal(one, two)
    for policy in (model.policy_, model.solution_):
        np.testing.assert_array_equal(model.simulate(policy, n_runs=5, random_state=3)["distance"], one)


@pytest.mark.spec("CRS-162")
def test_encounters_start_at_the_given_states():
    start = np.array([4.0, 1.0, -0.5, 0.2, 3.0, 0.0, 0.25, -0.1])
    still = CollisionAvoidance(TINY, own_noise=0.0, intruder_noise=0.0)
    runs = still.simulate(lambda s: np.full(len(s), 4), start=start, n_runs=3, n_steps=6, random_state=0)
    time = still.time_step * np.arange(7)[:, None]
    assert runs["distance"].shape == (3, 7, 2)
    for distance, deviation in zip(runs["distance"], runs["deviation"]):
        assert_close(distance, [4.0, 3.0] + time * [-1.5, 0.25])
        assert_close(deviation, [0.2, -0.1] + time * [0.0, 0.0])
    table = still.simulate(lambda s: np.full(len(s), 4), start=np.tile(start, (2, 1)), n_steps=6)
    np.testing.assert_array_equal(table["distance"], runs["distance"][:2])


@pytest.mark.spec("CRS-162")
def test_a_hovering_drone_is_to_stay_where_it_is():
    model = CollisionAvoidance(TINY, desired_velocity=(0, 0), own_noise=0.0)
    idle = model.simulate(lambda s: np.full(len(s), 4), n_runs=4, random_state=0)
    assert_close(idle["deviation"], np.zeros((4, 61, 2)))  # it starts at rest, and its path is a point
    x = model._factor(0.0)
    inside = (np.abs(x.states) < [8, 2, 2, 4]).all(axis=1)
    for acceleration, P in zip(model.accelerations, x.transitions()):
        r, own, intruder, d = x.states.T
        dt = model.time_step
        after = np.stack([r + dt * (intruder - own), own + dt * acceleration, intruder, d - dt * own], axis=1)
        assert_close((P @ x.states)[inside], after[inside])
    # Hovering is the same on both axes, flying along x is not.
    values = (
        CollisionAvoidance(TINY, discount=0.8, desired_velocity=(0, 0)).solve(tol=1.0).solution_.V.reshape(135, 135)
    )
    assert_close(values, values.T)
    flying = CollisionAvoidance(TINY, discount=0.8).solve(tol=1.0).solution_.V.reshape(135, 135)
    assert np.abs(flying - flying.T).max() > 1.0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: CollisionAvoidance(TINY, desired_velocity=1.0), "`desired_velocity` must be two numbers"),
        (lambda: CollisionAvoidance(TINY).simulate(lambda s: np.zeros(len(s), int), start=[1, 2]), "`start` must be"),
        (lambda: sigma_points([-1]), "`scale`"),
        (lambda: GridModel([[0, 1]], drift, [0], interpolation="cubic"), "`interpolation` must be"),
        (lambda: GridModel([[0, 1]], drift, [0], noise="grid"), "`noise` must be"),
        (lambda: GridModel([[0, 1]], drift, []), "`actions` must hold at least one"),
        (lambda: GridModel([[0, 1]], drift, [0], noise="sample", n_draws=0), "`n_draws`"),
        (lambda: GridModel([[0, 1]], lambda s, a, e: 0.0, [0]).transitions(), r"`step` must return an array of shape"),
        (lambda: CollisionAvoidance("huge"), "`grid` must be"),
        (lambda: CollisionAvoidance({"distance": [0, 1]}), "`grid` must have the keys"),
        (lambda: CollisionAvoidance(safety=0.0), "`safety` must be a positive number"),
        (lambda: CollisionAvoidance(reward_min=1.0), "`reward_min` must be a negative number"),
        (lambda: CollisionAvoidance(interpolation="cubic"), "`interpolation`"),
        (lambda: CollisionAvoidance().simulate(), "call `solve` first"),
    ],
)
def test_wrong_input_raises_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_step_must_be_a_function():
    with pytest.raises(TypeError, match="`step` must be a function, got str"):
        GridModel([[0, 1]], "step", [0])


@pytest.mark.spec("CRS-14")
def test_number_of_sweeps_at_the_default_tolerance():
    model = CollisionAvoidance(TINY, discount=0.9).solve()
    solution = model.solution_
    assert solution.n_iter == 57
    # The first sweep whose change meets the rule; the changes shrink at least by the discount.
    limit = 0.1 * (1 - 0.9) / 0.9
    assert solution.changes[-1] <= limit < solution.changes[-2]
    assert solution.n_iter <= 2 + np.log(limit / 500) / np.log(0.9)


IDLE_2D, IDLE_3D = 4, 13  # numbers of the actions without acceleration
SMALL = {"distance": [-4, 0, 4], "own_speed": [-1, 0, 1], "intruder_speed": [-1, 0, 1], "deviation": [-3, 0, 3]}
POINT = {"distance": [0], "own_speed": [0], "intruder_speed": [0], "deviation": [0]}


def idle(states):
    return np.full(len(states), IDLE_2D if states.shape[1] == 8 else IDLE_3D)


@pytest.mark.spec("CRS-68")
def test_intruders_with_random_headings_keep_their_velocity():
    model = CollisionAvoidance(TINY, own_noise=0.0)
    runs = model.simulate(idle, start="random_heading", place=(-6, 1), speed=1.5, n_runs=200, n_steps=4, random_state=0)
    assert_close(runs["distance"][:, 0], np.tile([6.0, -1.0], (200, 1)))
    steps = np.diff(runs["distance"], axis=1) / model.time_step + model.desired_velocity  # the intruder's velocity
    assert_close(np.linalg.norm(steps, axis=2), 1.5)
    assert_close(steps, np.repeat(steps[:, :1], 4, axis=1), atol=1e-12)
    quadrant = np.digitize(np.arctan2(steps[:, 0, 1], steps[:, 0, 0]), [-np.pi / 2, 0, np.pi / 2])
    assert np.bincount(quadrant, minlength=4).min() > 25  # all directions


@pytest.mark.spec("CRS-68")
def test_hovering_drones_meet_intruders_from_the_right():
    model = CollisionAvoidance(TINY, desired_velocity=(0, 0), own_noise=0.0, intruder_noise=0.0)
    runs = model.simulate(idle, start="hover", n_runs=50, n_steps=5, random_state=0)
    assert (runs["distance"][:, 0, 0] >= 10).all()
    assert (np.diff(runs["distance"][..., 0], axis=1) < 0).all()  # they come
    assert_close(runs["deviation"], np.zeros((50, 6, 2)))  # the goal is at rest
    with pytest.raises(ValueError, match="`start`='hover' requires a model with `desired_velocity`=0"):
        CollisionAvoidance(TINY).simulate(idle, start="hover")


@pytest.mark.spec("CRS-68")
def test_the_behaviour_of_the_intruder_can_be_any_function():
    model = CollisionAvoidance(TINY, own_noise=0.0)
    runs = model.simulate(
        idle,
        start=np.zeros(8),
        intruder=lambda states, rng: np.tile([0.5, -1.0], (len(states), 1)),
        n_runs=2,
        n_steps=3,
    )
    velocity = np.diff(runs["distance"], axis=1) / model.time_step
    assert_close(velocity[0], model.time_step * np.arange(3)[:, None] * [0.5, -1.0], atol=1e-12)
    with pytest.raises(ValueError, match=r"`intruder` must return finite accelerations of shape \(2, 2\)"):
        model.simulate(idle, start=np.zeros(8), intruder=lambda states, rng: 0.0, n_runs=2)


@pytest.mark.spec("CRS-73")
def test_plane_encounters_have_the_values_of_two_dimensions():
    plane = CollisionAvoidance(SMALL, discount=0.8).solve(tol=1e-3)
    flat = CollisionAvoidance(SMALL, discount=0.8, dimensions=3, vertical=POINT).solve(tol=1e-3)
    assert flat.n_states == plane.n_states == 81**2
    assert_close(flat.solution_.V, plane.solution_.V, rtol=1e-12)
    assert_close(flat.solution_.Q[:, 1::3], plane.solution_.Q, rtol=1e-6)  # without acceleration on z


@pytest.mark.spec("CRS-73")
def test_drones_in_three_dimensions_evade_above_or_below():
    upward = {"distance": [-4, 0, 4], "own_speed": [-1, 0, 1], "intruder_speed": [0], "deviation": [-3, 0, 3]}
    corridor = {"distance": [-4, 0, 4], "own_speed": [-1, 1], "intruder_speed": [-1, 1], "deviation": [0]}
    model = CollisionAvoidance(corridor, discount=0.8, dimensions=3, vertical=upward).solve(tol=0.1)
    assert model.n_states == 12**2 * 27
    assert model.actions.shape == (27, 3)
    assert_close(model.desired_velocity, [1, 0, 0])
    for start in ("head_on", "random_heading"):
        runs = model.simulate(start=start, n_runs=20, n_steps=20, random_state=0)
        assert runs["distance"].shape == (20, 21, 3)
    avoiding = model.evaluate(n_runs=200, n_steps=25, random_state=0)
    straight = model.evaluate(idle, n_runs=200, n_steps=25, random_state=0)
    assert avoiding["closest_quantile"] > straight["closest_quantile"]


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(dimensions=4), "`dimensions` must be 2 or 3, got 4"),
        (dict(vertical=POINT), "`vertical` requires `dimensions`=3"),
        (dict(desired_velocity=(1, 0, 0)), "`desired_velocity` must be two numbers"),
        (dict(dimensions=3, desired_velocity=1.0), "`desired_velocity` must be two or three numbers"),
        (dict(dimensions=3, vertical={"distance": [0]}), "`vertical` must have the keys"),
    ],
)
def test_wrong_settings_of_the_collision_model_raise(settings, message):
    with pytest.raises(ValueError, match=message):
        CollisionAvoidance(SMALL, **settings)


def test_grids_too_large_for_the_memory_raise():
    with pytest.raises(MemoryError, match="669,921,875 states"):
        CollisionAvoidance("coarse", dimensions=3).solve()


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(start="behind"), "`start` must be one of 'head_on', 'random_heading', 'hover'"),
        (dict(start=[1.0, 2.0]), r"`start` must be finite numbers of shape \(8,\)"),
        (dict(start="random_heading", place=(1, 2, 3)), "`place` must be 2 finite numbers"),
        (dict(start="random_heading", speed=0), "`speed` must be a positive number"),
    ],
)
def test_wrong_starts_of_encounters_raise(options, message):
    with pytest.raises(ValueError, match=message):
        CollisionAvoidance(TINY).simulate(idle, **options)
