"""The engine of mixtures of experts: a tree of softmax gates over regressions, fitted by generalized EM.

A tree with branching (b1, b2, ...) has b1 b2 ... leaves, numbered with the last branch varying fastest. The gate of a
node is a softmax over its branches; the probability of a leaf is the product of the gates on its path. With constant
gates instead of softmax functions of x it is a mixture of regressions.

All columns here have mean 0 and variance 1, so penalties and initial values have no units; `Standard` converts.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, logsumexp

from statlearn._core.memory import require_memory
from statlearn._math.rows.least_squares import LeastSquaresStatistic
from statlearn._math.solvers.logistic import minimise_logistic
from statlearn._math.solvers.logistic_loss import LogisticLoss

_LOG_2PI = float(np.log(2.0 * np.pi))
# An expert with less weight than this learns nothing more.
_EMPTY = 1e-8
# Newton steps of one M step for gates and logistic experts: EM returns to them, so they need not converge.
_NEWTON_STEPS = 8


@dataclass
class Standard:
    """Columns to mean 0 and variance 1, and coefficients back."""

    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, X, weights):
        mean = np.average(X, axis=0, weights=weights)
        scale = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
        return cls(mean, np.where(scale > 1e-12 * (1.0 + np.abs(mean)), scale, 1.0))

    def apply(self, X):
        return np.ascontiguousarray((X - self.mean) / self.scale)

    def plain(self, theta):
        """(slopes, intercept) for the columns as they are, from those for standardised ones."""
        slopes = theta[..., :-1] / self.scale
        return np.concatenate([slopes, theta[..., -1:] - slopes @ self.mean[:, None]], axis=-1)


def linear(Z, theta):
    """Z slopes + intercept for theta (..., p + 1): an (n, ...) array."""
    return np.tensordot(Z, theta[..., :-1], axes=(1, theta.ndim - 1)) + theta[..., -1]


# ------------------------------------------------------------------------------------------------------------ experts


class GaussianExperts:
    """Linear regressions with normal errors; theta (leaves, p + 1), variance (leaves,)."""

    def __init__(self, y, floor):
        self.y, self.floor = y, floor

    def log_density(self, Z, leaves):
        gap = self.y[:, None] - linear(Z, leaves.theta)
        return -0.5 * (_LOG_2PI + np.log(leaves.variance) + gap**2 / leaves.variance)

    def maximise(self, Z, h, leaves):
        theta, variance = leaves.theta.copy(), leaves.variance.copy()
        for leaf in range(h.shape[1]):
            w = h[:, leaf]
            if w.sum() < _EMPTY * len(w):
                continue
            statistic = LeastSquaresStatistic.from_block(Z, self.y, np.ascontiguousarray(w))
            slopes = statistic.solve().coef[:, 0]
            means = statistic.means
            theta[leaf] = np.append(slopes, means[1][0] - slopes @ means[0])
            gap = self.y - linear(Z, theta[leaf])
            variance[leaf] = max(float(np.sum(w * gap**2) / w.sum()), self.floor)
        return Leaves(theta, variance)

    def penalty(self, leaves):
        return 0.0

    def n_parameters(self, p):
        return p + 2

    def mean(self, Z, leaves):
        return linear(Z, leaves.theta)


class LogisticExperts:
    """Logistic regressions; theta (leaves, rows, p + 1): one row for two classes, one per class for more."""

    def __init__(self, codes, n_classes, alpha):
        self.codes, self.n_classes, self.alpha = codes, n_classes, alpha
        self.rows = 1 if n_classes == 2 else n_classes

    def log_probabilities(self, Z, leaves):
        """(n, leaves, classes)"""
        scores = linear(Z, leaves.theta)
        if self.rows == 1:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=2)
        return log_softmax(scores, axis=2)

    def log_density(self, Z, leaves):
        return np.take_along_axis(self.log_probabilities(Z, leaves), self.codes[:, None, None], axis=2)[:, :, 0]

    def maximise(self, Z, h, leaves):
        theta = leaves.theta.copy()
        for leaf in range(h.shape[1]):
            w = np.ascontiguousarray(h[:, leaf])
            if w.sum() < _EMPTY * len(w):
                continue
            theta[leaf] = fit_logistic(Z, self.codes, self.n_classes, w, self.alpha, theta[leaf])
        return Leaves(theta, leaves.variance)

    def penalty(self, leaves):
        return 0.5 * self.alpha * float(np.sum(leaves.theta[..., :-1] ** 2))

    def n_parameters(self, p):
        return (self.n_classes - 1) * (p + 1)

    def mean(self, Z, leaves):
        return np.exp(self.log_probabilities(Z, leaves))


def fit_logistic(Z, codes, n_classes, weights, alpha, theta):
    """A few Newton steps of a weighted logistic fit with penalty alpha / 2 |slopes|², starting from theta."""
    loss = LogisticLoss(Z, codes, n_classes, weights=weights, l2=alpha / float(weights.sum()))
    solution = minimise_logistic(loss, loss.from_plain(theta), solver="irls", tol=1e-10, max_iter=_NEWTON_STEPS)
    return loss.to_plain(solution.phi)


# -------------------------------------------------------------------------------------------------------------- gates


@dataclass
class Leaves:
    """Parameters of the experts."""

    theta: np.ndarray
    variance: np.ndarray


@dataclass
class ExpertTree:
    """All parameters: gates by level, (nodes, branches, p + 1) scores of a softmax, and the experts."""

    gates: list
    leaves: Leaves


class GateTree:
    """Gates of a tree of given branching."""

    def __init__(self, branching, alpha, constant=False):
        self.branching, self.alpha, self.constant = tuple(int(b) for b in branching), alpha, constant
        self.n_leaves = int(np.prod(self.branching))
        self._copies: dict = {}

    def zeros(self, p):
        nodes = np.cumprod((1, *self.branching[:-1]))
        return [np.zeros((int(m), b, p + 1)) for m, b in zip(nodes, self.branching)]

    def level_log_probabilities(self, Z, gates):
        """log g(branch | node, x) of each level, (n, nodes, branches)."""
        return [log_softmax(linear(Z, gate), axis=2) for gate in gates]

    def leaf_log_probabilities(self, Z, gates):
        """log of the probability of every leaf, (n, leaves)."""
        total = np.zeros((Z.shape[0], 1))
        for level in self.level_log_probabilities(Z, gates):
            total = (total[:, :, None] + level).reshape(Z.shape[0], -1)
        return total

    def maximise(self, Z, h, gates):
        """Gates that fit the posterior probabilities h of the leaves better, node by node."""
        new = []
        for gate in gates:
            nodes, branches, _ = gate.shape
            share = h.reshape(len(h), nodes, branches, -1).sum(axis=3)
            new.append(np.stack([self._fit_gate(Z, share[:, m], gate[m]) for m in range(nodes)]))
        return new

    def _fit_gate(self, Z, share, gate):
        n, branches = share.shape
        if branches == 1 or share.sum() < _EMPTY * n:
            return gate
        if self.constant:
            fitted = np.zeros_like(gate)
            fitted[:, -1] = np.log(np.maximum(share.sum(axis=0), 1e-300) / share.sum())
            return fitted
        # A soft target is one row per branch, weighted by its probability.
        rows, codes = self._stacked(Z, branches)
        weights = np.ascontiguousarray(share.T).ravel()
        if branches == 2:
            odds = fit_logistic(rows, codes, 2, weights, self.alpha, (gate[1] - gate[0])[None])
            return np.concatenate([np.zeros_like(odds), odds])
        return fit_logistic(rows, codes, branches, weights, self.alpha, gate)

    def _stacked(self, Z, branches):
        if branches not in self._copies:
            require_memory(
                8 * branches * Z.size,
                f"{branches} copies of the rows, one per branch of a gate",
                "Use fewer rows or branches.",
            )
            self._copies[branches] = (np.tile(Z, (branches, 1)), np.repeat(np.arange(branches), len(Z)))
        return self._copies[branches]

    def penalty(self, gates):
        if self.constant:
            return 0.0
        # Two branches have one free row, the difference of their scores.
        return 0.5 * self.alpha * sum(float(np.sum(gate[..., :-1] ** 2)) for gate in gates)

    def n_parameters(self, p):
        nodes = np.cumprod((1, *self.branching[:-1]))
        return int(sum(m * (b - 1) for m, b in zip(nodes, self.branching)) * (1 if self.constant else p + 1))


class ExpertProblem:
    """The E and (generalized) M steps."""

    def __init__(self, Z, weights, tree, experts):
        self.Z, self.weights, self.tree, self.experts = Z, weights, tree, experts
        self.total = float(weights.sum())

    def log_joint(self, parameters):
        gates = self.tree.leaf_log_probabilities(self.Z, parameters.gates)
        return gates + self.experts.log_density(self.Z, parameters.leaves)

    def e_step(self, parameters):
        joint = self.log_joint(parameters)
        row = logsumexp(joint, axis=1)
        h = np.exp(joint - row[:, None]) * self.weights[:, None]
        penalty = self.tree.penalty(parameters.gates) + self.experts.penalty(parameters.leaves)
        return (np.sum(self.weights * row) - penalty) / self.total, h

    def m_step(self, h, parameters):
        gates = self.tree.maximise(self.Z, h, parameters.gates)
        return ExpertTree(gates, self.experts.maximise(self.Z, h, parameters.leaves))

    def pack(self, parameters):
        self._like = parameters
        leaves = parameters.leaves
        return np.concatenate(
            [*(gate.ravel() for gate in parameters.gates), leaves.theta.ravel(), np.log(leaves.variance)]
        )

    def unpack(self, vector):
        like = self._like
        sizes = [gate.size for gate in like.gates] + [like.leaves.theta.size, like.leaves.variance.size]
        *gates, theta, log_variance = np.split(vector, np.cumsum(sizes)[:-1])
        variance = np.maximum(np.exp(log_variance), getattr(self.experts, "floor", 0.0))
        return ExpertTree(
            [g.reshape(gate.shape) for g, gate in zip(gates, like.gates)],
            Leaves(theta.reshape(like.leaves.theta.shape), variance),
        )


# -------------------------------------------------------------------------------------------------------------- starts


def weighted_slices(values, weights, count):
    """Group numbers 0..count-1 by cutting the values at weighted quantiles; ties stay in one group."""
    place = np.unique(values, return_inverse=True)[1]
    mass = np.bincount(place.ravel(), weights=weights)
    middle = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    return np.minimum((middle * count).astype(int), count - 1)[place.ravel()]


def sliced_leaves(Z, weights, branching, directions):
    """Leaf of each row when every node cuts its rows into slices across a direction (one per level)."""
    leaf = np.zeros(len(Z), dtype=int)
    for branches, direction in zip(branching, directions):
        split = np.zeros(len(Z), dtype=int)
        for node in np.unique(leaf):
            rows = leaf == node
            split[rows] = weighted_slices(np.round(Z[rows] @ direction, 12), weights[rows], branches)
        leaf = leaf * branches + split
    return leaf


def principal_axis(Z, weights):
    """Direction of greatest spread, with the sign of its largest entry."""
    centred = Z - np.average(Z, axis=0, weights=weights)
    _, vectors = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    axis = vectors[:, -1]
    return axis * np.sign(axis[np.abs(axis).argmax()])
