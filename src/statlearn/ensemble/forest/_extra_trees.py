"""Extra trees: forests with one random threshold per candidate column."""

from statlearn._core.search import SearchSpace

from ._base import ForestClassifierModel, ForestRegressorModel
from ._docs import documented


@documented(
    'int, float, {"sqrt", "log2", "p/3"} or None, default="sqrt"', False, "accuracy", "samples, columns and thresholds"
)
class ExtraTreesClassifier(ForestClassifierModel):
    """Extra-trees classifier: average of extremely randomised classification trees.

    Each node draws columns at random and, for each of them, one threshold between the smallest and the largest value in
    the node. The best of these splits is used. If a column has more than `max_bins` distinct values, the threshold is
    moved to the nearest bin edge. Three quarters of the bins contain equal numbers of rows, and the others divide the
    range of the column evenly, to match the uniform distribution of the thresholds.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity measure. "log_loss" is the same as "entropy".
    {parameters}
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None, default=None
        Class weights. "balanced" gives all classes the same total weight, "balanced_subsample" does so within every
        bootstrap sample.
    {later}
    smoothing : float, default=0.0
        Number of trees that give every class the same probability, added to the mean in `predict_proba`. Above 0, no
        class gets probability 0, which the log loss punishes without limit.
    vote : {"soft", "hard"}, default="soft"
        What is averaged over the trees: the class proportions in the leaves, or one vote per tree for the class that it
        predicts, as in Breiman's paper. `predict_proba` gives vote shares then.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        The class labels, sorted; one array per column if y has several.
    n_classes_ : int or list of int
        Number of classes; a list if y has several columns.
    oob_score_ : float
        Score of the out-of-bag predictions. Only if `oob_score` is set.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes) or (n_rows, n_classes, n_outputs)
        Out-of-bag class probabilities; 0 for rows that are in every bootstrap sample. Only if `oob_score` is set.
    {attributes}

    Notes
    -----
    {notes}

    References
    ----------
    {references}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).predict(X[::60])
    array([0, 1, 2])
    """

    _random_cuts = True

    _search_space = SearchSpace(
        "extra trees",
        grid={"max_features": ["sqrt", 1.0], "min_samples_leaf": [10, 3, 1]},
        fixed={"n_estimators": 400, "smoothing": 1.0},
    )

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=False,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        class_weight=None,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        splitter="binned",
        max_bins=255,
        categorical_features="from_dtype",
        smoothing=0.0,
        vote="soft",
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.vote = vote


@documented(
    'int, float, {"sqrt", "log2", "p/3"} or None, default=1.0',
    False,
    "coefficient of determination",
    "samples, columns and thresholds",
)
class ExtraTreesRegressor(ForestRegressorModel):
    """Extra-trees regressor: average of extremely randomised regression trees.

    Each node draws columns at random and, for each of them, one threshold between the smallest and the largest value in
    the node. The best of these splits is used. If a column has more than `max_bins` distinct values, the threshold is
    moved to the nearest bin edge. Three quarters of the bins contain equal numbers of rows, and the others divide the
    range of the column evenly, to match the uniform distribution of the thresholds.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity measure. "absolute_error" always uses the exact search, regardless of `splitter`.
    {parameters}
    {later}
    quantiles : bool, default=False
        Whether to store the responses in every leaf, as required by `predict_quantiles` and `predict_interval`.

    Attributes
    ----------
    oob_score_ : float
        Score of the out-of-bag predictions. Only if `oob_score` is set.
    oob_prediction_ : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Out-of-bag predictions; 0 for rows that are in every bootstrap sample. Only if `oob_score` is set.
    {attributes}

    Notes
    -----
    {notes}

    References
    ----------
    {references}
    .. [3] N. Meinshausen (2006), Quantile regression forests, JMLR 7.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import ExtraTreesRegressor
    >>> X = np.arange(100.0)[:, None]
    >>> forest = ExtraTreesRegressor(random_state=0).fit(X, X[:, 0] > 49)
    >>> forest.predict([[10.0], [90.0]])
    array([0., 1.])
    """

    _random_cuts = True

    _search_space = SearchSpace(
        "extra trees", grid={"max_features": ["p/3", 1.0], "min_samples_leaf": [10, 3, 1]}, fixed={"n_estimators": 400}
    )

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="squared_error",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=False,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        splitter="binned",
        max_bins=255,
        categorical_features="from_dtype",
        quantiles=False,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.quantiles = quantiles
