"""The one-standard-error rule: the simplest candidate that is as good as the best, for all we know."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge as SklearnRidge

from statlearn.assess import one_standard_error
from statlearn.assess._one_se import complexity_keys

LOSSES = np.array([[9.0, 9.4, 9.2], [5.1, 5.9, 5.5], [5.0, 5.8, 5.3], [5.2, 6.4, 5.9]])


@pytest.mark.spec("ASM-28")
def test_the_first_within_one_standard_error_of_the_best():
    se = LOSSES[2].std(ddof=1) / np.sqrt(3)
    expected = int(np.flatnonzero(LOSSES.mean(axis=1) <= LOSSES[2].mean() + se)[0])
    assert one_standard_error(LOSSES, greater_is_better=False) == expected == 1
    assert one_standard_error(-LOSSES) == expected
    means, errors = LOSSES.mean(axis=1), LOSSES.std(axis=1, ddof=1) / np.sqrt(3)
    assert one_standard_error(means, errors, greater_is_better=False) == expected


@pytest.mark.spec("ASM-28")
def test_order_comes_from_complexity_not_from_position():
    shuffled = [2, 0, 3, 1]
    assert one_standard_error(LOSSES[shuffled], complexity=shuffled, greater_is_better=False) == shuffled.index(1)


@pytest.mark.spec("ASM-P16")
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 8))
def test_never_less_regularised_than_the_minimum(seed, k, folds):
    rng = np.random.default_rng(seed)
    losses = rng.gamma(2.0, size=(k, folds))
    chosen = one_standard_error(losses, greater_is_better=False)
    best = int(np.argmin(losses.mean(axis=1)))
    assert chosen <= best
    limit = losses[best].mean() + losses[best].std(ddof=1) / np.sqrt(folds)
    assert losses[chosen].mean() <= limit * (1 + 1e-12)
    assert np.all(losses[:chosen].mean(axis=1) > limit * (1 - 1e-12))


@pytest.mark.spec("ASM-28")
@pytest.mark.parametrize(
    "refit", [one_standard_error, functools.partial(one_standard_error, complexity="-alpha")], ids=["plain", "partial"]
)
def test_is_a_refit_callable_of_scikit_learns_search(refit):
    X, y = load_diabetes(return_X_y=True)
    alphas = np.logspace(-3, 2, 11)  # complex first: the order must come from the meaning of alpha
    search = model_selection.GridSearchCV(SklearnRidge(), {"alpha": alphas}, cv=10, refit=refit).fit(X, y)
    scores = np.column_stack([search.cv_results_[f"split{k}_test_score"] for k in range(10)])
    best = np.argmax(scores.mean(axis=1))
    limit = scores[best].mean() - scores[best].std(ddof=1) / np.sqrt(10)
    expected = max(k for k in range(11) if scores[k].mean() >= limit)
    assert search.best_index_ == expected > best


def test_failed_candidates_are_never_chosen():
    losses = np.array([[np.nan, 1.0], [2.0, 2.2], [1.9, 2.3]])
    assert one_standard_error(losses, greater_is_better=False) == 1


def test_complexity_keys_order_models_by_simplicity():
    grid = [{"tree__max_depth": d, "tree__min_samples_leaf": m} for d in (2, None) for m in (1, 20)]
    order = np.argsort([k[0] for k in complexity_keys(grid, None)], kind="stable")
    assert grid[order[0]] == {"tree__max_depth": 2, "tree__min_samples_leaf": 20}
    assert grid[order[-1]] == {"tree__max_depth": None, "tree__min_samples_leaf": 1}
    assert complexity_keys(grid, "grid") == [0, 1, 2, 3]
    by_depth = complexity_keys(grid, "tree__max_depth")
    assert by_depth[0] == by_depth[1] < by_depth[2] == by_depth[3]
    assert complexity_keys(grid, lambda s: s["tree__min_samples_leaf"]) == [1, 20, 1, 20]


@pytest.mark.parametrize(
    "params, complexity, message",
    [
        ([{"kernel": "rbf"}, {"kernel": "linear"}], None, "unknown for kernel"),
        ([{"alpha": "auto"}, {"alpha": 1.0}], None, "cannot be ordered"),
        ([{"alpha": 2.0}, {"alpha": 1.0}], "-beta", "does not vary"),
    ],
)
def test_an_unknown_order_raises(params, complexity, message):
    with pytest.raises(ValueError, match=message):
        complexity_keys(params, complexity)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"scores": [1.0, 2.0]}, "std_error"),
        ({"scores": [1.0, 2.0], "std_error": [1.0]}, "`std_error` must have shape"),
        ({"scores": np.ones((2, 2, 2))}, "`scores` must have shape"),
        ({"scores": LOSSES, "complexity": [1, 2]}, "`complexity` must be"),
        ({"scores": {"params": []}}, "not among the scores"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        one_standard_error(**arguments)


def test_unknown_parameter_names_raise():
    with pytest.raises(ValueError, match=r"^complexity must name parameters.*; got \[0, 0\]"):
        complexity_keys([{"alpha": 1.0}, {"alpha": 2.0}], [0, 0])
