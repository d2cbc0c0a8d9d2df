"""Tables of `summary()` that the naive Bayes classifiers share: the classes, and the terms typical of each class."""

from itertools import pairwise

import numpy as np

from statlearn._core.summary import Table, as_counts

LOG_ODDS_NOTE = (
    "Log odds: logarithm of the probability of the term in the class over its probability in the other classes, "
    "weighted by their priors. Terms that do not occur in the class are left out."
)


def class_table(classes, counts, prior, missing):
    """One row per class: sum of weights, prior and weight of the missing values."""
    missing = np.where(missing > 1e-9 * np.maximum(counts, 1.0), missing, 0.0)  # differences of sums of weights
    columns = {"rows (sum of weights)": as_counts(counts), "prior": prior, "missing values": as_counts(missing)}
    return Table([str(c) for c in classes], columns)


def term_table(classes, terms, contrast, counts, n_terms, columns, caption):
    """The terms with the largest positive contrast of each class, among those that occur in it.

    `contrast` and `counts` have shape (n_classes, n_terms), and so have the arrays of the further `columns` by name.
    Ties go to the first term.
    """
    eligible = np.where((counts > 0) & (contrast > 1e-12), contrast, -np.inf)
    chosen = []
    for c, values in enumerate(eligible):
        order = np.argsort(-values, kind="stable")[:n_terms]
        chosen += [(c, int(j)) for j in order if values[j] > -np.inf]
    if not chosen:
        return []
    at = tuple(np.array(chosen).T)
    shown = {"class": [str(classes[c]) for c in at[0]]} | {name: values[at] for name, values in columns.items()}
    return [Table([terms[j] for j in at[1]], shown, caption)]


def log_odds_table(classes, prior, terms, probabilities, counts, n_terms):
    """Terms by log odds of their class against the others; no table for a single class."""
    if len(classes) == 1 or not terms:
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        # Sums over the other classes, not differences from the total: no cancellation for rare terms.
        others = np.array([np.delete(prior, c) @ np.delete(probabilities, c, axis=0) for c in range(len(prior))])
        others /= np.array([np.delete(prior, c).sum() for c in range(len(prior))])[:, None]
        odds = np.log(probabilities) - np.log(others)
    columns = {"log odds": odds, "in the class": probabilities, "in the others": others, "count": as_counts(counts)}
    return term_table(classes, terms, odds, counts, n_terms, columns, "Terms with the largest log odds of each class")


def category_terms(name, levels, n_categories, edges=None):
    """Labels of the categories of one column: levels, codes or bins."""
    if edges is not None:
        if not len(edges):
            return [f"{name} (one bin)"]
        middle = [f"{name}: {low:.6g} to {high:.6g}" for low, high in pairwise(edges)]
        return [f"{name}: below {edges[0]:.6g}", *middle, f"{name}: {edges[-1]:.6g} or more"]
    known = [f"{v:.6g}" if isinstance(v, float) else v for v in levels or []]
    return [f"{name} = {known[k] if k < len(known) else k}" for k in range(n_categories)]
