"""
Kernels do not ignore noise columns
===================================

One class is Gaussian in four dimensions; the other is the skin around it, 9 ≤ ‖x‖² ≤ 16. A polynomial of degree 2
can draw that border. Six columns of noise make it much harder to find, whatever the kernel, while additive models that
select their columns hardly notice: BRUTO, as the regression of a flexible discriminant analysis, and MARS.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2

from statlearn.discriminant import FlexibleDiscriminantAnalysis
from statlearn.plot import style
from statlearn.smooth import BRUTO, MARSClassifier
from statlearn.svm import SVC


def orange_skin(rng, n, noise):
    """n rows of either class, with columns of noise."""
    inner, outer = rng.normal(size=(n, 4)), rng.normal(size=(60 * n, 4))
    size = np.sum(outer**2, axis=1)
    X = np.vstack([inner, outer[(size >= 9) & (size <= 16)][:n]])
    return np.hstack([X, rng.normal(size=(2 * n, noise))]), np.repeat([0, 1], n)


def tuned(machines, train, tuning):
    """The machine with the fewest errors on the rows for tuning."""
    return max((machine.fit(*train) for machine in machines), key=lambda machine: machine.score(*tuning))


def candidates(degree):
    Cs = np.logspace(-2, 1, 4) * 3.0 ** (2 - degree)
    return [SVC(kernel="poly", degree=degree, coef0=1.0, gamma=0.25, C=C, tol=1e-2) for C in Cs]


methods = {
    "linear": lambda: candidates(1),
    "polynomial, degree 2": lambda: candidates(2),
    "polynomial, degree 5": lambda: candidates(5),
    "polynomial, degree 10": lambda: candidates(10),
    "BRUTO": lambda: [FlexibleDiscriminantAnalysis(BRUTO())],
    "MARS": lambda: [MARSClassifier(max_degree=1, C=10.0)],
}
errors = np.zeros((len(methods), 2, 4))
for repeat in range(4):
    rng = np.random.default_rng(repeat)
    for column, noise in enumerate((0, 6)):
        train, tuning, test = (orange_skin(rng, n, noise) for n in (100, 300, 1000))
        for row, machines in enumerate(methods.values()):
            errors[row, column, repeat] = 1 - tuned(machines(), train, tuning).score(*test)

# %%
# The best possible rule errs on the Gaussian rows that fall into the skin, whether or not there are columns of noise.

bayes = 0.5 * (chi2.cdf(16, 4) - chi2.cdf(9, 4))
mean, spread = errors.mean(axis=2), errors.std(axis=2, ddof=1) / 2
print(f"{'':22s} no noise   six noise columns")
for name, (none, six) in zip(methods, mean):
    print(f"{name:22s} {none:8.3f}   {six:8.3f}")
print(f"{'Bayes':22s} {bayes:8.3f}   {bayes:8.3f}")
place = np.arange(len(methods))
with style() as colours:
    fig, ax = plt.subplots(figsize=(7.6, 3.4), layout="constrained")
    for column, (label, marker) in enumerate((("four columns", "o"), ("and six of noise", "s"))):
        ax.errorbar(
            mean[:, column], place - 0.1 + 0.2 * column, xerr=spread[:, column], fmt=marker, capsize=3, label=label
        )
    ax.axvline(bayes, ls="--", lw=1, color=colours.muted, label="Bayes")
    ax.set(xlabel="error on new rows (mean of four data sets, with standard error)", xlim=(0, None))
    ax.set_yticks(place, list(methods))
    ax.invert_yaxis()
    ax.legend(fontsize="small")
plt.show()
