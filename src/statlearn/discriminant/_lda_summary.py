"""Summary of linear discriminant analysis: canonical functions, tests of equal means, group means, coefficients."""

import numpy as np
from scipy import linalg

from statlearn._core.names import input_names
from statlearn._core.summary import Summary, Table, as_counts

from ._base import mean_columns
from ._class_scatter import ClassScatter
from ._manova import canonical_table, manova_table
from ._sphering import sphere


def lda_summary(model):
    """The `Summary` of a fitted model, from its means and its scatter."""
    if not hasattr(model, "scatter_"):
        raise ValueError(
            "There are fewer rows than columns, so the within-class scatter is singular and the tests do not exist."
        )
    present = model.class_count_ > 0
    statistic = ClassScatter(model.class_count_[present], model._exact_means[present], model.scatter_[None])
    p, k, n = model.n_features_in_, int(present.sum()), statistic.total_weight
    if k < 2:
        raise ValueError("summary requires at least two classes.")
    W = sphere(model.scatter_, dtype=model.means_.dtype).W
    rank = W.shape[1]
    if rank == 0:
        raise ValueError("All columns are constant within the classes, so the tests do not exist.")
    inner = np.sqrt(statistic.counts)[:, None] * ((statistic.means - statistic.mean()) @ W)
    eigenvalues = linalg.svdvals(inner)[: min(rank, k - 1)] ** 2
    names = input_names(model)
    labels = [str(c) for c in model.classes_]
    priors = {
        "prior": model.priors_.astype(float),
        "n": as_counts(model.class_count_),
    }
    means = mean_columns(model.means_, names, priors)
    group_means = Table(labels, {**priors, **means}, caption="Group means", names=tuple(means))
    tables = [manova_table(eigenvalues, n, rank, k), group_means]
    if hasattr(model, "scalings_"):
        shown = model.scalings_[:, : model._max_components].astype(float)
        columns = {f"LD{j + 1}": shown[:, j] for j in range(shown.shape[1])}
        tables.append(Table(names, columns, caption="Coefficients of the linear discriminants"))
    notes = [f"Only the first 20 of {p} columns are listed in the group means."] if p > 20 else []
    if model.shrinkage not in (None, 0) or model.covariance_estimator is not None:
        how = "`covariance_estimator`" if model.covariance_estimator is not None else f"shrinkage {model.shrinkage}"
        notes.append(
            f"The model uses the covariance with {how}; the eigenvalues, correlations and tests describe the data and "
            "use the scatter as it is."
        )
    if rank < p:
        notes.append(f"The within-class scatter has rank {rank} of {p}; the tests use its range.")
    return Summary(
        "Linear discriminant analysis",
        canonical_table(eigenvalues, n, rank, k),
        facts={"n": n, "n_features": p, "n_classes": k, "n_parameters": model.n_parameters_},
        labels={"n": "Rows (sum of weights)", "n_features": "Columns", "n_classes": "Classes"},
        tables=tables,
        notes=notes,
    )
