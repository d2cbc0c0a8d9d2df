"""Pointwise mutual information, and word vectors from it."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import require_finite

from ._cooccurrence import WINDOW_RULES, CooccurrenceMatrix
from ._svd import truncated_svd
from ._word_vectors import WordVectorsMixin


def pmi_matrix(counts, *, positive=True, smooth=0.0, marginals="pairs", word_counts=None):
    r"""Pointwise mutual information of pairs from their counts.

    .. math:: \mathrm{PMI}_{ij} = \log \frac{n_{ij} / n}{(n_{i\cdot} / n) (n_{\cdot j} / n)}

    with the marginal sums of the same counts, or with the frequencies of the words instead of both fractions of the
    denominator. It is 0 for words that are as often together as independent words would
    be, and -∞ for pairs that never occur together.

    Parameters
    ----------
    counts : {array-like, sparse matrix} of shape (n_words, n_contexts)
        Non-negative counts, such as those of :class:`CooccurrenceMatrix`.
    positive : bool, default=True
        Whether to replace negative values, and those of pairs with count 0, by 0.
    smooth : float, default=0.0
        Added to all counts, those of 0 included; the result is then dense.
    marginals : {"pairs", "words"}, default="pairs"
        Probabilities of single words: marginal sums of `counts`, in which a word at the border of a document counts
        less, or shares of `word_counts`.
    word_counts : array-like of shape (n_words,) or None, default=None
        Occurrences of the words that are rows and columns of `counts`, required by ``marginals="words"``.

    Returns
    -------
    ndarray or sparse matrix of shape (n_words, n_contexts)
        Sparse for sparse counts with ``positive=True`` and ``smooth=0``. Without `positive`, pairs with count 0 are
        -inf. Rows and columns without any counts are 0.

    Examples
    --------
    >>> from statlearn.decomposition import pmi_matrix
    >>> pmi_matrix([[2.0, 1.0], [1.0, 0.0]]).round(4)
    array([[0.    , 0.2877],
           [0.2877, 0.    ]])
    """
    check_arguments(
        pmi_matrix,
        positive=(positive, ["boolean"]),
        smooth=(smooth, [Real(0, None)]),
        marginals=(marginals, [Options("pairs", "words")]),
        word_counts=(word_counts, ["array-like", None]),
    )
    counts = check_array(counts, accept_sparse=("csr",), dtype=np.float64, input_name="counts")
    if (counts.data < 0 if sparse.issparse(counts) else counts < 0).any():
        raise ValueError("`counts` contains negative values.")
    if sparse.issparse(counts) and (smooth > 0 or not positive):
        require_memory(
            8 * counts.shape[0] * counts.shape[1],
            f"the dense {counts.shape[0]:,} x {counts.shape[1]:,} matrix",
            "Use positive=True and smooth=0, which keep it sparse.",
        )
        counts = counts.toarray()
    if smooth > 0:
        counts = counts + smooth
    rows, cols = np.asarray(counts.sum(axis=1)).ravel(), np.asarray(counts.sum(axis=0)).ravel()
    total = rows.sum()
    if total == 0:
        raise ValueError("`counts` contains zeros only.")
    if marginals == "words":
        rows = cols = _scaled_word_counts(word_counts, counts.shape, total)
    if sparse.issparse(counts):
        pairs = counts.tocoo()
        observed = pairs.data > 0
        row, col, data = pairs.row[observed], pairs.col[observed], pairs.data[observed]
        value = np.log(data) + np.log(total) - np.log(rows[row]) - np.log(cols[col])
        above = value > 0
        return sparse.csr_matrix((value[above], (row[above], col[above])), shape=counts.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(counts) + np.log(total) - np.log(rows)[:, None] - np.log(cols)
    value[rows == 0], value[:, cols == 0] = 0.0, 0.0
    return np.maximum(value, 0.0) if positive else value


def _without_rounding(vectors, M):
    """The vectors of words, with those that consist only of rounding errors set to 0."""
    norms = np.linalg.norm(vectors, axis=1)
    empty = np.asarray(abs(M).sum(axis=1)).ravel() == 0
    vectors[empty | (norms <= len(vectors) * np.finfo(np.float64).eps * norms.max())] = 0.0
    return vectors


def _scaled_word_counts(word_counts, shape, total):
    """Frequencies of words on the scale of marginal sums of pairs."""
    if word_counts is None:
        raise ValueError("`marginals`='words' requires `word_counts`.")
    words = check_array(word_counts, ensure_2d=False, dtype=np.float64, input_name="word_counts")
    if words.ndim != 1 or shape != (len(words), len(words)):
        raise ValueError(f"`word_counts` must have one entry per row and column of counts {shape}, got {words.shape}.")
    if np.any(words < 0) or not words.sum() > 0:
        raise ValueError("`word_counts` must be non-negative and not all 0.")
    return words * (total / words.sum())


class PMIEmbedding(WordVectorsMixin, BaseEstimator):
    r"""Word vectors from a truncated singular value decomposition of pointwise mutual information.

    With :math:`M \approx U_k S_k V_k^\top` for the (positive) PMI matrix M of words in a window, the vectors of the
    words are the rows of :math:`U_k S_k^{p}`. For a symmetric M with `power` = 1/2 and non-negative leading
    eigenvalues, their inner products are the best approximation of M of rank k.

    Parameters
    ----------
    n_components : int, default=100
        Maximum length of the vectors; no more than the rank allows are kept.
    power : float, default=0.5
        Exponent p of the singular values.
    positive : bool, default=True
        Whether to use positive PMI. With False, `smooth` must be positive, since PMI is -∞ for pairs that never occur.
    smooth : float, default=0.0
        Added to all counts.
    marginals : {"pairs", "words"}, default="pairs"
        Probabilities of single words: from the marginal sums of the pairs, or from the frequencies of the words; see
        :func:`pmi_matrix`.
    window : int, default=5
        Largest distance of words that count as a pair.
    symmetric : bool, default=True
        Whether to count pairs in both directions.
    weighting : {"uniform", "linear", "harmonic"}, default="uniform"
        Weight of a pair by its distance, as in :class:`CooccurrenceMatrix`.
    min_count : int, default=1
        Smallest number of occurrences of a word of the vocabulary.
    max_words : int or None, default=None
        Maximum size of the vocabulary; the most frequent words are kept.
    vocabulary : array-like of str or None, default=None
        The words, if they are given.
    lowercase : bool, default=True
        Whether to convert texts to lower case.
    tokenizer : callable or None, default=None
        Function from a text to a list of words. None takes all words, those of one letter included, as
        :class:`CooccurrenceMatrix` does.

    Attributes
    ----------
    vocabulary_ : ndarray of str of shape (n_words,)
    vectors_ : ndarray of shape (n_words, n_components)
        One vector per word. It is exactly 0 for a word without positive PMI with any word, and for one whose PMI lies
        outside the span of the leading components.
    singular_values_ : ndarray of shape (n_components,)
    components_ : ndarray of shape (n_components, n_words)
        V'.

    See Also
    --------
    CooccurrenceMatrix, pmi_matrix, LSA

    References
    ----------
    Levy & Goldberg (2014), Neural word embedding as implicit matrix factorization, NIPS.
    Church & Hanks (1990), Word association norms, mutual information, and lexicography.

    Examples
    --------
    >>> from statlearn.decomposition import PMIEmbedding
    >>> texts = ["red apple", "green apple", "red pear", "green pear", "fast car", "slow car", "fast train"]
    >>> PMIEmbedding(3, window=1).fit(texts).nearest("apple", n=1)[0][0]
    'pear'
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "power": [Real(0, None)],
        "positive": ["boolean"],
        "smooth": [Real(0, None)],
        "marginals": [Options("pairs", "words")],
        **WINDOW_RULES,
    }

    def __init__(
        self,
        n_components=100,
        *,
        power=0.5,
        positive=True,
        smooth=0.0,
        window=5,
        symmetric=True,
        weighting="uniform",
        min_count=1,
        max_words=None,
        vocabulary=None,
        lowercase=True,
        tokenizer=None,
        marginals="pairs",
    ):
        self.n_components = n_components
        self.power = power
        self.positive = positive
        self.smooth = smooth
        self.window = window
        self.symmetric = symmetric
        self.weighting = weighting
        self.min_count = min_count
        self.max_words = max_words
        self.vocabulary = vocabulary
        self.lowercase = lowercase
        self.tokenizer = tokenizer
        self.marginals = marginals

    def fit(self, X, y=None):
        """Learn the vectors.

        Parameters
        ----------
        X : iterable of str or of lists of str
            Documents.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        if not self.positive and self.smooth == 0:
            raise ValueError("positive=False requires smooth > 0: the PMI of pairs that never occur together is -inf.")
        counts = CooccurrenceMatrix(
            self.window,
            symmetric=self.symmetric,
            weighting=self.weighting,
            min_count=self.min_count,
            max_words=self.max_words,
            vocabulary=self.vocabulary,
            lowercase=self.lowercase,
            tokenizer=self.tokenizer,
        ).fit(X)
        self.vocabulary_ = counts.vocabulary_
        if counts.matrix_.nnz == 0:
            raise ValueError("X contains no two words of the vocabulary in one window.")
        M = pmi_matrix(
            counts.matrix_,
            positive=self.positive,
            smooth=self.smooth,
            marginals=self.marginals,
            word_counts=counts.word_counts_ if self.marginals == "words" else None,
        )
        U, self.singular_values_, self.components_ = truncated_svd(M, self.n_components)
        with np.errstate(over="ignore"):
            stretch = self.singular_values_**self.power
        require_finite(stretch, remedy="Use a smaller `power`.")
        self.vectors_ = _without_rounding(U * stretch, M)
        return self

    def _why_zero(self):
        return (
            f": it has no positive PMI with any word, or none that the {self.vectors_.shape[1]} components represent. "
            "Use a wider `window`, `smooth`, or more components."
        )
