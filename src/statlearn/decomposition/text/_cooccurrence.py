"""Counts of words that occur near each other."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, check_params

from ._documents import build_vocabulary, encode, tokenize

WINDOW_RULES = {
    "window": [Int(1, None)],
    "symmetric": ["boolean"],
    "weighting": [Options("uniform", "linear", "harmonic")],
    "min_count": [Int(1, None)],
    "max_words": [Int(1, None), None],
    "vocabulary": ["array-like", None],
    "lowercase": ["boolean"],
    "tokenizer": ["callable", None],
}


def _weight(weighting, distance, window):
    return {"uniform": 1.0, "linear": (window - distance + 1) / window, "harmonic": 1.0 / distance}[weighting]


def window_counts(codes, n_words, window=5, symmetric=True, weighting="uniform"):
    """Weighted counts of pairs of words within a distance in the same document, as compressed rows.

    Parameters
    ----------
    codes : list of int arrays
        Word numbers of each document.
    """
    total = sparse.csr_matrix((n_words, n_words))
    words = np.concatenate(codes) if codes else np.empty(0, dtype=np.intp)
    document = np.repeat(np.arange(len(codes)), [len(c) for c in codes])
    for distance in range(1, window + 1):
        together = document[distance:] == document[:-distance] if distance < len(words) else np.empty(0, bool)
        if not together.any():
            break
        left, right = words[:-distance][together], words[distance:][together]
        value = np.full(len(left), _weight(weighting, distance, window))
        total = total + sparse.csr_matrix((value, (left, right)), shape=(n_words, n_words))
    if symmetric:
        total = total + total.T
    total = sparse.csr_matrix(total)
    total.sum_duplicates()
    return total


class CooccurrenceMatrix(BaseEstimator):
    r"""Counts of words that occur within a window of each other.

    Entry (i, j) is the number of times that word j occurs at most `window` words after word i in the same document (or,
    with `symmetric`, before or after), weighted by their distance.

    Parameters
    ----------
    window : int, default=5
        Largest distance.
    symmetric : bool, default=True
        Whether to count pairs in both directions; otherwise the row is the word and the column one that follows it.
    weighting : {"uniform", "linear", "harmonic"}, default="uniform"
        Weight of a pair at distance d: 1, (window - d + 1) / window, or 1 / d.
    min_count : int, default=1
        Smallest number of occurrences of a word of the vocabulary. Rarer words are removed before distances are
        measured.
    max_words : int or None, default=None
        Maximum size of the vocabulary; the most frequent words are kept.
    vocabulary : array-like of str or None, default=None
        The words, if they are given.
    lowercase : bool, default=True
        Whether to convert texts to lower case.
    tokenizer : callable or None, default=None
        Function from a text to a list of words. None takes all words, those of one letter included: a word that is
        left out brings its neighbours closer to each other. :class:`LSA` and scikit-learn's vectorizers, where
        distances do not matter, leave one-letter words out.

    Attributes
    ----------
    vocabulary_ : ndarray of str of shape (n_words,)
    matrix_ : sparse matrix of shape (n_words, n_words)
        The counts.
    word_counts_ : ndarray of shape (n_words,)
        Occurrences of the words.

    See Also
    --------
    PMIEmbedding, pmi_matrix

    Examples
    --------
    >>> from statlearn.decomposition import CooccurrenceMatrix
    >>> model = CooccurrenceMatrix(window=1).fit(["red apple", "green apple"])
    >>> model.vocabulary_.tolist()
    ['apple', 'green', 'red']
    >>> model.matrix_.toarray()
    array([[0., 1., 1.],
           [1., 0., 0.],
           [1., 0., 0.]])
    """

    _constraints = WINDOW_RULES

    def __init__(
        self,
        window=5,
        *,
        symmetric=True,
        weighting="uniform",
        min_count=1,
        max_words=None,
        vocabulary=None,
        lowercase=True,
        tokenizer=None,
    ):
        self.window = window
        self.symmetric = symmetric
        self.weighting = weighting
        self.min_count = min_count
        self.max_words = max_words
        self.vocabulary = vocabulary
        self.lowercase = lowercase
        self.tokenizer = tokenizer

    def fit(self, X, y=None):
        """Count.

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
        documents = tokenize(X, self.lowercase, self.tokenizer, shortest=1)
        self.vocabulary_ = build_vocabulary(documents, self.min_count, self.max_words, self.vocabulary, shortest=1)
        codes = encode(documents, self.vocabulary_)
        n = len(self.vocabulary_)
        self.word_counts_ = np.bincount(np.concatenate(codes) if codes else [], minlength=n)
        self.matrix_ = window_counts(codes, n, self.window, self.symmetric, self.weighting)
        return self

    def count(self, word, other):
        """The entry of a pair of words.

        Parameters
        ----------
        word, other : str

        Returns
        -------
        float
        """
        check_is_fitted(self)
        at = []
        for each in (word, other):
            places = np.flatnonzero(self.vocabulary_ == each)
            if len(places) == 0:
                raise ValueError(f"{each!r} is not in the vocabulary.")
            at.append(int(places[0]))
        return float(self.matrix_[at[0], at[1]])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
