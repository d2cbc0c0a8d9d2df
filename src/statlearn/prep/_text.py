"""Bag-of-words vectors and tf-idf weights."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import text
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import refuse_repeated_names
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, explained

from ._documents import DocumentsMixin

COUNT_CONSTRAINTS = {
    "input": [Options("filename", "file", "content")],
    "encoding": [Instance(str)],
    "decode_error": [Options("strict", "ignore", "replace")],
    "strip_accents": [Options("ascii", "unicode"), "callable", None],
    "lowercase": ["boolean"],
    "preprocessor": ["callable", None],
    "tokenizer": ["callable", None],
    "stop_words": [Options("english"), Instance(list), None],
    "token_pattern": [Instance(str), None],
    "ngram_range": [Instance(tuple)],
    "analyzer": [Options("word", "char", "char_wb"), "callable"],
    "max_df": [Real(0, 1, closed="both"), Int(1, None)],
    "min_df": [Real(0, 1, closed="both"), Int(1, None)],
    "max_features": [Int(1, None), None],
    "vocabulary": [Instance(dict, set, list, np.ndarray), None],
    "dtype": [Instance(type, np.dtype), Options("float32", "float64", "int32", "int64")],
}


class BinaryVectorizer(DocumentsMixin, text.CountVectorizer):
    """Binary bag of words: documents as 0/1 vectors of word occurrence.

    scikit-learn's :class:`~sklearn.feature_extraction.text.CountVectorizer` with ``binary=True``, for models of
    presence such as Bernoulli naive Bayes.

    Parameters
    ----------
    input : {"content", "filename", "file"}, default="content"
        Type of the items of `raw_documents`.
    encoding : str, default="utf-8"
        Encoding of bytes.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        Treatment of invalid bytes.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        Method of removing accents.
    lowercase : bool, default=True
        Whether to convert the text to lower case.
    preprocessor : callable or None, default=None
        Replaces the preprocessing of a document.
    tokenizer : callable or None, default=None
        Replaces the splitting into words.
    stop_words : {"english"}, list or None, default=None
        Words to ignore.
    token_pattern : str or None, default=two or more word characters
        Regular expression that matches a word.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Smallest and largest length of the word sequences to count.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Unit to count.
    max_df : float or int, default=1.0
        Words in a larger fraction (or number) of documents are ignored.
    min_df : float or int, default=1
        Words in a smaller fraction (or number) of documents are ignored.
    max_features : int or None, default=None
        Maximum number of words, the most frequent ones.
    vocabulary : mapping, iterable or None, default=None
        Fixed vocabulary.
    dtype : dtype, default=int64
        Data type of the result.

    Attributes
    ----------
    vocabulary_ : dict
        Column index of each word.
    fixed_vocabulary_ : bool
        Whether the parameter `vocabulary` was given.

    Notes
    -----
    Only presence is recorded, so long documents look richer than short ones.

    References
    ----------
    Manning, C. D., Raghavan, P. and Schütze, H. (2008). *Introduction to Information Retrieval*, chapter 13.

    Examples
    --------
    >>> from statlearn.prep import BinaryVectorizer
    >>> BinaryVectorizer().fit_transform(["to be or not to be", "be quick"]).toarray().tolist()
    [[1, 1, 1, 0, 1], [1, 0, 0, 1, 0]]
    """

    _constraints = COUNT_CONSTRAINTS

    def __init__(
        self,
        *,
        input="content",
        encoding="utf-8",
        decode_error="strict",
        strip_accents=None,
        lowercase=True,
        preprocessor=None,
        tokenizer=None,
        stop_words=None,
        token_pattern=r"(?u)\b\w\w+\b",
        ngram_range=(1, 1),
        analyzer="word",
        max_df=1.0,
        min_df=1,
        max_features=None,
        vocabulary=None,
        dtype=np.int64,
    ):
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=True,
            dtype=dtype,
        )

    def fit_transform(self, raw_documents, y=None):
        """Learn the vocabulary and encode the documents.

        Parameters
        ----------
        raw_documents : iterable of str
        y : ignored

        Returns
        -------
        CSR matrix of shape (n_documents, n_words)
        """
        check_params(self)
        return super().fit_transform(raw_documents, y)


class TfidfTransformer(text.TfidfTransformer):
    r"""Tf-idf weighting: word counts weighted by the rarity of the word.

    The weight of a word with tf occurrences in a document that occurs in df of N documents is :math:`tf \cdot idf`,
    with

    .. math:: idf = \log\frac{N + s}{df + s} + o,

    where s = 1 with `smooth_idf`, o = 1 with `add_one`, and 0 otherwise. The rows are then scaled to unit `norm`. The
    defaults are scikit-learn's. The textbook formula :math:`tf \cdot \log(N/df)` is ``smooth_idf=False, add_one=False,
    norm=None``; a word that occurs in every document then has weight 0.

    Parameters
    ----------
    norm : {"l1", "l2"} or None, default="l2"
        Norm of the rows.
    use_idf : bool, default=True
        Whether to weight by idf.
    smooth_idf : bool, default=True
        Whether to count one additional document that contains every word.
    sublinear_tf : bool, default=False
        1 + log(tf) instead of tf.
    add_one : bool, default=True
        Whether to add 1 to every idf.

    Attributes
    ----------
    idf_ : ndarray of shape (n_words,)
        0 for a word that occurs in no document, for which the formula is undefined with ``smooth_idf=False``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Manning, C. D., Raghavan, P. and Schütze, H. (2008). *Introduction to Information Retrieval*, section 6.2.

    Examples
    --------
    >>> from statlearn.prep import TfidfTransformer
    >>> plain = TfidfTransformer(smooth_idf=False, add_one=False, norm=None)
    >>> plain.fit_transform([[2, 1], [0, 1]]).toarray().round(4).tolist()
    [[1.3863, 0.0], [0.0, 0.0]]
    """

    _constraints = {
        "norm": [Options("l1", "l2"), None],
        "use_idf": ["boolean"],
        "smooth_idf": ["boolean"],
        "sublinear_tf": ["boolean"],
        "add_one": ["boolean"],
    }

    def __init__(self, *, norm="l2", use_idf=True, smooth_idf=True, sublinear_tf=False, add_one=True):
        super().__init__(norm=norm, use_idf=use_idf, smooth_idf=smooth_idf, sublinear_tf=sublinear_tf)
        self.add_one = add_one

    def fit(self, X, y=None):
        """Learn the weights of the words.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        refuse_repeated_names(X)
        forget(self, "idf_")  # scikit-learn's `transform` uses it if it exists
        with explained(self, X):
            super().fit(X, y)
        if self.use_idf:
            idf = self.idf_ if self.add_one else self.idf_ - 1
            self.idf_ = np.where(np.isfinite(idf), idf, 0.0).astype(idf.dtype)
        return self

    def transform(self, X, copy=True):
        """Tf-idf weights of the words.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts.
        copy : bool, default=True
            If False, a CSR matrix may be overwritten.

        Returns
        -------
        CSR matrix of shape (n_documents, n_words)
        """
        if self.sublinear_tf:
            with explained(self, X):
                counts = check_array(X, accept_sparse=["csr", "csc", "coo"], dtype=FLOATS)
            if counts.min() < 0:
                raise ValueError(f"X contains {counts.min():.3g}; sublinear_tf=True requires non-negative counts.")
            if sparse.issparse(X):  # zeros that are stored have no logarithm
                X, copy = sparse.csr_array(X, copy=True), False
                X.eliminate_zeros()
        with explained(self, X, reset=False):
            return super().transform(X, copy=copy)


class TfidfVectorizer(DocumentsMixin, text.CountVectorizer):
    r"""Tf-idf vectors of documents: word counts weighted by :class:`TfidfTransformer`.

    Extends scikit-learn's class of the same name by `add_one`, which with ``smooth_idf=False, add_one=False,
    norm=None`` gives the textbook formula :math:`tf \cdot \log(N/df)`.

    Parameters
    ----------
    input : {"content", "filename", "file"}, default="content"
        Type of the items of `raw_documents`.
    encoding : str, default="utf-8"
        Encoding of bytes.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        Treatment of invalid bytes.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        Method of removing accents.
    lowercase : bool, default=True
        Whether to convert the text to lower case.
    preprocessor : callable or None, default=None
        Replaces the preprocessing of a document.
    tokenizer : callable or None, default=None
        Replaces the splitting into words.
    stop_words : {"english"}, list or None, default=None
        Words to ignore.
    token_pattern : str or None, default=two or more word characters
        Regular expression that matches a word.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Smallest and largest length of the word sequences to count.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Unit to count.
    max_df : float or int, default=1.0
        Words in a larger fraction (or number) of documents are ignored.
    min_df : float or int, default=1
        Words in a smaller fraction (or number) of documents are ignored.
    max_features : int or None, default=None
        Maximum number of words, the most frequent ones.
    vocabulary : mapping, iterable or None, default=None
        Fixed vocabulary.
    binary : bool, default=False
        Whether to count a word only once per document.
    dtype : dtype, default=float64
        Data type of the result.
    norm : {"l1", "l2"} or None, default="l2"
        Norm of the rows.
    use_idf : bool, default=True
        Whether to weight by idf.
    smooth_idf : bool, default=True
        Whether to count one additional document that contains every word.
    sublinear_tf : bool, default=False
        1 + log(tf) instead of tf.
    add_one : bool, default=True
        Whether to add 1 to every idf.

    Attributes
    ----------
    vocabulary_ : dict
        Column index of each word.
    fixed_vocabulary_ : bool
        Whether the parameter `vocabulary` was given.
    tfidf_ : TfidfTransformer
        The fitted weights.
    idf_ : ndarray of shape (n_words,)
        Idf weight of each word, as in :class:`TfidfTransformer`. Only with ``use_idf=True``.

    References
    ----------
    Manning, C. D., Raghavan, P. and Schütze, H. (2008). *Introduction to Information Retrieval*, section 6.2.

    Examples
    --------
    >>> from statlearn.prep import TfidfVectorizer
    >>> words = TfidfVectorizer(smooth_idf=False, add_one=False, norm=None).fit(["apple pie", "apple tree"])
    >>> words.idf_.round(4).tolist(), words.get_feature_names_out().tolist()
    ([0.0, 0.6931, 0.6931], ['apple', 'pie', 'tree'])
    """

    _constraints = {**COUNT_CONSTRAINTS, "binary": ["boolean"], **TfidfTransformer._constraints}

    def __init__(
        self,
        *,
        input="content",
        encoding="utf-8",
        decode_error="strict",
        strip_accents=None,
        lowercase=True,
        preprocessor=None,
        tokenizer=None,
        analyzer="word",
        stop_words=None,
        token_pattern=r"(?u)\b\w\w+\b",
        ngram_range=(1, 1),
        max_df=1.0,
        min_df=1,
        max_features=None,
        vocabulary=None,
        binary=False,
        dtype=np.float64,
        norm="l2",
        use_idf=True,
        smooth_idf=True,
        sublinear_tf=False,
        add_one=True,
    ):
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            analyzer=analyzer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
        )
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.add_one = add_one

    @property
    def idf_(self):
        """Idf weight of each word."""
        check_is_fitted(self, "tfidf_")
        return self.tfidf_.idf_

    def fit(self, raw_documents, y=None):
        """Learn the vocabulary and the weights.

        Parameters
        ----------
        raw_documents : iterable of str
        y : ignored

        Returns
        -------
        self
        """
        self._count(raw_documents)
        return self

    def fit_transform(self, raw_documents, y=None):
        """Learn the vocabulary and the weights, and encode the documents.

        Parameters
        ----------
        raw_documents : iterable of str
        y : ignored

        Returns
        -------
        CSR matrix of shape (n_documents, n_words)
        """
        counts = self._count(raw_documents)
        return self.tfidf_.transform(counts, copy=False)

    def _count(self, raw_documents):
        check_params(self)
        counts = super().fit_transform(raw_documents)
        settings = {name: getattr(self, name) for name in TfidfTransformer._constraints}
        self.tfidf_ = TfidfTransformer(**settings).fit(counts)
        return counts

    def transform(self, raw_documents):
        """Tf-idf weights of the words in documents.

        Parameters
        ----------
        raw_documents : iterable of str

        Returns
        -------
        CSR matrix of shape (n_documents, n_words)
        """
        check_is_fitted(self, "tfidf_", msg="The TF-IDF vectorizer is not fitted")
        return self.tfidf_.transform(super().transform(raw_documents), copy=False)
