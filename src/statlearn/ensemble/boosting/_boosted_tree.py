"""Single trees of a boosted model, with scikit-learn's attribute names."""

from functools import cached_property

from statlearn._math.trees.tree import Tree


class BoostedTree:
    """Read-only tree of a fitted gradient boosting model; its values include the learning rate.

    `tree_` contains the node arrays. Growth parameters (`min_impurity_decrease` ...) are those of the model.
    """

    def __init__(self, model, number):
        self._model, self._number = model, number

    @cached_property
    def tree_(self):
        """The node arrays, as in a decision tree."""
        forest = self._model.forest_.tree(self._number)
        forest.value = forest.value[:, None]
        return Tree(forest, self._model.n_features_in_, [1])

    @property
    def n_features_in_(self):
        """Number of columns of the model."""
        return self._model.n_features_in_

    @property
    def feature_names_in_(self):
        """Names of the columns, if the model was fitted to a data frame."""
        return self._model.feature_names_in_

    @property
    def _coder(self):
        return self._model._category_coder

    @property
    def max_depth(self):
        """Depth of the tree."""
        return self.tree_.max_depth

    def get_depth(self):
        """Depth of the tree."""
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Number of leaves."""
        return self.tree_.n_leaves

    @property
    def feature_importances_(self):
        """Total gain of the splits on each column, normalised to sum to 1."""
        return self.tree_.compute_feature_importances()

    def predict(self, X):
        """Contribution of this tree to the score of each row."""
        model = self._model
        return self.tree_.predict(model._bins.encode(model._read(X)))[:, 0]

    def apply(self, X):
        """Index of the leaf that each row reaches."""
        model = self._model
        return self.tree_.apply(model._bins.encode(model._read(X)))

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._model.get_params(deep=False):
            raise AttributeError(f"BoostedTree has no attribute {name!r}")
        return getattr(self._model, name)

    def __repr__(self):
        return f"BoostedTree({self.tree_!r})"
