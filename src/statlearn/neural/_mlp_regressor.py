"""Multilayer perceptron for regression."""

from dataclasses import replace

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import assert_all_finite
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from statlearn._core.callbacks import with_callbacks
from statlearn._core.fitted_state import forget
from statlearn._core.params import Options

from ._docs import fill
from ._mlp_base import SEARCH_SPACE, MultilayerPerceptron


@fill
class MLPRegressor(RegressorMixin, MultilayerPerceptron):
    r"""Multilayer perceptron regressor.

    Fully connected layers :math:`h = g(W^\top x + b)` with a linear output, or an exponential one for counts. It
    minimises by gradient steps on batches, or on all rows by L-BFGS,

    .. math:: \frac{1}{S} \Big( \sum_i s_i \, \ell(y_i, f(x_i)) + \frac{\alpha}{2} \lVert W \rVert^2 \Big),
        \quad S = \sum_i s_i ,

    where :math:`\ell` is half the squared error or half the Poisson deviance, summed over the outputs, s are the
    weights, the sums run over the rows of a batch, and W stands for all weights without the intercepts. scikit-learn
    divides the reported loss of several outputs by their number, but not its gradient; the steps are the same.

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
        Half the squared error, or half the Poisson deviance of non-negative targets.
    {PARAMETERS}
    scale_target : bool, default=False
        Train on the target with mean 0 and variance 1, and transform the last layer back. Losses are then reported in
        these units. Only for the squared error.

    Attributes
    ----------
    target_unit_ : list of two ndarray of shape (n_outputs,)
        Mean and standard deviation of the target; only with `scale_target`.
    {ATTRIBUTES}

    See Also
    --------
    MLPClassifier : The same for classes.
    statlearn.smooth.ProjectionPursuitRegressor : One hidden layer whose activations are learned.

    Notes
    -----
    {NOTES}

    Standardise the target, too, or set ``scale_target=True``: the step size does not adapt to its units.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating errors", Nature 323
    (1986). D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import MLPRegressor
    >>> X = np.linspace(-3, 3, 60)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=8, activation="tanh", solver="lbfgs", random_state=0)
    >>> model.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    _constraints = {
        **MultilayerPerceptron._constraints,
        "loss": [Options("squared_error", "poisson")],
        "scale_target": ["boolean"],
    }
    _y_options = {"y_numeric": True}
    _search_space = replace(SEARCH_SPACE, fixed={**SEARCH_SPACE.fixed, "scale_target": True})

    def __init__(
        self,
        loss="squared_error",
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
        scale_target=False,
    ):
        super().__init__(
            hidden_layer_sizes,
            activation,
            solver=solver,
            alpha=alpha,
            batch_size=batch_size,
            learning_rate=learning_rate,
            learning_rate_init=learning_rate_init,
            power_t=power_t,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            tol=tol,
            verbose=verbose,
            warm_start=warm_start,
            momentum=momentum,
            nesterovs_momentum=nesterovs_momentum,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            n_iter_no_change=n_iter_no_change,
            max_fun=max_fun,
            categorical_features=categorical_features,
            embedding_size=embedding_size,
            pretrained=pretrained,
            n_frozen=n_frozen,
            device=device,
            on_interrupt=on_interrupt,
        )
        self.loss = loss
        self.scale_target = scale_target

    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the network.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,) or None, default=None
        X_val, y_val, sample_weight_val : array-like or None, default=None
            Validation rows. Their loss and R² are recorded in `history_`; with ``early_stopping=True`` they end the
            training.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, (X_val, y_val, sample_weight_val))

    @available_if(lambda self: self._check_solver())
    def partial_fit(self, X, y, sample_weight=None):
        """Take one epoch on further rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, incremental=True)

    def _encode_target(self, y, *, first, incremental):
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        self._check_range(y, "y")
        target = y.reshape(len(y), -1).astype(np.float64, copy=False)
        if not first and target.shape[1] != self.n_outputs_:
            raise ValueError(
                f"`y` has {target.shape[1]} columns, but the fitted network has {self.n_outputs_} outputs."
            )
        return target, ("exp" if self.loss == "poisson" else "identity", target.shape[1])

    def _target_unit(self, target, weights, first):
        if not self.scale_target or self.out_activation_ != "identity":
            forget(self, "target_unit_")
            return None
        if first or not hasattr(self, "target_unit_"):
            mean = np.average(target, axis=0, weights=weights)
            spread = np.sqrt(np.average((target - mean) ** 2, axis=0, weights=weights))
            self.target_unit_ = [mean, np.where(spread > 0, spread, 1.0)]
        return self.target_unit_

    def _check_range(self, y, name):
        if self.loss == "poisson" and np.any(y < 0):
            raise ValueError(f"`{name}` must not be negative with loss='poisson'.")

    def _encode_validation(self, y_val, n):
        if y_val is None:
            raise ValueError("`X_val` requires `y_val`.")
        y_val = np.asarray(y_val, dtype=np.float64)
        assert_all_finite(y_val, input_name="y_val")
        if len(y_val) != n:
            raise ValueError(f"`X_val` has {n} rows, but `y_val` has {len(y_val)}.")
        target = y_val.reshape(n, -1)
        if target.shape[1] != self.n_outputs_:
            raise ValueError(f"`y_val` has {target.shape[1]} columns, but `y` has {self.n_outputs_}.")
        self._check_range(target, "y_val")
        return target

    def _score_of(self, means, target, weights):
        return r2_score(target, means, sample_weight=weights)

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        means = self._means(X)
        return means[:, 0] if means.shape[1] == 1 else means

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
