"""Log-likelihood and effective degrees of freedom of fitted models by family."""

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import check_weights, class_codes
from statlearn._math.inference import gaussian_log_likelihood
from statlearn._math.linalg.positive import positive_system
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.losses.families import make_family


def likelihood_of(model, X, y, sample_weight, df):
    """Log-likelihood, effective degrees of freedom, rows and GCV of a fitted model on its training rows."""
    check_is_fitted(model)
    model, X = _inside_pipeline(model, X)
    X = X if hasattr(X, "shape") else np.asarray(X, dtype=float)
    y = np.asarray(y)
    weights = check_weights(sample_weight, np.empty((len(y), 1)))
    weights = np.ones(len(y)) if weights is None else weights
    n = float(weights.sum())
    if is_classifier(model):
        likelihood = _multinomial(model, X, y, weights)
        return likelihood, float(_classifier_df(model, X, weights) if df is None else df), n, float("nan")
    family = _family_of(model)
    if family is not None:
        return (*_family_likelihood(model, family, X, y, weights, df), n, float("nan"))
    rss = float(weights @ np.square(y - np.asarray(model.predict(X)).reshape(y.shape)))
    k = float(_regressor_df(model, X, sample_weight) if df is None else df)
    gcv = rss / n / (1.0 - k / n) ** 2 if k < n else float("inf")
    return float(gaussian_log_likelihood(rss, n)), k + 1.0, n, gcv


def _family_of(model):
    """Response distribution of a regressor; None for the normal one with variance RSS/n."""
    described = getattr(model, "family_", None)
    if described is None:
        # Boosting and trees name it by their loss.
        name = getattr(model, "loss", None) if hasattr(model, "loss") else getattr(model, "criterion", None)
        if name not in ("poisson", "gamma", "tweedie"):
            return None
        described = {"name": name, "power": model.power} if hasattr(model, "power") else {"name": name}
    if not isinstance(described, dict):
        raise ValueError(
            f"`model`: the likelihood of {type(model).__name__} is unknown for its family; compare such models by "
            "cross-validation."
        )
    family = make_family(**described)
    return None if family.name == "gaussian" and not hasattr(model, "log_likelihood_") else family


def _family_likelihood(model, family, X, y, weights, df):
    """Log-likelihood and number of parameters of a model with a family; `df` counts only coefficients."""
    if hasattr(model, "log_likelihood_"):
        likelihood = float(model.log_likelihood_)
    else:
        mean = np.asarray(model.predict(X), dtype=np.float64).reshape(y.shape)
        likelihood = float(family.log_likelihood(np.asarray(y, dtype=np.float64), mean, weights))
    if df is not None:
        return likelihood, float(df) + family.extra_parameters
    if hasattr(model, "n_parameters_") and not np.any(getattr(model, "alpha_", getattr(model, "alpha", 0.0))):
        return likelihood, float(model.n_parameters_)
    if hasattr(model, "aic_") and hasattr(model, "log_likelihood_"):
        return likelihood, float(0.5 * model.aic_ + model.log_likelihood_)  # the parameters that its own AIC counts
    raise ValueError(f"The effective degrees of freedom of {type(model).__name__} are unknown; pass `df`.")


def _inside_pipeline(model, X):
    """Last step of a pipeline with its input rows, or the chosen model of a search."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return _inside_pipeline(model.steps[-1][1], X)
    return model, X


def _multinomial(model, X, y, weights):
    proba = np.asarray(model.predict_proba(X), dtype=np.float64)
    truth = proba[np.arange(len(y)), class_codes(model.classes_, y)]
    with np.errstate(divide="ignore"):
        return float(weights @ np.log(truth))


def _regressor_df(model, X, sample_weight):
    from statlearn.linear import effective_df

    try:
        return effective_df(model, X, sample_weight=sample_weight, count_intercept=True)
    except TypeError as error:
        raise ValueError(
            f"The effective degrees of freedom of {type(model).__name__} are unknown; pass `df`, for example from "
            "covariance_df."
        ) from error


def _classifier_df(model, X, weights):
    """Free parameters of a linear logistic model: all, the nonzero ones, or the trace under a ridge penalty."""
    if not (hasattr(model, "coef_") and hasattr(model, "C") and hasattr(model, "predict_proba")):
        raise ValueError(f"The effective degrees of freedom of {type(model).__name__} are unknown; pass `df`.")
    coef = np.atleast_2d(model.coef_)
    K = len(model.classes_)
    intercepts = (K - 1) * bool(model.fit_intercept)
    C = float(np.max(getattr(model, "C_", model.C)))
    penalty = getattr(model, "penalty", "by C and l1_ratio")  # scikit-learn's models may name it
    if penalty is None or np.isinf(C):
        return (K - 1) * coef.shape[1] + intercepts
    l1_ratio = {"l1": 1.0, "l2": 0.0}.get(penalty, getattr(model, "l1_ratio_", model.l1_ratio))
    l1_ratio = float(np.max(l1_ratio)) if l1_ratio is not None else 0.0
    if l1_ratio == 1.0:
        return np.count_nonzero(coef) + intercepts
    return _ridge_trace(model, X, weights, coef, C / (1.0 - l1_ratio))


def _ridge_trace(model, X, weights, coef, C):
    """tr (H + P)⁻¹ H for the Hessian H of the log-likelihood and the penalty P = I/C on the nonzero slopes."""
    X = np.asarray(to_dense(X), dtype=np.float64)
    proba = np.asarray(model.predict_proba(X), dtype=np.float64)
    intercept = bool(model.fit_intercept)
    blocks, p = coef.shape[0], X.shape[1]
    D = np.column_stack([X, np.ones(len(X))]) if intercept else X
    size = D.shape[1]
    H = np.zeros((blocks * size, blocks * size))
    for a in range(blocks):
        for b in range(a, blocks):
            pa, pb = (proba[:, 1], proba[:, 1]) if blocks == 1 else (proba[:, a], proba[:, b])
            w = weights * (pa * (1 - pa) if a == b else -pa * pb)
            block = D.T @ (w[:, None] * D)
            H[a * size : (a + 1) * size, b * size : (b + 1) * size] = block
            H[b * size : (b + 1) * size, a * size : (a + 1) * size] = block.T
    penalty = np.zeros(blocks * size)
    for a in range(blocks):
        penalty[a * size : a * size + p] = 1.0 / C
    free = np.concatenate([np.append(row != 0, [True] * intercept) for row in coef])
    H, penalty = H[np.ix_(free, free)], penalty[free]
    # The K intercepts of a symmetric multinomial model share one direction that the data do not see.
    return float(np.trace(positive_system(H + np.diag(penalty)).inverse() @ H))
