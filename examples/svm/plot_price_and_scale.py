"""
The price of slack and the width of the kernel
==============================================

The best C depends on the width of the Gaussian kernel: a narrow kernel needs a small C, a wide one a large C. They have
to be chosen together.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.prep import make_scenario
from statlearn.svm import SVC, SVCCV

data = make_scenario("mixture", 4000, random_state=7)
order = np.random.default_rng(0).permutation(4000)
train, test = order[:200], order[200:3000]
X, y = data.X[train], data.y[train]
Cs, gammas = np.logspace(-1, 3, 9), (0.1, 0.5, 1.0, 5.0)
with style() as colours:
    fig, axes = plt.subplots(1, 4, figsize=(11.4, 3.2), sharey=True, layout="constrained")
    for ax, gamma in zip(axes, gammas):
        machines = [SVC(C=C, gamma=gamma, tol=1e-2).fit(X, y) for C in Cs]
        ax.semilogx(Cs, [1 - m.score(X, y) for m in machines], "o--", ms=3, label="training rows")
        ax.semilogx(Cs, [1 - m.score(data.X[test], data.y[test]) for m in machines], "s-", ms=3, label="new rows")
        ax.axhline(data.bayes_error, lw=1, ls=":", color=colours.muted, label="Bayes")
        ax.set(xlabel="C", title=f"gamma = {gamma:g}")
    axes[0].set_ylabel("error")
    axes[0].set_ylim(bottom=0)  # after all curves: the axes share their limits
    axes[0].legend(fontsize="small")
plt.show()

# %%
# Cross-validation over both at once needs one kernel matrix per gamma.

search = SVCCV(Cs=Cs, gammas=list(gammas)).fit(X, y)
print(f"C = {search.C_:.3g}, gamma = {search.gamma_:.3g}")
print(f"cross-validated error {1 - search.best_score_:.3f}")
print(f"error on new rows     {1 - search.score(data.X[test], data.y[test]):.3f}")
