"""Attention: the formula, and a small network of attention blocks for sequences."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_array

from statlearn._core.params import Int

from ._sequence_model import SequenceClassifierMixin, SequenceModel, SequenceNetwork, fill

LAYER_NORM_EPS = 1e-5  # PyTorch's


def attention_weights(Q, K, mask=None):
    r"""Weights of attention, softmax(QKᵀ/√d) by rows.

    Parameters
    ----------
    Q : array-like of shape (..., n_queries, d)
        Queries.
    K : array-like of shape (..., n_keys, d)
        Keys.
    mask : array-like of bool, broadcast to (..., n_queries, n_keys), or None, default=None
        True where a query may attend to a key. Every query needs at least one key.

    Returns
    -------
    ndarray of shape (..., n_queries, n_keys)
        Rows sum to 1.

    See Also
    --------
    attention : the weighted means of values.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import attention_weights
    >>> attention_weights(np.eye(2), np.eye(2)).round(4)
    array([[0.6698, 0.3302],
           [0.3302, 0.6698]])
    """
    Q, K = _matrix(Q, "Q"), _matrix(K, "K")
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"`K` must have the {Q.shape[-1]} columns of `Q`, got {K.shape[-1]}.")
    try:
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    except ValueError:
        raise ValueError(f"`Q` and `K` must have the same leading shape, got {Q.shape} and {K.shape}.") from None
    if mask is not None:
        mask = np.asarray(mask)
        if mask.dtype != bool:
            raise ValueError(f"`mask` must be boolean, got an array of type {mask.dtype}.")
        try:
            mask = np.broadcast_to(mask, scores.shape)
        except ValueError:
            raise ValueError(f"`mask` must be broadcast to the shape {scores.shape}, got {mask.shape}.") from None
        if not mask.any(axis=-1).all():
            raise ValueError("`mask` must allow every query at least one key.")
        scores = np.where(mask, scores, -np.inf)
    return _softmax(scores)


def attention(Q, K, V, *, mask=None):
    r"""Scaled dot-product attention, softmax(QKᵀ/√d)V.

    Each row of the result is a weighted mean of the rows of V: row i of the weights tells how much query i looks at
    each key.

    Parameters
    ----------
    Q : array-like of shape (..., n_queries, d)
        Queries.
    K : array-like of shape (..., n_keys, d)
        Keys.
    V : array-like of shape (..., n_keys, m)
        Values.
    mask : array-like of bool, broadcast to (..., n_queries, n_keys), or None, default=None
        True where a query may attend to a key; ``np.tri(n, dtype=bool)`` hides the future.

    Returns
    -------
    ndarray of shape (..., n_queries, m)

    See Also
    --------
    attention_weights : the weights.
    AttentionClassifier : a network of such layers.

    References
    ----------
    Vaswani, A. et al. (2017). Attention is all you need. NeurIPS 30.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import attention
    >>> attention(np.eye(2), np.eye(2), [[1.0], [0.0]]).round(4)
    array([[0.6698],
           [0.3302]])
    """
    weights, V = attention_weights(Q, K, mask), _matrix(V, "V")
    if V.shape[-2] != weights.shape[-1]:
        raise ValueError(f"`V` must have a row for each of the {weights.shape[-1]} keys, got {V.shape[-2]}.")
    return weights @ V


def _matrix(array, name):
    array = check_array(array, dtype=(np.float64, np.float32), allow_nd=True, input_name=name)
    if 0 in array.shape:
        raise ValueError(f"`{name}` must not be empty, got shape {array.shape}.")
    return array


def _softmax(scores):
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


def positions(n_steps, size, dtype):
    """Sines and cosines of the number of the step, (n_steps, size), as in Vaswani et al. (2017)."""
    columns = np.arange(size)
    angles = np.arange(n_steps)[:, None] / 10000.0 ** (2 * (columns // 2) / size)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).astype(dtype)


def _normalised(values):
    """Layer normalisation without parameters."""
    values = values - values.mean(axis=-1, keepdims=True)
    return values / np.sqrt((values * values).mean(axis=-1, keepdims=True) + LAYER_NORM_EPS)


def block_names(block):
    """Names of the weights and of the biases of a block."""
    return [f"{part}_{block}" for part in ("queries", "keys", "values", "hidden", "output")], [
        f"{part}_bias_{block}" for part in ("hidden", "output")
    ]


class AttentionNetwork(SequenceNetwork):
    """Blocks of attention and a dense layer, on PyTorch."""

    def __init__(self, n_blocks, names):
        super().__init__()
        self.n_blocks, self.names = n_blocks, names

    def scores(self, parameters, X, lengths):
        """Scores of the output layer."""
        torch, function = self.torch, self.torch.nn.functional
        p = dict(zip(self.names, parameters))
        n_steps, size = X.shape[1], p["embedding"].shape[1]
        valid = torch.arange(n_steps) < lengths[:, None]
        places = torch.from_numpy(positions(n_steps, size, np.float64)).to(X.dtype)
        H = X @ p["embedding"] + p["embedding_bias"] + places
        for block in range(self.n_blocks):
            q, k, v = (H @ p[f"{part}_{block}"] for part in ("queries", "keys", "values"))
            mixed = function.scaled_dot_product_attention(q, k, v, attn_mask=valid[:, None, :])
            H = function.layer_norm(H + mixed, (size,), eps=LAYER_NORM_EPS)
            hidden = torch.relu(H @ p[f"hidden_{block}"] + p[f"hidden_bias_{block}"])
            H = H + hidden @ p[f"output_{block}"] + p[f"output_bias_{block}"]
            H = function.layer_norm(H, (size,), eps=LAYER_NORM_EPS)
        share = valid.to(X.dtype)
        mean = (H * share[:, :, None]).sum(1) / share.sum(1, keepdim=True)
        return torch.addmm(p["intercept"], mean, p["coef"])


@fill
class AttentionClassifier(SequenceClassifierMixin, ClassifierMixin, SequenceModel):
    r"""Network of attention blocks for classifying sequences: a small transformer encoder.

    Each step becomes a vector h of `n_units` numbers, a linear function of its columns plus sines and cosines of its
    position. A block lets the steps exchange information by :func:`attention` with :math:`Q = HW_Q`, :math:`K = HW_K`,
    :math:`V = HW_V`, and transforms each step by a dense layer; each part is added to its input and normalised. A
    softmax of a linear function of the mean over the steps gives the probabilities. It minimises

    .. math:: \frac{1}{S} \Big( -\sum_i s_i \log p_{y_i}(x_i) + \frac{\alpha}{2} \lVert W \rVert^2 \Big),
        \quad S = \sum_i s_i ,

    over the rows of a batch, where s are the weights of the rows and W all weights without the biases.

    Parameters
    ----------
    n_units : int, default=16
        Length of the vectors.
    n_blocks : int, default=1
        Number of blocks, one or two.
    {TRAINING}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    parameters_ : dict of str to ndarray
        "embedding", "queries_0", "keys_0", "values_0", "hidden_0", "output_0" (and so on for block 1), their biases,
        and "coef" and "intercept" of the output.
    {HISTORY}

    See Also
    --------
    attention : the formula.
    RecurrentClassifier : reads the steps one by one.

    Notes
    -----
    One head, normalisation without parameters, no dropout: the smallest network that shows the method. For wider models
    and text use keras or transformers. Training needs PyTorch (``pip install 'statlearn[neural]'``); predictions run on
    numpy. The cost grows with the square of the number of steps.

    References
    ----------
    Vaswani, A. et al. (2017). Attention is all you need. NeurIPS 30.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import AttentionClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = X.max(axis=1) > 1.3  # one step decides, whichever it is
    >>> model = AttentionClassifier(n_units=6, solver="lbfgs", alpha=0.1, tol=0.01, random_state=0)
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    """

    _constraints = {
        "n_units": [Int(2, 10_000)],
        "n_blocks": [Int(1, 2)],
        **SequenceModel._training_constraints,
    }

    def __init__(
        self,
        n_units=16,
        *,
        n_blocks=1,
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
        self.n_units = n_units
        self.n_blocks = n_blocks
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
        return {"n_blocks": int(self.n_blocks)}

    def _initialise(self, n_columns, n_outputs, dtype):
        rng, size = self._random_state, self.n_units

        def draw(rows, columns):
            bound = np.sqrt(6 / (rows + columns))
            return rng.uniform(-bound, bound, (rows, columns)).astype(dtype)

        penalised, free = {"embedding": draw(n_columns, size)}, {"embedding_bias": np.zeros(size, dtype)}
        for block in range(self.n_blocks):
            weights, biases = block_names(block)
            penalised |= {name: draw(size, size) for name in weights}
            free |= {name: np.zeros(size, dtype) for name in biases}
        penalised["coef"] = draw(size, n_outputs)
        free["intercept"] = np.zeros(n_outputs, dtype)
        return penalised, free

    def _network(self):
        return AttentionNetwork(self._settings["n_blocks"], self._names)

    def _passed(self, p, X, lengths):
        """Vectors of the steps after the last block, and the weights of attention of every block."""
        size = p["embedding"].shape[1]
        keys = (np.arange(X.shape[1]) < lengths[:, None])[:, None, :]
        H = X @ p["embedding"] + p["embedding_bias"] + positions(X.shape[1], size, X.dtype)
        maps = []
        for block in range(self._settings["n_blocks"]):
            Q, K, V = (H @ p[f"{part}_{block}"] for part in ("queries", "keys", "values"))
            scores = Q @ np.swapaxes(K, 1, 2) / np.sqrt(np.array(size, X.dtype))
            maps.append(_softmax(np.where(keys, scores, -np.inf)))
            H = _normalised(H + maps[-1] @ V)
            hidden = np.maximum(H @ p[f"hidden_{block}"] + p[f"hidden_bias_{block}"], 0)
            H = _normalised(H + hidden @ p[f"output_{block}"] + p[f"output_bias_{block}"])
        return H, maps

    def _numpy_scores(self, parameters, X, lengths):
        H, _ = self._passed(parameters, X, lengths)
        valid = (np.arange(X.shape[1]) < lengths[:, None]).astype(X.dtype)
        mean = (H * valid[:, :, None]).sum(axis=1) / valid.sum(axis=1, keepdims=True)
        return mean @ parameters["coef"] + parameters["intercept"]

    def attention_maps(self, X, lengths=None):
        """Weights of attention: how much each step looks at each other one.

        Parameters
        ----------
        X : array-like of shape (n, time, columns) or (n, time), or list of arrays of shape (time, columns)
        lengths : array-like of int of shape (n,) or None, default=None
            Number of valid steps of each sequence.

        Returns
        -------
        ndarray of shape (n, n_blocks, time, time)
            Rows are the steps that look and sum to 1; columns are those looked at.
        """
        X, lengths = self._read(X, lengths)
        return np.stack(self._passed(self.parameters_, X, lengths)[1], axis=1)
