"""
One step of sequential minimal optimisation
===========================================

The sum of the multipliers times the labels is fixed, so at least two multipliers must move. Within the box [0, C] x
[0, C] they move along a line: falling if the labels are equal, rising if they differ. The best point of the line is
clipped to the ends L and H that the box leaves.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.svm import smo_solve, smo_step

C = 1.0
rows = {"equal labels": ([1, 1, -1], [0.3, 0.4, 0.7]), "different labels": ([1, -1, 1], [0.2, 0.6, 0.4])}
X = np.array([[0.4, 1.2], [1.0, 0.2], [-0.5, 0.3]])
K = X @ X.T
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.6), layout="constrained")
    for ax, (name, (y, alpha)) in zip(axes, rows.items()):
        y, alpha = np.array(y), np.array(alpha)
        sign = y[0] * y[1]
        constant = alpha[0] + sign * alpha[1]  # what every point of the line has in common
        second = np.linspace(0, C, 401)
        first = constant - sign * second
        inside = (first >= 0) & (first <= C)
        # The dual objective over the box, with the third multiplier fixed.
        a1, a2 = np.meshgrid(np.linspace(0, C, 80), np.linspace(0, C, 80))
        b = np.stack([y[0] * a1, y[1] * a2, np.full_like(a1, y[2] * alpha[2])])
        objective = a1 + a2 + alpha[2] - 0.5 * np.einsum("iab,ij,jab->ab", b, K, b)
        ax.contour(a1, a2, objective, levels=12, colors=colours.muted, linewidths=0.6)
        ax.plot([0, C, C, 0, 0], [0, 0, C, C, 0], color=colours.ink)
        ax.plot(first[inside], second[inside], lw=2, label="feasible line")
        L, H = second[inside][[0, -1]]
        for value, text in ((L, "L"), (H, "H")):
            ax.annotate(text, (constant - sign * value, value), xytext=(6, 4), textcoords="offset points")
        moved = np.asarray(smo_step(alpha, 0, 1, K, y, C))
        ax.plot(*alpha[:2], "o", label="before")
        ax.plot(*moved[:2], "*", ms=13, label="after")
        ax.set(
            title=f"{name}: a1 {'+' if sign > 0 else '-'} a2 = {constant:.1f}",
            xlabel="a1", ylabel="a2", aspect="equal", xlim=(-0.1, 1.15), ylim=(-0.1, 1.15),
        )  # fmt: skip
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
plt.show()

# %%
# Many such steps solve the whole problem. The dual objective rises with every one of them; pairs chosen by the gain to
# second order need fewer steps than random pairs.

rng = np.random.default_rng(0)
y = np.where(np.arange(60) % 2 == 0, 1.0, -1.0)
X = rng.normal(size=(60, 2)) + 0.8 * np.outer(y, [1, 1])
with style():
    fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for selection in ("second_order", "max_violation", "random"):
        found = smo_solve(X @ X.T, y, C=1.0, selection=selection)
        label = f"{selection.replace('_', ' ')}: {found.n_iter} steps"
        ax.plot(np.arange(found.n_iter + 1) + 1, found.objective, label=label)
    ax.set(xscale="log", xlabel="step + 1", ylabel="dual objective")
    ax.legend()
plt.show()
