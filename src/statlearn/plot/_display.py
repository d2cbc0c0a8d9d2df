"""Base class of displays, which compute once, store the results, and can be plotted repeatedly.

As in scikit-learn: ``RocDisplay.from_estimator(model, X, y)``, ``RocDisplay.from_predictions(y, score)``, and
``display.plot(ax=...)`` to plot again. The functions (`roc_plot`, ...) do the same in one call and return the axes.
"""

import numpy as np


class Display:
    """Base class of displays; `from_estimator` computes predictions and calls `from_predictions`."""

    _response: tuple[str, ...] = ("predict",)  # methods of an estimator, in order of preference

    @classmethod
    def from_estimator(cls, estimator, X, y, *, ax=None, **options):
        """Compute the predictions of a fitted estimator on X and plot the display.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        ax : matplotlib Axes or None, default=None
        **options
            As in `from_predictions`.

        Returns
        -------
        display
            With `ax_`, `figure_` and the plotted values.
        """
        method = next((m for m in cls._response if hasattr(estimator, m)), None)
        if method is None:
            raise ValueError(
                f"`estimator` must have one of the methods {', '.join(cls._response)}, got {type(estimator).__name__}."
            )
        answer = np.asarray(getattr(estimator, method)(X))
        if method == "predict_proba" and answer.shape[1] == 2:
            answer = answer[:, 1]
        if hasattr(estimator, "classes_"):
            options = cls._with_classes(options, estimator.classes_, answer)
        options.setdefault("name", type(_last(estimator)).__name__)
        return cls.from_predictions(y, answer, ax=ax, **options)

    @classmethod
    def _with_classes(cls, options, classes, answer):
        return options

    def _finish(self, ax):
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _last(estimator):
    """The final model of a pipeline or search."""
    while hasattr(estimator, "best_estimator_"):
        estimator = estimator.best_estimator_
    return _last(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator
