"""Estimators with `partial_fit`: block after block, in the order of the source."""

import inspect

import numpy as np
from sklearn.base import is_classifier

from statlearn._core.validation import refuse_one_class

from .requirements import checked_copy


class Labels:
    """Distinct labels, which merge.

    Parameters
    ----------
    values : ndarray
    """

    def __init__(self, values):
        self.values = values

    def merge(self, other):
        """The labels of both."""
        return Labels(np.unique(np.concatenate([self.values, other.values])))


def _labels(block):
    """The labels of a block."""
    return Labels(np.unique(block.y))


class Step:
    """One call of `partial_fit`.

    Parameters
    ----------
    options : dict
        Arguments besides the rows.
    weighted : bool
        Whether the estimator accepts weights.
    """

    def __init__(self, options, weighted):
        self.options, self.weighted = options, weighted

    def __call__(self, model, block):
        options = dict(self.options)
        if block.weights is not None:
            if not self.weighted:
                raise ValueError(f"`weight` must be None, because {type(model).__name__} does not accept weights.")
            options["sample_weight"] = block.weights
        return (
            model.partial_fit(block.X, block.y, **options)
            if block.y is not None
            else model.partial_fit(block.X, **options)
        )


def fit_incrementally(estimator, passes):
    """One epoch of `partial_fit`; the labels of a classifier come from a pass before it."""
    model = checked_copy(estimator)
    accepted = inspect.signature(model.partial_fit).parameters
    options = {}
    if is_classifier(model):
        if passes.target is None:
            raise ValueError(f"`target` must be the name of a column, because {type(model).__name__} learns from one.")
        options["classes"] = labels = passes.reduce(_labels).values
        refuse_one_class(labels, type(model).__name__)
    return passes.fold(Step(options, "sample_weight" in accepted), model)
