"""Exact Shapley values of tree models: the contribution of each column to each prediction."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._core.native import trees as native
from statlearn._core.validation import check_weights

from ._additive_trees import require_additive_trees


@dataclass
class ShapValues:
    """Shapley values: contributions of the columns to each prediction.

    The prediction is ``base_value + values.sum(axis=1)``.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_outputs)
    base_value : float or ndarray of shape (n_outputs,)
        The expected prediction when no column is known.
    prediction : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Predictions on the scale that is explained: scores of boosting, values or class proportions of trees and
        forests.
    data : ndarray of shape (n_rows, n_features)
        The values of the columns, as numbers.
    names : list of str
        Names of the columns.
    outputs : list of str
        Names of the outputs, if there are several.
    interactions : ndarray of shape (n_rows, n_features, n_features[, n_outputs]) or None
        Half the interaction of each pair of columns. The diagonal contains the remaining main effects, so that rows and
        columns sum to `values`.
    """

    values: np.ndarray
    base_value: float | np.ndarray
    prediction: np.ndarray
    data: np.ndarray = field(repr=False)
    names: list
    outputs: list = field(default_factory=list)
    interactions: np.ndarray | None = field(default=None, repr=False)

    @property
    def importance(self):
        """Mean absolute Shapley value of each column, of shape (n_features,) or (n_features, n_outputs)."""
        return np.abs(self.values).mean(axis=0)

    def output(self, k):
        """Shapley values of one of several outputs, by index or name."""
        k = self.outputs.index(k) if isinstance(k, str) else k
        pairs = None if self.interactions is None else self.interactions[..., k]
        return ShapValues(
            self.values[..., k], float(self.base_value[k]), self.prediction[:, k], self.data, self.names, [], pairs
        )

    def plot(self, ax=None, **options):
        """Summary plot of all rows; see `statlearn.plot.plot_shap_summary`."""
        from statlearn._draw.shap import plot_shap_summary

        return plot_shap_summary(self, ax=ax, **options)

    def plot_row(self, row, ax=None, **options):
        """Waterfall plot of one prediction; see `statlearn.plot.plot_shap_row`."""
        from statlearn._draw.shap import plot_shap_row

        return plot_shap_row(self, row, ax=ax, **options)


def tree_shap(model, X, *, background=None, background_weight=None, interactions=False):
    r"""Exact Shapley values of the predictions of a tree model.

    The Shapley value of column j is the change in the expected prediction when x_j becomes known, averaged over all
    orders in which the columns could become known:

    .. math:: \phi_j = \sum_{S \not\ni j} \frac{|S|! \, (p - |S| - 1)!}{p!} \left[ v(S \cup j) - v(S) \right].

    Parameters
    ----------
    model : fitted tree model
        A statlearn decision tree, or an ensemble of them whose prediction is a sum: forests, gradient boosting,
        bagging, AdaBoost, GentleBoost and LogitBoost.
    X : array-like of shape (n_rows, n_features)
        Rows whose predictions to explain.
    background : array-like of shape (n_background, n_features) or None, default=None
        Defines v(S). With None, trees are traversed using the columns in S, and at a split on another column both
        branches are followed in proportion to the training rows (path-dependent). With a table, v(S) is the prediction
        with the columns in S from x and all others from a background row, averaged over the background rows
        (interventional).
    background_weight : array-like of shape (n_background,) or None, default=None
        Weights of the background rows.
    interactions : bool, default=False
        Whether to also compute interactions of pairs of columns. Path-dependent values only.

    Returns
    -------
    ShapValues
        Its `values` sum to the prediction minus `base_value`. Boosting is explained on the scale of its scores
        (log-odds for two classes, logarithm of the mean for the Poisson, gamma and Tweedie losses), AdaBoost on that of
        its weighted votes, and trees, forests and bagging on that of values or class proportions. With two classes
        there is one output, that of the second class.

    Notes
    -----
    Path-dependent values cost O(nodes · d / 2) per row, where d is the largest number of columns on one path, instead
    of Lundberg's O(leaves · depth²). The sum over subsets is the integral of a polynomial, which a Gauss-Legendre rule
    with d / 2 points evaluates exactly and from which a column is removed by one division. Interventional values cost
    O(n_background · leaves) per row.

    With ``missing="direction"`` or ``missing="category"``, a missing value is treated like any other value. With
    ``missing="fractional"`` it carries no information: both branches are followed whether or not the column is known,
    and its Shapley value is 0. With ``missing="surrogate"`` a split is attributed to the column that decides it for the
    row, the first surrogate that is not missing, and v(S) follows both branches unless that column is in S. Rows with
    the same missing columns are explained together.

    Shapley values explain the model, not the data-generating process. Path-dependent values may attribute an effect to
    a column that the trees hardly use if it is associated with others in the training rows. Interventional values
    evaluate the model at unrealistic rows if columns are dependent.

    References
    ----------
    Lundberg, S., Erion, G., Chen, H. et al. (2020). From local explanations to global understanding with explainable AI
    for trees. Nature Machine Intelligence 2, 56-67.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import GradientBoostingRegressor, tree_shap
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 3))
    >>> model = GradientBoostingRegressor(random_state=0).fit(X, 3 * X[:, 0] + X[:, 1])
    >>> found = tree_shap(model, X)
    >>> bool(np.allclose(found.base_value + found.values.sum(axis=1), model.predict(X)))
    True
    >>> found.importance.argmax()
    np.int64(0)
    """
    trees = require_additive_trees(model)
    table = trees.table(X)
    values = np.zeros((*table.shape, len(trees.start)))
    if background is None:
        if background_weight is not None:
            raise ValueError("`background_weight` requires `background`.")
        for rows, forest in trees.routes(table):
            part = values[rows]
            native.tree_shap(table[rows], *trees.arrays_of(forest), part, hide_missing=trees.in_pieces)
            values[rows] = part
        base = trees.averaged()[0]
    else:
        if interactions:
            raise ValueError("interactions=True supports path-dependent values only; set background=None.")
        base = _interventional(trees, table, background, background_weight, values)
    values *= trees.scale
    pairs = _interactions(trees, table, values) if interactions else None
    prediction = trees.predict(table)
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(table.shape[1])]))
    if len(trees.start) == 1:
        values, base, prediction = values[:, :, 0], float(base[0]), prediction[:, 0]
        pairs = None if pairs is None else pairs[..., 0]
        return ShapValues(values, base, prediction, table, names, interactions=pairs)
    return ShapValues(values, base, prediction, table, names, list(trees.outputs), pairs)


def _interventional(trees, table, background, weight, values):
    """Fill in the values, and return the mean prediction of the background."""
    others = trees.table(background).astype(table.dtype, copy=False)
    if trees.takes_several_ways(table) or trees.takes_several_ways(others):
        raise ValueError(
            "Interventional SHAP values do not support missing values in X or `background` for trees with "
            "missing='surrogate' or 'fractional'. Set background=None or impute the missing values."
        )
    weight = check_weights(weight, others, name="background_weight")
    weight = np.ones(len(others)) if weight is None else weight.astype(np.float64)
    weight = weight / weight.sum()
    native.tree_shap_interventional(table, *trees.arrays, others, weight, values)
    return weight @ trees.predict(others)


def _interactions(trees, table, values):
    n, p = table.shape
    pairs = np.zeros((n, p, p, values.shape[2]))
    for rows, forest in trees.routes(table):
        part = pairs[rows]
        native.tree_shap_interactions(table[rows], *trees.arrays_of(forest), part, hide_missing=trees.in_pieces)
        pairs[rows] = part
    pairs *= trees.scale
    diagonal = np.arange(p)
    pairs[:, diagonal, diagonal] = values - pairs.sum(axis=2)
    return pairs
