"""Additive models and trees by formula: estimators that take more than a design matrix."""

import numpy as np
from sklearn.base import clone, is_classifier

from statlearn._math.formulas.design import INTERCEPT, Design
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import parse_sides, quoted, written
from statlearn._math.formulas.reading import proportions
from statlearn._math.formulas.tree import Binary, Call, Name, bare, walk

from ._frame import read_frame
from ._model_fit import ModelFit

_SMOOTHS = ("s", "s2", "te", "ti", "t2", "re")


def split_smooths(formula):
    """The formula without its smooth terms, and these terms."""
    try:
        left, right = parse_sides(formula)
    except SyntaxError as error:
        raise ValueError(f"`formula`: cannot parse {shortened(formula)}: {error.msg}.") from None
    if left is None:
        raise ValueError(f"`formula`: {shortened(formula)} has no target; write 'y ~ s(x) + z'.")
    summands = []
    while isinstance(right, Binary) and right.sign in "+-":
        summands.append((right.sign, right.right))
        right = right.left
    parametric, smooths = [], []
    for sign, node in [("+", right), *summands[::-1]]:
        inner = bare(node)
        if isinstance(inner, Call) and inner.function in _SMOOTHS:
            if sign == "-" or inner.function == "t2":
                raise ValueError(f"`formula`: {shortened(inner.source)} is not supported; use s, te or ti, added.")
            smooths.append(inner)
        else:
            parametric.append((sign, node))
    text = "".join(f" {sign} {written(node)}" for sign, node in parametric).strip()
    return f"{written(left)} ~ {text or '1'}", smooths


class SmoothFit(ModelFit):
    """An additive model: any terms of R's formulas, and smooths, fitted by :class:`statlearn.smooth.GAM`."""

    def _read(self):
        plain, self._smooths = split_smooths(self.formula)
        names = [node.name for call in self._smooths for node in walk(call) if isinstance(node, Name)]
        settings = {node.name for call in self._smooths for word, value in call.named if word != "by"
                    for node in walk(value) if isinstance(node, Name)}  # fmt: skip
        self._covariates = [name for name in dict.fromkeys(names) if name not in settings]
        arguments = {word: value for word, value in self._arguments.items() if word != "contrasts"}
        return read_frame(plain, self._data, others=self._covariates, **arguments)

    @property
    def _variables(self):
        return list(dict.fromkeys([*super()._variables, *self._covariates]))

    def _fit(self):
        frame = self._frame
        if not frame.terms.intercept:
            raise ValueError("`formula`: additive models always have an intercept; remove '- 1' or '+ 0'.")
        self.design, Z = Design.learn(frame.terms, frame.columns, frame.n, self._contrasts)
        pieces = [quoted(name) for name in self.design.names if name != INTERCEPT]
        pieces += [written(call) for call in self._smooths]
        estimator = clone(self._estimator)
        estimator.set_params(terms=" + ".join(pieces) or "1")
        y, weights = frame.y, frame.weights
        binomial = estimator.family == "binomial"
        if frame.classes is not None:
            if not binomial:
                raise ValueError(f"`formula`: the target {frame.target_text} is a factor; use family='binomial'.")
            y = (y > 0).astype(float)
        if y.ndim == 2:
            if not binomial:
                raise ValueError("`formula`: additive models have one target.")
            y, trials = proportions(y)
            weights = trials if weights is None else weights * trials
        offset = self._offset(frame.columns, frame.n, frame.offset)
        self.estimator_ = estimator.fit(self._table(frame.columns, Z), y, weights, offset=offset)

    def _offset(self, columns, n, extra=None):
        offset = self.design.offset(columns, n)
        if extra is None:
            return offset
        return extra if offset is None else offset + extra

    def _table(self, columns, Z):
        """Columns of the design by R's names, and the covariates of the smooths."""
        import pandas as pd

        table = {name: Z[:, k] for k, name in enumerate(self.design.names) if name != INTERCEPT}
        for name in self._covariates:
            cells = columns[name]
            table[name] = cells.values if cells.type == "number" else cells.as_strings()
        return pd.DataFrame(table)

    def _answer(self, method, columns, n):
        offset = self._offset(columns, n)
        options = {} if offset is None else {"offset": offset}
        table = self._table(columns, self.design.matrix(columns, n))
        return np.asarray(getattr(self.estimator_, method)(table, **options))


class TreeFit(ModelFit):
    """A tree on the columns themselves: factors are split in sets of levels, not by indicator columns."""

    def _fit(self):
        frame = self._frame
        if frame.offset is not None or frame.terms.offsets:
            raise ValueError("`offset` is not supported by trees.")
        products = [":".join(term) for term in map(sorted, frame.terms.terms) if len(term) > 1]
        if products:
            raise ValueError(f"`formula`: trees find interactions themselves; remove {products[0]}.")
        self.design, Z = Design.learn(frame.terms, frame.columns, frame.n, self._contrasts)
        y, estimator = frame.y, clone(self._estimator)
        if is_classifier(estimator) != (frame.classes is not None):
            kind = "a factor" if frame.classes is not None else "numbers"
            raise ValueError(f"`formula`: the target {frame.target_text} has {kind}, which {estimator} does not fit.")
        if frame.classes is not None:
            y = np.array([str(label) for label in frame.classes])[y.astype(int)]
        weights = {} if frame.weights is None else {"sample_weight": frame.weights}
        self.estimator_ = estimator.fit(self._table(frame.columns, Z), y, **weights)

    def _table(self, columns, Z):
        """Factors as categories, everything else as numbers."""
        import pandas as pd

        table = {}
        for key, node in self.terms.used.items():
            if key in self.design.levels and isinstance(node, Name):
                texts = columns[node.name].as_strings() if columns[node.name].type != "boolean" else np.where(
                    columns[node.name].values == 1, "TRUE", "FALSE")  # fmt: skip
                levels = ["FALSE", "TRUE"] if columns[node.name].type == "boolean" else self.design.levels[key]
                table[key] = pd.Categorical(texts, [str(level) for level in levels])
                continue
            places = [k for k, each in enumerate(self.design.numbers) if each == self._number_of(key)]
            for place in places:
                table[self.design.names[place]] = Z[:, place]
        return pd.DataFrame(table)

    def _number_of(self, key):
        return next(k for k, term in enumerate(self.terms.terms) if term == {key})
