"""Kernels of strings by their common substrings."""

from collections import Counter

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, check_arguments, check_params

from ._kernel import Kernel


def check_strings(X, name="X"):
    """The strings of a sequence as a list."""
    if isinstance(X, (str, bytes)):
        raise TypeError(f"{name} must be a sequence of strings, got a single string; use [{name}].")
    if hasattr(X, "columns"):
        raise TypeError(f"{name} must be a sequence of strings, got a data frame; use one of its columns.")
    if hasattr(X, "to_list"):  # a column of a data frame
        X = X.to_list()
    elif isinstance(X, np.ndarray):
        X = X.ravel().tolist() if X.ndim == 1 or (X.ndim == 2 and X.shape[1] == 1) else X.tolist()
    try:
        strings = list(X)
    except TypeError:
        raise TypeError(f"{name} must be a sequence of strings, got {type(X).__name__}.") from None
    for i, value in enumerate(strings):
        if not isinstance(value, str):
            raise TypeError(f"{name} must contain strings only, got {value!r} at position {i}.")
    if not strings:
        raise ValueError(f"{name} must contain at least one string, got an empty sequence.")
    return strings


def substring_counts(string, m):
    """How often each substring of length m occurs, overlaps included."""
    return Counter(string[i : i + m] for i in range(len(string) - m + 1))


def count_matrix(strings, m, vocabulary, grow):
    """Sparse counts of substrings by the columns of `vocabulary`, which is extended if `grow`; others are ignored."""
    values, columns, starts = [], [], [0]
    for string in strings:
        for word, count in substring_counts(string, m).items():
            column = vocabulary.setdefault(word, len(vocabulary)) if grow else vocabulary.get(word)
            if column is not None:
                values.append(count)
                columns.append(column)
        starts.append(len(values))
    X = sparse.csr_array(
        (np.array(values, dtype=np.float64), np.array(columns, dtype=np.int64), np.array(starts, dtype=np.int64)),
        shape=(len(strings), len(vocabulary)),
    )
    X.sort_indices()
    return X


def spectrum_kernel(X, Y=None, m=3, *, normalize=False):
    r"""Spectrum kernel of strings: inner products of the counts of substrings of length m.

    .. math:: k(x, z) = \sum_{|u| = m} c_u(x) \, c_u(z)

    where :math:`c_u(x)` counts how often u occurs in x, overlapping occurrences included.

    Parameters
    ----------
    X : sequence of str
    Y : sequence of str or None, default=None
        None means X itself.
    m : int, default=3
        Length of the substrings.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(x, x) \, k(z, z)}`, so that long strings are comparable with short ones. A
        string shorter than m then has the value 0 with every string, itself included.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    See Also
    --------
    SpectrumVectorizer : the counts themselves.

    Notes
    -----
    The cost is that of counting the substrings and of a sparse matrix product. Normalise before comparing strings of
    different lengths: the plain kernel grows with the length.

    References
    ----------
    Leslie, Eskin and Noble (2002), The spectrum kernel: a string kernel for SVM protein classification.

    Examples
    --------
    >>> from statlearn.kernels import spectrum_kernel
    >>> spectrum_kernel(["banana", "bandana"], m=2)
    array([[9., 7.],
           [7., 8.]])
    """
    check_arguments(spectrum_kernel, m=(m, [Int(1, None)]), normalize=(normalize, ["boolean"]))
    left = check_strings(X)
    right = [] if Y is None else check_strings(Y, "Y")
    n, k = len(left), len(right) if right else len(left)
    require_memory(8 * n * k, f"The {n:,} x {k:,} kernel matrix", "Use fewer strings.")
    counts = count_matrix(left + right, m, {}, grow=True)
    if normalize:
        lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel())
        counts = (sparse.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ counts).tocsr()
    return (counts[:n] @ (counts[n:] if right else counts).T).toarray()


class SpectrumKernel(Kernel):
    """Spectrum kernel of strings as an object.

    Parameters
    ----------
    m : int, default=3
        Length of the substrings.
    normalize : bool, default=False
        Whether to divide by the norms of the two strings.

    See Also
    --------
    spectrum_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import SpectrumKernel
    >>> (SpectrumKernel(1) + SpectrumKernel(2))(["aab", "ab"])
    array([[7., 4.],
           [4., 3.]])
    """

    _constraints = {"m": [Int(1, None)], "normalize": ["boolean"]}

    def __init__(self, m=3, *, normalize=False):
        self.m = m
        self.normalize = normalize

    def __call__(self, X, Y=None):
        check_params(self)
        return spectrum_kernel(X, Y, self.m, normalize=self.normalize)

    def diag(self, X):
        check_params(self)
        squares = [sum(c * c for c in substring_counts(s, self.m).values()) for s in check_strings(X)]
        return np.array([float(s > 0) for s in squares] if self.normalize else squares, dtype=np.float64)

    diag.__doc__ = Kernel.diag.__doc__


class SpectrumVectorizer(TransformerMixin, BaseEstimator):
    """Counts of the substrings of length m of strings, the explicit features of the spectrum kernel.

    Parameters
    ----------
    m : int, default=3
        Length of the substrings.
    normalize : bool, default=False
        Whether to scale each row to length 1; strings without a known substring keep zeros.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each substring, in alphabetical order.

    See Also
    --------
    spectrum_kernel : inner products of these rows.

    Notes
    -----
    Substrings that did not occur in `fit` are ignored by `transform`, so inner products of new strings with one another
    can be smaller than their kernel; those with training strings are exact.

    Examples
    --------
    >>> from statlearn.kernels import SpectrumVectorizer
    >>> vectorizer = SpectrumVectorizer(m=2).fit(["banana", "bandana"])
    >>> vectorizer.get_feature_names_out()
    array(['an', 'ba', 'da', 'na', 'nd'], dtype=object)
    >>> vectorizer.transform(["banana", "bandana"]).toarray()
    array([[2., 1., 0., 2., 0.],
           [2., 1., 1., 1., 1.]])
    """

    _constraints = {"m": [Int(1, None)], "normalize": ["boolean"]}

    def __init__(self, m=3, *, normalize=False):
        self.m = m
        self.normalize = normalize

    def fit(self, X, y=None):
        """Learn the substrings.

        Parameters
        ----------
        X : sequence of str
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        words = set()
        for string in check_strings(X):
            words.update(substring_counts(string, self.m))
        self.vocabulary_ = {word: j for j, word in enumerate(sorted(words))}
        return self

    def transform(self, X):
        """Count the substrings.

        Parameters
        ----------
        X : sequence of str

        Returns
        -------
        sparse array of shape (n_samples, n_substrings)
        """
        check_is_fitted(self)
        counts = count_matrix(check_strings(X), self.m, self.vocabulary_, grow=False)
        if not self.normalize:
            return counts
        lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
        return (sparse.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ counts).tocsr()

    def get_feature_names_out(self, input_features=None):
        """The substrings.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects
        """
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
