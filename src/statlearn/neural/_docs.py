"""Docstring parts that the networks share."""

import inspect

from statlearn._core.docstrings import filled

from ._pretrained import PRETRAINED

_LAYERS = """hidden_layer_sizes : int or sequence of int, default=(100,)
        Number of units of every hidden layer. An empty sequence gives a linear model.
    activation : str or sequence of str, default="relu"
        Activation of the hidden layers, one for all or one per layer: "identity", "relu", "softplus", "threshold",
        "logistic" or "tanh" (see :func:`activation`). Layers below a hard threshold receive no gradient and keep
        their random weights.
    """

TRAINING = """solver : {"adam", "sgd", "lbfgs"}, default="adam"
        "adam" and "sgd" take batches; "lbfgs" takes all rows at once and is often best on a few thousand rows.
    alpha : float, default=0.0001
        Strength of the L2 penalty on weights and embeddings; intercepts are not penalised.
    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is ``min(200, n_samples)``.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        Schedule for "sgd": constant, ``learning_rate_init / (t + 1)**power_t`` after t rows, or divided by five
        whenever ``n_iter_no_change`` epochs bring no progress.
    learning_rate_init : float, default=0.001
        Step size. This is the most important parameter to tune.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default={max_iter}
        Maximum number of epochs, or of iterations of "lbfgs".
    shuffle : bool, default=True
        Whether the rows are shuffled before every epoch.
    random_state : int, RandomState or None, default=None
        Seed of the initial weights, the validation rows and the batches. The result is the same for any number of
        threads of the processor.
    tol : float, default=1e-4
        Training ends after more than ``n_iter_no_change`` epochs in which the training loss (with early stopping: the
        validation score) improved by less than `tol`. For "lbfgs", the largest accepted entry of the gradient.
    verbose : bool or int, default=False
        Print the loss of every epoch.
    warm_start : bool, default=False
        Continue from the weights of the last fit.
    momentum : float, default=0.9
        Momentum of "sgd".
    nesterovs_momentum : bool, default=True
        Whether the momentum is Nesterov's.
    early_stopping : bool, default=False
        End training by the score on validation rows and keep the weights of the best epoch. These rows are `X_val` if
        given to `fit`, else a random share of the training rows. Not for "lbfgs".
    validation_fraction : float, default=0.1
        Share of the rows held out for early stopping if `X_val` is not given.
    beta_1 : float, default=0.9
        Decay rate of the first moment of "adam".
    beta_2 : float, default=0.999
        Decay rate of the second moment of "adam".
    epsilon : float, default=1e-8
        Constant in the denominator of "adam".
    n_iter_no_change : int or inf, default=10
        Number of epochs without progress that are tolerated.
    max_fun : int, default=15000
        Maximum number of evaluations of the loss by "lbfgs".
    """

_CATEGORIES = """categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Columns whose values are categories: those of a data frame with a categorical type, or a mask, indices or names.
        Every category is represented by a vector that is learned with the weights (an embedding).
    embedding_size : int or "auto", default="auto"
        Length of the embeddings; "auto" is half the number of levels, rounded up, at most 50.
    """

RUNNING = """device : {"cpu", "auto", "cuda", "mps"}, default="cpu"
        Where the network is trained. Results on a graphics processor are not reproducible to the last bit.
    on_interrupt : {"raise", "keep"}, default="raise"
        "keep" ends the fit at Ctrl-C with the best weights so far, and a warning."""

PARAMETERS = _LAYERS + TRAINING + _CATEGORIES + PRETRAINED + RUNNING

_NETWORK = """coefs_ : list of ndarray
        Weights of every layer, of shape (units before, units of the layer).
    intercepts_ : list of ndarray
    embeddings_ : list of ndarray of shape (n_levels, size)
        One table per categorical column; empty without such columns. The embeddings follow the numeric columns in the
        input of the first layer.
    activations_ : list of str
        Activation of every hidden layer.
    out_activation_ : str
        Output function.
    n_layers_ : int
        Number of layers, the inputs included.
    n_outputs_ : int
    """

HISTORY = """n_iter_ : int
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
        ``"loss"``, ``"learning_rate"`` and, if there are validation rows, ``"validation_loss"`` and
        ``"validation_score"`` of every epoch; :func:`plot_history` draws it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)"""

ATTRIBUTES = _NETWORK + HISTORY

NOTES = """Initial weights, batches and steps are those of scikit-learn's class for the same `random_state`; the
    results differ by rounding only. Training needs PyTorch (``pip install 'statlearn[neural]'``). The fitted state
    consists of arrays, and predictions run on numpy, so that a saved model works where PyTorch is not installed.

    Standardise the columns first: the weights start at a common scale. The loss has many minima, so results depend on
    `random_state`; compare several seeds before you trust a difference. Cross-validation is expensive for networks; a
    single validation set (`X_val`) is often enough. A weight of k is equivalent to k copies of the row in the loss.
    The solvers "sgd" and "adam" count rows to form batches, so with more than one batch, the batches differ.

    Missing values are not supported. A category that training has not seen gets the mean of the embeddings."""


def fill(cls):
    """Put the shared parts into the docstring of a class."""
    epochs = inspect.signature(cls).parameters["max_iter"].default
    return filled(
        PARAMETERS=PARAMETERS, TRAINING=TRAINING + RUNNING, ATTRIBUTES=ATTRIBUTES, HISTORY=HISTORY, NOTES=NOTES,
        max_iter=epochs,
    )(cls)  # fmt: skip
