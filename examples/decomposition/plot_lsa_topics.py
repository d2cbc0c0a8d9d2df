"""
Topics by latent semantic analysis
==================================

Short messages of three kinds, like those of news groups: does a singular value decomposition find the kinds without
labels?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import LSA
from statlearn.plot import style

TOPICS = {
    "space": ["orbit", "launch", "rocket", "moon", "shuttle", "satellite", "nasa", "engine", "mission", "planet"],
    "hockey": ["goal", "team", "season", "player", "game", "coach", "score", "league", "ice", "puck"],
    "medicine": ["patient", "doctor", "disease", "drug", "treatment", "symptom", "dose", "blood", "clinic", "health"],
}
COMMON = ["people", "time", "year", "know", "think", "good", "make", "question", "case", "point"]

rng = np.random.default_rng(0)
texts, labels = [], []
for topic, words in TOPICS.items():
    for _ in range(60):
        own = rng.choice(words, size=rng.integers(4, 9))
        filler = rng.choice(COMMON, size=rng.integers(3, 8))
        texts.append(" ".join(rng.permutation(np.concatenate([own, filler]))))
        labels.append(topic)
labels = np.array(labels)

model = LSA(12).fit(texts)

# %%
# Three singular values stand out, one for each kind of message; the rest is chance. Words of all messages have small
# weights, because their inverse document frequency is small.

with style():
    fig, axes = plt.subplots(1, 2, figsize=(8.6, 3.4), layout="constrained")
    axes[0].plot(np.arange(1, 13), model.singular_values_, "o-")
    axes[0].set(xlabel="topic", ylabel="singular value", title="spectrum")
    for topic in TOPICS:
        at = labels == topic
        axes[1].scatter(model.coordinates_[at, 1], model.coordinates_[at, 2], s=12, label=topic)
    axes[1].set(xlabel="second coordinate", ylabel="third coordinate", title="messages")
    axes[1].legend()
plt.show()

# %%
# The largest weights of the first topics, and two messages without a common word: their cosine is 0 before and large
# after the decomposition.

for number, words in enumerate(model.top_words(6)[:3], start=1):
    print(f"topic {number}: {', '.join(words)}")

reduced = LSA(3).fit(texts)
pair = reduced.transform(["rocket moon", "orbit shuttle"])
cosine = pair[0] @ pair[1] / np.linalg.norm(pair[0]) / np.linalg.norm(pair[1])
print(f"cosine of 'rocket moon' and 'orbit shuttle': {cosine:.2f}")

# %%
# The messages are simulated. Real ones are the 20 newsgroups, which scikit-learn downloads once. With them at hand,
# these lines read them instead::
#
#     news = fetch_20newsgroups(categories=["sci.space", "rec.sport.hockey", "sci.med"], download_if_missing=False)
#     texts, labels = news.data, np.array(news.target_names)[news.target]
