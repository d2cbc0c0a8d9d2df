"""What an estimator keeps from one fit to the next."""


def forget(model, *names):
    """Delete attributes of an earlier fit that this one may not set again.

    Called beside the condition under which `fit` sets them: after a refit with other settings, an attribute that only
    some settings have is that of this fit or absent.
    """
    for name in names:
        vars(model).pop(name, None)


def take_attributes(model, inner, *names):
    """Give a model those of the named attributes that an inner one has, and forget the others."""
    for name in names:
        if hasattr(inner, name):
            setattr(model, name, getattr(inner, name))
        else:
            forget(model, name)
