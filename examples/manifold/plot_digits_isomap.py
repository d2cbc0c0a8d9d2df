"""
Isomap of handwritten digits
============================

Images of 64 pixels in the plane: digits of one kind form groups. Within one digit, the coordinates show how it was
written.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_digits

from statlearn.manifold import Isomap
from statlearn.plot import style

images, label = load_digits(return_X_y=True)

# %%
# Six kinds of digits. The leading eigenvalues of the geodesic distances are proportional to the variances of the
# coordinates, and the residual variance is what the first dimensions leave unexplained. Both bend after the third
# dimension: a plane shows most of the distances, and three dimensions nearly all that few can show.
some = label < 6
model = Isomap(n_neighbors=12, n_components=8, n_eigenvalues=12).fit(images[some])
print("eigenvalues, largest = 1:", (model.eigenvalues_ / model.eigenvalues_[0]).round(2))
print("residual variance by dimension:", model.residual_variance().round(3))
with style():
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    axes[0].plot(range(1, 13), model.eigenvalues_ / model.eigenvalues_[0], "o-")
    axes[0].set(title="spectrum", xlabel="dimension", ylabel="eigenvalue, largest = 1", ylim=(0, None))
    axes[1].plot(range(1, 9), model.residual_variance(), "o-")
    axes[1].set(title="left unexplained", xlabel="number of dimensions", ylabel="residual variance", ylim=(0, None))
plt.show()

# %%
# The first two coordinates.
with style():
    figure, ax = plt.subplots(layout="constrained")
    for digit in range(6):
        ax.scatter(*model.embedding_[label[some] == digit, :2].T, s=8, label=str(digit))
    ax.legend(title="digit", frameon=False)
    ax.set_title("Isomap of six digits")
plt.show()

# %%
# The threes alone: from left to right and from bottom to top, shape and slant change gradually.
threes = images[label == 3]
Y = Isomap(n_neighbors=8).fit_transform(threes)
with style():
    figure, ax = plt.subplots(layout="constrained")
    ax.scatter(*Y.T, s=6, color="C6")
    shown = []
    for i in np.random.default_rng(0).permutation(len(Y)):
        if all(np.linalg.norm(Y[i] - Y[j]) > 7 for j in shown):
            shown.append(i)
            picture = OffsetImage(-threes[i].reshape(8, 8), zoom=2.2, cmap="gray")
            ax.add_artist(AnnotationBbox(picture, Y[i], frameon=False))
    ax.set_title("The digit 3 by its first two coordinates")
plt.show()
