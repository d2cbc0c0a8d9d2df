"""Trees on derivatives against a slow, obvious version, in both arithmetics."""

import numpy as np
import pytest

import statlearn
from statlearn._core.native import trees as native
from statlearn._math.trees.bins import BinMapper
from tests.helpers import assert_close


def rule(p, **options):
    """All settings of a tree, free unless given."""
    settings = dict(
        max_leaves=1000,
        max_depth=0,
        best_first=True,
        post_prune=False,
        min_leaf_rows=1,
        min_split_rows=2,
        min_leaf_hessian=0.0,
        min_leaf_weight=0.0,
        min_gain=0.0,
        prune_gain=0.0,
        alpha=0.0,
        gamma=0.0,
        category_smoothing=0.0,
        max_side_categories=0,
        columns_per_split=0,
        seed=0,
        monotone=np.empty(0, np.int8),
        interaction=np.empty((0, p), np.uint8),
        **{"lambda": options.pop("lambda_", 0.0)},
    )
    settings.update(options)
    return settings


def grow(table, g, h, *, rows=None, quantised=False, weight=None, **options):
    """The tree and the order of its rows."""
    order = (np.arange(len(g)) if rows is None else rows).astype(np.uint32)
    tree = native.grow_boosting_tree(
        table.by_row,
        table.by_column,
        table.wide_codes,
        table.wide,
        table.column,
        table.n_bins,
        table.first,
        table.zero,
        table.ordered,
        g,
        h,
        weight,
        rule(len(table.n_bins), **options),
        order,
        np.empty_like(order),
        np.empty(len(g) if quantised else 0, np.int32),
    )
    return tree, order


def grow_exact(X, g, h, *, rows=None, weight=None, n_levels=None, **options):
    """The same without bins."""
    order = (np.arange(len(g)) if rows is None else rows).astype(np.uint32)
    n_levels = np.zeros(X.shape[1], np.int32) if n_levels is None else n_levels
    presorted = np.argsort(X.T, axis=1, kind="stable").astype(np.uint32)
    limits = rule(X.shape[1], **options)
    tree = native.grow_boosting_tree_exact(X, presorted, n_levels, g, h, weight, limits, order, np.empty_like(order))
    return tree, order


def score(G, H, lam, alpha):
    return np.maximum(np.abs(G) - alpha, 0.0) ** 2 / (H + lam) if H + lam > 0 else 0.0


def slow_best_split(X, g, h, rows, *, lam, alpha, gamma, min_rows):
    """Gain and sides of the best split by trying every threshold and both places of the missing values."""
    best, sides = 0.0, None
    G, H = g[rows].sum(), h[rows].sum()
    for j in range(X.shape[1]):
        x = X[rows, j]
        present = np.unique(x[~np.isnan(x)])
        for missing_left in (False, True):
            for t in present:
                left = (x <= t) | (np.isnan(x) & missing_left)
                if min(left.sum(), (~left).sum()) < min_rows:
                    continue
                GL, HL = g[rows][left].sum(), h[rows][left].sum()
                gain = score(GL, HL, lam, alpha) + score(G - GL, H - HL, lam, alpha) - score(G, H, lam, alpha)
                gain = gain / 2 - gamma
                if gain > best * (1 + 1e-9) + 1e-12:
                    best, sides = gain, (rows[left], rows[~left])
    return best, sides


def slow_leaves(X, g, h, rows, depth, **rule):
    """Row sets of the leaves of a tree grown level by level."""
    if depth == 0:
        return [rows]
    _, sides = slow_best_split(X, g, h, rows, **rule)
    if sides is None:
        return [rows]
    return [leaf for side in sides for leaf in slow_leaves(X, g, h, side, depth - 1, **rule)]


def leaves_of(tree, order):
    leaf = np.flatnonzero(tree["feature"] < 0)
    return {k: order[tree["first"][k] : tree["first"][k] + tree["rows"][k]] for k in leaf}


@pytest.mark.parametrize("lam, alpha, gamma, min_rows", [(0.0, 0.0, 0.0, 1), (1.0, 0.0, 0.1, 3), (0.5, 0.4, 0.0, 2)])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.spec("ENS-27", "ENS-30")
def test_tree_matches_the_slow_version(seed, lam, alpha, gamma, min_rows, missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(70, 4))
    X[rng.random(X.shape) < missing] = np.nan
    g, h = rng.normal(size=70), rng.uniform(0.2, 1.0, size=70)
    table = BinMapper(255, np.zeros(4, bool)).fit(X, rng).transform(X)
    expected = slow_leaves(X, g, h, np.arange(70), 3, lam=lam, alpha=alpha, gamma=gamma, min_rows=min_rows)
    limits = dict(max_depth=3, best_first=False, lambda_=lam, alpha=alpha, gamma=gamma, min_leaf_rows=min_rows)
    for tree, order in (grow(table, g, h, **limits), grow_exact(X, g, h, **limits)):
        found = leaves_of(tree, order)
        assert sorted(map(tuple, found.values())) == sorted(map(tuple, (np.sort(e) for e in expected)))
        for k, rows in found.items():
            G, H = g[rows].sum(), h[rows].sum()
            assert tree["value"][k] == pytest.approx(-np.sign(G) * max(abs(G) - alpha, 0.0) / (H + lam), abs=1e-12)


@pytest.mark.spec("ENS-P20")
def test_larger_gamma_never_adds_leaves_and_no_split_loses(seed):
    rng = np.random.default_rng(seed)
    X, g, h = rng.normal(size=(200, 5)), rng.normal(size=200), np.ones(200)
    table = BinMapper(255, np.zeros(5, bool)).fit(X, rng).transform(X)
    sizes = []
    for gamma in (0.0, 0.5, 1.0, 2.0, 4.0):
        tree, _ = grow(table, g, h, gamma=gamma, max_depth=6, best_first=False)
        assert np.all(tree["gain"][tree["feature"] >= 0] > 0)
        sizes.append(np.sum(tree["feature"] < 0))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.spec("ENS-P20")
def test_larger_lambda_shrinks_the_leaves_of_a_given_structure(seed):
    rng = np.random.default_rng(seed)
    X, g, h = np.repeat([[0.0], [1.0]], 20, axis=0), rng.normal(size=40) + np.repeat([1.0, -1.0], 20), np.ones(40)
    table = BinMapper(255, [False]).fit(X, rng).transform(X)
    sizes = [np.abs(grow(table, g, h, lambda_=lam)[0]["value"][1:]) for lam in (0.0, 1.0, 10.0)]
    assert np.all(sizes[0] > sizes[1])
    assert np.all(sizes[1] > sizes[2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.spec("ENS-29")
def test_rounded_derivatives_choose_nearly_the_same_tree_and_exact_leaf_values(seed, dtype):
    rng = np.random.default_rng(seed)
    n = 30_000
    X = rng.normal(size=(n, 6)).astype(dtype)
    f = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])
    g, h = (rng.normal(size=n) - f).astype(dtype), rng.uniform(0.5, 1.5, n).astype(dtype)
    table = BinMapper(255, np.zeros(6, bool)).fit(X, rng).transform(X)
    options = dict(max_leaves=31, min_leaf_rows=20)
    exact, _ = grow(table, g, h, **options)
    rounded, order = grow(table, g, h, quantised=True, **options)
    found = leaves_of(rounded, order)
    assert len(found) == 31
    assert np.array_equal(np.sort(np.concatenate(list(found.values()))), np.arange(n))
    fall = 0.0
    for k, rows in found.items():
        assert len(rows) >= 20
        assert np.all(np.diff(rows.astype(np.int64)) > 0)
        G, H = g[rows].sum(dtype=np.float64), h[rows].sum(dtype=np.float64)
        assert_close(rounded["value"][k], -G / H, rtol=1e-5, atol=0)
        fall += G**2 / H / 2
    root = exact["value"][0] ** 2 * exact["hessian"][0] / 2
    assert fall - root > 0.97 * exact["gain"].sum()


@pytest.mark.parametrize("quantised", [False, True])
def test_same_tree_for_any_number_of_threads(seed, quantised):
    rng = np.random.default_rng(seed)
    n = 70_000
    X, g = rng.normal(size=(n, 5)).astype(np.float32), rng.normal(size=n).astype(np.float32)
    h = rng.uniform(0.1, 1.0, n).astype(np.float32)
    table = BinMapper(64, np.zeros(5, bool)).fit(X, rng).transform(X)
    trees = []
    for n_threads in (1, 2, 3):
        with statlearn.threads(n_threads):
            trees.append(grow(table, g, h, quantised=quantised, max_leaves=40, min_leaf_rows=50, columns_per_split=3))
    for tree, order in trees[1:]:
        np.testing.assert_array_equal(order, trees[0][1])
        for name, array in tree.items():
            np.testing.assert_array_equal(array, trees[0][0][name], err_msg=name)


@pytest.mark.parametrize("quantised", [False, True])
def test_every_leaf_has_enough_rows_even_if_the_hessian_is_flat(seed, quantised):
    rng = np.random.default_rng(seed)
    n = 3000
    X, h = rng.normal(size=(n, 3)), rng.exponential(size=n) ** 4  # a few rows hold most of the hessian
    g = rng.normal(size=n) * h
    table = BinMapper(255, np.zeros(3, bool)).fit(X, rng).transform(X)
    tree, _ = grow(table, g, h, quantised=quantised, min_leaf_rows=100, max_leaves=20)
    assert np.sum(tree["feature"] < 0) > 3
    assert tree["rows"].min() >= 100


def test_monotone_columns(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(500, 2))
    g = -(np.sin(3 * X[:, 0]) + X[:, 0] + X[:, 1])
    table = BinMapper(255, np.zeros(2, bool)).fit(X, rng).transform(X)
    tree, order = grow(table, g, np.ones(500), monotone=np.array([1, 0], np.int8), max_leaves=30)
    value = np.empty(500)
    for k, rows in leaves_of(tree, order).items():
        value[rows] = tree["value"][k]
    free, _ = grow(table, g, np.ones(500), max_leaves=30)
    assert free["gain"].sum() > tree["gain"].sum()  # the constraint binds
    # Along column 0, within a band of column 1 that no leaf boundary of column 1 cuts, values do not fall.
    cuts = np.unique(tree["bin"][tree["feature"] == 1])
    band = np.digitize(table.by_column[1], cuts, right=True)
    for b in np.unique(band):
        rows = np.flatnonzero(band == b)
        rows = rows[np.argsort(X[rows, 0])]
        assert np.all(np.diff(value[rows]) >= -1e-12)


@pytest.mark.spec("TRE-P12")
def test_ordered_categories_find_the_best_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 6, size=80).astype(float)
    g, h = rng.normal(size=80) + rng.normal(size=6)[level.astype(int)], rng.uniform(0.5, 1, size=80)
    table = BinMapper(255, [True]).fit(level[:, None], rng).transform(level[:, None])
    tree, _ = grow(table, g, h, max_leaves=2)
    G, H = np.bincount(level.astype(int), g), np.bincount(level.astype(int), h)
    gains = []
    for mask in range(1, 2**5):
        left = np.array([(mask >> k) & 1 for k in range(6)], bool)
        parts = [(G[s].sum(), H[s].sum()) for s in (left, ~left, np.ones(6, bool))]
        gains.append((score(*parts[0], 0, 0) + score(*parts[1], 0, 0) - score(*parts[2], 0, 0)) / 2)
    assert tree["gain"][0] == pytest.approx(max(gains), rel=1e-10)


def test_wrong_arguments_raise():
    X = np.random.default_rng(0).normal(size=(20, 2))
    table = BinMapper(255, np.zeros(2, bool)).fit(X, np.random.default_rng(0)).transform(X)
    g, h = np.ones(20), np.ones(20)
    with pytest.raises(ValueError, match="row index"):
        grow(table, g, h, rows=np.array([0, 20]))
    with pytest.raises(ValueError, match="numbers of rows"):
        grow(table, g[:-1], h[:-1])
    with pytest.raises(ValueError, match="no rows"):
        grow(table, g, h, rows=np.empty(0))
    with pytest.raises(ValueError, match="limit"):
        grow(table, g, h, max_leaves=1)


def test_features_of_many_categories_are_split_as_those_of_few(seed):
    """Two bytes a row or one: the same split where both can tell the categories apart."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 200, 3000)
    X = np.column_stack([level.astype(float), rng.normal(size=3000)])
    X[rng.random(3000) < 0.05, 0] = np.nan
    g, h = rng.normal(size=3000) + rng.normal(size=200)[level], rng.uniform(0.5, 1.0, 3000)
    mapper = BinMapper(255, [True, False]).fit(X, rng)
    narrow = mapper.transform(mapper.encode(X))
    wide = mapper._with_wide(mapper.encode(X), [0], narrow.n_bins.copy(), narrow.ordered)
    for quantised in (False, True):
        options = dict(max_leaves=8, min_leaf_rows=5, quantised=quantised)
        (one, rows), (other, rows_of_other) = grow(narrow, g, h, **options), grow(wide, g, h, **options)
        assert np.any(one["categories"] >= 0)
        np.testing.assert_array_equal(rows, rows_of_other)
        for name in ("feature", "child", "value", "gain"):
            assert_close(one[name], other[name], rtol=1e-12, atol=0)
    exact, _ = grow_exact(mapper.encode(X), g, h, n_levels=np.array([200, 0], np.int32), max_leaves=8, min_leaf_rows=5)
    np.testing.assert_array_equal(exact["feature"], grow(narrow, g, h, max_leaves=8, min_leaf_rows=5)[0]["feature"])


def test_a_limit_keeps_one_side_of_the_categories_short(seed):
    rng = np.random.default_rng(seed)
    level = np.repeat(np.arange(600.0), 5)
    g = rng.normal(size=600)[level.astype(int)]
    mapper = BinMapper(255, [True], max_levels=1000).fit(level[:, None], rng)
    table = mapper.transform(mapper.encode(level[:, None]))
    assert table.wide.tolist() == [0]
    for limit in (0, 30):
        tree, _ = grow(table, g, np.ones(3000), max_leaves=2, max_side_categories=limit)
        side = np.unpackbits(tree["left_sets"][0].view(np.uint8), bitorder="little")[:600].sum()
        assert min(side, 600 - side) == 30 if limit else min(side, 600 - side) > 200
        # The best of the cuts through the levels in order, with at most `limit` of them on the shorter side.
        G, H = np.cumsum(np.sort(np.bincount(level.astype(int), g)))[:-1], 5.0 * np.arange(1, 600)
        allowed = np.minimum(np.arange(1, 600), np.arange(599, 0, -1)) <= (limit or 600)
        gains = G**2 / H + (g.sum() - G) ** 2 / (3000 - H) - g.sum() ** 2 / 3000
        assert tree["gain"][0] == pytest.approx(gains[allowed].max() / 2, rel=1e-9)


@pytest.mark.spec("ENS-28", "ENS-P20")
def test_post_pruning_keeps_a_good_split_behind_a_bad_one():
    """Exclusive or: the first split gains nothing, those below it gain all."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 10)
    g = np.where(X[:, 0] == X[:, 1], 1.0, -1.0) + np.where(X[:, 0] == 1, 1e-3, 0.0)
    table = BinMapper(255, [False, False]).fit(X, np.random.default_rng(0)).transform(X)
    options = dict(max_depth=2, best_first=False, gamma=1.0)
    greedy, _ = grow(table, g, np.ones(40), **options)
    assert len(greedy["feature"]) == 1
    pruned, _ = grow(table, g, np.ones(40), post_prune=True, **options)
    assert np.sum(pruned["feature"] < 0) == 4
    assert pruned["gain"][0] < 0 < pruned["gain"][1:3].min()  # it does not pay, but what is below it does
    # What pays nowhere is cut from the leaves upwards.
    rng = np.random.default_rng(0)
    noise, _ = grow(table, rng.normal(size=40) * 1e-3, np.ones(40), post_prune=True, **options)
    assert len(noise["feature"]) == 1


def test_cost_complexity_pruning_is_the_weakest_link(seed):
    rng = np.random.default_rng(seed)
    X, g = rng.normal(size=(150, 3)), rng.normal(size=150)
    table = BinMapper(255, np.zeros(3, bool)).fit(X, rng).transform(X)
    whole, _ = grow(table, g, np.ones(150), max_leaves=20)

    def total(tree, k):
        child = tree["child"][k]
        if not child:
            return 0.0, 0
        below = total(tree, child), total(tree, child + 1)
        return tree["gain"][k] + below[0][0] + below[1][0], 1 + below[0][1] + below[1][1]

    each = [np.divide(*total(whole, k)) for k in np.flatnonzero(whole["child"])]
    for limit in (0.5 * min(each), np.median(each), 2 * max(each)):
        pruned, order = grow(table, g, np.ones(150), max_leaves=20, prune_gain=limit)
        inner = np.flatnonzero(pruned["child"])
        assert all(np.divide(*total(pruned, k)) > limit for k in inner)
        for k, rows in leaves_of(pruned, order).items():
            assert pruned["value"][k] == pytest.approx(-g[rows].mean(), rel=1e-12)
    assert len(inner) == 0


def test_paths_stay_inside_an_interaction_group(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 4))
    g = -X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3] - X[:, 0] * X[:, 2]
    table = BinMapper(255, np.zeros(4, bool)).fit(X, rng).transform(X)
    groups = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], np.uint8)
    for tree, _ in (
        grow(table, g, np.ones(500), max_leaves=20, interaction=groups),
        grow_exact(X, g, np.ones(500), max_leaves=20, interaction=groups),
    ):
        paths = {0: set()}
        for k in np.flatnonzero(tree["child"]):
            paths[tree["child"][k]] = paths[tree["child"][k] + 1] = paths[k] | {int(tree["feature"][k])}
        assert len(tree["child"]) > 20
        assert all(path <= {0, 1} or path <= {2, 3} for path in paths.values())


def test_leaves_have_the_requested_weight(seed):
    rng = np.random.default_rng(seed)
    X, g, w = rng.normal(size=(200, 3)), rng.normal(size=200), rng.exponential(size=200)
    table = BinMapper(255, np.zeros(3, bool)).fit(X, rng).transform(X)
    for tree, order in (
        grow(table, g, np.ones(200), weight=w, min_leaf_weight=20.0),
        grow_exact(X, g, np.ones(200), weight=w, min_leaf_weight=20.0),
    ):
        found = leaves_of(tree, order)
        assert len(found) > 3
        assert all(w[rows].sum() >= 20.0 for rows in found.values())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_that_are_not_finite_leave_a_quantised_tree_sound(dtype, value, rng):
    """They were converted to integers before they were limited, which is undefined."""
    X = rng.normal(size=(3000, 3))
    table = BinMapper(32, np.zeros(3, bool)).fit(X, rng).transform(X)
    g, h = rng.normal(size=3000).astype(dtype), np.full(3000, 1.0, dtype)
    g[::500] = value
    _, order = grow(table, g, h, quantised=True, max_leaves=8)
    np.testing.assert_array_equal(np.sort(order), np.arange(3000))
