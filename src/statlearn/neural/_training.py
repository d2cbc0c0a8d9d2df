"""Training loops: epochs of batches with early stopping and a history, or L-BFGS on all rows."""

import time

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils import gen_batches, shuffle

from statlearn._core.blas import single_blas_thread
from statlearn._core.callbacks import CallbackSupportMixin, FitSteps
from statlearn._core.params import Int, Options, Real
from statlearn._core.warnings import MAX_ITER, OK, StatlearnWarning, warn, warn_if_stopped

from ._dense import DenseNetwork
from ._dense_objective import DenseObjective
from ._objective import Objective
from ._optimizers import make_optimizer
from ._torch import import_torch, one_torch_thread

EXPLOSION = 1e6  # times the loss of the first epoch: such a network never comes back


def hold_out(model, n, stratify=None):
    """Positions of training and validation rows for early stopping."""
    too_small = "The validation set is too small. Increase 'validation_fraction' or the size of your dataset."
    try:
        train, test = train_test_split(
            np.arange(n), random_state=model._random_state, test_size=model.validation_fraction, stratify=stratify
        )
    except ValueError as error:  # fewer rows than classes, or no row left to train on
        raise ValueError(f"{too_small} {error}") from None
    if len(test) < 2:
        raise ValueError(too_small)
    return train, test


class Diverged(Exception):
    """The loss or a parameter is no longer finite."""


class Trained(CallbackSupportMixin, BaseEstimator):
    """Base class of estimators that are trained by gradients.

    A subclass builds its network, the flat vector of its parameters and the tensors of its rows, and calls `_train`.
    """

    _training_constraints = {
        "solver": [Options("lbfgs", "sgd", "adam")],
        "alpha": [Real(0, None)],
        "batch_size": [Options("auto"), Int(1, None)],
        "learning_rate": [Options("constant", "invscaling", "adaptive")],
        "learning_rate_init": [Real(0, None, closed="neither")],
        "power_t": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Real(0, None)],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "momentum": [Real(0, 1, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Real(0, 1, closed="left")],
        "beta_1": [Real(0, 1, closed="left")],
        "beta_2": [Real(0, 1, closed="left")],
        "epsilon": [Real(0, None, closed="neither")],
        "n_iter_no_change": [Int(1, None), Real(1, None, closed="both")],
        "max_fun": [Int(1, None)],
        "device": [Options("auto", "cpu", "cuda", "mps")],
        "on_interrupt": [Options("raise", "keep")],
    }

    def _start_history(self):
        """Forget the epochs of earlier fits."""
        self.t_ = 0
        self.loss_curve_ = []
        self.history_ = {"loss": [], "validation_loss": [], "validation_score": [], "learning_rate": []}
        self.best_loss_ = None if self.early_stopping else np.inf
        self.validation_scores_ = [] if self.early_stopping else None
        self.best_validation_score_ = -np.inf if self.early_stopping else None
        self._no_improvement_count = 0
        self._optimizer = None

    def _train(self, network, layout, vector, rows, validation=None, *, incremental=False, data=None, attributes=None):
        """Train the parameters.

        Parameters
        ----------
        network : object with ``add_gradient(parameters, batch, gradient, workspace, first=...)``
            Or with an attribute `objective`, a subclass of Objective that needs no such method.
        layout : Layout
        vector : ndarray
            Start of the parameters.
        rows : Rows
        validation : callable or None
            Loss and score on the validation rows, given the parameters as a vector.
        incremental : bool
            Whether to take one epoch only, with the optimizer of the last one.
        data : tuple
            X, y and weights for callbacks.
        attributes : callable
            Fitted attributes, given the parameters as a vector.

        Returns
        -------
        ndarray
            The parameters to keep.
        """
        torch = import_torch()
        with one_torch_thread(), torch.no_grad():
            device = rows.device
            parameters = torch.from_numpy(vector).to(device, copy=True)
            run = TrainingRun(self, network, layout, parameters, rows, validation)
            native = isinstance(network, DenseNetwork) and device.type == "cpu"
            kind = DenseObjective if native else getattr(network, "objective", Objective)
            with kind(network, rows, layout, parameters, self.alpha) as objective:
                if self.solver == "lbfgs":
                    run.by_lbfgs(objective)
                else:
                    run.by_batches(objective, incremental, data, attributes)
            best = run.kept()
        return best


class TrainingRun:
    """One call of `fit`: the loops, and what they have reached."""

    def __init__(self, model, network, layout, parameters, rows, validation):
        self.model, self.layout, self.parameters, self.rows = model, layout, parameters, rows
        self.validation = validation
        self.best = None  # parameters of the best epoch
        self.best_value = -np.inf
        self.remember = model.on_interrupt == "keep" or (model.early_stopping and model.solver != "lbfgs")

    def vector(self):
        """The current parameters as an array."""
        return self.parameters.cpu().numpy()

    def kept(self):
        """The parameters of the best epoch if these are wanted, else the last ones."""
        return self.vector().copy() if self.best is None else self.best

    # ---- Batches ----

    def by_batches(self, objective, incremental, data, attributes):
        """Epochs of sgd or adam."""
        model, n = self.model, self.rows.n
        batch_size = self._batch_size(n)
        if not incremental or model._optimizer is None:
            model._optimizer = make_optimizer(model, self.layout.size, self.vector().dtype)
        optimizer = model._optimizer
        state = [self.rows.torch.from_numpy(getattr(optimizer, name)).to(self.rows.device) for name in optimizer.arrays]
        order = np.arange(n)
        epochs = 1 if incremental else model.max_iter
        model.n_iter_ = 0
        interrupted = False
        try:
            with FitSteps(model, *data, max_steps=epochs, name="epoch") as steps:
                for _ in range(epochs):
                    steps.begin()
                    if model.shuffle:
                        order = shuffle(order, random_state=model._random_state)
                    loss = self._epoch(objective, optimizer, state, order, batch_size)
                    stop = self._epoch_ends(loss, optimizer)
                    if steps.end(lambda: attributes(self.vector().copy())) or stop:
                        break
                    if model.n_iter_ == model.max_iter and not incremental:
                        warn_if_stopped(
                            model,
                            MAX_ITER,
                            f"Maximum iterations ({model.max_iter}) reached, and the "
                            + ("validation score" if model.early_stopping else "training loss")
                            + " still improves",
                            remedy="Increase max_iter, raise tol, or raise learning_rate_init.",
                        )
            self._refuse_explosion()
        except Diverged as error:
            if not (model.early_stopping and self.best is not None):
                raise ValueError(str(error)) from None
            warn(f"{error} The weights of the best epoch before are kept.", ConvergenceWarning)
        except KeyboardInterrupt:
            if model.on_interrupt == "raise":
                raise
            interrupted = True
        for name, tensor in zip(optimizer.arrays, state):
            setattr(optimizer, name, tensor.cpu().numpy())
        if interrupted:
            self._warn_of_interrupt("epochs")
        elif not model.early_stopping:
            self.best = None

    def _batch_size(self, n):
        size = self.model.batch_size
        if size == "auto":
            return min(200, n)
        if size > n:
            warn(
                f"`batch_size`={size} is larger than sample size: it is going to be clipped to the {n} training rows.",
                StatlearnWarning,
            )
        return min(int(size), n)

    def _epoch(self, objective, optimizer, state, order, batch_size):
        """One pass over the rows; returns the mean loss of its batches."""
        total = weight = 0.0
        for batch in gen_batches(self.rows.n, batch_size):
            rows = order[batch] if self.model.shuffle else batch
            loss, batch_weight = objective.step(rows, optimizer, state)
            total += loss * batch_weight
            weight += batch_weight
        return total / weight

    def _epoch_ends(self, loss, optimizer):
        """Record an epoch; returns whether training stops."""
        model = self.model
        model.n_iter_ += 1
        model.t_ += self.rows.n
        model.loss_ = loss
        model.loss_curve_.append(loss)
        model.history_["loss"].append(loss)
        model.history_["learning_rate"].append(optimizer.learning_rate)
        if model.verbose:
            print(f"Iteration {model.n_iter_}, loss = {loss:.8f}")
        score = self._validate()
        self._refuse_divergence(loss)
        if model.early_stopping:
            worse = not score >= model.best_validation_score_ + model.tol
            if score > model.best_validation_score_:
                model.best_validation_score_ = score
        else:
            worse = loss > model.best_loss_ - model.tol
            model.best_loss_ = min(loss, model.best_loss_)
        model._no_improvement_count = model._no_improvement_count + 1 if worse else 0
        self._remember(score if score is not None else -loss)
        optimizer.epoch_ends(model.t_)
        if model._no_improvement_count <= model.n_iter_no_change:
            return False
        stop = optimizer.may_stop()
        if model.verbose:
            what = "Validation score" if model.early_stopping else "Training loss"
            print(
                f"{what} did not improve more than tol={model.tol:f} for {model.n_iter_no_change} consecutive epochs. "
                + ("Stopping." if stop else f"Setting learning rate to {optimizer.learning_rate:f}")
            )
        if not stop:
            model._no_improvement_count = 0
        return stop

    # ---- All rows at once ----

    def by_lbfgs(self, objective):
        """L-BFGS of scipy on all rows."""
        model, torch = self.model, self.rows.torch
        model._optimizer = None
        began = time.monotonic()

        def value_and_gradient(x):
            self.parameters.copy_(torch.from_numpy(x))
            loss, gradient = objective()
            return loss, gradient.cpu().numpy().astype(np.float64)

        def iteration_ends(intermediate_result):
            model.n_iter_ += 1
            loss = float(intermediate_result.fun)
            self.parameters.copy_(torch.from_numpy(intermediate_result.x))
            model.loss_curve_.append(loss)
            model.history_["loss"].append(loss)
            score = self._validate()
            self._remember(-loss if score is None else score)
            if model.verbose:
                print(f"Iteration {model.n_iter_}, loss = {loss:.8f}, {time.monotonic() - began:.1f} s")

        model.n_iter_ = 0
        options = {"maxfun": model.max_fun, "maxiter": model.max_iter, "gtol": model.tol}
        if model.tol < 1e-8:  # scipy also stops when the loss stands still, which it does before such a gradient
            options["ftol"] = 1e-15
        try:
            with single_blas_thread():  # dot products on several threads would change the last bits
                result = minimize(
                    value_and_gradient,
                    self.vector().astype(np.float64),
                    method="L-BFGS-B",
                    jac=True,
                    callback=iteration_ends,
                    options=options,
                )
        except KeyboardInterrupt:
            if model.on_interrupt == "raise":
                raise
            self._warn_of_interrupt("iterations")
            return
        self.best = None
        self.parameters.copy_(torch.from_numpy(result.x))
        model.n_iter_ = min(int(result.nit), model.max_iter)
        model.loss_ = float(result.fun)
        try:
            self._refuse_divergence(model.loss_)
        except Diverged as error:
            raise ValueError(str(error)) from None
        reached = f"lbfgs reached the limit of {model.max_iter} iterations or {model.max_fun} evaluations of the loss"
        # In single precision a line search without progress means that the loss is at its resolution.
        at_rounding = result.status == 2 and self.parameters.dtype == torch.float32
        warn_if_stopped(
            model,
            OK if result.status == 0 or at_rounding else MAX_ITER,
            reached if result.status == 1 else f"lbfgs failed ({result.message})",
            remedy="Increase max_iter or max_fun, standardise the columns, or raise tol.",
        )

    # ---- Both ----

    def _validate(self):
        """Record loss and score on the validation rows; returns the score, or None without such rows."""
        if self.validation is None:
            return None
        model = self.model
        with np.errstate(all="ignore"):  # a diverging network is reported below
            loss, score = self.validation(self.vector())
        model.history_["validation_loss"].append(loss)
        model.history_["validation_score"].append(score)
        if model.early_stopping and model.solver != "lbfgs":
            model.validation_scores_.append(score)
        if model.verbose:
            print(f"Validation score: {score:f}")
        return score

    def _refuse_divergence(self, loss):
        if np.isfinite(loss) and bool(self.parameters.isfinite().all()):
            return
        model = self.model
        raise Diverged(
            "Solver produced non-finite parameter weights. The input data may contain large values and need to be "
            f"preprocessed. The loss became {loss:g} in {'iteration' if model.solver == 'lbfgs' else 'epoch'} "
            f"{model.n_iter_}: {self._advice()}"
        )

    def _refuse_explosion(self):
        """Raise an error for a network whose values leave the range of floating-point numbers."""
        model, (first, *_) = self.model, self.model.loss_curve_
        if model.loss_ > EXPLOSION * first > 0:
            raise Diverged(
                f"The loss exploded: it was {first:.3g} in the first epoch and {model.loss_:.3g} in epoch "
                f"{model.n_iter_}. To train this network, {self._advice()}"
            )

    def _advice(self):
        model = self.model
        lower = "" if model.solver == "lbfgs" else f", lower learning_rate_init (now {model.learning_rate_init:g})"
        return f"standardise the columns of X (and a numeric y){lower}, or raise alpha."

    def _remember(self, value):
        """Keep the parameters if they are the best so far."""
        if self.remember and value > self.best_value:
            self.best_value, self.best = value, self.vector().copy()

    def _warn_of_interrupt(self, unit):
        state = "the best weights so far are" if self.best is not None else "the current weights are"
        warn(f"Training interrupted by user after {self.model.n_iter_} {unit}; {state} kept.", StatlearnWarning)
