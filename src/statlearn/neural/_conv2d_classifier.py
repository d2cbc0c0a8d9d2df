"""Convolutional network for classifying images."""

import math

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from statlearn._core.callbacks import with_callbacks
from statlearn._core.memory import require_memory
from statlearn._core.params import Instance, Int, Options, check_entries, check_params
from statlearn._core.validation import (
    FLOATS,
    check_weights,
    encode_classes,
    naming,
    refuse_without_table,
    validate_data,
)

from ._activations import ACTIVATIONS, activation, layer_activations
from ._conv_network import ConvLayer, ConvNetwork, apply_layer, conv_scores, plan_layers
from ._dense import TensorRows
from ._docs import fill
from ._forward import apply_output, mean_loss
from ._layout import Layout
from ._mlp_base import initial_layer, layer_sizes
from ._pretrained import check_frozen
from ._torch import check_device, import_torch
from ._training import Trained, hold_out


def per_layer(values_given, n_layers, name, low, words=()):
    """A number for every layer, from one number or a sequence of them."""
    values = (
        list(values_given)
        if hasattr(values_given, "__iter__") and not isinstance(values_given, str)
        else [values_given] * n_layers
    )
    if len(values) != n_layers:
        raise ValueError(f"`{name}` has {len(values)} entries, but `filters` asks for {n_layers} convolution layers.")
    for value in values:
        if value not in words and (not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < low):
            raise ValueError(f"`{name}` must contain whole numbers of at least {low}, got {value!r}.")
    return [value if value in words else int(value) for value in values]


@fill
class Conv2dClassifier(ClassifierMixin, Trained):
    r"""Convolutional network for images.

    A stack of convolutions with K filters of size F × F, stride S and zero padding P, each followed by an activation
    and a pooling of every map, then dense layers and a softmax output. It minimises the cross-entropy with an L2
    penalty

    .. math:: \frac{1}{S} \Big( -\sum_i s_i \log p_{y_i}(x_i) + \frac{\alpha}{2} \lVert W \rVert^2 \Big),
        \quad S = \sum_i s_i ,

    over the rows of a batch, where s are the weights of the rows and W stands for all filters and weights without the
    biases.

    Parameters
    ----------
    filters : int or sequence of int, default=(16, 32)
        Number of filters of every convolution layer.
    kernel_size : int or sequence of int, default=3
        Size F of the filters, one for all layers or one per layer.
    stride : int or sequence of int, default=1
        Step S of the filters.
    padding : int, "same" or sequence, default="same"
        Zeros P around the maps. "same" is (F - 1)/2, which preserves the size for odd F and stride 1.
    pool_size : int or sequence of int, default=2
        Size and step of the pooling windows; 1 for no pooling.
    pooling : {"max", "average"}, default="max"
    hidden_layer_sizes : int or sequence of int, default=(64,)
        Units of the dense layers between the last maps and the output.
    activation : str or sequence of str, default="relu"
        Activation of all layers, or one per convolution and dense layer; see :func:`activation`.
    image_shape : tuple of int or None, default=None
        (height, width) or (channels, height, width) of images that are given as rows of a table.
    strict : bool, default=True
        Refuse sizes for which (W - F + 2P)/S + 1 is not a whole number, so that the last pixels would be ignored.
    pretrained : list of (weights, biases) or None, default=None
        Convolutions and dense layers of a fitted network that become the first layers of this one; see
        :meth:`from_pretrained`.
    n_frozen : int, default=0
        Number of the pretrained layers, from the first, whose weights never change.
    {TRAINING}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    filters_ : list of ndarray of shape (n_filters, channels, F, F)
    filter_biases_ : list of ndarray of shape (n_filters,)
    coefs_ : list of ndarray
        Weights of the dense layers.
    intercepts_ : list of ndarray
    image_shape_ : tuple of int
        Channels, height and width.
    layers_ : list of dict
        Sizes of the convolution layers.
    activations_ : list of str
        Activations of the dense hidden layers.
    {HISTORY}

    See Also
    --------
    conv_output_size, conv_parameters, receptive_field : Sizes of layers.
    MLPClassifier : Networks for tables.

    Notes
    -----
    Images are arrays of shape (n, height, width) or (n, channels, height, width), or rows of a table with
    `image_shape`. Bring pixels to a range near [0, 1] or [-1, 1]. Typical (F, S, P) are (3, 1, 1), (5, 1, 2) and
    (1, 1, 0). Training needs PyTorch; predictions run on numpy.

    References
    ----------
    Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, "Gradient-based learning applied to document recognition",
    Proceedings of the IEEE 86 (1998).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from statlearn.neural import Conv2dClassifier
    >>> images, y = load_digits(n_class=2, return_X_y=True)
    >>> model = Conv2dClassifier(4, pool_size=4, hidden_layer_sizes=(), image_shape=(8, 8), solver="lbfgs",
    ...                          max_iter=30, random_state=0, tol=1e-2)
    >>> model.fit(images / 16, y).score(images / 16, y) > 0.99
    True
    """

    _constraints = {
        "filters": ["array-like", Int(1, None)],
        "kernel_size": ["array-like", Int(1, None)],
        "stride": ["array-like", Int(1, None)],
        "padding": ["array-like", Int(0, None), Options("same")],
        "pool_size": ["array-like", Int(1, None)],
        "pooling": [Options("max", "average")],
        "hidden_layer_sizes": ["array-like", Int(1, None)],
        "activation": [Options(*ACTIVATIONS), Instance(list, tuple, np.ndarray)],
        "image_shape": ["array-like", None],
        "strict": ["boolean"],
        "pretrained": [Instance(list, tuple), None],
        "n_frozen": [Int(0, None)],
        **Trained._training_constraints,
    }

    def __init__(
        self,
        filters=(16, 32),
        kernel_size=3,
        *,
        stride=1,
        padding="same",
        pool_size=2,
        pooling="max",
        hidden_layer_sizes=(64,),
        activation="relu",
        image_shape=None,
        strict=True,
        pretrained=None,
        n_frozen=0,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=50,
        shuffle=True,
        random_state=None,
        tol=1e-4,
        verbose=False,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        device="cpu",
        on_interrupt="raise",
    ):
        self.filters = filters
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.pool_size = pool_size
        self.pooling = pooling
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.image_shape = image_shape
        self.strict = strict
        self.pretrained = pretrained
        self.n_frozen = n_frozen
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.device = device
        self.on_interrupt = on_interrupt

    @classmethod
    def from_pretrained(cls, model, *, n_frozen=0, hidden_layer_sizes=(), **settings):
        """A network that starts with the layers of a fitted one, and has a new output layer.

        Parameters
        ----------
        model : Conv2dClassifier
            Fitted to images of the same shape in the same units. All its layers but the output are copied.
        n_frozen : int, default=0
            Number of copied layers, convolutions first, whose weights never change.
        hidden_layer_sizes : int or sequence of int, default=()
            Units of new dense layers between the copied ones and the output. Their activation is that of the last
            copied layer.
        **settings
            Parameters of the training; sizes and activations of the layers are those of `model`.

        Returns
        -------
        Conv2dClassifier
            Not fitted; its parameter `pretrained` holds the copies.
        """
        if not isinstance(model, Conv2dClassifier):
            raise TypeError(f"`model` must be a fitted Conv2dClassifier, got {type(model).__name__}.")
        check_is_fitted(model)
        convolutions = zip(model.filters_, model.filter_biases_)
        dense = zip(model.coefs_[:-1], model.intercepts_[:-1])
        layers = [(weights.copy(), biases.copy()) for weights, biases in [*convolutions, *dense]]
        check_frozen(n_frozen, len(layers))
        added = layer_sizes(hidden_layer_sizes)
        names = [layer["activation"] for layer in model.layers_] + list(model.activations_)
        return cls(
            [layer["n_filters"] for layer in model.layers_],
            [layer["size"] for layer in model.layers_],
            stride=[layer["stride"] for layer in model.layers_],
            padding=[layer["padding"] for layer in model.layers_],
            pool_size=[layer["pool_size"] for layer in model.layers_],
            pooling=model._pooling,
            hidden_layer_sizes=[len(b) for b in model.intercepts_[:-1]] + added,
            activation=names + [names[-1]] * len(added),
            **{"image_shape": model.image_shape_, "strict": model.strict} | settings,
            pretrained=layers,
            n_frozen=n_frozen,
        )

    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the network.

        Parameters
        ----------
        X : array-like of shape (n, height, width), (n, channels, height, width) or (n, n_pixels)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,) or None, default=None
        X_val, y_val, sample_weight_val : array-like or None, default=None
            Validation images. Their loss and accuracy are recorded in `history_`; with ``early_stopping=True`` they end
            the training.

        Returns
        -------
        self
        """
        check_params(self)
        import_torch()
        device = check_device(self.device)
        continued = self.warm_start and hasattr(self, "filters_")
        X, y = validate_data(self, X, y, dtype=FLOATS, allow_nd=True, reset=not continued)
        classes, codes = encode_classes(column_or_1d(y, warn=True), owner=type(self).__name__)
        images = self._images(X, None if not continued else self.image_shape_)
        weights = check_weights(sample_weight, images)
        if weights is not None and not np.all(weights > 0):
            used = weights > 0
            images, codes, weights = images[used], codes[used], weights[used]
        self._random_state = check_random_state(self.random_state)
        if continued:
            if not np.array_equal(classes, self.classes_):
                raise ValueError(
                    "warm_start can only be used where `y` has the same classes as in the previous call to fit. "
                    f"Previously got {self.classes_}, `y` has {classes}."
                )
            arrays = [*self.filters_, *self.coefs_, *self.filter_biases_, *self.intercepts_]
        else:
            self.classes_ = classes
            self.image_shape_ = images.shape[1:]
            arrays = self._take_pretrained(self._initialise(images.dtype))
            self._start_history()
        held = self._held_out(images, codes, weights, X_val, y_val, sample_weight_val)
        images, codes, weights = held[:3]
        half, frozen = len(arrays) // 2, self.n_frozen
        for k in range(frozen):
            images = self._pass_layer(images, k, arrays[k], arrays[half + k])
        self._frozen = [*arrays[:frozen], *arrays[half : half + frozen]]
        arrays = [*arrays[frozen:half], *arrays[half + frozen :]]
        half -= frozen
        layout = Layout([a.shape for a in arrays[:half]], [a.shape for a in arrays[half:]])
        rows = TensorRows(np.ascontiguousarray(images), codes.astype(np.int64), weights, device=device)
        best = self._train(
            ConvNetwork(self._plan[frozen:], self.activations_[max(frozen - len(self.layers_), 0) :], self.pooling),
            layout,
            layout.pack(arrays, images.dtype),
            rows,
            self._validation(layout, *held[3:]),
            data=(X, y, sample_weight),
            attributes=lambda vector: self._as_attributes(layout, vector),
        )
        self._pooling = self.pooling
        for name, value in self._as_attributes(layout, best).items():
            setattr(self, name, value)
        del self._frozen
        return self

    def _take_pretrained(self, arrays):
        """The drawn parameters, the first ones replaced by the pretrained layers."""
        layers, half = self.pretrained or [], len(arrays) // 2
        check_frozen(self.n_frozen, len(layers))
        if len(layers) >= half:
            raise ValueError(f"`pretrained` has {len(layers)} layers, but the network has {half - 1} hidden layers.")
        for k, layer in enumerate(layers):
            try:
                pair = [np.asarray(part).astype(arrays[0].dtype) for part in layer]
            except (TypeError, ValueError):
                raise ValueError(f"`pretrained`[{k}] must be (weights, biases), got {layer!r}.") from None
            wanted = [arrays[k].shape, arrays[half + k].shape]
            if [part.shape for part in pair] != wanted:
                raise ValueError(
                    f"`pretrained`[{k}] must have weights and biases of shapes {wanted[0]} and {wanted[1]} for images "
                    f"of shape {self.image_shape_}, got {[part.shape for part in pair]}."
                )
            arrays[k], arrays[half + k] = pair
        return arrays

    def _pass_layer(self, values, k, weights, biases):
        """Values after layer k, a convolution or a dense layer."""
        n = len(self.layers_)
        if k < n:
            step = max(1, 2**22 // max(1, int(np.prod(values.shape[1:]))))  # rows at a time
            parts = range(0, len(values), step)
            passed = [apply_layer(values[i : i + step], self._plan[k], weights, biases, self.pooling) for i in parts]
            return np.concatenate(passed)
        return activation(self.activations_[k - n])(values.reshape(len(values), -1) @ weights + biases)

    def _images(self, X, known):
        """Images as (n, channels, height, width)."""
        if X.ndim == 2:
            shape = known
            if shape is None:
                if self.image_shape is None:
                    raise ValueError(
                        "X has two dimensions; give images of shape (n, height, width) or (n, channels, height, "
                        "width), or set `image_shape`."
                    )
                sides = check_entries("image_shape", self.image_shape, Int(1, None), type(self).__name__)
                shape = tuple(int(side) for side in sides)
                shape = (1, *shape) if len(shape) == 2 else shape
                if len(shape) != 3 or min(shape) < 1:
                    raise ValueError(
                        f"`image_shape` must be (height, width) or (channels, height, width), got {self.image_shape!r}."
                    )
            if np.prod(shape) != X.shape[1]:
                raise ValueError(
                    f"X has {X.shape[1]} columns, but images of shape {shape} have {np.prod(shape)} pixels."
                )
            return X.reshape(len(X), *shape)
        if X.ndim not in (3, 4):
            raise ValueError(f"X must have 2, 3 or 4 dimensions, got {X.ndim}.")
        images = X[:, None] if X.ndim == 3 else X
        if known is not None and images.shape[1:] != tuple(known):
            raise ValueError(f"X contains images of shape {images.shape[1:]}, but training had {tuple(known)}.")
        return images

    def _initialise(self, dtype):
        """Plan the layers and draw their parameters."""
        filters = layer_sizes(self.filters, "filters")
        hidden = layer_sizes(self.hidden_layer_sizes)
        n = len(filters)
        names = layer_activations(self.activation, n + len(hidden), type(self).__name__)
        plan = plan_layers(
            self.image_shape_,
            filters,
            per_layer(self.kernel_size, n, "kernel_size", 1),
            per_layer(self.stride, n, "stride", 1),
            per_layer(self.padding, n, "padding", 0, ("same",)),
            per_layer(self.pool_size, n, "pool_size", 1),
            names[:n],
            strict=self.strict,
        )
        self.layers_ = [vars(layer).copy() for layer in plan]
        self.activations_ = names[n:]
        weights, biases = [], []
        channels, height, width = self.image_shape_
        for layer in plan:
            fan_in, fan_out = layer.channels * layer.size**2, layer.n_filters * layer.size**2
            padded = [side + 2 * layer.padding for side in (height, width)]
            require_memory(
                8 * (3 * layer.channels * fan_out + layer.channels * math.prod(padded)),
                f"A convolution of {layer.channels:,} maps of {padded[0]:,} x {padded[1]:,} with {layer.n_filters:,} "
                f"filters of {layer.size:,} x {layer.size:,}",
                "Use smaller `filters`, `kernel_size` or `padding`.",
            )
            bound = np.sqrt((2.0 if layer.activation == "logistic" else 6.0) / (fan_in + fan_out))
            shape = (layer.n_filters, layer.channels, layer.size, layer.size)
            weights.append(self._random_state.uniform(-bound, bound, shape).astype(dtype))
            biases.append(np.zeros(layer.n_filters, dtype))
            channels, (height, width) = layer.n_filters, layer.pooled
        units = [channels * height * width, *hidden, len(self.classes_)]
        before = [*self.activations_, self.activations_[-1] if hidden else "identity"]
        for fan_in, fan_out, name in zip(units, units[1:], before):
            coef, intercept = initial_layer(fan_in, fan_out, name, self._random_state, dtype)
            weights.append(coef)
            biases.append(intercept)
        return [*weights, *biases]

    @property
    def _plan(self):
        return [ConvLayer(**sizes) for sizes in self.layers_]

    def _held_out(self, images, codes, weights, X_val, y_val, weights_val):
        """Training and validation rows."""
        if X_val is None:
            refuse_without_table(y_val=y_val, sample_weight_val=weights_val)
            if not self.early_stopping or self.solver == "lbfgs":
                return images, codes, weights, None, None, None
            train, test = hold_out(self, len(images), codes)
            part = (None, None) if weights is None else (weights[train], weights[test])
            return images[train], codes[train], part[0], images[test], codes[test], part[1]
        if y_val is None:
            raise ValueError("`X_val` requires `y_val`.")
        with naming("X_val"):
            held = self._new_images(X_val)
        y_val = column_or_1d(y_val)
        if len(y_val) != len(held):
            raise ValueError(f"`X_val` has {len(held)} images, but `y_val` has {len(y_val)} labels.")
        unknown = ~np.isin(y_val, self.classes_)
        if unknown.any():
            raise ValueError(f"`y_val` contains the label {y_val[unknown].tolist()[0]!r}, which is not in `y`.")
        weights_val = check_weights(weights_val, held, name="sample_weight_val")
        return images, codes, weights, held.astype(images.dtype), np.searchsorted(self.classes_, y_val), weights_val

    def _validation(self, layout, images, codes, weights):
        if images is None:
            return None

        def evaluate(vector):
            scores = self._scores(images, self.pooling, **self._as_attributes(layout, vector))
            right = scores.argmax(axis=1) == codes
            score = float(np.average(right, weights=weights)) if np.isfinite(scores).all() else float("nan")
            return mean_loss(scores, codes, "softmax", weights), score

        return evaluate

    def _as_attributes(self, layout, vector):
        arrays, frozen = layout.views(vector), self.n_frozen
        half, n = len(arrays) // 2, len(self.layers_)
        arrays = [*self._frozen[:frozen], *arrays[:half], *self._frozen[frozen:], *arrays[half:]]
        half += frozen
        return {
            "filters_": arrays[:n],
            "coefs_": arrays[n:half],
            "filter_biases_": arrays[half : half + n],
            "intercepts_": arrays[half + n :],
        }

    def _scores(self, images, pooling, filters_, coefs_, filter_biases_, intercepts_):
        dense = (coefs_, intercepts_)
        return conv_scores(images, self._plan, filters_, filter_biases_, pooling, dense, self.activations_)

    def _read(self, X):
        check_is_fitted(self, "filters_")
        return self._new_images(X)

    def _new_images(self, X):
        """Images like those of the training data, which may have come with other dimensions."""
        if np.ndim(X) > 2:
            images = self._images(np.asarray(X), self.image_shape_)
            # scikit-learn compares the second dimension with that of the training data.
            X = images.reshape(len(images), self.n_features_in_, int(np.prod(self.image_shape_)) // self.n_features_in_)
        X = validate_data(self, X, dtype=FLOATS, allow_nd=True, reset=False)
        return self._images(X.reshape(len(X), -1), self.image_shape_)

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of images

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        images = self._read(X)
        scores = self._scores(images, self._pooling, self.filters_, self.coefs_, self.filter_biases_, self.intercepts_)
        return apply_output(scores, "softmax")

    def predict(self, X):
        """Predicted classes.

        Parameters
        ----------
        X : array-like of images

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_log_proba(self, X):
        """Logarithms of the probabilities.

        Parameters
        ----------
        X : array-like of images

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def feature_maps(self, X, layer=0):
        """Maps after a convolution layer and its activation, before the pooling.

        Parameters
        ----------
        X : array-like of images
        layer : int, default=0
            Number of the convolution layer, from 0.

        Returns
        -------
        ndarray of shape (n, n_filters, height, width)
        """
        values = self._read(X)
        if not 0 <= layer < len(self.layers_):
            raise ValueError(f"`layer` must be between 0 and {len(self.layers_) - 1}, got {layer!r}.")
        for k in range(layer + 1):
            pooling = None if k == layer else self._pooling
            values = apply_layer(values, self._plan[k], self.filters_[k], self.filter_biases_[k], pooling)
        return values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
