"""Kernel objects as formulas that the compiled core evaluates and differentiates."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

# native/gp/covariance.hpp
OPERATIONS = (
    *("constant", "white", "rbf", "matern", "rational", "periodic", "dot", "minimum", "pairwise"),
    *("sum", "product", "power"),
)
_CODES = {name: code for code, name in enumerate(OPERATIONS)}
NOISE_OP, SUM_OP, PRODUCT_OP, CONSTANT_OP, MATERN_OP = (
    _CODES[name] for name in ("white", "sum", "product", "constant", "matern")
)
LINEAR_KIND = 0  # of "pairwise"; native/common/kernel_matrix.hpp


class NotCompiled(Exception):
    """A kernel that only Python can evaluate."""


@dataclass(frozen=True)
class _Leaf:
    """Compilation of a kernel: its operation, its parameters in the order of `theta`, and what else it depends on."""

    operation: str
    parameters: tuple[str, ...]
    extra: Callable | None


_LEAVES: dict[type, _Leaf] = {}
_NODES: dict[type, str] = {}


def compiled(operation, *parameters, like=None, extra=None):
    """Decorator of a kernel class that the native core evaluates, as also scikit-learn's class `like`.

    `extra` takes a kernel and returns its operation and an additional number: smoothness or kind of kernel. Classes
    without parameters combine other kernels.
    """

    def decorate(cls):
        for each in (cls, like) if like is not None else (cls,):
            if parameters:
                _LEAVES[each] = _Leaf(operation, parameters, extra)
            else:
                _NODES[each] = operation
        return cls

    return decorate


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
        """Arguments of the compiled functions."""
        return self.nodes, self.extras, self.values, self.slots, len(self.free)

    def at(self, theta):
        """The formula at other logarithms of its free parameters."""
        values = self.values.copy()
        values[self.free] = np.exp(theta)
        return replace(self, values=values)

    def without_noise(self):
        """The covariance of the function alone: white kernels are zero."""
        values = self.values.copy()
        for op, _, _, first, _ in self.nodes:
            if op == NOISE_OP:
                values[first] = 0.0
        return replace(self, values=values)


def compile_kernel(kernel, *, inherited=False):
    """The formula of a kernel object of this package or of scikit-learn, or None if it has parts of another origin.

    With `inherited`, the kernel itself counts as one of its known parent class, even if it replaces ``__call__``: that
    is what its call of ``super().__call__`` means.
    """
    builder = _Builder()
    try:
        builder.add(kernel, inherited)
    except NotCompiled:
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
            operation = _NODES[kind]
            if operation == "power":
                return self._node(operation, self.add(kernel.kernel), -1, 0, 0, kernel.exponent)
            return self._node(operation, self.add(kernel.k1), self.add(kernel.k2), 0, 0)
        if kind not in _LEAVES:
            raise NotCompiled
        leaf = _LEAVES[kind]
        if leaf.operation == "dot" and not getattr(kernel, "squared", True):
            constant = self._leaf("constant", kernel, leaf.parameters)
            first = self._values(1.0)
            return self._node("sum", constant, self._node("pairwise", -1, -1, first, 1, LINEAR_KIND), 0, 0)
        operation, extra = (leaf.operation, 0.0) if leaf.extra is None else leaf.extra(kernel)
        return self._leaf(operation, kernel, leaf.parameters, extra)

    def _leaf(self, operation, kernel, names, extra=0.0):
        first = len(self.values)
        for name in names:
            value = np.atleast_1d(np.asarray(getattr(kernel, name), dtype=np.float64))
            at = self._values(*value)
            if not getattr(kernel, "hyperparameter_" + name).fixed:
                self.free += range(at, at + value.size)
        return self._node(operation, -1, -1, first, len(self.values) - first, extra)

    def _values(self, *values):
        at = len(self.values)
        self.values += values
        return at

    def _node(self, operation, left, right, first, count, extra=0.0):
        self.nodes.append((_CODES[operation], left, right, first, count))
        self.extras.append(extra)
        return len(self.nodes) - 1
