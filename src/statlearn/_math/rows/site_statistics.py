"""Sums over the rows of a site, from which a model is fitted without the rows.

`SiteStatistics` is what a site sends: a few arrays whose size does not depend on the number of rows. Models that are
fitted from it have `statistics(X, y)` and `from_statistics(s)`, which `StatisticsMixin` adds.
"""

from typing import ClassVar

import numpy as np
from scipy import linalg

from statlearn._core.params import check_params

from .least_squares import LeastSquaresStatistic

# Arrays of each kind; those of the second tuple have an entry per class along their first axis.
KINDS = {
    "least squares": (("R", "shift", "total_weight", "log_weight", "intercept", "target_dim"), ()),
    "scatter": (("scatter", "pooled"), ("class_weight", "means")),
    "moments": ((), ("class_weight", "counts", "means", "squares")),
    "category counts": (("n_categories",), ("class_weight", "category_counts")),
}
_SAYS = {
    "least squares": "means and centred cross-products of the columns of X and of y",
    "scatter": "weights and means by class, and centred cross-products of the columns",
    "moments": "weights, means and sums of squares of each column by class",
    "category counts": "counts of each category of each column by class",
}


class SiteStatistics:
    """Sufficient statistics of the rows of one or several sites, returned by `statistics` of a model.

    Parameters
    ----------
    kind : {"least squares", "scatter", "moments", "category counts"}
    arrays : dict of str to array
    n_features : int
    n_rows : int
        Rows with a positive weight.
    classes : array or None, default=None
        The class labels, sorted.
    columns : list of str or None, default=None
        Names of the columns.

    Notes
    -----
    LinearRegression and Ridge make and take "least squares"; LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    and PCA "scatter"; GaussianNB and StandardScaler "moments"; CategoricalNB "category counts". A fit from the merged
    statistics of several sites equals the fit to all their rows.

    Statistics are not private by themselves. They tell the number of rows, means and sums of squares and products. For
    a site of one row the mean is the row, and two statistics that differ by one row give it away. Share them where
    the means may be known, and for sites with many more rows than columns. ``to_arrays`` gives plain arrays for any
    transport, such as Flower or files.

    Examples
    --------
    >>> from statlearn.linear import Ridge
    >>> here = Ridge().statistics([[1.0], [2.0]], [1.0, 3.0])
    >>> there = Ridge().statistics([[3.0], [4.0], [6.0]], [4.0, 4.0, 7.0])
    >>> here.merge(there)
    SiteStatistics('least squares', n_rows=5, n_features=1)
    >>> Ridge.from_statistics(here.merge(there), alpha=1.0).coef_.round(4)
    array([1.0253])
    """

    def __init__(self, kind, arrays, *, n_features, n_rows, classes=None, columns=None):
        self.kind = kind
        self.arrays = arrays
        self.n_features = n_features
        self.n_rows = n_rows
        self.classes = classes
        self.columns = columns

    def __repr__(self):
        classes = "" if self.classes is None else f", classes={self.classes.tolist()}"
        return f"SiteStatistics({self.kind!r}, n_rows={self.n_rows}, n_features={self.n_features}{classes})"

    def __str__(self):
        sizes = "\n".join(f"  {name:16} {np.shape(a)!s}" for name, a in self.arrays.items())
        return f"{self!r}\nholds {_SAYS[self.kind]}:\n{sizes}"

    def merge(self, *others):
        """The statistics of all sites together.

        Parameters
        ----------
        *others : SiteStatistics
            Those of other sites. Their order does not matter, but for rounding.

        Returns
        -------
        SiteStatistics
        """
        merged = self
        for other in others:
            merged = _merged(merged, other)
        return merged

    def forget(self, *others):
        """The statistics without some rows, as if these had never been there.

        Parameters
        ----------
        *others : SiteStatistics
            Statistics of the rows to forget, which must be among those behind this object.

        Returns
        -------
        SiteStatistics
            A fit from it equals the fit to the remaining rows, up to rounding that grows with the share of what is
            forgotten. Classes without remaining rows disappear; the numbers of categories stay.

        Raises
        ------
        ValueError
            If the rows are not among those behind this object, if none remain, or if the difference would be rounding,
            such as that of a row that alone determines a coefficient. Then fit the remaining rows.

        Examples
        --------
        >>> from statlearn.linear import LinearRegression
        >>> x, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [1.0, 2.0, 2.0, 4.0, 5.0]
        >>> rest = LinearRegression().statistics(x, y).forget(LinearRegression().statistics(x[4:], y[4:]))
        >>> LinearRegression.from_statistics(rest).coef_.round(9)
        array([0.9])
        """
        from .forgetting import without_rows

        rest = self
        for other in others:
            rest = without_rows(rest, other)
        return rest

    def to_arrays(self):
        """Plain arrays, for files such as ``np.savez`` and for any transport.

        Returns
        -------
        dict of str to ndarray
        """
        arrays = {name: np.asarray(a) for name, a in self.arrays.items()}
        arrays |= {
            "kind": np.array(self.kind),
            "n_features": np.array(self.n_features),
            "n_rows": np.array(self.n_rows),
        }
        if self.classes is not None:
            arrays["classes"] = np.asarray(self.classes)
        if self.columns is not None:
            arrays["columns"] = np.array(self.columns, dtype=np.str_)
        return arrays

    @classmethod
    def from_arrays(cls, arrays):
        """The statistics of `to_arrays`, checked.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            Such as the result of ``np.load``.

        Returns
        -------
        SiteStatistics
        """
        arrays = {str(name): np.asarray(arrays[name]) for name in arrays}
        kind = str(arrays.pop("kind", ""))
        if kind not in KINDS:
            raise ValueError(f"`arrays` must have a `kind` among {sorted(KINDS)}, got {kind!r}.")
        header = {}
        for name in ("n_features", "n_rows"):
            value = arrays.pop(name, np.array(-1))
            if value.shape != () or value.dtype.kind not in "iu" or value < 0:
                raise ValueError(f"`arrays` must have an int of at least 0 as `{name}`.")
            header[name] = int(value)
        classes, columns = arrays.pop("classes", None), arrays.pop("columns", None)
        if columns is not None:
            if columns.shape != (header["n_features"],) or columns.dtype.kind != "U":
                raise ValueError(f"`columns` must hold {header['n_features']} names, got shape {columns.shape}.")
            columns = columns.tolist()
        if classes is not None and (classes.ndim != 1 or classes.dtype.kind not in "iufUb"):
            raise ValueError("`classes` must be a vector of numbers or text.")
        statistics = cls(kind, arrays, classes=classes, columns=columns, **header)
        _check(statistics)
        return statistics

    def least_squares(self):
        """The `LeastSquaresStatistic` of this one."""
        a = self.arrays
        return LeastSquaresStatistic(
            a["R"], a["shift"], self.n_features, bool(a["intercept"]), self.n_rows, float(a["total_weight"]),
            float(a["log_weight"]), True,
        )  # fmt: skip


def of_least_squares(statistic, *, columns, target_dim):
    """Statistics of a `LeastSquaresStatistic`, about the means and triangular, so that no row can be read from them."""
    R, shift = statistic.R, statistic.shift
    if statistic.intercept:
        means = np.concatenate(statistic.means)
        R = R.copy()
        R[:, 1:] += np.outer(R[:, 0], shift - means)
        shift = means
    arrays = {
        "R": np.array(linalg.qr(R, mode="r", check_finite=False)[0][: R.shape[1]]),
        "shift": np.array(shift, dtype=np.float64),
        "total_weight": np.array(float(statistic.total_weight)),
        "log_weight": np.array(float(statistic.log_weight)),
        "intercept": np.array(bool(statistic.intercept)),
        "target_dim": np.array(target_dim),
    }
    return SiteStatistics(
        "least squares", arrays, n_features=statistic.n_features, n_rows=int(statistic.n_rows), columns=columns
    )


def _check(s):
    """Raise unless the arrays have the names, shapes and signs of their kind."""
    single, by_class = KINDS[s.kind]
    if set(s.arrays) != {*single, *by_class}:
        raise ValueError(f"Statistics of kind {s.kind!r} must hold {[*single, *by_class]}, got {sorted(s.arrays)}.")
    for name, a in s.arrays.items():
        if a.dtype.kind not in "iufb" or not np.isfinite(a).all():
            raise ValueError(f"`{name}` must hold finite numbers.")
    p, k = s.n_features, 1 if s.classes is None else len(s.classes)
    if s.classes is not None and len(np.unique(s.classes)) != k:
        raise ValueError("`classes` must be distinct.")
    a, shapes = s.arrays, {}
    if s.kind == "least squares":
        q = a["R"].shape[1] if a["R"].ndim == 2 else 0
        c = int(bool(a["intercept"])) if a["intercept"].shape == () else 0
        fits = a["R"].ndim == 2 and len(a["R"]) <= q and q > p + c and a["target_dim"].shape == ()
        fits = fits and (a["target_dim"] == 2 or q == p + c + 1)
        shapes = {"R": a["R"].shape if fits else None, "shift": (q - c,)}
        shapes |= dict.fromkeys(("total_weight", "log_weight", "intercept", "target_dim"), ())
        if fits and (np.any(np.tril(a["R"], -1)) or (c and not a["R"][0, 0])):
            raise ValueError("`R` must be upper triangular, with an entry for the intercept.")
        if a["total_weight"].shape == () and not a["total_weight"] > 0:
            raise ValueError("`total_weight` must be positive.")
    elif s.kind == "scatter":
        m = 1 if a["pooled"].shape == () and a["pooled"] else k
        shapes = {"class_weight": (k,), "means": (k, p), "scatter": (m, p, p), "pooled": ()}
    elif s.kind == "moments":
        shapes = {"class_weight": (k,), **dict.fromkeys(("counts", "means", "squares"), (k, p))}
    else:
        top = a["category_counts"].shape[-1] if a["category_counts"].ndim == 3 else None
        shapes = {"class_weight": (k,), "category_counts": (k, p, top), "n_categories": (p,)}
        sizes = a["n_categories"]
        if sizes.size and (sizes.dtype.kind not in "iu" or sizes.min() < 0 or sizes.max() > (top or 0)):
            raise ValueError("`n_categories` must hold ints up to the last axis of `category_counts`.")
    for name, shape in shapes.items():
        if a[name].shape != shape:
            raise ValueError(f"`{name}` has shape {a[name].shape}, which does not suit {p} columns and {k} classes.")
    for name in ("class_weight", "counts", "squares", "category_counts"):
        if name in a and a[name].size and a[name].min() < 0:
            raise ValueError(f"`{name}` must not be negative.")


def require_alike(a, b, action):
    """Raise unless two statistics are of the same kind, columns and type of classes."""
    if not isinstance(b, SiteStatistics):
        raise TypeError(f"`others` must hold SiteStatistics, got {type(b).__name__}.")
    if (a.kind, a.n_features) != (b.kind, b.n_features):
        raise ValueError(f"Statistics of different kinds cannot be {action}: {a!r} and {b!r}.")
    if a.columns is not None and b.columns is not None and a.columns != b.columns:
        raise ValueError(f"Statistics of different columns cannot be {action}: {a.columns} and {b.columns}.")
    if (a.classes is None) != (b.classes is None):
        raise ValueError(f"Statistics with and without classes cannot be {action}.")
    if a.classes is not None and (a.classes.dtype.kind in "US") != (b.classes.dtype.kind in "US"):
        raise ValueError(f"Classes of text and of numbers cannot be {action}: {a.classes} and {b.classes}.")
    if a.kind == "least squares" and a.arrays["target_dim"] != b.arrays["target_dim"]:
        raise ValueError(f"Statistics of y with one and with two dimensions cannot be {action}.")
    if a.kind == "scatter" and a.arrays["pooled"] != b.arrays["pooled"]:
        raise ValueError(f"Pooled cross-products and those by class cannot be {action}.")


def _merged(a, b):
    require_alike(a, b, "merged")
    columns = b.columns if a.columns is None else a.columns
    about = {"n_features": a.n_features, "n_rows": a.n_rows + b.n_rows, "columns": columns}
    if a.kind == "least squares":
        both = of_least_squares(
            a.least_squares().merge(b.least_squares()), columns=columns, target_dim=int(a.arrays["target_dim"])
        )
        return SiteStatistics("least squares", both.arrays, **about)
    classes = a.classes
    if classes is not None:
        classes = np.unique(np.concatenate([a.classes, b.classes]))
        a, b = widened(a, classes), widened(b, classes)
    x, y = a.arrays, b.arrays
    arrays = {"class_weight": x["class_weight"] + y["class_weight"]}
    if a.kind == "category counts":
        top = max(x["category_counts"].shape[2], y["category_counts"].shape[2])
        arrays["category_counts"] = sum(
            np.pad(c, ((0, 0), (0, 0), (0, top - c.shape[2]))) for c in (x["category_counts"], y["category_counts"])
        )
        arrays["n_categories"] = np.maximum(x["n_categories"], y["n_categories"])
        return SiteStatistics(a.kind, arrays, classes=classes, **about)
    if a.kind == "scatter":
        n, m = x["class_weight"][:, None], y["class_weight"][:, None]
    else:
        n, m = x["counts"], y["counts"]
    share = np.divide(m, n + m, out=np.zeros_like(n + m), where=n + m > 0)
    gap = y["means"] - x["means"]
    arrays["means"] = x["means"] + share * gap
    if a.kind == "moments":
        arrays["counts"] = n + m
        arrays["squares"] = x["squares"] + y["squares"] + n * share * gap**2
        return SiteStatistics(a.kind, arrays, classes=classes, **about)
    scaled = n * share * gap
    arrays["pooled"] = x["pooled"]
    between = (scaled.T @ gap)[None] if x["pooled"] else scaled[:, :, None] * gap[:, None, :]
    arrays["scatter"] = x["scatter"] + y["scatter"] + between
    return SiteStatistics(a.kind, arrays, classes=classes, **about)


def widened(s, classes):
    """The statistics of all classes of `classes`, with zeros for classes without rows."""
    if len(s.classes) == len(classes):
        return s
    place = np.searchsorted(classes, s.classes)

    def spread(a):
        wide = np.zeros((len(classes), *a.shape[1:]), a.dtype)
        wide[place] = a
        return wide

    names = [*KINDS[s.kind][1]]
    if s.kind == "scatter" and not s.arrays["pooled"]:
        names.append("scatter")
    arrays = {name: spread(a) if name in names else a for name, a in s.arrays.items()}
    return SiteStatistics(s.kind, arrays, n_features=s.n_features, n_rows=s.n_rows, classes=classes, columns=s.columns)


class StatisticsMixin:
    """`statistics` and `from_statistics` for a model that is fitted from sums over rows.

    A subclass has `_statistics_kind`, `_site_statistics(X, y, sample_weight)` for a fresh copy of itself, and
    `_fit_statistics(statistics)`.
    """

    _statistics_kind: ClassVar[str]

    def statistics(self, X, y=None, sample_weight=None):
        """Sums over rows, from which :meth:`from_statistics` fits the model without the rows.

        Sites that must not share rows share these: their size does not depend on the number of rows, and those of any
        number of sites merge (``s.merge(t, u)``), in any order, into those of all rows. They are not private by
        themselves: they reveal the number of rows and the means and sums named in ``print(s)``, and for a site of
        fewer rows than columns they nearly reveal the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            As in `fit`.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        SiteStatistics
            Small object with `merge`, `to_arrays` and `from_arrays`.
        """
        from sklearn.base import clone

        model = clone(self)
        check_params(model)
        return model._site_statistics(X, y, sample_weight)

    @classmethod
    def from_statistics(cls, statistics, **settings):
        """The model fitted to the rows behind merged statistics.

        It equals `fit` on all rows together, up to rounding.

        Parameters
        ----------
        statistics : SiteStatistics
        **settings
            Parameters of the model. Those that decide what is summed (such as `fit_intercept`) must be those of
            :meth:`statistics`.

        Returns
        -------
        model
            Fitted.
        """
        model = cls(**settings)
        check_params(model)
        if not isinstance(statistics, SiteStatistics):
            raise TypeError(f"`statistics` must be SiteStatistics, got {type(statistics).__name__}.")
        if statistics.kind != cls._statistics_kind:
            raise ValueError(
                f"{cls.__name__} requires statistics of kind {cls._statistics_kind!r}, got {statistics.kind!r}."
            )
        _check(statistics)
        model.n_features_in_ = statistics.n_features
        if statistics.columns is not None:
            model.feature_names_in_ = np.array(statistics.columns, dtype=object)
        model._fit_statistics(statistics)
        return model


def column_names(model):
    """Names of the columns that a model has seen, or None."""
    return list(model.feature_names_in_) if hasattr(model, "feature_names_in_") else None


def require_classes(statistics, owner):
    """Raise if statistics have no classes, as those of an unsupervised model."""
    if statistics.classes is None:
        raise ValueError(f"{owner} requires statistics with classes; make them with {owner}().statistics(X, y).")
