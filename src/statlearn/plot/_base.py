"""The one place that asks for matplotlib."""


def new_axes(ax=None, **subplots):
    """The given axes, or new ones; a clear error when matplotlib is missing."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots need matplotlib: pip install 'statlearn[plot]'") from error
    return plt.subplots(**{"layout": "constrained", **subplots})[1]
