"""Operation counts against a count on scalar computational graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.neural import Value, backward_cost, forward_cost


def count_operations(units):
    """Products, sums and activations of a forward pass that is written out in scalars."""
    values = [Value(0.5) for _ in range(units[0])]
    for size in units[1:]:
        values = [(sum((Value(1.0) * v for v in values[1:]), Value(1.0) * values[0]) + Value(0.0)).tanh()
                  for _ in range(size)]  # fmt: skip
    operations = [node.operation for output in values for node in output.nodes()]
    nodes = {id(node): node.operation for output in values for node in output.nodes()}
    assert len(operations) >= len(nodes)
    found = list(nodes.values())
    return found.count("*"), found.count("+"), found.count("tanh")


@pytest.mark.spec("NEU-07")
@given(st.lists(st.integers(1, 5), min_size=2, max_size=4))
def test_forward_cost_counts_scalar_operations(units):
    assert tuple(forward_cost(units)) == count_operations(units)


@pytest.mark.spec("NEU-07", "NEU-P2")
@given(st.lists(st.integers(1, 300), min_size=2, max_size=6), st.integers(1, 500))
def test_backward_is_a_bounded_multiple_of_forward(units, n):
    # the printed bound O(m²d) of the notes would fail here for wide layers
    assert backward_cost(units, n).total <= 3 * forward_cost(units, n).total


@pytest.mark.spec("NEU-07")
def test_costs_are_linear_in_rows_and_in_weights():
    assert forward_cost([784, 256, 10], 7).total == 7 * forward_cost([784, 256, 10]).total
    small, large = forward_cost([100, 50]), forward_cost([200, 50])
    assert large.multiplications == 2 * small.multiplications
    assert backward_cost([30, 20]).multiplications == 30 * 20 + 20  # no adjoint of the inputs


def test_bad_layers_raise():
    with pytest.raises(ValueError, match="'layers' parameter of forward_cost"):
        forward_cost([3, 0])
    with pytest.raises(ValueError, match="at least one layer"):
        backward_cost([3])
    with pytest.raises(ValueError, match="n_rows"):
        forward_cost([3, 1], n_rows=np.nan)
