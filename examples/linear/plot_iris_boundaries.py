"""
Logistic boundaries on the iris data
====================================

Two measurements, three species. Two classes at a time, the boundary is one line; how do three classes divide the plane,
and where is the model sure?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from statlearn.linear import LogisticRegression
from statlearn.plot import plot_decision_boundary, style

iris = load_iris(as_frame=True)
X, species = iris.data.iloc[:, 2:], iris.target_names[iris.target]

# %%
# Two species. On the line both are equally probable. The arrow points into the half-plane of the second species, whose
# log odds are a linear function of the distance from the line.
with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for ax, left_out in zip(axes, ("virginica", "setosa")):
        rows = species != left_out
        model = LogisticRegression(C=10.0).fit(X[rows], species[rows])
        plot_decision_boundary(model, X[rows], species[rows], half_spaces=True, ax=ax)
        ax.set_title(f"{' and '.join(model.classes_)}: {model.score(X[rows], species[rows]):.0%} correct")
        print(f"{' / '.join(model.classes_):24}coefficients {model.coef_[0].round(2)}")
plt.show()

# %%
# All three with the multinomial model.
model = LogisticRegression(C=10.0).fit(X, species)
with style():
    ax = plot_decision_boundary(model, X, species)
    ax.set_title(f"three species: {model.score(X, species):.1%} correct in the sample")
plt.show()

# %%
# A strong colour is a high probability of the species. The colours fade where the species overlap: between versicolor
# and virginica, not around setosa, which a line separates without an error.
