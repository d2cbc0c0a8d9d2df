"""
Words that say something
========================

A word that every document has says nothing about any of them: its weight :math:`tf \\log(N/df)` is 0. A word that
one document repeats and no other has weighs most.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.prep import CountVectorizer, TfidfVectorizer

documents = {
    "bread": "the dough of the bread rests and the bread rises in the oven until the crust of the bread is brown",
    "cheese": "the milk of the cow turns to curd and the curd of the milk ripens to cheese in the cellar",
    "beer": "the malt of the barley and the hops go to the kettle and the yeast turns the sugar to beer in the cellar",
    "wine": "the juice of the grape and the yeast of the skin turn the sugar of the juice to wine in the cellar",
}
counts = CountVectorizer().fit(documents.values())
plain = TfidfVectorizer(smooth_idf=False, add_one=False, norm=None).fit(documents.values())
smooth = TfidfVectorizer(norm=None).fit(documents.values())
words = plain.get_feature_names_out()
n = len(documents)
df = np.round(n / np.exp(plain.idf_)).astype(int)

tf = counts.transform(documents.values()).toarray()
weights = plain.transform(documents.values()).toarray()
for name, row in zip(documents, weights):
    best = np.argsort(-row)[:3]
    print(f"{name:7s}", ", ".join(f"{words[k]} {row[k]:.2f}" for k in best))

# %%
# Counts and weights of some words side by side, and the two conventions of the idf: scikit-learn's smoothed one
# never reaches 0.

shown = ["the", "of", "and", "to", "in", "cellar", "yeast", "sugar", "milk", "curd", "bread", "juice", "crust", "malt"]
places = [list(words).index(word) for word in shown]
with style("light"):
    fig, axes = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained", width_ratios=[1.2, 1.2, 1])
    for ax, table, title in ((axes[0], tf, "counts"), (axes[1], weights, "tf · log(N/df)")):
        image = ax.imshow(table[:, places].T, cmap="Blues", aspect="auto")
        ax.set_yticks(range(len(shown)), shown)
        ax.set_xticks(range(n), list(documents))
        ax.set(title=title)
        ax.grid(False)
        fig.colorbar(image, ax=ax)
    grid = np.arange(1, n + 1)
    axes[2].plot(grid, np.log(n / grid), marker="o", label="log(N/df)")
    axes[2].plot(grid, np.log((1 + n) / (1 + grid)) + 1, marker="s", label="log((1+N)/(1+df)) + 1")
    rng = np.random.default_rng(0)
    axes[2].scatter(df + rng.uniform(-0.12, 0.12, len(df)), plain.idf_, s=10, color="0.4", zorder=3, label="the words")
    axes[2].set(xlabel="documents that have the word", ylabel="idf", xticks=grid, ylim=(-0.1, 2.3))
    axes[2].legend(frameon=False)
plt.show()
