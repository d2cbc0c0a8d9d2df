"""
Independent components: unmixing signals
========================================

Three signals reach three microphones as mixtures. Principal components cannot separate them. Why can independent
components?
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import signal

from statlearn.decomposition import PCA, FastICA, ProDenICA, ica_mutual_information
from statlearn.plot import style, theme

rng = np.random.default_rng(0)
t = np.linspace(0, 8, 1500)
sources = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t)), signal.sawtooth(2 * np.pi * t)])
sources += 0.1 * rng.normal(size=sources.shape)
sources /= sources.std(axis=0)
mixtures = sources @ np.array([[1, 1, 1], [0.5, 2, 1.0], [1.5, 1.0, 2.0]]).T

# %%
# Principal components are uncorrelated, and so are independent components; but a rotation of uncorrelated signals is
# uncorrelated, too. Independence singles out one rotation, as mixtures are closer to normal than their sources.
ica = FastICA(random_state=0)
found = {
    "sources": sources,
    "mixtures": mixtures,
    "principal components": PCA().fit_transform(mixtures),
    "independent components": ica.fit_transform(mixtures),
    "product densities": ProDenICA(random_state=0).fit_transform(mixtures),
}
with style():
    figure, axes = plt.subplots(len(found), 1, figsize=(8, 8), layout="constrained", sharex=True)
    for ax, (name, signals) in zip(axes, found.items()):
        ax.plot(t, signals / signals.std(axis=0) + [0, 5, 10], lw=0.8)
        ax.set(title=name, yticks=[])
plt.show()

# %%
# Two uniform sources make it visible: the square is turned by mixing, principal axes are arbitrary within the white
# data, and independent components turn it back.
uniform = rng.uniform(-1, 1, size=(1000, 2))
mixed = uniform @ np.array([[1.0, 0.6], [0.4, 1.0]])
panels = {
    "sources": uniform,
    "mixtures": mixed,
    "PCA, whitened": PCA(whiten=True).fit_transform(mixed),
    "ICA": FastICA(random_state=0).fit_transform(mixed),
}
with style():
    figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
    for ax, (name, Z) in zip(axes, panels.items()):
        ax.plot(*Z.T, "o", ms=2, mew=0, alpha=0.5, color=theme().cycle[0])
        ax.set(title=name, xticks=[], yticks=[], aspect="equal")
plt.show()

# %%
# The mutual information of the components, in nats: near 0 for independent ones.
for name, matrix in (
    ("PCA", PCA(whiten=True).fit(mixed).components_),
    ("ICA", FastICA(random_state=0).fit(mixed).components_),
):
    print(f"{name}: {ica_mutual_information(mixed, matrix):.3f}")
