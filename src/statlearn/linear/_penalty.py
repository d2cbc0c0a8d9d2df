"""One meaning for every penalty: translations between the scales that texts and programs use."""

from statlearn._core.params import Options

PENALTY_SCALES = ("sklearn", "half_rss", "rss")
# The constraint every penalised estimator of the family shares.
PENALTY_SCALE = [Options(*PENALTY_SCALES)]


def elastic_net_terms(alpha, l1_ratio, penalty_scale, total_weight):
    r"""The weights (l1, l2) of the working objective RSS/(2S) + l1 |w|_1 + l2/2 |w|^2, S the sum of the weights.

    ``sklearn``: RSS/(2S) + alpha l1_ratio |w|_1 + alpha (1 - l1_ratio)/2 |w|^2;
    ``half_rss``: RSS/2 + alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2); ``rss``: the same with RSS in place of RSS/2.
    """
    if penalty_scale == "sklearn":
        return alpha * l1_ratio, alpha * (1.0 - l1_ratio)
    loss = {"half_rss": 1.0, "rss": 2.0}[penalty_scale] * total_weight
    return alpha * l1_ratio / loss, 2.0 * alpha * (1.0 - l1_ratio) / loss


def ridge_lambda(alpha, penalty_scale):
    """The weight lambda of RSS + lambda |w|^2: alpha itself, or twice alpha on the scale RSS/2 + alpha |w|^2."""
    return 2.0 * alpha if penalty_scale == "half_rss" else alpha
