"""Weights of source rows by which they follow the distribution of a target."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.frames.columns import column_names
from statlearn._core.params import HasMethods, Int, Real, check_arguments
from statlearn._core.validation import naming
from statlearn._core.warnings import StatlearnWarning, warn


@dataclass
class ShiftWeights:
    """Result of :func:`covariate_shift_weights`.

    Parameters
    ----------
    weights : ndarray of shape (n_source,)
        Estimated ratio of the target's density to the source's at the source rows, clipped; for `sample_weight`.
    effective_sample_size : float
        :math:`(\\sum w)^2 / \\sum w^2`: the number of equally weighted rows with the same variance of a weighted mean.
    n_clipped : int
        Number of rows whose ratio exceeded `max_weight`.
    """

    weights: np.ndarray
    effective_sample_size: float
    n_clipped: int


def covariate_shift_weights(X_source, X_target, estimator=None, *, max_weight=20.0, cv=5, random_state=None):
    r"""Weights of source rows for a target with another distribution of X, by a classifier's odds.

    If the relation between X and y is the same in both samples, the mean loss over the target is the mean over the
    source with weights

    .. math:: w(x) = \frac{p_T(x)}{p_S(x)} = \frac{P(T \mid x)}{P(S \mid x)} \cdot \frac{n_S}{n_T} .

    A classifier that tells target rows from source rows estimates the probabilities.

    Parameters
    ----------
    X_source : array-like of shape (n_source, n_columns)
        Rows with known y.
    X_target : array-like of shape (n_target, n_columns)
        Rows of the population of interest; their y is not needed.
    estimator : classifier or None, default=None
        Any classifier with `predict_proba`; it is cloned. None is ``linear.LogisticRegression()``, which is exact for
        normal columns with equal covariances. Standardise columns of different units with a pipeline.
    max_weight : float or None, default=20.0
        Larger ratios are clipped: a little bias for much less variance. None does not clip.
    cv : int or None, default=5
        Number of folds: the odds of each source row come from a classifier that has not seen it. None uses a single
        classifier for all rows, which is good enough for models with few parameters.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Returns
    -------
    ShiftWeights
        With `weights`, `effective_sample_size` and `n_clipped`. A warning is issued if the effective sample size is
        below 5 % of the source rows.

    See Also
    --------
    statlearn.rules.density_ratio : the ratio as a function of x.

    Notes
    -----
    The weights correct for a different distribution of X only. They cannot help where the target has rows unlike any of
    the source, and they hurt where the relation between X and y differs. A correctly specified model needs no weights:
    they pay for models that are wrong everywhere and should be least wrong at the target.

    References
    ----------
    Shimodaira, H. (2000). Improving predictive inference under covariate shift by weighting the log-likelihood
    function. Journal of Statistical Planning and Inference 90, 227-244.

    Examples
    --------
    From N(0, 1) to N(1, 1), the ratio is exp(x - 1/2):

    >>> import numpy as np
    >>> from statlearn.prep import covariate_shift_weights
    >>> rng = np.random.default_rng(0)
    >>> source, target = rng.normal(0, 1, (4000, 1)), rng.normal(1, 1, (4000, 1))
    >>> result = covariate_shift_weights(source, target, random_state=0)
    >>> slope, intercept = np.polyfit(source[:, 0], np.log(result.weights), 1)
    >>> bool(abs(slope - 1) < 0.1), bool(abs(intercept + 0.5) < 0.1)
    (True, True)
    """
    check_arguments(
        covariate_shift_weights,
        estimator=(estimator, [HasMethods("fit", "predict_proba"), None]),
        max_weight=(max_weight, [Real(0, None, closed="neither"), None]),
        cv=(cv, [Int(2, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    with naming("X_source"):
        source = check_array(X_source, dtype=np.float64, ensure_min_samples=2, input_name="X_source")
    with naming("X_target"):
        target = check_array(X_target, dtype=np.float64, input_name="X_target")
    if source.shape[1] != target.shape[1]:
        raise ValueError(f"`X_target` must have the {source.shape[1]} columns of `X_source`, got {target.shape[1]}.")
    if hasattr(X_source, "columns") and hasattr(X_target, "columns"):
        names = [list(column_names(X)) for X in (X_source, X_target)]
        if names[0] != names[1]:
            raise ValueError(f"`X_target` must have the columns {names[0]} of `X_source`, got {names[1]}.")
    if cv is not None and cv > len(source):
        raise ValueError(f"`cv`={cv} exceeds the {len(source)} rows of `X_source`; use at most {len(source)}.")
    ratios = _ratios(source, target, estimator, cv, check_random_state(random_state))
    clipped = np.zeros(len(ratios), bool) if max_weight is None else ratios > max_weight
    if not np.all(np.isfinite(ratios[~clipped])):
        raise ValueError(
            "The classifier is certain that some rows of `X_source` belong to the target, so their weights are "
            "infinite: set `max_weight`, or use an `estimator` with smoother probabilities."
        )
    weights = np.where(clipped, max_weight, ratios) if clipped.any() else ratios
    if not weights.any():
        raise ValueError("The classifier separates `X_source` from `X_target`: all weights are 0.")
    size = float(weights.sum() ** 2 / (weights**2).sum())
    if size < 0.05 * len(weights):
        warn(
            f"The effective sample size is {size:.1f} of {len(weights)} rows: source and target hardly overlap, and a "
            "few rows dominate a weighted fit. Lower `max_weight`, or do without weights.",
            StatlearnWarning,
        )
    return ShiftWeights(weights, size, int(clipped.sum()))


def _ratios(source, target, estimator, cv, rng):
    """Density ratio at every source row, by classifiers that were not fitted to it if there are folds."""
    from statlearn.linear import LogisticRegression
    from statlearn.rules import density_ratio

    estimator = LogisticRegression() if estimator is None else estimator
    if cv is None:
        return density_ratio(target, estimator, reference=source).ratio(source)
    ratios = np.empty(len(source))
    for rows in np.array_split(rng.permutation(len(source)), cv):
        others = np.delete(source, rows, axis=0)
        ratios[rows] = density_ratio(target, estimator, reference=others).ratio(source[rows])
    return ratios
