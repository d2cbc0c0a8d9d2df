"""
Complete and compact singular value decomposition
=================================================

A tall and a wide matrix of rank 2. Which parts of their factors are needed to write them down again?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import fundamental_subspaces, svd
from statlearn.plot import style, theme

rng = np.random.default_rng(0)
tall = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 4))
wide = rng.normal(size=(4, 2)) @ rng.normal(size=(2, 6))

# %%
# The complete decomposition has square orthogonal factors. Everything beyond the rank is multiplied by zero, and the
# compact decomposition leaves it out: it is what stands inside the dashed frames. The blocks outside of them are bases
# of the two null spaces. A tall matrix has more left singular vectors than right ones, a wide matrix more right ones.


def show(ax, M, title, frame=None):
    limit = np.abs(M).max()
    ax.imshow(M, cmap=theme().diverging, vmin=-limit, vmax=limit)
    ax.set(title=f"{title}\n{M.shape[0]} x {M.shape[1]}", xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.set(xlim=(-0.6, 5.6), ylim=(5.6, -0.6))  # the same size of a cell everywhere
    ax.spines[:].set_visible(False)
    ax.add_patch(plt.Rectangle((-0.5, -0.5), *M.shape[::-1], fill=False, lw=0.8, ec=theme().muted))
    if frame is not None:
        ax.add_patch(plt.Rectangle((-0.5, -0.5), *frame, fill=False, ls="--", lw=2, ec=theme().ink, clip_on=False))


with style():
    figure, axes = plt.subplots(4, 4, figsize=(8.4, 9), layout="constrained")
    for lines, A, shape in ((axes[:2], tall, "tall"), (axes[2:], wide, "wide")):
        complete, compact = svd(A, mode="complete"), svd(A, mode="compact")
        rank = len(compact.s)
        S = np.zeros(A.shape)
        np.fill_diagonal(S, complete.s)
        parts = {"A": A, "U": complete.U, "S": S, "V'": complete.Vt}
        frames = [None, (rank, len(A)), (rank, rank), (A.shape[1], rank)]
        for ax, (name, M), frame in zip(lines[0], parts.items(), frames):
            show(ax, M, name, frame)
        for ax, name, M in zip(lines[1], parts, (A, compact.U, np.diag(compact.s), compact.Vt)):
            show(ax, M, name)
        lines[0, 0].set_ylabel(f"{shape}, complete")
        lines[1, 0].set_ylabel(f"{shape}, compact")
plt.show()

# %%
# All of them multiply back to the matrix, and the four subspaces have these dimensions.
for name, A in (("tall", tall), ("wide", wide)):
    U, s, Vt = svd(A, mode="compact")[:3]
    dimensions = {space: basis.shape[1] for space, basis in fundamental_subspaces(A)._asdict().items()}
    print(name, np.allclose((U * s) @ Vt, A), dimensions)
