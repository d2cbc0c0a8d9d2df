"""Latent Dirichlet allocation: topics of documents by variational Bayes."""

import numpy as np
from scipy import sparse
from scipy.special import gammaln, psi
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, check_non_negative

from statlearn._core.callbacks import CallbackSupportMixin, FitSteps, with_callbacks
from statlearn._core.jobs import jobs
from statlearn._core.native import decomposition as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.linalg.sparse_arrays import compressed_arrays


def expected_log(parameters):
    """Expected logarithms under Dirichlet distributions, one per row."""
    return psi(parameters) - psi(parameters.sum(axis=1, keepdims=True))


def dirichlet_terms(prior, parameters, logs):
    """E log p - E log q of Dirichlet distributions with a symmetric prior, one per row, summed."""
    k = parameters.shape[1]
    terms = np.sum((prior - parameters) * logs) + np.sum(gammaln(parameters)) - parameters.size * gammaln(prior)
    return terms + np.sum(gammaln(prior * k) - gammaln(parameters.sum(axis=1)))


class LatentDirichletAllocation(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Latent Dirichlet allocation: documents as mixtures of topics, topics as distributions of words.

    Document d draws shares :math:`\theta_d \sim \mathrm{Dir}(a)` of the topics, each of its words a topic z from
    :math:`\theta_d` and then the word from :math:`\beta_z`, where :math:`\beta_k \sim \mathrm{Dir}(b)`. The posterior
    is approximated by independent Dirichlet distributions, with parameters :math:`\gamma_d` of the documents and
    :math:`\lambda_k` of the topics that maximise the evidence lower bound.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics.
    doc_topic_prior : float or None, default=None
        The parameter a. Small values give documents few topics. None means 1 / `n_components`.
    topic_word_prior : float or None, default=None
        The parameter b. Small values give topics few words. None means 1 / `n_components`.
    learning_method : {"batch", "online"}, default="batch"
        Whether all documents or a batch of them pass before the topics change. Online passes are faster on many
        documents.
    learning_decay : float, default=0.7
        Exponent between 0.5 (excluded) and 1 of the online step lengths, for convergence.
    learning_offset : float, default=10.0
        Added to the number of the step in the online step lengths.
    max_iter : int, default=10
        Number of passes over the documents.
    batch_size : int, default=128
        Documents per online step.
    evaluate_every : int, default=-1
        Look at the perplexity after this many passes and stop if it changes by less than `perp_tol`; 0 and negative
        values never do, which is faster.
    total_samples : float, default=1e6
        Number of documents in all, for `partial_fit`.
    perp_tol : float, default=0.1
        See `evaluate_every`.
    mean_change_tol : float, default=1e-3
        Stop the updates of a document when the mean change of its parameters is smaller.
    max_doc_update_iter : int, default=100
        Maximum number of updates of a document in a pass.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        Positive values print a line per pass.
    random_state : int, RandomState or None, default=None
        Seed of the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Parameters :math:`\lambda` of the topics: expected counts of the words plus the prior. Divide by the row sums
        for the distributions of words.
    exp_dirichlet_component_ : ndarray of shape (n_components, n_features)
        Exponentials of the expected logarithms of the topics.
    n_iter_ : int
        Passes over the documents.
    n_batch_iter_ : int
        Steps of the topics.
    bound_ : float
        Perplexity of the training documents at the end.
    doc_topic_prior_ : float
        The parameter a in use.
    topic_word_prior_ : float
        The parameter b in use.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    LSA : Latent semantic analysis, by singular values.
    NMF : With the Kullback-Leibler loss, the same mixtures without priors.

    Notes
    -----
    Counts of words go in, not tf-idf weights. The bound has many maxima: topics depend on the start, so compare several
    seeds before you interpret them. `perplexity` of documents that took no part in the fit chooses the number of
    topics, though readers often prefer fewer. With the same seed the topics are those of scikit-learn up to rounding.

    A pass costs O(k) per entry of the table and update. All sums have a fixed order, so the bits do not
    depend on the number of threads.

    References
    ----------
    Blei, D., Ng, A. and Jordan, M. (2003). Latent Dirichlet allocation. *Journal of Machine Learning Research* 3.

    Hoffman, M., Blei, D. and Bach, F. (2010). Online learning for latent Dirichlet allocation. *NIPS*.

    Examples
    --------
    >>> from statlearn.decomposition import LatentDirichletAllocation
    >>> counts = [[5, 4, 0, 0], [4, 6, 1, 0], [0, 0, 5, 3], [0, 1, 4, 6]]
    >>> model = LatentDirichletAllocation(n_components=2, random_state=0).fit(counts)
    >>> shares = model.transform(counts)
    >>> bool(shares[0].argmax() == shares[1].argmax() != shares[2].argmax() == shares[3].argmax())
    True
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "doc_topic_prior": [Real(0, None, closed="neither"), None],
        "topic_word_prior": [Real(0, None, closed="neither"), None],
        "learning_method": [Options("batch", "online")],
        "learning_decay": [Real(0, 1, closed="both")],
        "learning_offset": [Real(1.0, None)],
        "max_iter": [Int(0, None)],
        "batch_size": [Int(1, None)],
        "evaluate_every": [Int(None, None)],
        "total_samples": [Real(0, None, closed="neither")],
        "perp_tol": [Real(0, None)],
        "mean_change_tol": [Real(0, None)],
        "max_doc_update_iter": [Int(0, None)],
        "n_jobs": [Int(None, None), None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=10,
        *,
        doc_topic_prior=None,
        topic_word_prior=None,
        learning_method="batch",
        learning_decay=0.7,
        learning_offset=10.0,
        max_iter=10,
        batch_size=128,
        evaluate_every=-1,
        total_samples=1e6,
        perp_tol=0.1,
        mean_change_tol=1e-3,
        max_doc_update_iter=100,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.evaluate_every = evaluate_every
        self.total_samples = total_samples
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @with_callbacks
    def fit(self, X, y=None):
        """Learn the topics.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts of words in documents.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X, dtype = self._counts(X, reset=True)
        rng = check_random_state(self.random_state)
        self._start(X.shape[1], dtype, rng)
        last = np.inf
        with jobs(self.n_jobs), FitSteps(self, X, None, max_steps=self.max_iter, name="pass") as steps:
            for step in range(1, self.max_iter + 1):
                steps.begin()
                self.n_iter_ = step
                if self.learning_method == "online":
                    for batch in gen_batches(X.shape[0], self.batch_size):
                        self._step(X[batch], X.shape[0], rng, batch_update=False)
                else:
                    self._step(X, X.shape[0], rng, batch_update=True)
                value = None
                if self.evaluate_every > 0 and self.n_iter_ % self.evaluate_every == 0:
                    value = self._perplexity(X, self._documents(X, rng)[0])
                self._report(value)
                done = value is not None and abs(last - value) < self.perp_tol
                if steps.end(lambda: {"components_": self.components_}) or done:
                    break
                last = last if value is None else value
            self.bound_ = self._perplexity(X, self._documents(X)[0])
        self._seed = int(rng.randint(2**31 - 1))
        return self

    def partial_fit(self, X, y=None):
        """Learn from further documents, in batches of `batch_size`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        first = not hasattr(self, "components_")
        X, dtype = self._counts(X, reset=first)
        if first:
            rng = check_random_state(self.random_state)
            self._start(X.shape[1], dtype, rng)
            self._seed = int(rng.randint(2**31 - 1))
        with jobs(self.n_jobs):
            for batch in gen_batches(X.shape[0], self.batch_size):
                rng = np.random.RandomState((self._seed + self.n_batch_iter_) % 2**32)
                self._step(X[batch], self.total_samples, rng, batch_update=False)
        return self

    def transform(self, X, *, normalize=True):
        """Shares of the topics in documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        normalize : bool, default=True
            Divide the parameters of a document by their sum, which gives the expected shares.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X, dtype = self._counts(X, reset=False)
        with jobs(self.n_jobs):
            shares, _ = self._documents(X)
        if normalize:
            shares /= shares.sum(axis=1, keepdims=True)
        return shares.astype(dtype, copy=False)

    def fit_transform(self, X, y=None, *, normalize=True):
        """Learn the topics, and return their shares in the documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        normalize : bool, default=True
            As in `transform`.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).transform(X, normalize=normalize)

    def score(self, X, y=None):
        """Lower bound of the log-likelihood of documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X, _ = self._counts(X, reset=False)
        with jobs(self.n_jobs):
            return self._bound(X, self._documents(X)[0], sub_sampling=False)

    def perplexity(self, X, sub_sampling=False):
        """Perplexity of documents: exp(-bound per word). Lower is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        sub_sampling : bool, default=False
            Whether X is a sample of `total_samples` documents.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X, _ = self._counts(X, reset=False)
        with jobs(self.n_jobs):
            return self._perplexity(X, self._documents(X)[0], sub_sampling)

    # ---- Parts of a fit ----

    def _counts(self, X, reset):
        """The counts as sparse rows in double precision, and the precision of the result."""
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=FLOATS)
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return sparse.csr_array(X, dtype=np.float64), X.dtype

    def _start(self, n_words, dtype, rng):
        k = self.n_components
        self.doc_topic_prior_ = 1.0 / k if self.doc_topic_prior is None else self.doc_topic_prior
        self.topic_word_prior_ = 1.0 / k if self.topic_word_prior is None else self.topic_word_prior
        self.n_iter_, self.n_batch_iter_ = 0, 1
        self._tol, self._max_updates = float(self.mean_change_tol), int(self.max_doc_update_iter)
        self._set_topics(rng.gamma(100.0, 0.01, (k, n_words)), dtype)

    def _set_topics(self, components, dtype):
        self.components_ = components.astype(dtype, copy=False)
        self.exp_dirichlet_component_ = np.exp(expected_log(components)).astype(dtype, copy=False)
        self._word = np.ascontiguousarray(self.exp_dirichlet_component_.T, dtype=np.float64)

    def _documents(self, X, rng=None):
        """Parameters and expected shares of the topics in documents, from random or equal parameters."""
        shape = (X.shape[0], self.components_.shape[0])
        gamma = np.ones(shape) if rng is None else rng.gamma(100.0, 0.01, shape)
        theta = np.empty(shape)
        native.document_topics(
            *compressed_arrays(X), self._word, float(self.doc_topic_prior_), self._tol, self._max_updates, gamma, theta
        )
        return gamma, theta

    def _step(self, X, total, rng, *, batch_update):
        """Expected counts of the words in the topics, and a step of the topics towards them."""
        _, theta = self._documents(X, rng)
        statistics = np.empty_like(self._word)
        native.word_statistics(*compressed_arrays(sparse.csr_array(X.T)), self._word, theta, statistics)
        target = self.topic_word_prior_ + statistics.T * (1.0 if batch_update else total / X.shape[0])
        if not batch_update:
            weight = (self.learning_offset + self.n_batch_iter_) ** -self.learning_decay
            target = (1.0 - weight) * self.components_ + weight * target
        self._set_topics(np.ascontiguousarray(target), self.components_.dtype)
        self.n_batch_iter_ += 1

    def _bound(self, X, gamma, sub_sampling):
        logs = expected_log(gamma)
        theta = np.ascontiguousarray(np.exp(logs))
        value = native.mixture_log_likelihood(*compressed_arrays(X), self._word, theta)
        value += dirichlet_terms(self.doc_topic_prior_, gamma, logs)
        if sub_sampling:
            value *= float(self.total_samples) / X.shape[0]
        components = np.asarray(self.components_, dtype=np.float64)
        return float(value + dirichlet_terms(self.topic_word_prior_, components, expected_log(components)))

    def _perplexity(self, X, gamma, sub_sampling=False):
        words = X.sum() * (self.total_samples / X.shape[0] if sub_sampling else 1.0)
        if words == 0:
            raise ValueError("X must contain at least one word, got documents without any.")
        return float(np.exp(-self._bound(X, gamma, sub_sampling) / words))

    def _report(self, value):
        if self.verbose:
            more = "" if value is None else f", perplexity {value:.4f}"
            print(f"[LDA] pass {self.n_iter_} of at most {self.max_iter}{more}", flush=True)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
