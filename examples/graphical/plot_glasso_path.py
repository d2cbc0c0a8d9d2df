"""
The graphical lasso at four penalties
=====================================

Eleven signals in a chain of three groups, as in a signalling network of proteins. A larger penalty gives a smaller
graph. Which one is right? The extended BIC chooses.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.graphical import GraphicalLassoIC, UndirectedGraph, dependence_graph, graphical_lasso_path
from statlearn.plot import style

rng = np.random.default_rng(0)
names = ["Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"]
edges = ["Raf Mek", "Mek Erk", "Erk Akt", "Akt PKA", "Plcg PIP2", "Plcg PIP3", "PIP2 PIP3"]
edges += ["PKC P38", "PKC Jnk", "P38 Jnk"]
truth = UndirectedGraph(names, [edge.split() for edge in edges])
K = np.eye(11) + np.where(truth.adjacency(), -0.35, 0.0)
X = rng.multivariate_normal(np.zeros(11), np.linalg.inv(K), size=300)
X = (X - X.mean(axis=0)) / X.std(axis=0)

# %%
# Four graphs along the path.

path = graphical_lasso_path(X, alphas=[0.4, 0.25, 0.12, 0.04])
with style():
    fig, axes = plt.subplots(2, 2, figsize=(9, 9), layout="constrained")
    for ax, alpha, precision in zip(axes.flat, path.alphas, path.precisions):
        graph = dependence_graph(precision, names=names)
        graph.plot(ax=ax)
        right = len(set(graph.edges()) & set(truth.edges()))
        ax.set_title(f"alpha {alpha:.2f}: {len(graph.edges())} edges, {right} of 10 true ones")
plt.show()

# %%
# The extended BIC, with every graph refitted without shrinkage.

model = GraphicalLassoIC(refit=True).fit(X)
found = {frozenset((names.index(a), names.index(b))) for a, b in truth.edges()}
chosen = {frozenset(map(int, pair)) for pair in np.argwhere(np.triu(model.precision_, 1) != 0)}
print(f"alpha {model.alpha_:.3f}: {model.n_edges_} edges, {len(found & chosen)} of {len(found)} true ones")

# %%
# What one should see: large penalties miss edges, small ones add false ones; the criterion finds nearly the truth.
