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
    of_word = np.array([groups[str(word)] for word in model.vocabulary_])
    for group in range(len(GRAMMAR)):
        points, words = model.vectors_[of_word == group][:, 1:3], model.vocabulary_[of_word == group]
        ax.scatter(*points.T, s=14, color=f"C{group}")
        # The words of a world lie so close together that they are listed beside it.
        centre = points.mean(axis=0)
        beside = (18, 0) if centre[0] < 0.5 else (-18, 18)
        ax.annotate(
            "\n".join(", ".join(words[i : i + 3]) for i in range(0, len(words), 3)),
            centre, xytext=beside, textcoords="offset points", fontsize=9, color=f"C{group}",
            va="center" if centre[0] < 0.5 else "bottom", ha="left" if centre[0] < 0.5 else "center",
        )  # fmt: skip
    ax.margins(0.08)
    ax.set(xlabel="second coordinate", ylabel="third coordinate")
plt.show()

for word in ("cat", "apple", "car"):
    print(f"{word}: {', '.join(w for w, _ in model.nearest(word, 3))}")
