"""Base class of the networks for sequences: reading of sequences, standardised columns, training and outputs."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from statlearn._core.callbacks import with_callbacks
from statlearn._core.docstrings import filled
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_same_length, check_weights, encode_classes, refuse_no_label

from ._dense import TensorRows, output_loss
from ._forward import apply_output, for_blocks, mean_loss
from ._layout import Layout
from ._torch import check_device, import_torch
from ._training import Trained, hold_out

TRAINING_TEXT = """solver : {"adam", "lbfgs"}, default="adam"
        "adam" takes batches; "lbfgs" takes all rows at once.
    alpha : float, default=0.0001
        Strength of the L2 penalty on weights; intercepts are not penalised.
    batch_size : int or "auto", default="auto"
        Sequences of a batch; "auto" is ``min(200, n)``.
    learning_rate_init : float, default=0.005
        Step size of "adam".
    max_iter : int, default=200
        Maximum number of epochs, or of iterations of "lbfgs".
    tol : float, default=1e-4
        Training ends after more than ten epochs in which the training loss (with early stopping: the validation score)
        improved by less than `tol`. For "lbfgs", the largest accepted entry of the gradient.
    early_stopping : bool, default=False
        End training by the score on a random share of the rows and keep the best weights. Not for "lbfgs".
    validation_fraction : float, default=0.1
        This share.
    random_state : int, RandomState or None, default=None
        Seed of the initial weights, the validation rows and the batches.
    verbose : bool or int, default=False
        Print the loss of every epoch."""

HISTORY_TEXT = """n_iter_ : int
        Number of epochs or iterations.
    t_ : int
        Number of rows seen in training.
    loss_ : float
        Loss of the last epoch, penalty included.
    best_loss_ : float or None
        Smallest training loss; None with early stopping.
    loss_curve_ : list of float
        Training loss of every epoch.
    validation_scores_ : list of float or None
        Validation score of every epoch, with early stopping.
    best_validation_score_ : float or None
    history_ : dict of lists
        Losses, scores and learning rates of every epoch; :func:`plot_history` draws them.
    column_means_, column_scales_ : ndarray of shape (n_columns,)
        Means and standard deviations of the columns over all valid steps; the network sees standardised columns.
    n_features_in_ : int
        Number of columns."""


fill = filled(TRAINING=TRAINING_TEXT, HISTORY=HISTORY_TEXT)  # decorator of the sequence models


def read_sequences(X, lengths, name="X"):
    """Sequences as an array (n, time, columns), zero behind their ends, and their lengths."""
    if isinstance(X, (list, tuple)) and len({np.shape(each)[:1] for each in X}) > 1:
        if lengths is not None:
            raise ValueError("`lengths` must be None if X is a list of sequences of different lengths.")
        X, lengths = _padded(X, name)
    if lengths is not None:
        X = np.array(X, dtype=None if getattr(X, "dtype", None) in FLOATS else np.float64)
        if X.ndim < 2:
            raise ValueError(f"{name} must be of shape (n, time, columns), got {X.ndim} dimension(s).")
        lengths = np.asarray(lengths)
        wrong = lengths.shape != X.shape[:1] or lengths.dtype.kind not in "iu"
        if wrong or (len(X) and (lengths.min() < 1 or lengths.max() > X.shape[1])):
            raise ValueError(
                f"`lengths` must contain a whole number from 1 to {X.shape[1]} for each of the {len(X)} sequences."
            )
        lengths = lengths.astype(np.int64)
        X[np.arange(X.shape[1]) >= lengths[:, None]] = 0.0
    X = check_array(X, dtype=FLOATS, allow_nd=True, ensure_2d=False, input_name=name)
    if X.ndim == 2:  # one column
        X = X[:, :, None]
    if X.ndim != 3 or 0 in X.shape[1:]:
        raise ValueError(f"{name} must be of shape (n, time, columns) or (n, time), got {X.shape}.")
    return X, np.full(len(X), X.shape[1], np.int64) if lengths is None else lengths


def _padded(sequences, name):
    arrays = [np.asarray(each, dtype=np.float64) for each in sequences]
    arrays = [each[:, None] if each.ndim == 1 else each for each in arrays]
    if any(each.ndim != 2 or each.shape[1:] != arrays[0].shape[1:] or not len(each) for each in arrays):
        raise ValueError(f"{name} must contain sequences of shape (time, columns) with the same columns and a step.")
    lengths = np.array([len(each) for each in arrays])
    X = np.zeros((len(arrays), lengths.max(), arrays[0].shape[1]))
    for row, each in zip(X, arrays):
        row[: len(each)] = each
    return X, lengths


class SequenceNetwork:
    """Gradients by PyTorch's differentiation. A subclass has ``scores(parameters, X, lengths)``."""

    output = "softmax"

    def __init__(self):
        self.torch = import_torch()

    def scores(self, parameters, X, lengths):
        """Scores of the output layer."""
        raise NotImplementedError

    def add_gradient(self, parameters, batch, gradient, workspace, *, first):
        """Add the gradient of the summed loss of a batch to `gradient`, or store it if `first`; returns the loss."""
        X, lengths, target, weights = batch
        with self.torch.enable_grad():
            leaves = [parameter.detach().requires_grad_() for parameter in parameters]
            scores = self.scores(leaves, X, lengths)
        loss, delta = output_loss(self.output, scores.detach(), target, weights, self.torch)
        for total, part in zip(gradient, self.torch.autograd.grad(scores, leaves, delta)):
            if first:
                total.copy_(part)
            else:
                total.add_(part)
        return loss


class SequenceModel(Trained):
    """Base class of the networks for sequences.

    A subclass has `_initialise(n_columns, n_outputs, dtype)`, which returns dictionaries of penalised and of free
    parameters, `_network()` for PyTorch, and `_numpy_scores(parameters, X, lengths)`.
    """

    _training_constraints = {
        "solver": [Options("adam", "lbfgs")],
        "alpha": [Real(0, None)],
        "batch_size": [Options("auto"), Int(1, None)],
        "learning_rate_init": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "early_stopping": ["boolean"],
        "validation_fraction": [Real(0, 1, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    # What the training loops read and these networks fix.
    beta_1, beta_2, epsilon = 0.9, 0.999, 1e-8
    n_iter_no_change, max_fun, shuffle, on_interrupt = 10, 15000, True, "raise"
    _output = "softmax"

    def _fit_sequences(self, X, y, sample_weight, lengths):
        check_params(self)
        import_torch()
        raw_X = X
        X, lengths = read_sequences(X, lengths)
        refuse_no_label(y)
        check_same_length(X, y)
        target, n_outputs = self._learn_target(y)
        weights = check_weights(sample_weight, X)
        if weights is not None and not np.all(weights > 0):
            used = weights > 0
            X, lengths, target, weights = X[used], lengths[used], target[used], weights[used]
            if not len(X):
                raise ValueError("`sample_weight` must be positive for at least one row.")
        self._random_state = check_random_state(self.random_state)
        self.n_features_in_ = X.shape[2]
        self._standardise(X, lengths, weights)
        target = self._scaled_target(target, weights, X.dtype)
        X = self._scaled(X, lengths)
        self._settings = self._architecture()
        penalised, free = self._initialise(X.shape[2], n_outputs, X.dtype)
        self._names = [*penalised, *free]
        self._start_history()
        layout = Layout([a.shape for a in penalised.values()], [a.shape for a in free.values()])
        held = None
        if self.early_stopping and self.solver != "lbfgs":
            train, test = hold_out(self, len(X), target if self._output == "softmax" else None)
            held = X[test], lengths[test], target[test], None if weights is None else weights[test]
            X, lengths, target = X[train], lengths[train], target[train]
            weights = None if weights is None else weights[train]
        vector = layout.pack([*penalised.values(), *free.values()], X.dtype)
        network = self._network()
        network.output = self._output
        best = self._train(
            network,
            layout,
            vector,
            TensorRows(X, target, weights, lengths, check_device("cpu")),
            self._validation(layout, held),
            data=(raw_X, y, sample_weight),
            attributes=lambda parameters: {"parameters_": self._as_parameters(layout, parameters)},
        )
        self.parameters_ = self._as_parameters(layout, best)
        del self._random_state
        return self

    def _as_parameters(self, layout, vector):
        return {name: np.array(view) for name, view in zip(self._names, layout.views(vector))}

    def _validation(self, layout, held):
        if held is None:
            return None
        X, lengths, target, weights = held

        def evaluate(vector):
            scores = self._numpy_scores(self._as_parameters(layout, vector), X, lengths)
            loss = mean_loss(scores, target, self._output, weights)
            return loss, self._score_of(scores, target, weights) if np.isfinite(scores).all() else float("nan")

        return evaluate

    def _standardise(self, X, lengths, weights):
        valid = np.arange(X.shape[1]) < lengths[:, None]
        share = valid * (1.0 if weights is None else weights[:, None])
        share = (share / share.sum())[:, :, None]
        means = (share * X).sum(axis=(0, 1), dtype=np.float64)
        scales = np.sqrt((share * (X - means) ** 2).sum(axis=(0, 1)))
        scales[scales <= 1e-12 * np.abs(means)] = 1.0  # constant columns
        scales[scales == 0] = 1.0
        self.column_means_, self.column_scales_ = means, scales

    def _scaled(self, X, lengths):
        X = ((X - self.column_means_) / self.column_scales_).astype(X.dtype)
        X[np.arange(X.shape[1]) >= lengths[:, None]] = 0.0
        return X

    def _read(self, X, lengths):
        """Standardised sequences for a prediction, and their lengths."""
        check_is_fitted(self, "parameters_")
        X, lengths = read_sequences(X, lengths)
        if X.shape[2] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[2]} columns, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input."
            )
        dtype = next(iter(self.parameters_.values())).dtype
        return self._scaled(X.astype(dtype, copy=False), lengths), lengths

    def _scores(self, X, lengths):
        X, lengths = self._read(X, lengths)
        scores = [None] * -(-len(X) // 256)

        def block(start):
            rows = slice(start, start + 256)
            scores[start // 256] = self._numpy_scores(self.parameters_, X[rows], lengths[rows])

        for_blocks(block, len(X), 256, X.shape[1] * sum(each.size for each in self.parameters_.values()))
        return np.concatenate(scores)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


class SequenceClassifierMixin:
    """Targets and predictions of classifiers."""

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
        self.classes_, codes = encode_classes(column_or_1d(y, warn=True), owner=type(self).__name__)
        return codes.astype(np.int64), len(self.classes_)

    def _scaled_target(self, target, weights, dtype):
        return target

    def _score_of(self, scores, target, weights):
        return float(np.average(scores.argmax(axis=1) == target, weights=weights))

    def predict_proba(self, X, lengths=None):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n, time, columns) or (n, time), or list of arrays of shape (time, columns)
        lengths : array-like of int of shape (n,) or None, default=None
            Number of valid steps of each sequence.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return apply_output(self._scores(X, lengths), "softmax")

    def predict(self, X, lengths=None):
        """Predicted classes.

        Parameters
        ----------
        X : array-like of shape (n, time, columns) or (n, time), or list of arrays of shape (time, columns)
        lengths : array-like of int of shape (n,) or None, default=None
            Number of valid steps of each sequence.

        Returns
        -------
        ndarray of shape (n,)
        """
        probabilities = self.predict_proba(X, lengths)
        return self.classes_[probabilities.argmax(axis=1)]
