"""Restricted Boltzmann machines."""

import time

import numpy as np
from scipy import sparse
from scipy.special import expit, logsumexp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.fitted_state import forget
from statlearn._core.native import graphical as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, encode_classes, require_finite, validate_data
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.linalg.sparse_arrays import stored_values, to_dense

_CHUNK = 4096  # rows of a sparse table that are made dense at a time


class BernoulliRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Restricted Boltzmann machine with binary units.

    .. math:: p(v, h) \propto \exp(b^\top v + c^\top h + h^\top W v)

    Hidden units are independent given the visible ones, with :math:`P(h_k = 1 \mid v) = \sigma(c_k + W_k v)`, and vice
    versa. Learns by gradient steps whose negative phase comes from short Gibbs chains.

    Parameters
    ----------
    n_components : int, default=256
        Number of hidden units.
    learning_rate : float, default=0.1
        Step size, divided by the rows of a batch.
    batch_size : int, default=10
        Rows per step.
    n_iter : int, default=10
        Passes over the rows.
    verbose : int, default=0
        Whether to print the pseudo-likelihood and the time of each pass.
    random_state : int, RandomState or None, default=None
        Seed of the start values and of the chains.
    method : {"pcd", "cd"}, default="pcd"
        Where the Gibbs chains of a step start: where they were left (persistent contrastive divergence, as in
        scikit-learn), or at the rows of the batch (contrastive divergence).
    k : int, default=1
        Gibbs steps per chain and step.
    n_labels : int, default=0
        Number of label units: the last `n_labels` columns of X are one-hot labels, which `predict_label` fills in. See
        `with_labels`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Weights W.
    intercept_hidden_ : ndarray of shape (n_components,)
        Biases c.
    intercept_visible_ : ndarray of shape (n_features,)
        Biases b.
    h_samples_ : ndarray of shape (batch_size, n_components)
        States of the persistent chains.
    reconstruction_errors_ : ndarray of shape (n_iter,)
        Mean squared difference between the rows and their reconstruction in each pass.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    stack_rbms : several layers, trained one after another.
    BoltzmannMachine : connections within a layer.

    Notes
    -----
    X should contain values in [0, 1], which are read as probabilities; a warning is given for others, which
    scikit-learn accepts in silence. The likelihood itself is
    not available beyond small sizes. `score_samples` estimates a pseudo-likelihood, and the reconstruction error may
    fall while the likelihood does, too. A pass costs 5 n_features n_components operations per row, of which zeros of
    binary data are skipped.

    References
    ----------
    Hinton, G. (2002). Training products of experts by minimizing contrastive divergence. Neural Computation 14,
    1771-1800.

    Tieleman, T. (2008). Training restricted Boltzmann machines using approximations to the likelihood gradient. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import BernoulliRBM
    >>> X = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> BernoulliRBM(n_components=2, random_state=0).fit_transform(X).shape
    (4, 2)
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "learning_rate": [Real(0, None, closed="neither")],
        "batch_size": [Int(1, 100_000)],
        "n_iter": [Int(0, None)],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "method": [Options("pcd", "cd")],
        "k": [Int(1, 1000)],
        "n_labels": [Int(0, None)],
    }

    def __init__(
        self,
        n_components=256,
        *,
        learning_rate=0.1,
        batch_size=10,
        n_iter=10,
        verbose=0,
        random_state=None,
        method="pcd",
        k=1,
        n_labels=0,
    ):
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.k = k
        self.n_labels = n_labels

    def _validated(self, X, *, reset):
        return validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=reset)

    def _start(self, X, rng):
        p = X.shape[1]
        if self.n_labels > p:
            raise ValueError(f"`n_labels`={self.n_labels} exceeds the {p} columns of X.")
        self.components_ = np.asarray(rng.normal(0.0, 0.01, (self.n_components, p)), order="F", dtype=X.dtype)
        self._n_features_out = self.n_components
        self.intercept_hidden_ = np.zeros(self.n_components, dtype=X.dtype)
        self.intercept_visible_ = np.zeros(p, dtype=X.dtype)
        self.h_samples_ = np.zeros((self.batch_size, self.n_components), dtype=X.dtype)

    def fit(self, X, y=None):
        """Learn the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Values in [0, 1].
        y : ignored

        Returns
        -------
        self : BernoulliRBM
        """
        check_params(self)
        X = self._validated(X, reset=True)
        _warn_if_outside(X, type(self).__name__)
        rng = check_random_state(self.random_state)
        self._start(X, rng)
        forget(self, "_seed_", "_step_", "_gibbs_random_")  # of `partial_fit` and `gibbs`
        seed, step, errors = int(rng.randint(2**31)), 0, []
        begin = time.time()
        for iteration in range(1, self.n_iter + 1):
            error, step = self._pass(X, seed, step)
            errors.append(error)
            if self.verbose:
                end = time.time()
                likelihood = self.score_samples(X).mean()
                print(
                    f"[{type(self).__name__}] Iteration {iteration}, pseudo-likelihood = {likelihood:.2f}, "
                    f"time = {end - begin:.2f}s"
                )
                begin = end
        self.reconstruction_errors_ = np.array(errors)
        self.n_iter_ = self.n_iter
        return self

    def partial_fit(self, X, y=None):
        """One pass over a block of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : BernoulliRBM
        """
        check_params(self)
        first = not hasattr(self, "components_")
        X = self._validated(X, reset=first)
        _warn_if_outside(X, type(self).__name__)
        if first:
            rng = check_random_state(self.random_state)
            self._start(X, rng)
            self._seed_, self._step_ = int(rng.randint(2**31)), 0
            self.n_iter_ = 0
        elif not hasattr(self, "_seed_"):
            self._seed_, self._step_ = int(check_random_state(self.random_state).randint(2**31)), 2**40
        X = X.astype(self.components_.dtype, copy=False)
        _, self._step_ = self._pass(X, self._seed_, self._step_)
        self.n_iter_ += 1
        return self

    def _pass(self, X, seed, step):
        """Perform one pass; returns the mean squared reconstruction error and the number of steps so far."""
        W = np.ascontiguousarray(self.components_.T)
        rows = X.shape[0]
        chunk = rows if not sparse.issparse(X) else max(self.batch_size, _CHUNK // self.batch_size * self.batch_size)
        total = 0.0
        with single_blas_thread():  # products of a batch are too small for the threads of BLAS
            for start in range(0, rows, chunk):
                part = X[start : start + chunk]
                part = np.ascontiguousarray(to_dense(part))
                error = native.rbm_epoch(
                    part,
                    self.batch_size,
                    self.k,
                    self.method == "pcd",
                    float(self.learning_rate),
                    seed,
                    step,
                    W,
                    self.intercept_visible_,
                    self.intercept_hidden_,
                    self.h_samples_,
                )
                total += error * len(part)
                step += -(-len(part) // self.batch_size)
        require_finite(W, self.intercept_visible_, self.intercept_hidden_, remedy="Reduce `learning_rate`, or scale X.")
        self.components_ = np.asarray(W.T, order="F")
        return total / rows, step

    def _mean_hiddens(self, v):
        return expit(v @ self.components_.T + self.intercept_hidden_)

    def transform(self, X):
        """Probabilities of the hidden units.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False, dtype=FLOATS)
        return self._mean_hiddens(X)

    def gibbs(self, v):
        """One Gibbs step: hidden units given `v`, then visible units.

        Parameters
        ----------
        v : ndarray of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if not hasattr(self, "_gibbs_random_"):
            self._gibbs_random_ = check_random_state(self.random_state)
        rng = self._gibbs_random_
        h = rng.random_sample((np.shape(v)[0], self.components_.shape[0])) < self._mean_hiddens(v)
        mean = expit(h @ self.components_ + self.intercept_visible_)
        return rng.random_sample(mean.shape) < mean

    def free_energy(self, X):
        r"""Free energy :math:`-b^\top v - \sum_k \log(1 + e^{c_k + W_k v})`, minus log-probability plus a constant.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False, dtype=FLOATS)
        return self._free_energy(X)

    def _free_energy(self, v):
        hidden = np.logaddexp(0, v @ self.components_.T + self.intercept_hidden_).sum(axis=1)
        return -(v @ self.intercept_visible_) - hidden

    def score_samples(self, X):
        """Stochastic pseudo-log-likelihood of each row: one random unit is flipped.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        # Differences of energies: sums of single precision overflow where they do not.
        v = validate_data(self, X, accept_sparse="csr", reset=False, dtype=np.float64)
        rng = check_random_state(self.random_state)
        rows = np.arange(v.shape[0])
        units = rng.randint(0, v.shape[1], v.shape[0])
        if sparse.issparse(v):
            change = np.asarray(-2 * v[rows, units] + 1).ravel()
            flipped = v + sparse.csr_array((change, (rows, units)), shape=v.shape)
        else:
            flipped = v.copy()
            flipped[rows, units] = 1 - flipped[rows, units]
        difference = self._free_energy(flipped) - self._free_energy(v)
        return -v.shape[1] * np.logaddexp(0, -difference)

    def log_partition(self):
        """Exact logarithm of the normalising constant, by enumeration of the smaller layer (up to 20 units)."""
        from ._ising import all_states, refuse_many

        check_is_fitted(self)
        h, p = self.components_.shape
        refuse_many(min(h, p), "log_partition")
        if p <= h:
            return float(logsumexp(-self._free_energy(all_states(p))))
        H = all_states(h)
        visible = np.logaddexp(0, H @ self.components_ + self.intercept_visible_).sum(axis=1)
        return float(logsumexp(H @ self.intercept_hidden_ + visible))

    def predict_label(self, X):
        """Most probable label of each row: the one-hot label with the smallest free energy.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features - n_labels) or (n_samples, n_features)
            Rows without their labels; label columns are ignored.

        Returns
        -------
        ndarray of shape (n_samples,)
            Number of the label, from 0 to ``n_labels - 1``.
        """
        check_is_fitted(self)
        if not self.n_labels:
            raise ValueError("The model has no label units; set `n_labels` and append one-hot labels to X.")
        X = np.asarray(X, dtype=np.float64)
        p = self.components_.shape[1] - self.n_labels
        if X.ndim != 2 or X.shape[1] not in (p, p + self.n_labels):
            raise ValueError(f"X must have {p} columns (without labels), got shape {X.shape}.")
        energy = np.empty((len(X), self.n_labels))
        for label in range(self.n_labels):
            one_hot = np.zeros((len(X), self.n_labels))
            one_hot[:, label] = 1.0
            energy[:, label] = self._free_energy(np.hstack([X[:, :p], one_hot]))
        return energy.argmin(axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _warn_if_outside(X, name):
    """Warn of values that are not probabilities. scikit-learn accepts them in silence."""
    values = stored_values(X)
    low, high = float(np.min(values, initial=0.0)), float(np.max(values, initial=1.0))
    if low < 0.0 or high > 1.0:
        warn(
            f"X has values between {low:.4g} and {high:.4g}, but the visible units of {name} are binary: values are "
            "read as probabilities and must lie in [0, 1]. Scale the columns, for example with MinMaxScaler, or "
            "binarise them.",
            StatlearnWarning,
        )


def with_labels(X, y):
    """Rows with one-hot labels appended, for `BernoulliRBM(n_labels=...)`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    X_labelled : ndarray of shape (n_samples, n_features + n_classes)
    classes : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from statlearn.graphical import with_labels
    >>> with_labels([[0.0, 1.0], [1.0, 0.0]], ["cat", "dog"])[0]
    array([[0., 1., 1., 0.],
           [1., 0., 0., 1.]])
    """
    classes, codes = encode_classes(np.asarray(y), minimum=1)
    X = np.asarray(X, dtype=np.float64)
    if len(X) != len(codes):
        raise ValueError(f"X and y have different numbers of rows: {len(X)} and {len(codes)}.")
    return np.hstack([X, np.eye(len(classes))[codes]]), classes


def stack_rbms(X, sizes, **settings):
    """Restricted Boltzmann machines trained one after another, each on the hidden probabilities of the previous one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Values in [0, 1].
    sizes : list of int
        Number of hidden units of each layer.
    **settings : dict
        Further parameters of `BernoulliRBM`.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Fitted; its `transform` gives the probabilities of the top layer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import stack_rbms
    >>> X = (np.random.RandomState(0).rand(50, 8) < 0.3).astype(float)
    >>> stack_rbms(X, [6, 3], n_iter=2, random_state=0).transform(X).shape
    (50, 3)
    """
    from sklearn.pipeline import Pipeline

    if not len(sizes):
        raise ValueError("`sizes` must contain at least one number of hidden units.")
    layers, current = [], X
    for depth, size in enumerate(sizes):
        layer = BernoulliRBM(n_components=size, **settings).fit(current)
        layers.append((f"rbm{depth + 1}", layer))
        current = layer.transform(current)
    return Pipeline(layers)
