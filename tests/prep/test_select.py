"""Selection of columns."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import load_diabetes, load_iris
from sklearn.feature_selection import SequentialFeatureSelector as Theirs
from sklearn.model_selection import GroupKFold, LeaveOneOut

from statlearn.linear import Lasso, LinearRegression, LogisticRegression
from statlearn.prep import (
    RFE,
    DensitySimilaritySelector,
    SelectFromModel,
    SequentialFeatureSelector,
    VarianceThreshold,
    _search_progress,
)
from statlearn.prep._select import density_similarity, information_criterion
from tests.helpers import assert_close


@pytest.mark.spec("PRE-17")
def test_variance_threshold():
    X = np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 5.1], [0.0, 3.0, 4.9]])
    np.testing.assert_array_equal(VarianceThreshold(0.1).fit(X).get_support(), [False, True, False])


@pytest.mark.spec("PRE-18", "PRE-T9")
def test_printed_similarities():
    p, q = np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5])
    assert_close(density_similarity(p, q, "dot"), 0.25, atol=1e-12)
    assert_close(density_similarity(p, q, "cosine"), 0.5, atol=1e-12)
    assert_close(density_similarity(p, p, "cosine"), 1, atol=1e-12)
    assert density_similarity(p, p, "dot") <= 1
    # The same through the estimator: class 0 in the first two of three bins, class 1 in the last two.
    X, y = np.array([[0.0], [1.1], [1.1], [3.0]]), [0, 0, 1, 1]
    for measure, value in (("dot", 0.25), ("cosine", 0.5)):
        selector = DensitySimilaritySelector(bins=3, measure=measure).fit(X, y)
        assert_close(selector.similarities_, value, atol=1e-12)
        np.testing.assert_array_equal(selector.histograms_[0], [p, q])


@pytest.mark.spec("PRE-18")
def test_columns_that_are_equal_in_two_classes_are_dropped(rng):
    n = 2000
    y = rng.integers(0, 2, size=n)
    X = np.column_stack([rng.normal(size=n), rng.normal(size=n) + 3 * y, rng.normal(size=n) * (1 + 2 * y)])
    selector = DensitySimilaritySelector(0.9).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(), [False, True, True])
    assert selector.similarities_[0] > 0.97
    # Several classes: the two that are most alike count.
    three = np.r_[y, np.full(n, 2)]
    X3 = np.vstack([X, np.column_stack([rng.normal(size=(n, 1)), rng.normal(size=(n, 1)), rng.normal(size=(n, 1))])])
    assert (DensitySimilaritySelector(1.0).fit(X3, three).similarities_ > 0.97).all()
    with pytest.raises(ValueError, match="no feature has a similarity of at most"):
        DensitySimilaritySelector(0.01).fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        DensitySimilaritySelector().fit(X, np.zeros(n))


@pytest.mark.spec("PRE-19", "PRE-P10")
@pytest.mark.parametrize("wanted", [1, 3, 7])
def test_recursive_elimination_keeps_the_wanted_number_and_ranks_by_repeated_fits(wanted):
    X, y = load_diabetes(return_X_y=True)
    selector = RFE(LinearRegression(), n_features_to_select=wanted).fit(X, y)
    assert selector.support_.sum() == wanted
    left, rank = list(range(X.shape[1])), {}
    while len(left) > wanted:
        worst = int(np.argmin(np.abs(LinearRegression().fit(X[:, left], y).coef_)))
        rank[left.pop(worst)] = len(left) - wanted + 1  # the length before the column goes
    for column in range(X.shape[1]):
        assert selector.ranking_[column] == rank.get(column, 1)


@pytest.mark.spec("PRE-20")
def test_selection_by_zero_coefficients():
    X, y = load_diabetes(return_X_y=True)
    selector = SelectFromModel(Lasso(alpha=0.5)).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(), Lasso(alpha=0.5).fit(X, y).coef_ != 0)


@pytest.mark.spec("PRE-21")
def test_cross_validated_steps_are_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    for options in ({"n_features_to_select": 4}, {"direction": "backward", "n_features_to_select": 6}):
        ours = SequentialFeatureSelector(**options).fit(X, y)
        theirs = Theirs(LinearRegression(), **options).fit(X, y)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
        given = SequentialFeatureSelector(LinearRegression(), **options).fit(X, y)
        np.testing.assert_array_equal(given.get_support(), theirs.get_support())


@pytest.mark.spec("PRE-21")
@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_steps_by_an_information_criterion_reach_a_local_optimum(criterion, direction):
    X, y = load_diabetes(return_X_y=True)
    selector = SequentialFeatureSelector(criterion=criterion, direction=direction).fit(X, y)
    chosen = np.flatnonzero(selector.get_support())
    value = lambda columns: information_criterion(LinearRegression(), X[:, columns], y, criterion)  # noqa: E731
    best = value(chosen)
    assert_close(selector.criterion_path_[-1][1], best)
    path = [v for _, v in selector.criterion_path_]
    assert all(a > b for a, b in pairwise(path))
    steps = [j for j in range(10) if (j in chosen) != (direction == "forward")]
    assert all(value(sorted(set(chosen) ^ {j})) >= best for j in steps)


def test_the_criterion_matches_the_summary():
    X, y = load_diabetes(return_X_y=True)
    facts = LinearRegression().fit(X, y).summary().facts
    assert_close(information_criterion(LinearRegression(), X, y, "aic"), facts["aic"])
    assert_close(information_criterion(LinearRegression(), X, y, "bic"), facts["bic"])


def test_classifiers_and_a_wanted_number():
    X, y = load_iris(return_X_y=True)
    two = y < 2
    model = LogisticRegression(C=10.0)
    fitted = model.fit(X[two], y[two])
    p = fitted.predict_proba(X[two])[np.arange(100), y[two]]
    assert_close(information_criterion(model, X[two], y[two], "aic"), -2 * np.log(p).sum() + 2 * 5)
    p3 = model.fit(X, y).predict_proba(X)[np.arange(150), y]
    assert_close(information_criterion(model, X, y, "aic"), -2 * np.log(p3).sum() + 2 * 10)
    selector = SequentialFeatureSelector(model, criterion="aic", n_features_to_select=2).fit(X, y)
    assert selector.get_support().sum() == 2
    assert selector.transform(X).shape == (150, 2)
    share = SequentialFeatureSelector(model, criterion="aic", n_features_to_select=0.5, direction="backward").fit(X, y)
    assert share.get_support().sum() == 2
    everything = SequentialFeatureSelector(model, criterion="aic", n_features_to_select=1.0).fit(X, y)
    assert everything.get_support().all()
    with pytest.raises(ValueError, match="n_features_to_select must be"):
        SequentialFeatureSelector(model, criterion="aic", n_features_to_select=9).fit(X, y)


def test_sparse_tables_by_cross_validation(rng):
    X = rng.normal(size=(40, 4))
    y = X[:, 2]
    selector = SequentialFeatureSelector(n_features_to_select=1).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(selector.get_support(), [False, False, True, False])


@pytest.mark.parametrize("criterion", ["cv", "aic"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("wanted", [{}, {"n_features_to_select": 2}, {"n_features_to_select": 0.5}, {"tol": 1e-9}])
def test_progress_counts_all_sets_of_a_search(criterion, direction, wanted, capsys, rng):
    X = rng.normal(size=(30, 5))
    y = X @ np.arange(1.0, 6.0) + 0.1 * rng.normal(size=30)
    SequentialFeatureSelector(criterion=criterion, direction=direction, cv=3, verbose=1, **wanted).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    selector = SequentialFeatureSelector(criterion=criterion, direction=direction, cv=3, **wanted)
    sizes = selector._step_sizes(5)
    assert len(lines) <= len(sizes) - 1
    for k, line in enumerate(lines):
        assert f"step {k + 2} of at most {len(sizes)}, {sum(sizes[: k + 1])} of at most {sum(sizes)} sets" in line
        assert "left" in line
    if criterion == "cv" and "tol" not in wanted:
        assert len(lines) == len(sizes) - 1
    selector.fit(X, y)
    assert capsys.readouterr().out == ""


def test_long_silent_searches_report_their_duration(monkeypatch, rng):
    clock = iter(np.arange(0.0, 1e6, 0.5))
    monkeypatch.setattr(_search_progress.time, "monotonic", lambda: next(clock))
    X, y = rng.normal(size=(12, 30)), rng.normal(size=12)
    selector = SequentialFeatureSelector(cv=LeaveOneOut(), scoring="neg_mean_squared_error")
    with pytest.warns(UserWarning, match=r"4,140 models .up to 345 sets of columns, 12 fits each.*about 3 min") as seen:
        selector.fit(X, y)
    assert len(seen) == 1


def test_groups_of_a_search_are_routed_to_the_splitter(rng):
    X, y, groups = rng.normal(size=(20, 3)), rng.normal(size=20), np.arange(20) // 4
    with config_context(enable_metadata_routing=True):
        selector = SequentialFeatureSelector(LinearRegression(), cv=GroupKFold(3)).fit(X, y, groups=groups)
        theirs = Theirs(LinearRegression(), cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert np.array_equal(selector.support_, theirs.support_)
