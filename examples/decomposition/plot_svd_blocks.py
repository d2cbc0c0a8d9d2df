"""
Complete and compact singular value decomposition
=================================================

A matrix with 6 rows, 4 columns and rank 2. Which parts of its factors are needed to write it down again?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import fundamental_subspaces, svd
from statlearn.plot import style, theme

rng = np.random.default_rng(0)
A = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 4))
complete, compact = svd(A, mode="complete"), svd(A, mode="compact")

# %%
# The complete decomposition has square orthogonal factors. Everything beyond the rank is multiplied by zero, and the
# compact decomposition leaves it out. The blocks that are left out are bases of the two null spaces.


def show(ax, M, title):
    limit = np.abs(A).max()
    ax.imshow(M, cmap=theme().diverging, vmin=-limit, vmax=limit)
    ax.set(title=f"{title}\n{M.shape[0]} x {M.shape[1]}", xticks=[], yticks=[])
    ax.grid(visible=False)


S = np.zeros((6, 4))
S[:4, :4] = np.diag(complete.s)
rows = [
    ("complete", [A, complete.U, S, complete.Vt]),
    ("compact", [A, compact.U, np.diag(compact.s), compact.Vt]),
]
with style():
    figure, axes = plt.subplots(2, 4, figsize=(9, 5), layout="constrained")
    for line, (mode, parts) in zip(axes, rows):
        for ax, M, name in zip(line, parts, ("A", "U", "S", "V'")):
            show(ax, M, name)
        line[0].set_ylabel(mode)
plt.show()

# %%
# Both multiply back to the matrix, and the four subspaces have the dimensions 2, 4, 2 and 2.
print(np.allclose((compact.U * compact.s) @ compact.Vt, A))
print({name: basis.shape[1] for name, basis in fundamental_subspaces(A)._asdict().items()})
