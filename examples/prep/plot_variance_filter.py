"""
Pixels that never change
========================

The border of the handwritten digits is background in nearly every image. A variance filter drops it, and a linear
model does not miss it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from statlearn.assess import cross_val_score
from statlearn.linear import RidgeClassifier
from statlearn.plot import style
from statlearn.prep import ImageFlattener, StandardScaler, VarianceThreshold, make_pipeline

digits = load_digits()
X = ImageFlattener().fit_transform(digits.images)
variance = X.var(axis=0)

# %%
# How much is left, and how well a model does on it.

thresholds = [0.0, 0.1, 0.5, 2.0, 5.0, 10.0, 20.0, 30.0]
kept, accuracy = [], []
for threshold in thresholds:
    model = make_pipeline(VarianceThreshold(threshold), StandardScaler(), RidgeClassifier())
    accuracy.append(cross_val_score(model, X, digits.target, cv=5).mean())
    kept.append(int((variance > threshold).sum()))
    print(f"variance above {threshold:4.1f}: {kept[-1]:2d} pixels, {accuracy[-1]:.1%} correct")

with style("light"):
    fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained", width_ratios=[1, 1, 1.3])
    axes[0].imshow(digits.images.mean(axis=0), cmap="Greys")
    axes[0].set(title="mean of all digits", xticks=[], yticks=[])
    image = axes[1].imshow(np.log10(variance + 0.01).reshape(8, 8), cmap="cividis")
    for k in np.flatnonzero(variance <= 2.0):
        axes[1].text(k % 8, k // 8, "×", ha="center", va="center", color="white", fontsize=14)
    axes[1].set(title="variance of a pixel; × = at most 2", xticks=[], yticks=[])
    fig.colorbar(image, ax=axes[1], label="log10 variance", shrink=0.8)
    axes[2].plot(kept, accuracy, marker="o")
    for x, y, threshold in zip(kept, accuracy, thresholds):
        axes[2].annotate(f"{threshold:g}", (x, y), xytext=(4, -12), textcoords="offset points", fontsize=8)
    axes[2].set(xlabel="pixels kept (threshold beside the point)", ylabel="accuracy, 5-fold", title="ridge classifier")
    for ax in axes[:2]:
        ax.grid(False)
plt.show()

# %%
# A quarter of the pixels goes at no cost. A low variance alone does not make a column useless, though: beyond that the
# filter throws away ink that tells digits apart.
