"""Shared parts of centre-based clusterings: prediction, distances to the centres, score."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from statlearn._core import native

from ._kernel_input import kernel_rows, kernel_weights, validate_rows
from ._seeding import nearest_centres


class CentreClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Base class of estimators with `cluster_centers_`: a row belongs to the nearest centre, ties to the first."""

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit the model and return the cluster label of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if hasattr(self, "labels_") else self.predict(X)  # compute_labels=False keeps none

    def predict(self, X):
        """Nearest centre of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        X = validate_rows(self, X, reset=False)
        return nearest_centres(X, self.cluster_centers_.astype(np.float64), distances=False)[0]

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit the model and return the distances of the rows to the centres.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X):
        """Distances of the rows to the centres.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
        """
        X = validate_rows(self, X, reset=False)
        centres = self.cluster_centers_.astype(np.float64)
        distances = np.empty((X.shape[0], len(centres)), dtype=X.dtype)
        native.cluster.centre_distances(*kernel_rows(X), centres, distances)
        return distances

    def score(self, X, y=None, sample_weight=None):
        """Negative weighted sum of squared distances of the rows to their nearest centres.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        score : float
        """
        X = validate_rows(self, X, reset=False)
        weights, present = kernel_weights(sample_weight, X)
        rows = X if present is None else X[present]
        squares = nearest_centres(rows, self.cluster_centers_.astype(np.float64))[1]
        return -float(squares @ weights if len(weights) else squares.sum())

    @property
    def _n_features_out(self):
        return self.cluster_centers_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
