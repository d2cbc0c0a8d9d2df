"""Indicators of levels under a ridge penalty."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn.smooth import GAM, RandomEffectBasis, re
from tests.helpers import assert_close


def test_ridge_on_the_indicators_is_the_random_effect_of_the_additive_model():
    rng = np.random.default_rng(0)
    school = rng.integers(0, 12, size=200)
    y = rng.normal(size=12)[school] + 0.5 * rng.normal(size=200)
    model = GAM([re(0)]).fit(school[:, None], y)
    basis = RandomEffectBasis().fit(school[:, None])
    B = np.column_stack([np.ones(200), basis.transform(school[:, None])])
    S = np.zeros((13, 13))
    S[1:, 1:] = model.lam_[0] * basis.penalty_matrix()
    assert_close(B @ np.linalg.solve(B.T @ B + S, B.T @ y), model.predict(school[:, None]), atol=1e-8)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_levels_of_text_have_names_and_new_ones_are_the_mean(frame):
    table = frame({"school": ["b", "a", "b"], "year": [1.0, 2.0, 3.0]})
    basis = RandomEffectBasis().fit(table)
    names = ["school[a]", "school[b]", "year[1]", "year[2]", "year[3]"]
    assert basis.get_feature_names_out().tolist() == names
    new = basis.transform(frame({"school": ["a", "c"], "year": [3.0, 4.0]}))
    np.testing.assert_array_equal(new, [[1, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    sparse = RandomEffectBasis(sparse_output=True).fit(table).transform(table)
    np.testing.assert_array_equal(sparse.toarray(), basis.transform(table))
    with pytest.raises(ValueError, match="NaN"):
        basis.transform(frame({"school": ["a"], "year": [np.nan]}))
