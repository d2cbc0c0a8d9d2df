"""Effective degrees of freedom of a linear fit."""

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.params import check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.penalties.scales import ridge_lambda
from statlearn.linear.ridge._spectrum import decompose


def effective_df(model, X=None, *, sample_weight=None, count_intercept=False):
    r"""Effective degrees of freedom of a linear fit.

    The number of parameters the fit effectively uses:

    - least squares: the rank of the centred X, which is tr H without the intercept;
    - ridge: :math:`\sum_j d_j^2/(d_j^2+\lambda)` over the singular values of the centred X;
    - lasso (and elastic net with ``l1_ratio=1``): the number of non-zero coefficients; elastic net: the ridge
      trace restricted to the columns with non-zero coefficients;
    - least-angle regression: the number of steps taken;
    - any linear smoother: the trace of its smoother matrix.

    Parameters
    ----------
    model : fitted estimator or array-like of shape (n, n)
        A fitted model of this family, an object with a method ``smoother_matrix(X)`` or an attribute
        ``smoother_matrix_``, or a smoother matrix itself.
    X : array-like or sparse matrix of shape (n_samples, n_features) or None, default=None
        The training rows, required if the result depends on them (least squares without a stored rank, ridge,
        elastic net, ``smoother_matrix(X)``).
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weights of the fit.
    count_intercept : bool, default=False
        Whether to count an unpenalised intercept. A smoother matrix already includes it, so its trace is unchanged.

    Returns
    -------
    float or ndarray of shape (n_targets,)

    Notes
    -----
    For the lasso, the number of non-zero coefficients is an unbiased estimate of the degrees of freedom (Zou, Hastie &
    Tibshirani, 2007). For forward selection it is not, because the search itself uses degrees of freedom.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, sections 3.4 and 7.6.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import Ridge, effective_df
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> model = Ridge(alpha=2.0).fit(X, [1.0, 2.0, 4.0])
    >>> float(effective_df(model, X))
    0.5
    >>> float(effective_df(model, X, count_intercept=True))
    1.5
    """
    check_arguments(effective_df, count_intercept=(count_intercept, ["boolean"]))
    if not hasattr(model, "fit") and not hasattr(model, "smoother_matrix") and not hasattr(model, "smoother_matrix_"):
        return _trace(model)
    if hasattr(model, "smoother_matrix_"):
        return _trace(model.smoother_matrix_)
    if hasattr(model, "smoother_matrix"):
        return _trace(model.smoother_matrix(_rows(model, X)[0]))
    check_is_fitted(model)
    intercept = int(bool(getattr(model, "fit_intercept", True)) and count_intercept)
    return _slopes_df(model, X, sample_weight) + intercept


def _trace(matrix):
    matrix = check_array(matrix, dtype=np.float64, input_name="model")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"model must be a square smoother matrix, got shape {matrix.shape}.")
    return float(np.trace(matrix))


def _rows(model, X, sample_weight=None):
    if X is None:
        raise ValueError(f"X is required: effective_df of {type(model).__name__} depends on the training rows.")
    X = check_array(X, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32))
    return X, check_weights(sample_weight, X)


def _values(model, X, sample_weight, columns=None):
    """Squared singular values of the (centred, weighted) rows the model was fitted to."""
    X, weights = _rows(model, X, sample_weight)
    if columns is not None:
        X = X[:, columns]
        if X.shape[1] == 0:
            return np.empty(0), weights, X.shape[0]
    spectrum, *_ = decompose(X, np.zeros((X.shape[0], 1)), weights, fit_intercept=bool(model.fit_intercept))
    return spectrum.values, weights, X.shape[0]


def _slopes_df(model, X, sample_weight):
    kind = {name for cls in type(model).__mro__ for name in [cls.__name__]}
    if kind & {"Ridge", "RidgeClassifier", "RidgeCV", "RidgeClassifierCV", "RidgeIC"}:
        if hasattr(model, "df_") and X is None:
            return model.df_
        values, *_ = _values(model, X, sample_weight)
        alpha = model.alpha_ if hasattr(model, "alpha_") else model.alpha
        penalty = ridge_lambda(np.asarray(alpha, dtype=np.float64), getattr(model, "penalty_scale", "sklearn"))
        return np.sum(values / (values + penalty[..., None]), axis=-1)
    if "BayesianRidge" in kind:
        return model.df_
    if kind & {"LassoLars", "LassoLarsCV", "LassoLarsIC", "Lasso", "LassoCV", "AdaptiveLasso"}:
        return _nonzero(model.coef_)
    if kind & {"ElasticNet", "ElasticNetCV"}:
        return _elastic_net_df(model, X, sample_weight)
    if kind & {"Lars", "LarsCV"}:
        return float(len(model.active_))
    if "LinearRegression" in kind:
        if X is None and hasattr(model, "rank_"):
            return float(model.rank_)
        return float(_values(model, X, sample_weight)[0].size)
    raise TypeError(f"model={type(model).__name__} is not supported by effective_df; pass its smoother matrix instead.")


def _nonzero(coef):
    count = np.count_nonzero(coef, axis=-1)
    return float(count) if np.ndim(count) == 0 else count.astype(float)


def _elastic_net_df(model, X, sample_weight):
    l1_ratio = getattr(model, "l1_ratio_", model.l1_ratio)
    if l1_ratio == 1:
        return _nonzero(model.coef_)
    from statlearn._math.penalties.scales import elastic_net_terms

    values, weights, n = _values(model, X, sample_weight, np.flatnonzero(model.coef_))
    total = n if weights is None else float(np.sum(weights))
    alpha = getattr(model, "alpha_", model.__dict__.get("alpha"))
    _, l2 = elastic_net_terms(alpha, l1_ratio, getattr(model, "penalty_scale", "sklearn"), total)
    return float(np.sum(values / (values + l2 * total)))
