"""One tree of a boosted model under the names that scikit-learn's users know."""

from functools import cached_property

from statlearn._core.trees.tree import Tree


class BoostedTree:
    """A tree of a fitted gradient boosting model, read only; its values are already times the learning rate.

    `tree_` has the arrays of the nodes; parameters of the growth (`min_impurity_decrease` ...) are the model's.
    """

    def __init__(self, model, number):
        self._model, self._number = model, number

    @cached_property
    def tree_(self):
        """The nodes, as in a decision tree."""
        forest = self._model.forest_.tree(self._number)
        forest.value = forest.value[:, None]
        return Tree(forest, self._model.n_features_in_, [1])

    @property
    def max_depth(self):
        """The depth that the tree has."""
        return self.tree_.max_depth

    def get_depth(self):
        """The depth that the tree has."""
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Number of leaves."""
        return self.tree_.n_leaves

    @property
    def feature_importances_(self):
        """Share of each column in the gain of this tree."""
        return self.tree_.compute_feature_importances()

    def predict(self, X):
        """What this tree adds to the score of each row."""
        model = self._model
        return self.tree_.predict(model.bins_.encode(model._read(X)))[:, 0]

    def apply(self, X):
        """The leaf of each row."""
        model = self._model
        return self.tree_.apply(model.bins_.encode(model._read(X)))

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._model.get_params(deep=False):
            raise AttributeError(f"a boosted tree has no attribute {name!r}")
        return getattr(self._model, name)

    def __repr__(self):
        return f"BoostedTree({self.tree_!r})"
