"""Codes without labels: an encoder that tells rows apart in spite of random changes."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, naming, validate_data

from ._activations import ACTIVATIONS, layer_activations
from ._dense import TensorRows
from ._docs import fill
from ._forward import hidden_and_scores
from ._layout import Layout
from ._mlp_base import initial_layer, layer_sizes
from ._objective import BatchPieces, Objective
from ._torch import check_device, import_torch
from ._training import Trained

CORRUPTED = 0.6  # share of the entries that the default augmentation replaces


def contrastive_loss(first, second, temperature=0.5, *, return_gradient=False):
    r"""NT-Xent loss of pairs of rows.

    Row i of `first` and row i of `second` are a pair. With the cosines :math:`s_{ik}` between all 2n rows, and j the
    partner of i, the loss is the mean over all rows of

    .. math:: -\log \frac{e^{s_{ij} / \tau}}{\sum_{k \ne i} e^{s_{ik} / \tau}} .

    Parameters
    ----------
    first, second : array-like of shape (n, n_components)
    temperature : float, default=0.5
        :math:`\tau`. Small values care about the nearest rows only.
    return_gradient : bool, default=False
        Whether the gradients with respect to both arrays are returned as well.

    Returns
    -------
    loss : float
    gradients : pair of ndarray
        Only with ``return_gradient=True``.

    References
    ----------
    T. Chen, S. Kornblith, M. Norouzi and G. Hinton, "A simple framework for contrastive learning of visual
    representations", ICML 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import contrastive_loss
    >>> round(contrastive_loss(np.eye(2), np.eye(2), temperature=1.0), 7)  # log(1 + 2 / e)
    0.5514447
    """
    check_arguments(
        contrastive_loss,
        temperature=(temperature, [Real(0, None, closed="neither")]),
        return_gradient=(return_gradient, ["boolean"]),
    )
    parts = []
    for name, part in (("first", first), ("second", second)):
        with naming(name):
            parts.append(check_array(part, dtype=FLOATS))
    if parts[0].shape != parts[1].shape:
        raise ValueError(f"`second` must have the shape of `first`, {parts[0].shape}, got {parts[1].shape}.")
    loss, gradient = pair_loss(np.vstack(parts), temperature)
    n = len(parts[0])
    return (loss, (gradient[:n], gradient[n:])) if return_gradient else loss


def pair_loss(Z, temperature):
    """Mean loss of the pairs (i, n + i) of 2n rows, and its gradient."""
    n = len(Z) // 2
    norms = np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), np.finfo(Z.dtype).tiny ** 0.5)
    U = Z / norms
    scores = U @ U.T / temperature
    np.fill_diagonal(scores, -np.inf)
    totals = logsumexp(scores, axis=1)
    rows, partner = np.arange(2 * n), np.roll(np.arange(2 * n), n)
    loss = float(np.mean(totals - scores[rows, partner]))
    slopes = np.exp(scores - totals[:, None])
    slopes[rows, partner] -= 1.0
    slopes += slopes.T.copy()  # a score belongs to both of its rows
    along = slopes @ U / (2 * n * temperature)
    return loss, (along - np.sum(along * U, axis=1, keepdims=True) * U) / norms


def corrupted(X, rng):
    """Rows of which a random share of the entries comes from other rows."""
    donors = rng.randint(len(X), size=X.shape)
    changed = rng.uniform(size=X.shape) < CORRUPTED
    return np.where(changed, np.take_along_axis(X, donors, axis=0), X)


class ContrastiveNetwork:
    """Dense layers with the loss of pairs; gradients by PyTorch's differentiation."""

    def __init__(self, activations, augment, temperature, rng):
        self.activations, self.augment, self.temperature, self.rng = activations, augment, temperature, rng
        self.torch = import_torch()
        self.objective = ContrastiveObjective

    def pairs(self, X):
        """Two changed versions of every row, one table after the other."""
        changes = []
        for _ in range(2):
            changed = np.asarray(self.augment(X.copy(), self.rng), dtype=X.dtype)
            if changed.shape != X.shape or not np.isfinite(changed).all():
                raise ValueError(
                    f"`augment` must return finite numbers of shape {X.shape}, got an array of shape {changed.shape}."
                )
            changes.append(changed)
        return np.vstack(changes)

    def set_gradient(self, parameters, X, gradient):
        """Summed loss of the rows X; its gradient is stored in `gradient`."""
        torch, depth = self.torch, len(parameters) // 2
        functions = {"relu": torch.relu, "tanh": torch.tanh, "logistic": torch.sigmoid}
        functions["softplus"] = torch.nn.functional.softplus
        with torch.enable_grad():
            leaves = [parameter.detach().requires_grad_() for parameter in parameters]
            values = torch.from_numpy(self.pairs(X))
            for weight, bias, name in zip(leaves[:depth], leaves[depth:], [*self.activations, "identity"]):
                values = torch.addmm(bias, values, weight)
                values = functions[name](values) if name in functions else values
        loss, slope = pair_loss(values.detach().numpy(), self.temperature)
        gradients = torch.autograd.grad(values, leaves, torch.from_numpy((slope * len(X)).astype(X.dtype)))
        for total, part in zip(gradient, gradients):
            total.copy_(part)
        return loss * len(X)


class ContrastiveObjective(Objective):
    """As its base class, for a loss in which all rows of a batch meet, so that batches are not divided."""

    def _pieces(self, rows):
        self._prepare(1)
        X = self.rows.X.numpy()[rows]
        loss = self.network.set_gradient(self.parameters, X, self.views[0])
        return loss, BatchPieces(self.parts[:1], self.layout.n_penalised, self.alpha, float(len(X)))


@fill
class ContrastiveEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Trained):
    r"""Encoder learned from rows without labels by contrasting pairs (SimCLR).

    Every row of a batch is changed at random twice. Encoder E and head H, both dense networks, are trained so that the
    two versions of a row resemble each other more than those of different rows: with :math:`z = H(E(x))` they minimise
    :func:`contrastive_loss` plus :math:`\alpha \lVert W \rVert^2 / 2` divided by the number of rows of the batch. The
    head is only used in training; the codes are E(x).

    Parameters
    ----------
    n_components : int, default=32
        Length of the codes.
    augment : callable or None, default=None
        ``augment(X, rng)`` returns changed rows of the shape of X. It decides what the codes ignore: shift and blur
        images, crop series, add noise to measurements. None replaces 60 % of the entries of each row by values of the
        same columns in other rows, which suits tables.
    hidden_layer_sizes : int or sequence of int, default=(128,)
        Units of the hidden layers of the encoder.
    projection_layer_sizes : int or sequence of int, default=(32,)
        Units of the layers of the head; empty for none.
    temperature : float, default=0.5
        :math:`\tau` of the loss.
    activation : {"relu", "tanh", "logistic", "softplus"}, default="relu"
        Activation of all layers but the last one of the head.
    alpha : float, default=0.0001
        Strength of the L2 penalty on the weights.
    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is ``min(200, n_samples)``. A row is contrasted with all others of its batch.
    learning_rate_init : float, default=0.001
        Step size of Adam.
    max_iter : int, default=200
        Maximum number of epochs.
    tol : float, default=1e-4
        Training ends after more than 10 epochs in which the loss improved by less than this.
    random_state : int, RandomState or None, default=None
        Seed of the weights, the batches and the augmentation.
    verbose : bool or int, default=False
        Print the loss of every epoch.

    Attributes
    ----------
    coefs_ : list of ndarray
        Weights of every layer, encoder first.
    intercepts_ : list of ndarray
    activations_ : list of str
        Activation of every layer but the last.
    n_encoder_layers_ : int
        Number of layers up to the codes.
    {HISTORY}

    See Also
    --------
    Autoencoder : Codes from which the row can be restored.
    MLPClassifier.from_pretrained : A classifier that starts with the encoder.

    Notes
    -----
    Fit on all rows, labelled or not, and a simple classifier on the codes of the labelled ones. The codes are only as
    good as the augmentation: what it changes must not matter for the labels. Standardise the columns first. Each batch
    of n rows costs two passes through the network and O(n²) for the loss. Training needs PyTorch; `transform` runs on
    numpy.

    References
    ----------
    T. Chen, S. Kornblith, M. Norouzi and G. Hinton, "A simple framework for contrastive learning of visual
    representations", ICML 2020. D. Bahri, H. Jiang, Y. Tay and D. Metzler, "SCARF: self-supervised contrastive
    learning using random feature corruption", ICLR 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from statlearn.neural import ContrastiveEncoder
    >>> X = scale(load_iris().data)
    >>> encoder = ContrastiveEncoder(4, hidden_layer_sizes=16, max_iter=20, tol=1.0, random_state=0)
    >>> encoder.fit_transform(X).shape
    (150, 4)
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "augment": [Instance(Callable), None],
        "hidden_layer_sizes": ["array-like", Int(1, None)],
        "projection_layer_sizes": ["array-like", Int(1, None)],
        "temperature": [Real(0, None, closed="neither")],
        "activation": [Options(*sorted(set(ACTIVATIONS) - {"identity", "threshold"}))],
        **{
            name: Trained._training_constraints[name]
            for name in ("alpha", "learning_rate_init", "max_iter", "tol", "random_state", "verbose")
        },
        "batch_size": [Options("auto"), Int(2, None)],
    }
    # What the training loops read and this estimator fixes.
    solver, beta_1, beta_2, epsilon = "adam", 0.9, 0.999, 1e-8
    n_iter_no_change, shuffle, on_interrupt, early_stopping = 10, True, "raise", False

    def __init__(
        self,
        n_components=32,
        augment=None,
        *,
        hidden_layer_sizes=(128,),
        projection_layer_sizes=(32,),
        temperature=0.5,
        activation="relu",
        alpha=0.0001,
        batch_size="auto",
        learning_rate_init=0.001,
        max_iter=200,
        tol=1e-4,
        random_state=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.augment = augment
        self.hidden_layer_sizes = hidden_layer_sizes
        self.projection_layer_sizes = projection_layer_sizes
        self.temperature = temperature
        self.activation = activation
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(self, X, y=None):
        """Fit the encoder.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        encoder = [*layer_sizes(self.hidden_layer_sizes), int(self.n_components)]
        head = layer_sizes(self.projection_layer_sizes, "projection_layer_sizes")
        import_torch()
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        self._random_state = check_random_state(self.random_state)
        units = [X.shape[1], *encoder, *head]
        activations = layer_activations(self.activation, len(units) - 2, type(self).__name__)
        if not head:  # the codes themselves are contrasted
            activations = [*activations, "identity"][: len(encoder)]
        layers = [
            initial_layer(fan_in, fan_out, self.activation, self._random_state, X.dtype)
            for fan_in, fan_out in pairwise(units)
        ]
        arrays = [*(coef for coef, _ in layers), *(intercept for _, intercept in layers)]
        depth = len(layers)
        layout = Layout([a.shape for a in arrays[:depth]], [a.shape for a in arrays[depth:]])
        self._start_history()
        network = ContrastiveNetwork(
            activations[: depth - 1], self.augment or corrupted, self.temperature, self._random_state
        )
        best = self._train(
            network,
            layout,
            layout.pack(arrays, X.dtype),
            TensorRows(X, np.zeros(len(X), np.int64), device=check_device("cpu")),
            data=(X, None, None),
            attributes=lambda vector: self._as_attributes(layout, vector),
        )
        for name, value in self._as_attributes(layout, best).items():
            setattr(self, name, value)
        self.activations_ = activations
        self.n_encoder_layers_ = len(encoder)
        self._n_features_out = int(self.n_components)
        del self._random_state
        return self

    def _as_attributes(self, layout, vector):
        arrays = layout.views(vector)
        return {"coefs_": arrays[: len(arrays) // 2], "intercepts_": arrays[len(arrays) // 2 :]}

    def transform(self, X):
        """Codes of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self, "coefs_")
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return hidden_and_scores(X, self.coefs_, self.intercepts_, self.activations_, layers=self.n_encoder_layers_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
