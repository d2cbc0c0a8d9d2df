"""
The FP-tree of ten baskets
==========================

An FP-tree stores baskets as paths from a root. Items come in the order of their counts, so that baskets share their
beginnings. Dashed arrows link the nodes of one item: following them visits every basket that contains it.
"""

import matplotlib.pyplot as plt

from statlearn.rules import FPTree, fpclose, fpgrowth, fpmax

words = ["abcefo", "acg", "ei", "acdeg", "acegl", "ej", "abcefp", "acd", "acegm", "acegn"]
baskets = [list(word) for word in words]
tree = FPTree(baskets, min_support=0.2, tie_order=list("ecagbfd"))
tree.plot()
plt.show()

# %%
# Item g occurs in five baskets. Its conditional tree holds the items before it in these baskets, and the tree is a
# single path: every subset of the path, joined with g, is frequent.
print(tree.conditional("g").to_text())

# %%
# FP-growth repeats this for every item. Of the 43 frequent sets, seven closed ones determine all supports, and three
# maximal ones contain all others.
for name, search in (("frequent", fpgrowth), ("closed", fpclose), ("maximal", fpmax)):
    print(f"{name:9} {len(search(baskets, min_support=0.2))}")
