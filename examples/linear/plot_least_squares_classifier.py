"""
Why not least squares on class labels?
======================================

Regression on 0/1 labels punishes points that are *too* correct, and with three classes in a row it masks the middle
one.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LeastSquaresClassifier, LogisticRegression

rng = np.random.default_rng(0)

# %%
# Two classes, with a handful of points far on the correct side of the boundary.

X = np.vstack([rng.normal([0, 0], 0.6, (60, 2)), rng.normal([2, 2], 0.6, (60, 2))])
y = np.repeat([0, 1], 60)
far = rng.normal([9, -1.5], 0.5, (15, 2))
X_far, y_far = np.vstack([X, far]), np.append(y, np.ones(15, dtype=int))


def draw_boundary(ax, model, **style):
    xx, yy = np.meshgrid(np.linspace(-2, 11, 300), np.linspace(-4, 5, 300))
    ax.contour(xx, yy, model.decision_function(np.c_[xx.ravel(), yy.ravel()]).reshape(xx.shape), levels=[0], **style)


fig, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
for ax, (A, b) in zip(axes, ((X, y), (X_far, y_far))):
    ax.scatter(*A.T, c=b, cmap="coolwarm", s=12)
    draw_boundary(ax, LeastSquaresClassifier().fit(A, b), colors="C1", linestyles="--")
    draw_boundary(ax, LogisticRegression().fit(A, b), colors="k")
axes[0].set_title("both boundaries agree")
axes[1].set_title("far correct points drag least squares (dashed)")
plt.show()

# %%
# Three classes on a line: the indicator regression of the middle class is nearly flat and never the largest.

centres = np.array([[-3.0, -3.0], [0.0, 0.0], [3.0, 3.0]])
X3 = np.vstack([rng.normal(c, 0.7, (80, 2)) for c in centres])
y3 = np.repeat([0, 1, 2], 80)
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for ax, model in zip(axes, (LeastSquaresClassifier(coding="onehot"), LogisticRegression())):
    predicted = model.fit(X3, y3).predict(X3)
    ax.scatter(*X3.T, c=predicted, cmap="viridis", s=12, vmin=0, vmax=2)
    ax.set_title(f"{type(model).__name__}: {np.mean(predicted == y3):.0%} correct")
plt.show()

# %%
# Left, hardly any point is given to the middle class: it is masked. Logistic regression finds all three.
