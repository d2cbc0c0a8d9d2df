"""Latent semantic analysis."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.frames import refuse_repeated_names
from statlearn._core.params import Int, Options, check_arguments, check_params

from ._documents import are_documents, build_vocabulary, count_matrix, tokenize
from ._svd import truncated_svd


class LSA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Latent semantic analysis: topics of documents by a truncated singular value decomposition.

    With the weighted term-document matrix :math:`A \approx T S D^\top` (terms × documents), the columns of T are the
    topics, S their strengths, and the columns of :math:`Y = S D^\top` the coordinates of the documents. A new document
    with weighted counts x has the coordinates :math:`T^\top x`.

    Parameters
    ----------
    n_components : int, default=100
        Maximum number of topics; no more than the rank allows are kept.
    weighting : {"tfidf", "count", "binary", "log"}, default="tfidf"
        Weights of the words of a document: counts times log(documents / documents with the word), counts, 0 or 1, or
        log(1 + count).
    norm : {"l2"} or None, default="l2"
        Whether to scale the documents to length 1.
    scaled : bool, default=True
        Whether coordinates are S D' (whose inner products approximate those of the documents) or D.
    lowercase : bool, default=True
        Whether to convert texts to lower case.
    tokenizer : callable or None, default=None
        Function from a text to a list of words; None takes words of two or more characters.
    min_count : int, default=1
        Smallest number of occurrences of a word of the vocabulary.
    max_words : int or None, default=None
        Maximum size of the vocabulary; the most frequent words are kept.

    Attributes
    ----------
    vocabulary_ : ndarray of str of shape (n_words,)
        The words; for matrices, the column names or numbers.
    idf_ : ndarray of shape (n_words,)
        log(documents / documents with the word); ones unless ``weighting="tfidf"``.
    components_ : ndarray of shape (n_topics, n_words)
        T', one topic per row, of norm 1, its largest entry positive.
    singular_values_ : ndarray of shape (n_topics,)
        S.
    coordinates_ : ndarray of shape (n_documents, n_topics)
        The training documents.
    explained_share_ : ndarray of shape (n_topics,)
        Squared singular values as shares of the sum of squares of A.

    See Also
    --------
    NMF : topics without negative weights.
    PMIEmbedding : vectors of words instead of documents.

    Notes
    -----
    Strip headers, signatures and quotes first: they identify the sender, not the topic. Words in all documents have an
    idf of 0 and drop out. Fold-in of a training document returns its coordinates.

    References
    ----------
    Deerwester, Dumais, Furnas, Landauer & Harshman (1990), Indexing by latent semantic analysis.

    Examples
    --------
    >>> from statlearn.decomposition import LSA
    >>> texts = ["aircraft safety", "airplane fast", "apple company value", "apple fruit fresh"]
    >>> model = LSA(2).fit(texts)
    >>> model.top_words(1)[0]
    ['apple']
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "weighting": [Options("tfidf", "count", "binary", "log")],
        "norm": [Options("l2"), None],
        "scaled": ["boolean"],
        "lowercase": ["boolean"],
        "tokenizer": ["callable", None],
        "min_count": [Int(1, None)],
        "max_words": [Int(1, None), None],
    }

    def __init__(
        self,
        n_components=100,
        *,
        weighting="tfidf",
        norm="l2",
        scaled=True,
        lowercase=True,
        tokenizer=None,
        min_count=1,
        max_words=None,
    ):
        self.n_components = n_components
        self.weighting = weighting
        self.norm = norm
        self.scaled = scaled
        self.lowercase = lowercase
        self.tokenizer = tokenizer
        self.min_count = min_count
        self.max_words = max_words

    def fit(self, X, y=None):
        """Learn the topics.

        Parameters
        ----------
        X : iterable of str or of lists of str, or matrix of shape (n_documents, n_words)
            Documents, or their counts of words (array, data frame or sparse matrix).
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        counts = self._counts(X, fit=True)
        n = counts.shape[0]
        with_word = np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1])
        self.idf_ = np.ones(counts.shape[1])
        if self.weighting == "tfidf":
            self.idf_ = np.log(n / np.maximum(with_word, 1))
            if n > 0 and not self.idf_.any():
                raise ValueError(
                    "X: every word occurs in all documents, so that all tf-idf weights are 0; use weighting='count'."
                )
        A = self._weighted(counts)
        D, s, T = truncated_svd(A, self.n_components)
        self.components_, self.singular_values_ = T, s
        self.coordinates_ = D * s if self.scaled else D
        total = float(A.multiply(A).sum())
        self.explained_share_ = s**2 / total if total > 0 else np.zeros_like(s)
        return self

    def fit_transform(self, X, y=None):
        """Learn the topics and return the coordinates of the documents.

        Parameters
        ----------
        X : iterable of str or of lists of str, or matrix of shape (n_documents, n_words)
        y : ignored

        Returns
        -------
        coordinates : ndarray of shape (n_documents, n_topics)
        """
        return self.fit(X).coordinates_

    def transform(self, X):
        """Coordinates of new documents by fold-in, T'x.

        Parameters
        ----------
        X : iterable of str or of lists of str, or matrix of shape (n_documents, n_words)

        Returns
        -------
        coordinates : ndarray of shape (n_documents, n_topics)
            Words outside the vocabulary are ignored.
        """
        check_is_fitted(self)
        projected = self._weighted(self._counts(X, fit=False)) @ self.components_.T
        return projected if self.scaled else projected / np.where(self.singular_values_ > 0, self.singular_values_, 1.0)

    def _counts(self, X, fit):
        if are_documents(X):
            documents = tokenize(X, self.lowercase, self.tokenizer)
            if fit:
                self.vocabulary_ = build_vocabulary(documents, self.min_count, self.max_words)
            return count_matrix(documents, self.vocabulary_)
        if isinstance(X, (list, tuple)) and not X:
            raise ValueError("X has no documents; at least one is required.")
        if not hasattr(X, "__iter__"):
            raise ValueError(f"X must be a list of documents or a table of word counts, got {type(X).__name__}.")
        refuse_repeated_names(X)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        counts = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
        counts = sparse.csr_matrix(counts)
        counts.sum_duplicates()
        if (counts.data < 0).any():
            raise ValueError("X contains negative counts of words.")
        if fit:
            self.vocabulary_ = np.array(names or [str(j) for j in range(counts.shape[1])], dtype=str)
        elif counts.shape[1] != len(self.vocabulary_):
            raise ValueError(f"X has {counts.shape[1]} words, but LSA was fitted with {len(self.vocabulary_)}.")
        return counts

    def _weighted(self, counts):
        data = counts.data
        if self.weighting == "binary":
            data = (data != 0).astype(float)
        elif self.weighting == "log":
            data = np.log1p(data)
        A = sparse.csr_matrix((data * self.idf_[counts.indices], counts.indices, counts.indptr), shape=counts.shape)
        if self.norm == "l2":
            norms = np.sqrt(np.asarray(A.multiply(A).sum(axis=1)).ravel())
            A = (sparse.diags(1.0 / np.where(norms > 0, norms, 1.0)) @ A).tocsr()
        return A

    def top_words(self, n=10):
        """The words with the largest weights of each topic.

        Parameters
        ----------
        n : int, default=10
            Number of words.

        Returns
        -------
        list of lists of str
            One list per topic, the largest weight first, by absolute value.
        """
        check_is_fitted(self)
        check_arguments("top_words", n=(n, [Int(1, None)]))
        order = np.argsort(-np.abs(self.components_), axis=1, kind="stable")[:, :n]
        return [self.vocabulary_[row].tolist() for row in order]

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
