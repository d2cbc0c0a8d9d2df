"""Operation counts of dense layers."""

from itertools import pairwise
from typing import NamedTuple

from statlearn._core.params import Int, check_value


class Cost(NamedTuple):
    """Numbers of operations; `total` adds them up."""

    multiplications: int
    additions: int
    activations: int

    @property
    def total(self):
        """All operations together."""
        return sum(self)


def _units(layers, function):
    units = [layers] if not hasattr(layers, "__iter__") else list(layers)
    for size in units:
        check_value("layers", size, [Int(1, None)], function)
    if len(units) < 2:
        raise ValueError(f"`layers` must contain the number of inputs and at least one layer, got {layers!r}.")
    return [int(size) for size in units]


def forward_cost(layers, n_rows=1):
    """Operations of a forward pass through fully connected layers.

    A layer of m units on d inputs takes md multiplications, md additions (m(d - 1) in the sums and m for the biases)
    and m activations, so O(md + m).

    Parameters
    ----------
    layers : sequence of int
        Number of inputs, then the number of units of every layer, the output layer included.
    n_rows : int, default=1
        Number of rows.

    Returns
    -------
    Cost
        Named tuple of multiplications, additions and activations, with the attribute ``total``.

    Examples
    --------
    >>> from statlearn.neural import forward_cost
    >>> forward_cost([4, 3, 1])
    Cost(multiplications=15, additions=15, activations=4)
    """
    check_value("n_rows", n_rows, [Int(1, None)], "forward_cost")
    units = _units(layers, "forward_cost")
    products = sum(d * m for d, m in pairwise(units))
    return Cost(products * n_rows, products * n_rows, sum(units[1:]) * n_rows)


def backward_cost(layers, n_rows=1):
    """Operations of a backward pass through fully connected layers.

    For a layer of m units on d inputs: m products of the adjoints with the slopes of the activation, md products for
    the gradient of the weights (its sum over rows takes md additions per further row, and that of the biases m), and,
    for every layer but the first, md multiplications and (m - 1)d additions for the adjoints of its inputs. That is
    O(md), at most about twice the forward pass.

    Parameters
    ----------
    layers : sequence of int
        Number of inputs, then the number of units of every layer, the output layer included.
    n_rows : int, default=1
        Number of rows.

    Returns
    -------
    Cost
        Named tuple of multiplications, additions and activations (evaluations of a slope).

    Notes
    -----
    A bound of O(m²d) is sometimes printed. It counts full Jacobians of the layers, which back-propagation never forms.

    Examples
    --------
    >>> from statlearn.neural import backward_cost
    >>> backward_cost([4, 3, 1])
    Cost(multiplications=22, additions=0, activations=4)
    """
    check_value("n_rows", n_rows, [Int(1, None)], "backward_cost")
    units = _units(layers, "backward_cost")
    pairs = list(pairwise(units))
    multiplications = n_rows * (sum(m + d * m for d, m in pairs) + sum(d * m for d, m in pairs[1:]))
    additions = (n_rows - 1) * sum(d * m + m for d, m in pairs) + n_rows * sum((m - 1) * d for d, m in pairs[1:])
    return Cost(multiplications, additions, n_rows * sum(units[1:]))
