"""Covariances, correlations and their picture."""

import numpy as np
import pandas as pd
import pytest

from statlearn.prep import correlation_heatmap, correlation_matrix, covariance_matrix
from tests.helpers import assert_close


@pytest.mark.spec("PRE-04")
@pytest.mark.parametrize("ddof", [0, 1])
def test_covariances_and_correlations(ddof, rng):
    X = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 4))
    assert_close(covariance_matrix(X, ddof=ddof), np.cov(X.T, ddof=ddof))
    assert_close(correlation_matrix(X), np.corrcoef(X.T))
    weights = rng.integers(0, 4, size=20)
    copies = np.repeat(X, weights, axis=0)
    assert_close(covariance_matrix(X, ddof=ddof, sample_weight=weights), np.cov(copies.T, ddof=ddof))
    assert_close(correlation_matrix(X, sample_weight=weights), np.corrcoef(copies.T))


def test_degenerate_columns():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    np.testing.assert_array_equal(correlation_matrix(X), np.eye(2))
    with pytest.raises(ValueError, match="`ddof`=1 requires more than 1 rows"):
        covariance_matrix(X[:1])
    assert covariance_matrix(X.astype(np.float32)).dtype == np.float32


@pytest.mark.spec("PRE-04")
def test_heat_map(rng):
    table = pd.DataFrame(rng.normal(size=(20, 3)), columns=["height", "weight", "age"])
    ax = correlation_heatmap(table)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["height", "weight", "age"]
    np.testing.assert_array_equal(ax.images[0].get_array(), correlation_matrix(table))
    assert len(ax.texts) == 9
    assert not correlation_heatmap(table.to_numpy(), annotate=False).texts
    with pytest.raises(ValueError, match="`names` has 2"):
        correlation_heatmap(table, names=["a", "b"])
