"""Distribution families for `MixtureModel`: a weighted fit, a log density, random rows."""

import numpy as np
from scipy.special import gammaln, xlogy

from statlearn._core.params import Options, Real, check_arguments

from ._normal import NormalParameters, regularised
from ._start import responsibility_moments

_MOST_CATEGORIES = 10_000_000  # a table of probabilities has a cell for each


def _counts(X, name):
    if np.any(X < 0) or np.any(np.floor(X) != X):
        raise ValueError(f"X: {name} requires non-negative integers.")


class Component:
    """Base class of the families; a user-defined family need not inherit from it.

    ``fit(X, sample_weight)`` returns a fitted copy, ``logpdf(X)`` one number per row, ``sample(n, rng)`` random rows,
    and ``n_parameters(p)`` the number of free parameters for p columns.
    """

    def fit(self, X, sample_weight):
        """Fitted copy that maximises the weighted likelihood.

        Parameters
        ----------
        X : ndarray of shape (n, p)
        sample_weight : ndarray of shape (n,)

        Returns
        -------
        fitted component
        """
        copy = type(self)(**self._settings())
        copy._learn(X, np.asarray(sample_weight, dtype=np.float64))
        return copy

    def _settings(self):
        return {}

    def __repr__(self):
        inside = ", ".join(f"{k}={v!r}" for k, v in self._settings().items())
        return f"{type(self).__name__}({inside})"


class GaussianComponent(Component):
    """Normal distribution.

    Parameters
    ----------
    covariance_type : {"full", "diag", "spherical"}, default="full"
    reg_covar : float, default=1e-6
        Added to the variances.

    Attributes
    ----------
    mean_ : ndarray of shape (p,)
    covariance_ : ndarray of shape (p, p), (p,) or ()

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianComponent
    >>> GaussianComponent().fit(np.array([[0.0], [2.0]]), np.array([1.0, 3.0])).mean_
    array([1.5])
    """

    def __init__(self, covariance_type="full", reg_covar=1e-6):
        check_arguments(
            "GaussianComponent",
            covariance_type=(covariance_type, [Options("full", "diag", "spherical")]),
            reg_covar=(reg_covar, [Real(0, None)]),
        )
        self.covariance_type, self.reg_covar = covariance_type, reg_covar

    def _settings(self):
        return {"covariance_type": self.covariance_type, "reg_covar": self.reg_covar}

    def _learn(self, X, w):
        order = 2 if self.covariance_type == "full" else 1
        moments = responsibility_moments(X, np.ones((X.shape[0], 1)), w, order=order)
        _, means, covariances = moments.estimates(self.covariance_type)
        self.mean_ = means[0]
        self.covariance_ = regularised(covariances, self.covariance_type, self.reg_covar)[0]

    def _parameters(self):
        covariance = np.asarray(self.covariance_)[None]
        return NormalParameters.of(self.covariance_type, np.ones(1), self.mean_[None], covariance)

    def logpdf(self, X):
        """Log density of each row.

        Parameters
        ----------
        X : ndarray of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._parameters().log_joint(X)[:, 0]

    def sample(self, n, rng):
        """Random rows.

        Parameters
        ----------
        n : int
        rng : numpy.random.RandomState

        Returns
        -------
        ndarray of shape (n, p)
        """
        Z = rng.standard_normal((n, self.mean_.size))
        return self.mean_ + Z @ np.linalg.cholesky(self._parameters().full_covariances()[0]).T

    def n_parameters(self, p):
        """Number of free parameters for p columns."""
        return p + {"full": p * (p + 1) // 2, "diag": p, "spherical": 1}[self.covariance_type]


class _Product(Component):
    """Independent columns of one family; `rate_` holds one parameter per column."""

    def _learn(self, X, w):
        self._check(X)
        self.mean_ = np.average(np.asarray(X, dtype=np.float64), axis=0, weights=w)

    def _check(self, X):
        pass

    def n_parameters(self, p):
        """Number of free parameters for p columns."""
        return p


class PoissonComponent(_Product):
    """Independent Poisson counts in every column.

    Parameters
    ----------
    min_rate : float, default=1e-10
        Smallest rate, for columns that are all 0.

    Attributes
    ----------
    mean_ : ndarray of shape (p,)
        The rates.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import PoissonComponent
    >>> PoissonComponent().fit(np.array([[1.0], [4.0]]), np.array([1.0, 1.0])).mean_
    array([2.5])
    """

    def __init__(self, min_rate=1e-10):
        check_arguments("PoissonComponent", min_rate=(min_rate, [Real(0, None, closed="neither")]))
        self.min_rate = min_rate

    def _settings(self):
        return {"min_rate": self.min_rate}

    def _check(self, X):
        _counts(X, "a Poisson component")

    def _learn(self, X, w):
        super()._learn(X, w)
        self.mean_ = np.maximum(self.mean_, self.min_rate)

    def logpdf(self, X):
        """Log probability of each row."""
        X = np.asarray(X, dtype=np.float64)
        outside = np.any((X < 0) | (np.floor(X) != X), axis=1)
        value = np.sum(xlogy(np.maximum(X, 0), self.mean_) - self.mean_ - gammaln(np.maximum(X, 0) + 1.0), axis=1)
        return np.where(outside, -np.inf, value)

    def sample(self, n, rng):
        """Random rows."""
        return rng.poisson(self.mean_, size=(n, self.mean_.size)).astype(np.float64)


class ExponentialComponent(_Product):
    """Independent exponential waiting times in every column.

    Parameters
    ----------
    min_mean : float, default=1e-10
        Smallest mean, for columns that are all 0.

    Attributes
    ----------
    mean_ : ndarray of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import ExponentialComponent
    >>> ExponentialComponent().fit(np.array([[1.0], [3.0]]), np.array([1.0, 1.0])).logpdf(np.array([[2.0]])).round(4)
    array([-1.6931])
    """

    def __init__(self, min_mean=1e-10):
        check_arguments("ExponentialComponent", min_mean=(min_mean, [Real(0, None, closed="neither")]))
        self.min_mean = min_mean

    def _settings(self):
        return {"min_mean": self.min_mean}

    def _check(self, X):
        if np.any(X < 0):
            raise ValueError("X: an exponential component requires non-negative numbers.")

    def _learn(self, X, w):
        super()._learn(X, w)
        self.mean_ = np.maximum(self.mean_, self.min_mean)

    def logpdf(self, X):
        """Log density of each row."""
        X = np.asarray(X, dtype=np.float64)
        value = -np.sum(X / self.mean_ + np.log(self.mean_), axis=1)
        return np.where(np.any(X < 0, axis=1), -np.inf, value)

    def sample(self, n, rng):
        """Random rows."""
        return rng.exponential(self.mean_, size=(n, self.mean_.size))


class BernoulliComponent(_Product):
    """Independent Bernoulli columns of 0 and 1.

    Parameters
    ----------
    alpha : float, default=0.0
        Pseudo-count of both values.

    Attributes
    ----------
    mean_ : ndarray of shape (p,)
        Probabilities of 1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import BernoulliComponent
    >>> BernoulliComponent().fit(np.array([[0.0], [1.0]]), np.array([1.0, 3.0])).mean_
    array([0.75])
    """

    def __init__(self, alpha=0.0):
        check_arguments("BernoulliComponent", alpha=(alpha, [Real(0, None)]))
        self.alpha = alpha

    def _settings(self):
        return {"alpha": self.alpha}

    def _check(self, X):
        if np.any((X != 0) & (X != 1)):
            raise ValueError("X: a Bernoulli component requires zeros and ones.")

    def _learn(self, X, w):
        super()._learn(X, w)
        total = w.sum()
        self.mean_ = (total * self.mean_ + self.alpha) / (total + 2.0 * self.alpha)

    def logpdf(self, X):
        """Log probability of each row."""
        X = np.asarray(X, dtype=np.float64)
        value = np.sum(xlogy(X, self.mean_) + xlogy(1.0 - X, 1.0 - self.mean_), axis=1)
        return np.where(np.any((X != 0) & (X != 1), axis=1), -np.inf, value)

    def sample(self, n, rng):
        """Random rows."""
        return (rng.uniform(size=(n, self.mean_.size)) < self.mean_).astype(np.float64)


class CategoricalComponent(Component):
    """Independent categorical columns of category numbers 0, 1, ...

    Parameters
    ----------
    n_categories : int or None, default=None
        Number of categories of every column; None is one more than the largest number in the data.
    alpha : float, default=0.0
        Pseudo-count of every category.

    Attributes
    ----------
    tables_ : list of ndarray
        Category probabilities, one array per column.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import CategoricalComponent
    >>> CategoricalComponent().fit(np.array([[0.0], [2.0]]), np.array([1.0, 3.0])).tables_
    [array([0.25, 0.  , 0.75])]
    """

    def __init__(self, n_categories=None, alpha=0.0):
        from statlearn._core.params import Int

        check_arguments(
            "CategoricalComponent", n_categories=(n_categories, [Int(1, None), None]), alpha=(alpha, [Real(0, None)])
        )
        self.n_categories, self.alpha = n_categories, alpha

    def _settings(self):
        return {"n_categories": self.n_categories, "alpha": self.alpha}

    def _learn(self, X, w):
        _counts(X, "a categorical component")
        largest = [int(column.max()) + 1 for column in X.T]
        if max(largest) > _MOST_CATEGORIES:
            raise ValueError(
                f"X contains the category code {max(largest) - 1:.6g}; codes must be less than {_MOST_CATEGORIES:,}. "
                "Number the categories 0, 1, 2, ..."
            )
        if self.n_categories is not None and max(largest) > self.n_categories:
            raise ValueError(f"X: category {max(largest) - 1} must be less than n_categories={self.n_categories}.")
        self.tables_ = []
        for column, size in zip(X.T, largest):
            size = self.n_categories or size
            counts = np.bincount(column.astype(np.int64), weights=w, minlength=size) + self.alpha
            self.tables_.append(counts / counts.sum())

    def logpdf(self, X):
        """Log probability of each row."""
        value = np.zeros(X.shape[0])
        with np.errstate(divide="ignore"):
            for column, table in zip(X.T, self.tables_):
                known = (column >= 0) & (column < len(table)) & (column == np.floor(column))
                place = np.where(known, column, 0).astype(np.int64)
                value += np.where(known, np.log(table)[place], -np.inf)
        return value

    def sample(self, n, rng):
        """Random rows."""
        return np.column_stack([rng.choice(len(t), size=n, p=t) for t in self.tables_]).astype(np.float64)

    def n_parameters(self, p):
        """Number of free parameters for p columns."""
        return sum(len(table) - 1 for table in self.tables_)


FAMILIES = {
    "bernoulli": BernoulliComponent,
    "categorical": CategoricalComponent,
    "exponential": ExponentialComponent,
    "gaussian": GaussianComponent,
    "poisson": PoissonComponent,
}
