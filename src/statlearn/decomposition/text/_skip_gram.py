"""Skip-gram word vectors with negative sampling."""

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import ConvergenceWarning, warn

from ._cooccurrence import WINDOW_RULES, CooccurrenceMatrix
from ._svd import truncated_svd
from ._word_vectors import WordVectorsMixin

_BLOCK_CELLS = 2_000_000  # of the matrix of all pairs that are in memory together


class SkipGramEmbedding(WordVectorsMixin, BaseEstimator):
    r"""Word vectors by skip-gram with negative sampling (word2vec).

    Every word i has a vector :math:`u_i` and, as a context, another one :math:`v_i`. Logistic regression
    on :math:`u_i^\top v_j` separates the pairs of words within a window from pairs of a word and k noise words. With
    :math:`n_{ij}` the number of pairs, n their sum and q the distribution of the noise, the fit minimises

    .. math:: -\frac{1}{n} \sum_{ij} \Big( n_{ij} \log \sigma(u_i^\top v_j)
              + k\, n_{i\cdot}\, q_j \log \sigma(-u_i^\top v_j) \Big),
              \qquad q_j \propto n_{\cdot j}^{\,a}.

    This is the expectation of what word2vec minimises by drawing noise words. Nothing is drawn here, so that the
    result depends on the corpus and the start only.

    Parameters
    ----------
    n_components : int, default=100
        Length of the vectors.
    window : int, default=5
        Largest distance of words that count as a pair.
    n_negative : float, default=5
        Number k of noise words per pair.
    noise_exponent : float, default=0.75
        Exponent a of the noise. 1 draws words as often as they occur, 0 all equally often.
    subsample : float or None, default=None
        Threshold t of the frequencies of words, such as 1e-3. Of a word of frequency f > t, the share
        :math:`\sqrt{t/f} + t/f` of the occurrences (at most all) counts. None counts all.
    weighting : {"linear", "uniform", "harmonic"}, default="linear"
        Weight of a pair by its distance, as in :class:`CooccurrenceMatrix`. "linear" is the expectation of word2vec's
        windows of random size.
    max_iter : int, default=1000
        Maximum number of steps of L-BFGS.
    tol : float, default=1e-5
        The fit stops when a step lowers the objective by less than this share of it.
    min_count : int, default=1
        Smallest number of occurrences of a word of the vocabulary. word2vec's default is 5.
    max_words : int or None, default=None
        Maximum size of the vocabulary; the most frequent words are kept.
    vocabulary : array-like of str or None, default=None
        The words, if they are given.
    lowercase : bool, default=True
        Whether to convert texts to lower case.
    tokenizer : callable or None, default=None
        Function from a text to a list of words; see :class:`CooccurrenceMatrix`.
    random_state : int, RandomState or None, default=None
        Seed of the noise that is added to the start.

    Attributes
    ----------
    vocabulary_ : ndarray of str of shape (n_words,)
    vectors_ : ndarray of shape (n_words, n_components)
        The vectors u.
    context_vectors_ : ndarray of shape (n_words, n_components)
        The vectors v.
    noise_ : ndarray of shape (n_words,)
        Distribution q of the noise words.
    objective_ : float
        The objective above at the vectors.
    n_iter_ : int

    See Also
    --------
    PMIEmbedding : the same idea by a singular value decomposition.

    Notes
    -----
    Where the vectors are long enough and the pair (i, j) occurs, the best :math:`u_i^\top v_j` is
    :math:`\log(n_{ij} / (n_{i\cdot} q_j)) - \log k`: with exponent 1 the pointwise mutual information shifted by
    log k. For a pair that never occurs it is :math:`-\infty`; short vectors and the end of the iterations bound it.

    L-BFGS starts from a singular value decomposition of the positive part of :math:`\log(n_{ij} / (n_{i\cdot} q_j))`.
    A step costs about 6 n_components operations for each of n_words² pairs: seconds for a thousand words, minutes for
    ten thousand. For larger vocabularies, use vectors that were trained elsewhere (:meth:`from_vectors`). Vectors of
    small corpora are poor, whatever the method.

    References
    ----------
    Mikolov, Sutskever, Chen, Corrado & Dean (2013), Distributed representations of words and phrases and their
    compositionality, NIPS. Levy & Goldberg (2014), Neural word embedding as implicit matrix factorization, NIPS.

    Examples
    --------
    >>> from statlearn.decomposition import SkipGramEmbedding
    >>> texts = ["red apple", "green apple", "red pear", "green pear", "fast car", "slow car", "fast train"]
    >>> model = SkipGramEmbedding(3, window=1, n_negative=1, random_state=0).fit(texts)
    >>> model.nearest("apple", n=1)[0][0]
    'pear'
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "n_negative": [Real(0, None, closed="neither")],
        "noise_exponent": [Real(0, None)],
        "subsample": [Real(0, None, closed="neither"), None],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "random_state": ["random_state"],
        **{name: rule for name, rule in WINDOW_RULES.items() if name != "symmetric"},
        "weighting": [Options("linear", "uniform", "harmonic")],
    }

    def __init__(
        self,
        n_components=100,
        *,
        window=5,
        n_negative=5,
        noise_exponent=0.75,
        subsample=None,
        weighting="linear",
        max_iter=1000,
        tol=1e-5,
        min_count=1,
        max_words=None,
        vocabulary=None,
        lowercase=True,
        tokenizer=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.window = window
        self.n_negative = n_negative
        self.noise_exponent = noise_exponent
        self.subsample = subsample
        self.weighting = weighting
        self.max_iter = max_iter
        self.tol = tol
        self.min_count = min_count
        self.max_words = max_words
        self.vocabulary = vocabulary
        self.lowercase = lowercase
        self.tokenizer = tokenizer
        self.random_state = random_state

    @classmethod
    def from_vectors(cls, words, vectors):
        """Word vectors that were trained elsewhere, with the methods of this class.

        Parameters
        ----------
        words : array-like of str of shape (n_words,)
        vectors : array-like of shape (n_words, n_components)

        Returns
        -------
        fitted SkipGramEmbedding

        Examples
        --------
        >>> from statlearn.decomposition import SkipGramEmbedding
        >>> model = SkipGramEmbedding.from_vectors(["cat", "dog", "car"], [[1.0, 0.2], [0.9, 0.4], [0.0, 1.0]])
        >>> model.nearest("cat", n=1)[0][0]
        'dog'
        """
        words, vectors = np.asarray(words), check_array(vectors, dtype=np.float64, input_name="vectors")
        if words.ndim != 1 or words.dtype.kind not in "UO" or not all(isinstance(word, str) for word in words):
            raise ValueError("`words` must be a one-dimensional list of texts.")
        if len(words) != len(vectors):
            raise ValueError(f"`vectors` must have a row per word: {len(words)} words, {len(vectors)} rows.")
        if len(set(words.tolist())) < len(words):
            raise ValueError("`words` contains a word twice.")
        model = cls(vectors.shape[1])
        model.vocabulary_, model.vectors_ = words.astype(str), vectors
        return model

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
        matrix = CooccurrenceMatrix(
            self.window,
            weighting=self.weighting,
            min_count=self.min_count,
            max_words=self.max_words,
            vocabulary=self.vocabulary,
            lowercase=self.lowercase,
            tokenizer=self.tokenizer,
        ).fit(X)
        counts = self._counted(matrix)
        if counts.nnz == 0:
            raise ValueError("X contains no two words of the vocabulary in one window.")
        problem = SkipGramProblem(counts, self.n_negative, self.noise_exponent)
        shape = (counts.shape[0], self.n_components)
        with single_blas_thread():
            start = problem.start(self.n_components, check_random_state(self.random_state))
            result = minimize(
                problem.scaled, start, args=(self.n_components,), jac=True, method="L-BFGS-B",
                options={"maxiter": self.max_iter, "maxfun": 2 * self.max_iter + 20, "ftol": self.tol, "gtol": 1e-9},
            )  # fmt: skip
        if result.nit >= self.max_iter or result.status == 1:
            warn(
                f"SkipGramEmbedding: the objective still fell by more than `tol`={self.tol:g} of it after {result.nit} "
                "steps. Increase `max_iter` or `tol`.",
                ConvergenceWarning,
            )
        self.vocabulary_ = matrix.vocabulary_
        self.vectors_, self.context_vectors_ = problem.vectors(result.x, shape)
        self.noise_, self.objective_, self.n_iter_ = problem.noise, float(result.fun), int(result.nit)
        return self

    def _counted(self, matrix):
        """Counts of pairs after frequent words are subsampled."""
        counts = matrix.matrix_.astype(np.float64).tocsr()
        if self.subsample is None:
            return counts
        with np.errstate(divide="ignore"):
            ratio = self.subsample / (matrix.word_counts_ / matrix.word_counts_.sum())
        share = np.where(matrix.word_counts_ > 0, np.minimum(np.sqrt(ratio) + ratio, 1.0), 1.0)
        counts = counts.multiply(share[:, None]).multiply(share[None, :])
        return counts.tocsr()


def _inverse_root(shares):
    """1 / sqrt of shares in units of their mean, 1 where a share is 0."""
    return 1.0 / np.sqrt(np.where(shares > 0, shares / shares.mean(), 1.0))


class SkipGramProblem:
    """The objective of skip-gram with negative sampling, from a sparse matrix of counts."""

    def __init__(self, counts, n_negative, noise_exponent):
        counts = counts.tocsr()
        self.total = counts.sum()
        self.counts = counts / self.total
        self.rows = np.asarray(self.counts.sum(axis=1)).ravel() * n_negative
        contexts = np.asarray(counts.sum(axis=0)).ravel()
        noise = np.where(contexts > 0, contexts, 0.0) ** noise_exponent * (contexts > 0)
        self.noise = noise / noise.sum()
        # Coordinates in which the curvature of frequent and of rare words is alike.
        self.scale = [_inverse_root(self.rows), _inverse_root(contexts / self.total + n_negative * self.noise)]

    def start(self, n_components, rng):
        """Coordinates of the factors of the positive part of log(n_ij / (n_i q_j)), with noise against symmetry."""
        pairs = self.counts.tocoo()
        rows = np.asarray(self.counts.sum(axis=1)).ravel()
        value = np.log(pairs.data / (rows[pairs.row] * self.noise[pairs.col]))
        above = value > 0
        M = sparse.csr_matrix((value[above], (pairs.row[above], pairs.col[above])), shape=self.counts.shape)
        factors = rng.uniform(-0.05, 0.05, size=(2, self.counts.shape[0], n_components)) / np.sqrt(n_components)
        if M.nnz:
            U, s, Vt = truncated_svd(M, n_components)
            factors[0, :, : len(s)] += U * np.sqrt(s)
            factors[1, :, : len(s)] += Vt.T * np.sqrt(s)
        return np.concatenate([(part / scale[:, None]).ravel() for part, scale in zip(factors, self.scale)])

    def vectors(self, coordinates, shape):
        """The vectors u and v."""
        return [part.reshape(shape) * scale[:, None] for part, scale in zip(np.split(coordinates, 2), self.scale)]

    def scaled(self, coordinates, n_components):
        """The objective and its gradient in the scaled coordinates."""
        shape = (self.counts.shape[0], n_components)
        parameters = np.concatenate([part.ravel() for part in self.vectors(coordinates, shape)])
        value, gradient = self.value_and_gradient(parameters, n_components)
        return value, np.concatenate([part.ravel() for part in self.vectors(gradient, shape)])

    def value_and_gradient(self, parameters, n_components):
        """The objective and its gradient at u and v end to end."""
        U, V = (part.reshape(-1, n_components) for part in np.split(parameters, 2))
        gradient_u, gradient_v, value = np.empty_like(U), np.zeros_like(V), 0.0
        step = max(1, _BLOCK_CELLS // len(V))
        for first in range(0, len(U), step):
            block = slice(first, first + step)
            Z = U[block] @ V.T
            pairs = self.counts[block].tocoo()
            z = Z[pairs.row, pairs.col]
            weight = self.rows[block, None] * self.noise
            value -= pairs.data @ log_expit(z) + np.sum(weight * log_expit(-Z))
            G = weight * expit(Z)
            G[pairs.row, pairs.col] -= pairs.data * expit(-z)
            gradient_u[block] = G @ V
            gradient_v += G.T @ U[block]
        return value, np.concatenate([gradient_u.ravel(), gradient_v.ravel()])
