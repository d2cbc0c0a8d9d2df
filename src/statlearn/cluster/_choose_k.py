"""Choice of the number of clusters: several indices in one table and one figure."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._core.params import Int, InvalidParameterError, check_arguments
from statlearn._core.summary import Summary, Table

from ._elbow import make_elbow
from ._gap import make_gap
from ._partitions import Partitions, check_ks, check_rows
from ._prediction_strength import make_strength
from ._silhouette import silhouette_score
from ._stability import make_stability

# Indices by the name of their column, as people call them, and how each of them chooses.
CHOOSE_K_INDICES = {
    "within": "within-cluster scatter W",
    "silhouette": "mean silhouette",
    "calinski_harabasz": "Calinski-Harabasz",
    "davies_bouldin": "Davies-Bouldin",
    "gap": "gap statistic",
    "prediction_strength": "prediction strength",
    "stability": "bootstrap stability",
}
CHOOSE_K_RULES = {
    "within": "elbow: farthest below the chord",
    "silhouette": "largest",
    "calinski_harabasz": "largest",
    "davies_bouldin": "smallest",
    "gap": "smallest k with G(k) ≥ G(k+1) − s'",
    "prediction_strength": "largest k with strength at least 0.8",
    "stability": "largest",
}


@dataclass(repr=False)
class ChooseK:
    """Result of `choose_k`; supports printing and ``plot()``.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters.
    table : dict of str to ndarray
        One column per index, NaN where it is undefined, plus the columns "gap_error" and "prediction_strength_error".
    choices : dict of str to int
        Number of clusters chosen by each index.
    n_clusters : int
        Number chosen by most indices; ties are broken by the larger silhouette.
    labels : dict of int to ndarray
        The partition for each k.
    models : dict of int to estimator
        The fitted estimator for each k (except one cluster).
    """

    k: np.ndarray
    table: dict
    choices: dict
    n_clusters: int
    labels: dict = field(default_factory=dict)
    models: dict = field(default_factory=dict)

    def summary(self):
        """The table with the choices below."""
        votes = {name: f"{choice}  ({CHOOSE_K_RULES[name]})" for name, choice in self.choices.items()}
        labels = {name: f"k by {CHOOSE_K_INDICES[name]}" for name in self.choices}
        rows = [f"{k} *" if k == self.n_clusters else str(k) for k in self.k]
        return Summary(
            f"Number of clusters: {self.n_clusters}",
            Table(rows, {name: column for name, column in self.table.items() if not name.endswith("_error")}),
            facts=votes,
            labels=labels,
            notes=[f"* chosen by {sum(c == self.n_clusters for c in self.choices.values())} of "
                   f"{len(self.choices)} indices."],
        )  # fmt: skip

    def __repr__(self):
        return str(self.summary())

    def _repr_html_(self):
        return self.summary()._repr_html_()

    def to_frame(self):
        """The table as a pandas DataFrame, one row per k."""
        import pandas as pd

        return pd.DataFrame(self.table, index=pd.Index(self.k, name="k"))

    def plot(self, figure=None):
        """Plot of every index by k, with its own and the overall choice marked; returns the matplotlib Figure."""
        from ._plots import plot_choose_k

        return plot_choose_k(self, figure=figure)


def choose_k(
    X,
    k_values=range(1, 11),
    *,
    estimator=None,
    indices=tuple(CHOOSE_K_INDICES),
    n_refs=20,
    n_splits=10,
    n_boot=20,
    silhouette_sample=20_000,
    random_state=None,
    progress=None,
):
    """Validity indices for a range of numbers of clusters, and the number chosen by most of them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    k_values : iterable of int, default=range(1, 11)
        Consecutive integers.
    estimator : clusterer or None, default=None
        Clusterer with a parameter `n_clusters` or `n_components`; None uses `KMeans` with ten initialisations.
    indices : sequence of str
        Subset of "within", "silhouette", "calinski_harabasz", "davies_bouldin", "gap", "prediction_strength",
        "stability".
    n_refs : int, default=20
        Number of reference sets for the gap statistic.
    n_splits : int, default=10
        Number of random splits into halves for the prediction strength.
    n_boot : int, default=20
        Number of bootstrap samples for the stability.
    silhouette_sample : int or None, default=20_000
        Maximum number of rows for the silhouette; larger tables are subsampled. None uses all rows.
    random_state : int, RandomState or None, default=None
    progress : callable or None, default=None
        Called as ``progress(done, total, words)``.

    Returns
    -------
    ChooseK

    Notes
    -----
    Indices disagree if the data are ambiguous. Only the gap statistic and the prediction strength can choose a single
    cluster. Silhouette, Calinski-Harabasz and Davies-Bouldin favour well-separated round clusters; stability favours
    few clusters.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from statlearn.cluster import choose_k
    >>> X, _ = make_blobs(90, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.4, random_state=0)
    >>> found = choose_k(X, range(1, 6), n_refs=5, n_splits=3, n_boot=5, random_state=0)
    >>> found.n_clusters
    3
    >>> found.choices["gap"]
    3
    """
    check_arguments(
        choose_k,
        n_refs=(n_refs, [Int(1, None)]),
        n_splits=(n_splits, [Int(1, None)]),
        n_boot=(n_boot, [Int(1, None)]),
        silhouette_sample=(silhouette_sample, [Int(2, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    unknown = [name for name in indices if name not in CHOOSE_K_INDICES]
    if unknown or not len(indices):
        raise InvalidParameterError(f"`indices` must be some of {list(CHOOSE_K_INDICES)}, got {list(indices)}.")
    X = check_rows(X)
    n = X.shape[0]
    ks = check_ks(k_values, n - 1, consecutive=True)
    if "prediction_strength" in indices and ks[-1] > n // 2:
        raise ValueError(
            f"`k_values`: prediction_strength clusters each half of the rows, so k must be at most {n // 2}."
        )
    units = len(ks) + n_refs * ("gap" in indices) + n_splits * ("prediction_strength" in indices)
    tick = _Ticks(progress, units + n_boot * int((ks > 1).sum()) * ("stability" in indices))
    partitions = Partitions(estimator, random_state)
    parts = {}
    for k in ks:
        parts[int(k)] = partitions.make(X, int(k), 0)
        tick("partitions")
    table, choices = {}, {}
    within = np.array([part.within for part in parts.values()])
    if "within" in indices:
        table["within"] = within
        choices["within"] = make_elbow(ks, within).elbow
    for name, measure, best in _simple(X, partitions, silhouette_sample):
        if name in indices:
            table[name] = np.array([measure(part.codes) if _divided(part, n) else np.nan for part in parts.values()])
            if np.isfinite(table[name]).any():
                choices[name] = int(ks[best(table[name])])
    if "gap" in indices:
        gap = make_gap(X, ks, within, partitions, n_refs, tick=lambda: tick("gap statistic"))
        table["gap"], table["gap_error"], choices["gap"] = gap.gap, gap.std_error, gap.n_clusters
    if "prediction_strength" in indices:
        strength = make_strength(X, ks, partitions, n_splits, 0.8, tick=lambda: tick("prediction strength"))
        table["prediction_strength"], table["prediction_strength_error"] = strength.strength, strength.std_error
        choices["prediction_strength"] = strength.n_clusters
    if "stability" in indices:
        table["stability"] = np.array([
            make_stability(X, part, k, partitions, n_boot, tick=lambda: tick("stability")).score if k > 1 else np.nan
            for k, part in parts.items()
        ])  # fmt: skip
        if np.isfinite(table["stability"]).any():
            choices["stability"] = int(ks[np.nanargmax(table["stability"])])
    return ChooseK(
        ks,
        table,
        choices,
        _most_votes(ks, table, choices),
        {k: part.codes for k, part in parts.items()},
        {k: part.estimator for k, part in parts.items() if part.estimator is not None},
    )


class _Ticks:
    """Progress reports."""

    def __init__(self, progress, total):
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, words):
        self.done += 1
        if self.progress is not None:
            self.progress(min(self.done, self.total), self.total, words)


def _divided(part, n):
    return 1 < len(part.centers) < n


def _simple(X, partitions, sample):
    """Indices of one partition: name, function of its codes, and which value is best."""
    from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

    seed = int(partitions.generator(4).integers(np.iinfo(np.int32).max))
    size = None if sample is None or X.shape[0] <= sample else sample

    def silhouette(codes):
        return silhouette_score(X, codes, sample_size=size, random_state=seed)

    yield "silhouette", silhouette, np.nanargmax
    yield "calinski_harabasz", lambda codes: calinski_harabasz_score(X, codes), np.nanargmax
    yield "davies_bouldin", lambda codes: davies_bouldin_score(X, codes), np.nanargmin


def _most_votes(ks, table, choices):
    votes = np.array([sum(choice == k for choice in choices.values()) for k in ks], dtype=float)
    quality = np.nan_to_num(table.get("silhouette", np.zeros(len(ks))), nan=-1.0)
    return int(ks[np.lexsort([-ks, quality, votes])[-1]])
