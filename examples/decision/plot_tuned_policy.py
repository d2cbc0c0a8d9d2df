"""
Safety against deviation: a policy tuned by Bayesian optimisation
=================================================================

The reward of the collision-avoidance problem weighs three wishes: keep away from the intruder, stay on the path, spend
little effort. Nobody knows the right weights beforehand. What counts is the behaviour of the resulting policy: the 5 %
quantile of the closest approach, to be maximised, and the mean deviation from the path, to be minimised. One evaluation
solves a decision process and simulates encounters, so the search has to be frugal.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decision import CollisionAvoidance, cdf_comparison, policy_map, scalarize
from statlearn.gp import BayesianOptimizer, Real
from statlearn.plot import style

# %%
# A coarser grid than the ones of the literature, so that one evaluation takes a fraction of a second.
GRID = {
    "distance": [-15, -2, 0, 2, 15],
    "own_speed": [-2, -1, 0, 1, 2],
    "intruder_speed": [-2, 0, 2],
    "deviation": [-10, -1, 0, 1, 10],
}


def solve(weights):
    """The solved model for these weights of the reward."""
    model = CollisionAvoidance(GRID, discount=0.9, safety=weights["safety"], tracking=weights["tracking"])
    return model.solve(tol=5.0)


def behaviour(weights):
    """Closest approach in 95 % of the encounters, and mean deviation."""
    metrics = solve(weights).evaluate(n_runs=200, random_state=0)
    return metrics["closest_quantile"], metrics["mean_deviation"]


# %%
# Both objectives at once: the next weights maximise the expected gain of hypervolume, the area between the front and a
# reference point. Deviations of more than 6 m are of no interest.
space = {"safety": Real(1.0, 1000.0, "log-uniform"), "tracking": Real(0.02, 3.0, "log-uniform")}
default = {"safety": 50.0, "tracking": 0.1}
optimizer = BayesianOptimizer(
    space,
    n_objectives=2,
    maximize=[True, False],
    reference=[0.5, 6.0],
    initial_points=[default],
    n_initial=6,
    random_state=0,
)
optimizer.optimize(behaviour, n_trials=18)
front = sorted((trial for trial in optimizer.pareto_trials if trial.values[1] < 6), key=lambda trial: trial.values)
for trial in front:
    weights = ", ".join(f"{name} {value:.3g}" for name, value in trial.point.items())
    print(f"closest approach {trial.values[0]:.2f} m, deviation {trial.values[1]:.2f} m: {weights}")

# %%
# The default weights of the model are one point among many. Improvements in one objective are paid for in the other, as
# far as the front goes.
with style():
    _, ax = plt.subplots()
    values = np.array([trial.values for trial in optimizer.trials])
    best = np.array([trial.values for trial in front])
    ax.plot(*values.T, "o", alpha=0.4, label="evaluated weights")
    ax.set_ylim(0, 7)
    ax.plot(*best.T, "o-", label="Pareto front")
    ax.plot(*optimizer.trials[0].values, "k*", markersize=12, label="default weights")
    ax.set_xlabel("5 % quantile of the closest approach in metres (more is better)")
    ax.set_ylabel("mean deviation in metres (less is better)")
    ax.legend()

# %%
# A single number is enough if the trade-off is known: :math:`\beta / r_{5\%} + (1 - \beta)\,\text{deviation}`. The
# evaluations above are reused, so that this search starts with a model.
beta = 0.7


def weighted(values):
    metrics = dict(zip(("closest_quantile", "mean_deviation"), values))
    weights = {"closest_quantile": beta, "mean_deviation": 1 - beta}
    return scalarize(metrics, weights, maximize=["closest_quantile"])


single = BayesianOptimizer(space, random_state=1)
for trial in optimizer.trials:
    single.tell(trial.point, weighted(trial.values))
single.optimize(lambda point: weighted(behaviour(point)), n_trials=22)
chosen = {name: round(value, 3) for name, value in single.best_point.items()}
print(f"best weights for beta = {beta}: {chosen}, objective {single.best_value:.3f}")

# %%
# The chosen policy against the default, on encounters that neither was tuned on: the distribution of the closest
# approach, the mean deviation, and the actions around the intruder for a drone that meets it head-on. The weight beta
# decides which of the two wishes gives way.
policies = {"default weights": solve(default), "tuned weights": solve(single.best_point)}
closest = {}
for name, model in policies.items():
    metrics = model.evaluate(n_runs=1000, random_state=1)
    closest[f"{name}, deviation {metrics['mean_deviation']:.2f} m"] = metrics["closest_approach"]
with style():
    cdf_comparison(closest, threshold=1.5, xlabel="closest approach in metres")

at = [0, 1, -2, 0, 0, 0, 0, 0]  # r, v_o, v_i, d on x, then on y
tuned = policies["tuned weights"]
labels = [f"accelerate ({x:+.0f}, {y:+.0f})" for x, y in tuned.actions]
with style():
    policy_map(
        tuned.policy_.actions, tuned.axes, x=0, y=4, at=at, labels=labels, names=["ahead, m", "", "", "", "beside, m"]
    )
plt.show()
