"""Trees of an ensemble's members joined into one forest, so that they can be summed in one pass."""

import numpy as np

from statlearn._core.validation import FLOATS
from statlearn._math.trees.forest import Forest


def is_decision_tree(model):
    """Whether the model is a statlearn decision tree, including extremely randomised ones."""
    from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor

    return isinstance(model, DecisionTreeClassifier | DecisionTreeRegressor)


def are_plain_trees(members):
    """Whether all members are statlearn trees that send every row to one leaf and have the same category levels."""
    from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor

    return all(
        type(m) in (DecisionTreeClassifier, DecisionTreeRegressor)
        and m.n_outputs_ == 1
        and m.surrogates_ is None
        and m._missing == "direction"
        for m in members
    ) and have_same_levels(members)


def have_same_levels(trees):
    """Whether all trees have the same categorical columns and level codes."""
    first = trees[0]._coder.levels
    return all(
        m._coder.levels.keys() == first.keys() and all(np.array_equal(m._coder.levels[j], v) for j, v in first.items())
        for m in trees[1:]
    )


def joined_trees(members, values, outputs=None):
    """The members' trees as one forest with the given scalar or vector node values."""
    return Forest.of(
        [
            {
                **{name: getattr(m.tree_.forest, name) for name in ("feature", "threshold", "missing_left")},
                "child": m.tree_.forest.child,
                "category_set": m.tree_.forest.category_set,
                "left_sets": m.tree_.forest.left_sets,
                "value": np.asarray(value, np.float64),
            }
            for m, value in zip(members, values, strict=True)
        ],
        outputs,
    )


def as_table(X, trees):
    """X encoded for trees that share their level codes, or None if it is not a dense numeric table."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub":
        return None
    return trees[0]._coder.encode(X if X.dtype in FLOATS else X.astype(np.float64))


def sums(forest, X, width):
    """Sums of the values of all trees, (n_rows, width)."""
    total = np.zeros((X.shape[0], width))
    forest.add_predictions(X, total)
    return total


def predictions(forest, X):
    """The value of every tree at every row, (n_rows, n_trees)."""
    return forest.value[forest.apply(X) + forest.roots]
