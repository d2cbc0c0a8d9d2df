"""Search spaces: real, integer and categorical dimensions, and their map to the unit cube."""

import itertools
import math
import numbers
from collections.abc import Mapping

import numpy as np

PRIORS = ("uniform", "log-uniform")
CLOSE = 1e-9  # two points of the unit cube that differ by no more are the same


def _number(value, name, *, whole=False):
    kind = numbers.Integral if whole else numbers.Real
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind) or not math.isfinite(value):
        raise ValueError(f"`{name}` must be a finite {'integer' if whole else 'number'}, got {value!r}.")
    return int(value) if whole else float(value)


class Dimension:
    """One coordinate of a search space; see `Real`, `Integer` and `Categorical`.

    A value is stored as a position in [0, 1]. The Gaussian process sees `width` columns made from it.
    """

    name: str | None = None
    width = 1
    n_values: float = math.inf  # number of possible values

    def position(self, value):
        """Position of a value in [0, 1]; a ValueError if it is not in the dimension."""
        raise NotImplementedError

    def value(self, position):
        """Value at a position in [0, 1]."""
        raise NotImplementedError

    def columns(self, positions):
        """Columns for the model, of shape (n, width)."""
        return positions[:, None]

    def snap(self, positions):
        """Positions of the values that belong to these positions."""
        return positions

    def grid(self):
        """Positions of all values of a discrete dimension."""
        raise NotImplementedError

    def _refuse(self, value):
        raise ValueError(f"{value!r} is not in {self.label()}.")

    def label(self):
        """The dimension in words, for messages."""
        return f"{self!r}" if self.name is None else f"the dimension {self.name!r}, {self!r}"

    def __eq__(self, other):
        return type(self) is type(other) and self.describe() == other.describe()

    def __hash__(self):
        return hash(repr(self.describe()))

    def describe(self):
        """Plain description for the study file and for comparisons."""
        raise NotImplementedError


class _Range(Dimension):
    """Bounds and prior shared by numeric dimensions."""

    whole = False

    def __init__(self, low, high, prior="uniform", *, name=None):
        self.low, self.high = _number(low, "low", whole=self.whole), _number(high, "high", whole=self.whole)
        if prior not in PRIORS:
            raise ValueError(f"`prior` must be 'uniform' or 'log-uniform', got {prior!r}.")
        if not self.low < self.high:
            raise ValueError(f"`low` must be less than `high`, got low={low!r} and high={high!r}.")
        if prior == "log-uniform" and self.low <= 0:
            raise ValueError(f"`low` must be positive for a 'log-uniform' prior, got {low!r}.")
        self.prior, self.name = prior, name

    def __repr__(self):
        prior = "" if self.prior == "uniform" else f", prior={self.prior!r}"
        return f"{type(self).__name__}({self.low!r}, {self.high!r}{prior})"

    def describe(self):
        return {"kind": type(self).__name__, "low": self.low, "high": self.high, "prior": self.prior}

    def _scale(self, value):
        return np.log(value) if self.prior == "log-uniform" else value


class Real(_Range):
    """Real dimension of a search space.

    Parameters
    ----------
    low, high : float
        Bounds, both included.
    prior : {"uniform", "log-uniform"}, default="uniform"
        Scale of the dimension. Use "log-uniform" for positive quantities that span orders of magnitude, such as
        penalties and learning rates.
    name : str or None, default=None

    Examples
    --------
    >>> from statlearn.gp import Real
    >>> round(Real(1e-3, 10.0, "log-uniform").value(0.5), 6)
    0.1
    """

    def position(self, value):
        value = _number(value, self.name or "value")
        if not self.low <= value <= self.high:
            self._refuse(value)
        low, high = self._scale(self.low), self._scale(self.high)
        return float(np.clip((self._scale(value) - low) / (high - low), 0.0, 1.0))

    def value(self, position):
        if position <= 0.0 or position >= 1.0:  # the bounds themselves, free of rounding
            return self.low if position <= 0.0 else self.high
        low, high = self._scale(self.low), self._scale(self.high)
        value = low + float(position) * (high - low)
        return float(np.clip(math.exp(value) if self.prior == "log-uniform" else value, self.low, self.high))


class Integer(_Range):
    """Integer dimension of a search space.

    Parameters
    ----------
    low, high : int
        Bounds, both included.
    prior : {"uniform", "log-uniform"}, default="uniform"
        Scale of the dimension.
    name : str or None, default=None

    Examples
    --------
    >>> from statlearn.gp import Integer
    >>> [Integer(1, 4).value(u) for u in (0.0, 0.3, 0.6, 1.0)]
    [1, 2, 3, 4]
    """

    whole = True

    def __init__(self, low, high, prior="uniform", *, name=None):
        super().__init__(low, high, prior, name=name)
        self.n_values = self.high - self.low + 1
        # Every value owns the cell of half a unit around it.
        self._ends = self._scale(self.low - 0.5), self._scale(self.high + 0.5)

    def position(self, value):
        if isinstance(value, numbers.Real) and not isinstance(value, bool) and value == round(value):
            value = round(value)
        value = _number(value, self.name or "value", whole=True)
        if not self.low <= value <= self.high:
            self._refuse(value)
        return float((self._scale(value) - self._ends[0]) / (self._ends[1] - self._ends[0]))

    def value(self, position):
        return int(self._values(np.asarray(position, dtype=np.float64)))

    def _values(self, positions):
        scaled = self._ends[0] + positions * (self._ends[1] - self._ends[0])
        values = np.exp(scaled) if self.prior == "log-uniform" else scaled
        return np.clip(np.floor(values + 0.5), self.low, self.high)

    def snap(self, positions):
        return (self._scale(self._values(positions)) - self._ends[0]) / (self._ends[1] - self._ends[0])

    def grid(self):
        values = np.arange(self.low, self.high + 1, dtype=np.float64)
        return (self._scale(values) - self._ends[0]) / (self._ends[1] - self._ends[0])


class Categorical(Dimension):
    """Categorical dimension of a search space.

    Parameters
    ----------
    categories : list
        The values, of any type. Their order has no meaning.
    name : str or None, default=None

    Notes
    -----
    Two categories are 0 and 1 for the model. Three or more have one indicator column each, all at the same distance.

    Examples
    --------
    >>> from statlearn.gp import Categorical
    >>> Categorical(["linear", "rbf"]).value(0.9)
    'rbf'
    """

    def __init__(self, categories, *, name=None):
        if isinstance(categories, (str, bytes)) or not hasattr(categories, "__iter__"):
            raise ValueError(f"`categories` must be a list of values, got {categories!r}.")
        self.categories = [value.item() if isinstance(value, np.generic) else value for value in categories]
        if not self.categories:
            raise ValueError("`categories` must contain at least one value.")
        for i, value in enumerate(self.categories):
            if any(_same(value, other) for other in self.categories[:i]):
                raise ValueError(f"`categories` contains {value!r} twice.")
        self.name, self.n_values = name, len(self.categories)
        self.width = 1 if self.n_values <= 2 else self.n_values

    def __repr__(self):
        return f"Categorical({self.categories!r})"

    def describe(self):
        return {"kind": "Categorical", "categories": [repr(value) for value in self.categories]}

    def position(self, value):
        for k, category in enumerate(self.categories):
            if _same(value, category):
                return (k + 0.5) / self.n_values
        self._refuse(value)
        return None

    def _codes(self, positions):
        return np.clip(np.floor(positions * self.n_values).astype(np.intp), 0, self.n_values - 1)

    def value(self, position):
        return self.categories[int(self._codes(np.asarray(position, dtype=np.float64)))]

    def snap(self, positions):
        return (self._codes(positions) + 0.5) / self.n_values

    def grid(self):
        return (np.arange(self.n_values) + 0.5) / self.n_values

    def columns(self, positions):
        codes = self._codes(positions)
        if self.n_values <= 2:
            return codes.astype(np.float64)[:, None]
        return np.eye(self.n_values)[codes] / math.sqrt(2)  # any two at distance 1


def _same(a, b):
    """Equality that separates 1 from True and copes with arrays."""
    if a is b:
        return True
    if isinstance(a, (bool, np.bool_)) != isinstance(b, (bool, np.bool_)):
        return False
    try:
        return bool(np.all(a == b))
    except (TypeError, ValueError):
        return False


def as_dimension(value, name=None):
    """A dimension from its short form.

    A tuple ``(low, high)`` or ``(low, high, prior)`` is an `Integer` for two integers and a `Real` otherwise; a list or
    an array is a `Categorical`; a distribution of scipy (`uniform`, `loguniform`, `randint`) has the range of its
    support.
    """
    where = "" if name is None else f" of {name!r}"
    if isinstance(value, Dimension):
        if name is not None and value.name != name:
            import copy

            value = copy.copy(value)
            value.name = name
        return value
    if hasattr(value, "dist") and hasattr(value, "support"):
        return _from_distribution(value, name)
    if isinstance(value, tuple) and 2 <= len(value) <= 3 and all(_is_number(v) for v in value[:2]):
        if len(value) == 3 and not isinstance(value[2], str):
            return Categorical(value, name=name)
        kind = Integer if all(isinstance(v, numbers.Integral) for v in value[:2]) else Real
        try:
            return kind(*value, name=name)
        except ValueError as error:
            raise ValueError(f"The dimension{where} is invalid: {error}") from None
    if isinstance(value, (list, tuple, range, set, frozenset, np.ndarray)):
        try:
            return Categorical(sorted(value) if isinstance(value, (set, frozenset)) else list(value), name=name)
        except ValueError as error:
            raise ValueError(f"The dimension{where} is invalid: {error}") from None
    raise ValueError(
        f"The dimension{where} must be a Real, an Integer, a Categorical, a tuple (low, high) or (low, high, prior), a "
        f"list of categories or a uniform, loguniform or randint distribution of scipy, got {value!r}."
    )


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _from_distribution(frozen, name):
    low, high = frozen.support()
    kind = frozen.dist.name
    if kind in ("loguniform", "reciprocal"):
        return Real(low, high, "log-uniform", name=name)
    if kind == "uniform":
        return Real(low, high, name=name)
    if kind == "randint":
        return Integer(int(low), int(high), name=name)
    raise ValueError(
        f"The dimension of {name!r} is a {kind} distribution; only uniform, loguniform and randint are supported. Pass "
        "Real(low, high) or Integer(low, high)."
    )


class Space:
    """Search space: an ordered set of dimensions.

    Parameters
    ----------
    dimensions : dict of str to dimension, or list of dimensions
        A dimension is a `Real`, an `Integer` or a `Categorical`, or a short form: a tuple ``(low, high)`` or ``(low,
        high, prior)``, which is an `Integer` if both bounds are integers and a `Real` otherwise, a list of categories,
        or a uniform, loguniform or randint distribution of scipy. Points are dicts if a dict is passed, lists
        otherwise.

    Attributes
    ----------
    dimensions : list of dimensions
    names : list of str or None
        Keys of the dict; None if a list was passed.
    size : float
        Number of different points; infinite if a dimension is real.

    Examples
    --------
    >>> from statlearn.gp import Real, Space
    >>> space = Space({"C": Real(0.1, 10.0, "log-uniform"), "degree": (1, 3), "kernel": ["poly", "rbf"]})
    >>> space.point([1.0, 0.5, 0.9])
    {'C': 10.0, 'degree': 2, 'kernel': 'rbf'}
    """

    def __init__(self, dimensions):
        if isinstance(dimensions, Mapping):
            self.names = list(dimensions)
            self.dimensions = [as_dimension(value, name) for name, value in dimensions.items()]
        elif isinstance(dimensions, (list, tuple)):
            self.names = None
            self.dimensions = [as_dimension(value) for value in dimensions]
        else:
            raise ValueError(f"`dimensions` must be a dict or a list of dimensions, got {dimensions!r}.")
        if not self.dimensions:
            raise ValueError("`dimensions` must contain at least one dimension.")
        self.size = math.prod(dimension.n_values for dimension in self.dimensions)
        ends = np.cumsum([0] + [dimension.width for dimension in self.dimensions])
        self.slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        self.width = int(ends[-1])
        self.real = np.array([isinstance(dimension, Real) for dimension in self.dimensions])

    def __len__(self):
        return len(self.dimensions)

    def __repr__(self):
        inner = ", ".join(map(repr, self.dimensions))
        if self.names is not None:
            inner = ", ".join(f"{name!r}: {dim!r}" for name, dim in zip(self.names, self.dimensions))
            return f"Space({{{inner}}})"
        return f"Space([{inner}])"

    def __eq__(self, other):
        return isinstance(other, Space) and self.names == other.names and self.dimensions == other.dimensions

    __hash__ = None  # type: ignore[assignment]

    def describe(self):
        """Plain description of all dimensions."""
        return {"names": self.names, "dimensions": [dimension.describe() for dimension in self.dimensions]}

    def labels(self):
        """Names of the dimensions, x0, x1, ... if they have none."""
        if self.names is not None:
            return list(map(str, self.names))
        return [dimension.name or f"x{j}" for j, dimension in enumerate(self.dimensions)]

    def positions(self, point):
        """Position of a point in the unit cube.

        Parameters
        ----------
        point : dict or list
            One value per dimension.

        Returns
        -------
        positions : ndarray of shape (n_dimensions,)
        """
        if isinstance(point, Mapping):
            if self.names is None:
                raise ValueError("The point must be a list, because the dimensions have no names; got a dict.")
            unknown, missing = set(point) - set(self.names), set(self.names) - set(point)
            if unknown or missing:
                raise ValueError(f"The point must have the keys {self.names}, got {list(point)}.")
            values = [point[name] for name in self.names]
        else:
            values = [point] if np.ndim(point) == 0 and len(self) == 1 else list(point)
            if len(values) != len(self):
                raise ValueError(f"The point must have {len(self)} values, got {len(values)}.")
        return np.array([dimension.position(value) for dimension, value in zip(self.dimensions, values)])

    def point(self, positions):
        """Point at a position in the unit cube.

        Parameters
        ----------
        positions : array-like of shape (n_dimensions,)

        Returns
        -------
        point : dict or list
        """
        values = [dimension.value(position) for dimension, position in zip(self.dimensions, positions)]
        return values if self.names is None else dict(zip(self.names, values))

    def snap(self, positions):
        """Positions moved to the nearest possible values of the discrete dimensions; shape (n, n_dimensions)."""
        snapped = np.array(positions, dtype=np.float64)
        for j, dimension in enumerate(self.dimensions):
            if not self.real[j]:
                snapped[:, j] = dimension.snap(snapped[:, j])
        return snapped

    def columns(self, positions):
        """Columns of the model for snapped positions, of shape (n, width)."""
        if self.width == len(self) and self.real.all():
            return np.ascontiguousarray(positions)
        return np.concatenate([dim.columns(positions[:, j]) for j, dim in enumerate(self.dimensions)], axis=1)

    def design(self, n, kind, rng):
        """Initial design of n snapped positions.

        Parameters
        ----------
        n : int
        kind : {"sobol", "lhs", "halton", "random"}
        rng : numpy.random.Generator

        Returns
        -------
        positions : ndarray of shape (n, n_dimensions)
        """
        from scipy.stats import qmc

        if n == 0:
            return np.empty((0, len(self)))
        if kind == "random":
            raw = rng.random((n, len(self)))
        elif kind == "sobol":
            raw = qmc.Sobol(len(self), rng=rng).random_base2(max(math.ceil(math.log2(n)), 0))[:n]
        elif kind == "halton":
            raw = qmc.Halton(len(self), rng=rng).random(n)
        else:
            # The best of a few Latin hypercubes by the smallest distance between two points.
            raw = max((_latin_hypercube(n, len(self), rng) for _ in range(20)), key=_smallest_distance)
        return self.snap(raw)

    def all_positions(self):
        """All points of a finite space, as positions; the last dimension varies fastest."""
        grids = np.meshgrid(*[dimension.grid() for dimension in self.dimensions], indexing="ij")
        return np.stack(grids, axis=-1).reshape(-1, len(self))


def _latin_hypercube(n, d, rng):
    cells = np.stack([rng.permutation(n) for _ in range(d)], axis=1)
    return (cells + rng.random((n, d))) / n


def _smallest_distance(points):
    from scipy.spatial.distance import pdist

    return pdist(points).min() if len(points) > 1 else 0.0


def key_of(positions):
    """Hashable identity of a snapped point."""
    return tuple(np.round(np.asarray(positions) / CLOSE).astype(np.int64).tolist())


def space_of_values(values):
    """The dimension that spans the values of a grid: a range for numbers, categories for anything else.

    Numbers of one sign whose largest exceeds the smallest tenfold get a logarithmic scale. Fewer than three numbers
    remain categories.
    """
    values = list(values)
    if len(values) < 3 or not all(_is_number(v) and math.isfinite(v) for v in values):
        return Categorical(values)
    low, high = min(values), max(values)
    prior = "log-uniform" if low > 0 and high > 10 * low else "uniform"
    if low == high:
        return Categorical(values[:1])
    if all(isinstance(v, numbers.Integral) for v in values):
        return Integer(int(low), int(high), prior)
    return Real(float(low), float(high), prior)
