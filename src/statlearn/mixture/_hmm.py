"""Hidden Markov models with categorical emissions."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.callbacks import with_callbacks
from statlearn._core.frames import missing
from statlearn._core.params import Real, check_params
from statlearn._core.validation import check_weights, validate_data

from ._base import ACCELERATION, EM_CONSTRAINTS, BaseMixture, kept_rows
from ._latent_class import encode, find_categories

_NONE = np.empty(0)
_START_ROWS = 5.0


@dataclass
class HmmTables:
    """Probabilities of the first state (S,), of transitions (S, S) and of symbols (S, V)."""

    start: np.ndarray
    transition: np.ndarray
    emission: np.ndarray


def distribution(counts):
    """Rows scaled to sum to 1; rows of zeros become uniform."""
    sums = counts.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), 1.0 / counts.shape[-1])


def check_table(table, shape, name):
    """Validated table whose rows are probability distributions."""
    table = np.asarray(table, dtype=np.float64)
    if table.shape != shape:
        raise ValueError(f"`{name}` must have shape {shape}, got {table.shape}.")
    if not np.all(np.isfinite(table)) or np.any(table < 0) or not np.allclose(table.sum(axis=-1), 1.0):
        raise ValueError(f"`{name}`: every row must be a probability distribution.")
    return np.ascontiguousarray(table)


def _check_symbols(symbols):
    """The distinct symbols, sorted."""
    symbols = np.asarray(symbols)
    if symbols.ndim != 1 or symbols.size == 0 or np.any(missing(symbols)):
        raise ValueError("`symbols` must be a non-empty list without missing values.")
    return np.unique(symbols)


class HmmProblem:
    """Baum-Welch steps on the distinct sequences."""

    def __init__(self, codes, weights, alpha, make_start):
        self.codes, self.weights, self.alpha, self.make_start = codes, weights, alpha, make_start
        self.total = float(weights.sum())
        self.monotone = True

    def start(self, rng):
        return self.make_start(self, rng)

    def e_step(self, tables):
        S, V = tables.emission.shape
        counts = HmmTables(np.empty(S), np.empty((S, S)), np.empty((S, V)))
        rows = np.empty(len(self.codes))
        native.mixture.hmm_expect(
            self.codes,
            self.weights,
            tables.start,
            tables.transition,
            tables.emission,
            rows,
            counts.start,
            counts.transition,
            counts.emission,
        )
        penalty = 0.0
        if self.alpha:
            penalty = self.alpha * sum(np.log(t).sum() for t in (tables.start, tables.transition, tables.emission))
        return (np.sum(self.weights * rows) + penalty) / self.total, counts

    def m_step(self, counts):
        parts = (counts.start, counts.transition, counts.emission)
        return HmmTables(*(distribution(part + self.alpha) for part in parts))

    def pack(self, tables):
        self._shape = tables.emission.shape
        parts = (tables.start, tables.transition, tables.emission)
        return np.log(np.maximum(np.concatenate([part.ravel() for part in parts]), 1e-300))

    def unpack(self, vector):
        S, V = self._shape
        table = np.exp(np.minimum(vector, 300.0))
        start, transition, emission = np.split(table, [S, S + S * S])
        return HmmTables(
            distribution(start), distribution(transition.reshape(S, S)), distribution(emission.reshape(S, V))
        )


class CategoricalHMM(BaseMixture):
    r"""Hidden Markov model with categorical emissions, fitted by EM (Baum-Welch).

    A sequence of hidden states starts with :math:`z_1 \sim \pi`, moves with :math:`P(z_t \mid z_{t-1})` and emits
    symbols with :math:`P(x_t \mid z_t)`. The fit maximises the log-likelihood of the sequences, a **sum** weighted by
    the sequences' weights, and stops when its mean per sequence changes by less than `tol` in one step.

    Parameters
    ----------
    n_components : int, default=2
        Number of hidden states.
    symbols : array-like or None, default=None
        All symbols, sorted; None uses those found in the data.
    tol : float, default=1e-6
    max_iter : int, default=1000
    n_init : int, default=5
        Number of random starts; the one with the highest likelihood is kept. Given initial values count as one start.
    alpha : float, default=0.0
        Pseudo-count of every initial state, transition and symbol.
    start_init : array-like of shape (n_components,) or None, default=None
        Initial values of the tables; those not given are drawn at random.
    transition_init : array-like of shape (n_components, n_components) or None, default=None
    emission_init : array-like of shape (n_components, n_symbols) or None, default=None
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
    acceleration : {None, "squarem"}, default=None
        "squarem" extrapolates the EM steps, which usually needs fewer of them.

    Attributes
    ----------
    start_ : ndarray of shape (n_components,)
    transition_ : ndarray of shape (n_components, n_components)
        Transition probabilities, from row to column.
    emission_ : ndarray of shape (n_components, n_symbols)
    symbols_ : ndarray of shape (n_symbols,)
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_, log_likelihood_, lower_bound_history_
        As in `GaussianMixture`, with sequences instead of rows; with `alpha` the log prior is part of the bound.
    n_features_in_, feature_names_in_
        As in scikit-learn; the columns are time points.

    Notes
    -----
    Each row of X is one sequence. Shorter sequences end in missing values (NaN, None). A missing value inside a
    sequence is an unobserved symbol and is integrated out, as are symbols not seen in `fit`. One native pass over the
    sequences costs n T S² operations. Probabilities are rescaled at every time point, so long sequences do not
    underflow.

    The numbering of the states is arbitrary, and EM finds a local maximum; use several starts.

    References
    ----------
    Rabiner (1989), A tutorial on hidden Markov models and selected applications in speech recognition, Proc. IEEE 77.

    Examples
    --------
    >>> from statlearn.mixture import CategoricalHMM
    >>> model = CategoricalHMM.from_parameters([0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.9, 0.1], [0.2, 0.8]])
    >>> path, log_probability = model.decode([[0, 1, 0]])
    >>> path, log_probability.round(4), model.score_samples([[0, 1, 0]]).round(4)
    (array([[0, 1, 0]], dtype=int32), array([-3.065]), array([-2.217]))
    """

    _constraints = {
        **EM_CONSTRAINTS,
        "symbols": ["array-like", None],
        "alpha": [Real(0, None)],
        "start_init": ["array-like", None],
        "transition_init": ["array-like", None],
        "emission_init": ["array-like", None],
        "acceleration": ACCELERATION,
    }

    def __init__(
        self,
        n_components=2,
        *,
        symbols=None,
        tol=1e-6,
        max_iter=1000,
        n_init=5,
        alpha=0.0,
        start_init=None,
        transition_init=None,
        emission_init=None,
        random_state=None,
        verbose=0,
        acceleration=None,
    ):
        self.n_components = n_components
        self.symbols = symbols
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.alpha = alpha
        self.start_init = start_init
        self.transition_init = transition_init
        self.emission_init = emission_init
        self.random_state = random_state
        self.verbose = verbose
        self.acceleration = acceleration

    @classmethod
    def from_parameters(cls, start, transition, emission, symbols=None, **settings):
        """Model with known tables, ready to decode, score and sample sequences of any length.

        Parameters
        ----------
        start : array-like of shape (n_components,)
        transition : array-like of shape (n_components, n_components)
        emission : array-like of shape (n_components, n_symbols)
        symbols : array-like of shape (n_symbols,) or None, default=None
            Symbols; None numbers them from 0.
        **settings
            Further constructor parameters, such as `random_state`.

        Returns
        -------
        fitted CategoricalHMM
        """
        S, V = np.shape(emission)
        model = cls(S, symbols=symbols, **settings)
        model.symbols_ = np.arange(V) if symbols is None else np.asarray(symbols)
        if model.symbols_.shape != (V,):
            raise ValueError(f"`symbols` must hold {V} symbols, one per column of `emission`.")
        model.start_ = check_table(start, (S,), "start")
        model.transition_ = check_table(transition, (S, S), "transition")
        model.emission_ = check_table(emission, (S, V), "emission")
        model.converged_, model.n_iter_ = True, 0
        return model

    def _validate(self, X, *, reset=False, **kwargs):
        if not reset and not hasattr(self, "n_features_in_"):  # made from known tables: any length
            reset = True
            X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", **kwargs)
            del self.n_features_in_
            return X
        return validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=reset, **kwargs)

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the tables.

        Parameters
        ----------
        X : array-like of shape (n_sequences, n_times)
            One sequence of symbols (numbers or text) per row; NaN or None if it has ended or the symbol was not
            observed.
        y : Ignored
        sample_weight : array-like of shape (n_sequences,) or None, default=None
            Number of occurrences of each sequence; a sequence of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._validate(X, reset=True)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        X, weights = kept_rows(X, weights)
        if self.symbols is None:
            self.symbols_ = find_categories(X.reshape(-1, 1))[0]
        else:
            self.symbols_ = _check_symbols(self.symbols)
        codes, place = np.unique(self._encode(X), axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=weights, minlength=len(codes)).astype(np.float64)
        problem = HmmProblem(np.ascontiguousarray(codes), counts, self.alpha, self._make_start())
        all_tables = all(table is not None for table in (self.start_init, self.transition_init, self.emission_init))
        self._fit_by_em(np.empty((len(codes), 0)), counts, problem, one_start=all_tables, data=(X, weights))
        if self.alpha:  # without the prior
            self.log_likelihood_ = float(np.sum(counts * self._log_likelihoods(problem.codes)))
        return self

    def _encode(self, X):
        codes = encode(X.reshape(-1, 1), [self.symbols_]).reshape(X.shape)
        return np.ascontiguousarray(codes, dtype=np.intc)

    def _make_start(self):
        S, V = self.n_components, len(self.symbols_)
        shapes = {"start": (S,), "transition": (S, S), "emission": (S, V)}
        preset = {
            name: None if getattr(self, f"{name}_init") is None else check_table(table, shape, f"{name}_init")
            for name, shape in shapes.items()
            for table in [getattr(self, f"{name}_init")]
        }

        def start(problem, rng):
            seen = problem.codes >= 0
            weights = np.broadcast_to(problem.weights[:, None], problem.codes.shape)[seen]
            margin = distribution(np.bincount(problem.codes[seen], weights=weights, minlength=V))
            drawn = {
                "start": rng.gamma(np.full(S, _START_ROWS)),
                "transition": rng.gamma(np.full((S, S), 1.0) + S * np.eye(S)),
                "emission": rng.gamma(1.0 + _START_ROWS * np.tile(margin, (S, 1))),
            }
            tables = {name: distribution(drawn[name]) if preset[name] is None else preset[name] for name in shapes}
            return HmmTables(**tables)

        return start

    def _attributes(self, tables, dtype):
        return {"start_": tables.start, "transition_": tables.transition, "emission_": tables.emission}

    def _tables(self):
        return self.start_, self.transition_, self.emission_

    def forward_backward(self, X):
        """Scaled forward and backward probabilities, and the log-likelihood computed in both directions.

        Parameters
        ----------
        X : array-like of shape (n_sequences, n_times)

        Returns
        -------
        forward, backward : ndarray of shape (n_sequences, n_times, n_components)
            P(state | symbols so far), and numbers proportional to P(later symbols | state); 0 after the end.
        by_forward, by_backward : ndarray of shape (n_sequences,)
            Log-likelihoods; they agree up to rounding.
        """
        check_is_fitted(self, "emission_")
        codes = self._encode(self._validate(X))
        shape = (*codes.shape, len(self.start_))
        forward, backward = np.empty(shape), np.empty(shape)
        by_forward, by_backward = np.empty(len(codes)), np.empty(len(codes))
        native.mixture.hmm_forward_backward(codes, *self._tables(), forward, backward, by_forward, by_backward)
        return forward, backward, by_forward, by_backward

    def score_samples(self, X):
        """Log-likelihood of each sequence.

        Parameters
        ----------
        X : array-like of shape (n_sequences, n_times)

        Returns
        -------
        ndarray of shape (n_sequences,)
        """
        check_is_fitted(self, "emission_")
        return self._log_likelihoods(self._encode(self._validate(X)))

    def _log_likelihoods(self, codes):
        S, V = self.emission_.shape
        rows = np.empty(len(codes))
        # Sequences of weight 0 take the forward pass only.
        unused = np.empty(S), np.empty((S, S)), np.empty((S, V))
        native.mixture.hmm_expect(codes, np.zeros(len(codes)), *self._tables(), rows, *unused)
        return rows

    def decode(self, X):
        """Most probable path of states (Viterbi algorithm).

        Parameters
        ----------
        X : array-like of shape (n_sequences, n_times)

        Returns
        -------
        paths : ndarray of int of shape (n_sequences, n_times)
            -1 after the end of a sequence.
        log_probability : ndarray of shape (n_sequences,)
            Log probability of path and symbols together.
        """
        check_is_fitted(self, "emission_")
        codes = self._encode(self._validate(X))
        paths, best = np.empty(codes.shape, dtype=np.intc), np.empty(len(codes))
        native.mixture.hmm_viterbi(codes, *self._tables(), paths, best)
        return paths, best

    def predict(self, X):
        """Most probable path of states, as found by `decode`.

        Parameters
        ----------
        X : array-like of shape (n_sequences, n_times)

        Returns
        -------
        ndarray of int of shape (n_sequences, n_times)
        """
        return self.decode(X)[0]

    def predict_proba(self, X):
        """Smoothed state probabilities: P(state at each time | all symbols of the sequence).

        Parameters
        ----------
        X : array-like of shape (n_sequences, n_times)

        Returns
        -------
        ndarray of shape (n_sequences, n_times, n_components)
        """
        forward, backward, *_ = self.forward_backward(X)
        joint = forward * backward
        sums = joint.sum(axis=2, keepdims=True)
        return np.divide(joint, sums, out=np.zeros_like(joint), where=sums > 0)

    def sample(self, n_samples=1, n_times=None):
        """Random sequences.

        Parameters
        ----------
        n_samples : int, default=1
            Number of sequences.
        n_times : int or None, default=None
            Length of the sequences; None is that of the training sequences.

        Returns
        -------
        X : ndarray of shape (n_samples, n_times)
        states : ndarray of int of shape (n_samples, n_times)
        """
        check_is_fitted(self, "emission_")
        length = getattr(self, "n_features_in_", None) if n_times is None else n_times
        if n_samples < 1 or length is None or length < 1:
            raise ValueError("Invalid value for 'n_samples' or 'n_times': both must be at least 1.")
        rng = check_random_state(self.random_state)

        def draw(tables):
            bounds = np.cumsum(tables, axis=1)
            return np.minimum((rng.uniform(size=(len(tables), 1)) > bounds).sum(axis=1), tables.shape[1] - 1)

        states = np.empty((n_samples, length), dtype=np.int64)
        symbols = np.empty((n_samples, length), dtype=np.int64)
        for t in range(length):
            before = np.tile(self.start_, (n_samples, 1)) if t == 0 else self.transition_[states[:, t - 1]]
            states[:, t] = draw(before)
            symbols[:, t] = draw(self.emission_[states[:, t]])
        return self.symbols_[symbols], states

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags
