"""
A map of words from their common substrings
===========================================

The spectrum kernel compares strings by the substrings that they share. Normalised, it is a cosine, and distances in its
feature space can be drawn as a map.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.kernels import EmpiricalKernelMap, KernelCenterer, SpectrumKernel, kernel_distance
from statlearn.plot import style

families = {
    "nation": ["nation", "national", "nationality", "international", "nationwide"],
    "happy": ["happy", "happily", "happiness", "unhappy", "unhappily"],
    "connect": ["connect", "connected", "connection", "reconnect", "disconnected"],
}
words = [word for family in families.values() for word in family]
group = np.repeat(np.arange(3), 5)
kernel = SpectrumKernel(1, normalize=True) + SpectrumKernel(2, normalize=True) + SpectrumKernel(3, normalize=True)
K = kernel(words)
distances = kernel_distance(K)

# %%
# Classical scaling of these distances: the leading features of the centred kernel.

centred = KernelCenterer().fit_transform(K)
places = EmpiricalKernelMap("precomputed", n_components=2).fit(centred).transform(centred)
with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    image = left.imshow(K, cmap="viridis")
    left.grid(False)
    left.set_xticks(range(len(words)), words, rotation=90, fontsize="small")
    left.set_yticks(range(len(words)), words, fontsize="small")
    left.set_title("sum of normalised spectrum kernels, m = 1, 2, 3")
    fig.colorbar(image, ax=left, shrink=0.8)
    right.scatter(*places.T, c=np.array(colours.cycle)[group], s=20)
    for g in range(3):  # the names of a family one above the other, in the order of its points
        members = np.flatnonzero(group == g)
        for rank, i in enumerate(members[np.argsort(places[members, 1])]):
            right.annotate(
                words[i],
                places[i],
                xytext=(28, 13 * (rank - 2)),
                textcoords="offset points",
                color=colours.cycle[g],
                fontsize="small",
                va="center",
                arrowprops={"arrowstyle": "-", "color": "0.8"},
            )
    right.set(xlabel="first coordinate", ylabel="second coordinate", title="map of the distances")
    right.margins(0.35)
plt.show()

# %%
# Which word is nearest to each? All neighbours should belong to the same family.

np.fill_diagonal(distances, np.inf)
for i, j in enumerate(distances.argmin(axis=1)):
    print(f"{words[i]:>16} - {words[j]:<16} {distances[i, j]:.2f}{'' if group[i] == group[j] else '   other family'}")

# %%
# Without normalisation long words would be far from everything: the kernel of a string with itself grows with its
# length.

plain = SpectrumKernel(1).diag(words)
print("k(x, x) for m = 1:", {word: int(value) for word, value in zip(words[:4], plain)})
