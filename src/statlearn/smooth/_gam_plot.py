"""The smooth terms of an additive model, drawn."""

import numpy as np


def plot_terms(model, axes, grid_size, quantile):
    """One panel for each smooth term of one feature (a curve with its band) or of two (a map of levels)."""
    import matplotlib.pyplot as plt

    terms = [
        (term, at)
        for term, at in zip(model.terms_, model._slices, strict=True)
        if not term.parametric and len(term.places) <= 2 and term.term.basis != "re"
    ]
    if not terms:
        raise ValueError("The model has no smooth term of one or two features to draw.")
    if axes is None:
        columns = min(3, len(terms))
        rows = -(-len(terms) // columns)
        _, axes = plt.subplots(rows, columns, figsize=(4 * columns, 3.2 * rows), squeeze=False, layout="constrained")
    axes = np.atleast_1d(axes).ravel()
    for ax in axes[len(terms) :]:
        ax.set_visible(False)
    low, high = model.feature_range_
    for ax, (term, at) in zip(axes, terms, strict=False):
        lines = [np.linspace(low[j], high[j], grid_size) for j in term.places]
        grid = np.meshgrid(*lines, indexing="ij")
        X = np.tile(model.feature_middle_, (grid[0].size, 1))
        for j, values in zip(term.places, grid, strict=True):
            X[:, j] = values.ravel()
        if term.by_place is not None:
            X[:, term.by_place] = 1.0 if term.level is None else term.level
        B = term.design(X)
        values = B @ model.coef_[at]
        names = [model.column_names_[j] for j in term.places]
        if len(term.places) == 1:
            band = quantile * np.sqrt(np.einsum("ij,jk,ik->i", B, model.covariance_[at, at], B))
            ax.fill_between(lines[0], values - band, values + band, alpha=0.25, linewidth=0)
            ax.plot(lines[0], values)
            edf = float(model.edf_[model.terms_.index(term)])
            ax.set(xlabel=names[0], ylabel=f"{term.label}, {edf:.1f} df")
        else:
            levels = ax.contourf(*lines, values.reshape(grid[0].shape).T, 12, cmap="viridis")
            ax.figure.colorbar(levels, ax=ax)
            ax.set(xlabel=names[0], ylabel=names[1], title=term.label)
    return axes[: len(terms)]
