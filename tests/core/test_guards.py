"""What the bindings refuse, so that no kernel reads or writes foreign memory, whatever has happened to a model."""

import numpy as np
import pytest

from statlearn._core import native


@pytest.mark.parametrize(
    "children",
    [[(0, 1), (0, 2)], [(0, 1), (2, 2)], [(0, 1), (3, 3)], [(0, 1.5), (2, 3)], [(0, 1), (2, 4)], [(0, -1), (2, 3)]],
    ids=["child twice", "twins", "node twice", "half a row", "later node", "negative"],
)
def test_hdbscan_takes_trees_only(children):
    Z = np.array([(*pair, 1.0 + k, 2.0 + k) for k, pair in enumerate(children)], dtype=float)
    with pytest.raises(ValueError, match="hdbscan_labels: the arrays do not describe a tree"):
        native.cluster.hdbscan_labels(Z, 2, False, False, 0.0, 0, np.empty(3, np.intp), np.empty(3))
    with pytest.raises(ValueError, match="hdbscan_condense: the arrays do not describe a tree"):
        native.cluster.hdbscan_condense(Z, 2)


def test_hdbscan_takes_a_tree():
    Z = np.array([(0, 1, 1.0, 2), (3, 2, 2.0, 3)], dtype=float)
    assert native.cluster.hdbscan_condense(Z, 2).shape[1] == 4


def empty_rows(dtype=np.float64):
    return np.empty(0, dtype), np.empty(0, np.int32), np.empty(0, np.int32), 1


def test_kmeans_kernels_refuse_a_table_without_rows():
    with pytest.raises(ValueError, match="mean_and_scatter: the table has no rows"):
        native.cluster.mean_and_scatter(*empty_rows(), np.empty(0), np.empty(1))
    with pytest.raises(ValueError, match="kmeans_plusplus: the table has no rows"):
        native.cluster.kmeans_plusplus(*empty_rows(), np.empty(0), np.empty(0, np.intp), 1, 0, np.empty(2, np.intp))
    with pytest.raises(ValueError, match="kmeans_fit: the table has no rows"):
        native.cluster.kmeans_fit(
            *empty_rows(), np.empty(0), 0, 0.0, 5, np.zeros(1), 1.0, np.zeros((2, 1)), np.empty(0, np.int32)
        )


# ------------------------------------------------------------------------------------------------ trees


def forest_arguments(rng, n=40, p=3):
    by_column = rng.integers(0, 4, size=(p, n)).astype(np.uint8)
    low = np.tile(np.arange(255.0), (p, 1))
    return dict(
        by_row=np.ascontiguousarray(by_column.T),
        by_column=by_column,
        n_bins=np.full(p, 4, np.int32),
        ordered=np.ones(p, np.uint8),
        has_missing=np.zeros(p, np.uint8),
        low=low,
        high=low.copy(),
        y=rng.normal(size=(n, 1)),
        n_classes=np.empty(0, np.int32),
        weight=np.empty(0),
        seeds=np.arange(2, dtype=np.uint64),
        criterion=2,
        random_cuts=False,
        bootstrap=True,
        balanced=False,
        draws=n,
        max_features=p,
        max_depth=0,
        max_leaves=0,
        min_split=2,
        min_leaf=1,
        min_leaf_share=0.0,
        min_decrease=0.0,
        monotone=np.empty(0, np.int8),
    )


def test_a_forest_takes_bins_that_exist(rng):
    arguments = forest_arguments(rng)
    assert len(native.trees.grow_forest(**arguments)["roots"]) == 2
    for bad in (4, 254, 255):  # beyond the bins of the column; missing where nothing is
        for where in ("by_row", "by_column", "both"):
            arguments = forest_arguments(rng)
            if where != "by_column":
                arguments["by_row"][7, 1] = bad
            if where != "by_row":
                arguments["by_column"][1, 7] = bad
            with pytest.raises(ValueError, match="grow_forest: a bin code is out of range"):
                native.trees.grow_forest(**arguments)
    arguments = forest_arguments(rng)
    arguments["by_row"][7, 1] = arguments["by_column"][1, 7] = 255
    arguments["has_missing"][1] = 1
    native.trees.grow_forest(**arguments)


RULE = "criterion missing categories random_splits presort max_depth min_split min_leaf min_weight_leaf min_decrease"
RULE = [*RULE.split(), "max_features", "max_leaves", "target_risk", "max_surrogates", "seed"]


def test_a_tree_needs_a_target(rng):
    X = rng.normal(size=(5, 2))
    none = np.empty(0)
    for y, codes in ((np.empty((5, 0)), np.empty((5, 0), np.int32)), (np.empty((0, 0)), np.empty((0, 0), np.int32))):
        with pytest.raises(ValueError, match="cart_grow: the target"):
            native.trees.cart_grow(
                X,
                y,
                codes,
                np.empty(0, np.int32),
                none,
                np.empty((0, 0)),
                np.empty(0, np.uint8),
                np.empty(0, np.int8),
                np.empty((0, 0), np.uint8),
                dict.fromkeys(RULE, 0) | {"random_splits": False, "presort": False},
            )


def test_sorted_columns_name_rows_that_exist(rng):
    from tests.math.trees.test_boosting_tree import grow_exact

    X, g = rng.normal(size=(30, 2)), rng.normal(size=30)
    tree, _ = grow_exact(X, g, np.ones(30))
    assert len(tree["feature"])
    sorted_rows = np.argsort(X, axis=0).T.astype(np.uint32).copy()
    sorted_rows[1, 3] = 30
    order = np.arange(30, dtype=np.uint32)
    from tests.math.trees.test_boosting_tree import rule

    with pytest.raises(ValueError, match="row index is out of range"):
        native.trees.grow_boosting_tree_exact(
            X, sorted_rows, np.zeros(2, np.int32), g, np.ones(30), None, rule(2), order, order.copy()
        )


def test_stumps_take_rows_that_exist(rng):
    order = np.argsort(rng.normal(size=(2, 20)), axis=1).astype(np.uint32)
    order[1, 4] = 20
    with pytest.raises(ValueError, match="stumps: a row index is out of range"):
        native.ensemble.stump_search_classes(order, np.ones(20), np.zeros(20, np.int32), 2, 0.0)


# ------------------------------------------------------------------------------------------------ searches


@pytest.mark.parametrize("kind", ["kd_tree", "ball_tree"])
@pytest.mark.parametrize("own", [False, True])
def test_search_trees_with_a_wrong_row_number(kind, own, rng):
    X = np.ascontiguousarray(rng.normal(size=(50, 2)))
    build, query, radius = (getattr(native.neighbors, f"{kind}_{verb}") for verb in ("build", "query", "radius"))
    rows, *rest = build(X, 8) if kind == "kd_tree" else build(X, 8, 0, 2.0)
    Q = X if own else X[:3].copy()
    k = 5
    distances, found = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
    query(rows, *rest, 8, Q, k, 0, 2.0, own, distances, found)
    assert found.max() < 50
    for bad in (50, -1, 2**31 - 1):
        damaged = np.where(rows == found[0, 0], bad, rows).astype(np.int32)
        with pytest.raises(ValueError, match="row index is out of range"):
            query(damaged, *rest, 8, Q, k, 0, 2.0, own, distances, found)
        query(rows, *rest, 8, Q, k, 0, 2.0, own, distances, found)
        if bad < 0 and not own:
            continue  # a search by radius takes -1 as "no row" and leaves it out
        with pytest.raises(ValueError, match="row index is out of range"):
            radius(damaged, *rest, 8, Q, np.array([100.0]), True, 0, 2.0, own)


# ------------------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
@pytest.mark.parametrize("verb", ["gram", "products", "values", "quadratic", "check"])
def test_gam_kernels_take_codes_of_their_tables(verb, dtype, rng):
    n, levels, width = 50, 4, 3
    codes = np.asfortranarray(rng.integers(0, levels, size=(n, 1)).astype(dtype))
    tables = [np.ascontiguousarray(rng.normal(size=(levels, width)))]
    spec, columns = np.array([[0, 0, 0]], np.int32), np.array([[-1, -1]], np.int32)
    X = np.zeros((n, 1))
    more = {
        "gram": (np.ones(n), np.empty((width, width))),
        "products": (np.ones(n), np.empty(width)),
        "values": (np.ones(width), np.empty(n)),
        "quadratic": (np.eye(width), np.empty(n)),
        "check": (),
    }[verb]
    call = getattr(native.smooth, f"gam_{verb}")
    call(codes, tables, spec, columns, X, *more)
    codes[17, 0] = levels
    with pytest.raises(ValueError, match="code is out of range"):
        call(codes, tables, spec, columns, X, *more)


def test_similarities_without_a_largest_one_lead_to_no_address():
    """The place of the largest of NaNs was one behind the end, and was written to."""
    S, messages = np.full((3, 3), np.nan), np.zeros((2, 3, 3))
    native.cluster.affinity_propagation(S, 0.5, 5, 2, messages[0], messages[1], np.zeros(3, np.uint8))
    assert not messages[0].any()
