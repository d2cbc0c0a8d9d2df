"""Functions of scikit-learn under our name, with our documentation."""

import functools
import inspect


def same_call(function):
    """Decorator for a stub that has only a docstring: its calls are those of `function`, with the same signature.

    The signature is read from the installed version, so that new parameters of scikit-learn are accepted at once.

    Parameters
    ----------
    function : callable
    """

    def decorate(stub):
        def call(*args, **kwargs):
            return function(*args, **kwargs)

        functools.update_wrapper(call, stub)
        del call.__wrapped__
        call.__signature__ = inspect.signature(function)
        return call

    return decorate
