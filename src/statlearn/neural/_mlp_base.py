"""Base class of the multilayer perceptrons: layers, categories, the input and output of fits."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import CategoryCoder, as_frame
from statlearn._core.memory import require_memory
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, naming, refuse_without_table, validate_data
from statlearn._math.linalg.sparse_arrays import to_dense

from ._activations import ACTIVATIONS, activation, layer_activations
from ._dense import DenseNetwork, TensorRows
from ._forward import apply_output, hidden_and_scores, mean_loss
from ._layout import Layout
from ._pretrained import check_frozen, check_layers, hidden_layers
from ._torch import check_device, import_torch
from ._training import Trained, hold_out

LARGEST_EMBEDDING = 50
# In `statlearn compare`: two hidden layers, ended by held-out rows, with two strengths of the penalty.
SEARCH_SPACE = SearchSpace(
    "neural network",
    grid={"alpha": [1.0, 0.1]},
    fixed={
        "hidden_layer_sizes": (100, 50),
        "early_stopping": True,
        "n_iter_no_change": 15,
        "tol": 0.0,
        "learning_rate_init": 0.003,
    },
)


def layer_sizes(sizes_given, name="hidden_layer_sizes"):
    """The sizes of layers as a list of int."""
    sizes = list(sizes_given) if hasattr(sizes_given, "__iter__") else [sizes_given]
    for size in sizes:
        if isinstance(size, (bool, np.bool_)) or not isinstance(size, (int, np.integer)):
            raise ValueError(f"`{name}` must contain whole numbers, got {size!r}.")
        if size <= 0:
            raise ValueError(f"{name} must be > 0, got {sizes}.")
    return [int(size) for size in sizes]


def initial_layer(fan_in, fan_out, before, random_state, dtype):
    """Weights and intercepts of a layer, uniform within Glorot's bound; `before` is its activation."""
    require_memory(
        3 * 8 * fan_in * fan_out,  # with the gradient and what the solver remembers
        f"A dense layer of {fan_in:,} x {fan_out:,} weights",
        "Use fewer units.",
    )
    bound = np.sqrt((2.0 if before == "logistic" else 6.0) / (fan_in + fan_out))
    coef = random_state.uniform(-bound, bound, (fan_in, fan_out)).astype(dtype, copy=False)
    return coef, random_state.uniform(-bound, bound, fan_out).astype(dtype, copy=False)


def embedding_length(size, n_levels):
    """Length of the embedding of a column."""
    return min(LARGEST_EMBEDDING, -(-n_levels // 2)) if size == "auto" else int(size)


def code_unseen(coder, X, coded):
    """The coded frame with one code more for levels that are unknown but not missing."""
    if coded is X:
        return X
    import narwhals as nw

    frame, result = as_frame(X), as_frame(coded)
    new = []
    for name, levels in coder.text_levels.items():
        if name in frame.columns:
            values = result.get_column(name).to_numpy()
            known_missing = frame.get_column(name).is_null().to_numpy()
            values = np.where(np.isnan(values) & ~known_missing, float(len(levels)), values)
            new.append(nw.new_series(name, values, nw.Float64, backend=result.implementation))
    return result.with_columns(*new).to_native()


class MultilayerPerceptron(Trained):
    """Base class of the classifier and the regressor."""

    _constraints = {
        "hidden_layer_sizes": ["array-like", Int(1, None)],
        "activation": [Options(*ACTIVATIONS), Instance(list, tuple, np.ndarray)],
        **Trained._training_constraints,
        "categorical_features": ["array-like", Options("from_dtype"), None],
        "embedding_size": [Options("auto"), Int(1, 1000)],
        "pretrained": [Instance(list, tuple), None],
        "n_frozen": [Int(0, None)],
    }

    def __init__(
        self,
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
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
        categorical_features="from_dtype",
        embedding_size="auto",
        pretrained=None,
        n_frozen=0,
        device="cpu",
        on_interrupt="raise",
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
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
        self.categorical_features = categorical_features
        self.embedding_size = embedding_size
        self.pretrained = pretrained
        self.n_frozen = n_frozen
        self.device = device
        self.on_interrupt = on_interrupt

    @classmethod
    def from_pretrained(cls, model, *, n_frozen=0, hidden_layer_sizes=(), **settings):
        """A network that starts with the hidden layers of a fitted one, and has a new output layer.

        Parameters
        ----------
        model : MLPClassifier, MLPRegressor or Autoencoder
            Fitted to rows with the same columns in the same units, such as many rows of a related task or rows without
            labels. All its layers but the output are copied; of an autoencoder, the encoder.
        n_frozen : int, default=0
            Number of copied layers, from the first, whose weights never change. With all of them frozen, only the new
            layers are fitted, on the values of the last copied layer.
        hidden_layer_sizes : int or sequence of int, default=()
            Units of new hidden layers between the copied ones and the output.
        **settings
            Other parameters of the class. `activation` is that of the new hidden layers.

        Returns
        -------
        estimator
            Not fitted; its parameter `pretrained` holds the copies.
        """
        layers = hidden_layers(model)
        check_frozen(n_frozen, len(layers))
        return cls(hidden_layer_sizes=hidden_layer_sizes, pretrained=layers, n_frozen=n_frozen, **settings)

    # ---- Reading tables ----

    def _validated(self, X, *y, reset, **options):
        """Validated table, with codes in columns of text or of a categorical type; (table, y) if y is given."""
        coder = CategoryCoder(self.categorical_features) if reset else self._coder
        coded = coder.fit_frame(X) if reset else code_unseen(coder, X, coder.read_frame(X))
        validated = validate_data(self, coded, *y, dtype=FLOATS, accept_sparse="csr", reset=reset, **options)
        if reset:
            table, names = validated[0], getattr(self, "feature_names_in_", None)
            sparse = issparse(table) and coder.choose(table.shape[1], names).any()
            self._coder = coder.fit(table.toarray() if sparse else table, names)
        return validated

    def _split(self, X):
        """Numeric columns and codes of a validated table; the code of an unseen category is the number of levels."""
        coder = self._coder
        if not coder.levels:
            return X, None
        X = to_dense(X)
        coded = coder.encode(X)[:, coder.mask]
        n_levels = np.array([len(levels) for levels in coder.levels.values()])
        codes = np.where(np.isnan(coded), n_levels, coded).astype(np.int64)
        return np.ascontiguousarray(X[:, ~coder.mask]), codes

    def _read(self, X):
        """Inputs for a prediction."""
        check_is_fitted(self, "coefs_")
        return self._split(self._validated(X, reset=False))

    # ---- Fitting ----

    def _fit(self, X, y, sample_weight, validation=(None, None, None), *, incremental=False):
        check_params(self)
        hidden = layer_sizes(self.hidden_layer_sizes)
        activations = layer_activations(self.activation, len(hidden), type(self).__name__)
        copied = check_layers(self.pretrained)
        check_frozen(self.n_frozen, len(copied))
        hidden = [len(intercept) for _, intercept, _ in copied] + hidden
        activations = [activation(name).name for *_, name in copied] + activations
        import_torch()
        device = check_device(self.device)
        first = not hasattr(self, "coefs_") or (not self.warm_start and not incremental)
        if incremental and self.early_stopping:
            raise ValueError("partial_fit does not support early_stopping=True.")
        raw_X, (X, y) = X, self._validated(X, y, reset=first, multi_output=True, **self._y_options)
        if incremental and not first:  # the optimizer's moments have the precision of the first rows
            X = X.astype(self.coefs_[0].dtype, copy=False)
        weights = check_weights(sample_weight, X)
        target, output = self._encode_target(y, first=first, incremental=incremental)
        target = target.astype(X.dtype, copy=False) if target.dtype.kind == "f" else target
        if weights is not None and not np.all(weights > 0):
            used = weights > 0
            X, target, weights = X[used], target[used], weights[used]
            y = y[used]
        X, codes = self._split(X)
        if not first:
            self._refuse_new_levels(codes)
        self._random_state = check_random_state(self.random_state)
        self._begin(X, hidden, activations, output, first, copied)
        X, codes, target, weights, *held = self._held_out(X, codes, target, weights, validation)
        unit = self._target_unit(target, weights, first)
        frozen = self.n_frozen
        if frozen:
            X = hidden_and_scores(X, self.coefs_, self.intercepts_, self.activations_, layers=frozen)
        coefs, intercepts = self.coefs_[frozen:], self.intercepts_[frozen:]
        if unit is not None:
            target = ((target - unit[0]) / unit[1]).astype(target.dtype)
            held[2] = None if held[2] is None else (held[2] - unit[0]) / unit[1]
            if not first:
                coefs[-1], intercepts[-1] = coefs[-1] / unit[1], (intercepts[-1] - unit[0]) / unit[1]
        arrays = [*coefs, *self.embeddings_, *intercepts]
        depth = len(coefs)
        layout = Layout([a.shape for a in arrays[:-depth]], [a.shape for a in arrays[-depth:]])
        vector = layout.pack(arrays, X.dtype)
        rows = TensorRows(X, target, weights, codes, device)
        network = DenseNetwork(self.activations_[frozen:], self.out_activation_, len(self.embeddings_))
        try:
            best = self._train(
                network,
                layout,
                vector,
                rows,
                self._validation(layout, *held),
                incremental=incremental,
                data=(raw_X, y, sample_weight),
                attributes=lambda parameters: self._in_unit(layout, parameters, unit),
            )
        except BaseException:
            if first:
                del self.coefs_, self.intercepts_
            raise
        if unit is not None:
            self._to_unit(layout, best, *unit)
        for name, value in self._as_attributes(layout, best).items():
            setattr(self, name, value)
        del self._random_state
        return self

    def _begin(self, X, hidden, activations, output, first, copied=()):
        """Draw the weights of a new network and copy pretrained ones, or check that the existing one fits."""
        if first:
            self._initialise(X, hidden, activations, output)
            self._take_pretrained(copied)
            self._start_history()
        else:
            self._check_layers(X, hidden)
            self.activations_ = activations
            if not hasattr(self, "history_"):
                self._start_history()

    def _take_pretrained(self, copied):
        """Replace the layers that were drawn by the pretrained ones."""
        for k, (coef, intercept, _) in enumerate(copied):
            if self.embeddings_:
                raise ValueError("`pretrained` layers do not support categorical columns; encode them first.")
            if coef.shape != self.coefs_[k].shape:
                raise ValueError(
                    f"X has {self.coefs_[k].shape[0]} columns, but the first layer of `pretrained` takes "
                    f"{coef.shape[0]}; pass the columns on which it was trained."
                )
            dtype = self.coefs_[k].dtype
            self.coefs_[k], self.intercepts_[k] = coef.astype(dtype), intercept.astype(dtype)

    def _in_unit(self, layout, vector, unit):
        """Fitted attributes for callbacks, from a parameter vector."""
        if unit is not None:
            self._to_unit(layout, vector, *unit)
        return self._as_attributes(layout, vector)

    def _target_unit(self, target, weights, first):
        """Mean and standard deviation of the target if the network is trained on standardised targets, else None."""
        return None

    def _to_unit(self, layout, vector, mean, spread):
        """Rescale the last layer to the unit of the target, in place."""
        state = self._as_attributes(layout, vector)
        state["coefs_"][-1][...] *= spread
        state["intercepts_"][-1][...] = state["intercepts_"][-1] * spread + mean

    def _as_attributes(self, layout, vector):
        """The arrays of a flat vector as fitted attributes."""
        arrays = layout.views(vector)
        depth = len(self.activations_) + 1 - self.n_frozen
        return {
            "coefs_": [*self.coefs_[: self.n_frozen], *arrays[:depth]],
            "embeddings_": arrays[depth:-depth],
            "intercepts_": [*self.intercepts_[: self.n_frozen], *arrays[-depth:]],
        }

    def _initialise(self, X, hidden, activations, output):
        """Draw the initial parameters."""
        self.activations_ = activations
        self.out_activation_, self.n_outputs_ = output
        levels = [len(known) for known in self._coder.levels.values()]
        lengths = [embedding_length(self.embedding_size, n) for n in levels]
        units = [X.shape[1] + sum(lengths), *hidden, self.n_outputs_]
        self.n_layers_ = len(units)
        # scikit-learn's rule knows one activation; the output layer follows the last hidden one.
        before = [*activations, activations[-1] if activations else "identity"]
        layers = [
            initial_layer(fan_in, fan_out, name, self._random_state, X.dtype)
            for fan_in, fan_out, name in zip(units, units[1:], before)
        ]
        self.coefs_ = [coef for coef, _ in layers]
        self.intercepts_ = [intercept for _, intercept in layers]
        self.embeddings_ = [
            self._random_state.normal(0.0, 1.0 / np.sqrt(length), (n, length)).astype(X.dtype)
            for n, length in zip(levels, lengths)
        ]

    def _check_layers(self, X, hidden):
        """Refuse to continue with layers of other sizes."""
        if not hasattr(self, "embeddings_"):
            self.embeddings_ = []
        fitted = [len(self.coefs_[0]), *(len(b) for b in self.intercepts_)]
        wanted = [X.shape[1] + sum(e.shape[1] for e in self.embeddings_), *hidden, self.n_outputs_]
        if fitted != wanted:
            raise ValueError(
                f"The fitted network has layers of sizes {fitted}, but the data and `hidden_layer_sizes` ask for "
                f"{wanted}; call `fit` with warm_start=False."
            )

    def _refuse_new_levels(self, codes):
        """Refuse to continue with categories that have no embedding."""
        for k, (column, levels) in enumerate(self._coder.levels.items()):
            if np.any(codes[:, k] == len(levels)):
                name = self.feature_names_in_[column] if hasattr(self, "feature_names_in_") else column
                raise ValueError(
                    f"Column {name!r} of X has a category that the first call did not have, so the network has no "
                    "embedding for it. Fit again on all rows, or drop these rows."
                )

    def _held_out(self, X, codes, target, weights, validation):
        """Training rows, and validation rows if there are any."""
        X_val, y_val, weights_val = validation
        if X_val is not None:
            with naming("X_val"):
                table = self._validated(X_val, reset=False)
            held, held_codes = self._split(table.astype(X.dtype, copy=False))
            with naming("y_val"):
                target_val = self._encode_validation(y_val, held.shape[0])
            weights_val = check_weights(weights_val, held, name="sample_weight_val")
            return X, codes, target, weights, held, held_codes, target_val, weights_val
        refuse_without_table(y_val=y_val, sample_weight_val=weights_val)
        if not self.early_stopping or self.solver == "lbfgs":
            return X, codes, target, weights, None, None, None, None
        stratify = target.astype(bool) if self.out_activation_ == "logistic" and self.n_outputs_ == 1 else None
        train, test = hold_out(self, X.shape[0], stratify)

        def take(array, rows):
            return None if array is None else array[rows]

        parts = (X, codes, target, weights)
        return *(take(part, train) for part in parts), *(take(part, test) for part in parts)

    def _validation(self, layout, X, codes, target, weights):
        """A function of the parameters that returns loss and score on the validation rows."""
        if X is None:
            return None

        def evaluate(vector):
            state = self._as_attributes(layout, vector)
            scores = self._scores(X, codes, **state)
            loss = mean_loss(scores, target, self.out_activation_, weights)
            if not np.isfinite(scores).all():
                return loss, float("nan")
            return loss, float(self._score_of(apply_output(scores, self.out_activation_), target, weights))

        return evaluate

    def _scores(self, X, codes, coefs_=None, intercepts_=None, embeddings_=None):
        """Scores of the output layer."""
        embeddings = self.embeddings_ if embeddings_ is None else embeddings_
        # The row behind the last level serves unseen categories.
        tables = [np.vstack([table, table.mean(axis=0)]) for table in embeddings]
        return hidden_and_scores(
            X,
            self.coefs_ if coefs_ is None else coefs_,
            self.intercepts_ if intercepts_ is None else intercepts_,
            [*self.activations_, "identity"],
            codes=codes,
            embeddings=tables,
        )

    def _means(self, X):
        """Values of the output layer as predictions."""
        return apply_output(self._scores(*self._read(X)), self.out_activation_)

    def _check_solver(self):
        if self.solver == "lbfgs":
            raise AttributeError("partial_fit is only available for the solvers 'sgd' and 'adam', not for 'lbfgs'.")
        return True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
