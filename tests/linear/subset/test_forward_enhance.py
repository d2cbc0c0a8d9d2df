"""forward_enhance: the chain grows by the right terms, and its losses are those of explicit refits."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from statlearn.linear import LinearRegression, forward_enhance
from tests.helpers import assert_close


def basis_demo(rng, n=300):
    X = rng.normal(size=(n, 2))
    y = 2 * X[:, 0] + X[:, 1] - 0.8 * X[:, 0] * X[:, 1] + 0.5 * X[:, 0] ** 2 + 0.1 * rng.normal(size=n)
    return X, y


@pytest.mark.spec("LIN-34")
def test_it_finds_the_terms_of_a_known_model(rng):
    X, y = basis_demo(rng)
    chain = forward_enhance(pd.DataFrame(X, columns=["a", "b"]), y, min_improvement=0.05)
    assert [model.terms for model in chain] == [["a", "b"], ["a", "b", "a b"], ["a", "b", "a b", "a^2"]]
    assert_close(chain[-1].coef, [2, 1, -0.8, 0.5], atol=0.05, rtol=0)
    assert np.all(np.diff([model.cv_loss for model in chain]) < 0)
    assert_close(chain[-1].predict(X), y, atol=0.6, rtol=0)


@pytest.mark.spec("LIN-34")
def test_losses_and_choices_match_explicit_refits(rng):
    """A slow, obvious version: every candidate refitted on every fold."""
    X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + 2.0
    y = X[:, 0] * X[:, 1] + X[:, 2] ** 2 * 50 + rng.normal(size=60)
    w = rng.integers(1, 3, size=60).astype(float)
    folds = list(KFold(4).split(X))

    def columns(powers):
        return np.column_stack([np.prod(X ** np.array(power), axis=1) for power in powers])

    def loss(powers):
        Z, total = columns(powers), 0.0
        for train, test in folds:
            fit = LinearRegression(solver="qr").fit(Z[train], y[train], w[train])
            total += w[test] @ (y[test] - fit.predict(Z[test])) ** 2
        return total / w.sum()

    linear = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    chosen, losses = list(linear), [loss(linear)]
    crosses = [(1, 1, 0), (1, 0, 1), (0, 1, 1)]
    powers = [(2, 0, 0), (0, 2, 0), (0, 0, 2), (3, 0, 0), (0, 3, 0), (0, 0, 3)]
    for pool in (crosses, powers):
        while True:
            allowed = [c for c in pool if c not in chosen
                       and (max(c) == 1 or tuple(e - (e == max(c)) for e in c) in chosen)]  # fmt: skip
            trials = {c: loss([*chosen, c]) for c in allowed}
            best = min(trials, key=trials.get, default=None)
            if best is None or trials[best] >= losses[-1]:
                break
            chosen.append(best)
            losses.append(trials[best])
    chain = forward_enhance(X, y, cv=folds, sample_weight=w, max_degree=3)
    assert [tuple(row) for row in chain[-1].powers] == chosen
    assert_close([model.cv_loss for model in chain], losses, rtol=1e-6)
    final = LinearRegression().fit(columns(chosen), y, w)
    assert_close(chain[-1].predict(X), final.predict(columns(chosen)), rtol=1e-6)


def test_limits_are_kept(rng):
    X, y = basis_demo(rng)
    assert len(forward_enhance(X, y, max_terms=1)) == 2
    assert len(forward_enhance(X, y, max_terms=0)) == 1
    assert all("^" not in term for term in forward_enhance(X, y, max_degree=1)[-1].terms)
    with pytest.raises(ValueError, match="max_degree"):
        forward_enhance(X, y, max_degree=0)
    with pytest.raises(ValueError, match="feature_names"):
        forward_enhance(X, y, feature_names=["only one"])
    with pytest.raises(ValueError, match="features"):
        forward_enhance(X, y, max_terms=0)[0].predict(X[:, :1])
