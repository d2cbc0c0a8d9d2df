"""Checks that the fits over blocks share."""

from sklearn.base import clone

from statlearn._core.params import check_params


def checked_copy(estimator):
    """A fresh copy with valid parameters."""
    model = clone(estimator)
    check_params(model)
    return model


def require_target(passes, estimator):
    """Raise unless a target is known."""
    if passes.target is None:
        raise ValueError(f"`target` must be the name of a column, because {type(estimator).__name__} learns from one.")


def require_settings(estimator, **allowed):
    """Raise if a parameter has a value that needs all rows at once."""
    for name, values in allowed.items():
        value = getattr(estimator, name, values[0])
        if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in values):
            shown = " or ".join(repr(choice) for choice in values)
            raise ValueError(f"`{name}` must be {shown} for {type(estimator).__name__} over blocks, got {value!r}.")
