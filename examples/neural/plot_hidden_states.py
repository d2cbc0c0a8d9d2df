"""
What recurrent and attention networks look at
=============================================

Noisy series have one bump and one dip. The class is which of the two comes first; values without their order tell
nothing. A recurrent network reads the steps one by one and has to remember events; attention compares all at once.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import RandomForestClassifier
from statlearn.neural import AttentionClassifier, RecurrentClassifier

rng = np.random.default_rng(0)
n, n_steps = 250, 30


def draw(n):
    """Series, and whether the bump comes first."""
    first, second = rng.integers(3, 12, n), rng.integers(17, 27, n)
    bump_first = rng.random(n) < 0.5
    sign = np.where(bump_first, 1, -1)[:, None]
    t = np.arange(n_steps)
    shape = np.exp(-0.5 * ((t - first[:, None]) / 1.2) ** 2) - np.exp(-0.5 * ((t - second[:, None]) / 1.2) ** 2)
    return 2 * sign * shape + 0.4 * rng.normal(size=(n, n_steps)), np.where(bump_first, "bump first", "dip first")


X, y = draw(n)
X_test, y_test = draw(300)
recurrent = RecurrentClassifier("gru", n_units=4, solver="lbfgs", alpha=0.3, tol=1e-2, random_state=0).fit(X, y)
look = AttentionClassifier(8, solver="lbfgs", alpha=0.3, tol=1e-2, random_state=0).fit(X, y)
for name, model in (("recurrent", recurrent), ("attention", look)):
    print(f"{name}: accuracy {model.score(X_test, y_test):.2f} on new series")
forest = RandomForestClassifier(50, random_state=0).fit(np.sort(X), y)
print(f"forest on sorted values: accuracy {forest.score(np.sort(X_test), y_test):.2f}")

# %%
# The hidden units of the recurrent network over time, for one series of each class. They flip at every event and keep
# their signs in between: the network has found out that the last event tells the class as well as the first.
pair = [int(np.flatnonzero(y_test == label)[0]) for label in ("bump first", "dip first")]
states = recurrent.hidden_states(X_test[pair])
fig, axes = plt.subplots(2, 2, figsize=(9, 5), layout="constrained", sharex=True, sharey="row")
for column, row in enumerate(pair):
    axes[0, column].plot(X_test[row], color="0.3")
    axes[0, column].set_title(y_test[row])
    axes[1, column].plot(states[column], label=[f"unit {k}" for k in range(4)])
    axes[1, column].set_xlabel("step")
axes[0, 0].set_ylabel("value")
axes[1, 0].set_ylabel("hidden state")
axes[1, 1].legend(fontsize="small")

# %%
# Attention maps of the same series: each row is a step, and its colours say which steps it looks at. Few steps get most
# of the weight, many of them around the first event.
maps = look.attention_maps(X_test[pair])[:, 0]
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, weights, row in zip(axes, maps, pair):
    image = ax.imshow(weights, cmap="viridis", vmin=0)
    ax.set(title=y_test[row], xlabel="step that is looked at", ylabel="step that looks")
    fig.colorbar(image, ax=ax, shrink=0.8)
plt.show()
