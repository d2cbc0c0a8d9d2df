"""
Codes from images without labels
================================

Labels are expensive, images are not. A contrastive encoder learns from unlabelled digits that a digit remains the same
if it is moved by a pixel, lightened or blurred by noise. How many labels does a linear model then need?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from statlearn.decomposition import PCA
from statlearn.linear import LogisticRegression
from statlearn.neural import ContrastiveEncoder
from statlearn.plot import style
from statlearn.prep import StandardScaler

X, y = load_digits(return_X_y=True)
X = X / 16
rng = np.random.default_rng(0)
order = rng.permutation(len(X))
pool, test = order[:1000], order[1000:]


def change(X, rng):
    """Digits moved by up to one pixel in each direction, of another brightness, with noise."""
    images = np.pad(X.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    down, right = rng.randint(3, size=(2, len(X)))
    rows, columns = down[:, None] + np.arange(8), right[:, None] + np.arange(8)
    moved = images[np.arange(len(X))[:, None, None], rows[:, :, None], columns[:, None, :]]
    moved = moved * rng.uniform(0.7, 1.3, size=(len(X), 1, 1)) + 0.1 * rng.standard_normal(moved.shape)
    return moved.reshape(X.shape)


# %%
# The encoder sees 1,000 images and no label. Principal components are learned from the same images.

encoder = ContrastiveEncoder(64, change, hidden_layer_sizes=256, max_iter=300, tol=0.003, random_state=0).fit(X[pool])
tables = {"codes": encoder.transform(X), "principal components": PCA(32).fit(X[pool]).transform(X), "pixels": X}
counts = [20, 50, 100, 200]
scores = {name: np.zeros((len(counts), 10)) for name in tables}
for i, n in enumerate(counts):
    for repeat in range(10):
        labelled = rng.choice(pool, n, replace=False)
        for name, Z in tables.items():
            scaler = StandardScaler().fit(Z[pool])
            model = LogisticRegression().fit(scaler.transform(Z[labelled]), y[labelled])
            scores[name][i, repeat] = model.score(scaler.transform(Z[test]), y[test])

with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10.5, 3.8), layout="constrained", width_ratios=[1, 1.3])
    pairs = np.vstack([X[pool[:6]], change(X[pool[:6]], np.random.RandomState(1))]).reshape(2, 6, 8, 8)
    axes[0].imshow(pairs.transpose(0, 2, 1, 3).reshape(16, 48), cmap="gray_r")
    axes[0].set(title="Six digits, and changed versions")
    axes[0].set_axis_off()
    for name, found in scores.items():
        spread = found.std(axis=1, ddof=1) / np.sqrt(10)
        axes[1].errorbar(counts, found.mean(axis=1), spread, fmt="o-", capsize=3, label=name)
    axes[1].set(xscale="log", xticks=counts, xlabel="labelled digits", title="Accuracy of a linear model on new digits")
    axes[1].set_xticklabels(counts)
    axes[1].minorticks_off()
    axes[1].legend()
plt.show()

# %%
# With few labels the codes are worth some five points of accuracy; with two hundred, the pixels of such small images
# say as much. What the augmentation changes is what the codes ignore: to turn a 6 upside down would be a mistake.
for name, found in scores.items():
    print(f"{name:22}", "  ".join(f"{n}: {mean:.3f}" for n, mean in zip(counts, found.mean(axis=1))))
