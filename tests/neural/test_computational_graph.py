"""The computational graph: values, adjoints, order of the nodes, drawings."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.neural import Value, check_gradient, draw_graph
from tests.helpers import assert_close


@pytest.mark.spec("NEU-02", "NEU-T5")
def test_worked_example():
    w, x, b, y = Value(2.0), Value(3.0), Value(1.0), Value(5.0)
    f = (w * x + b - y) ** 2
    f.backward()
    assert f.data == 4.0
    assert [float(v.grad) for v in (w, x, b, y)] == [12.0, 8.0, 4.0, -4.0]


@pytest.mark.spec("NEU-02")
def test_adjoints_of_shared_nodes_add_up():
    x = Value(3.0)
    (x * x + x / 2 - x).backward()
    assert_close(x.grad, 2 * 3 + 0.5 - 1)
    x = Value(1.5)
    y = x.exp()
    (y * y).backward()
    assert_close(x.grad, 2 * np.exp(3.0))


@pytest.mark.spec("NEU-02", "NEU-P1")
@pytest.mark.parametrize(
    "function",
    [
        lambda v: (v + 2 * v - v / 3 + 1).sum(),
        lambda v: (1 - v).sum() + (2 / (v * v + 1)).mean(),
        lambda v: (v**3).sum(),
        lambda v: ((v * v + 1).log() * (-v).exp()).sum(),
        lambda v: v.tanh().sum() + v.sigmoid().sum() + v.softplus().mean() + v.relu().sum(),
        lambda v: (v @ np.array([[1.0, -1.0], [0.5, 2.0], [3.0, 1.0]])).tanh().sum(),
        lambda v: (np.array([1.0, 2.0]) @ v).sigmoid().sum(),
        lambda v: (v @ v.T).mean(),
        lambda v: (v.reshape(3, 2) @ np.ones(2)).sum() + (v[1] * v[:, 0].sum()).sum(),
        lambda v: (v.mean(axis=0) * v.sum(axis=1).reshape(2, 1)).sum(),
        lambda v: (v - v.mean(axis=1).reshape(2, 1)).apply("tanh").sum(),
    ],
)
def test_adjoints_of_every_operation_are_finite_differences(function, rng):
    assert check_gradient(function, rng.normal(size=(2, 3)) + 0.1, rtol=1e-7)


@pytest.mark.spec("NEU-P2")
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4))
def test_backward_visits_every_edge_once(units):
    rng = np.random.default_rng(0)
    values = [Value(v) for v in rng.normal(size=units[0])]
    for size in units[1:]:
        values = [sum((Value(rng.normal()) * v for v in values), Value(0.1)).tanh() for _ in range(size)]
    output = sum(values, Value(0.0))
    visits = []
    edges = 0
    for node in output.nodes():
        edges += len(node.parents)
        node._pull = tuple(lambda g, pull=pull: (visits.append(1), pull(g))[1] for pull in node._pull)
    output.backward()
    assert len(visits) == edges
    # two edges per operation: the sweep costs a bounded multiple of the forward computation
    assert edges <= 2 * sum(bool(node.parents) for node in output.nodes())


@pytest.mark.spec("NEU-T4")
def test_two_relu_units_compute_xor():
    for x1, x2, expected in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]:
        a, b = Value(x1), Value(x2)
        assert float(((a + b).relu() - 2 * (a + b - 1).relu()).data) == expected


def test_deep_graphs_do_not_exhaust_the_stack():
    x = v = Value(1.0)
    for _ in range(5000):
        v = v + 0.001
    v.backward()
    assert x.grad == 1.0


def test_nodes_come_after_their_operands():
    x = Value([1.0, 2.0])
    order = ((x * 2).sum() + x.mean()).nodes()
    for k, node in enumerate(order):
        assert all(any(parent is before for before in order[:k]) for parent in node.parents)


def test_misuse_raises():
    with pytest.raises(ValueError, match=r"needs a scalar.*shape \(2,\)"):
        Value([1.0, 2.0]).backward()
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) do not fit"):
            operation(Value([1.0, 2.0]), Value([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) do not fit"):
        Value([1.0, 2.0]) @ Value([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="`data` must be a number"):
        Value("text")
    with pytest.raises(TypeError, match="exponent must be a constant"):
        Value(2.0) ** Value(3.0)
    with pytest.raises(TypeError, match="`value` must be a Value"):
        draw_graph(3.0)


def test_drawings_show_values_and_adjoints():
    f = (Value(2.0, "w") * Value(3.0, "x")).tanh()
    f.backward()
    texts = [text.get_text() for text in draw_graph(f).texts]
    assert any("w" in text and "v = 2" in text and "adj" in text for text in texts)
    dot = f.to_dot()
    assert dot.count("->") == 3
    assert "tanh" in dot
