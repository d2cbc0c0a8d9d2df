"""Scorers by name: scikit-learn's, and those of the package's own metrics."""

import difflib
import functools

from sklearn import metrics

# Short names, and the scorers that they mean.
_SHORT = {
    "auc": "roc_auc", "brier": "neg_brier_score", "cross_entropy": "neg_log_loss", "kappa": "cohen_kappa",
    "mae": "neg_mean_absolute_error", "mape": "neg_mean_absolute_percentage_error", "mcc": "matthews_corrcoef",
    "misclassification": "neg_zero_one_loss", "mse": "neg_mean_squared_error", "ppv": "precision",
    "rmse": "neg_root_mean_squared_error", "sensitivity": "recall", "tpr": "recall",
}  # fmt: skip


@functools.cache
def _own():
    """Scorers of this package; errors are negated and found both with and without the prefix "neg_"."""
    from ._calibration import expected_calibration_error
    from ._metrics import false_positive_rate, mean_fractional_error, neyman_pearson_score, specificity_score
    from ._probability import deviance
    from ._threshold import equal_error_rate

    make = metrics.make_scorer
    return {
        "cohen_kappa": make(metrics.cohen_kappa_score),
        "specificity": make(specificity_score),
        "neg_false_positive_rate": make(false_positive_rate, greater_is_better=False),
        "neg_neyman_pearson": make(neyman_pearson_score, greater_is_better=False),
        "neg_zero_one_loss": make(metrics.zero_one_loss, greater_is_better=False),
        "neg_mean_fractional_error": make(mean_fractional_error, greater_is_better=False),
        "neg_mean_pinball_loss": make(metrics.mean_pinball_loss, greater_is_better=False),
        "neg_deviance": make(deviance, greater_is_better=False, response_method="predict_proba"),
        "neg_equal_error_rate": make(
            equal_error_rate, greater_is_better=False, response_method=("decision_function", "predict_proba")
        ),
        "neg_expected_calibration_error": make(
            expected_calibration_error, greater_is_better=False, response_method="predict_proba"
        ),
    }


def get_scorer_names():
    """Names of the metrics that `scoring` accepts.

    Returns
    -------
    list of str
        Sorted: scikit-learn's names and "cohen_kappa", "specificity" and the like. Names that begin with "neg_" belong
        to errors, whose scores are negative: larger is better.

    Examples
    --------
    >>> from statlearn.assess import get_scorer_names
    >>> "specificity" in get_scorer_names()
    True
    """
    return sorted({*metrics.get_scorer_names(), *_own()})


def get_scorer(scoring):
    """Scorer of a metric's name.

    Parameters
    ----------
    scoring : str or callable
        A name of `get_scorer_names`, also without "neg_" ("neyman_pearson"); a callable is returned as it is.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``; larger is better.

    Examples
    --------
    >>> from statlearn.assess import get_scorer
    >>> from statlearn.linear import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> get_scorer("specificity")(LogisticRegression().fit(X, y), X, y)
    1.0
    """
    if not isinstance(scoring, str):
        return scoring
    for name in (scoring, f"neg_{scoring}"):
        if name in _own():
            return _own()[name]
        if name in metrics.get_scorer_names():
            return metrics.get_scorer(name)
    short = _SHORT.get(scoring.lower().removeprefix("neg_"))
    if short is not None:
        raise ValueError(f"`scoring`={scoring!r} is not the name of a metric. Use {short!r}.")
    close = difflib.get_close_matches(scoring.lower().removesuffix("_score"), get_scorer_names(), n=5, cutoff=0.4)
    said = f" Did you mean {', '.join(map(repr, close))}?" if close else ""
    raise ValueError(
        f"`scoring`={scoring!r} is not the name of a metric.{said} statlearn.assess.get_scorer_names() lists all."
    )


def read_scoring(scoring):
    """`scoring` in scikit-learn's form, with names of statlearn's metrics replaced by scorers."""
    if isinstance(scoring, str):
        return scoring if scoring in metrics.get_scorer_names() else get_scorer(scoring)
    if isinstance(scoring, (list, tuple, set)) and all(isinstance(name, str) for name in scoring):
        if len(set(scoring)) == len(scoring) and not set(scoring) <= set(metrics.get_scorer_names()):
            return {name: get_scorer(name) for name in scoring}
        return scoring
    if isinstance(scoring, dict):
        return {name: get_scorer(scorer) for name, scorer in scoring.items()}
    return scoring
