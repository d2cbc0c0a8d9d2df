"""Live answers agree with the model's own predictions."""

import numpy as np
import polars as pl
import pytest

import statlearn
from statlearn.app.errors import UsageError
from statlearn.app.explain.live import GRID, LiveTable


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x, kind, count = rng.normal(size=n), rng.choice(["a", "b", "c"], n), rng.integers(0, 5, n)
    y = 2 * x + (kind == "b") * 3.0 + count + rng.normal(0, 0.2, n)
    return pl.DataFrame({"x": x, "kind": kind, "count": count, "y": y, "label": np.where(y > 2, "high", "low")})


@pytest.fixture(scope="module")
def regression():
    data = table().drop("label")
    model = statlearn.compare(data, target="y", models=["least-squares"], folds=3).model_for_use()
    return LiveTable(model, data)


@pytest.fixture(scope="module")
def classes():
    data = table().drop("y")
    model = statlearn.compare(data, target="label", models=["logistic-l2"], folds=3).model_for_use()
    return LiveTable(model, data)


def test_versions_and_the_curve_are_the_predictions_of_the_model(regression):
    found = regression.ask(5, [{"x": 1.5}], "x")
    data = table()
    changed = data[5:6].with_columns(x=pl.lit(1.5))
    expected = [regression.model.predict(frame)[0] for frame in (data[5:6], changed)]
    np.testing.assert_allclose([s.prediction for s in found.scenarios], expected, rtol=1e-12)
    assert len(found.curve.values) == GRID
    steps = np.diff(found.curve.mean)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)  # least squares: a straight line
    assert np.all(found.curve.lower < found.curve.mean)


def test_whole_numbers_and_levels_have_their_own_curves(regression):
    assert regression.ask(0, [{}], "count").curve.values == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert sorted(regression.ask(0, [{}], "kind").curve.values) == ["a", "b", "c"]


def test_a_whole_number_may_become_a_fraction_or_be_missing(regression):
    found = regression.ask(0, [{"count": 2.5}, {"count": None}], "x")
    assert all(np.isfinite(s.prediction) for s in found.scenarios)


def test_probabilities_are_those_of_the_model(classes):
    found = classes.ask(3, [{"x": -2.0}], "x")
    changed = table()[3:4].with_columns(x=pl.lit(-2.0))
    expected = classes.model.predict_proba(changed)[0]
    np.testing.assert_allclose(list(found.scenarios[1].probabilities.values()), expected, rtol=1e-12)
    assert found.curve.label == found.scenarios[1].prediction
    assert np.all((found.curve.mean >= 0) & (found.curve.mean <= 1))


def test_only_cells_that_differ_are_changes(regression):
    cells = regression.cells(7)
    texts = {"x": repr(cells["x"]), "kind": cells["kind"], "count": str(cells["count"] + 1)}
    assert regression.changed(7, texts) == {"count": cells["count"] + 1}
    assert regression.changed(7, {"kind": None}) == {"kind": None}


def test_values_unlike_the_training_rows_are_noted(regression):
    assert "outside the range" in regression.ask(0, [{"x": 99.0}], None).notes[0]
    assert (
        "unknown" in regression.ask(0, [{"kind": "z"}], None).notes[0].lower()
        or regression.ask(0, [{"kind": "z"}]).notes
    )


@pytest.mark.parametrize("row", [-1, 120, True, 1.5])
def test_rows_that_are_not_there_raise(regression, row):
    with pytest.raises(UsageError, match="`row` must be"):
        regression.ask(row, [{}])


def test_columns_the_model_lacks_raise(regression):
    with pytest.raises(UsageError, match="`column` must be"):
        regression.ask(0, [{}], "nothing")
    with pytest.raises(UsageError):
        regression.changed(0, {"x": "abc"})
