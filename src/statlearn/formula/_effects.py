"""Marginal means, marginal effects and tests of combinations, as methods of the fits that have a likelihood."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Options, check_value
from statlearn._core.summary import Table
from statlearn._math.formulas.variables import columns_of

from ._margins import Estimates, estimates_table
from ._model_fit import held, level_label, named_columns


class Effects:
    """What the terms do to the mean."""

    def means(self, specs, *, by=None, at=None, type="link", level=0.95, cov="nonrobust", groups=None, lag=None):
        """Estimated marginal means: predictions on a balanced grid, averaged over the factors not named (R's emmeans).

        Parameters
        ----------
        specs : str or list of str
            Columns whose combinations are shown, such as "a", "a * b" or "a | b".
        by : str, list of str or None, default=None
            Columns within whose levels contrasts are taken.
        at : dict or None, default=None
            Values of columns on the grid; numbers are at their means otherwise, factors at all levels.
        type : {"link", "response"}, default="link"
            Scale of the table. Contrasts are always of the linear predictor.
        level : float, default=0.95
        cov, groups, lag
            See `vcov`.

        Returns
        -------
        Estimates
        """
        check_value("type", type, [Options("link", "response")], "means")
        focus, within = _specs(specs, by)
        named_columns([*focus, *within], self._variables)
        grid, names = self._grid(at or {})
        Z, offset, _ = self._new(grid)
        keys = list(zip(*[grid[name] for name in [*within, *focus]]))
        order = _ordered_keys(keys, [names[name] for name in [*within, *focus]], len(within))
        L = np.array([[key == other for other in keys] for key in order], dtype=float)
        L /= L.sum(axis=1, keepdims=True)
        core = self.core
        if len(core.identified) < len(core.coef):
            self._check_estimable(L @ Z)
        rows = (L @ Z)[:, core.identified]
        estimate = rows @ core.coef[core.identified] + L @ offset
        covariance = rows @ self._covariance(cov, groups, lag) @ rows.T
        frame, b = self._training(), len(within)
        shown = [" ".join(level_label(frame, n, v) for n, v in zip(focus, key[b:])) for key in order]
        labels = [", ".join(f"{n}={level_label(frame, n, v)}" for n, v in zip(within, key[:b])) for key in order]
        rows_shown = [f"{text}, {group}" if group else text for text, group in zip(shown, labels)]
        inverse = core.link if type == "response" else None
        averaged = [name for name in self._variables if name not in (*focus, *within) and len(names[name]) > 1]
        notes = [f"Averaged over the levels of {', '.join(averaged)}."] if averaged else []
        return estimates_table(
            "Estimated marginal means", rows_shown, estimate, covariance, self._df, level, groups=labels, shown=shown,
            inverse=inverse, notes=notes,
        )  # fmt: skip

    emmeans = means

    def _check_estimable(self, rows):
        """Refuse means that depend on coefficients that the data do not identify."""
        core = self.core
        lost = np.setdiff1d(np.arange(core.Z.shape[1]), core.identified)
        share = np.linalg.lstsq(core.Z[:, core.identified], core.Z[:, lost], rcond=None)[0]
        gap = rows[:, lost] - rows[:, core.identified] @ share
        if np.abs(gap).max(initial=0.0) > 1e-6 * max(1.0, np.abs(rows).max(initial=0.0)):
            raise ValueError(
                "Some of these means are not estimable: combinations of levels without rows leave coefficients "
                "undefined. Name fewer columns, or remove the interaction."
            )

    def _grid(self, at):
        """Columns of the reference grid, and the values of each."""
        frame, values = self._training(), {}
        for name in self._variables:
            if self._is_numeric(name):
                values[name] = [float(frame.columns[name].values.astype(float).mean())]
            else:
                values[name] = self._levels_of(name)
        for name, chosen in at.items():
            if name not in values:
                raise ValueError(f"`at`: {name!r} is not a column of the formula; it has {', '.join(values)}.")
            values[name] = list(chosen) if isinstance(chosen, (list, tuple, np.ndarray)) else [chosen]
        size = int(np.prod([len(each) for each in values.values()], dtype=float))
        if size > 1_000_000:
            raise ValueError(f"The reference grid has {size:,} rows; fix columns by `at`.")
        mesh = np.meshgrid(*[np.arange(len(each)) for each in values.values()], indexing="ij")
        columns = {}
        for (name, each), places in zip(values.items(), mesh):
            columns[name] = [each[place] for place in places.ravel()]
            if frame.columns[name].type == "boolean":
                columns[name] = [bool(value) for value in columns[name]]
        return columns, values

    def margins(self, variables=None, *, at=None, type="response", average=True, level=0.95, cov="nonrobust",
                groups=None, lag=None):  # fmt: skip
        """Marginal effects with delta-method errors: slopes of numbers, differences to the first level of factors.

        Parameters
        ----------
        variables : str, list of str or None, default=None
            Columns; None is all of the formula.
        at : dict or None, default=None
            Values at which columns are held, such as ``{"x": "mean"}``.
        type : {"response", "link"}, default="response"
        average : bool, default=True
            Whether to average over the rows. False gives one effect per row.
        level : float, default=0.95
        cov, groups, lag
            See `vcov`.

        Returns
        -------
        Estimates
        """
        check_value("type", type, [Options("response", "link")], "margins")
        labels, estimates, gradients = [], [], []
        shifts = _Shifts(self, at, type)
        for label, name, low, high, width in self._pairs(variables, at):
            before, after = shifts.effect(low, name), shifts.effect(high, name)
            change = (after.value - before.value) / width
            if average:
                labels.append(label)
                estimates.append([change.mean()])
                gradients.append((after.total(shifts.Z) - before.total(shifts.Z)) / (width * len(change)))
            else:
                labels += [f"{label}, row {row}" for row in range(len(change))]
                estimates.append(change)
                gradients.append((after.rows(shifts.Z) - before.rows(shifts.Z)) / width)
        G, estimate = np.vstack(gradients)[:, self.core.identified], np.concatenate(estimates)
        covariance = G @ self._covariance(cov, groups, lag) @ G.T
        title = "Average marginal effects" if average else "Marginal effects"
        # As Stata and marginaleffects: normal quantiles, since the effects are only asymptotically normal.
        return estimates_table(title, labels, estimate, covariance, None, level, groups=[""] * len(labels))

    def tukey(self, name, *, level=0.95):
        """All pairs of levels of a factor with simultaneous intervals, as R's ``TukeyHSD`` of a balanced table.

        Parameters
        ----------
        name : str
            Column.
        level : float, default=0.95

        Returns
        -------
        Estimates
            Later level minus earlier level, as R prints them.
        """
        return self.means(name).contrasts("revpairwise", adjust="tukey", level=level)

    def dunnett(self, name, *, ref=None, level=0.95):
        """Comparisons of all levels with a reference by the multivariate t distribution (R's ``glht(mcp("Dunnett"))``).

        Parameters
        ----------
        name : str
            Column.
        ref : str or None, default=None
            None is the first level.
        level : float, default=0.95

        Returns
        -------
        Estimates
        """
        return self.means(name).contrasts("trt.vs.ctrl", ref=ref, adjust="dunnett", level=level)

    def linear_hypothesis(self, L, rhs=0.0, *, cov="nonrobust", groups=None, lag=None):
        """Wald test of linear combinations of the coefficients, as ``car::linearHypothesis``.

        Parameters
        ----------
        L : str, list of str or array of shape (m, n_coefficients)
            Names of coefficients that are 0, or the combinations.
        rhs : float or array of shape (m,), default=0.0
        cov, groups, lag
            See `vcov`.

        Returns
        -------
        Summary
        """
        if isinstance(L, str) or (isinstance(L, list) and all(isinstance(each, str) for each in L)):
            names = [L] if isinstance(L, str) else L
            for name in names:
                if name not in self.names:
                    raise ValueError(f"`L`: {name!r} is not a coefficient; they are {', '.join(self.names)}.")
            L = np.array([[name == other for other in self.names] for name in names], dtype=float)
        L = np.atleast_2d(np.asarray(L, dtype=float))
        if L.shape[1] != len(self.names):
            raise ValueError(f"`L` must have {len(self.names)} columns, one for each coefficient, got {L.shape[1]}.")
        identified = self.core.identified
        if np.abs(np.delete(L, identified, axis=1)).any():
            raise ValueError("`L` uses a coefficient that is not defined because of linear dependence.")
        estimate = L[:, identified] @ self.coef[identified] - rhs
        V = L[:, identified] @ self._covariance(cov, groups, lag) @ L[:, identified].T
        labels = [f"hypothesis {j + 1}" for j in range(len(L))]
        return Estimates("", Table(labels, {}), {}, {}, estimate=estimate, covariance=V, df=self._df).joint_test()


@dataclass
class _Shifted:
    """Values of the mean for changed rows, its slopes, and the changed columns of the design."""

    value: np.ndarray
    slope: np.ndarray
    columns: np.ndarray
    mask: np.ndarray

    def total(self, Z):
        """Gradient of the sum of the values with respect to the coefficients."""
        gradient = self.slope @ Z
        gradient[self.mask] = self.slope @ self.columns
        return gradient

    def rows(self, Z):
        """Gradient of each value."""
        gradient = self.slope[:, None] * Z
        gradient[:, self.mask] = self.slope[:, None] * self.columns
        return gradient


class _Shifts:
    """Means of the training rows after changes of one column; only the terms that use it are computed again."""

    def __init__(self, fit, at, type):
        self.fit, self.frame, self.type = fit, fit._training(), type
        self.coef = np.nan_to_num(fit.core.coef)
        base = held(self.frame.columns, at or {}, fit._variables)
        self.Z = fit.design.matrix(base, self.frame.n) if at else fit.core.Z
        self.eta = self.Z @ self.coef + self._offset(base)
        self.memory = (None, None, None)

    def _offset(self, columns):
        offset = self.fit.design.offset(columns, self.frame.n)
        extra = 0.0 if self.frame.offset is None else self.frame.offset
        return extra if offset is None else extra + offset

    def effect(self, columns, name):
        if self.memory[0] is columns:
            return self.memory[1]
        matrix, mask = self.fit.design.partial(columns, self.frame.n, name)
        if any(name in columns_of(node) for node in self.fit.terms.offsets):
            eta = self.Z @ self.coef + self._offset(columns)
        else:
            eta = self.eta
        eta = eta + (matrix - self.Z[:, mask]) @ self.coef[mask]
        link = self.fit.core.link
        if self.type == "response":
            shifted = _Shifted(link.inverse(eta), link.slopes(eta)[0], matrix, mask)
        else:
            shifted = _Shifted(eta, np.ones(len(eta)), matrix, mask)
        if self.memory[0] is None or name != self.memory[2]:
            self.memory = (columns, shifted, name)  # the first level of a factor is compared with all others
        return shifted


def _specs(specs, by):
    """Focus and `by` columns of "a * b | c" or of lists."""
    if isinstance(specs, str):
        left, _, right = specs.replace("~", " ").partition("|")
        focus = [word for word in _words(left)]
        within = _words(right)
    else:
        focus, within = list(specs), []
    within += [by] if isinstance(by, str) else list(by or [])
    if not focus:
        raise ValueError("`specs` must name at least one column.")
    return focus, within


def _words(text):
    for sign in "*+:,":
        text = text.replace(sign, " ")
    return text.split()


def _ordered_keys(keys, values, n_within):
    """Distinct combinations: groups in order, and the first column running fastest inside them, as emmeans has them."""
    places = [{level: k for k, level in enumerate(each)} for each in values]

    def rank(key):
        numbers = [place[value] for place, value in zip(places, key)]
        return (*numbers[:n_within], *numbers[n_within:][::-1])

    return sorted(dict.fromkeys(keys), key=rank)
