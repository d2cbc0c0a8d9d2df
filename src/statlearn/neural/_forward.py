"""Predictions of dense networks on numpy, and the losses of their outputs."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.sparse import issparse
from scipy.special import expit, logsumexp, xlogy

from statlearn._core.blas import single_blas_thread
from statlearn._core.jobs import count_jobs

from ._activations import activation

SMALL = 2**24  # products; fewer are not worth several threads
BLOCK = 1024  # rows of a block, whose hidden layers then stay in the cache


def input_rows(X, codes, embeddings, rows):
    """Inputs of the first layer for some rows: the columns of X, then the embedding of every category."""
    block = X[rows]
    if not embeddings:
        return block
    return np.hstack([block, *(table[codes[rows, j]] for j, table in enumerate(embeddings))])


def hidden_and_scores(X, coefs, intercepts, activations, *, codes=None, embeddings=(), layers=None):
    """Scores of the last layer before the output function, or the values of an earlier one.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_numbers)
    coefs, intercepts : lists of arrays
    activations : list of str
        One name per layer; the output layer is "identity".
    codes : array of int of shape (n, n_categories) or None, default=None
    embeddings : list of arrays
    layers : int or None, default=None
        Number of layers to pass; None for all.
    """
    last = len(coefs) if layers is None else layers
    n = X.shape[0]
    if issparse(X) and embeddings:
        X = X.toarray()
    scores = np.empty((n, coefs[last - 1].shape[1]), coefs[0].dtype)
    functions = [activation(name) for name in activations[:last]]

    def pass_block(start):
        rows = slice(start, min(start + BLOCK, n))
        values = input_rows(X, codes, embeddings, rows)
        for coef, intercept, function in zip(coefs, intercepts, functions):
            values = values @ coef
            values += intercept
            if function.name != "identity":
                function(values, out=values)
        scores[rows] = values

    for_blocks(pass_block, n, BLOCK, sum(coef.size for coef in coefs[:last]))
    return scores


def for_blocks(function, n, block, cost):
    """Call a function for the start of every block of rows, on several threads if that is worthwhile.

    `cost` is the number of products per row. Every block runs on one thread of BLAS, so that its bits do not depend on
    the number of threads.
    """
    starts = range(0, n, block)
    if len(starts) < 2:
        for start in starts:
            function(start)
        return
    n_threads = min(count_jobs(None), len(starts)) if n * cost > SMALL else 1
    with single_blas_thread():
        if n_threads == 1:
            for start in starts:
                function(start)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(function, starts))


def apply_output(scores, kind):
    """Means from scores, in place."""
    if kind == "logistic":
        expit(scores, out=scores)
    elif kind == "exp":
        np.exp(scores, out=scores)
    elif kind == "softmax":
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
    return scores


def mean_loss(scores, target, kind, weights=None):
    """Weighted mean over rows of the loss, summed over outputs, from the scores of the last layer."""
    if kind == "softmax":
        rows = logsumexp(scores, axis=1) - scores[np.arange(len(scores)), target]
    elif kind == "logistic":
        rows = (np.logaddexp(scores, 0) - target * scores).sum(axis=1)
    elif kind == "exp":
        rows = (xlogy(target, target) - target - target * scores + np.exp(scores)).sum(axis=1)
    else:
        rows = 0.5 * ((scores - target) ** 2).sum(axis=1)
    return float(np.average(rows, weights=weights))
