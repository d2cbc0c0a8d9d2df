"""Robust standard errors from another pass."""

import numpy as np
import pytest

from statlearn import scale
from statlearn.linear import LinearRegression, Ridge
from tests.scale.tables import NAMES, table


@pytest.mark.parametrize("cov", ["HC0", "HC1", "HC2", "HC3"])
@pytest.mark.parametrize("weights", ["frequency", "precision"])
def test_robust_errors_equal_those_in_memory(cov, weights):
    frame = table()
    frames = [frame[k : k + 700] for k in range(0, 3000, 700)]
    model = scale.fit(LinearRegression(), frames, "y", "weight", features=NAMES)
    found = scale.summary(model, frames, "y", "weight", cov=cov, weights=weights, level=0.9)
    X, y, w = frame[NAMES], frame["y"].to_numpy(), frame["weight"].to_numpy()
    reference = LinearRegression().fit(X, y, w)
    expected = reference.summary(0.9, cov, weights=weights, X=X, y=y, sample_weight=w)
    for name in ("std_error", "t", "p", "ci_low", "ci_high"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-7)
    assert found.facts["F"] == pytest.approx(expected.facts["F"], rel=1e-8)


def test_other_rows_and_other_models_raise():
    frame = table()
    model = scale.fit(LinearRegression(), frame, "y", features=NAMES)
    with pytest.raises(ValueError, match=r"training rows: its total weight is 100"):
        scale.summary(model, frame[:100], "y")
    with pytest.raises((TypeError, ValueError), match="model"):
        scale.summary(Ridge().fit(frame[NAMES], frame["y"].to_numpy()), frame, "y")
