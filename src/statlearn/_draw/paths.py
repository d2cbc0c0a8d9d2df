"""Plots of coefficient paths and cross-validation curves."""

import numpy as np
from scipy.optimize import isotonic_regression

from .axes import new_axes
from .style import styled, theme


@styled
def plot_path(alphas, coefs, *, feature_names=None, x="log_alpha", chosen=None, n_labels=10, ax=None):
    """Plot of coefficient profiles along a regularisation path.

    Parameters
    ----------
    alphas : array-like of shape (k,)
        The penalties, in the order of the columns of `coefs`.
    coefs : array-like of shape (p, k)
        One column per penalty, as `lasso_path` and `enet_path` return them.
    feature_names : sequence of str or None, default=None
        Names for the largest profiles. None uses x0, x1, ...
    x : {"log_alpha", "l1_norm"}, default="log_alpha"
        Quantity on the horizontal axis.
    chosen : float or None, default=None
        A penalty to mark with a vertical line.
    n_labels : int, default=10
        Number of profiles to label, those with the largest final coefficients.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes
    """
    if x not in ("log_alpha", "l1_norm"):
        raise ValueError(f"`x` must be 'log_alpha' or 'l1_norm', got {x!r}.")
    alphas, coefs = np.asarray(alphas, dtype=float), np.asarray(coefs, dtype=float)
    if coefs.ndim != 2 or coefs.shape[1] != alphas.shape[0]:
        raise ValueError(f"`coefs` must have shape (n_features, {alphas.shape[0]}), got {coefs.shape}.")
    ax = new_axes(ax)
    norm = np.abs(coefs).sum(axis=0)
    horizontal = norm if x == "l1_norm" else np.log10(np.maximum(alphas, np.finfo(float).tiny))
    names = [f"x{j}" for j in range(coefs.shape[0])] if feature_names is None else list(feature_names)
    end = np.argmax(norm)
    largest = set(np.argsort(-np.abs(coefs[:, end]))[:n_labels])
    labels = []
    for j, profile in enumerate(coefs):
        if not profile.any():
            continue
        named = j in largest
        ax.plot(horizontal, profile, lw=1.5 if named else 0.7, alpha=1.0 if named else 0.5)
        if named:
            labels.append((profile[end], names[j]))
    ax.axhline(0.0, color=theme().muted, lw=0.8, zorder=0)
    if chosen is not None:
        at = np.interp(-chosen, -alphas, norm) if x == "l1_norm" else np.log10(chosen)
        ax.axvline(at, color=theme().muted, ls="--", lw=1)
    if x == "log_alpha":
        ax.invert_xaxis()
    _label_ends(ax, horizontal[end], labels, forwards=horizontal[end] >= horizontal.mean())
    ax.set_xlabel("L1 norm of the coefficients" if x == "l1_norm" else "log10(alpha)")
    ax.set_ylabel("coefficient")
    return ax


def _label_ends(ax, at, labels, *, forwards):
    """Write names beside the ends of lines, moved apart where they would overlap.

    Parameters
    ----------
    ax : matplotlib Axes
    at : float
        Horizontal position of all ends.
    labels : list of (float, str)
        Height and name of each line.
    forwards : bool
        Whether the lines end at the larger limit of the axis, beside which room is made.
    """
    if not labels:
        return
    share = min(0.3, 0.02 + 0.012 * max(len(str(name)) for _, name in labels))
    low, high = sorted(ax.get_xlim())
    room = share * (high - low)
    limits = (low, high + room) if forwards else (low - room, high)
    ax.set_xlim(limits if ax.get_xlim()[0] < ax.get_xlim()[1] else limits[::-1])
    labels = sorted(labels, key=lambda label: label[0])
    points = 72.0 / ax.figure.dpi * ax.transData.transform([(at, height) for height, _ in labels])[:, 1]
    for (height, name), shift in zip(labels, _moved_apart(points, 9.0) - points):
        ax.annotate(name, (at, height), xytext=(4, shift), textcoords="offset points", fontsize=8, va="center")


def _moved_apart(positions, gap):
    """Increasing positions at least `gap` apart, with the smallest sum of squared movements."""
    steps = gap * np.arange(len(positions))
    return isotonic_regression(positions - steps).x + steps


@styled
def plot_cv_curve(curve, *, ax=None):
    """Plot of the cross-validated loss, or of the score that was maximised, with one-standard-error bars.

    Parameters
    ----------
    curve : CVCurve
        The ``cv_curve_`` of a fitted ``...CV`` estimator.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes
    """
    ax = new_axes(ax)
    horizontal = np.asarray(curve.parameter, dtype=float)
    log = np.all(horizontal > 0) and horizontal.max() > 20 * horizontal.min()
    values = np.log10(horizontal) if log else horizontal
    colours = theme()
    sign = 1.0 if curve.score is None else -1.0
    ax.errorbar(
        values, sign * curve.mean, yerr=curve.std_error, fmt="o-", ms=3.5, lw=1.2, capsize=2, color=colours.cycle[0],
        ecolor=colours.muted, elinewidth=0.9,
    )  # fmt: skip
    ax.axhline(
        sign * (curve.mean[curve.best] + curve.std_error[curve.best]), color=colours.muted, lw=0.8, ls=":", zorder=0
    )
    for index, line, colour, label in (
        (curve.best, "--", colours.bad, "smallest loss" if curve.score is None else "largest score"),
        (curve.one_se, "-.", colours.good, "simplest within one standard error"),
    ):
        ax.axvline(values[index], color=colour, ls=line, lw=1.2, label=label)
    if len(values) > 1 and values[0] > values[-1]:
        ax.invert_xaxis()  # the simplest model is on the left
    name = curve.name.split("__")[-1]  # the step of a pipeline is clear from the context
    ax.set_xlabel(f"log10({name})" if log else name)
    ax.set_ylabel(f"cross-validated {'loss' if curve.score is None else curve.score}")
    ax.legend()
    return ax
