"""
Thousands of columns, few rows
==============================

Sixty-three samples of four tumour types with 2,000 genes, simulated. Full covariances cannot be estimated. What can?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from statlearn.discriminant import DiagonalLDA, LinearDiscriminantAnalysis, SparseLDA
from statlearn.plot import style

rng = np.random.default_rng(0)
n_genes, useful = 2000, 60
shift = np.zeros((4, n_genes))
for c in range(4):
    shift[c, c * 15 : (c + 1) * 15] = 1.6
common = rng.normal(size=(8, n_genes)) * 0.1  # weak pathways shared by all types


def draw(sizes):
    y = np.arange(4).repeat(sizes)
    return shift[y] + rng.normal(size=(len(y), 8)) @ common + rng.normal(size=(len(y), n_genes)), y


X, y = draw([23, 8, 12, 20])
X_test, y_test = draw([250] * 4)
models = {
    "LDA, generalised inverse": LinearDiscriminantAnalysis(),
    "diagonal LDA": DiagonalLDA(),
    "sparse LDA": SparseLDA(0.2),
}
errors = {}
for name, model in models.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scatter is singular, which is the point
        errors[name] = 1 - model.set_params(priors=[0.25] * 4).fit(X, y).score(X_test, y_test)

with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    axes[0].barh(list(errors), list(errors.values()), color=colours.cycle[0])
    axes[0].axvline(0.75, ls=":", color=colours.muted, label="guessing")
    axes[0].set(xlabel="test error", title="63 rows, 2,000 columns")
    axes[0].legend()
    diagonal = models["diagonal LDA"]
    spread = np.ptp(diagonal.means_, axis=0) / np.sqrt(diagonal.var_)
    axes[1].plot(spread[:300], ".", ms=4, color=colours.cycle[1])
    axes[1].plot(np.arange(useful), spread[:useful], ".", ms=5, color=colours.cycle[0], label="genes that differ")
    axes[1].set(xlabel="gene", ylabel="range of the class means / s", title="what the independence rule sees")
    axes[1].legend()
plt.show()
print({name: round(error, 3) for name, error in errors.items()})
used = models["sparse LDA"].support_
print(f"sparse LDA uses {used.sum()} genes, {used[:useful].sum()} of which differ between the types")

# %%
# The data are simulated after those of small round blue cell tumours: 63 training samples of four types with 2,308
# genes (Khan and others, 2001). These are ``Khan`` in R's package ISLR, and files on the website of *The Elements of
# Statistical Learning*. With the files at hand, one line reads them instead::
#
#     X, y = np.loadtxt("khan.xtrain").T, np.loadtxt("khan.ytrain")

# %%
# The independence rule ignores all correlations and makes far fewer errors than the generalised inverse, because it
# estimates 2,000 variances instead of two million covariances. It still adds up the noise of 1,940 genes that do not
# differ. Sparse directions leave nearly all of these out, and hardly ever err.
