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
# that does not change. On the right the drone is to stay where it is, and the intruder comes from the right and wavers.
# A state holds distance, own speed, intruder's speed and deviation on x, then on y.
rng = np.random.default_rng(0)
n = 8
heading = 2 * np.pi / n * (np.arange(n) + rng.uniform(size=n))  # random, but in all directions
across = np.zeros((n, 8))
across[:, 0], across[:, 1] = 8, 1
across[:, 2], across[:, 6] = 1.2 * np.cos(heading), 1.2 * np.sin(heading)
guests = np.zeros((5, 8))
guests[:, 0], guests[:, 4] = 10, rng.uniform(-1.5, 1.5, 5)
guests[:, 2] = -rng.uniform(0.8, 1.6, 5)

steady = CollisionAvoidance(GRID, intruder_noise=0.0, own_noise=0.1)
still = CollisionAvoidance(GRID, own_noise=0.1, intruder_noise=0.15, desired_velocity=(0, 0))
scenes = {
    "random headings": (steady, crossing, across, [-8.0, 0.0]),
    "hovering": (still, hovering, guests, [0.0, 0.0]),
}


def paths(world, runs, home):
    """Positions of the drone and of the intruder: the wanted path minus the deviation, and the distance from there."""
    time = world.time_step * np.arange(runs["distance"].shape[1])
    own = np.array(home) + time[:, None] * world.desired_velocity - runs["deviation"]
    return own, own + runs["distance"]


nearest = {}
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(12.5, 5), layout="constrained", sharey=True)
    for ax, (name, (world, model, start, home)) in zip(axes, scenes.items()):
        runs = world.simulate(model.policy_, start=start, n_steps=36, random_state=0)
        own, intruder = paths(world, runs, home)
        distance = np.linalg.norm(runs["distance"], axis=2)
        nearest[name] = closest_approach(runs["distance"])
        idle = world.simulate(lambda states: np.full(len(states), 4), start=start, n_steps=36, random_state=0)
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
# and returns to its path, or to its place. A drone that never accelerates is passed much more closely.
