"""Shared parts of linear estimators: predictions from coefficients and names of terms."""

from statlearn._math.rows.linear_scores import LinearClassifierMixin, LinearRegressorMixin, linear_scores

__all__ = ["LinearClassifierMixin", "LinearRegressorMixin", "linear_scores", "term_names"]


def term_names(estimator, *, intercept=True):
    """Names for the rows of a summary: "(Intercept)" as in R, then the features."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{j}" for j in range(estimator.n_features_in_)]
    return (["(Intercept)"] if intercept else []) + [str(name) for name in names]
