"""
What kind of series is this?
============================

Nine simulated series, and how five families of features see them.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.prep import SeriesFeatures

rng = np.random.default_rng(1)
t = np.arange(300)
noise = rng.normal(size=300)


def autoregression(phi):
    x = np.zeros(300)
    for k in range(1, 300):
        x[k] = phi * x[k - 1] + noise[k]
    return x


def logistic_map(r=3.95):
    x = np.full(300, 0.4)
    for k in range(299):
        x[k + 1] = r * x[k] * (1 - x[k])
    return x


series = {
    "white noise": rng.normal(size=300),
    "heavy tails": rng.standard_t(2, size=300),
    "autoregression": autoregression(0.9),
    "random walk": noise.cumsum(),
    "trend": 0.02 * t + noise,
    "sine": np.sin(2 * np.pi * t / 25) + 0.2 * noise,
    "sawtooth": (t % 30) / 30 + 0.05 * noise,
    "change of spread": noise * np.where(t < 150, 0.5, 2.0),
    "chaos": logistic_map(),
}
X = np.array(list(series.values()))
features = SeriesFeatures().fit(X)
table = features.transform(X)
names = features.get_feature_names_out()
column = dict(zip(names, table.T))
for name, period, share in zip(series, column["period"], column["seasonality"]):
    if share > 0.5:
        print(f"{name}: period {period:.1f}, {share:.0%} of the power")

# %%
# One picture per series, and their features in units of the spread over the nine series.

centred = table - np.median(table, axis=0)
spread = np.percentile(np.abs(centred), 75, axis=0)
shade = np.clip(centred / np.where(spread > 0, spread, 1), -3, 3)
families = {"mean": "distribution", "acf1": "autocorrelation", "mean_change": "stationarity"}
families |= {"spectral_entropy": "complexity", "time_asymmetry": "nonlinear"}

with style("light"):
    fig = plt.figure(figsize=(14, 7), layout="constrained")
    grid = fig.add_gridspec(9, 2, width_ratios=[1, 2.6])
    for k, (name, values) in enumerate(series.items()):
        ax = fig.add_subplot(grid[k, 0])
        ax.plot(t, values, lw=0.8)
        ax.set(xticks=[], yticks=[])
        ax.set_ylabel(name, rotation=0, ha="right", va="center")
        ax.grid(False)
    ax = fig.add_subplot(grid[:, 1])
    image = ax.imshow(shade, cmap="PuOr", vmin=-3, vmax=3, aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=50, ha="right", rotation_mode="anchor")
    ax.set(yticks=[])
    ax.grid(False)
    for name, family in families.items():
        start = list(names).index(name)
        ax.axvline(start - 0.5, color="black", lw=1.2)
        ax.text(start - 0.4, -0.62, family, va="bottom", fontsize=10)
    fig.colorbar(image, ax=ax, label="against the other series", shrink=0.6)
plt.show()

# %%
# Autocorrelation tells the slow series from the fast ones, the changes of mean and variance the unstable ones,
# asymmetry in time the sawtooth. Chaos and white noise have nearly the same autocorrelations; the orderings of
# successive values (permutation entropy) tell them apart.
