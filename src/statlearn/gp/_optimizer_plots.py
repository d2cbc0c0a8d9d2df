"""Pictures of an optimisation."""

import numpy as np

from statlearn.plot import new_axes, styled, theme

from ._space import Categorical, Integer


@styled
def plot_model(optimizer, objective, axes, n_grid):
    """Band of the model, evaluations and acquisition function in one dimension."""
    if len(optimizer.space) != 1 or isinstance(optimizer.space.dimensions[0], Categorical):
        raise ValueError(
            "`plot` supports a space with one real or integer dimension; use `plot_slices` or `plot_convergence`."
        )
    if optimizer.n_objectives > 1:
        raise ValueError("`plot` supports one objective; use `plot_front`.")
    optimizer._require_model()
    if axes is None:
        axes = new_axes(nrows=2, ncols=1, sharex=True, height_ratios=[3, 1])
    upper, lower = axes
    dimension = optimizer.space.dimensions[0]
    positions = np.linspace(0, 1, n_grid) if np.isinf(dimension.n_values) else dimension.grid()
    points = [optimizer.space.point([position]) for position in positions]
    x = np.array([_only(point) for point in points], dtype=np.float64)
    mean, band = optimizer.predict(points)[0], optimizer._band(points)
    colours = theme().cycle
    if objective is not None:
        upper.plot(x, [objective(point) for point in points], "--", color="0.4", label="objective")
    upper.plot(x, mean, color=colours[0], label="prediction")
    upper.fill_between(x, *band, color=colours[0], alpha=0.2, label="95 % band", lw=0)
    done = [trial for trial in optimizer.trials if trial.status == "done"]
    upper.plot(
        [_only(t.point) for t in done], [t.values[0] for t in done], "o", color=colours[1], label="evaluations"
    )  # fmt: skip
    upper.set_ylabel("objective")
    upper.legend()
    score = optimizer.acquisition_values(points)
    if optimizer.acquisition in ("log_ei", "ei", "pi"):
        score = np.exp(score)
    lower.plot(x, score, color=colours[2])
    lower.axvline(x[int(np.argmax(score))], color=colours[2], ls=":", lw=1)
    names = {
        "log_ei": "expected\nimprovement", "ei": "expected\nimprovement", "pi": "probability of\nimprovement",
        "lcb": "bound",
    }  # fmt: skip
    lower.set_ylabel(names[optimizer.acquisition])
    lower.set_xlabel(optimizer.space.labels()[0])
    if getattr(dimension, "prior", "uniform") == "log-uniform":
        lower.set_xscale("log")
        upper.set_xscale("log")
    return np.array([upper, lower])


@styled
def plot_convergence(optimizer, ax):
    """Best value so far, and all values."""
    if optimizer.n_objectives > 1:
        raise ValueError("`plot_convergence` supports one objective; use `plot_front`.")
    feasible = [trial for trial in optimizer.trials if trial.feasible]
    if not feasible:
        raise ValueError("No feasible point has been evaluated yet.")
    ax = new_axes(ax)
    number = np.array([trial.number + 1 for trial in feasible])
    values = np.array([trial.values[0] for trial in feasible])
    best = (np.maximum if optimizer._sign[0] < 0 else np.minimum).accumulate(values)
    colours = theme().cycle
    ax.plot(number, values, "o", color=colours[0], alpha=0.5, label="evaluations")
    ax.step(number, best, where="post", color=colours[1], label="best so far")
    n_design = sum(trial.origin != "model" for trial in optimizer.trials)
    if 0 < n_design < len(optimizer.trials):
        ax.axvline(n_design + 0.5, color="0.6", ls=":", lw=1, label="end of the initial design")
    ax.set_xlabel("evaluation")
    ax.set_ylabel("objective")
    ax.legend()
    return ax


@styled
def plot_slices(optimizer, axes, n_grid):
    """Prediction along each dimension through the best point."""
    if optimizer.n_objectives > 1:
        raise ValueError("`plot_slices` supports one objective; use `plot_front`.")
    optimizer._require_model()
    space, best = optimizer.space, optimizer.best_trial
    if axes is None:
        columns = min(len(space), 4)
        rows = -(-len(space) // columns)
        axes = new_axes(nrows=rows, ncols=columns, sharey=True, squeeze=False, figsize=(3.2 * columns, 2.6 * rows))
    axes = np.ravel(axes)
    if len(axes) < len(space):
        raise ValueError(f"`axes` must contain {len(space)} axes, got {len(axes)}.")
    colours = theme().cycle
    for j, (ax, dimension) in enumerate(zip(axes, space.dimensions)):
        positions = np.linspace(0, 1, n_grid) if np.isinf(dimension.n_values) else dimension.grid()
        line = np.tile(best.position, (len(positions), 1))
        line[:, j] = positions
        points = [space.point(row) for row in line]
        mean, (low, high) = optimizer.predict(points)[0], optimizer._band(points)
        x = [dimension.value(position) for position in positions]
        here = dimension.value(best.position[j])
        if isinstance(dimension, Categorical):
            x, here = np.arange(len(x)), dimension.categories.index(here)
            ax.errorbar(x, mean, [mean - low, high - mean], fmt="o", color=colours[0], capsize=3)
            ax.set_xticks(x, [str(value) for value in dimension.categories])
        else:
            ax.plot(x, mean, color=colours[0])
            ax.fill_between(x, low, high, color=colours[0], alpha=0.2, lw=0)
            if dimension.prior == "log-uniform":
                ax.set_xscale("log")
            elif isinstance(dimension, Integer):
                ax.xaxis.get_major_locator().set_params(integer=True)
        ax.axvline(here, color=colours[1], ls=":", lw=1)
        ax.set_xlabel(space.labels()[j])
    for ax in axes[len(space) :]:
        ax.remove()
    axes[0].set_ylabel("predicted objective")
    return axes[: len(space)]


@styled
def plot_front(optimizer, ax):
    """Evaluations and front of two objectives."""
    if optimizer.n_objectives != 2:
        raise ValueError(f"`plot_front` needs two objectives, got {optimizer.n_objectives}.")
    feasible = [trial for trial in optimizer.trials if trial.feasible]
    if not feasible:
        raise ValueError("No feasible point has been evaluated yet.")
    ax = new_axes(ax)
    colours = theme().cycle
    values = np.array([trial.values for trial in feasible])
    front = np.array(sorted(trial.values for trial in optimizer.pareto_trials))
    ax.plot(*values.T, "o", color=colours[0], alpha=0.5, label="evaluations")
    ax.plot(*front.T, "o-", color=colours[1], drawstyle="steps-post", label="Pareto front")
    ax.set_xlabel("first objective")
    ax.set_ylabel("second objective")
    ax.legend()
    return ax


def _only(point):
    return next(iter(point.values())) if isinstance(point, dict) else point[0]
