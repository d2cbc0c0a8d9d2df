"""Autoencoder: a network that learns to reproduce its input through a narrow layer."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.validation import FLOATS, check_weights, naming, validate_data

from ._activations import ACTIVATIONS, activation, layer_activations
from ._dense import DenseNetwork, TensorRows
from ._docs import fill
from ._forward import apply_output, hidden_and_scores, mean_loss
from ._layout import Layout
from ._mlp_base import initial_layer, layer_sizes
from ._torch import check_device, import_torch
from ._training import Trained, hold_out


@fill
class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Trained):
    r"""Autoencoder with dense layers.

    An encoder E maps rows to codes of `n_components` numbers, a decoder D maps codes back. Both are trained together to
    minimise over batches

    .. math:: \frac{1}{S} \Big( \sum_i s_i \, \tfrac12 \lVert x_i - D(E(x_i)) \rVert^2
        + \frac{\alpha}{2} \lVert W \rVert^2 \Big), \quad S = \sum_i s_i ,

    where s are the weights of the rows and W stands for all weights without the intercepts. With
    ``output="logistic"`` the squared distance is replaced by the cross-entropy of entries between 0 and 1.

    Parameters
    ----------
    n_components : int, default=2
        Length of the codes.
    hidden_layer_sizes : int or sequence of int, default=(64,)
        Units of the hidden layers of the encoder; empty for none.
    decoder_layer_sizes : int, sequence of int or None, default=None
        Units of the hidden layers of the decoder; None for those of the encoder in reverse order.
    activation : str or sequence of str, default="tanh"
        Activation of all hidden layers, or one per hidden layer of encoder and decoder; see :func:`activation`.
        ``"identity"`` gives a linear autoencoder.
    code_activation : str, default="identity"
        Activation of the codes.
    output : {"identity", "logistic"}, default="identity"
        Output function; "logistic" requires entries between 0 and 1.
    {TRAINING}

    Attributes
    ----------
    coefs_ : list of ndarray
        Weights of every layer, encoder first.
    intercepts_ : list of ndarray
    activations_ : list of str
        Activation of every layer but the last.
    n_encoder_layers_ : int
        Number of layers up to the codes.
    out_activation_ : str
    {HISTORY}

    See Also
    --------
    statlearn.manifold.KernelPCA : Codes by an eigenvalue problem.

    Notes
    -----
    A linear autoencoder without penalty spans the same subspace as the principal components, but its codes are an
    arbitrary linear transform of the scores. Standardise the columns first. The loss has many minima: results depend on
    `random_state`. Training needs PyTorch; `transform` and `inverse_transform` run on numpy.

    References
    ----------
    P. Baldi and K. Hornik, "Neural networks and principal component analysis", Neural Networks 2 (1989). G. E. Hinton
    and R. R. Salakhutdinov, "Reducing the dimensionality of data with neural networks", Science 313 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from statlearn.neural import Autoencoder
    >>> X = scale(load_iris().data)
    >>> model = Autoencoder(2, hidden_layer_sizes=(), alpha=0, solver="lbfgs", random_state=0).fit(X)
    >>> model.transform(X).shape
    (150, 2)
    >>> round(float(model.reconstruction_error(X).mean() / 4), 3)  # the share of the variance that two PCs miss
    0.042
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "hidden_layer_sizes": ["array-like", Int(1, None)],
        "decoder_layer_sizes": ["array-like", Int(1, None), None],
        "activation": [Options(*ACTIVATIONS), Instance(list, tuple, np.ndarray)],
        "code_activation": [Options(*ACTIVATIONS)],
        "output": [Options("identity", "logistic")],
        **Trained._training_constraints,
    }

    def __init__(
        self,
        n_components=2,
        *,
        hidden_layer_sizes=(64,),
        decoder_layer_sizes=None,
        activation="tanh",
        code_activation="identity",
        output="identity",
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
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
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.decoder_layer_sizes = decoder_layer_sizes
        self.activation = activation
        self.code_activation = code_activation
        self.output = output
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

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None, *, X_val=None, sample_weight_val=None):
        """Fit encoder and decoder.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
        X_val, sample_weight_val : array-like or None, default=None
            Validation rows. Their loss is recorded in `history_`; with ``early_stopping=True`` they end the training.
            The validation score is minus the loss.

        Returns
        -------
        self
        """
        check_params(self)
        encoder = layer_sizes(self.hidden_layer_sizes)
        decoder_sizes = self.decoder_layer_sizes
        decoder = encoder[::-1] if decoder_sizes is None else layer_sizes(decoder_sizes, "decoder_layer_sizes")
        names = layer_activations(self.activation, len(encoder) + len(decoder), type(self).__name__)
        import_torch()
        device = check_device(self.device)
        continued = self.warm_start and hasattr(self, "coefs_")
        X = validate_data(self, X, dtype=FLOATS, reset=not continued)
        self._check_range(X, "X")
        weights = check_weights(sample_weight, X)
        if weights is not None and not np.all(weights > 0):
            X, weights = X[weights > 0], weights[weights > 0]
        self._random_state = check_random_state(self.random_state)
        units = [X.shape[1], *encoder, int(self.n_components), *decoder, X.shape[1]]
        activations = [*names[: len(encoder)], activation(self.code_activation).name, *names[len(encoder) :]]
        if continued:
            fitted = [len(self.coefs_[0]), *(len(b) for b in self.intercepts_)]
            if fitted != units:
                raise ValueError(
                    f"The fitted network has layers of sizes {fitted}, but the parameters ask for {units}; call `fit` "
                    "with warm_start=False."
                )
            coefs, intercepts = self.coefs_, self.intercepts_
        else:
            self._start_history()
            layers = [
                initial_layer(fan_in, fan_out, name, self._random_state, X.dtype)
                for fan_in, fan_out, name in zip(units, units[1:], [*activations, activations[-1]])
            ]
            coefs, intercepts = [c for c, _ in layers], [b for _, b in layers]
        held, held_weights = self._held_out(X, X_val, sample_weight_val)
        if isinstance(held, tuple):
            train, test = held
            held, held_weights = X[test], None if weights is None else weights[test]
            X, weights = X[train], None if weights is None else weights[train]
        layout = Layout([c.shape for c in coefs], [b.shape for b in intercepts])
        parameters = self._train(
            DenseNetwork(activations, self.output),
            layout,
            layout.pack([*coefs, *intercepts], X.dtype),
            TensorRows(X, X, weights, device=device),
            self._validation(layout, activations, held, held_weights),
            data=(X, None, sample_weight),
            attributes=lambda vector: self._as_attributes(layout, vector),
        )
        for name, value in self._as_attributes(layout, parameters).items():
            setattr(self, name, value)
        self.activations_ = activations
        self.n_encoder_layers_ = len(encoder) + 1
        self.out_activation_ = self.output
        self._n_features_out = int(self.n_components)
        return self

    def _check_range(self, X, name):
        if self.output == "logistic" and (X.min() < 0 or X.max() > 1):
            raise ValueError(f"`output`='logistic' requires entries of {name} between 0 and 1; scale the columns.")

    def _held_out(self, X, X_val, weights_val):
        """Validation rows and weights, or positions of training and validation rows."""
        if X_val is None:
            if weights_val is not None:
                raise ValueError("`sample_weight_val` requires `X_val`.")
            early = self.early_stopping and self.solver != "lbfgs"
            return (hold_out(self, len(X)) if early else None), None
        with naming("X_val"):
            held = validate_data(self, X_val, dtype=FLOATS, reset=False).astype(X.dtype, copy=False)
        self._check_range(held, "X_val")
        return held, check_weights(weights_val, held, name="sample_weight_val")

    def _validation(self, layout, activations, X, weights):
        if X is None:
            return None

        def evaluate(vector):
            state = self._as_attributes(layout, vector)
            scores = hidden_and_scores(X, state["coefs_"], state["intercepts_"], [*activations, "identity"])
            loss = mean_loss(scores, X, self.output, weights)
            return loss, -loss

        return evaluate

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

    def inverse_transform(self, X):
        """Rows decoded from codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self, "coefs_")
        with naming("X"):
            codes = check_array(X, dtype=FLOATS)
        if codes.shape[1] != self._n_features_out:
            raise ValueError(f"X has {codes.shape[1]} columns, but codes have {self._n_features_out} components.")
        n = self.n_encoder_layers_
        scores = hidden_and_scores(codes, self.coefs_[n:], self.intercepts_[n:], [*self.activations_[n:], "identity"])
        return apply_output(scores, self.out_activation_)

    def reconstruction_error(self, X):
        """Squared distance of every row from its reconstruction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "coefs_")
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        scores = hidden_and_scores(X, self.coefs_, self.intercepts_, [*self.activations_, "identity"])
        return ((X - apply_output(scores, self.out_activation_)) ** 2).sum(axis=1)

    def score(self, X, y=None, sample_weight=None):
        """Minus the mean squared distance of rows from their reconstructions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        errors = self.reconstruction_error(X)
        return -float(np.average(errors, weights=check_weights(sample_weight, errors)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
