"""What moved single predictions, in words: the columns with the largest Shapley values."""

import numpy as np

from ..statements import say
from .shapley import shapley_values

UNITS = {
    "prediction": "the prediction",
    "log": "the log of the prediction",
    "score": "the score of the predicted class",
    "log-odds": "the log-odds of the predicted class",
    "share": "the share of the predicted class",
    "probability": "the probability of the predicted class",
}


def reasons_for(estimator, X, predicted, n=3, *, background=None, columns=None, seed=0):
    """The columns that moved each prediction most.

    Parameters
    ----------
    estimator : fitted pipeline or stack
    X : table
        The rows.
    predicted : array of labels, or None for regression
        A class is explained for the rows it was predicted for.
    n : int
        Columns for each row.
    background : table or None
        Rows to compare with; models other than trees need them.
    columns : sequence of str or None
        Columns that the model uses; None for all.
    seed : int
        For models that are explained by sampling.

    Returns
    -------
    reasons : list of lists of (str, float), or None
        For each row columns and how far they move the prediction, the largest first. None without a background that
        the model needs.
    unit : str
        The quantity that the numbers refer to.
    method : str
        A sentence on how they were computed.
    """
    found = shapley_values(estimator, X, background, columns=columns, seed=seed)
    if found is None:
        return None, "", ""
    at = np.zeros(len(found.values), int)
    if predicted is not None:
        at = np.searchsorted(estimator.classes_, predicted)
    reasons = [[(name, move) for name, move, _ in found.largest(row, at[row], n)] for row in range(len(at))]
    return reasons, UNITS[found.unit], method_words(found, at)


def method_words(found, outputs):
    """How Shapley values were computed, with the standard errors of sampled ones."""
    if found.method != "sampled":
        return say("SHAPLEY-TREES" if found.method == "trees" else "SHAPLEY-LINEAR")
    from ..names import plain

    errors = np.take_along_axis(found.errors, np.asarray(outputs)[:, None, None], axis=2)
    return say("SHAPLEY-SAMPLED", orders=f"{found.n_orders:,}", error=plain(float(errors.max(initial=0.0)), 2))
