"""
Class representatives and half-planes
=====================================

Two classes need one number: its sign is the class. How do three classes share a linear model without any of them being
the odd one out? Each gets a representative, a point as far from the others as they are from each other.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import RepresentativeClassifier
from statlearn.plot import plot_decision_boundary, style

rng = np.random.default_rng(0)
centres = np.array([[-2.0, 0.0], [0.5, 2.0], [2.0, -1.0]])
y = np.repeat(np.arange(3), 60)
X = centres[y] + 0.9 * rng.normal(size=(180, 2))
models = {loss: RepresentativeClassifier(loss=loss, alpha=60.0).fit(X, y) for loss in ("logistic", "hinge")}
model = models["logistic"]
points = model.representatives_
distance = RepresentativeClassifier.signed_distance

# %%
# A linear map takes the rows to the plane of the representatives, and the nearest representative is the class. The
# lines half-way between two of them cut that plane into three sectors; back in the plane of the data they are lines
# again.
images = model.embed(X)
row = np.argmin(np.linalg.norm(images - [1.1, 1.7], axis=1))
image, own = images[row], model.predict(X)[row]
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
    plot_decision_boundary(model, X, y, regions="class", ax=axes[0])
    axes[0].set_title(f"rows: {model.score(X, y):.0%} correct")
    for k, marker in enumerate("os^"):
        axes[1].plot(*images[y == k].T, marker, ms=4, alpha=0.6, color=colours.cycle[k])
        axes[1].plot(*points[k], marker, ms=13, color=colours.cycle[k], mec=colours.ink)
        axes[1].annotate(f"ψ{k}", points[k], xytext=(-28, -4), textcoords="offset points", weight="bold")
        a, b = points[k], points[(k + 1) % 3]
        axes[1].axline((a + b) / 2, (a + b) / 2 + [a[1] - b[1], b[0] - a[0]], color=colours.muted, ls="--", lw=1)
    axes[1].plot(*image, "D", color=colours.ink, ms=6)
    for other in set(range(3)) - {own}:
        d = distance(image, points[own], points[other])
        step = -d * (points[other] - points[own]) / np.linalg.norm(points[other] - points[own])
        axes[1].annotate("", image + step, image, arrowprops={"arrowstyle": "->", "color": colours.ink})
        axes[1].annotate(f"{d:.2f}", image + step / 2, ha="center", bbox={"fc": colours.background, "lw": 0, "pad": 1})
    axes[1].set(title="images, and signed distances of one", aspect="equal", xlim=(-2.3, 2.3), ylim=(-2.1, 2.6))
plt.show()

# %%
# A signed distance from the line half-way between the own representative and another one is negative on the own side. A
# loss looks at the distances from all other classes. The Neyman-Pearson loss only counts: 1 if any of them is positive.
# The hinge loss takes the worst one and wants a margin of 1, the logistic loss adds all of them up softly. Both are
# convex bounds of the count, drawn here for a row of the first class by the place of its image.
axis = np.linspace(-3, 3, 121)
plane = np.stack(np.meshgrid(axis, axis), axis=-1)
D = np.stack([distance(plane, points[0], points[j]) for j in (1, 2)], axis=-1)
losses = {
    "Neyman-Pearson": (D.max(axis=-1) >= 0).astype(float),
    "hinge": np.maximum(0, 1 + D.max(axis=-1)),
    "logistic": np.log(1 + np.exp(D).sum(axis=-1)),
}
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
    for ax, (name, values) in zip(axes, losses.items()):
        shade = ax.contourf(axis, axis, values, levels=np.linspace(0, 4, 17), cmap=colours.sequential, extend="max")
        for k, marker in enumerate("os^"):
            ax.plot(*points[k], marker, ms=11, color=colours.cycle[k], mec=colours.background)
        ax.set(title=name, aspect="equal")
    fig.colorbar(shade, ax=axes, label="loss of a row of class 0")
plt.show()

# %%
# The classes and the loss that both machines minimise are the same; they differ in which rows matter.
for loss, fitted in models.items():
    print(f"{loss:9}{fitted.score(X, y):.3f} correct, Neyman-Pearson loss {fitted.neyman_pearson_loss(X, y):.3f}")
