"""The functions of a MARS model, drawn."""

import numpy as np


def plot_functions(model, axes, grid_size):
    """One panel for each function of one feature (a curve) or of two (a map of levels)."""
    import matplotlib.pyplot as plt

    names = model._column_names()
    groups = [(features, at) for features, at in model._groups().items() if len(features) <= 2]
    if not groups:
        raise ValueError("The model has no term of one or two features to draw.")
    if axes is None:
        columns = min(3, len(groups))
        rows = -(-len(groups) // columns)
        _, axes = plt.subplots(rows, columns, figsize=(4 * columns, 3.2 * rows), squeeze=False, layout="constrained")
    axes = np.atleast_1d(axes).ravel()
    for ax in axes[len(groups) :]:
        ax.set_visible(False)
    coef = np.atleast_2d(model.coef_)[0]
    low, high = model.feature_range_
    for ax, (features, at) in zip(axes, groups, strict=False):
        lines = [np.linspace(low[j], high[j], grid_size) for j in features]
        grid = np.meshgrid(*lines, indexing="ij")
        X = np.tile(model.feature_median_, (grid[0].size, 1))
        for j, values in zip(features, grid):
            X[:, j] = values.ravel()
        Z = model._design_columns(X)
        part = model.forward_terms_.basis(Z, model.terms_[at]) @ coef[at]
        if len(features) == 1:
            ax.plot(lines[0], part - part.mean(), color="C0")
            for k in model.terms_[at]:
                knot = model.forward_terms_.knot[k]
                if model.forward_terms_.factor[k] in (-1, 1) and model.forward_terms_.feature[k] == features[0]:
                    ax.axvline(knot, color="0.8", linewidth=0.8, zorder=0)
            ax.set(xlabel=names[features[0]], ylabel="f")
        else:
            levels = ax.contourf(*lines, part.reshape(grid[0].shape).T, 12, cmap="viridis")
            ax.figure.colorbar(levels, ax=ax)
            ax.set(xlabel=names[features[0]], ylabel=names[features[1]])
    return axes[: len(groups)]
