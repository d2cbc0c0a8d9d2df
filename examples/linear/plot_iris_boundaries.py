"""
Logistic boundaries on the iris data
====================================

Two measurements, three species: the multinomial model divides the plane by straight lines, and its probabilities
say how sure it is.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from statlearn.linear import LogisticRegression

iris = load_iris()
X, y = iris.data[:, 2:], iris.target
model = LogisticRegression(C=10.0).fit(X, y)

xx, yy = np.meshgrid(np.linspace(0.5, 7.5, 400), np.linspace(-0.2, 3, 400))
proba = model.predict_proba(np.c_[xx.ravel(), yy.ravel()])
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
ax.imshow(proba.reshape(*xx.shape, 3), origin="lower", extent=(0.5, 7.5, -0.2, 3), aspect="auto", alpha=0.35)
ax.contour(xx, yy, proba.argmax(axis=1).reshape(xx.shape), levels=[0.5, 1.5], colors="k", linewidths=1)
for k, (name, colour) in enumerate(zip(iris.target_names, "rgb")):
    ax.plot(*X[y == k].T, colour + "o", ms=4, label=name)
ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)", title=f"{model.score(X, y):.1%} correct in the sample")
ax.legend(frameon=False, loc="upper left")
plt.show()

# %%
# The colours blend where the species overlap: between versicolor and virginica, not around setosa.
