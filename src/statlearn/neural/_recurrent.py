"""Recurrent networks for sequences."""

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_array

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Int, Options

from ._mlp_base import initial_layer
from ._sequence_model import SequenceClassifierMixin, SequenceModel, SequenceNetwork, fill

GATES = {"rnn": 1, "gru": 3, "lstm": 4}  # blocks of rows of the weights, in the order of PyTorch


def hidden_states(cell, parameters, X):
    """Hidden state after every step, (n, time, units), of PyTorch's cells."""
    W, U = parameters["input_weights"].T, parameters["recurrent_weights"].T
    inputs = X @ W + parameters["input_biases"]
    bias, units = parameters["recurrent_biases"], U.shape[0]
    states = np.zeros((len(X), X.shape[1], units), X.dtype)
    h, c = np.zeros((2, len(X), units), X.dtype)
    for t in range(X.shape[1]):
        recurrent, new = h @ U + bias, inputs[:, t]
        if cell == "rnn":
            h = np.tanh(new + recurrent)
        elif cell == "gru":
            reset, update = np.split(expit(new[:, : 2 * units] + recurrent[:, : 2 * units]), 2, axis=1)
            candidate = np.tanh(new[:, 2 * units :] + reset * recurrent[:, 2 * units :])
            h = (1 - update) * candidate + update * h
        else:
            enter, forget, candidate, leave = np.split(new + recurrent, 4, axis=1)
            c = expit(forget) * c + expit(enter) * np.tanh(candidate)
            h = expit(leave) * np.tanh(c)
        states[:, t] = h
    return states


class RecurrentNetwork(SequenceNetwork):
    """A layer of PyTorch's cells, and a linear layer on the state after the last valid step."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def scores(self, parameters, X, lengths):
        """Scores of the output layer."""
        torch = self.torch
        W, U, coef, w_bias, u_bias, intercept = parameters
        start = X.new_zeros(1, len(X), U.shape[1])
        flat = [W, U, w_bias, u_bias]
        options = (True, 1, 0.0, False, False, True)  # biases, layers, dropout, training, two directions, rows first
        if self.cell == "lstm":
            states = torch.lstm(X, (start, start), flat, *options)[0]
        else:
            states = (torch.gru if self.cell == "gru" else torch.rnn_tanh)(X, start, flat, *options)[0]
        last = states[torch.arange(len(X)), lengths - 1]
        return torch.addmm(intercept, last, coef)


class _Recurrent(SequenceModel):
    """Base class of the recurrent classifier and regressor."""

    _constraints = {
        "cell": [Options(*GATES)],
        "n_units": [Int(1, 100_000)],
        **SequenceModel._training_constraints,
    }

    def __init__(
        self,
        cell="gru",
        *,
        n_units=16,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate_init=0.005,
        max_iter=200,
        tol=1e-4,
        early_stopping=False,
        validation_fraction=0.1,
        random_state=None,
        verbose=False,
    ):
        self.cell = cell
        self.n_units = n_units
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.verbose = verbose

    def _architecture(self):
        return {"cell": self.cell}

    def _initialise(self, n_columns, n_outputs, dtype):
        rng, units, rows = self._random_state, self.n_units, GATES[self.cell] * self.n_units
        coef, intercept = initial_layer(units, n_outputs, "tanh", rng, dtype)
        bound = 1 / np.sqrt(units)  # as in PyTorch

        def draw(*shape):
            return rng.uniform(-bound, bound, shape).astype(dtype)

        penalised = {"input_weights": draw(rows, n_columns), "recurrent_weights": draw(rows, units), "coef": coef}
        return penalised, {"input_biases": draw(rows), "recurrent_biases": draw(rows), "intercept": intercept}

    def _network(self):
        return RecurrentNetwork(self._settings["cell"])

    def _numpy_scores(self, parameters, X, lengths):
        states = hidden_states(self._settings["cell"], parameters, X)
        return states[np.arange(len(X)), lengths - 1] @ parameters["coef"] + parameters["intercept"]

    def hidden_states(self, X, lengths=None):
        """Hidden state of every unit after every step.

        Parameters
        ----------
        X : array-like of shape (n, time, columns) or (n, time), or list of arrays of shape (time, columns)
        lengths : array-like of int of shape (n,) or None, default=None
            Number of valid steps of each sequence.

        Returns
        -------
        ndarray of shape (n, time, n_units)
            NaN behind the end of a sequence.
        """
        X, lengths = self._read(X, lengths)
        states = hidden_states(self._settings["cell"], self.parameters_, X)
        states[np.arange(X.shape[1]) >= lengths[:, None]] = np.nan
        return states


@fill
class RecurrentClassifier(SequenceClassifierMixin, ClassifierMixin, _Recurrent):
    r"""Recurrent network for classifying sequences.

    A layer of units reads the steps one by one, :math:`h_t = \text{cell}(x_t, h_{t-1})`, and a softmax of a linear
    function of the state after the last step gives the probabilities. It minimises the cross-entropy with an L2 penalty

    .. math:: \frac{1}{S} \Big( -\sum_i s_i \log p_{y_i}(x_i) + \frac{\alpha}{2} \lVert W \rVert^2 \Big),
        \quad S = \sum_i s_i ,

    over the rows of a batch, where s are the weights of the rows and W all weights without the biases.

    Parameters
    ----------
    cell : {"rnn", "gru", "lstm"}, default="gru"
        PyTorch's cells. "rnn" is tanh(W x + U h + b), which forgets within some ten steps; "gru" and "lstm" have gates
        that learn what to keep.
    n_units : int, default=16
        Number of hidden units.
    {TRAINING}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    parameters_ : dict of str to ndarray
        "input_weights" and "recurrent_weights" with a block of rows per gate, their biases, and "coef" and "intercept"
        of the output.
    {HISTORY}

    See Also
    --------
    RecurrentRegressor : the same for numbers.
    AttentionClassifier : all steps at once instead of one by one.
    statlearn.prep.SeriesFeatures : summaries of series for any classifier, to try first.

    Notes
    -----
    Training needs PyTorch (``pip install 'statlearn[neural]'``); predictions run on numpy. Sequences of a few hundred
    steps are practical; the cost per epoch is proportional to rows, steps and squared units. The loss has many minima,
    so compare several seeds.

    References
    ----------
    Elman, J. L. (1990). Finding structure in time. Cognitive Science 14, 179-211.

    Hochreiter, S. and Schmidhuber, J. (1997). Long short-term memory. Neural Computation 9, 1735-1780.

    Cho, K. et al. (2014). Learning phrase representations using RNN encoder-decoder for statistical machine
    translation. EMNLP, 1724-1734.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import RecurrentClassifier
    >>> up = np.cumsum(np.random.default_rng(0).uniform(size=(40, 6)), axis=1)
    >>> X, y = np.vstack([up, up[:, ::-1]]), np.repeat(["up", "down"], 40)
    >>> model = RecurrentClassifier("rnn", n_units=4, solver="lbfgs", random_state=0).fit(X, y)
    >>> model.predict([[0, 1, 2, 3], [3, 2, 1, 0]])
    array(['up', 'down'], dtype='<U4')
    """


@fill
class RecurrentRegressor(RegressorMixin, _Recurrent):
    r"""Recurrent network for numbers that belong to sequences.

    A layer of units reads the steps one by one, :math:`h_t = \text{cell}(x_t, h_{t-1})`, and the prediction is a linear
    function of the state after the last step. It minimises half the squared error with an L2 penalty

    .. math:: \frac{1}{S} \Big( \frac12 \sum_i s_i (z_i - \hat z_i)^2 + \frac{\alpha}{2} \lVert W \rVert^2 \Big),
        \quad S = \sum_i s_i ,

    over the rows of a batch, where z is the standardised y, s are the weights of the rows and W all weights without the
    biases.

    Parameters
    ----------
    cell : {"rnn", "gru", "lstm"}, default="gru"
        PyTorch's cells. "rnn" is tanh(W x + U h + b), which forgets within some ten steps; "gru" and "lstm" have gates
        that learn what to keep.
    n_units : int, default=16
        Number of hidden units.
    {TRAINING}

    Attributes
    ----------
    parameters_ : dict of str to ndarray
        "input_weights" and "recurrent_weights" with a block of rows per gate, their biases, and "coef" and "intercept"
        of the output.
    target_mean_, target_scale_ : float
        Mean and standard deviation of y; the output of the network is in these units.
    {HISTORY}

    See Also
    --------
    RecurrentClassifier : the same for classes, with notes on cells and costs.

    References
    ----------
    Hochreiter, S. and Schmidhuber, J. (1997). Long short-term memory. Neural Computation 9, 1735-1780.

    Examples
    --------
    The sum of the first and the last of five numbers:

    >>> import numpy as np
    >>> from statlearn.neural import RecurrentRegressor
    >>> X = np.random.default_rng(0).normal(size=(300, 5))
    >>> y = X[:, 0] + X[:, -1]
    >>> model = RecurrentRegressor(n_units=6, solver="lbfgs", random_state=0).fit(X[:200], y[:200])
    >>> model.score(X[200:], y[200:]) > 0.95
    True
    """

    _output = "identity"

    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, lengths=None):
        """Fit the network.

        Parameters
        ----------
        X : array-like of shape (n, time, columns) or (n, time), or list of arrays of shape (time, columns)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,) or None, default=None
        lengths : array-like of int of shape (n,) or None, default=None
            Number of valid steps of each sequence; what stands behind them is ignored. None means all.

        Returns
        -------
        self
        """
        return self._fit_sequences(X, y, sample_weight, lengths)

    def _learn_target(self, y):
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        if y.ndim == 2 and y.shape[1] == 1:
            y = y.ravel()
        if y.ndim != 1:
            raise ValueError(f"y must be of shape (n,), got {y.shape}.")
        return y, 1

    def _scaled_target(self, target, weights, dtype):
        mean = np.average(target, weights=weights)
        scale = np.sqrt(np.average((target - mean) ** 2, weights=weights))
        self.target_mean_, self.target_scale_ = float(mean), float(scale) if scale > 1e-12 * abs(mean) else 1.0
        return ((target - self.target_mean_) / self.target_scale_).astype(dtype)[:, None]

    def _score_of(self, scores, target, weights):
        return float(r2_score(target, scores, sample_weight=weights))

    def predict(self, X, lengths=None):
        """Predicted numbers.

        Parameters
        ----------
        X : array-like of shape (n, time, columns) or (n, time), or list of arrays of shape (time, columns)
        lengths : array-like of int of shape (n,) or None, default=None
            Number of valid steps of each sequence.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._scores(X, lengths)[:, 0] * self.target_scale_ + self.target_mean_
