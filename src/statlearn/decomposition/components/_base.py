"""Base class of principal components: transforms and the Gaussian model of low rank."""

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_array, require_finite, validate_data

from .._missing_cells import LowRankGaussian, has_missing


class ComponentsMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Scores, reconstructions and probabilistic model of fitted principal components.

    A subclass sets `components_`, `explained_variance_`, `mean_`, `noise_variance_` and `n_components_`.
    """

    _missing_cells = False  # whether NaN counts as a missing value

    def transform(self, X):
        """Scores of rows on the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._check_rows(X, accept_sparse=("csr", "csc"))
        return self._scores(X)

    def _check_rows(self, X, **options):
        finite = "allow-nan" if self._missing_cells else True
        return validate_data(self, X, dtype=FLOATS, reset=False, ensure_all_finite=finite, **options)

    def _scores(self, X):
        if not sparse.issparse(X) and self._missing_cells and has_missing(X):
            X = self._low_rank().completed(X).astype(X.dtype)
        components = self.components_.astype(X.dtype, copy=False)
        scores = X @ components.T - (self.mean_ @ self.components_.T).astype(X.dtype)
        return scores / self._whitening().astype(X.dtype) if self.whiten else scores

    def _whitening(self):
        """Standard deviations of the scores; a direction without variance is left as it is."""
        scale = np.sqrt(self.explained_variance_)
        return np.maximum(scale, np.finfo(scale.dtype).eps)

    def inverse_transform(self, X):
        """Rows in the plane of the components with given scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, dtype=FLOATS, input_name="X")
        if X.shape[1] != self.n_components_:
            raise ValueError(f"X has {X.shape[1]} columns, but the model has {self.n_components_} components.")
        scaled = X * self._whitening() if self.whiten else X
        return scaled @ self.components_ + self.mean_

    def complete(self, X):
        """Table with missing values replaced by their expectations given the observed cells of the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN marks a missing value.

        Returns
        -------
        completed : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False, ensure_all_finite="allow-nan")
        return self._low_rank().completed(X).astype(X.dtype)

    def _low_rank(self):
        """The probabilistic model: loadings times standard normal scores, and noise of one variance."""
        noise = float(self.noise_variance_)
        extra = np.maximum(self.explained_variance_ - noise, 0.0).astype(np.float64)
        # Without noise no probability exists; the limit of small noise is the projection on the plane.
        floor = 1e-12 * max(float(np.max(self.explained_variance_, initial=0.0)), 1e-300)
        p = self.components_.shape[1]
        return LowRankGaussian(
            self.mean_.astype(np.float64), self.components_.T * np.sqrt(extra), np.full(p, max(noise, floor))
        )

    def get_covariance(self):
        r"""Covariance of the probabilistic model, :math:`V^\top (\Lambda - \sigma^2 I) V + \sigma^2 I`.

        Returns
        -------
        covariance : ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        extra = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        covariance = (self.components_.T * extra) @ self.components_
        covariance[np.diag_indices_from(covariance)] += self.noise_variance_
        return covariance

    def get_precision(self):
        """Inverse of the covariance of the probabilistic model.

        Returns
        -------
        precision : ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        noise = self.noise_variance_
        if noise <= 0.0:
            covariance = self.get_covariance()
            require_finite(covariance)
            try:
                return linalg.inv(covariance)
            except np.linalg.LinAlgError:
                raise np.linalg.LinAlgError(
                    "The covariance of the fitted components is singular, so the model has no density. Reduce "
                    "`n_components`, or drop constant and linearly dependent columns."
                ) from None
        extra = np.maximum(self.explained_variance_ - noise, 0.0)
        precision = -(self.components_.T * (extra / (extra + noise))) @ self.components_
        precision[np.diag_indices_from(precision)] += 1.0
        return precision / noise

    def score_samples(self, X):
        """Log-likelihood of each row under the probabilistic model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._check_rows(X)
        if self._missing_cells and has_missing(X):
            return self._low_rank().log_likelihood(X)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            densities = self._log_densities(X.astype(np.float64) - self.mean_)
        require_finite(densities[np.isnan(densities)])  # rows without a density may have -inf
        return densities

    def _log_densities(self, Z):
        """Log-likelihoods of centred rows."""
        p, noise = Z.shape[1], self.noise_variance_
        if noise <= 0.0:
            precision = self.get_precision()
            sign, log_det = np.linalg.slogdet(precision)
            square = np.sum(Z * (Z @ precision), axis=1)
            return -0.5 * (square + p * np.log(2 * np.pi) - (log_det if sign > 0 else -np.inf))
        scores = Z @ self.components_.T
        variance = np.maximum(self.explained_variance_, noise)
        square = np.sum(Z * Z, axis=1) / noise + (scores * scores) @ (1.0 / variance - 1.0 / noise)
        log_det = np.log(variance).sum() + (p - len(variance)) * np.log(noise)
        return -0.5 * (square + p * np.log(2 * np.pi) + log_det)

    def score(self, X, y=None):
        """Mean log-likelihood of rows under the probabilistic model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        log_likelihood : float
        """
        return float(np.mean(self.score_samples(X)))

    def summary(self):
        """Standard deviations, shares of the variance and loadings of the components.

        Returns
        -------
        Summary
            The main table has the columns `standard_deviation`, `share` and `cumulated`; a second one the loadings.
        """
        check_is_fitted(self)
        names = [f"PC{k + 1}" for k in range(self.n_components_)]
        share = np.asarray(self.explained_variance_ratio_, dtype=float)
        table = Table(
            names,
            {
                "standard_deviation": np.sqrt(np.asarray(self.explained_variance_, dtype=float)),
                "share": share,
                "cumulated": np.cumsum(share),
            },
        )
        features = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        loadings = Table(
            [str(name) for name in features],
            {name: np.asarray(row, dtype=float) for name, row in zip(names, self.components_)},
            caption="Loadings",
            names=tuple(names),
        )
        total = float(np.sum(self.explained_variance_) / share.sum()) if share.sum() > 0 else 0.0
        facts = {"n_samples": self._rows_used(), "total_variance": total, "noise_variance": float(self.noise_variance_)}
        labels = {
            "n_samples": "Rows",
            "total_variance": "Total variance",
            "noise_variance": "Mean variance of each discarded component",
        }
        return Summary("Principal components", table, facts, labels, tables=[loadings])

    def _rows_used(self):
        return int(self.n_samples_)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = self._missing_cells
        return tags
