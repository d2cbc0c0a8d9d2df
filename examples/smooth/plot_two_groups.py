"""
Growth of two groups: smoothing splines with 12 degrees of freedom
==================================================================

Relative change in bone density against age, girls and boys (simulated after the picture in the book). Are the spurts
at the same age?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import SmoothingSpline

rng = np.random.default_rng(1)


def draw(n, peak, height):
    """A spurt at an age, some decline after it, and a noise that grows with the level."""
    age = rng.uniform(9.5, 25.5, size=n)
    level = height * np.exp(-((age - peak) ** 2) / (2 * 1.9**2)) + 0.01 / (1 + np.exp(age - 17)) - 0.002
    return age, level + (0.012 + 0.2 * level) * rng.normal(size=n)


groups = {"girls": draw(260, 11.9, 0.075), "boys": draw(225, 13.8, 0.075)}
grid = np.linspace(9.5, 25.5, 400)
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for (name, (age, change)), colour in zip(groups.items(), ("C3", "C0")):
    spline = SmoothingSpline(df=12).fit(age, change)
    value, std = spline.predict(grid, return_std=True)
    ax.plot(age, change, "o", ms=2.5, color=colour, alpha=0.4)
    ax.plot(grid, value, color=colour, label=f"{name}, λ = {spline.lam_:.2g}")
    ax.fill_between(grid, value - 2 * std, value + 2 * std, color=colour, alpha=0.2, lw=0)
    print(f"{name}: fastest growth at {grid[value.argmax()]:.1f} years")
ax.axhline(0, color="0.7", lw=1)
ax.set(xlabel="age", ylabel="relative change in bone density", title="12 degrees of freedom each")
ax.legend()
plt.show()

# %%
# The data are simulated. The measurements themselves are ``bone.data`` on the website of *The Elements of Statistical
# Learning* and ``bone`` in R's archived package ElemStatLearn. With that file at hand, these lines read it instead::
#
#     bone = pd.read_csv("bone.data", sep="\t")
#     groups = {sex: rows[["age", "spnbmd"]].to_numpy().T for sex, rows in bone.groupby("gender")}

# %%
# The girls' spurt comes about two years before the boys'. Fixing the degrees of freedom makes the two curves
# comparable; the penalties that give them differ, since they depend on where the ages lie.
