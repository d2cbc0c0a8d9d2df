"""Pictures of trees and of the regions they make."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from statlearn.trees import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    plot_partition,
    plot_tree,
)
from statlearn.trees._plot_tree import rectangles
from tests.helpers import assert_close
from tests.trees.multiway_data import GOLF_X, GOLF_Y

X6, Y6 = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [-1, -1, -1, 1, 1, 1]


@pytest.mark.spec("TRE-29")
def test_boxes_say_what_scikit_learns_say():
    tree = DecisionTreeClassifier(criterion="entropy").fit(X6, Y6)
    boxes = plot_tree(tree, feature_names=["first", "second"])
    assert [box.get_text() for box in boxes] == [
        "first <= 0.0\nentropy = 1.0\nsamples = 6\nvalue = [3, 3]",
        "entropy = 0.0\nsamples = 3\nvalue = [3, 0]",
        "True  ",
        "entropy = 0.0\nsamples = 3\nvalue = [0, 3]",
        "  False",
    ]
    bare = plot_tree(tree, label="none", impurity=False, node_ids=True, proportion=True, class_names=["a", "b"])
    assert bare[0].get_text() == "#0\nx[0] <= 0.0\n100.0%\n[0.5, 0.5]\na"
    assert plot_tree(tree, class_names=True, fontsize=8)[0].get_fontsize() == 8
    root = plot_tree(DecisionTreeRegressor().fit(X6, Y6), max_depth=0)
    assert root[0].get_text() == "x[0] <= 0.0\nsquared_error = 1.0\nsamples = 6\nvalue = 0.0"
    assert root[1].get_text() == "\n  (...)  \n"


@pytest.mark.spec("TRE-29")
@pytest.mark.parametrize("kind", ["classes", "numbers", "outputs", "names"])
def test_boxes_keep_apart(kind, rng):
    X, y = load_iris(return_X_y=True)
    if kind == "classes":
        tree = DecisionTreeClassifier().fit(X, y)
    elif kind == "numbers":
        tree = DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0] * X[:, 1])
    elif kind == "outputs":
        tree = DecisionTreeRegressor(max_depth=3).fit(X, X[:, :2])
    else:
        frame = pd.DataFrame(GOLF_X, columns=["outlook", "temperature", "humidity", "windy"])
        frame = frame.astype({"outlook": "category", "temperature": float, "humidity": float, "windy": "category"})
        tree = DecisionTreeClassifier().fit(frame, GOLF_Y)
    boxes = [box for box in plot_tree(tree, filled=True, rounded=True) if "\n" in box.get_text()]
    assert len(boxes) == tree.tree_.node_count
    figure = boxes[0].figure
    figure.canvas.draw()
    places = [box.get_bbox_patch().get_window_extent() for box in boxes]
    for i, a in enumerate(places):
        assert not any(a.overlaps(b) for b in places[i + 1 :])


@pytest.mark.spec("TRE-29")
def test_regions_are_the_leaves(rng):
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    tree = DecisionTreeClassifier(max_leaf_nodes=6).fit(X, y)
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    boxes = rectangles(tree.tree_.forest, low, high)
    assert len(boxes) == 6
    assert_close(sum(np.prod(b - a) for _, a, b in boxes), np.prod(high - low))
    leaf = tree.apply(X)
    for node, a, b in boxes:
        np.testing.assert_array_equal(leaf == node, ((a < X) & (b >= X)).all(axis=1))
    ax = plot_partition(tree, X, y)
    assert len(ax.patches) == 6
    assert len(ax.collections) == 2  # the points of both classes
    assert {text.get_text() for text in ax.texts} <= {"0", "1"}


@pytest.mark.spec("TRE-29")
def test_numbers_and_surfaces(rng):
    X = rng.random((100, 2))
    tree = DecisionTreeRegressor(max_leaf_nodes=5).fit(X, X[:, 0])
    assert len(plot_partition(tree, X, X[:, 0], labels=False).patches) == 5
    ax = plot_partition(tree, X, X[:, 0], kind="surface")
    assert ax.name == "3d"
    assert ax.get_zlabel() == "prediction"
    classes = DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 0.5)
    assert plot_partition(classes, X, kind="surface").get_zlabel() == "P(True)"
    with pytest.raises(ValueError, match="three-dimensional axes"):
        plot_partition(tree, X, kind="surface", ax=plot_partition(tree, X))


@pytest.mark.spec("TRE-25", "TRE-29")
def test_a_box_has_the_colour_of_its_class_and_shows_its_rows():
    X = np.arange(12.0)[:, None]
    y = np.array([0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1])
    tree = DecisionTreeClassifier(max_depth=1, min_samples_leaf=4, loss_matrix=[[0, 1], [4, 0]]).fit(X, y)
    plain = DecisionTreeClassifier(max_depth=1, min_samples_leaf=4).fit(X, y)
    root = [plot_tree(t, filled=True, class_names=True)[0] for t in (tree, plain)]
    assert ["class = 1" in box.get_text() for box in root] == [True, False]
    assert all("value = [8, 4]" in box.get_text() for box in root)  # not by what they may cost
    red, _, blue = zip(*[box.get_bbox_patch().get_facecolor()[:3] for box in root])
    assert red[0] > blue[0]  # the second colour is orange
    assert red[1] < blue[1]  # the first is blue


def test_what_cannot_be_drawn_is_refused(rng):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="two numeric columns"):
        plot_partition(DecisionTreeClassifier().fit(X, y), X, y)
    with pytest.raises(TypeError, match="C45Classifier"):
        plot_tree(C45Classifier().fit(X, y))
    with pytest.raises(ValueError, match="label"):
        plot_tree(DecisionTreeClassifier().fit(X, y), label="some")
