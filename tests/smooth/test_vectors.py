"""A vector x is one column for every smoother and for kernel densities; elsewhere the message shows how to write it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

from statlearn.linear import LinearRegression, RecursiveLeastSquares
from statlearn.neighbors import KNeighborsRegressor
from statlearn.smooth import KernelDensity, NadarayaWatson, RegressionSpline, SmoothingSpline, SplineTransformer
from tests.contract.instances import all_instances, name_of, takes_vectors
from tests.helpers import assert_close

METHODS = ("predict", "transform", "decision_function", "predict_proba", "score_samples")


def problem(rng, n=80):
    x = rng.uniform(size=n)
    return x, np.sin(4.0 * x) + 0.4 * rng.normal(size=n)


@pytest.mark.spec("CRS-124")
@pytest.mark.filterwarnings("ignore::statlearn._core.warnings.SeparationWarning")
@pytest.mark.parametrize("estimator", [e for e in all_instances() if takes_vectors(e)], ids=name_of)
def test_a_vector_is_one_column_in_fit_and_predict(estimator, rng):
    x, y = problem(rng)
    y = (y > 0.3).astype(int) if is_classifier(estimator) or name_of(estimator) == "LocalLogistic" else y
    by_column = clone(estimator).fit(x[:, None], y)
    by_vector = clone(estimator).fit(x, y)
    for method in METHODS:
        if hasattr(by_column, method):
            expected = np.asarray(getattr(by_column, method)(x[:7, None]))
            for new in (x[:7], x[:7].tolist(), pd.Series(x[:7], name="x")):
                np.testing.assert_array_equal(np.asarray(getattr(by_vector, method)(new)), expected)


@pytest.mark.spec("CRS-124")
def test_a_vector_raises_after_a_fit_to_several_columns(rng):
    x, y = problem(rng)
    model = NadarayaWatson(bandwidth=0.2).fit(np.column_stack([x, x**2]), y)
    with pytest.raises(ValueError, match="Reshape your data"):
        model.predict(x[:2])
    frame = pd.DataFrame({"x": x})
    by_name = NadarayaWatson(bandwidth=0.2).fit(frame, y)
    assert_close(by_name.predict(frame["x"]), by_name.predict(frame))
    with pytest.raises(ValueError, match=r"[Ff]eature names"):
        by_name.predict(frame["x"].rename("z"))


@pytest.mark.spec("CRS-124")
@pytest.mark.parametrize("model", [LinearRegression(), KNeighborsRegressor(), RecursiveLeastSquares()], ids=name_of)
def test_other_estimators_explain_in_two_lines_how_to_write_a_column(model, rng):
    x, y = problem(rng, n=500)
    with pytest.raises(ValueError, match=r"one column is X\[:, None\]") as caught:
        model.fit(x, y)
    assert str(caught.value).count("\n") == 1
    assert len(str(caught.value)) < 250, "the array itself is not printed"
    fitted = clone(model).fit(np.column_stack([x, y]), y)
    with pytest.raises(ValueError, match=r"one row X\[None, :\]"):
        fitted.predict(x[:2])


@pytest.mark.spec("CRS-125")
@pytest.mark.parametrize("kind", [RegressionSpline, SplineTransformer])
def test_a_flat_list_is_the_knots_of_one_column(kind, rng):
    x, y = problem(rng)
    knots = [0.0, 0.3, 0.6, 1.0]
    flat = kind(knots=knots).fit(x, y)
    table = kind(knots=np.reshape(knots, (-1, 1))).fit(x, y)
    read = "predict" if kind is RegressionSpline else "transform"
    np.testing.assert_array_equal(getattr(flat, read)(x), getattr(table, read)(x))
    with pytest.raises(ValueError, match=r"`knots` must have shape \(n_knots, 2\)"):
        kind(knots=knots).fit(np.column_stack([x, x**2]), y)
    for wrong in ([[0.0, 1.0], [0.5, 2.0]], [0.3], [0.6, 0.3], ["a", "b"], [[[0.1]]]):
        with pytest.raises(ValueError, match="knots"):
            kind(knots=wrong).fit(x, y)


def test_vectors_keep_their_former_meaning_in_smoothing_splines(rng):
    x, y = problem(rng)
    model = SmoothingSpline(df=5).fit(pd.Series(x, name="x"), y)
    assert_close(model.predict(x), model.predict(x[:, None]))
    assert KernelDensity().fit(x).n_features_in_ == 1
