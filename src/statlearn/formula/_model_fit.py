"""Any estimator fitted by a formula, with the answers that need predictions only."""

import copy

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from statlearn._core.summary import Summary, Table
from statlearn._draw.axes import new_axes
from statlearn._math.formulas.design import INTERCEPT, Design
from statlearn._math.formulas.tree import Call, Name
from statlearn._math.formulas.variables import columns_of

from ._frame import as_table, read_frame, selected, table_columns
from ._margins import estimates_table
from ._steps import formula_text, updated


class ModelFit:
    """A fitted model that remembers its formula and the table behind it.

    Functions such as :func:`lm`, :func:`glm` and :func:`model` return it; it is not meant to be constructed by hand.
    The table is kept as a reference, not copied, and left out when the model is pickled; answers that need it then ask
    for it.

    Parameters
    ----------
    formula : str
    data : data frame or dict of columns
    estimator : estimator
    weights, offset, subset
        See :func:`model`.
    contrasts : dict or None, default=None

    Attributes
    ----------
    formula : str
    estimator_ : estimator
    n : int
        Number of rows used.
    n_dropped : int
        Number of rows with missing values in a variable of the model, which were left out.

    Examples
    --------
    >>> from statlearn.formula import model
    >>> from statlearn.linear import LinearRegression
    >>> table = {"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5]}
    >>> fit = model("y ~ x", table, LinearRegression())
    >>> fit.margins().estimate.round(3).tolist()
    [1.1]
    """

    def __init__(self, formula, data, estimator=None, *, weights=None, offset=None, subset=None, contrasts=None):
        self.formula = formula
        self._data = data
        self._arguments = {"weights": weights, "offset": offset, "subset": subset, "contrasts": contrasts}
        self._estimator = estimator
        self._frame = self._read()
        self._read_contrasts()
        self.terms = self._frame.terms
        self.n, self.n_dropped = self._frame.n, self._frame.n_dropped
        self._fit()

    def _read(self):
        """The complete rows of the table."""
        arguments = {word: value for word, value in self._arguments.items() if word != "contrasts"}
        return read_frame(self.formula, self._data, **arguments)

    def _read_contrasts(self):
        contrasts = self._arguments["contrasts"] or {}
        if not isinstance(contrasts, dict) or not all(isinstance(kind, str) for kind in contrasts.values()):
            raise ValueError("`contrasts` must be a dict such as {'g': 'sum'}.")
        kinds = {name: kind.removeprefix("contr.").lower() for name, kind in contrasts.items()}
        known = ("treatment", "sas", "sum", "helmert", "poly")
        for name, kind in kinds.items():
            if kind not in known:
                raise ValueError(f"`contrasts`: {kind!r} for {name!r} must be one of {', '.join(known)}.")
            if name not in self._frame.terms.variables:
                raise ValueError(f"`contrasts` names {name!r}, which is not a variable of the formula.")
        self._contrasts = kinds

    def _fit(self):
        frame = self._frame
        self.design, Z = Design.learn(frame.terms, frame.columns, frame.n, self._contrasts)
        if frame.offset is not None or frame.terms.offsets:
            raise ValueError("`offset` is supported by lm and glm; this model has none.")
        estimator = clone(self._estimator)
        if not frame.terms.intercept and "fit_intercept" in estimator.get_params():
            estimator.set_params(fit_intercept=False)
        y = frame.y
        if frame.classes is not None:
            if not is_classifier(estimator):
                raise ValueError(
                    f"`formula`: the target {frame.target_text} is a factor, but {type(estimator).__name__} predicts "
                    "numbers; use a classifier."
                )
            y = np.array(frame.classes, dtype=object)[y.astype(int)]
            y = y.astype(str) if all(isinstance(label, str) for label in frame.classes) else y.astype(type(y[0]))
        weights = {} if frame.weights is None else {"sample_weight": frame.weights}
        self.estimator_ = estimator.fit(self._table(frame.columns, Z), y, **weights)

    def _table(self, columns, Z):
        """What the estimator sees: the design as a data frame with R's names, without the intercept."""
        import pandas as pd

        if self.design.names == [INTERCEPT]:
            return pd.DataFrame(Z, columns=self.design.names)
        keep = [k for k, name in enumerate(self.design.names) if name != INTERCEPT]
        return pd.DataFrame(Z[:, keep], columns=[self.design.names[k] for k in keep])

    # ----------------------------------------------------------------------------------------------- the data

    def __getstate__(self):
        return {**vars(self), "_data": None, "_frame": None}

    def _training(self):
        """The rows of the fit; an error after unpickling."""
        if self._frame is None:
            raise ValueError("This answer needs the training data, which are not stored in a pickled model; fit again.")
        return self._frame

    @property
    def expanded_formula(self):
        """The formula with every term written out."""
        return formula_text(self._training().target_text, self.terms)

    def _rows_of(self, data):
        """Columns of the complete rows of a table, their number, and their mask; None stands for the training rows."""
        if data is None:
            frame = self._training()
            return frame.columns, frame.n, np.ones(frame.n, dtype=bool)
        data = as_table(data)
        columns, n = table_columns(data, self._variables), len(data)
        complete = ~np.any([np.zeros(n, bool), *(cells.missing for cells in columns.values())], axis=0)
        return (columns if complete.all() else selected(columns, complete)), int(complete.sum()), complete

    @property
    def _variables(self):
        """Columns behind the terms, in the order of the formula."""
        nodes = [*self.terms.used.values(), *self.terms.offsets]
        return list(dict.fromkeys(name for node in nodes for name in columns_of(node)))

    # -------------------------------------------------------------------------------------------- predictions

    def predict(self, data=None):
        """Predictions for the rows of a table; NaN (None for classes) where a variable is missing.

        Parameters
        ----------
        data : data frame, dict of columns or None, default=None
            None predicts the training rows.

        Returns
        -------
        ndarray
        """
        return self._predicted("predict", data)

    def predict_proba(self, data=None):
        """Class probabilities for the rows of a table.

        Parameters
        ----------
        data : data frame, dict of columns or None, default=None

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return self._predicted("predict_proba", data)

    def _predicted(self, method, data):
        if not hasattr(self.estimator_, method):
            raise AttributeError(f"{type(self.estimator_).__name__} has no {method}.")
        columns, n, complete = self._rows_of(data)
        if not n:
            return np.full(len(complete), np.nan)
        predictions = self._answer(method, columns, n)
        if complete.all():
            return predictions
        blank = np.nan if predictions.dtype.kind in "fiu" else None
        out = np.full((len(complete), *predictions.shape[1:]), blank, dtype=float if blank is not None else object)
        out[complete] = predictions
        return out

    def _answer(self, method, columns, n):
        """Predictions of the estimator for typed columns."""
        return np.asarray(getattr(self.estimator_, method)(self._table(columns, self.design.matrix(columns, n))))

    def residuals(self, type="response"):
        """Target minus prediction for the training rows.

        Parameters
        ----------
        type : {"response"}, default="response"

        Returns
        -------
        ndarray
        """
        if type != "response" or is_classifier(self.estimator_):
            raise ValueError("Only regressors have residuals, of type='response'.")
        return self._training().y - self.predict()

    def summary(self, **options):
        """Summary of the estimator.

        Parameters
        ----------
        **options
            Passed to `summary` of the estimator.

        Returns
        -------
        Summary
        """
        if not hasattr(self.estimator_, "summary"):
            raise ValueError(f"{type(self.estimator_).__name__} has no summary; `lm` and `glm` have one.")
        return self._noted(self.estimator_.summary(**options))

    def _noted(self, summary):
        if self.n_dropped:
            rows = "1 row" if self.n_dropped == 1 else f"{self.n_dropped} rows"
            summary.notes.append(f"{rows} with missing values dropped.")
        return summary

    # ------------------------------------------------------------------------------------------- other models

    def update(self, formula=None, data=None, **changes):
        """The model with changed terms, data or arguments, as R's ``update``.

        Parameters
        ----------
        formula : str or None, default=None
            New formula; "." stands for the old side, as in ``". ~ . - x"``. Text without "~" changes the right side.
        data : data frame, dict of columns or None, default=None
            None is the table of this model.
        **changes
            Arguments of the fit, such as ``weights``.

        Returns
        -------
        ModelFit
        """
        self._training()
        wanted = self.formula if formula is None else updated(self.formula, formula)
        unknown = set(changes) - {*self._arguments, *self._settings()}
        if unknown:
            raise TypeError(f"update() has no argument {sorted(unknown)[0]!r}.")
        arguments = {**self._arguments, **self._settings(), **changes}
        remaining = {name: kind for name, kind in (arguments["contrasts"] or {}).items() if name in wanted}
        arguments["contrasts"] = remaining or None
        return self.__class__(wanted, self._data if data is None else data, **arguments)

    def _settings(self):
        return {"estimator": self._estimator}

    def margins(self, variables=None, *, at=None, n_boot=0, level=0.95, random_state=None):
        """Average changes of the prediction: slopes of numbers, differences to the first level of factors.

        Parameters
        ----------
        variables : str, list of str or None, default=None
            Columns; None is all of the formula.
        at : dict or None, default=None
            Values at which columns are held.
        n_boot : int, default=0
            Number of bootstrap samples of rows for standard errors, each of which refits the model; 0 gives none.
        level : float, default=0.95
        random_state : int or None, default=None

        Returns
        -------
        Estimates
        """
        labels, estimate = self._changes(variables, at)
        covariance = np.full((len(labels), len(labels)), np.nan)
        if n_boot:
            rng, draws = check_random_state(random_state), []
            frame = self._training()
            for _ in range(n_boot):
                draws.append(self._refitted(rng.randint(0, frame.n, frame.n))._changes(variables, at)[1])
            covariance = np.cov(np.array(draws).T).reshape(len(labels), len(labels))
        notes = [f"Standard errors by {n_boot} bootstrap samples."] if n_boot else ["No standard errors; set `n_boot`."]
        return estimates_table(
            "Marginal effects", labels, estimate, covariance, None, level, groups=[""] * len(labels), notes=notes
        )

    def _refitted(self, rows):
        """The model fitted to some rows of the training data, with repetitions."""
        other = copy.copy(self)
        frame = self._training()
        other._frame = copy.copy(frame)
        other._frame.columns = selected(frame.columns, rows)
        other._frame.y = frame.y[rows]
        other._frame.weights = None if frame.weights is None else frame.weights[rows]
        other._frame.offset = None if frame.offset is None else frame.offset[rows]
        other._frame.rows = np.ones(len(rows), dtype=bool)
        other._fit()
        return other

    def _changes(self, variables, at):
        """Labels and values of the average changes of the prediction."""
        if is_classifier(self.estimator_) and len(self.estimator_.classes_) > 2:
            raise ValueError("`margins` supports numbers and two classes.")
        labels, values = [], []
        for label, _, low, high, width in self._pairs(variables, at):
            change = self._means_of(high) - self._means_of(low)
            labels.append(label), values.append(np.mean(change) / width)
        return labels, np.array(values)

    def _means_of(self, columns):
        n = len(next(iter(columns.values())))
        if is_classifier(self.estimator_):
            return self._answer("predict_proba", columns, n)[:, 1]
        return self._answer("predict", columns, n)

    def _pairs(self, variables, at):
        """(label, name, columns, changed columns, width) for each variable: steps of numbers, levels of factors."""
        frame = self._training()
        columns = held(frame.columns, at or {}, self._variables)
        for name in named_columns(variables, self._variables):
            values = columns[name].values
            if self._is_numeric(name):
                step = 1e-5 * (np.ptp(frame.columns[name].values) or 1.0)
                yield name, name, shifted(columns, name, values - step), shifted(columns, name, values + step), 2 * step
                continue
            levels = self._levels_of(name)
            low = shifted(columns, name, np.full(len(values), levels[0], values.dtype))
            base = level_label(frame, name, levels[0])
            for level in levels[1:]:
                high = shifted(columns, name, np.full(len(values), level, values.dtype))
                yield f"{name}: {level_label(frame, name, level)} - {base}", name, low, high, 1.0

    def _is_numeric(self, name):
        """Whether a column is a number that no factor is made of."""
        if self._training().columns[name].type not in ("number", "date"):
            return False
        factors = ("factor", "as.factor", "ordered", "as.ordered", "C", "relevel")
        return not any(
            isinstance(node, Call) and node.function in factors and node.arguments == (Name(name),)
            for node in self.terms.used.values()
        )

    def _levels_of(self, name):
        """The values of a factor column in the order of its levels, as they stand in the table."""
        cells = self._training().columns[name]
        present = set(cells.values.tolist())
        if cells.levels:
            return [level for level in cells.levels if level in present]
        return sorted(present)

    def plot_effects(self, variables=None, *, n_points=50, ax=None):
        """Pictures of the mean prediction along each column, averaged over the rows.

        Parameters
        ----------
        variables : str, list of str or None, default=None
        n_points : int, default=50
        ax : matplotlib Axes, array of them or None, default=None

        Returns
        -------
        array of matplotlib Axes
        """
        names = named_columns(variables, self._variables)
        axes = np.atleast_1d(new_axes(ax, nrows=1, ncols=len(names), figsize=(3.5 * len(names), 3)))
        frame = self._training()
        for name, axis in zip(names, axes):
            values = frame.columns[name].values
            numeric = self._is_numeric(name)
            grid = np.linspace(values.min(), values.max(), n_points) if numeric else self._levels_of(name)
            means = [
                float(np.mean(self._means_of(shifted(frame.columns, name, np.full(len(values), v, values.dtype)))))
                for v in grid
            ]
            shown = grid if numeric else [level_label(frame, name, level) for level in grid]
            axis.plot(shown, means, "-" if numeric else "o")
            axis.set(xlabel=name, ylabel=frame.target_text)
        return axes

    def __repr__(self):
        return f"{type(self).__name__}({self.formula!r}, n={self.n})"


def named_columns(variables, known):
    """A list of columns, checked against those of the formula."""
    if variables is None:
        return list(known)
    names = [variables] if isinstance(variables, str) else list(variables)
    for name in names:
        if name not in known:
            raise ValueError(f"`variables`: {name!r} is not a column of the formula; it has {', '.join(known)}.")
    return names


def shifted(columns, name, values):
    """The columns with other values of one of them."""
    out = dict(columns)
    out[name] = copy.copy(columns[name])
    out[name].values = values
    return out


def held(columns, at, known):
    """The columns with some of them at fixed values; "mean" is the mean of a number."""
    if not isinstance(at, dict):
        raise TypeError(f"`at` must be a dict of columns and values, got {type(at).__name__}.")
    out = columns
    for name, value in at.items():
        if name not in known:
            raise ValueError(f"`at`: {name!r} is not a column of the formula; it has {', '.join(known)}.")
        cells = columns[name]
        if isinstance(value, str) and value in ("mean", "median") and cells.type == "number":
            value = getattr(np, value)(cells.values)
        try:
            out = shifted(out, name, np.full(len(cells), value, cells.values.dtype))
        except (TypeError, ValueError):
            raise ValueError(f"`at`: {value!r} is not a value of {name!r}.") from None
    return out


def level_label(frame, name, level):
    cells = frame.columns[name]
    if cells.type == "boolean":
        return "TRUE" if level else "FALSE"
    return f"{level:g}" if isinstance(level, float) else str(level)


def as_summary(title, rows, columns):
    return Summary(title, Table(rows, columns), {}, {})
