"""Pictures of trees and of the regions they make."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from statlearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from statlearn.trees import (
    PRIM,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HuntTree,
    ID3Classifier,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    export_text,
    plot_partition,
    plot_tree,
)
from statlearn.trees._tree_views import rectangles, tree_view
from tests.helpers import assert_close
from tests.trees.multiway_data import FLU_X, FLU_Y, GOLF_X, GOLF_Y

X6, Y6 = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [-1, -1, -1, 1, 1, 1]


@pytest.mark.spec("TRE-29")
def test_boxes_match_scikit_learn():
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


def test_unplottable_trees_raise(rng):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="two numeric columns"):
        plot_partition(DecisionTreeClassifier().fit(X, y), X, y)
    with pytest.raises(TypeError, match="PRIM"):
        plot_tree(PRIM().fit(X, y))
    with pytest.raises(ValueError, match="label"):
        plot_tree(DecisionTreeClassifier().fit(X, y), label="some")


@pytest.mark.spec("CRS-114")
@pytest.mark.parametrize("kind", [ID3Classifier, HuntTree])
def test_the_flu_tree_has_three_branches_at_headache(kind):
    frame = pd.DataFrame(FLU_X, columns=["headache", "sore"])
    texts = [box.get_text() for box in plot_tree(kind().fit(frame, FLU_Y), class_names=True, fontsize=8)]
    assert texts == [
        "headache\nsamples = 6\nvalue = [3, 3]\nclass = cold",
        "samples = 2\nvalue = [1, 1]\nclass = cold".replace("samples", "sore\nsamples"),
        "mild",
        "samples = 1\nvalue = [1, 0]\nclass = cold",
        "no",
        "samples = 1\nvalue = [0, 1]\nclass = flu",
        "yes",
        "samples = 2\nvalue = [2, 0]\nclass = cold",
        "none",
        "samples = 2\nvalue = [0, 2]\nclass = flu",
        "severe",
    ]


@pytest.mark.spec("CRS-114")
def test_numeric_branches_of_c45_have_their_threshold():
    boxes = plot_tree(C45Classifier(prune=False).fit(GOLF_X, GOLF_Y), feature_names=["outlook", "t", "h", "windy"])
    texts = [box.get_text() for box in boxes]
    assert texts[0].startswith("outlook\nsamples = 14")
    assert {"overcast", "rain", "sunny", "<= 77.5", "> 77.5", "false", "true"} <= set(texts)


@pytest.mark.spec("CRS-114")
@pytest.mark.parametrize("kind", [ID3Classifier, HuntTree, C45Classifier])
def test_partition_of_a_multiway_tree_agrees_with_its_predictions(kind, rng):
    letters, y = rng.choice(list("abc"), 120), rng.integers(3, size=120)
    numbers = rng.integers(4, size=120).astype(float)
    X = pd.DataFrame({"letter": letters, "number": numbers})
    tree = kind().fit(X, np.where(numbers > 1, y, letters == "a"))
    view = tree_view(tree, "plot_partition")
    low, high = view.limits([0, -1.0], [0, 4.0])
    regions = view.regions(low, high)
    assert_close(sum(np.prod(c[2] - c[0]) for _, c in regions), np.prod(high - low))
    places = np.array(tree._read(X), float)
    for node, corners in regions:
        inside = ((places > corners[0]) & (places <= corners[2])).all(axis=1)
        best = tree.classes_[view.decide(view.values[node][None])[0]]
        assert set(tree.predict(X)[inside]) <= {best}
    ax = plot_partition(tree, X, y)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b", "c"]


@pytest.mark.spec("CRS-115")
def test_oblique_nodes_show_their_weights(rng):
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + 2 * X[:, 1] > 0.5).astype(int)
    tree = ObliqueTreeClassifier(max_depth=2).fit(X, y)
    w, s = tree.tree_.coef[0], -tree.tree_.intercept[0]
    sign = "-" if w[1] < 0 else "+"
    start = f"{w[0]:.3g} x0 {sign} {abs(w[1]):.3g} x1 <= {s:.3g}"
    assert plot_tree(tree)[0].get_text().startswith(start + "\ngini = ")
    assert export_text(tree, feature_names=["x0", "x1"]).startswith(f"|--- {start}\n|   |--- ")
    assert "class: 1" in export_text(tree)
    single = ObliqueTreeRegressor(max_depth=1, max_direction_features=1).fit(X, X[:, 0] > 0)
    assert plot_tree(single, precision=2)[0].get_text().startswith("x0 ")
    levels = pd.DataFrame({"colour": pd.Categorical(rng.choice(["red", "blue", "green"], 90))})
    by_level = ObliqueTreeClassifier().fit(levels, levels["colour"] == "red")
    assert re.match(r"colour in \{(red|blue, green)\}\n", plot_tree(by_level)[0].get_text())
    with pytest.raises(ValueError, match="style='plain'"):
        export_text(tree, style="rpart")


@pytest.mark.spec("CRS-115")
def test_partition_of_an_oblique_tree_has_slanted_edges(rng):
    X = rng.normal(size=(200, 2))
    tree = ObliqueTreeClassifier(max_depth=3).fit(X, X[:, 0] > X[:, 1] ** 2 - 1)
    assert np.all(tree.tree_.coef[0] != 0)
    view = tree_view(tree, "plot_partition")
    regions = view.regions(X.min(axis=0) - 1, X.max(axis=0) + 1)
    leaf = tree.apply(X)
    for node, corners in regions:
        edges = np.roll(corners, -1, axis=0) - corners
        away = X[:, None] - corners
        inside = (edges[:, 0] * away[..., 1] - edges[:, 1] * away[..., 0] >= 0).all(axis=1)  # corners anticlockwise
        np.testing.assert_array_equal(inside, leaf == node)
    ax = plot_partition(tree, X, X[:, 0] > 0)
    assert len(ax.patches) == len(regions)
    with pytest.raises(ValueError, match="axis-parallel"):
        plot_partition(tree, X, kind="surface")


@pytest.mark.spec("CRS-116")
def test_ensembles_name_their_trees(rng):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    boosting = GradientBoostingClassifier(n_estimators=2).fit(X, y)
    for draw in (plot_tree, export_text):
        with pytest.raises(TypeError, match=rf"RandomForestClassifier; .*{draw.__name__}\(model.estimators_\[0\]\)"):
            draw(forest)
        with pytest.raises(TypeError, match=r"\(model.estimators_\[0, 0\]\)"):
            draw(boosting)
        draw(forest.estimators_[0])
    with pytest.raises(TypeError, match=r"\(model.estimators_\[0\]\)"):
        plot_partition(BaggingClassifier(DecisionTreeClassifier(), 2).fit(X, y), X)


@pytest.mark.spec("CRS-116")
def test_members_of_boosting_show_gains_and_scores(rng):
    frame = pd.DataFrame({"a": rng.normal(size=80), "kind": pd.Categorical(rng.choice(["u", "v"], 80))})
    y = 3.0 * (frame["a"] > 0) + 5.0 * (frame["kind"] == "u")
    member = GradientBoostingRegressor(n_estimators=1, max_depth=2, learning_rate=0.5).fit(frame, y).estimators_[0, 0]
    text = export_text(member, decimals=3)
    texts = [box.get_text() for box in plot_tree(member)]
    assert texts[0].startswith("kind in {")
    assert "\ngain = " in texts[0]
    for node in np.flatnonzero(member.tree_.children_left < 0):
        score = member.tree_.value[node].item()
        assert f"value: [{score:.3f}]" in text
        assert any(box.endswith(f"\nvalue = {round(score, 3)!r}") for box in texts)
    assert "|--- a <= " in text
    numbers = GradientBoostingRegressor(n_estimators=1).fit(frame[["a"]].assign(b=0.0), y)
    assert len(plot_partition(numbers.estimators_[0, 0], frame[["a"]].assign(b=0.0)).patches) > 1
