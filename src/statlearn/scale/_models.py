"""Fitted models that are applied to blocks."""

import copy


def features_of(model):
    """Names of the columns that a model has seen, or None."""
    return list(model.feature_names_in_) if hasattr(model, "feature_names_in_") else None


def needs_frames(model):
    """Whether a model reads columns by name: a pipeline, or a transformer of tables."""
    return hasattr(model, "steps") or hasattr(model, "kinds_") or hasattr(model, "transformers_")


def for_arrays(model):
    """The model as it is applied to the arrays of blocks, whose columns are in its order and without names."""
    if needs_frames(model) or not hasattr(model, "feature_names_in_"):
        return model
    nameless = copy.copy(model)
    del nameless.feature_names_in_
    return nameless
