"""Ensembles of separate trees joined into one forest whose values sum to their prediction."""

import numpy as np

from statlearn._core.validation import FLOATS
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.trees.forest import Forest

from .._joined_trees import have_same_levels, is_decision_tree
from ._surrogate_routes import joined_surrogates


def is_ensemble_of_members(model):
    """Whether the prediction of a fitted ensemble is a weighted sum over its members."""
    return _terms_of(model) is not None


def has_tree_members(model):
    """Whether the prediction of a fitted ensemble is a weighted sum over binary trees with the same level codes."""
    if not is_ensemble_of_members(model):
        return False
    members = np.ravel(np.asarray(model.estimators_, dtype=object))
    if not len(members) or not all(is_decision_tree(m) for m in members):
        return False
    if not any(m._coder.mask.any() for m in members):
        return True
    columns = np.arange(model.n_features_in_)
    on_all = all(np.array_equal(each, columns) for each in getattr(model, "estimators_features_", []))
    return on_all and have_same_levels(members)


def forest_of_members(model):
    """The parts of :class:`AdditiveTrees` for an ensemble.

    The forest, the constant, a function that reads tables, one that encodes levels, whether rows are split into
    fractions, and surrogate splits.
    """
    terms = list(_terms_of(model)(model))
    members = [member for member, _, _ in terms]
    forest = Forest.of([_tree(member.tree_.forest, columns, values) for member, columns, values in terms])
    start = np.full(terms[0][2].shape[1], float(getattr(model, "start_", 0.0)))
    encode = members[0]._coder.encode
    surrogates = joined_surrogates(
        [(member.surrogates_, columns) for member, columns, _ in terms],
        forest,
        [len(member.tree_.forest.left_sets) for member in members],
    )
    in_pieces = goes_in_pieces(members[0])
    return forest, start, _reader(model, in_pieces, encode), encode, in_pieces, surrogates


def node_shares(model, forest):
    """Class proportions of the nodes of a classifier's trees, as returned by `predict_proba`."""
    value = forest.value.reshape(len(forest.feature), -1)
    smoothing = getattr(model, "_smoothing", 0)
    if smoothing > 0:
        weight = (model._node_weights() if hasattr(model, "_node_weights") else forest.weight)[:, None]
        value = (value * weight + smoothing) / (weight + smoothing * value.shape[1])
    return value


def goes_in_pieces(tree):
    """Whether a row goes to both children at a missing value."""
    return getattr(tree, "_missing", "direction") == "fractional"


def _tree(forest, columns, values):
    leaf = forest.is_leaf
    feature = forest.feature if columns is None else np.asarray(columns)[np.where(leaf, 0, forest.feature)]
    return {
        "feature": np.where(leaf, -1, feature).astype(np.int32),
        "threshold": forest.threshold,
        "child": forest.child,
        "missing_left": forest.missing_left,
        "category_set": forest.category_set,
        "left_sets": forest.left_sets,
        "value": values,
        "weight": forest.weight,
    }


def _reader(model, in_pieces, encode):
    def table(X):
        X = model._table(X) if hasattr(model, "_table") else model._check_table(X, reset=False)
        X = to_dense(X)
        X = encode(X if X.dtype in FLOATS else X.astype(np.float64))
        if in_pieces and not _adds_pieces(model) and np.isnan(X).any():
            raise ValueError(
                f"X contains missing values, which cannot be explained for {type(model).__name__} with members fitted "
                "with missing='fractional', because each member votes only after averaging over several leaves. Impute "
                "the missing values, or fit the members with another value of `missing`."
            )
        return X

    return table


def _adds_pieces(model):
    """Whether the prediction of a fractional row is the sum over its fractions, which is false if members vote."""
    decides = hasattr(model, "estimator_weights_") or bool(getattr(model, "leaf_values_", ()))
    return getattr(model, "_vote", "soft") == "soft" and not decides


def _terms_of(model):
    """How the members of an ensemble contribute to its prediction; None if it is not additive."""
    for kind in type(model).__mro__:
        if kind.__module__.startswith("statlearn.ensemble.") and kind.__name__ in _TERMS:
            return _TERMS[kind.__name__]
    return None


def _bagged_numbers(model):
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        yield member, columns, member.tree_.forest.value / len(model.estimators_)


def _bagged_classes(model):
    K = len(model.classes_)
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        shares = node_shares(member, member.tree_.forest)
        votes = np.zeros((len(shares), K))
        codes = np.asarray(member.classes_, np.intp)
        if model._vote == "hard":
            votes[np.arange(len(shares)), codes[member._decide(member.tree_.forest.value)]] = 1.0
        else:
            votes[:, codes] = shares
        yield member, columns, (votes[:, 1:] if K == 2 else votes) / len(model.estimators_)


def _weighted_votes(model):
    K, total = model.n_classes_, float(np.sum(model.estimator_weights_))
    for weight, member in zip(model.estimator_weights_, model.estimators_):  # unused rounds have no member
        forest = member.tree_.forest
        if model._algorithm == "real":
            votes = model._real_scores(member, node_shares(member, forest))
        else:
            votes = np.full((len(forest.feature), K), -weight / max(K - 1, 1))
            votes[np.arange(len(votes)), model._codes(member.classes_[member._decide(forest.value)])] += (
                weight * K / max(K - 1, 1)
            )
        yield member, None, (votes[:, [1]] - votes[:, [0]] if K == 2 else votes) / total


def _additive_scores(model):
    for members in model.estimators_:
        for k, member in enumerate(members):
            values = np.zeros((len(member.tree_.forest.feature), len(members)))
            values[:, [k]] = member.tree_.forest.value
            yield member, None, model._combined(values)


def _stepped(model):
    for t, member in enumerate(model.estimators_):
        if not model.leaf_values_:
            yield member, None, model.steps_[t] * member.tree_.forest.value
            continue
        values = np.zeros((len(member.tree_.forest.feature), 1))
        values[: len(model.leaf_values_[t]), 0] = model.leaf_values_[t]
        yield member, None, values


_TERMS = {
    "BaggingRegressor": _bagged_numbers,
    "BaggingClassifier": _bagged_classes,
    "AdaBoostClassifier": _weighted_votes,
    "AdditiveClassifier": _additive_scores,
    "GradientBooster": _stepped,
}
