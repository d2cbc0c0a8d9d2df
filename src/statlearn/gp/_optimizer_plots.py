"""Pictures of an optimisation."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme

from ._space import Categorical, Integer
from ._trials import DONE

_SCORE_NAMES = {
    "log_ei": "expected\nimprovement",
    "ei": "expected\nimprovement",
    "pi": "probability of\nimprovement",
    "lcb": "bound",
}


class OptimizerPlots:
    """The part of `BayesianOptimizer` that draws a study."""

    @styled
    def plot(self, objective=None, *, axes=None, n_grid=200):
        """Model, evaluations and acquisition function of a study with one real or integer dimension.

        Parameters
        ----------
        objective : callable or None, default=None
            Function of a point, drawn as a dashed line.
        axes : sequence of two matplotlib axes, default=None
            For the model and for the acquisition function.
        n_grid : int, default=200

        Returns
        -------
        axes : ndarray of matplotlib axes
        """
        if len(self.space) != 1 or isinstance(self.space.dimensions[0], Categorical):
            raise ValueError(
                "`plot` supports a space with one real or integer dimension; use `plot_slices` or `plot_convergence`."
            )
        if self.n_objectives > 1:
            raise ValueError("`plot` supports one objective; use `plot_front`.")
        self._require_model()
        if axes is None:
            axes = new_axes(nrows=2, ncols=1, sharex=True, height_ratios=[3, 1])
        upper, lower = axes
        dimension = self.space.dimensions[0]
        points = [self.space.point([position]) for position in _positions(dimension, n_grid)]
        x = np.array([_only(point) for point in points], dtype=np.float64)
        colours = theme().cycle
        if objective is not None:
            upper.plot(x, [objective(point) for point in points], "--", color="0.4", label="objective")
        upper.plot(x, self.predict(points)[0], color=colours[0], label="prediction")
        upper.fill_between(x, *self._band(points), color=colours[0], alpha=0.2, label="95 % band", lw=0)
        done = [trial for trial in self.trials if trial.status == DONE]
        evaluated = [_only(trial.point) for trial in done], [trial.values[0] for trial in done]
        upper.plot(*evaluated, "o", color=colours[1], label="evaluations")
        upper.set_ylabel("objective")
        upper.legend()
        score = self.acquisition_values(points)
        if self.acquisition in ("log_ei", "ei", "pi"):
            score = np.exp(score)
        lower.plot(x, score, color=colours[2])
        lower.axvline(x[int(np.argmax(score))], color=colours[2], ls=":", lw=1)
        lower.set_ylabel(_SCORE_NAMES[self.acquisition])
        lower.set_xlabel(self.space.labels()[0])
        if getattr(dimension, "prior", "uniform") == "log-uniform":
            lower.set_xscale("log")
            upper.set_xscale("log")
        return np.array([upper, lower])

    @styled
    def plot_convergence(self, ax=None):
        """Best value so far against the number of evaluations.

        Parameters
        ----------
        ax : matplotlib axes, default=None

        Returns
        -------
        ax : matplotlib axes
        """
        if self.n_objectives > 1:
            raise ValueError("`plot_convergence` supports one objective; use `plot_front`.")
        feasible = self._feasible()
        ax = new_axes(ax)
        number = np.array([trial.number + 1 for trial in feasible])
        values = np.array([trial.values[0] for trial in feasible])
        best = (np.maximum if self._sign[0] < 0 else np.minimum).accumulate(values)
        colours = theme().cycle
        ax.plot(number, values, "o", color=colours[0], alpha=0.5, label="evaluations")
        ax.step(number, best, where="post", color=colours[1], label="best so far")
        n_design = sum(trial.origin != "model" for trial in self.trials)
        if 0 < n_design < len(self.trials):
            ax.axvline(n_design + 0.5, color="0.6", ls=":", lw=1, label="end of the initial design")
        ax.set_xlabel("evaluation")
        ax.set_ylabel("objective")
        ax.legend()
        return ax

    @styled
    def plot_slices(self, axes=None, n_grid=100):
        """Predicted objective along each dimension through the best point, with a 95 % band.

        Parameters
        ----------
        axes : sequence of matplotlib axes, default=None
        n_grid : int, default=100

        Returns
        -------
        axes : ndarray of matplotlib axes
        """
        if self.n_objectives > 1:
            raise ValueError("`plot_slices` supports one objective; use `plot_front`.")
        self._require_model()
        space, best = self.space, self.best_trial
        if axes is None:
            columns = min(len(space), 4)
            rows = -(-len(space) // columns)
            axes = new_axes(nrows=rows, ncols=columns, sharey=True, squeeze=False, figsize=(3.2 * columns, 2.6 * rows))
        axes = np.ravel(axes)
        if len(axes) < len(space):
            raise ValueError(f"`axes` must contain {len(space)} axes, got {len(axes)}.")
        for j, ax in enumerate(axes[: len(space)]):
            self._plot_slice(ax, j, best.position, n_grid)
        for ax in axes[len(space) :]:
            ax.remove()
        axes[0].set_ylabel("predicted objective")
        return axes[: len(space)]

    def _plot_slice(self, ax, j, centre, n_grid):
        """Prediction along dimension j through a position."""
        space, dimension, colours = self.space, self.space.dimensions[j], theme().cycle
        positions = _positions(dimension, n_grid)
        line = np.tile(centre, (len(positions), 1))
        line[:, j] = positions
        points = [space.point(row) for row in line]
        mean, (low, high) = self.predict(points)[0], self._band(points)
        x = [dimension.value(position) for position in positions]
        here = dimension.value(centre[j])
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

    @styled
    def plot_front(self, ax=None):
        """Evaluated points and the Pareto front of two objectives.

        Parameters
        ----------
        ax : matplotlib axes, default=None

        Returns
        -------
        ax : matplotlib axes
        """
        if self.n_objectives != 2:
            raise ValueError(f"`plot_front` needs two objectives, got {self.n_objectives}.")
        values = np.array([trial.values for trial in self._feasible()])
        front = np.array(sorted(trial.values for trial in self.pareto_trials))
        ax = new_axes(ax)
        colours = theme().cycle
        ax.plot(*values.T, "o", color=colours[0], alpha=0.5, label="evaluations")
        # The border of what the front dominates: to the right of a point if small values are better, else to the left.
        steps = "steps-post" if self._sign[0] > 0 else "steps-pre"
        ax.plot(*front.T, "o-", color=colours[1], drawstyle=steps, label="Pareto front")
        ax.set_xlabel("first objective")
        ax.set_ylabel("second objective")
        ax.legend()
        return ax


def _positions(dimension, n_grid):
    """Positions along a dimension: all of a finite one, otherwise a grid."""
    return np.linspace(0, 1, n_grid) if np.isinf(dimension.n_values) else dimension.grid()


def _only(point):
    """Coordinate of a point with one dimension."""
    return next(iter(point.values())) if isinstance(point, dict) else point[0]
