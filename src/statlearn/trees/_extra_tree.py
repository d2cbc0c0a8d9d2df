"""Extremely randomised trees: one random threshold per candidate column."""

from ._tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._tree_docs import documented


@documented("random", '"sqrt"', "the probability of the second class", "accuracy")
class ExtraTreeClassifier(DecisionTreeClassifier):
    r"""Extremely randomised classification tree.

    Like :class:`DecisionTreeClassifier`, but each node draws some columns and one random threshold for each, and uses
    the best of these splits. Intended for use in ensembles.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error"}, default="gini"
        Impurity measure.
    {parameters}
    class_weight : dict, list of dicts, "balanced" or None, default=None
        Factors by which the row weights of each class are multiplied.
    {more}
    loss_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        ``loss_matrix[k, l]`` is the loss of predicting class l when the true class is k.
    smoothing : float, default=0.0
        Number of rows of each class added to every leaf in `predict_proba`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of these
    n_classes_ : int, or ndarray of int
    {attributes}

    Notes
    -----
    {notes}

    References
    ----------
    Geurts, P., Ernst, D. and Wehenkel, L. (2006). Extremely randomized trees. *Machine Learning* 63, 3-42.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import ExtraTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="random",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        missing="direction",
        max_surrogates=5,
        categorical_features="from_dtype",
        categorical_split="ordered",
        interaction_cst=None,
        max_bins=255,
        ccp_scale="mean",
        target_score=None,
        loss_matrix=None,
        smoothing=0.0,
    ):
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            missing=missing,
            max_surrogates=max_surrogates,
            categorical_features=categorical_features,
            categorical_split=categorical_split,
            interaction_cst=interaction_cst,
            max_bins=max_bins,
            ccp_scale=ccp_scale,
            target_score=target_score,
            loss_matrix=loss_matrix,
            smoothing=smoothing,
        )


@documented("random", "1.0", "the prediction", "R^2")
class ExtraTreeRegressor(DecisionTreeRegressor):
    r"""Extremely randomised regression tree.

    Like :class:`DecisionTreeRegressor`, but each node draws one random threshold for each column and uses the best of
    these splits. Intended for use in ensembles.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity measure.
    {parameters}
    {more}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    {notes}

    References
    ----------
    Geurts, P., Ernst, D. and Wehenkel, L. (2006). Extremely randomized trees. *Machine Learning* 63, 3-42.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import ExtraTreeRegressor
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> ExtraTreeRegressor(random_state=0).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0]))
    1.0
    """

    def __init__(
        self,
        *,
        criterion="squared_error",
        splitter="random",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        random_state=None,
        min_impurity_decrease=0.0,
        max_leaf_nodes=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        missing="direction",
        max_surrogates=5,
        categorical_features="from_dtype",
        categorical_split="ordered",
        interaction_cst=None,
        max_bins=255,
        ccp_scale="mean",
        target_score=None,
    ):
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            missing=missing,
            max_surrogates=max_surrogates,
            categorical_features=categorical_features,
            categorical_split=categorical_split,
            interaction_cst=interaction_cst,
            max_bins=max_bins,
            ccp_scale=ccp_scale,
            target_score=target_score,
        )
