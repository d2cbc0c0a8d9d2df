"""Gaussian process classification."""

import math

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.jobs import jobs
from statlearn._core.native import gp as native
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import encode_classes, validate_data
from statlearn._core.warnings import warn

from ._covariance import AnyKernel, covariance_model
from ._laplace import LINKS, LaplaceEvidence
from ._regressor import default_kernel, free_parameters
from ._search import maximise, warn_at_bounds
from .kernels import CompoundKernel, Matern
from .kernels._formula import compile_kernel


class BinaryProcess:
    """A latent Gaussian process with two classes, approximated at its mode.

    Parameters
    ----------
    kernel : Kernel
        Fitted hyper-parameters.
    """

    def __init__(self, kernel, X, signs, link, max_iter):
        self.kernel, self.X, self.signs, self.link, self.max_iter = kernel, X, signs, link, max_iter

    def fit(self, optimizer, n_restarts, rng, start, owner):
        """Fit the hyper-parameters and the mode."""
        model = covariance_model(self.kernel)
        model.check(self.X)
        evidence = self.evidence(model)
        if start is not None and len(start) == len(self.signs):
            evidence.start = start
        self.runs = []
        if optimizer is not None and self.kernel.n_dims > 0:
            theta, _, self.runs = maximise(evidence.value_and_gradient, self.kernel, optimizer, n_restarts, rng, owner)
            self.kernel.theta = theta
            warn_at_bounds(self.kernel)
        mode = evidence.mode(self.kernel.theta)
        if mode is None:
            raise np.linalg.LinAlgError(
                f"The kernel, {self.kernel}, is not returning a positive semi-definite matrix, so the latent function "
                "has no mode. Use another kernel."
            )
        if not mode.converged:
            warn(
                f"{owner}: the search for the mode of the latent function did not converge in {self.max_iter} steps. "
                "Increase max_iter_predict.",
                ConvergenceWarning,
            )
        self.log_likelihood = mode.log_likelihood
        self.f, self.dual, self.slope, self.root, self.L = (
            mode.f,
            mode.dual,
            mode.slope,
            mode.root,
            np.tril(mode.L),
        )
        return self

    def evidence(self, model=None):
        """The approximate likelihood as a function of the hyper-parameters."""
        model = covariance_model(self.kernel) if model is None else model
        return LaplaceEvidence(model, self.X, self.signs, LINKS[self.link], self.max_iter)

    def log_marginal_likelihood(self, theta, eval_gradient):
        """Approximate log marginal likelihood, with its gradient if wanted."""
        evidence = self.evidence()
        evidence.start = self.dual
        if eval_gradient:
            return evidence.value_and_gradient(np.asarray(theta, dtype=np.float64))
        mode = evidence.mode(np.asarray(theta, dtype=np.float64))
        return -math.inf if mode is None else mode.log_likelihood

    def latent(self, X):
        """Mean and variance of the latent function at new rows."""
        prior = self.kernel.diag(X)
        formula = compile_kernel(self.kernel) if self.kernel.requires_vector_input else None
        if formula is not None:
            m = X.shape[0]
            mean, reduction = np.empty((m, 1)), np.empty(m)
            native.predict_rows(
                formula.args, X, self.X, self.slope[:, None].copy(), self.L, np.empty((len(self.f), 0)), self.root,
                mean, reduction, np.empty((m, 0)),
            )  # fmt: skip
            mean = mean[:, 0]
        else:
            K = self.kernel(X, self.X)
            mean = K @ self.slope
            V = np.ascontiguousarray((K * self.root).T)
            native.cholesky_solve_half(self.L, False, V)
            reduction = np.einsum("ij,ij->j", V, V)
        return mean, np.maximum(prior - reduction, 0.0)

    def probability(self, X):
        """Probability of the positive class, averaged over the latent function."""
        return LINKS[self.link].average(*self.latent(X))


class GaussianProcessClassifier(ClassifierMixin, BaseEstimator):
    r"""Gaussian process classification by Laplace's approximation.

    A latent function f has a Gaussian process prior, and a label :math:`y \in \{-1, 1\}` has probability
    :math:`s(y f(x))` with s the logistic function or the normal distribution function. The posterior of f at the
    training rows is approximated by a normal distribution around its mode :math:`\hat f`, and the hyper-parameters
    maximise the approximate log marginal likelihood

    .. math:: \log p(y \mid \hat f) - \tfrac12 \hat f^\top K^{-1} \hat f - \tfrac12 \log \lvert I + W^{1/2} K W^{1/2}
        \rvert, \qquad W = -\nabla^2 \log p(y \mid \hat f) .

    The probability at a new row is the mean of s over the approximate posterior of f there. More than two classes are
    fitted one against the rest, or in pairs.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        Covariance function of f. None means ``ConstantKernel() * RBF()`` with fixed unit values, as in scikit-learn: to
        fit them, pass ``1.0 * RBF()``.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        How the likelihood is maximised, as in `GaussianProcessRegressor`. None keeps the kernel.
    n_restarts_optimizer : int, default=0
        Number of further searches, from values drawn within the bounds.
    max_iter_predict : int, default=100
        Limit of Newton steps for the mode.
    warm_start : bool, default=False
        Whether `fit` starts the search for the mode from that of the last fit, if the number of rows is the same. The
        mode does not depend on the start.
    copy_X_train : bool, default=True
        Whether to keep a copy of the training data rather than a reference.
    random_state : int, RandomState or None, default=None
        Seed for the restarts.
    multi_class : {"one_vs_rest", "one_vs_one"}, default="one_vs_rest"
        How more than two classes are treated. With "one_vs_one", which fits smaller models, probabilities are not
        available.
    n_jobs : int or None, default=None
        Maximum number of threads; results do not depend on it.
    link : {"logistic", "probit"}, default="logistic"
        The function s. With the probit link the mean of s is exact; with the logistic one it is a sum of many terms.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_classes_ : int
        Their number.
    kernel_ : Kernel
        The kernel with its fitted hyper-parameters; a `CompoundKernel` for more than two classes.
    base_estimator_ : BinaryProcess or list of BinaryProcess
        The fitted models of two classes.
    log_marginal_likelihood_value_ : float
        Approximate log marginal likelihood; the mean over the models if there are several.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    GaussianProcessRegressor : the same prior for numbers.

    Notes
    -----
    Every step of Newton's method costs a Cholesky factor, O(n^3). Far from the data the probabilities of two classes
    return to 1/2 if the kernel is stationary. The latent variance matters: the probability at the mean of f would be
    too certain.

    References
    ----------
    Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, chapter 3 and section 5.5.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import RBF, GaussianProcessClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (60, 1))
    >>> y = (np.sin(X[:, 0]) + 0.3 * rng.normal(size=60) > 0).astype(int)
    >>> model = GaussianProcessClassifier(1.0 * RBF()).fit(X, y)
    >>> model.predict_proba([[-1.5], [1.5], [100.0]])[:, 1].round(1)
    array([0. , 1. , 0.5])
    """

    _search_space = SearchSpace("Gaussian process", fixed={"kernel": 1.0 * Matern(nu=2.5)})
    _constraints = {
        "kernel": [Instance(AnyKernel), None],
        "optimizer": [Options("fmin_l_bfgs_b"), "callable", None],
        "n_restarts_optimizer": [Int(0, None)],
        "max_iter_predict": [Int(1, None)],
        "warm_start": ["boolean"],
        "copy_X_train": ["boolean"],
        "random_state": ["random_state"],
        "multi_class": [Options("one_vs_rest", "one_vs_one")],
        "n_jobs": [Int(None, None), None],
        "link": [Options("logistic", "probit")],
    }

    def __init__(
        self,
        kernel=None,
        *,
        optimizer="fmin_l_bfgs_b",
        n_restarts_optimizer=0,
        max_iter_predict=100,
        warm_start=False,
        copy_X_train=True,
        random_state=None,
        multi_class="one_vs_rest",
        n_jobs=None,
        link="logistic",
    ):
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.link = link

    def fit(self, X, y):
        """Fit the hyper-parameters and the mode of the latent function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or list of objects
            Objects need a kernel for them.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_params(self)
        if isinstance(self.kernel, AnyKernel) and hasattr(self.kernel, "kernels"):
            raise ValueError("`kernel` cannot be a CompoundKernel.")
        kernel = default_kernel(fixed=True) if self.kernel is None else self.kernel
        if kernel.requires_vector_input:
            X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        else:
            X, y = validate_data(self, X, y, dtype=None, ensure_2d=False)
        classes, codes = _encode(y)
        if self.copy_X_train and isinstance(X, np.ndarray):
            X = X.copy()
        rng = check_random_state(self.random_state)
        tasks = self._tasks(len(classes), codes)
        old = self._models() if self.warm_start and hasattr(self, "base_estimator_") else []
        models = []
        with jobs(self.n_jobs), single_blas_thread():  # the same bits for any number of threads
            for k, (rows, signs) in enumerate(tasks):
                start = old[k].dual if k < len(old) else None
                part = X if rows is None else X[rows]
                model = BinaryProcess(clone(kernel), part, signs, self.link, self.max_iter_predict)
                models.append(model.fit(self.optimizer, self.n_restarts_optimizer, rng, start, type(self).__name__))
        self.classes_, self.n_classes_ = classes, len(classes)
        self.base_estimator_ = models[0] if len(models) == 1 else models
        self.log_marginal_likelihood_value_ = np.mean([m.log_likelihood for m in models])
        return self

    def _tasks(self, n_classes, codes):
        """Rows (None for all) and signs of every model of two classes."""
        if n_classes == 2:
            return [(None, np.where(codes == 1, 1.0, -1.0))]
        if self.multi_class == "one_vs_rest":
            return [(None, np.where(codes == k, 1.0, -1.0)) for k in range(n_classes)]
        pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
        rows = [np.flatnonzero((codes == i) | (codes == j)) for i, j in pairs]
        return [(r, np.where(codes[r] == j, 1.0, -1.0)) for r, (_, j) in zip(rows, pairs)]

    def _models(self):
        return self.base_estimator_ if isinstance(self.base_estimator_, list) else [self.base_estimator_]

    def _check_new(self, X):
        check_is_fitted(self)
        if self._models()[0].kernel.requires_vector_input:
            return validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return validate_data(self, X, dtype=None, ensure_2d=False, reset=False)

    def predict(self, X):
        """Most probable classes.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or list of objects

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        X = self._check_new(X)
        with jobs(self.n_jobs), single_blas_thread():
            if self.n_classes_ == 2:
                # The mean of the latent function has the sign of the averaged probability minus 1/2.
                return self.classes_[(self.base_estimator_.latent(X)[0] > 0).astype(int)]
            columns = [model.probability(X) for model in self._models()]
        if self.multi_class == "one_vs_rest":
            return self.classes_[np.argmax(np.column_stack(columns), axis=1)]
        return self.classes_[np.argmax(self._votes(columns), axis=1)]

    def _votes(self, columns):
        """Won pairs of every class; ties go to the larger sum of probabilities."""
        votes = np.zeros((len(columns[0]), self.n_classes_))
        pairs = ((i, j) for i in range(self.n_classes_) for j in range(i + 1, self.n_classes_))
        for (i, j), p in zip(pairs, columns):
            share = (p - 0.5) / (2 * self.n_classes_)  # sums to less than a vote
            votes[:, j] += (p > 0.5) + share
            votes[:, i] += (p <= 0.5) - share
        return votes

    def predict_proba(self, X):
        """Probabilities of the classes, averaged over the latent function.

        One against the rest, the probabilities of the models are divided by their sum.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or list of objects

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        X = self._check_new(X)
        if self.n_classes_ > 2 and self.multi_class == "one_vs_one":
            raise ValueError(
                "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode "
                "instead."
            )
        with jobs(self.n_jobs), single_blas_thread():
            columns = [model.probability(X) for model in self._models()]
        if self.n_classes_ == 2:
            return np.column_stack([1.0 - columns[0], columns[0]])
        table = np.column_stack(columns)
        return table / table.sum(axis=1, keepdims=True)

    def latent_mean_and_variance(self, X):
        """Mean and variance of the latent function, for two classes.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or list of objects

        Returns
        -------
        mean, variance : ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        if self.n_classes_ > 2:
            raise ValueError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, "
                f"received {self.n_classes_} classes."
            )
        X = self._check_new(X)
        with jobs(self.n_jobs), single_blas_thread():
            return self.base_estimator_.latent(X)

    @property
    def kernel_(self):
        """The fitted kernel."""
        check_is_fitted(self)
        models = self._models()
        return models[0].kernel if len(models) == 1 else CompoundKernel([model.kernel for model in models])

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """Approximate log marginal likelihood of the training labels.

        Parameters
        ----------
        theta : array-like of shape (n_dims,) or (n_models * n_dims,) or None, default=None
            Logarithms of the hyper-parameters, common to all models or one set for each. None means the fitted ones.
        eval_gradient : bool, default=False
            Whether to return the gradient with respect to `theta` too; only for two classes.
        clone_kernel : bool, default=True
            Whether the fitted kernels keep their values. False sets them to `theta`.

        Returns
        -------
        value : float
            The mean over the models if there are more than two classes.
        gradient : ndarray of shape (n_dims,)
            Only with `eval_gradient`.
        """
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None.")
            return self.log_marginal_likelihood_value_
        theta, models = np.asarray(theta, dtype=np.float64), self._models()
        n_dims = models[0].kernel.n_dims
        if len(models) > 1 and eval_gradient:
            raise NotImplementedError("Gradient of log-marginal-likelihood not implemented for multi-class GPC.")
        if theta.shape not in ((n_dims,), (n_dims * len(models),)):
            raise ValueError(
                f"Shape of theta must be either {n_dims} or {n_dims * len(models)}. Obtained theta with shape "
                f"{theta.shape}."
            )
        parts = [theta] * len(models) if len(theta) == n_dims else np.split(theta, len(models))
        if not clone_kernel:
            for model, part in zip(models, parts):
                model.kernel.theta = part
        with jobs(self.n_jobs), single_blas_thread():
            values = [model.log_marginal_likelihood(part, eval_gradient) for model, part in zip(models, parts)]
        return values[0] if eval_gradient else np.mean(values)

    def summary(self):
        """Table of the hyper-parameters of every model of two classes.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        models = self._models()
        names, columns = [], {"estimate": [], "bound_low": [], "bound_high": []}
        labels = [""] if len(models) == 1 else [f"{label}: " for label in self._task_names()]
        for label, model in zip(labels, models):
            free_names, values = free_parameters(model.kernel)
            bounds = np.exp(model.kernel.bounds).reshape(-1, 2)  # all parameters may be fixed
            names += [label + name for name in free_names]
            for key, column in zip(columns, (values, bounds[:, 0], bounds[:, 1])):
                columns[key] += list(column)
        facts = {
            "n": len(models[0].signs) if self.multi_class == "one_vs_rest" else None,
            "classes": self.n_classes_,
            "log_likelihood": self.log_marginal_likelihood_value_,
        }
        words = {"n": "Observations", "classes": "Classes", "log_likelihood": "Log marginal likelihood (Laplace)"}
        notes = [f"Link: {self.link}", *(f"Kernel: {label}{model.kernel}" for label, model in zip(labels, models))]
        return Summary("Gaussian process classification", Table(names, columns), facts, words, [], notes)

    def _task_names(self):
        if self.multi_class == "one_vs_rest":
            return [f"{label} against the rest" for label in self.classes_]
        count = self.n_classes_
        return [f"{self.classes_[j]} against {self.classes_[i]}" for i in range(count) for j in range(i + 1, count)]


def _encode(y):
    classes, codes = encode_classes(y, minimum=1)
    if len(classes) == 1:
        raise ValueError(
            "GaussianProcessClassifier requires 2 or more distinct classes; got 1 class (only class "
            f"{classes[0]} is present)."
        )
    return classes, codes
