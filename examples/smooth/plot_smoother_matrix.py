"""
What a smoothing spline does to data: eigenvectors and equivalent kernels
=========================================================================

Ozone against a pressure gradient (simulated after the picture in the book), with 5 and 11 degrees of freedom. The
smoother matrix has the same eigenvectors in both cases; only their shrinkage differs.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import SmoothingSpline, equivalent_kernel

rng = np.random.default_rng(2)
gradient = np.sort(rng.normal(18, 36, size=128).clip(-69, 107))
ozone = 12 + 8 * np.exp(-((gradient - 25) ** 2) / 1800) + 4 * rng.gamma(2, 1, size=128) - 8 * (gradient < -30)
fits = {df: SmoothingSpline(df=df).fit(gradient, ozone) for df in (5, 11)}
grid = np.linspace(gradient[0], gradient[-1], 300)

fig, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
axes[0].plot(gradient, ozone, "o", ms=3, color="0.5")
for (df, fit), colour in zip(fits.items(), ("C2", "C3")):
    axes[0].plot(grid, fit.predict(grid), color=colour, label=f"df = {df}")
    shrinkage, _, functions = fit.demmler_reinsch(25)
    axes[1].plot(np.arange(1, 26), shrinkage, "o-", ms=3, color=colour, label=f"df = {df}")
axes[0].set(xlabel="pressure gradient", ylabel="ozone", title="Data and fits")
axes[1].set(xlabel="order", ylabel="eigenvalue", title="Shrinkage of the eigenvectors")
for k in range(2, 6):
    axes[2].plot(fits[5].knots_, functions[:, k], label=f"{k + 1}")
axes[2].set(xlabel="pressure gradient", title="Eigenvectors 3 to 6")
for ax in axes:
    ax.legend()

fig, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained", sharey=True)
for ax, (df, fit) in zip(axes, fits.items()):
    for place in (gradient[11], gradient[49], gradient[74], gradient[99]):
        ax.plot(gradient, equivalent_kernel(fit, [place])[0], label=f"at {place:.0f}")
    ax.set(title=f"Equivalent kernels, df = {df}", xlabel="pressure gradient")
    ax.legend()
plt.show()

# %%
# The data are simulated. The measurements are ``LAozone.data`` on the website of *The Elements of Statistical
# Learning*: 330 days, of which the book's picture shows 128. With that file at hand, one line reads them instead::
#
#     gradient, ozone = pd.read_csv("LAozone.data").sort_values("dpg")[["dpg", "ozone"]].to_numpy().T

# %%
# The first two eigenvalues are 1: lines pass unchanged. The third to sixth eigenvectors look like polynomials with
# that many sign changes less one, and are shrunk more and more. Each fitted value is an average with a bump of weights
# around it, narrower with more degrees of freedom and taller where few neighbours share the weight.
