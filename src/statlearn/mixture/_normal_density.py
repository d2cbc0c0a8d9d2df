"""Fitted normal mixtures: attributes, random rows, marginal and conditional densities, imputation."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import require_finite
from statlearn._core.warnings import CollapseWarning, warn

from . import _missing
from ._base import start_sampling
from ._normal import NormalParameters, precisions_from_factor


class NormalAttributesMixin:
    """Fitted attributes of normal mixtures, and methods of the density."""

    @property
    def _fitted_covariance_type(self):
        # Attributes may also be set by hand, as with scikit-learn's mixtures: then the parameter describes them.
        return getattr(self, "covariance_type_", self.covariance_type)

    def _parameters(self):
        arrays = [np.asarray(a, dtype=np.float64) for a in (self.weights_, self.means_, self.covariances_)]
        factor = np.asarray(self.precisions_cholesky_, dtype=np.float64)
        return NormalParameters(self._fitted_covariance_type, *arrays, factor)

    def _attributes(self, parameters, dtype):
        factor = parameters.factor
        attributes = {
            "weights_": parameters.weights,
            "means_": parameters.means,
            "covariances_": parameters.covariances,
            "precisions_cholesky_": factor,
            "precisions_": precisions_from_factor(factor, parameters.covariance_type),
        }
        with np.errstate(over="ignore"):
            attributes = {name: values.astype(dtype) for name, values in attributes.items()}
        require_finite(attributes["covariances_"], remedy="Scale X, or change reg_covar.")  # float32 ends at 3e38
        return {"covariance_type_": parameters.covariance_type, **attributes}

    def _log_joint(self, X):
        return _missing.log_joint(X, self._parameters())

    def sample(self, n_samples=1):
        """Random rows from the fitted density.

        Parameters
        ----------
        n_samples : int, default=1

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of int of shape (n_samples,)
            The component of each row; rows are ordered by component.
        """
        rng = start_sampling(self, n_samples)
        parameters = self._parameters()
        weights = parameters.weights / parameters.weights.sum()
        y = np.repeat(np.arange(len(weights)), rng.multinomial(n_samples, weights))
        Z = self._standard_noise(rng, y, parameters)
        if parameters.covariance_type in ("full", "tied"):
            lower = parameters.lower_factors()
            X = np.einsum("nij,nj->ni", lower[y], Z) if len(weights) > n_samples else _by_component(lower, Z, y)
        elif parameters.covariance_type == "diag":
            X = Z * np.sqrt(parameters.covariances)[y]
        else:
            X = Z * np.sqrt(parameters.covariances)[y, None]
        return parameters.means[y] + X, y

    def _standard_noise(self, rng, y, parameters):
        return rng.standard_normal((len(y), parameters.shape[1]))

    def marginal(self, columns):
        """Marginal density of some columns, with the others integrated out.

        Parameters
        ----------
        columns : array-like of int

        Returns
        -------
        fitted mixture of the same class, over `columns` in the given order
        """
        check_is_fitted(self)
        columns = self._column_numbers(columns)
        return self._fitted_like(self._parameters().marginal(columns))

    def condition(self, columns, values):
        """Conditional density of the other columns, given the values of some.

        Parameters
        ----------
        columns : array-like of int
            The known columns.
        values : array-like of float
            Values of the known columns.

        Returns
        -------
        fitted mixture of the same class, over the other columns in their order
        """
        check_is_fitted(self)
        columns = self._column_numbers(columns)
        values = np.asarray(values, dtype=np.float64)
        if values.shape != columns.shape or not np.all(np.isfinite(values)):
            raise ValueError(f"`values` must hold one finite number for each of the {len(columns)} columns.")
        if len(columns) == self.n_features_in_:
            raise ValueError("`columns` must leave at least one column unknown, but names all of them.")
        return self._fitted_like(self._conditional(self._parameters(), columns, values))

    def impute(self, X):
        """Impute missing values (NaN) by their expectation given the observed values of the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return _missing.fill(self._validate(X), self._parameters())

    def _conditional(self, parameters, columns, values):
        return conditional_parameters(parameters, columns, values)

    def _column_numbers(self, columns):
        p = self.n_features_in_
        columns = np.atleast_1d(np.asarray(columns))
        if columns.dtype.kind not in "iu" or columns.ndim != 1 or columns.size == 0:
            raise ValueError("`columns` must be a list of column numbers.")
        if np.any(columns < 0) or np.any(columns >= p) or np.unique(columns).size < columns.size:
            raise ValueError(f"`columns` must be distinct numbers from 0 to {p - 1}, got {columns.tolist()}.")
        return columns

    def _fitted_like(self, parameters):
        model = type(self)(**{**self.get_params(), **self._settings_of(parameters)})
        vars(model).update(model._attributes(parameters, self.means_.dtype))
        model.n_features_in_ = parameters.shape[1]
        model.converged_, model.n_iter_ = True, 0
        return model

    def _settings_of(self, parameters):
        return {"n_components": parameters.shape[0], "covariance_type": parameters.covariance_type}


def _by_component(lower, Z, y):
    X = np.empty_like(Z)
    for k in np.unique(y):
        X[y == k] = Z[y == k] @ lower[k].T
    return X


def conditional_parameters(parameters, columns, values):
    """Mixture of the other columns given that `columns` have `values`."""
    joint = parameters.marginal(columns).log_joint(values[None])[0]
    weights = np.exp(joint - joint.max())
    B, C, rest = _missing.regression_on_seen(parameters, columns)
    means = parameters.means[:, rest] + (B @ (values - parameters.means[:, columns])[:, :, None])[:, :, 0]
    kind = parameters.covariance_type
    if kind == "tied":
        C = C[0]
    elif kind == "diag":
        C = np.diagonal(C, axis1=1, axis2=2)
    elif kind == "spherical":
        C = parameters.covariances
    return NormalParameters.of(kind, weights / weights.sum(), means, C)


def warn_of_collapse(owner, parameters, reg_covar):
    """Warn about components that collapsed to a point or a plane and depend on `reg_covar`."""
    covariances = parameters.covariances
    if parameters.covariance_type in ("full", "tied"):
        smallest = np.linalg.eigvalsh(covariances).min(axis=-1)
    else:
        smallest = covariances.min(axis=-1) if parameters.covariance_type == "diag" else covariances
    # The part from the data, without the ridge.
    flat = np.flatnonzero(np.atleast_1d(smallest) <= (1.0 + 1e-6) * reg_covar)
    if flat.size:
        which = "the shared covariance" if parameters.covariance_type == "tied" else f"component(s) {flat.tolist()}"
        warn(
            f"{owner}: {which} collapsed to a point or a plane, and only reg_covar={reg_covar:g} keeps the "
            "variance positive; the likelihood is not meaningful there. Use fewer components, a simpler "
            "covariance_type or a larger reg_covar, or remove constant and duplicate columns.",
            CollapseWarning,
        )
