"""Logistic and multinomial regression by Newton steps over blocks."""

import numpy as np

from statlearn._core.class_weights import class_factors
from statlearn._core.validation import refuse_one_class
from statlearn._math.solvers.logistic_loss import LogisticLoss
from statlearn.bayes import GaussianNB

from .._sums import Sums
from .requirements import checked_copy, require_settings, require_target

_MOST_PARAMETERS = 3000  # of the Hessian


def _class_moments(block):
    """Weights, means and sums of squares of the columns by class."""
    return GaussianNB().statistics(block.X, block.y, block.weights)


def overall_moments(moments):
    """Weighted mean and sum of squares about it of every column, from those by class."""
    weight, means, squares = (moments.arrays[name] for name in ("class_weight", "means", "squares"))
    share = weight / weight.sum()
    mean = share @ means
    return mean, squares.sum(axis=0) + weight @ (means - mean) ** 2


class BlockTable:
    """Stands for the rows of a `LogisticRegression` whose loss is summed over blocks.

    Parameters
    ----------
    passes : Passes
    moments : SiteStatistics
        By class.
    factors : ndarray
        Class weights.
    dtype : dtype
    """

    def __init__(self, passes, moments, factors, dtype):
        self.passes, self.moments, self.factors, self.dtype = passes, moments, factors, dtype
        self.shape = moments.n_rows, moments.n_features

    def logistic_loss(self, codes, n_classes, *, weights, offset, l2, fit_intercept, fixed_last):
        """The loss; `codes` are the internal numbers of the classes and `weights` their totals."""
        return BlockLogisticLoss(self, codes, n_classes, weights, l2, fit_intercept, fixed_last)


class BlockLogisticLoss(LogisticLoss):
    """A `LogisticLoss` whose sums over rows are merged over blocks.

    Parameters
    ----------
    table : BlockTable
    codes : ndarray of int
        Internal number of each class.
    n_classes : int
    totals : ndarray
        Weight of each class, with its class weight.
    l2 : float
    fit_intercept, fixed_last : bool
    """

    in_blocks = True

    def __init__(self, table, codes, n_classes, totals, l2, fit_intercept, fixed_last):
        one_row = np.zeros((1, table.shape[1]), dtype=table.dtype)
        super().__init__(
            one_row, np.zeros(1, dtype=int), n_classes, l2=l2, fit_intercept=fit_intercept, fixed_last=fixed_last
        )
        self.passes, self.total = table.passes, float(totals.sum())
        self._totals = np.zeros(n_classes)
        self._totals[codes] = totals
        mean, squares = overall_moments(table.moments)
        if fit_intercept:
            self.shift = mean
        else:
            squares = squares + table.moments.arrays["class_weight"].sum() * mean**2
        # With class weights the mean square of a column is known up to the largest of them.
        self._squares = squares * table.factors.max() / self.total
        self._state = (table.moments.classes, codes, table.factors, n_classes, fit_intercept, fixed_last, self.shift)

    def class_totals(self):
        return self._totals

    def diagonal_bound(self):
        diagonal = np.append(self._squares, 1.0) if self.fit_intercept else self._squares
        return np.tile(0.25 * diagonal + self.l2 * self._penalised, (self.n_rows, 1))

    def value_and_gradient(self, phi):
        sums = self.passes.reduce(_evaluate, self._state, phi, False)
        return self._with_penalty(float(sums.value), sums.gradient, phi)

    def value_gradient_hessian(self, phi):
        sums = self.passes.reduce(_evaluate, self._state, phi, True)
        d = np.diag_indices(len(sums.hessian))
        hessian = sums.hessian / self.total
        hessian[d] += self.l2 * np.tile(self._penalised, self.n_rows)
        return *self._with_penalty(float(sums.value), sums.gradient, phi), hessian

    def margin_range(self, phi):
        ends = self.passes.reduce(_margins, self._state, phi)
        return ends.low, ends.high


class Range:
    """The smallest and the largest of some values.

    Parameters
    ----------
    low, high : float
    """

    def __init__(self, low, high):
        self.low, self.high = low, high

    def merge(self, other):
        """The range of both."""
        return Range(min(self.low, other.low), max(self.high, other.high))


def _block_loss(block, state):
    """The loss of one block, without a penalty; None if the class weights leave no rows."""
    classes, codes, factors, n_classes, fit_intercept, fixed_last, shift = state
    label = np.searchsorted(classes, block.y)
    weights = block.weights
    if np.any(factors != 1.0):
        weights = factors[label] * (1.0 if weights is None else weights)
    loss = LogisticLoss(
        block.X, codes[label], n_classes, weights=weights, fit_intercept=fit_intercept, fixed_last=fixed_last
    )
    loss.shift = shift
    return loss


def _evaluate(block, state, phi, curved):
    """Sums of the losses, gradients and Hessians of one block."""
    loss = _block_loss(block, state)
    total = loss.total if loss.total > 0 else 1.0
    if not curved:
        value, gradient = loss.value_and_gradient(phi)
        return Sums(value=total * value, gradient=total * gradient)
    value, gradient, hessian = loss.value_gradient_hessian(phi)
    return Sums(value=total * value, gradient=total * gradient, hessian=total * hessian)


def _margins(block, state, phi):
    return Range(*_block_loss(block, state).margin_range(phi))


def fit_logistic(estimator, passes):
    """The fit of a `LogisticRegression`."""
    model = checked_copy(estimator)
    require_target(passes, model)
    require_settings(
        model, warm_start=(False,), store_steps=(False,), penalize_intercept=(False,), dual=(False,),
        prior_coef=(None,),
        solver=("lbfgs", "newton-cg", "newton-cholesky", "irls", "saga", "sag"),
    )  # fmt: skip
    C, l1_ratio = model._penalty()
    if l1_ratio > 0:
        raise ValueError(f"`l1_ratio` must be 0 for {type(model).__name__} over blocks, got {l1_ratio:g}.")
    moments = passes.reduce(_class_moments)
    model.classes_, totals = moments.classes, moments.arrays["class_weight"]
    refuse_one_class(model.classes_, type(model).__name__)
    parameters = (moments.n_features + model.fit_intercept) * (len(model.classes_) - (len(model.classes_) == 2))
    if parameters > _MOST_PARAMETERS:
        raise ValueError(
            f"{type(model).__name__} over blocks has at most {_MOST_PARAMETERS} coefficients, got {parameters}."
        )
    factors = class_factors(model.class_weight, model.classes_, np.arange(len(totals)), totals)
    model.n_features_in_ = moments.n_features
    if passes.names is not None:
        model.feature_names_in_ = np.array(passes.names, dtype=object)
    table = BlockTable(passes, moments, factors, np.dtype(np.float64))
    model._solve(table, np.arange(len(totals)), totals * factors, None, C, l1_ratio)
    return model
