"""Latent class analysis: categorical columns that are independent given a hidden class."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import logsumexp, xlogy
from sklearn.utils.validation import check_is_fitted

from statlearn._core.callbacks import with_callbacks
from statlearn._core.frames import missing
from statlearn._core.params import Real, check_params
from statlearn._core.validation import check_weights, validate_data

from ._base import ACCELERATION, EM_CONSTRAINTS, BaseMixture, CriteriaMixin, kept_rows, posterior, start_sampling
from ._start import check_start_weights

# Start tables are drawn from a Dirichlet distribution around the shares of the categories: this many rows' worth.
_START_ROWS = 10.0


def find_categories(X):
    """Sorted distinct values of each column, ignoring missing values."""
    by_column = []
    for j, column in enumerate(X.T):
        try:
            categories = np.unique(column[~missing(column)])
        except TypeError as error:
            raise ValueError(
                f"X: column {j} mixes values that cannot be compared, such as text and numbers; convert it to one type."
            ) from error
        if categories.size == 0:
            raise ValueError(f"X: column {j} contains only missing values; drop it.")
        by_column.append(categories)
    return by_column


def encode(X, categories):
    """Category numbers, -1 for missing values and for values that are not in `categories`."""
    codes = np.full(X.shape, -1, dtype=np.int64)
    for j, (column, known) in enumerate(zip(X.T, categories)):
        seen = ~missing(column)
        cells = column[seen]
        try:
            place = np.minimum(np.searchsorted(known, cells), len(known) - 1)
        except TypeError as error:
            raise ValueError(f"X: column {j} holds values of a type that was not seen in fit.") from error
        codes[seen, j] = np.where(known[place] == cells, place, -1)
    return codes


def indicators(codes, sizes):
    """Sparse 0/1 matrix with one column per category of each feature; a missing value has no entry."""
    n = len(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    seen = codes >= 0
    rows = np.repeat(np.arange(n), seen.sum(axis=1))
    columns = (codes + starts[:-1])[seen]
    return sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=(n, int(starts[-1])))


@dataclass
class ClassTables:
    """Class proportions (k,) and the stacked tables P(category | class), (categories, k)."""

    weights: np.ndarray
    tables: np.ndarray


class LatentClassProblem:
    """The E and M steps on the distinct rows, each counted as often as it occurs."""

    def __init__(self, Z, weights, sizes, alpha, make_start):
        self.Z, self.weights, self.alpha = Z, weights, alpha
        self.total = float(weights.sum())
        self.feature = np.repeat(np.arange(len(sizes)), sizes)
        self.sizes, self.make_start = sizes, make_start
        self.monotone = True

    def start(self, rng):
        return self.make_start(self, rng)

    def log_joint(self, parameters):
        return log_joint(self.Z, parameters)

    def e_step(self, parameters):
        row, R = posterior(self.log_joint(parameters))
        penalty = self.alpha * np.log(parameters.tables).sum() if self.alpha else 0.0
        return (np.sum(self.weights * row) + penalty) / self.total, R * self.weights[:, None]

    def m_step(self, expected):
        counts = self.Z.T @ expected + self.alpha
        return ClassTables(expected.sum(axis=0) / self.total, self.normalised(counts))

    def normalised(self, counts):
        """Columns that sum to 1 within each feature; an empty class has uniform proportions."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        sums = np.add.reduceat(counts, starts, axis=0)[self.feature]
        even = 1.0 / np.asarray(self.sizes, dtype=np.float64)[self.feature][:, None]
        with np.errstate(invalid="ignore"):
            return np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), even)

    def pack(self, parameters):
        self._k = parameters.weights.size
        both = np.concatenate([parameters.weights, parameters.tables.ravel()])
        return np.log(np.maximum(both, 1e-300))

    def unpack(self, vector):
        weights = np.exp(vector[: self._k] - vector[: self._k].max())
        tables = np.exp(np.minimum(vector[self._k :], 300.0)).reshape(-1, self._k)
        return ClassTables(weights / weights.sum(), self.normalised(tables))


def log_joint(Z, parameters):
    """log(class proportion times P(row | class)), (n, k)."""
    with np.errstate(divide="ignore"):
        logs, shares = np.log(parameters.tables), np.log(parameters.weights)
    # Only seen categories enter: a sparse product never meets 0 times infinity.
    return Z @ logs + shares


class LatentClassModel(CriteriaMixin, BaseMixture):
    r"""Latent class model: categorical columns that are independent given a hidden class.

    Maximises over class proportions and tables

    .. math:: \sum_i s_i \log \sum_c \theta_c \prod_j P(x_{ij} \mid c)

    a **sum** over rows with weights :math:`s_i`, by EM, which stops when the mean per unit of weight changes by less
    than `tol` in one step. Missing values drop out of the product.

    Parameters
    ----------
    n_components : int, default=2
        Number of latent classes.
    tol : float, default=1e-8
    max_iter : int, default=1000
    n_init : int, default=10
        Number of random starts; the one with the highest likelihood is kept. Given initial values count as one start.
    alpha : float, default=0.0
        Pseudo-count of every category in every class (a Dirichlet prior), which keeps probabilities away from 0.
    weights_init : array-like of shape (n_components,) or None, default=None
        Initial class proportions.
    tables_init : list of array-like of shape (n_components, n_categories) or None, default=None
        Initial tables, one per column. If None, the tables of each class are drawn around the overall proportions of
        the categories, which breaks the symmetry between the classes.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
    acceleration : {None, "squarem"}, default=None

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Class proportions.
    tables_ : list of ndarray of shape (n_components, n_categories)
        P(category | class), one table per column.
    categories_ : list of ndarray
        The categories of each column, sorted.
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_, log_likelihood_, lower_bound_history_
        As in `GaussianMixture`; with `alpha` the log prior is part of the bound.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Identical rows are counted once with their total weight, so the cost of a step depends only on the distinct rows. A
    table of counts (`fit_table`), weighted rows and repeated rows are equivalent. Values may be numbers or text; NaN
    and None are missing. A value not seen in `fit` is treated as missing.

    A model with many classes is not identified: :math:`k - 1 + k \sum_j (c_j - 1)` parameters require at least as many
    distinct cells in the table. Initial values that are the same for all classes are fixed points.

    References
    ----------
    Goodman (1974), Exploratory latent structure analysis using both identifiable and unidentifiable models,
    Biometrika 61.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import LatentClassModel
    >>> counts = np.array([[[273, 93], [104, 90]], [[79, 100], [94, 167]]])
    >>> model = LatentClassModel(2, random_state=0).fit_table(counts)
    >>> round(model.log_likelihood_, 2), model.weights_.round(3).max()
    (-1979.36, np.float64(0.579))
    """

    _constraints = {
        **EM_CONSTRAINTS,
        "alpha": [Real(0, None)],
        "weights_init": ["array-like", None],
        "tables_init": ["array-like", None],
        "acceleration": ACCELERATION,
    }

    def __init__(
        self,
        n_components=2,
        *,
        tol=1e-8,
        max_iter=1000,
        n_init=10,
        alpha=0.0,
        weights_init=None,
        tables_init=None,
        random_state=None,
        verbose=0,
        acceleration=None,
    ):
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.alpha = alpha
        self.weights_init = weights_init
        self.tables_init = tables_init
        self.random_state = random_state
        self.verbose = verbose
        self.acceleration = acceleration

    def _validate(self, X, *, reset=False, **kwargs):
        return validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=reset, **kwargs)

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories as numbers or text; NaN or None marks missing values.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Number of occurrences of each row; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._validate(X, reset=True)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        X, weights = kept_rows(X, weights)
        self.categories_ = find_categories(X)
        codes, place = np.unique(encode(X, self.categories_), axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=weights, minlength=len(codes)).astype(np.float64)
        sizes = [len(categories) for categories in self.categories_]
        start = self._check_start(sizes)
        problem = LatentClassProblem(indicators(codes, sizes), counts, sizes, self.alpha, start)
        has_start = self.tables_init is not None
        self._fit_by_em(np.empty((len(codes), 0)), counts, problem, one_start=has_start, data=(X, weights))
        if self.alpha:  # without the prior
            self.log_likelihood_ = float(np.sum(counts * logsumexp(self._log_joint_of(problem.Z), axis=1)))
        return self

    def fit_table(self, counts):
        """Fit from a table of counts with one axis per column; categories are numbered along each axis.

        Parameters
        ----------
        counts : array-like of int or float
            ``counts[a, b, c]`` is the number of joint occurrences of category a of the first column, b of the second
            and c of the third.

        Returns
        -------
        self
        """
        counts = np.asarray(counts, dtype=np.float64)
        if counts.ndim == 0 or counts.size == 0 or not np.all(np.isfinite(counts)) or np.any(counts < 0):
            raise ValueError("`counts` must be a table of finite non-negative numbers with one axis per column.")
        rows = np.indices(counts.shape).reshape(counts.ndim, -1).T
        return self.fit(rows, sample_weight=counts.ravel())

    def _check_start(self, sizes):
        k = self.n_components
        weights = check_start_weights(self.weights_init, k)
        tables = None
        if self.tables_init is not None:
            tables = [np.asarray(table, dtype=np.float64) for table in self.tables_init]
            wanted = [(k, size) for size in sizes]
            if [table.shape for table in tables] != wanted:
                raise ValueError(f"`tables_init` must have shapes {wanted}, got {[table.shape for table in tables]}.")
            if any(np.any(table < 0) or not np.allclose(table.sum(axis=1), 1.0) for table in tables):
                raise ValueError("`tables_init`: every row must be a probability distribution.")
            tables = np.concatenate([table.T for table in tables])

        def start(problem, rng):
            shares = np.full(k, 1.0 / k) if weights is None else weights
            if tables is not None:
                return ClassTables(shares, tables)
            margin = problem.normalised((problem.Z.T @ problem.weights)[:, None])[:, 0]
            drawn = rng.gamma(1.0 + _START_ROWS * np.repeat(margin[:, None], k, axis=1))
            return ClassTables(shares, problem.normalised(drawn))

        return start

    def _attributes(self, parameters, dtype):
        cuts = np.cumsum([len(categories) for categories in self.categories_])[:-1]
        tables = [np.ascontiguousarray(table.T) for table in np.split(parameters.tables, cuts)]
        return {"weights_": parameters.weights, "tables_": tables}

    def _log_joint(self, X):
        return self._log_joint_of(indicators(encode(X, self.categories_), [len(c) for c in self.categories_]))

    def _log_joint_of(self, Z):
        return log_joint(Z, ClassTables(self.weights_, np.concatenate([table.T for table in self.tables_])))

    def sample(self, n_samples=1):
        """Random rows from the fitted model.

        Parameters
        ----------
        n_samples : int, default=1

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of int of shape (n_samples,)
            The class of each row.
        """
        rng = start_sampling(self, n_samples)
        y = rng.choice(len(self.weights_), size=n_samples, p=self.weights_ / self.weights_.sum())
        columns = []
        for table, categories in zip(self.tables_, self.categories_):
            bounds = np.cumsum(table, axis=1)
            draw = (rng.uniform(size=(n_samples, 1)) > bounds[y]).sum(axis=1)
            columns.append(categories[np.minimum(draw, len(categories) - 1)])
        return np.column_stack(columns), y

    def _n_parameters(self):
        k = len(self.weights_)
        return k - 1 + k * sum(table.shape[1] - 1 for table in self.tables_)

    def deviance(self, X, sample_weight=None):
        """Likelihood-ratio statistic G² = 2 sum (observed log(observed / expected)) over the distinct complete rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows without missing values.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X = self._validate(X)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        codes, place = np.unique(encode(X, self.categories_), axis=0, return_inverse=True)
        if np.any(codes < 0):
            raise ValueError("X: the deviance of a table requires complete rows of known categories.")
        seen = np.bincount(place.ravel(), weights=weights, minlength=len(codes)).astype(np.float64)
        Z = indicators(codes, [len(categories) for categories in self.categories_])
        log_p = logsumexp(self._log_joint_of(Z), axis=1)
        return float(2.0 * (xlogy(seen, seen / seen.sum()).sum() - seen @ log_p))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags
