"""Base class of samplers that resample the training rows of a classifier."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator

from .fitted_state import forget
from .params import check_params
from .validation import check_labels, validate_data
from .warnings import LeakageWarning


class Sampler(BaseEstimator):
    """Base class of samplers: the interface `fit_resample`, and a warning if it is called outside a pipeline."""

    # Options of `validate_data` that accept rows of any type.
    _accepts: dict = {"dtype": None, "ensure_all_finite": "allow-nan", "accept_sparse": True}

    def fit(self, X, y):
        """Check parameters and data; `fit_resample` draws the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
        """
        check_params(self)
        self._check(X, y)
        forget(self, "sample_indices_")  # of an earlier `fit_resample`
        return self

    def fit_resample(self, X, y, *, training_only=False):
        """Resampled rows and their classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.
        training_only : bool, default=False
            Whether these rows are used for training only and not split again; otherwise a warning is issued.

        Returns
        -------
        X, y
            Of the same types as the input.
        """
        if not training_only:
            warnings.warn(
                f"{type(self).__name__} was used outside a SamplingPipeline. If these rows are split afterwards, "
                "copies of a row end up on both sides and the estimated error is too small. Put the sampler in a "
                "SamplingPipeline, or set `training_only`=True.",
                LeakageWarning,
                stacklevel=2,
            )
        check_params(self)
        return self._resample(X, self._check(X, y), y)

    def _check(self, X, y):
        """The classes as an array; X may be any object with indexable rows."""
        validate_data(self, X, y, **self._accepts)
        labels = np.asarray(y).ravel()
        check_labels(labels)
        self.classes_ = np.unique(labels)
        return labels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
