"""
How many components: sticks, tables and the Dirichlet process
=============================================================

A Dirichlet-process mixture has infinitely many components, of which any sample uses a few. How many does the prior
expect, and how many does a fit keep?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.mixture import BayesianGaussianMixture, chinese_restaurant, expected_tables, stick_breaking
from statlearn.plot import style

concentrations = (0.5, 2.0, 10.0)

# %%
# The weights of the components are pieces of a stick. A small concentration breaks off large pieces. Rows that choose
# components by these weights behave like guests who prefer full tables.
guests = np.arange(1, 501)
with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.8), layout="constrained")
    for row, alpha in enumerate(concentrations):
        weights = stick_breaking(alpha, n_sticks=40, random_state=4)
        starts = np.cumsum(weights) - weights
        shades = plt.get_cmap("viridis")(np.linspace(0.1, 0.9, 7))[np.arange(40) % 7]
        left.barh(row, weights, left=starts, color=shades, edgecolor=colours.background, height=0.6)
        tables = chinese_restaurant(500, alpha, random_state=1)
        (line,) = right.step(guests, np.maximum.accumulate(tables) + 1, where="post", label=f"α = {alpha:g}")
        mean, std = expected_tables(guests, alpha)
        right.plot(guests, mean, "--", color=line.get_color(), lw=1)
        right.fill_between(guests, mean - std, mean + std, color=line.get_color(), alpha=0.15, lw=0)
    left.set_yticks(range(3), [f"α = {alpha:g}" for alpha in concentrations])
    left.set(xlim=(0, 1), xlabel="weight", title="A stick, broken")
    right.set(xlabel="guests", ylabel="tables", title="Tables: one evening, mean and standard deviation")
    right.legend()
plt.show()

# %%
# The number of tables grows like α log n. A fit sees the data as well: three groups of forty rows, at most twelve
# components, and a prior concentration from very small to very large, for the Dirichlet process and for a Dirichlet
# distribution over the twelve weights.
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(centre, 0.6, (40, 2)) for centre in ((0, 0), (4, 0), (2, 3))])
alphas = np.logspace(-3, 3, 13)
with style() as colours:
    fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    for prior, marker in (("dirichlet_process", "o-"), ("dirichlet_distribution", "s--")):
        used = []
        for alpha in alphas:
            model = BayesianGaussianMixture(
                n_components=12,
                weight_concentration_prior_type=prior,
                weight_concentration_prior=alpha,
                max_iter=2000,
                random_state=0,
            )
            used.append((model.fit(X).weights_ > 0.01).sum())
        ax.semilogx(alphas, used, marker, label=prior.replace("_", " ").capitalize())
    ax.axhline(3, color=colours.muted, lw=1)
    ax.set(xlabel="prior concentration α", ylabel="components with a weight above 1 %", ylim=(0, 13))
    ax.legend(loc="upper left")
plt.show()

# %%
# With the Dirichlet process the number of components is the same for every concentration here: `n_components` is only
# an upper limit. The Dirichlet distribution spreads its weight over all twelve components once the concentration
# is large against the size of the groups.
