"""Few coordinates for the rows of a table: components, loadings, and how much of the table they keep."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from statlearn import __version__
from statlearn.app.errors import DataError, UsageError
from statlearn.app.explore.unsupervised import prepare
from statlearn.app.model.table_model import TableModel
from statlearn.app.setting_names import count, listed, option
from statlearn.app.tables import frames
from statlearn.app.tables.table import as_table

MIN_ROWS = 5
MAX_JUDGED = 1500  # rows behind the stress and the trustworthiness: longer tables are sampled
MAX_SCALED = 4000  # rows of the methods that need all distances
MAX_WARNINGS = 5
MAX_SCREE = 20  # components of the scree plot
MAX_LISTED = 5  # columns with missing values that are named
MOSTLY_MISSING = 0.4  # share of missing values from which a filled column says little
POOR_TRUST = 0.75  # trustworthiness below which a picture needs a warning
METHODS = {
    "pca": "principal components",
    "factors": "factor analysis, varimax",
    "ica": "independent components",
    "nmf": "non-negative factors",
    "mds": "multidimensional scaling",
    "isomap": "Isomap",
    "spectral": "Laplacian eigenmap",
}
LINEAR = ("pca", "factors", "ica", "nmf")  # methods with loadings
_LETTERS = {"pca": "PC", "factors": "F", "ica": "IC", "nmf": "NF"}


@dataclass
class EmbeddingModel(TableModel):
    """A fitted pipeline that gives coordinates to the rows of other tables."""

    names: list = field(default_factory=list)

    def predict_table(self, X, coverage=0.9):
        """Coordinates of the rows as a frame, one column per coordinate.

        Parameters
        ----------
        X : data frame
        coverage : float
            Ignored: coordinates have no prediction intervals.

        Returns
        -------
        data frame
        """
        frame, _ = self.check(X)
        try:
            found = np.asarray(self.pipeline.transform(frame), dtype=float)
        except ValueError as error:
            raise DataError(f"the table cannot be used with this model: {error}") from error
        return frames.from_columns(dict(zip(self.names, found.T)))


@dataclass(repr=False)
class Embedding:
    """What `embed` returns; `write` makes the report and its files."""

    source: str
    n_rows: int
    method: str
    names: list  # of the coordinates
    coordinates: np.ndarray
    rows: np.ndarray  # numbers of the rows that have coordinates
    loadings: np.ndarray | None  # (prepared column, coordinate)
    design_names: list
    share: np.ndarray  # of the variance, by principal component
    stick: np.ndarray  # the same, of a stick broken at random
    parallel: np.ndarray  # upper limits of the shares in permuted columns
    suggested: int  # components above that limit
    stress: float
    trustworthiness: float
    fit: dict  # further numbers of the method
    groups: np.ndarray | None  # of the rows, for colours
    colour: str | None  # the column behind them
    used: dict
    dropped: dict
    model: EmbeddingModel | None
    notes: list
    findings: list
    settings: dict
    seconds: float

    @property
    def verdict(self):
        """The result in two sentences."""
        k = len(self.names)
        kept = 100 * self.share[:k].sum()
        words = f"{k} coordinate{'s' * (k != 1)} by {METHODS[self.method]}."
        if self.method == "pca":
            words = f"{k} principal component{'s' * (k != 1)}, with {kept:.0f} % of the variance."
        of = "" if self.method == "pca" else "principal "
        if self.suggested:
            some = f"{of}component has" if self.suggested == 1 else f"{self.suggested} {of}components have"
            words += f" The first {some} more variance than in permuted columns."
        else:
            words += f" Not even the first {of}component has more variance than in permuted columns: the columns are "
            words += "hardly related."
        return words

    def table(self):
        """Row number and coordinates of each row.

        Returns
        -------
        data frame
        """
        return frames.from_columns({"row": self.rows, **dict(zip(self.names, self.coordinates.T))})

    def loadings_table(self):
        """One row per prepared column: its loading on each coordinate; None for methods without loadings.

        Returns
        -------
        data frame or None
        """
        if self.loadings is None:
            return None
        return frames.from_columns({"column": self.design_names, **dict(zip(self.names, self.loadings.T))})

    def scree_table(self):
        """Share of the variance by principal component, with both references.

        Returns
        -------
        data frame
        """
        return frames.from_columns(
            {
                "component": np.arange(1, len(self.share) + 1),
                "share": self.share,
                "cumulated": np.cumsum(self.share),
                "broken_stick": self.stick,
                "permuted_95": self.parallel,
            }
        )

    def to_html(self):
        """One HTML page without scripts and outside resources."""
        from statlearn.app.report.embedding import embedding_html

        return embedding_html(self)

    _repr_html_ = to_html

    def write(self, out, *, safe_csv=False):
        """Write report.html, report.json, coordinates.csv, scree.csv, loadings.csv and model.statlearn into a folder.

        Parameters
        ----------
        out : path
        safe_csv : bool, default=False
            Whether to put an apostrophe before text cells that a spreadsheet would take for formulas.

        Returns
        -------
        dict of str to Path
        """
        from statlearn.app.report.outputs import write_embedding

        return write_embedding(self, out, safe_csv=safe_csv)

    def __repr__(self):
        return f"{self.verdict}\nstress {self.stress:.3f}, trustworthiness {self.trustworthiness:.3f}"


def embed(
    table,
    *,
    method="pca",
    n_components=2,
    colour=None,
    drop=(),
    scale=True,
    random_state=0,
    source=None,
    n_rows=None,
    notes=(),
):
    """Give the rows of a table few coordinates, and tell how much of the table these keep.

    Parameters
    ----------
    table : Table, data frame (pandas or polars) or array of shape (n_rows, n_columns)
    method : {"pca", "factors", "ica", "nmf", "mds", "isomap", "spectral"}
        "nmf" factorises the columns scaled to between 0 and 1.
    n_components : int
        Number of coordinates.
    colour : str or None
        Column whose values colour the pictures. It is not used for the coordinates.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Whether to scale numeric columns to mean 0 and variance 1.
    random_state : int
    source : str or None
        Name of the table in the report.
    n_rows : int or None
        Number of rows of the file, if the table is a sample of it.
    notes : sequence of str
        Remarks from reading the table, for the report.

    Returns
    -------
    Embedding
    """
    began = time.monotonic()
    if method not in METHODS:
        raise UsageError(f"{option('method')} must be one of {', '.join(METHODS)}, got {method!r}")
    if n_components < 1:
        raise UsageError(f"{option('n_components')} must be at least 1, got {n_components}")
    # Plain columns: the year and the days of a date would be two copies of one direction, and indicators of missing
    # values, which often come together, a direction of their own.
    table = as_table(table, source, n_rows, notes)
    ready = prepare(table, aside=colour, drop=drop, scale=scale, min_rows=MIN_ROWS, purpose="an embedding", plain=True)
    transformer, X, notes = ready.transformer, ready.X, ready.notes
    groups = None if colour is None else np.asarray(ready.aside.to_list(), dtype=object)
    most = min(len(X) - 1, X.shape[1])
    if method in LINEAR:
        most = max(1, most - (method == "factors" and X.shape[1] > 1))
    if n_components > (most if method in LINEAR else len(X) - 1):
        raise DataError(f"{option('n_components')}={n_components} is too large for this table; use at most {most}")
    rng = np.random.default_rng(random_state)
    rows = np.arange(len(X))
    if method not in LINEAR and len(X) > MAX_SCALED:
        rows = np.sort(rng.choice(len(X), MAX_SCALED, replace=False))
        notes.append(
            f"{METHODS[method]} needs all pairs of rows: {MAX_SCALED:,} of {len(X):,} rows were drawn at random."
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator = _estimator(method, n_components, X.shape[1], random_state)
        coordinates = np.asarray(estimator.fit_transform(X[rows]), dtype=float)
        reference = _scree(X, rng)
        stress, trust = _quality(X[rows], coordinates, rng)
    notes += list(dict.fromkeys(str(warning.message) for warning in caught))[:MAX_WARNINGS]
    letters = _LETTERS.get(method, "C")
    names = [f"{letters}{k + 1}" for k in range(coordinates.shape[1])]
    found = Embedding(
        source=table.source,
        n_rows=table.n_rows,
        method=method,
        names=names,
        coordinates=coordinates,
        rows=rows,
        loadings=_loadings(estimator, method),
        design_names=[str(name) for name in transformer.get_feature_names_out()],
        **reference,
        stress=stress,
        trustworthiness=trust,
        fit=_fit(estimator, method),
        groups=None if groups is None else groups[rows],
        colour=colour,
        used={c: kind for c, kind in transformer.kinds_.items() if c not in transformer.dropped_},
        dropped=dict(transformer.dropped_),
        model=_model(transformer, estimator, method, names, source),
        notes=notes,
        findings=[],
        settings={"statlearn": __version__, "method": METHODS[method], "coordinates": len(names),
                  "scale": bool(scale), "seed": int(random_state)},
        seconds=0.0,
    )  # fmt: skip
    found.findings = _findings(found, transformer, X, scale, estimator)
    found.seconds = time.monotonic() - began
    return found


def _estimator(method, k, n_columns, seed):
    from sklearn.pipeline import make_pipeline

    from statlearn import decomposition, manifold, prep

    if method == "factors":
        # By a quasi-Newton method, as R's factanal: EM can take thousands of steps where factors explain a column
        # entirely. It needs more columns than factors.
        solver = "ml" if k < n_columns else "em"
        return decomposition.FactorAnalysis(k, rotation="varimax", standardize=True, solver=solver, tol=1e-6)
    if method == "ica":
        return decomposition.FastICA(k, random_state=seed, max_iter=1000)
    if method == "nmf":
        factors = decomposition.NMF(k, init="nndsvda", random_state=seed, max_iter=1000)
        return make_pipeline(prep.MinMaxScaler(clip=True), factors)
    if method == "mds":
        return manifold.MDS(k, random_state=seed, n_init=1, init="classical_mds")
    if method == "isomap":
        return manifold.Isomap(n_components=k)
    if method == "spectral":
        return manifold.SpectralEmbedding(k, random_state=seed)
    return decomposition.PCA(k, svd_solver="full", random_state=seed)


def _scree(X, rng):
    """Shares of the principal components with their references; rows are sampled for the permutations."""
    from statlearn.decomposition import PCA, broken_stick, explained_variance_reference

    share = PCA(svd_solver="covariance_eigh" if len(X) > 5 * X.shape[1] else "full").fit(X).explained_variance_ratio_
    sample = X if len(X) <= 5000 else X[rng.choice(len(X), 5000, replace=False)]
    found = explained_variance_reference(sample, random_state=int(rng.integers(2**31)))
    limit = np.quantile(found.reference_share, 0.95, axis=0)
    shown = min(len(share), MAX_SCREE, len(limit))
    return {
        "share": share[:shown],
        "stick": broken_stick(min(len(X), X.shape[1]))[:shown],
        "parallel": limit[:shown],
        "suggested": found.n_components,
    }


def _quality(X, Y, rng):
    """Stress of the distances, after the best common scale, and trustworthiness with five neighbours."""
    from scipy.spatial.distance import pdist

    from statlearn.manifold import trustworthiness

    if len(X) > MAX_JUDGED:
        some = rng.choice(len(X), MAX_JUDGED, replace=False)
        X, Y = X[some], Y[some]
    wanted, shown = pdist(X), pdist(Y)
    square = float(shown @ shown)
    factor = float(wanted @ shown) / square if square > 0 else 0.0
    total = float(wanted @ wanted)
    stress = float(np.sqrt(np.sum((wanted - factor * shown) ** 2) / total)) if total > 0 else 0.0
    neighbours = min(5, max(1, (len(X) - 1) // 2))
    return stress, float(trustworthiness(X, Y, n_neighbors=neighbours)) if len(X) > 4 else float("nan")


def _loadings(estimator, method):
    if method in ("pca", "factors"):
        return estimator.components_.T
    if method == "ica":  # the mixing matrix: how strongly a source shows in each column
        return estimator.mixing_
    if method == "nmf":
        return estimator[-1].components_.T
    return None


def _fit(estimator, method):
    if method == "factors":
        try:
            test = estimator.goodness_of_fit()
        except ValueError:  # a singular covariance matrix has no test
            return {}
        return {"chi_squared": test["statistic"], "degrees_of_freedom": test["df"], "p_value": test["p"]}
    return {}


def _model(transformer, estimator, method, names, source):
    from sklearn.pipeline import Pipeline

    if not hasattr(estimator, "transform"):
        return None
    columns = {c: kind for c, kind in transformer.kinds_.items() if c not in transformer.dropped_}
    return EmbeddingModel(
        Pipeline([("table", transformer), ("model", estimator)]),
        method,
        f"{METHODS[method]}, {len(names)} coordinates",
        "embedding",
        "coordinates",
        columns,
        about={"source": source, "statlearn": __version__},
        names=list(names),
    )


def _findings(found, transformer, X, scale, estimator):
    """What to be careful about: title, detail, advice."""
    findings = []
    k = len(found.names)
    kept = float(found.share[:k].sum())
    if found.method == "pca" and kept < 0.5:
        findings.append((
            "The coordinates show less than half of the variance",
            f"The first {k} components have {100 * kept:.0f} % of the variance; rows that are close in the picture can "
            "be far apart in the table.",
            f"Use more coordinates ({option('n_components')}), or read the picture with care.",
        ))  # fmt: skip
    if not scale:
        deviation = X.std(axis=0)
        if np.any(deviation > 0) and deviation.max() > 10 * np.median(deviation[deviation > 0]):
            name = found.design_names[int(deviation.argmax())]
            findings.append((
                "One column dominates",
                f"The standard deviation of {name!r} is more than ten times that of a typical column.",
                f"Scale the columns ({option('scale')}).",
            ))  # fmt: skip
    centred = X - X.mean(axis=0)
    size = np.sqrt(np.sum(centred**2, axis=1))
    typical = float(np.median(size))
    far = np.flatnonzero(size > 10 * typical) if typical > 0 else np.empty(0, dtype=int)
    if len(far) and found.method in LINEAR:
        findings.append((
            "Outlying rows",
            f"{count(len(far), 'row')} (such as row {far[0] + 1:,}) lie more than ten times as far from the mean as a "
            "typical row. Few such rows can determine the coordinates.",
            "Look at these rows" + (", or use statlearn.decomposition.IRLSPCA or RANSACPCA." if found.method == "pca"
                                    else "; leave them out if they are mistakes."),
        ))  # fmt: skip
    p_value = found.fit.get("p_value", float("nan"))
    if p_value < 0.01:
        shown = "below 0.0001" if p_value < 1e-4 else f"{p_value:.2g}"
        large = " With this many rows, it also rejects models whose misfit is too small to matter."
        findings.append((
            "The likelihood test asks for more factors",
            f"The hypothesis that {k} factor{'s' * (k != 1)} suffice{'s' * (k == 1)} has p value {shown}."
            + large * (found.n_rows >= 1000),
            f"Use more factors ({option('n_components')}) if the scree plot shows more components above its reference.",
        ))  # fmt: skip
    if found.method == "factors":
        findings += _heywood(found, estimator)
    if found.method != "pca" and found.trustworthiness < POOR_TRUST:
        findings.append((
            "Neighbours in the picture are often no neighbours in the table",
            f"The trustworthiness is {found.trustworthiness:.2f}, where 1 is perfect and 0.5 about chance.",
            f"Use more coordinates ({option('n_components')}) or another method ({option('method')}), or read the "
            "picture with care.",
        ))  # fmt: skip
    return findings + _filled(found, transformer, len(X))


def _heywood(found, estimator):
    """Columns that the factors explain (nearly) entirely, which maximum likelihood does not resolve further."""
    sure = [
        name for name, u in zip(found.design_names, estimator.uniquenesses_) if u <= 1.01 * estimator.min_uniqueness
    ]
    if not sure:
        return []
    return [(
        "Columns without variance of their own",
        f"The factors explain all but {100 * estimator.min_uniqueness:g} % of the variance of {listed(sure)}, which is "
        "the limit (a Heywood case). This happens if a column is nearly a combination of others, or with too many "
        "factors.",
        f"Leave out one of the columns that say the same ({option('drop')}), or use fewer factors.",
    )]  # fmt: skip


def _filled(found, transformer, n):
    """Missing values that were filled, the columns with most of them first."""
    missing = {name: transformer.missing_[name] / n for name in found.used if transformer.missing_[name]}
    if not missing:
        return []
    order = sorted(missing, key=lambda name: -missing[name])
    shown = [f"{name!r} ({_percent(missing[name])})" for name in order[:MAX_LISTED]]
    more = f" and {len(order) - MAX_LISTED} more" if len(order) > MAX_LISTED else ""
    joined = ", ".join(shown) + more if more or len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    own = {"pca": "PCA", "factors": "FactorAnalysis", "nmf": "NMF"}.get(found.method)
    advice = []
    if missing[order[0]] > MOSTLY_MISSING:
        advice.append(
            f"Leave out columns that are mostly missing ({option('drop')}): filled with one value, they say little."
        )
    if own:
        how = "with weighted updates" if own == "NMF" else "by maximum likelihood"
        advice.append(f"For numeric columns, statlearn.decomposition.{own} handles missing values itself, {how}.")
    return [(
        "Missing values were filled",
        f"Missing values in {joined} were replaced by the median of the column, or by a level.",
        " ".join(advice) or "Compare with the picture of the complete columns alone.",
    )]  # fmt: skip


def _percent(share):
    return "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"
