"""
Classifying short documents by the words they contain
=====================================================

The Bernoulli model asks of every word of the vocabulary whether it occurs. Words that are absent count, too.
"""

# %%
# Two kinds of messages
# ---------------------
# Word lists with different frequencies stand in for messages about sports and about politics.

import matplotlib.pyplot as plt
import numpy as np

from statlearn.bayes import BernoulliNB, MultinomialNB
from statlearn.prep import BinaryVectorizer

words = np.array(
    ["goal", "team", "match", "win", "coach", "vote", "law", "party", "game", "tax", "minister", "speech", "the", "and",
     "today"]
)  # fmt: skip
sports = np.array([5, 6, 5, 4, 3, 0.5, 0.3, 1, 4, 0.2, 0.1, 0.4, 8, 8, 3])
politics = np.array([0.4, 0.8, 0.5, 1, 0.1, 5, 5, 5, 1, 4, 4, 4, 8, 8, 3])
rng = np.random.default_rng(1)


def write(weights, n):
    lengths = rng.integers(4, 12, n)
    return [" ".join(rng.choice(words, size=k, p=weights / weights.sum())) for k in lengths]


texts = write(sports, 150) + write(politics, 150)
topic = np.repeat(["sports", "politics"], 150)
train, test = np.arange(300) % 3 > 0, np.arange(300) % 3 == 0
vectorizer = BinaryVectorizer().fit([t for t, keep in zip(texts, train) if keep])
X = vectorizer.transform(texts)
model = BernoulliNB().fit(X[train], topic[train])
print(f"right on held-out messages: {model.score(X[test], topic[test]):.1%}")
counting = MultinomialNB().fit(X[train], topic[train])
print(f"multinomial model on the same words: {counting.score(X[test], topic[test]):.1%}")

# %%
# Why? The factors of one message
# -------------------------------
# Posterior odds are prior odds times one factor per word, present or absent. On a log scale the bars add up.

row = int(np.flatnonzero(test)[3])
result = model.bayes_factors(X[[row]], of="sports")
names = vectorizer.get_feature_names_out()
present = np.asarray(X[[row]].toarray())[0] > 0
order = np.argsort(result.log_factors[0])
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.barh(
    [f"{names[k]}" if present[k] else f"(no {names[k]})" for k in order],
    result.log_factors[0][order] / np.log(10),
    color=np.where(present[order], "C0", "C1"),
)
ax.axvline(0, color="0.5", linewidth=0.8)
ax.set(xlabel="log10 of the Bayes factor for sports", title=f'"{texts[row]}"')
print(f"posterior odds for sports: {result.posterior_odds[0]:.3g}")

# %%
# The messages are simulated. Real ones are the 20 newsgroups, which scikit-learn downloads once. With them at hand,
# these lines read them instead::
#
#     news = fetch_20newsgroups(categories=["rec.sport.hockey", "talk.politics.misc"], download_if_missing=False)
#     texts, topic = news.data, np.array(news.target_names)[news.target]
