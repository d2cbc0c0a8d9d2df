"""Integer encoding of words."""

import re
from collections import Counter

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, check_params

PADDING, UNKNOWN, FIRST_WORD = 0, 1, 2


class WordIndexer(TransformerMixin, BaseEstimator):
    """Integer and one-hot encoding of words, a baseline for word embeddings.

    Words are numbered from 2 in decreasing order of frequency in the training documents, ties in alphabetical order. 0
    pads short documents, and 1 stands for unknown words.

    Parameters
    ----------
    max_words : int or None, default=None
        Maximum number of words to encode, the most frequent ones.
    max_length : int or None, default=None
        Maximum number of words per document, up to 1,000,000; None uses the length of the longest training document.
    lowercase : bool, default=True
        Whether to convert the text to lower case.
    token_pattern : str, default=one or more word characters
        Regular expression that matches a word.

    Attributes
    ----------
    vocabulary_ : dict
        Index of each word.
    words_ : list of str
        Word of each index; the first two are "<pad>" and "<unknown>".
    length_ : int
        Number of columns of the result.

    Notes
    -----
    One-hot vectors make all words equally dissimilar: the distance of any two is the square root of 2.

    References
    ----------
    Jurafsky, D. and Martin, J. H. (2024). *Speech and Language Processing*, 3rd ed. draft, chapter 6.

    Examples
    --------
    >>> from statlearn.prep import WordIndexer
    >>> words = WordIndexer().fit(["to be or not to be", "be quick"])
    >>> words.transform(["be bold", "not to be"]).tolist()
    [[2, 1, 0, 0, 0, 0], [4, 3, 2, 0, 0, 0]]
    >>> words.one_hot(["be", "or"]).toarray().tolist()
    [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
    """

    _constraints = {
        "max_words": [Int(1, None), None],
        "max_length": [Int(1, 1_000_000), None],
        "lowercase": ["boolean"],
        "token_pattern": [Instance(str)],
    }

    def __init__(self, max_words=None, *, max_length=None, lowercase=True, token_pattern=r"\w+"):
        self.max_words = max_words
        self.max_length = max_length
        self.lowercase = lowercase
        self.token_pattern = token_pattern

    def fit(self, X, y=None):
        """Learn the vocabulary.

        Parameters
        ----------
        X : iterable of str
            Documents.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        documents = self._cut(X)
        counts = Counter(word for document in documents for word in document)
        if not counts:
            raise ValueError("X contains no words, so the vocabulary is empty.")
        ranked = sorted(counts, key=lambda word: (-counts[word], word))[: self.max_words]
        self.words_ = ["<pad>", "<unknown>", *ranked]
        self.vocabulary_ = {word: k for k, word in enumerate(ranked, start=FIRST_WORD)}
        self.length_ = self.max_length or max(map(len, documents))
        return self

    def _cut(self, X):
        if isinstance(X, (str, bytes)):
            raise ValueError("X must be an iterable of documents, got a single string; put it in a list.")
        if len(getattr(X, "shape", (0,))) != 1:
            raise ValueError(f"X must be a list or column of documents; got a table of shape {X.shape}.")
        documents = list(X)
        odd = next((type(d).__name__ for d in documents if not isinstance(d, str)), None)
        if odd is not None:
            raise ValueError(f"X must contain documents as strings, got {odd}. Convert or drop this document.")
        pattern = re.compile(self.token_pattern)
        return [pattern.findall(d.lower() if self.lowercase else d) for d in documents]

    def transform(self, X):
        """Indices of the words, padded with 0.

        Parameters
        ----------
        X : iterable of str
            Documents.

        Returns
        -------
        ndarray of int of shape (n_documents, length_)
        """
        check_is_fitted(self)
        documents = self._cut(X)
        out = np.full((len(documents), self.length_), PADDING, dtype=np.int64)
        for row, document in zip(out, documents):
            known = [self.vocabulary_.get(word, UNKNOWN) for word in document[: self.length_]]
            row[: len(known)] = known
        return out

    def inverse_transform(self, X):
        """The words of each document.

        Parameters
        ----------
        X : array-like of int of shape (n_documents, length)

        Returns
        -------
        list of list of str
        """
        check_is_fitted(self)
        return [[self.words_[k] for k in row if k != PADDING] for row in np.asarray(X)]

    def one_hot(self, words):
        """One-hot vectors of words.

        Parameters
        ----------
        words : str or iterable of str
            One word or several; a text is not cut into words.

        Returns
        -------
        CSR array of shape (n_words, len(words_))
        """
        check_is_fitted(self)
        words = [words] if isinstance(words, str) else words
        places = [self.vocabulary_.get(w.lower() if self.lowercase else w, UNKNOWN) for w in words]
        ones = np.ones(len(places))
        return sparse.csr_array((ones, (np.arange(len(places)), places)), shape=(len(places), len(self.words_)))

    def get_feature_names_out(self, input_features=None):
        """Names of the positions: "word0", "word1", ...

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.asarray([f"word{k}" for k in range(self.length_)], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
