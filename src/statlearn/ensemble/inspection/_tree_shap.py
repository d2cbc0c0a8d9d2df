"""Shapley values of tree models: what each column adds to each prediction."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._core.native import trees as native
from statlearn._core.validation import check_weights

from ._additive_trees import require_additive_trees


@dataclass
class ShapValues:
    """What each column adds to each prediction: ``base_value + values.sum(axis=1)`` is the prediction.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_outputs)
    base_value : float or ndarray of shape (n_outputs,)
        The prediction where no column is known.
    prediction : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        On the scale that is explained: scores of boosting, values or class shares of trees and forests.
    data : ndarray of shape (n_rows, n_features)
        The cells behind the values, as numbers.
    names : list of str
        Names of the columns.
    outputs : list of str
        Names of the outputs, where there are several.
    interactions : ndarray of shape (n_rows, n_features, n_features[, n_outputs]) or None
        Half the interaction of each pair of columns; the diagonal holds what remains for the column alone, so that
        rows and columns sum to `values`.
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
        """Mean size of the values of each column: (n_features,) or (n_features, n_outputs)."""
        return np.abs(self.values).mean(axis=0)

    def output(self, k):
        """The values of one of several outputs, by number or name."""
        k = self.outputs.index(k) if isinstance(k, str) else k
        pairs = None if self.interactions is None else self.interactions[..., k]
        return ShapValues(
            self.values[..., k], float(self.base_value[k]), self.prediction[:, k], self.data, self.names, [], pairs
        )

    def plot(self, ax=None, **options):
        """Draw the values of all rows; see `statlearn.plot.plot_shap_summary`."""
        from statlearn.plot import plot_shap_summary

        return plot_shap_summary(self, ax=ax, **options)

    def plot_row(self, row, ax=None, **options):
        """Draw how one prediction comes about; see `statlearn.plot.plot_shap_row`."""
        from statlearn.plot import plot_shap_row

        return plot_shap_row(self, row, ax=ax, **options)


def tree_shap(model, X, *, background=None, background_weight=None, interactions=False):
    r"""Exact Shapley values of the predictions of a tree model.

    The Shapley value of column j is the average, over all orders in which the columns could become known, of how much
    the expected prediction changes when x_j does:

    .. math:: \phi_j = \sum_{S \not\ni j} \frac{|S|! \, (p - |S| - 1)!}{p!} \left[ v(S \cup j) - v(S) \right].

    Parameters
    ----------
    model : fitted tree model
        A decision tree of this package, or an ensemble of them whose answer is a sum: forests, gradient boosting,
        bagging, AdaBoost, GentleBoost, LogitBoost.
    X : array-like of shape (n_rows, n_features)
        Rows whose predictions are taken apart.
    background : array-like of shape (n_background, n_features) or None, default=None
        What v(S) means. None: trees are walked with the columns in S, and at a split on another column both ways are
        gone, in the proportions of the training rows (path-dependent). A table: the prediction with the columns in S
        from x and all others from a row of the background, averaged over its rows (interventional).
    background_weight : array-like of shape (n_background,) or None
        Weights of the background's rows.
    interactions : bool, default=False
        Also split the values into pairs of columns; path-dependent only.

    Returns
    -------
    ShapValues
        Its `values` sum to the prediction minus `base_value`. Boosting is explained on the scale of its scores
        (log-odds for two classes, logarithm of the mean for Poisson, gamma and Tweedie loss), AdaBoost on that of
        its weighted votes, trees, forests and bagging on that of values or class shares. Two classes share one
        output, that of the second.

    Notes
    -----
    Path-dependent values cost O(nodes · d / 2) for a row, where d is the largest number of columns on one path, instead
    of Lundberg's O(leaves · depth²): the sum over subsets is an integral of a polynomial, which a Gauss-Legendre rule
    with d / 2 points gives exactly and from which a column is taken out by one division. Interventional values cost
    O(n_background · leaves) for a row.

    A missing value is a value like any other where it has a direction of its own. With ``missing="fractional"`` it
    tells nothing: both ways are gone whether the column is known or not, and its value is 0. With
    ``missing="surrogate"`` a split belongs to the column that decides it for the row, the first surrogate that is not
    missing: v(S) goes both ways unless that column is in S. Rows that miss the same cells are explained together.

    Values explain the model, not the world. Path-dependent values may give a share to a column that the trees hardly
    use when it is tied to others in the training rows; interventional ones ask the model about rows that cannot exist
    when columns are dependent.

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
            raise ValueError("background_weight needs a background.")
        for rows, forest in trees.routes(table):
            part = values[rows]
            native.tree_shap(table[rows], *trees.arrays_of(forest), part, hide_missing=trees.in_pieces)
            values[rows] = part
        base = trees.averaged()[0]
    else:
        if interactions:
            raise ValueError("interactions=True is for path-dependent values: background must be None.")
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
    """Fill the values; returns the mean prediction of the background."""
    others = trees.table(background).astype(table.dtype, copy=False)
    if trees.takes_several_ways(table) or trees.takes_several_ways(others):
        raise ValueError(
            "Missing values in X or in the background: with surrogate splits or in fractions a mixed row's way depends "
            "on all that it misses, for which there are no interventional values in closed form. Leave background at "
            "None, or fill the missing values."
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
