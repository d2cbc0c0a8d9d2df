"""Gradient steps of the stochastic solvers, with their state in plain arrays."""

import math

import numpy as np

from statlearn._core import native


class SGD:
    """Gradient descent with momentum, and the schedule of its learning rate."""

    arrays = ("velocity",)

    def __init__(self, size, dtype, learning_rate_init, schedule, momentum, nesterov, power_t):
        self.learning_rate_init = self.learning_rate = float(learning_rate_init)
        self.schedule, self.momentum, self.nesterov, self.power_t = schedule, momentum, nesterov, power_t
        self.velocity = np.zeros(size, dtype)

    def step(self, parameters, pieces, velocity):
        """Move the parameters, a tensor; returns the sum of squares of the penalised ones before the step."""
        if parameters.device.type == "cpu":  # one pass instead of six
            arrays = (tensor.numpy() for tensor in (parameters, pieces.parts, velocity))
            rule = self.learning_rate, self.momentum, self.nesterov
            return native.neural.momentum_step(*arrays, *pieces.mean, *rule)
        gradient, squares = pieces.sum(parameters)
        velocity.mul_(self.momentum).add_(gradient, alpha=-self.learning_rate)
        if self.nesterov:
            parameters.add_(velocity, alpha=self.momentum).add_(gradient, alpha=-self.learning_rate)
        else:
            parameters.add_(velocity)
        return squares

    def epoch_ends(self, n_seen):
        """Adapt the learning rate after an epoch; `n_seen` is the number of rows seen since the start."""
        if self.schedule == "invscaling":
            self.learning_rate = self.learning_rate_init / (n_seen + 1) ** self.power_t

    def may_stop(self):
        """Whether training ends for lack of progress; otherwise the learning rate has been lowered."""
        if self.schedule != "adaptive" or self.learning_rate <= 1e-6:
            return True
        self.learning_rate /= 5.0
        return False


class Adam:
    """Steps scaled by running moments of the gradient (Kingma and Ba, 2015, in the order of their section 2)."""

    arrays = ("first_moment", "second_moment")

    def __init__(self, size, dtype, learning_rate_init, beta_1, beta_2, epsilon):
        self.learning_rate_init = self.learning_rate = float(learning_rate_init)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.n_steps = 0
        self.first_moment = np.zeros(size, dtype)
        self.second_moment = np.zeros(size, dtype)

    def step(self, parameters, pieces, first, second):
        """Move the parameters, a tensor; returns the sum of squares of the penalised ones before the step."""
        self.n_steps += 1
        corrected = math.sqrt(1 - self.beta_2**self.n_steps) / (1 - self.beta_1**self.n_steps)
        self.learning_rate = self.learning_rate_init * corrected
        if parameters.device.type == "cpu":  # one pass instead of ten
            arrays = (tensor.numpy() for tensor in (parameters, pieces.parts, first, second))
            rule = self.learning_rate, self.beta_1, self.beta_2, self.epsilon
            return native.neural.adam_step(*arrays, *pieces.mean, *rule)
        gradient, squares = pieces.sum(parameters)
        first.mul_(self.beta_1).add_(gradient, alpha=1 - self.beta_1)
        second.mul_(self.beta_2).addcmul_(gradient, gradient, value=1 - self.beta_2)
        parameters.addcdiv_(first, second.sqrt().add_(self.epsilon), value=-self.learning_rate)
        return squares

    def epoch_ends(self, n_seen):
        """Nothing to adapt."""

    def may_stop(self):
        """Lack of progress always ends training."""
        return True


def make_optimizer(estimator, size, dtype):
    """The optimizer of an estimator's parameters."""
    if estimator.solver == "sgd":
        return SGD(
            size,
            dtype,
            estimator.learning_rate_init,
            estimator.learning_rate,
            estimator.momentum,
            estimator.nesterovs_momentum,
            estimator.power_t,
        )
    return Adam(size, dtype, estimator.learning_rate_init, estimator.beta_1, estimator.beta_2, estimator.epsilon)
