"""Shorthands for pipelines and column transformers: scikit-learn's, in our words."""

from sklearn import compose, pipeline

from statlearn._core.reexport import same_call


@same_call(pipeline.make_pipeline)
def make_pipeline():
    """Pipeline whose steps are named after their classes.

    Parameters
    ----------
    *steps : estimators
        Transformers, and a predictor or another transformer at the end.
    memory : str, object with the interface of joblib.Memory, or None, default=None
        Where fitted transformers are cached.
    transform_input : list of str or None, default=None
        Metadata arguments that the steps before transform too.
    verbose : bool, default=False
        Print the time of each step.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from statlearn.linear import Lasso
    >>> from statlearn.prep import StandardScaler, make_pipeline
    >>> list(make_pipeline(StandardScaler(), Lasso()).named_steps)
    ['standardscaler', 'lasso']
    """


@same_call(pipeline.make_union)
def make_union():
    """Union of transformers whose columns stand side by side, named after their classes.

    Parameters
    ----------
    *transformers : estimators
    n_jobs : int or None, default=None
        Transformers that are fitted at a time.
    verbose : bool, default=False
        Print the time of each transformer.
    verbose_feature_names_out : bool, default=True
        Put the name of the transformer before the name of each column.

    Returns
    -------
    FeatureUnion

    Examples
    --------
    >>> from statlearn.decomposition import PCA
    >>> from statlearn.prep import StandardScaler, make_union
    >>> make_union(PCA(1), StandardScaler()).fit_transform([[0.0, 1.0], [2.0, 3.0]]).shape
    (2, 3)
    """


@same_call(compose.make_column_transformer)
def make_column_transformer():
    """Column transformer whose parts are named after their classes.

    :class:`TableTransformer` prepares mixed tables without a list of columns.

    Parameters
    ----------
    *transformers : pairs (transformer, columns)
    remainder : "drop", "passthrough" or estimator, default="drop"
        What happens to columns that no pair names.
    sparse_threshold : float, default=0.3
        The result is sparse if any part is and its share of nonzero entries is lower.
    n_jobs : int or None, default=None
        Parts that are fitted at a time.
    verbose : bool, default=False
        Print the time of each part.
    verbose_feature_names_out : bool, default=True
        Put the name of the part before the name of each column.

    Returns
    -------
    ColumnTransformer

    Examples
    --------
    >>> from statlearn.prep import OneHotEncoder, StandardScaler, make_column_transformer
    >>> coder = make_column_transformer((StandardScaler(), [0]), (OneHotEncoder(), [1]))
    >>> coder.fit_transform([[1.0, 0], [3.0, 1]])
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    """
