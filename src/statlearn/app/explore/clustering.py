"""Clusters of the rows of a table: their number, members, typical values and stability."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from statlearn import __version__
from statlearn.app.errors import DataError, UsageError
from statlearn.app.explore.cluster_facts import agreement, describe_columns, findings
from statlearn.app.explore.one_cluster import number_of_clusters
from statlearn.app.explore.unsupervised import prepare
from statlearn.app.model.table_model import TableModel
from statlearn.app.model.training import TrainingSummary
from statlearn.app.setting_names import in_a_row, option
from statlearn.app.tables import frames
from statlearn.app.tables.table import as_table

MIN_ROWS = 10
MAX_JUDGED = 10_000  # rows behind the indices: longer tables are sampled
MAX_WARNINGS = 5
METHODS = {
    "kmeans": "k-means",
    "kmedoids": "k-medoids",
    "ward": "Ward linkage",
    "gaussian": "Gaussian mixture",
}


@dataclass
class ClusterModel(TableModel):
    """A fitted pipeline that assigns a cluster to each row of a table.

    Clusters are numbered from 1, the largest first; `numbers` is what the estimator calls them.
    """

    numbers: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))

    def predict(self, X):
        """The cluster of each row, from 1 on.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        frame, _ = self.check(X)
        try:
            found = self.pipeline.predict(frame)
        except ValueError as error:
            raise DataError(f"the table cannot be used with this model: {error}") from error
        place = {int(number): k + 1 for k, number in enumerate(self.numbers)}
        return np.array([place.get(int(label), 0) for label in found])

    def predict_table(self, X, coverage=0.9):
        """The clusters, and for a mixture the probability of each.

        Parameters
        ----------
        X : data frame
        coverage : float
            Ignored: clusters have no prediction intervals.

        Returns
        -------
        data frame
        """
        columns = {"cluster": self.predict(X)}
        if hasattr(self.pipeline, "predict_proba"):
            columns |= _posterior_columns(posteriors(self.pipeline, self.check(X)[0], self.numbers))
        return frames.from_columns(columns)


def posteriors(estimator, X, numbers):
    """Probabilities of the clusters, the largest cluster first; None for methods without probabilities."""
    if not hasattr(estimator, "predict_proba"):
        return None
    return np.asarray(estimator.predict_proba(X))[:, np.asarray(numbers, int)]


def _posterior_columns(table):
    return {f"probability of {k + 1}": table[:, k] for k in range(table.shape[1])}


@dataclass(repr=False)
class Clustering:
    """What `cluster` returns; `write` makes the report and its files."""

    source: str
    n_rows: int
    method: str
    labels: np.ndarray  # from 1 on, the largest cluster first
    silhouettes: np.ndarray  # of the judged rows
    judged: np.ndarray  # numbers of these rows
    choice: object  # ChooseK
    n_clusters: int
    asked: int | None  # the number that the user asked for
    stability: object  # Stability, or None for one cluster
    design: np.ndarray  # the judged rows as the method saw them
    design_names: list
    columns: list  # dicts: what tells the clusters apart, column by column
    used: dict  # columns and what they were taken for
    dropped: dict  # columns left out and why
    model: ClusterModel | None
    truth: dict | None  # agreement with a column that was left out
    notes: list
    findings: list  # (title, detail, advice)
    settings: dict
    seconds: float
    posteriors: np.ndarray | None = None  # of a mixture: the probability of each cluster, row by row

    @property
    def sizes(self):
        return np.bincount(self.labels, minlength=self.n_clusters + 1)[1:]

    @property
    def verdict(self):
        """The result in two sentences."""
        if self.n_clusters == 1:
            if self.asked == 1:
                return f"One cluster, as requested. {self._votes()}"
            return "One cluster: single clouds of rows without groups would be divided as well as this table."
        sizes = [f"{size:,}" for size in self.sizes]
        shown = in_a_row(sizes) if len(sizes) <= 8 else f"{sizes[-1]} to {sizes[0]}"
        words = f"{self.n_clusters} clusters of {shown} rows. {self._votes()}"
        leading = [c["name"] for c in self.columns if c["share"] >= 0.2][:3]
        if leading:
            words += f" They differ most in {in_a_row(leading)}."
        return words

    def _votes(self):
        """How many indices favour this number of clusters, with the rivals if it has no majority."""
        from collections import Counter

        votes = Counter(self.choice.choices.values())
        total, own = sum(votes.values()), votes[self.n_clusters]
        others = sorted((k for k in votes if k != self.n_clusters), key=lambda k: (-votes[k], k))
        if not others:
            return f"All {total} indices favour this number."
        if own > total / 2:
            return f"{own} of {total} indices favour this number."
        rivals = ", ".join(f"{votes[k]} favour{'s' if votes[k] == 1 else ''} {k}" for k in others[:3])
        return f"The vote is split: {own} of {total} indices favour{'s' if own == 1 else ''} this number, {rivals}."

    def validity(self):
        """One row per number of clusters: the indices.

        Returns
        -------
        data frame
        """
        return frames.from_columns({"k": self.choice.k, **self.choice.table})

    def labelled(self):
        """Row number and cluster of each row, the silhouette where it was measured, probabilities of a mixture.

        Returns
        -------
        data frame
        """
        values = np.full(len(self.labels), np.nan)
        values[self.judged] = self.silhouettes
        columns = {"row": np.arange(len(self.labels)), "cluster": self.labels, "silhouette": values}
        return frames.from_columns(columns | ({} if self.posteriors is None else _posterior_columns(self.posteriors)))

    def to_html(self):
        """One HTML page without scripts and outside resources."""
        from statlearn.app.report.clusters import clusters_html

        return clusters_html(self)

    _repr_html_ = to_html

    def write(self, out, *, safe_csv=False):
        """Write report.html, report.json, labels.csv, validity.csv and model.statlearn into a folder.

        Parameters
        ----------
        out : path
        safe_csv : bool, default=False
            Whether to put an apostrophe before text cells that a spreadsheet would take for formulas.

        Returns
        -------
        dict of str to Path
        """
        from statlearn.app.report.outputs import write_clustering

        return write_clustering(self, out, safe_csv=safe_csv)

    def __repr__(self):
        return f"{self.verdict}\n\n{self.choice}"


def cluster(
    table,
    *,
    method="kmeans",
    n_clusters=None,
    max_clusters=10,
    truth=None,
    drop=(),
    scale=True,
    quick=False,
    random_state=0,
    progress=None,
    source=None,
    n_rows=None,
    notes=(),
):
    """Divide the rows of a table into clusters, and tell how many there are and what they are.

    Parameters
    ----------
    table : Table, data frame (pandas or polars) or array of shape (n_rows, n_columns)
    method : {"kmeans", "kmedoids", "ward", "gaussian"}
    n_clusters : int or None
        Number of clusters; None for the number that most validity indices favour.
    max_clusters : int
        Largest number of clusters to try.
    truth : str or None
        Column of known classes to compare with the clusters. It is not used for clustering.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Whether to scale numeric columns to mean 0 and variance 1.
    quick : bool
        Whether to use fewer reference data sets, splits and bootstrap draws.
    random_state : int
    progress : Progress or None
    source : str or None
        Name of the table in the report.
    n_rows : int or None
        Number of rows of the file, if the table is a sample of it.
    notes : sequence of str
        Remarks from reading the table, for the report.

    Returns
    -------
    Clustering
    """
    from statlearn.cluster import choose_k

    began = time.monotonic()
    _check_options(method, n_clusters, max_clusters)
    table = as_table(table, source, n_rows, notes)
    ready = prepare(table, aside=truth, drop=drop, scale=scale, min_rows=MIN_ROWS, purpose="clustering")
    frame, transformer, X, notes = ready.frame, ready.transformer, ready.X, ready.notes
    judged = _judged_rows(len(X), random_state, notes)
    rows = X[judged]
    most = _most_clusters(rows, n_clusters, max_clusters)
    effort = {"n_refs": 5, "n_splits": 4, "n_boot": 5} if quick else {"n_refs": 20, "n_splits": 10, "n_boot": 20}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        choice = choose_k(
            rows,
            range(1, most + 1),
            estimator=_estimator(method),
            random_state=int(random_state),
            silhouette_sample=None,
            progress=None if progress is None else progress.step,
            **effort,
        )
        k = n_clusters
        if k is None:
            k = number_of_clusters(rows, choice.choices, n_draws=19 if quick else 39, seed=int(random_state))
        estimator, codes = _final(method, k, X, judged, choice, random_state)
        numbers, labels = _by_size(codes)
        stability, silhouettes = _judge(rows, labels[judged], k, method, effort, random_state)
    notes += list(dict.fromkeys(str(warning.message) for warning in caught))[:MAX_WARNINGS]
    found = Clustering(
        source=table.source,
        n_rows=table.n_rows,
        method=method,
        labels=labels,
        silhouettes=silhouettes,
        judged=judged,
        choice=choice,
        n_clusters=len(numbers),
        asked=n_clusters,
        stability=stability,
        design=rows,
        design_names=[str(name) for name in transformer.get_feature_names_out()],
        columns=describe_columns(frame, transformer, labels, len(numbers)),
        used={c: kind for c, kind in transformer.kinds_.items() if c not in transformer.dropped_},
        dropped=dict(transformer.dropped_),
        model=_model(transformer, estimator, method, k, numbers, source, frame),
        truth=None if truth is None else agreement((truth, ready.aside), labels),
        notes=notes,
        findings=[],
        settings={"statlearn": __version__, "method": METHODS[method], "scale": bool(scale), "seed": int(random_state),
                  **effort},
        seconds=0.0,
        posteriors=posteriors(estimator, X, numbers),
    )  # fmt: skip
    found.findings = findings(found, transformer)
    found.seconds = time.monotonic() - began
    return found


def _check_options(method, n_clusters, max_clusters):
    if method not in METHODS:
        raise UsageError(f"{option('method')} must be one of {', '.join(METHODS)}, got {method!r}")
    if max_clusters < 1 or (n_clusters is not None and n_clusters < 1):
        raise UsageError(f"{option('n_clusters')} and {option('max_clusters')} must be at least 1")


def _judged_rows(n, random_state, notes):
    """Positions of the rows that the indices are computed on: all of them, or a sample, which `notes` then mention."""
    if n <= MAX_JUDGED:
        return np.arange(n)
    notes.append(f"The indices were computed on a random sample of {MAX_JUDGED:,} of {n:,} rows.")
    return np.sort(np.random.default_rng(random_state).choice(n, MAX_JUDGED, replace=False))


def _most_clusters(rows, n_clusters, max_clusters):
    """Largest number of clusters to try."""
    limit = min(len(rows) // 2, len(np.unique(rows, axis=0)))
    if n_clusters is not None and n_clusters > limit:
        raise DataError(f"{option('n_clusters')}={n_clusters} is too large for this table; use at most {limit}")
    return min(max(max_clusters, n_clusters or 1), limit)


def _estimator(method):
    from statlearn import cluster as family

    if method == "kmedoids":
        return family.KMedoids()
    if method == "ward":
        return family.AgglomerativeClustering()
    if method == "gaussian":
        from statlearn.mixture import GaussianMixture

        return GaussianMixture()
    return family.KMeans(n_init=5)


def _final(method, k, X, judged, choice, seed):
    """The estimator that labels every row (None where the method cannot label rows it has not seen), and the labels."""
    if k in choice.models and len(judged) == len(X):
        model = choice.models[k]
        return (model if hasattr(model, "predict") else None), choice.labels[k]
    estimator = _estimator(method)
    estimator.set_params(**{"n_components" if method == "gaussian" else "n_clusters": k})
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    if k == 1:
        from statlearn.cluster import KMeans

        estimator = KMeans(1, random_state=seed)
    codes = np.asarray(estimator.fit_predict(X))
    return (estimator if hasattr(estimator, "predict") else None), codes


def _by_size(codes):
    """What the estimator calls the clusters, the largest first, and for each row the place of its cluster, from 1."""
    names, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.lexsort([names, -counts])
    rank = np.empty(len(names), dtype=int)
    rank[order] = np.arange(1, len(names) + 1)
    return names[order], rank[place]


def _judge(rows, labels, k, method, effort, seed):
    from statlearn.cluster import bootstrap_stability, silhouette_samples

    present = len(np.unique(labels))
    if present < 2:
        return None, np.zeros(len(rows))
    stability = bootstrap_stability(
        rows, k, estimator=_estimator(method), n_boot=effort["n_boot"], co_membership=False, random_state=seed
    )
    return stability, silhouette_samples(rows, labels)


def _model(transformer, estimator, method, k, numbers, source, frame):
    if estimator is None:
        return None
    from sklearn.pipeline import Pipeline

    columns = {c: kind for c, kind in transformer.kinds_.items() if c not in transformer.dropped_}
    return ClusterModel(
        Pipeline([("table", transformer), ("model", estimator)]),
        method,
        f"{METHODS[method]}, {k} clusters",
        "clustering",
        "cluster",
        columns,
        about={"source": source, "statlearn": __version__},
        training=TrainingSummary.of(frame, columns),
        numbers=np.asarray(numbers),
    )
