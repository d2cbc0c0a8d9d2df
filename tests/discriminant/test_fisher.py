"""Fisher's linear discriminant."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, fisher_criterion
from tests.discriminant.tables import TWO5, TWO5_Y, gaussians
from tests.helpers import assert_close


@pytest.mark.spec("DIS-10", "DIS-T2")
def test_the_printed_direction():
    model = FisherDiscriminant().fit(TWO5, TWO5_Y)
    assert_close(model.coef_[0], [0.4269103, 0.1960133], atol=1e-6)
    assert_close(model.direction_, [0.9087856, 0.4172634], atol=1e-6)
    assert_close(model.criterion_, 3.0501661, atol=1e-6)


@pytest.mark.spec("DIS-10", "DIS-P2")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 5))
def test_the_direction_maximises_the_criterion(seed, p):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 40, p, 2)
    model = FisherDiscriminant().fit(X, y)
    assert_close(fisher_criterion(model.direction_, X, y), model.criterion_, rtol=1e-6)
    assert_close(fisher_criterion(-7.5 * model.direction_, X, y), model.criterion_, rtol=1e-6)
    for w in rng.normal(size=(10, p)):
        assert fisher_criterion(w, X, y) <= model.criterion_ * (1 + 1e-9)


@pytest.mark.spec("DIS-P5")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 5))
def test_nearest_projected_mean_is_lda_with_equal_priors(seed, p):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 40, p, 2)
    model = FisherDiscriminant().fit(X, y)
    linear = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    new = 3 * rng.normal(size=(200, p))
    np.testing.assert_array_equal(model.predict(new), linear.predict(new))
    z, centres = model.transform(new), model.transform(model.means_)
    np.testing.assert_array_equal(model.predict(new), np.argmin(abs(z - centres.T), axis=1))


@pytest.mark.spec("DIS-10")
@given(seed=st.integers(0, 10_000), weighted=st.booleans())
def test_the_other_offset_has_the_smallest_training_error(seed, weighted):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 40, 2, 2, spread=0.5)
    w = rng.integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    model = FisherDiscriminant(offset="error").fit(X, y, w if weighted else None)
    z = X @ model.coef_[0]
    errors = [np.average((z > t) != (y == 1), weights=w) for t in np.concatenate([z - 1e-9, z + 1e-9])]
    assert_close(np.average(model.predict(X) != y, weights=w), min(errors))
    assert model.score(X, y, w) >= FisherDiscriminant().fit(X, y, w).score(X, y, w)


def test_summary_describes_the_projection():
    X = pd.DataFrame(TWO5, columns=["u", "v"])
    model = FisherDiscriminant().fit(X, TWO5_Y)
    summary = model.summary()
    assert summary.table.rows == ["u", "v"]
    assert_close(summary["direction x sd"], model.direction_ * np.sqrt([13.2 / 8, 22 / 8]))
    assert_close(summary["mean of B"], [8.4, 7.6])
    z, projected = model.transform(X)[:, 0], summary.tables[0].columns
    assert_close(projected["mean"], [z[:5].mean(), z[5:].mean()])
    assert_close(projected["sd"], [z[:5].std(ddof=1), z[5:].std(ddof=1)])
    assert_close(summary.facts["threshold"], projected["mean"].mean())
    assert_close(summary.facts["distance"], 4.9397701, atol=1e-6)  # DIS-T6
    swapped = TWO5.copy()
    swapped[[0, 5]] = swapped[[5, 0]]  # a row of A among those of B, and the reverse
    model = FisherDiscriminant().fit(swapped, TWO5_Y)
    wrong = model.predict(swapped) != TWO5_Y
    assert_close(model.summary().tables[0].columns["training error"], [wrong[:5].mean(), wrong[5:].mean()])
    assert wrong.sum() == 2


def test_summary_counts_weights_as_copies(rng):
    X, y = gaussians(rng, 40, 2, 2, spread=0.5)
    w = rng.integers(0, 3, len(X))
    a, b = FisherDiscriminant().fit(X, y, w).summary(), FisherDiscriminant().fit(X.repeat(w, 0), y.repeat(w)).summary()
    for name in ("n", "mean", "sd", "training error"):
        assert_close(a.tables[0].columns[name], b.tables[0].columns[name])
    assert_close(a["direction x sd"], b["direction x sd"])


def test_only_two_classes(rng):
    X, y = gaussians(rng, 40)
    with pytest.raises(ValueError, match="Use LinearDiscriminantAnalysis"):
        FisherDiscriminant().fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        fisher_criterion([1.0, 0, 0], X, y)
    with pytest.raises(ValueError, match="w must have shape"):
        fisher_criterion([1.0], X[y < 2], y[y < 2])
