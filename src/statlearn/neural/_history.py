"""Learning curves of trained networks."""

from sklearn.utils.validation import check_is_fitted


def plot_history(model, ax=None, *, score=False):
    """Learning curves: the loss of every epoch on training and validation rows, or the objective of every sweep.

    Parameters
    ----------
    model : fitted network, Lasso or ElasticNet
        Any estimator of this family, or a fit with ``store_objective=True``.
    ax : matplotlib Axes or None, default=None
    score : bool, default=False
        Draw the validation score (accuracy or R²) instead of the losses. For networks only.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    A validation loss that rises while the training loss falls is overfitting: stop earlier (``early_stopping=True``),
    raise `alpha`, or use a smaller network. A training loss that jumps asks for a smaller `learning_rate_init`. The
    training loss contains the penalty and is averaged over the steps of the epoch, the validation loss is taken at its
    end and without the penalty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.neural import MLPClassifier, plot_history
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MLPClassifier(5, solver="lbfgs", max_iter=500, random_state=0)
    >>> model = model.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    >>> axes = plot_history(model)
    """
    from statlearn._draw.axes import new_axes

    check_is_fitted(model, ["history_", "objective_history_"], all_or_any=any)
    if hasattr(model, "objective_history_"):
        return _plot_objective(model.objective_history_, new_axes(ax))
    history = model.history_
    if score and not history["validation_score"]:
        raise ValueError("`score`=True requires validation rows: give `X_val` to `fit`, or use early_stopping=True.")
    ax = new_axes(ax)
    unit = "iteration" if not history["learning_rate"] else "epoch"
    curves = {"validation": "validation_score"} if score else {"training": "loss", "validation": "validation_loss"}
    for label, name in curves.items():
        if history[name]:
            ax.plot(range(1, len(history[name]) + 1), history[name], label=label)
    if history["validation_score"] and getattr(model, "validation_scores_", None):
        best = max(range(len(history["validation_score"])), key=lambda k: history["validation_score"][k])
        ax.axvline(best + 1, color="0.6", linestyle=":", label="weights kept")
    ax.set_xlabel(unit)
    ax.set_ylabel("score" if score else "loss")
    ax.legend()
    return ax


def _plot_objective(history, ax):
    """The objective of every sweep above its last value, on a logarithmic axis."""
    curves = history if isinstance(history, list) else [history]
    for k, values in enumerate(curves):
        ax.plot(values[:-1] - values[-1], label=f"target {k}")
    ax.set_xlabel("sweep")
    ax.set_ylabel("objective above its last value")
    ax.set_yscale("log")
    if len(curves) > 1:
        ax.legend()
    return ax
