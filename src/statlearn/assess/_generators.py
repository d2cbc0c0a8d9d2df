"""Calls of functions that draw data: ``function(rng, n)`` everywhere."""

import inspect

_GENERATOR_NAMES = frozenset({"rng", "generator", "random", "random_state", "rs", "seed", "gen"})
_COUNT_NAMES = frozenset({"n", "n_samples", "n_rows", "n_points", "size", "m", "count", "rows"})


def draw_from(function, rng, n=None, *, argument="generator"):
    """Data drawn by a function of (rng, n), of (n, rng) if the names of its parameters say so, or of rng alone.

    Without `n`, the function must do with rng. Errors name the `argument` and the expected signature.
    """
    takes = _parameters(function)
    if n is None:
        if takes is not None and sum(required for _, required in takes) > 1:
            raise TypeError(f"`{argument}` must be a function of rng that returns X and y: {argument}(rng).")
        return _called(function, argument, "rng", rng)
    if takes is not None and len(takes) < 2:
        raise TypeError(
            f"`{argument}` must be a function of rng and the number of rows that returns X and y: {argument}(rng, n)."
        )
    first, second = ("", "") if takes is None else (takes[0][0].lower(), takes[1][0].lower())
    swapped = second in _GENERATOR_NAMES or (first in _COUNT_NAMES and second not in _COUNT_NAMES)
    return _called(function, argument, "rng, n", *((n, rng) if swapped else (rng, n)))


def _parameters(function):
    """Name of each positional parameter and whether it is required; None if they cannot be counted."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return [
        (p.name, p.default is p.empty) for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]


def _called(function, argument, signature, *values):
    try:
        drawn = function(*values)
    except AttributeError as error:
        if "'int' object" in str(error) or "Generator" in str(error):  # the arguments in the wrong order
            raise TypeError(
                f"`{argument}` is called as {argument}({signature}), with a numpy.random.Generator first; it raised: "
                f"{error}."
            ) from error
        raise
    if not isinstance(drawn, (tuple, list)) or len(drawn) != 2:
        raise TypeError(f"`{argument}` must return X and y, got {type(drawn).__name__}.")
    return drawn
