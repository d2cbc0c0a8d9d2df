"""
A noisy telephone: values that are lost because of what they are
================================================================

The faces of a die are reported over a bad line. Twos and threes sound alike and are lost more often: a quarter of them,
against an eighth of the others. Dropping what is lost gives wrong shares, however many rolls there are.
"""

# %%
# Estimates against the number of rolls
# -------------------------------------

import matplotlib.pyplot as plt
import numpy as np

from statlearn.bayes import KnownMechanismMLE

lost = np.array([1 / 8, 1 / 4, 1 / 4, 1 / 8, 1 / 8, 1 / 8])
rng = np.random.default_rng(4)
sizes = np.unique(np.geomspace(50, 100_000, 25).astype(int))
rolls = rng.integers(0, 6, sizes[-1])
missing = rng.uniform(size=len(rolls)) < lost[rolls]
dropped, aware = [], []
for n in sizes:
    counts = np.bincount(rolls[:n][~missing[:n]], minlength=6)
    model = KnownMechanismMLE(lost).fit_counts(counts, n_missing=int(missing[:n].sum()))
    dropped.append(model.naive_probabilities_[1])
    aware.append(model.probabilities_[1])

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.semilogx(sizes, dropped, marker=".", label="missing values dropped")
ax.semilogx(sizes, aware, marker=".", label="mechanism known")
ax.axhline(1 / 6, color="0.4", linestyle=":", label="truth 1/6")
ax.axhline(0.15, color="C0", linestyle="--", linewidth=0.8, label="limit of dropping, 0.15")
ax.set(xlabel="rolls", ylabel="estimated share of twos")
ax.legend()

# %%
# More data do not help: dropping converges, to the wrong value. Ask why values are missing before dropping rows.

print(f"after {sizes[-1]} rolls: dropping {dropped[-1]:.4f}, with the mechanism {aware[-1]:.4f}, truth {1 / 6:.4f}")
