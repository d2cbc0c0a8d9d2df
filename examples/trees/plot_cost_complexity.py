"""
How much to prune
=================

Each alpha has its best subtree of the full tree. Cross-validation chooses among them: the least error, or the smallest
tree within one standard error of it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from statlearn.plot import plot_cv_curve, style
from statlearn.trees import DecisionTreeClassifier, prune_cv

X, y = load_breast_cancer(return_X_y=True)
grower = DecisionTreeClassifier(min_samples_leaf=3)
path = grower.cost_complexity_pruning_path(X, y)
best = prune_cv(grower, X, y, cv=10)
small = prune_cv(grower, X, y, cv=10, rule="one_se")

with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.step(path.ccp_alphas, path.impurities, where="post")
    left.set(xlabel="alpha", ylabel="impurity of the leaves", title="weakest links give way one by one")
    plot_cv_curve(best.cv_curve_, ax=right)
    right.set_xscale("symlog", linthresh=2e-3)
    right.set_title("error in ten folds")
plt.show()

# %%
# The tree with the least cross-validated error and the one-standard-error tree:

for name, tree in (("least error", best), ("one standard error", small)):
    print(f"{name}: alpha {tree.ccp_alpha:.4f}, {tree.get_n_leaves()} leaves, depth {tree.get_depth()}")
