"""Measures of association rules, from shares of baskets."""

import numpy as np

from statlearn._core.validation import naming

# Every measure is a function of T(AB), T(A) and T(B); 0/0 gives NaN.
METRICS = {
    "support": lambda ab, a, b: ab,
    "confidence": lambda ab, a, b: ab / a,
    "lift": lambda ab, a, b: ab / (a * b),
    "leverage": lambda ab, a, b: ab - a * b,
    "conviction": lambda ab, a, b: _conviction(ab, a, b),
    "added_value": lambda ab, a, b: ab / a - b,
    "certainty": lambda ab, a, b: _certainty(ab, a, b),
    "cosine": lambda ab, a, b: ab / np.sqrt(a * b),
    "imbalance": lambda ab, a, b: np.abs(a - b) / (a + b - ab),
    "jaccard": lambda ab, a, b: ab / (a + b - ab),
    "kulczynski": lambda ab, a, b: (ab / a + ab / b) / 2,
    "odds_ratio": lambda ab, a, b: ab * (1 - a - b + ab) / ((a - ab) * (b - ab)),
    "phi": lambda ab, a, b: (ab - a * b) / np.sqrt(a * (1 - a) * b * (1 - b)),
    "zhang": lambda ab, a, b: (ab - a * b) / np.maximum(ab * (1 - a), a * (b - ab)),
}


def _conviction(ab, a, b):
    return np.where(ab == a, np.inf, (1 - b) / np.where(ab == a, 1.0, 1 - ab / a))


def _certainty(ab, a, b):
    gain = ab / a - b
    return np.where(gain >= 0, gain / (1 - b), gain / b)


def rule_metrics(support, confidence=None, consequent_support=None, *, antecedent_support=None):
    r"""Measures of the rules A ⇒ B.

    With T the share of baskets, confidence is :math:`T(AB)/T(A)`, lift :math:`T(AB)/(T(A) T(B))`, leverage
    :math:`T(AB) - T(A) T(B)` and conviction :math:`(1 - T(B))/(1 - T(AB)/T(A))`, infinite at confidence 1.

    Parameters
    ----------
    support : float or array-like
        Support of the rule, T(AB).
    confidence : float, array-like or None, default=None
        Confidence. Give it or `antecedent_support`.
    consequent_support : float or array-like, default=None
        Support of the consequent, T(B).
    antecedent_support : float, array-like or None, default=None
        Support of the antecedent, T(A).

    Returns
    -------
    dict of str to ndarray
        antecedent_support, consequent_support, support, confidence, lift, leverage, conviction, added_value, certainty,
        cosine, imbalance, jaccard, kulczynski, odds_ratio, phi, zhang.

    Notes
    -----
    A high confidence with a lift near 1 carries no information: B is frequent anyway. Lift and leverage are symmetric
    in A and B, confidence and conviction are not. Added value is confidence - T(B), certainty its share of the possible
    gain, and Zhang's measure ranges from -1 to 1. Measures that divide zero by zero are NaN.

    References
    ----------
    Tan, Kumar and Srivastava (2004), Selecting the right objective measure for association analysis, Information
    Systems 29.

    Examples
    --------
    >>> from statlearn.rules import rule_metrics
    >>> found = rule_metrics(support=0.134, confidence=0.808, consequent_support=0.3794)
    >>> round(float(found["lift"]), 3), round(float(found["conviction"]), 3)
    (2.13, 3.232)
    """
    if consequent_support is None or (confidence is None) == (antecedent_support is None):
        raise TypeError("rule_metrics needs consequent_support, and either confidence or antecedent_support.")
    with naming("support"):
        ab, b = np.asarray(support, dtype=np.float64), np.asarray(consequent_support, dtype=np.float64)
    if confidence is not None:
        confidence = np.asarray(confidence, dtype=np.float64)
        if np.any((confidence <= 0) | (confidence > 1)):
            raise ValueError("confidence must be in (0, 1].")
        a = ab / confidence
    else:
        a = np.asarray(antecedent_support, dtype=np.float64)
    for name, values in (("support", ab), ("antecedent support", a), ("consequent_support", b)):
        if not np.all((values >= 0) & (values <= 1 + 1e-12)):
            raise ValueError(f"{name} must be in [0, 1].")
    if np.any(ab > np.minimum(a, b) * (1 + 1e-12)):
        raise ValueError("support exceeds the support of the antecedent or of the consequent.")
    return {"antecedent_support": a, "consequent_support": b, **measures(ab, a, b)}


def measures(ab, a, b, names=tuple(METRICS), n=1):
    """The named measures of shares, or of counts among n; NaN where they are not defined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = {"confidence": ab / a, "lift": ab * n / (a * b)} if n != 1 else {}  # counts are free of rounding
        return {
            name: np.asarray(exact[name] if name in exact else METRICS[name](ab / n, a / n, b / n)) for name in names
        }
