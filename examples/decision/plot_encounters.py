"""
Encounters: random headings, and hovering
=========================================

A policy that was computed on a grid is judged by an expert who looks at its flights. Does the drone make way where a
human would, and does it come back?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decision import CollisionAvoidance, closest_approach
from statlearn.plot import style

GRID = {
    "distance": [-12, -4, -1, 0, 1, 4, 12],
    "own_speed": [-2, -1, 0, 1, 2],
    "intruder_speed": [-2, 0, 2],
    "deviation": [-8, -1, 0, 1, 8],
}
settings = {"discount": 0.9, "safety": 100.0, "tracking": 0.3}
crossing = CollisionAvoidance(GRID, **settings).solve(tol=5.0)
hovering = CollisionAvoidance(GRID, **settings, desired_velocity=(0, 0)).solve(tol=5.0)

# %%
# Two scenes. On the left the drone flies to the right, and the intruder leaves the origin in any direction at a speed
# that does not change. On the right the drone is to stay where it is, and an intruder from the right behaves in a way
# that the policy does not know: it weaves.
HOME = (-7.0, 0.0)


def weave(states, rng):
    """Accelerations of an intruder that turns away as soon as it flies off its line."""
    return np.column_stack([0.1 * rng.standard_normal(len(states)), -0.5 * np.sign(states[:, 6])])


steady = CollisionAvoidance(GRID, own_noise=0.1)
still = CollisionAvoidance(GRID, own_noise=0.1, desired_velocity=(0, 0))
scenes = {
    "random headings": (steady, crossing, {"start": "random_heading", "place": HOME, "speed": 0.3, "n_runs": 8}, HOME),
    "hovering": (still, hovering, {"start": "hover", "intruder": weave, "n_runs": 5}, (0.0, 0.0)),
}


def paths(world, runs, home):
    """Positions of the drone and of the intruder: the wanted path minus the deviation, and the distance from there."""
    time = world.time_step * np.arange(runs["distance"].shape[1])
    own = np.array(home) + time[:, None] * world.desired_velocity - runs["deviation"]
    return own, own + runs["distance"]


nearest = {}
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(12.5, 5), layout="constrained", sharey=True)
    for ax, (name, (world, model, options, home)) in zip(axes, scenes.items()):
        runs = world.simulate(model.policy_, **options, n_steps=36, random_state=0)
        own, intruder = paths(world, runs, home)
        distance = np.linalg.norm(runs["distance"], axis=2)
        nearest[name] = closest_approach(runs["distance"])
        idle = world.simulate(lambda states: np.full(len(states), 4), **options, n_steps=36, random_state=0)
        nearest[name + ", idle"] = closest_approach(idle["distance"])
        for k, t in enumerate(distance.argmin(axis=1)):
            ax.plot(*intruder[k].T, "--", color=colours.cycle[k % 7], lw=0.9, label=None if k else "intruder")
            ax.plot(*own[k].T, color=colours.cycle[k % 7], lw=1.6, label=None if k else "drone")
            ax.plot(*np.transpose([own[k, t], intruder[k, t]]), ":o", ms=4, color=colours.cycle[k % 7], lw=1)
        ax.plot(*home, "x", ms=11, mew=3, color=colours.ink, label="its start")
        ax.set(title=f"{name}: never nearer than {nearest[name].min():.1f} m", xlabel="x (m)", aspect="equal")
        ax.set(xlim=(-10, 12), ylim=(-7, 7))
        ax.legend(loc="lower left", ncols=3)
    axes[0].set_ylabel("y (m)")
plt.show()
for name, values in nearest.items():
    print(f"{name:22} closest approach: smallest {values.min():.2f} m, median {np.median(values):.2f} m")

# %%
# Dotted lines join the two where they are nearest. The drone makes way to the side on which the intruder does not fly,
# or waits until it has gone, and returns to its path, or to its place. A drone that never accelerates is passed much
# more closely.
