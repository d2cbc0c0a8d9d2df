"""
Iris trees, grown fully and held back
=====================================

The same 150 flowers by a tree that stops when its leaves are pure, and by two that leave nodes of fewer than ten rows
alone, one grown for the Gini index and one for entropy.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from statlearn.assess import cross_val_score
from statlearn.trees import DecisionTreeClassifier, export_text, plot_tree

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
trees = {
    "grown fully": DecisionTreeClassifier(),
    "at least 10 rows to split, Gini": DecisionTreeClassifier(min_samples_split=10),
    "at least 10 rows to split, entropy": DecisionTreeClassifier(min_samples_split=10, criterion="entropy"),
}
for name, tree in trees.items():
    tree.fit(X, y)
    cv = cross_val_score(tree, X, y, cv=10).mean()
    print(f"{name:36s} {tree.get_n_leaves()} leaves, {tree.score(X, y):.3f} right in training, {cv:.3f} in 10 folds")
    plot_tree(tree, filled=True, rounded=True, class_names=True)
    plt.gcf().suptitle(f"{name}: {tree.get_n_leaves()} leaves")
plt.show()

# %%
# The full tree knows all its flowers by heart; its last splits separate single ones. The smaller trees give up two or
# three of them and are as good on new ones. Gini and entropy choose nearly the same tests. Printed as R's rpart would:

print(export_text(trees["at least 10 rows to split, Gini"], style="rpart"))
