"""
What a linear model sees in a digit
===================================

One binary model per class on the 8 x 8 digits; each coefficient vector is an image.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from statlearn.linear import LogisticRegression, OneVsRestClassifier

digits = load_digits()
X, y = digits.data / 16.0, digits.target
model = OneVsRestClassifier(LogisticRegression(C=0.1)).fit(X[:1200], y[:1200])
print(f"new digits: {model.score(X[1200:], y[1200:]):.1%} correct")

fig, axes = plt.subplots(2, 5, figsize=(10, 4.4), layout="constrained")
limit = max(np.abs(member.coef_).max() for member in model.estimators_)
for digit, (ax, member) in enumerate(zip(axes.ravel(), model.estimators_)):
    ax.imshow(member.coef_.reshape(8, 8), cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set(title=str(digit), xticks=[], yticks=[])
plt.show()

# %%
# Ink on red pixels speaks for the digit, ink on blue ones against it: the hole of the 0 is blue.
