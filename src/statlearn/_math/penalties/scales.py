"""What the strength of a penalty is relative to: a mean or a sum of losses, with or without a factor 1/2."""

PENALTY_SCALES = ("sklearn", "half_rss", "rss")
# What the sum of losses is multiplied by; for squared errors a loss is half a square.
_OF_SUM = {"half_rss": 1.0, "sum": 1.0, "rss": 2.0}


def elastic_net_terms(alpha, l1_ratio, penalty_scale, total_weight):
    r"""The weights (l1, l2) of the working objective: mean loss + l1 |w|_1 + l2/2 |w|^2.

    ``sklearn``: mean loss + alpha l1_ratio |w|_1 + alpha (1 - l1_ratio)/2 |w|^2;
    ``half_rss`` or ``sum``: sum of losses + alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2);
    ``rss``: the same with twice the sum. A squared error counts half, so that the mean is RSS/(2S), S the sum of the
    weights.
    """
    if penalty_scale == "sklearn":
        return alpha * l1_ratio, alpha * (1.0 - l1_ratio)
    loss = _OF_SUM[penalty_scale] * total_weight
    return alpha * l1_ratio / loss, 2.0 * alpha * (1.0 - l1_ratio) / loss


def objective_factor(penalty_scale, total_weight):
    """The factor that converts the working objective to the given scale."""
    return 1.0 if penalty_scale == "sklearn" else _OF_SUM[penalty_scale] * total_weight


def penalty_factor(penalty_scale, total_weight):
    """The factor that converts an L1-like penalty on the given scale to scikit-learn's alpha."""
    return elastic_net_terms(1.0, 1.0, penalty_scale, total_weight)[0]


def ridge_lambda(alpha, penalty_scale):
    """The weight lambda of RSS + lambda |w|^2: alpha itself, or twice alpha on the scale RSS/2 + alpha |w|^2."""
    return 2.0 * alpha if penalty_scale == "half_rss" else alpha
