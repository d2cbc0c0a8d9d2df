"""Displays of learning and validation curves, and bias-variance decompositions."""

import numpy as np

from statlearn._draw.axes import new_axes, parameter_axis
from statlearn._draw.curves import plot_score_curve
from statlearn._draw.style import MARKERS, styled, theme


class LearningCurveDisplay:
    """Display of a learning curve computed by `statlearn.assess.learning_curve`."""

    @classmethod
    def from_estimator(cls, estimator, X, y, *, ax=None, plot_options=None, **options):
        """Compute and plot the curve.

        Parameters
        ----------
        estimator : estimator
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        ax : matplotlib Axes or None, default=None
        plot_options : dict or None, default=None
            Arguments of `plot_score_curve`.
        **options
            Arguments of `learning_curve`.

        Returns
        -------
        LearningCurveDisplay
            With `curve`, `ax_` and `figure_`.
        """
        from statlearn import assess

        return cls(assess.learning_curve(estimator, X, y, **options)).plot(ax=ax, **(plot_options or {}))

    def __init__(self, curve):
        self.curve = curve

    def plot(self, ax=None, **options):
        """Plot the curve; see `plot_score_curve`."""
        self.ax_ = plot_score_curve(self.curve, ax=ax, **options)
        self.figure_ = self.ax_.figure
        return self


class ValidationCurveDisplay(LearningCurveDisplay):
    """Display of a validation curve computed by `statlearn.assess.validation_curve`."""

    @classmethod
    def from_estimator(cls, estimator, X, y, *, param_name, param_range, ax=None, plot_options=None, **options):
        """Compute and plot the curve.

        Parameters
        ----------
        estimator : estimator
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        param_name : str
        param_range : array-like
        ax : matplotlib Axes or None, default=None
        plot_options : dict or None, default=None
            Arguments of `plot_score_curve`.
        **options
            Arguments of `validation_curve`.

        Returns
        -------
        ValidationCurveDisplay
            With `curve`, `ax_` and `figure_`.
        """
        from statlearn import assess

        curve = assess.validation_curve(estimator, X, y, param_name=param_name, param_range=param_range, **options)
        return cls(curve).plot(ax=ax, **(plot_options or {}))


@styled
def plot_bias_variance(parameter, decompositions, *, name="complexity", log=None, ax=None):
    """Plot of squared bias, variance, noise and their sum against a parameter.

    Parameters
    ----------
    parameter : sequence of k numbers
        Parameter values, from the simplest to the most complex model.
    decompositions : sequence of k BiasVariance
        Results of `statlearn.assess.bias_variance_decomposition`.
    name : str, default="complexity"
    log : bool or None, default=None
        Whether the horizontal axis is logarithmic. None decides by the range.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import bias_variance_decomposition
    >>> from statlearn.linear import Ridge
    >>> from statlearn.plot import plot_bias_variance
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> def draw(rng):
    ...     return X, X.sum(axis=1) + rng.normal(size=20)
    >>> found = [
    ...     bias_variance_decomposition(Ridge(a), draw, X, truth=X.sum(axis=1), noise=1.0, n_sets=10)
    ...     for a in (100.0, 1.0)
    ... ]
    >>> plot_bias_variance([100.0, 1.0], found, name="alpha").get_xlabel()
    'alpha'
    """
    ax = new_axes(ax, figsize=(5.8, 4.0))
    x = np.asarray(parameter, dtype=float)
    averages = [result.average for result in decompositions]
    if len(averages) != len(x):
        raise ValueError(
            f"`parameter` and `decompositions` must have the same length, got {len(x)} and {len(averages)}."
        )
    colours = theme()
    parts = (
        ("error", "squared error", "-"),
        ("bias2", "bias²", "--"),
        ("variance", "variance", "-."),
        ("noise", "noise", ":"),
    )
    for k, (key, label, line) in enumerate(parts):
        values = [average[key] for average in averages]
        colour = colours.ink if key == "error" else colours.muted if key == "noise" else colours.cycle[k - 1]
        ax.plot(x, values, line, color=colour, marker=MARKERS[k] if key != "noise" else None, label=label)
    parameter_axis(ax, x, log)
    ax.set(xlabel=name, ylabel="squared error", ylim=(0, None))
    ax.legend()
    return ax
