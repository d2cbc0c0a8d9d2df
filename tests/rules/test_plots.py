"""Pictures of rules."""

import numpy as np
import pytest

from statlearn.rules import association_rules, frequent_itemsets, plot_rule_graph, plot_rules
from statlearn.rules._plots import spring_layout
from tests.rules.baskets import TEN


def rules():
    return association_rules(frequent_itemsets(TEN, 0.2), 0.8)


@pytest.mark.spec("RUL-G2")
def test_points_are_support_confidence_and_lift():
    ax = plot_rules(rules(), label=2)
    points = ax.collections[0]
    expected = np.column_stack([rules().metric("support"), rules().metric("confidence")])
    np.testing.assert_allclose(np.sort(points.get_offsets(), axis=0), np.sort(expected, axis=0))
    np.testing.assert_allclose(np.sort(points.get_array()), np.sort(rules().metric("lift")))
    assert len([t for t in ax.texts if "=>" in t.get_text()]) == 2
    plot_rules(rules().select([]))
    plot_rules(rules(), size="conviction")


def test_the_graph_has_the_items_and_an_arrow_per_item_of_a_rule():
    top = rules().sort("lift").select(slice(0, 6))
    ax = plot_rule_graph(rules(), n=6)
    named = {t.get_text() for t in ax.texts if t.get_text()}
    assert named == {item for a, b in top for item in a + b}
    arrows = [t for t in ax.texts if not t.get_text()]
    assert len(arrows) == top.lengths.sum()
    with pytest.raises(ValueError, match="empty"):
        plot_rule_graph(rules().select([]))


def test_nodes_of_a_layout_are_apart():
    xy = spring_layout(12, [(k, k + 1) for k in range(11)])
    gaps = np.linalg.norm(xy[:, None] - xy, axis=2) + 10 * np.eye(12)
    assert gaps.min() > 0.05
