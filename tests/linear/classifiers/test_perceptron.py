"""The perceptron: the catalog's exact values, scikit-learn's results, mistakes and convergence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer

from statlearn.linear import Perceptron
from tests.helpers import assert_close

INPUTS = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
CLASSICAL = {"shuffle": False, "tol": None, "eta0": 0.5, "update": "sign"}


@pytest.mark.spec("LIN-T12", "LIN-45")
@pytest.mark.parametrize(
    ("X", "y", "w", "b"),
    [
        (INPUTS, [-1, -1, -1, 1], [2, 1], -3),
        (INPUTS, [-1, 1, 1, 1], [1, 1], -1),
        (INPUTS[[0, 2], :1], [1, -1], [-1], 0),
    ],
    ids=["AND", "OR", "NOT"],
)
def test_classical_rule_learns_the_gates(X, y, w, b):
    model = Perceptron(**CLASSICAL).fit(X, y)
    np.testing.assert_array_equal(model.coef_, [w])
    np.testing.assert_array_equal(model.intercept_, [b])
    assert model.converged_
    assert model.mistakes_[-1] == 0
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.spec("LIN-T12")
@pytest.mark.parametrize("update", ["sign", "margin", "batch"])
def test_xor_never_comes_to_rest(update):
    model = Perceptron(**{**CLASSICAL, "update": update}, max_iter=100).fit(INPUTS, [-1, 1, 1, -1])
    assert not model.converged_
    assert len(model.mistakes_) == model.n_iter_ == 100
    assert min(model.mistakes_) > 0


def slow_perceptron(X, y, eta, passes, update):
    """The definition, row by row."""
    w, b, trace = np.zeros(X.shape[1]), 0.0, []
    for _ in range(passes):
        wrong = []
        for i in range(len(y)):
            f = X[i] @ w + b
            guess = 1.0 if f >= 0 else -1.0
            if update == "margin" and y[i] * f <= 0:
                wrong.append(i)
                w, b = w + eta * y[i] * X[i], b + eta * y[i]
            elif update == "sign" and guess != y[i]:
                wrong.append(i)
                w, b = w + eta * (y[i] - guess) * X[i], b + eta * (y[i] - guess)
            elif update == "batch" and guess != y[i]:
                wrong.append(i)
        if update == "batch":
            w, b = w + eta * y[wrong] @ X[wrong], b + eta * y[wrong].sum()
        trace.append(len(wrong))
        if not wrong:
            break
    return w, b, trace


@pytest.mark.spec("LIN-45", "LIN-P32")
@given(seed=st.integers(0, 10_000), update=st.sampled_from(["margin", "sign", "batch"]))
def test_every_rule_follows_its_definition(seed, update):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(25, 3)).astype(float)  # whole numbers: sums are exact in any order
    y = np.where(rng.uniform(size=25) < 0.5, 1.0, -1.0)
    y[:2] = [-1, 1]
    model = Perceptron(shuffle=False, tol=None, eta0=0.5, max_iter=20, update=update).fit(X, y)
    w, b, trace = slow_perceptron(X, y, 0.5, 20, update)
    np.testing.assert_array_equal(model.coef_[0], w)
    assert model.intercept_[0] == b
    assert model.mistakes_ == trace


@pytest.mark.spec("LIN-P32")
@given(seed=st.integers(0, 10_000), update=st.sampled_from(["margin", "sign", "batch"]), shuffle=st.booleans())
def test_separable_data_end_without_mistakes(seed, update, shuffle):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(60, 2))
    f = X @ rng.normal(size=2) + 0.1
    keep = np.abs(f) > 0.1
    X, y = X[keep], np.sign(f[keep])
    if np.unique(y).size < 2:
        return
    model = Perceptron(tol=None, max_iter=20_000, shuffle=shuffle, update=update).fit(X, y)
    assert model.converged_
    assert model.mistakes_[-1] == 0
    assert model.score(X, y) == 1.0


@pytest.mark.spec("LIN-P32")
@given(seed=st.integers(0, 10_000))
def test_an_update_moves_towards_the_label(seed):
    rng = np.random.default_rng(seed)
    x, label = rng.normal(size=(1, 3)), rng.choice([-1, 1])
    start, level = rng.normal(size=(1, 3)), rng.normal(size=1)
    score = (x @ start[0] + level)[0]
    model = Perceptron(eta0=0.3, warm_start=True, shuffle=False)
    model.partial_fit(np.zeros((1, 3)), [1], classes=[-1, 1])
    model.coef_, model.intercept_ = start, level
    model.partial_fit(x, [label])
    step = 0.3 * label if label * score <= 0 else 0.0
    assert_close(model.coef_ - start, step * x)
    assert_close(model.intercept_ - level, [step])


@pytest.mark.spec("LIN-45")
@pytest.mark.parametrize("load", [load_digits, load_iris])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        # A few passes only: penalties make the weights fractions, and rounding may flip a score next to 0 in the end.
        {"penalty": "l2", "tol": None, "max_iter": 3},
        {"penalty": "l1", "tol": None, "max_iter": 3},
        {"penalty": "elasticnet", "l1_ratio": 0.4, "alpha": 0.001, "tol": None, "max_iter": 3},
        {"random_state": 3, "fit_intercept": False},
        {"class_weight": "balanced", "eta0": 0.1},
        {"early_stopping": True},
        {"shuffle": False, "tol": None, "max_iter": 20},
    ],
    ids=str,
)
def test_the_default_is_scikit_learns_perceptron(load, settings):
    X, y = load(return_X_y=True)
    ours, peer = Perceptron(**settings).fit(X, y), Peer(**settings).fit(X, y)
    assert_close(ours.coef_, peer.coef_, rtol=1e-9)
    assert_close(ours.intercept_, peer.intercept_, rtol=1e-9)
    assert ours.n_iter_ == peer.n_iter_
    two = (y > 0).astype(int)
    ours, peer = Perceptron(**settings).fit(X, two), Peer(**settings).fit(X, two)
    assert_close(ours.coef_, peer.coef_, rtol=1e-9)


def test_partial_fit_in_one_block_is_one_pass(rng):
    X, y = load_iris(return_X_y=True)
    ours, peer = Perceptron(), Peer()
    for _ in range(3):
        ours.partial_fit(X, y, classes=[0, 1, 2])
        peer.partial_fit(X, y, classes=[0, 1, 2])
        assert_close(ours.coef_, peer.coef_)
    with pytest.raises(ValueError, match="not the same as on last call"):
        ours.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="not one of the classes"):
        ours.partial_fit(X, y + 5)
    with pytest.raises(ValueError, match="first call"):
        Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match="balanced"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])


def test_sparse_rows_give_the_dense_result(rng):
    X = np.round(3 * rng.normal(size=(120, 8))) * (rng.uniform(size=(120, 8)) < 0.5)
    y = rng.integers(0, 3, size=120)
    for penalty in (None, "l2"):
        settings = {"penalty": penalty, "max_iter": 30, "tol": None}
        dense, other = Perceptron(**settings).fit(X, y), Perceptron(**settings).fit(sparse.csr_array(X), y)
        assert_close(other.coef_, dense.coef_)
        assert_close(other.decision_function(sparse.csr_array(X)), dense.decision_function(X))


def test_start_weights_and_warm_start(rng):
    X, y = INPUTS, [-1, -1, -1, 1]
    done = Perceptron(**CLASSICAL).fit(X, y)
    again = Perceptron(**CLASSICAL).fit(X, y, coef_init=done.coef_, intercept_init=done.intercept_)
    assert again.mistakes_ == [0]
    warm = Perceptron(**CLASSICAL, warm_start=True).fit(X, y)
    assert warm.fit(X, y).n_iter_ == 1
    with pytest.raises(ValueError, match="coef_init"):
        Perceptron().fit(X, y, coef_init=[1.0])


def test_the_limit_of_passes_is_reported(rng):
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, size=50)
    with pytest.warns(ConvergenceWarning, match="passes completed"):
        Perceptron(max_iter=2).fit(X, y)


@pytest.mark.spec("CRS-34")
def test_the_first_batch_step_uses_the_negative_rows(rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 3 % 2 * 2 - 1
    model = Perceptron(update="batch", max_iter=1, tol=None, eta0=0.5, shuffle=False).fit(X, y)
    assert_close(model.coef_[0], -0.5 * X[y < 0].sum(axis=0))
    assert_close(model.intercept_, [-0.5 * np.sum(y < 0)])
    assert "the first step uses the rows with y = -1 only" in Perceptron.__doc__
