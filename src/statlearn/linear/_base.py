"""Shared parts of linear estimators: predictions from coefficients and names of terms."""

from statlearn._math.rows.linear_scores import LinearClassifierMixin, LinearRegressorMixin, linear_scores

__all__ = ["LinearClassifierMixin", "LinearRegressorMixin", "dependence_note", "linear_scores", "term_names"]


def term_names(estimator, *, intercept=True):
    """Names for the rows of a summary: "(Intercept)" as in R, then the features."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = getattr(estimator, "_column_names", None) or [f"x{j}" for j in range(estimator.n_features_in_)]
    return (["(Intercept)"] if intercept else []) + [str(name) for name in names]


def dependence_note(names):
    """The note of a summary about columns that depend on earlier ones."""
    listed = ", ".join(names[:20])
    return f"Not defined because of linear dependence: {listed}. The others are those of a fit without them."
