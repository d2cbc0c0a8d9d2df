"""Kernel objects as formulas that the compiled core evaluates and differentiates."""

import math
from dataclasses import dataclass, replace

import numpy as np
from sklearn.gaussian_process import kernels as sk

# native/gp/covariance.hpp
_CONSTANT, _WHITE, _RBF, _MATERN, _RATIONAL, _PERIODIC, _DOT, _MINIMUM, _PAIRWISE, _SUM, _PRODUCT, _POWER = range(12)
NOISE_OP, SUM_OP, PRODUCT_OP, CONSTANT_OP, MATERN_OP = _WHITE, _SUM, _PRODUCT, _CONSTANT, _MATERN
# native/common/kernel_matrix.hpp
_PAIRWISE_KINDS = {
    "linear": 0,
    "polynomial": 1,
    "poly": 1,
    "rbf": 2,
    "laplacian": 3,
    "sigmoid": 4,
    "cosine": 5,
    "chi2": 6,
    "additive_chi2": 7,
}

# Leaves: operation and parameters, in the order of `theta`.
_LEAVES: dict[type, tuple[int, tuple[str, ...]]] = {
    sk.ConstantKernel: (_CONSTANT, ("constant_value",)),
    sk.WhiteKernel: (_WHITE, ("noise_level",)),
    sk.RBF: (_RBF, ("length_scale",)),
    sk.Matern: (_MATERN, ("length_scale",)),
    sk.RationalQuadratic: (_RATIONAL, ("alpha", "length_scale")),
    sk.ExpSineSquared: (_PERIODIC, ("length_scale", "periodicity")),
    sk.DotProduct: (_DOT, ("sigma_0",)),
    sk.PairwiseKernel: (_PAIRWISE, ("gamma",)),
}
_NODES: dict[type, int] = {sk.Sum: _SUM, sk.Product: _PRODUCT, sk.Exponentiation: _POWER}


def register(cls, like, minimum=False):
    """Let `cls` be compiled like scikit-learn's class `like`; `minimum` is for the Brownian kernel, which it lacks."""
    if minimum:
        _LEAVES[cls] = (_MINIMUM, ("scale",))
    elif like in _LEAVES:
        _LEAVES[cls] = _LEAVES[like]
    else:
        _NODES[cls] = _NODES[like]


@dataclass(frozen=True)
class Formula:
    """Nodes of a covariance function and its parameters in natural units.

    Parameters
    ----------
    nodes : ndarray of shape (n_nodes, 5)
        Operation, children, first parameter and number of parameters.
    extras : ndarray of shape (n_nodes,)
        Smoothness, exponent or kind of kernel.
    values : ndarray
        Parameters.
    slots : ndarray
        Place of each parameter in `theta`, or -1 if it is fixed.
    free : ndarray
        Parameters in the order of `theta`.
    """

    nodes: np.ndarray
    extras: np.ndarray
    values: np.ndarray
    slots: np.ndarray
    free: np.ndarray

    @property
    def args(self):
        """What the compiled functions take."""
        return self.nodes, self.extras, self.values, self.slots, len(self.free)

    def at(self, theta):
        """The same formula with other logarithms of its free parameters."""
        values = self.values.copy()
        values[self.free] = np.exp(theta)
        return replace(self, values=values)

    def without_noise(self):
        """The covariance of the function alone: white kernels are zero."""
        values = self.values.copy()
        for op, _, _, first, _ in self.nodes:
            if op == _WHITE:
                values[first] = 0.0
        return replace(self, values=values)

    @property
    def stationary_terms(self):
        """Whether values depend on differences of rows only."""
        return not any(op in (_DOT, _MINIMUM, _PAIRWISE) for op in self.nodes[:, 0])


def compile_kernel(kernel, *, inherited=False):
    """The formula of a kernel object of this package or of scikit-learn, or None if it has parts of another origin.

    With `inherited`, the kernel itself counts as one of its known parent class, even if it replaces ``__call__``: that
    is what its call of ``super().__call__`` means.
    """
    builder = _Builder()
    try:
        builder.add(kernel, inherited)
    except _Foreign:
        return None
    slots = np.full(len(builder.values), -1, dtype=np.int32)
    free = np.array(builder.free, dtype=np.intp)
    slots[free] = np.arange(len(free), dtype=np.int32)
    return Formula(
        np.array(builder.nodes, dtype=np.int32),
        np.array(builder.extras, dtype=np.float64),
        np.array(builder.values, dtype=np.float64),
        slots,
        free,
    )


class _Foreign(Exception):
    """A kernel that only Python can evaluate."""


def _known_class(kind, inherited):
    """The class that says how a kernel is compiled: its own, or the parent whose ``__call__`` it has not replaced."""
    parent = next((each for each in kind.__mro__ if each in _LEAVES or each in _NODES), None)
    return parent if parent is not None and (inherited or kind.__call__ is parent.__call__) else None


class _Builder:
    def __init__(self):
        self.nodes, self.extras, self.values, self.free = [], [], [], []

    def add(self, kernel, inherited=False):
        """Append a kernel and everything below it; returns the number of its node."""
        kind = _known_class(type(kernel), inherited)
        if kind in _NODES:
            op = _NODES[kind]
            if op == _POWER:
                return self._node(op, self.add(kernel.kernel), -1, 0, 0, kernel.exponent)
            return self._node(op, self.add(kernel.k1), self.add(kernel.k2), 0, 0, 0.0)
        if kind not in _LEAVES:
            raise _Foreign
        op, names = _LEAVES[kind]
        if op == _DOT and not getattr(kernel, "squared", True):
            constant = self._leaf(_CONSTANT, kernel, names)
            first = self._values(1.0)
            return self._node(_SUM, constant, self._node(_PAIRWISE, -1, -1, first, 1, _PAIRWISE_KINDS["linear"]), 0, 0)
        extra = 0.0
        if op == _MATERN:
            if not kernel.nu > 0:
                raise ValueError(f"`nu`={kernel.nu!r} of the Matern kernel must be positive.")
            op, extra = (_RBF, 0.0) if math.isinf(kernel.nu) else (op, float(kernel.nu))
        if op == _PAIRWISE:
            if (
                not isinstance(kernel.metric, str)
                or kernel.metric not in _PAIRWISE_KINDS
                or kernel.pairwise_kernels_kwargs
            ):
                raise _Foreign
            extra = float(_PAIRWISE_KINDS[kernel.metric])
        return self._leaf(op, kernel, names, extra)

    def _leaf(self, op, kernel, names, extra=0.0):
        first = len(self.values)
        for name in names:
            value = np.atleast_1d(np.asarray(getattr(kernel, name), dtype=np.float64))
            at = self._values(*value)
            if not getattr(kernel, "hyperparameter_" + name).fixed:
                self.free += range(at, at + value.size)
        return self._node(op, -1, -1, first, len(self.values) - first, extra)

    def _values(self, *values):
        at = len(self.values)
        self.values += values
        return at

    def _node(self, op, left, right, first, count, extra=0.0):
        self.nodes.append((op, left, right, first, count))
        self.extras.append(extra)
        return len(self.nodes) - 1
