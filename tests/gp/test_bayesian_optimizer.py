"""Ask and tell, batches, mixed spaces, noise, failures, constraints, several objectives, budgets, pictures."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from statlearn.decision import is_dominated
from statlearn.gp import BayesianOptimizer, GaussianProcessRegressor, Real, expected_improvement
from statlearn.gp._batch_acquisition import joint_improvement
from statlearn.gp._surrogate import Surrogate
from tests.helpers import assert_close


def wave(point):
    """A smooth function of one variable with two minima; the lower one is near 0.757."""
    x = point["x"] if isinstance(point, dict) else point[0]
    return (6 * x - 2) ** 2 * math.sin(12 * x - 4)


def run(optimizer, objective, n):
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, objective(point))
    return optimizer


@pytest.fixture(scope="module")
def study():
    return run(BayesianOptimizer({"x": (0.0, 1.0)}, noise=False, random_state=0), wave, 14)


@pytest.mark.spec("GPR-18")
def test_the_minimum_of_a_wave_is_located(study):
    assert_close(study.best_value, -6.0207400557670825, atol=1e-3)
    assert_close(study.best_point["x"], 0.7572487, atol=2e-3)
    assert [trial.origin for trial in study.trials] == ["design"] * 4 + ["model"] * 10
    assert study.best_value == min(trial.values[0] for trial in study.trials)


@pytest.mark.spec("GPR-P12")
def test_fewer_evaluations_than_random_search():
    # 20 evaluations each; the gap between the two is three orders of magnitude, so that two seeds suffice.
    lowest = -6.0207400557670825
    for seed in range(2):
        found = run(BayesianOptimizer([(0.0, 1.0)], noise=False, random_state=seed), wave, 20).best_value
        rng = np.random.default_rng(seed)
        drawn = np.median([min(wave([x]) for x in rng.random(20)) for _ in range(101)])
        assert found - lowest < 1e-3 < drawn - lowest


def test_proposals_depend_on_seed_and_values_only(study):
    again = BayesianOptimizer({"x": (0.0, 1.0)}, noise=False, random_state=0)
    for trial in study.trials:
        assert again.ask() == trial.point
        again.tell(trial.point, trial.values[0])
    other = BayesianOptimizer({"x": (0.0, 1.0)}, noise=False, random_state=1)
    assert other.ask() != study.trials[0].point


def test_maximising_is_minimising_the_negative(study):
    mirrored = BayesianOptimizer({"x": (0.0, 1.0)}, noise=False, maximize=True, random_state=0)
    for trial in study.trials:
        assert_close(mirrored.ask()["x"], trial.point["x"])
        mirrored.tell(trial.point, -trial.values[0])
    assert_close(mirrored.best_value, -study.best_value)
    mean, _std = study.predict([{"x": 0.3}])
    assert_close(mirrored.predict([{"x": 0.3}])[0], -mean)


@pytest.mark.spec("GPR-18")
def test_the_next_point_maximises_the_acquisition(study):
    fresh = BayesianOptimizer({"x": (0.0, 1.0)}, noise=False, random_state=0)
    for trial in study.trials[:8]:
        fresh.tell(trial.point, trial.values[0])
    grid = [{"x": float(x)} for x in np.linspace(0, 1, 2001)]
    score = fresh.acquisition_values(grid)
    mean, variance = fresh._fitted()[0][0].predict(np.array([[point["x"]] for point in grid]))
    std = np.sqrt(variance)
    warp = fresh._warp()  # the model has its own scale
    assert_close(np.exp(score), expected_improvement(mean, std, warp(fresh.best_value)), rtol=1e-6, atol=1e-12)
    assert_close(fresh.predict(grid)[0], warp.inverse(mean))
    assert_close(fresh.predict(grid)[1], (warp.inverse(mean + std) - warp.inverse(mean - std)) / 2)
    asked = fresh.ask()
    best = grid[int(np.argmax(score))]["x"]
    assert abs(asked["x"] - best) < 1e-3


@pytest.mark.parametrize("acquisition", ["ei", "pi", "lcb"])
def test_other_acquisitions_get_there_too(acquisition):
    optimizer = BayesianOptimizer([(0.0, 1.0)], acquisition=acquisition, xi=0.01, noise=False, random_state=0)
    assert run(optimizer, wave, 16).best_value < -5.9


@pytest.mark.spec("GPR-18")
def test_mixed_spaces():
    space = {"rate": Real(1e-4, 1.0, "log-uniform"), "depth": (1, 12), "kind": ["a", "b", "c"]}

    def objective(p):
        return (
            (math.log10(p["rate"]) + 2) ** 2 + 0.1 * (p["depth"] - 7) ** 2 + {"a": 1.0, "b": 0.0, "c": 2.0}[p["kind"]]
        )

    optimizer = run(BayesianOptimizer(space, random_state=0), objective, 30)
    best = optimizer.best_point
    assert best["kind"] == "b"
    assert best["depth"] == 7
    assert objective(best) < 0.02
    assert all(isinstance(t.point["depth"], int) for t in optimizer.trials)


def test_a_finite_space_is_exhausted_without_repeats():
    optimizer = BayesianOptimizer({"a": (1, 3), "b": [False, True]}, noise=False, random_state=0)
    optimizer.optimize(lambda p: p["a"] - 2 * p["b"], n_trials=50)
    assert len(optimizer.trials) == 6
    assert len({(t.point["a"], t.point["b"]) for t in optimizer.trials}) == 6
    assert optimizer.best_point == {"a": 1, "b": True}
    with pytest.raises(ValueError, match="All 6 points"):
        optimizer.ask()


def test_a_few_bad_values_do_not_hide_the_good_ones():
    optimizer = BayesianOptimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, random_state=0)

    def loss(p):  # a bowl of depth 0.01 beside a cliff of height 1000
        return 1000.0 if p["y"] > 0.6 else 0.1 + 0.02 * ((p["x"] - 0.7) ** 2 + (p["y"] - 0.3) ** 2)

    optimizer.optimize(loss, n_trials=25)
    assert abs(optimizer.best_point["x"] - 0.7) < 0.1
    assert optimizer.best_point["y"] < 0.5
    mean, std = optimizer.predict([optimizer.best_point, {"x": 0.5, "y": 0.99}])
    assert_close(mean[0], 0.1, atol=5e-3)
    assert mean[1] > 10
    assert np.all(std >= 0)


@pytest.mark.spec("GPR-18")
def test_noisy_objectives_are_judged_by_the_model(seed):
    rng = np.random.default_rng(seed)
    optimizer = BayesianOptimizer([(-3.0, 3.0)], random_state=seed)
    run(optimizer, lambda p: (p[0] - 1) ** 2 + 0.5 * rng.normal(), 30)
    assert abs(optimizer.best_point[0] - 1) < 0.5
    noise = math.sqrt(optimizer._fitted()[0][0].noise_variance)
    assert 0.2 < noise < 1.2


@pytest.mark.spec("GPR-19", "GPR-P10")
@pytest.mark.parametrize(
    "strategy, lie",
    [
        ("constant_liar", None),
        ("constant_liar", "min"),
        ("constant_liar", "max"),
        ("constant_liar", "mean"),
        ("kriging_believer", None),
        ("q_ei", None),
    ],
)
def test_points_of_a_batch_differ_and_lies_vanish(strategy, lie):
    optimizer = run(
        BayesianOptimizer([(0.0, 1.0), (0.0, 1.0)], n_initial=6, random_state=0), lambda p: p[0] + p[1] ** 2, 6
    )
    batch = optimizer.ask(4, strategy=strategy, lie=lie)
    assert len({tuple(point) for point in batch}) == 4
    apart = np.linalg.norm(np.subtract(batch[0], batch[1]))
    assert apart > 1e-3
    for point in batch[::-1]:  # asynchronous: in any order
        optimizer.tell(point, point[0] + point[1] ** 2)
    plain = BayesianOptimizer([(0.0, 1.0), (0.0, 1.0)], n_initial=6, random_state=5)
    for trial in optimizer.trials:
        plain.tell(trial.point, trial.values[0])
    grid = np.random.default_rng(0).random((20, 2)).tolist()
    for ours, theirs in zip(optimizer.predict(grid), plain.predict(grid)):
        assert_close(ours, theirs)


@pytest.mark.spec("GPR-19")
def test_pending_points_use_the_constant_liar():
    optimizer = run(BayesianOptimizer([(0.0, 1.0)], n_initial=4, noise=False, random_state=0), wave, 5)
    pending = optimizer.ask()
    grid = np.linspace(0, 1, 101)[:, None].tolist()
    lying = BayesianOptimizer([(0.0, 1.0)], noise=False, random_state=0)
    for trial in optimizer.trials[:5]:
        lying.tell(trial.point, trial.values[0])
    worst = max(trial.values[0] for trial in optimizer.trials[:5])
    model = optimizer._fitted()[0][0]
    X = np.array([trial.position for trial in optimizer.trials])
    y = np.array([*(trial.values[0] for trial in optimizer.trials[:5]), worst])
    held = model.conditioned(X, y)
    assert_close(held.predict(np.array([pending]))[0], worst, atol=1e-2)
    gain = optimizer._gain(
        np.random.default_rng(0), [model], X[:5], y[:5, None], np.ones(5, dtype=bool),
        [optimizer.trials[5]], "constant_liar", "max",
    )  # fmt: skip
    assert_close(gain.surrogate.predict(np.array(grid))[0], held.predict(np.array(grid))[0])


@pytest.mark.spec("GPR-17")
def test_joint_improvement_with_pending_points(seed):
    from statlearn.gp import q_expected_improvement

    rng = np.random.default_rng(seed)
    X = rng.random((8, 2))
    model = Surrogate(X, np.sin(6 * X[:, 0]) + X[:, 1], noise=True)
    pending, new = rng.random((2, 2)), rng.random((5, 2))
    best = -0.5
    fast = joint_improvement(model, pending, new, best, 0)
    for row, value in zip(new, fast):
        mean, cov = model.joint(np.vstack([pending, row]))
        assert_close(value, q_expected_improvement(mean, cov, best, n_samples=2**13), atol=0.02)


@pytest.mark.spec("GPR-18")
def test_failures_are_recorded_and_avoided():
    def objective(p):
        if p["x"] > 0.7:
            raise ArithmeticError("no solution")
        return math.nan if p["y"] < 0.1 else (p["x"] - 0.65) ** 2 + (p["y"] - 0.2) ** 2

    optimizer = BayesianOptimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, random_state=0).optimize(objective, n_trials=30)
    failed = [trial for trial in optimizer.trials if trial.status == "failed"]
    assert failed
    assert {trial.error for trial in failed} <= {"ArithmeticError: no solution", "the objective is nan"}
    points = [tuple(trial.point.values()) for trial in optimizer.trials]
    assert len(set(points)) == len(points)
    assert sum(trial.status == "failed" for trial in optimizer.trials[-10:]) <= 5
    assert optimizer.best_value < 0.01
    frame = optimizer.to_frame()
    assert frame.shape[0] == 30
    assert frame["value"].isna().sum() == len(failed)


def test_a_function_that_never_works_is_reported():
    def broken(point):
        raise KeyError("oops")

    optimizer = BayesianOptimizer([(0.0, 1.0)], random_state=0)
    with pytest.raises(RuntimeError, match=r"first 5 evaluations failed.*KeyError") as caught:
        optimizer.optimize(broken, n_trials=50)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match="No feasible point"):
        _ = optimizer.best_point


def test_constraints_of_unknown_feasibility():
    # Minimum of x + y outside a disc: at the border, (0.2, 0.2) from the origin's side.
    def objective(p):
        return p[0] + p[1], [0.08 - p[0] ** 2 - p[1] ** 2]

    optimizer = BayesianOptimizer([(0.0, 1.0), (0.0, 1.0)], n_constraints=1, noise=False, random_state=0)
    optimizer.optimize(objective, n_trials=30)
    assert optimizer.best_trial.feasible
    lowest = math.sqrt(0.08)  # at (sqrt 0.08, 0)
    assert lowest <= optimizer.best_value < lowest + 0.02
    with pytest.raises(ValueError, match="constraints"):
        optimizer.tell([0.5, 0.5], 1.0)
    with pytest.raises(ValueError, match="n_constraints"):
        BayesianOptimizer([(0.0, 1.0)], n_constraints=1).optimize(lambda p: p[0], n_trials=2)


def test_no_feasible_point_yet_searches_for_one():
    optimizer = BayesianOptimizer([(0.0, 1.0)] * 2, n_constraints=1, random_state=0)
    optimizer.optimize(lambda p: (p[0], [0.9 - min(p)]), n_trials=25)
    assert any(trial.feasible for trial in optimizer.trials)


@pytest.mark.parametrize("acquisition", ["ehvi", "parego"])
def test_two_objectives(acquisition):
    def objective(p):
        return p[0] ** 2 + 0.1 * p[1], (p[0] - 1) ** 2 + 0.1 * p[1]

    optimizer = BayesianOptimizer(
        [(0.0, 1.0)] * 2, n_objectives=2, acquisition=acquisition, noise=False, random_state=0
    )
    optimizer.optimize(objective, n_trials=22)
    front = optimizer.pareto_trials
    values = np.array([trial.values for trial in front])
    assert not is_dominated(values).any()
    # On the front, y = 0 and sqrt(f1) + sqrt(f2) = 1; some points are close to it at both ends and in between.
    assert len(front) >= 6
    gap = np.sqrt(values).sum(axis=1) - 1
    assert np.median(gap) < 0.03
    assert values[:, 0].min() < 0.1
    assert values[:, 1].min() < 0.1
    with pytest.raises(ValueError, match="pareto_trials"):
        _ = optimizer.best_point


def test_three_objectives_and_mixed_directions():
    optimizer = BayesianOptimizer([(0.0, 1.0)] * 2, n_objectives=3, maximize=[False, True, False], random_state=0)
    assert optimizer.acquisition == "parego"
    optimizer.optimize(lambda p: [p[0], p[0] + p[1], p[1]], n_trials=12)
    signed = np.array([t.values for t in optimizer.pareto_trials]) * [1, -1, 1]
    assert not is_dominated(signed).any()
    mean, std = optimizer.predict([[0.5, 0.5]])
    assert mean.shape == std.shape == (1, 3)
    assert_close(mean, [[0.5, 1.0, 0.5]], atol=0.05)


def test_the_mean_far_away_is_not_that_of_a_cluster_of_good_points(rng):
    # Twenty good values close together count as one: independent values, each of them 3, and 0 once.
    X = np.concatenate([np.eye(6), np.full((20, 6), 0.5) + 1e-3 * rng.normal(size=(20, 6))])
    y = np.r_[np.full(6, 3.0), 1e-4 * rng.normal(size=20)]
    lengths = np.log(np.full(6, 0.1))
    model = Surrogate(X, y, theta=np.r_[0.0, lengths, -8.0])
    assert_close(model.predict(np.zeros((1, 6)))[0], [6 * 3.0 / 7], rtol=1e-2)
    known = Surrogate(X, y, theta=model.theta, level=False)
    assert_close(known.predict(np.zeros((1, 6)))[0], [y.mean()], rtol=1e-2)


def test_slopes_of_the_model_match_differences(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((12, 3))
    for kernel in ("rbf", "matern32", "matern52"):
        y = np.sin(5 * X[:, 0]) + X[:, 1] ** 2
        model = Surrogate(X, y, kernel=kernel)
        Q, step = rng.random((4, 3)), 1e-6
        mean, var, by_mean, by_var = model.slopes(Q)
        # The estimated mean of the process is taken as known.
        settings = {"alpha": model.model.alpha, "optimizer": None}
        process = GaussianProcessRegressor(model.model.kernel_, **settings).fit(X, (y - model.centre) / model.scale)
        expected, std = process.predict(Q, return_std=True, latent=True)
        assert_close(mean, model.centre + model.scale * expected, rtol=1e-6, atol=1e-8)
        assert_close(var, model.scale**2 * std**2, rtol=1e-5, atol=1e-8)
        for j in range(3):
            up, down = Q.copy(), Q.copy()
            up[:, j] += step
            down[:, j] -= step
            (m1, v1), (m0, v0) = model.predict(up), model.predict(down)
            assert_close(by_mean[:, j], (m1 - m0) / (2 * step), rtol=1e-4, atol=1e-6)
            assert_close(by_var[:, j], (v1 - v0) / (2 * step), rtol=1e-4, atol=1e-5)


def test_time_and_number_of_evaluations_are_limits():
    begun = time.monotonic()
    optimizer = BayesianOptimizer([(0.0, 1.0)], random_state=0)
    optimizer.optimize(lambda p: time.sleep(0.02) or p[0], timeout=0.2)
    assert 1 <= len(optimizer.trials) <= 11
    assert time.monotonic() - begun < 20
    optimizer.optimize(lambda p: p[0], n_trials=len(optimizer.trials))  # nothing is left to do
    stopped = BayesianOptimizer([(0.0, 1.0)], random_state=0)
    stopped.optimize(lambda p: p[0], n_trials=50, callback=lambda o, trial: trial.number == 2)
    assert len(stopped.trials) == 3


@pytest.mark.parametrize("own", [False, True])
def test_parallel_evaluations(own):
    optimizer = BayesianOptimizer([(0.0, 1.0)], random_state=0)
    if own:
        with ThreadPoolExecutor(2) as pool:
            optimizer.optimize(wave, n_trials=10, executor=pool)
    else:
        optimizer.optimize(wave, n_trials=10, n_jobs=2)
    assert [trial.status for trial in optimizer.trials] == ["done"] * 10
    assert len({trial.point[0] for trial in optimizer.trials}) == 10


def test_initial_points_come_first_and_any_point_can_be_added():
    optimizer = BayesianOptimizer({"x": (0.0, 1.0)}, initial_points=[{"x": 0.25}], random_state=0)
    assert optimizer.ask() == {"x": 0.25}
    trial = optimizer.tell({"x": 0.9}, 3.0)
    assert trial.origin == "given"
    assert optimizer.tell({"x": 0.25}, 1.0).number == 0


@pytest.mark.spec("GPR-20", "GPR-G5")
def test_plots_show_the_study(study):
    axes = study.plot(wave)
    assert len(axes) == 2
    assert len(axes[0].lines) == 3
    assert study.plot_convergence().has_data()
    assert len(study.plot_slices()) == 1
    two = BayesianOptimizer([(0.0, 1.0), ["a", "b"]], n_objectives=2, random_state=0)
    two.optimize(lambda p: [p[0], 1 - p[0]], n_trials=6)
    assert two.plot_front().has_data()
    with pytest.raises(ValueError, match="plot_slices"):
        two.plot()
    with pytest.raises(ValueError, match="two objectives"):
        study.plot_front()


@pytest.mark.parametrize("maximize", [[False, False], [True, True], [True, False], [False, True]])
def test_the_front_bounds_the_region_that_it_dominates(maximize):
    from matplotlib import cbook

    optimizer = BayesianOptimizer([(0.0, 1.0), (0.0, 1.0)], n_objectives=2, maximize=maximize, random_state=0)
    signs = np.where(maximize, -1.0, 1.0)
    front = np.array([[0.1, 0.8], [0.4, 0.5], [0.7, 0.2]])  # smaller is better
    for row, values in enumerate(front):
        optimizer.tell([0.1 * row, 0.2], (signs * values).tolist())
    line = next(line for line in optimizer.plot_front().lines if line.get_label() == "Pareto front")
    steps = cbook.STEP_LOOKUP_MAP[line.get_drawstyle()]
    corners = signs * np.column_stack(steps(*line.get_xydata().T))
    assert len(corners) == 5
    # Every corner is one of the points, or dominated by one.
    assert all((front <= corner + 1e-9).all(axis=1).any() for corner in corners)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"space": {"x": (1.0, 0.0)}}, "less than"),
        ({"space": {}}, "at least one"),
        ({"n_initial": 0}, "n_initial"),
        ({"design": "grid"}, "design"),
        ({"acquisition": "ucb"}, "acquisition"),
        ({"acquisition": "ehvi"}, "n_objectives"),
        ({"acquisition": "parego"}, "several objectives"),
        ({"n_objectives": 2, "acquisition": "ei"}, "one objective"),
        ({"n_objectives": 2, "maximize": [True]}, "maximize"),
        ({"n_objectives": 2, "reference": [1.0]}, "reference"),
        ({"random_state": "x"}, "random_state"),
        ({"initial_points": [{"y": 1.0}]}, "keys"),
    ],
)
def test_bad_settings_raise(settings, words):
    with pytest.raises(ValueError, match=words):
        BayesianOptimizer(**{"space": {"x": (0.0, 1.0)}, **settings})


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda o: o.tell({"x": 2.0}, 1.0), "'x'"),
        (lambda o: o.tell({"x": 0.5}, "bad"), "value"),
        (lambda o: o.tell({"x": 0.5}, [1.0, 2.0]), "value"),
        (lambda o: o.ask(0), "n_points"),
        (lambda o: o.ask(strategy="none"), "strategy"),
        (lambda o: o.predict([{"x": 0.5}]), "two points"),
        (lambda o: o.optimize(3), "objective"),
        (lambda o: o.optimize(wave, timeout=-1), "timeout"),
    ],
)
def test_bad_calls_raise(call, words):
    with pytest.raises(ValueError, match=words):
        call(BayesianOptimizer({"x": (0.0, 1.0)}))


def test_constant_values_are_modelled():
    optimizer = run(BayesianOptimizer([(0.0, 1.0)], random_state=0), lambda p: 3.0, 8)
    assert optimizer.best_value == 3.0


def test_repeated_points_without_noise_still_have_a_model():
    optimizer = BayesianOptimizer([(0.0, 1.0)] * 2, noise=False, random_state=0)
    for value in (1.0, 1.5, 2.0, 1.0):
        optimizer.tell([0.5, 0.5], value)
    optimizer.tell([0.5, 0.5 + 1e-12], 1.0)
    optimizer.tell([0.2, 0.1], 0.0)
    mean, std = optimizer.predict([[0.5, 0.5], [0.2, 0.1]])
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert len(optimizer.ask()) == 2
