"""
What a drone does when an intruder is near
==========================================

A drone flies along a path and may accelerate on both axes. An intruder comes towards it. Value iteration on a grid
gives the best action in every state; between the nodes, the values of the actions are interpolated. Which action is
chosen where?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decision import CollisionAvoidance, policy_map
from statlearn.plot import style

# %%
# A small grid, solved in a second. The two axes move independently, so only the transitions of one axis are stored.
grid = {
    "distance": [-12, -6, -3, -1, 0, 1, 3, 6, 12],
    "own_speed": [-2, 0, 1, 2],
    "intruder_speed": [-2, 0, 2],
    "deviation": [-6, -1, 0, 1, 6],
}
model = CollisionAvoidance(grid, discount=0.95).solve(tol=1.0)
print(f"{model.n_states:,} states, {model.solution_.n_iter} sweeps")

# %%
# A slice through the eight coordinates: the position of the intruder, which flies at 2 m/s towards the drone, while the
# drone flies along its path at 1 m/s.
names = [f"{what} {axis}" for axis in "xy" for what in ("distance", "own speed", "intruder speed", "deviation")]
labels = [f"({x:+.0f}, {y:+.0f})" for x, y in model.actions]
with style():
    ax = policy_map(
        model.policy_.actions, model.axes, x=0, y=4, at=[0, 1, -2, 0, 0, 0, 0, 0], labels=labels, names=names
    )
    ax.set_title("Acceleration (x, y) by the position of the intruder")
plt.show()

# %%
# Far away the drone keeps its course. If the intruder comes from the front (right), the drone turns to the other side,
# and speeds up to get past it when it is close. An intruder that has passed (left) is ignored.
runs = model.evaluate(n_runs=500, random_state=0)
straight = model.evaluate(lambda states: np.full(len(states), 4), n_runs=500, random_state=0)
for name, metrics in (("policy", runs), ("straight on", straight)):
    print(f"{name:12s} closest approach, 5 % quantile: {metrics['closest_quantile']:.2f} m")
