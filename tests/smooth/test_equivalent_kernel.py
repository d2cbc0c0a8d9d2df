"""Equivalent kernels of all linear smoothers."""

import numpy as np
import pandas as pd
import pytest

from statlearn.smooth import (
    LocalPolynomialRegressor,
    Loess,
    NadarayaWatson,
    RegressionSpline,
    SmoothingSpline,
    ThinPlateSpline,
    equivalent_kernel,
)
from tests.helpers import assert_close

SMOOTHERS = [
    NadarayaWatson(bandwidth=0.2),
    LocalPolynomialRegressor(bandwidth=0.3),
    Loess(span=0.6),
    SmoothingSpline(lam=1e-3),
    RegressionSpline(df=5),
    ThinPlateSpline(lam=0.1),
]
UNSTORED = ("RegressionSpline", "ThinPlateSpline")


@pytest.mark.spec("CRS-10")
@pytest.mark.parametrize("smoother", SMOOTHERS, ids=lambda s: type(s).__name__)
def test_a_number_a_vector_and_a_column_give_the_row_of_the_smoother_matrix(rng, smoother):
    x = np.sort(rng.uniform(size=40))
    y = np.sin(6 * x) + 0.1 * rng.normal(size=40)
    smoother.fit(x[:, None], y)
    rows = (x,) if type(smoother).__name__ in UNSTORED else ()
    place = x[17]
    S = smoother.smoother_matrix(x[:, None])
    for x0 in (place, [place], np.array([[place]])):
        found = equivalent_kernel(smoother, x0, *rows)
        assert found.shape == (1, 40)
        assert_close(found[0], S[17])
        assert_close(found.sum(), 1.0)
        assert_close(found @ y, smoother.predict([[place]]))
    if rows:
        with pytest.raises(ValueError, match="`X` must be passed for"):
            equivalent_kernel(smoother, [place])
        assert_close(equivalent_kernel(smoother, [place], x[:, None]), S[17:18])


@pytest.mark.spec("CRS-10")
def test_several_columns_need_a_table(rng):
    X = rng.uniform(size=(30, 2))
    model = LocalPolynomialRegressor(bandwidth=0.5).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"`x0` must have shape \(n_points, 2\)"):
        equivalent_kernel(model, [0.5, 0.5])
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = LocalPolynomialRegressor(bandwidth=0.5).fit(frame, X[:, 0])
    assert_close(equivalent_kernel(model, frame.iloc[:2]), equivalent_kernel(model, frame)[:2])
