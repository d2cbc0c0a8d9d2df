"""
A map of words
==============

Words that occur in the same surroundings get similar vectors, though they never occur together.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import PMIEmbedding
from statlearn.plot import style

# Sentences of a small grammar: a subject acts on an object that suits the verb.
GRAMMAR = {
    ("cat", "dog", "horse"): (("chases", "sees"), ("mouse", "bird", "rabbit")),
    ("boy", "girl", "man", "woman"): (("eats", "buys"), ("apple", "bread", "cheese")),
    ("driver", "pilot"): (("starts", "parks"), ("car", "truck", "plane")),
}
rng = np.random.default_rng(0)
texts = []
for _ in range(400):
    subjects, (verbs, objects) = list(GRAMMAR.items())[rng.integers(len(GRAMMAR))]
    if rng.random() < 0.35:  # anybody may see or buy anything
        objects = list(GRAMMAR.values())[rng.integers(len(GRAMMAR))][1]
    texts.append(f"{rng.choice(subjects)} {rng.choice(verbs)} {rng.choice(objects)}")

model = PMIEmbedding(8, window=2).fit(texts)

# %%
# The second and third coordinates separate the three worlds of the grammar, though a third of the sentences mix them.

groups = {word: g for g, (s, (v, o)) in enumerate(GRAMMAR.items()) for word in (*s, *v, *o)}
with style():
    fig, ax = plt.subplots(figsize=(6.6, 5.0), layout="constrained")
    for word, vector in zip(model.vocabulary_, model.vectors_):
        group = groups.get(str(word))
        color = "0.5" if group is None else f"C{group}"
        ax.scatter(vector[1], vector[2], s=12, color=color)
        ax.annotate(word, vector[1:3], xytext=(3, 3), textcoords="offset points", fontsize=8, color=color)
    ax.set(xlabel="second coordinate", ylabel="third coordinate")
plt.show()

for word in ("cat", "apple", "car"):
    print(f"{word}: {', '.join(w for w, _ in model.nearest(word, 3))}")
