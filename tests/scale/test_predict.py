"""Predictions of blocks are those of the model, in a file that appears whole."""

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from sklearn.pipeline import make_pipeline

from statlearn import bayes, linear, prep, scale
from tests.scale.tables import NAMES, table


@pytest.fixture
def path(tmp_path):
    table().write_parquet(tmp_path / "in.parquet", row_group_size=700)
    return tmp_path / "in.parquet"


def test_predictions_match_the_model(path):
    frame = table()
    X = frame[NAMES]
    model = linear.LinearRegression().fit(X, frame["y"].to_numpy())
    np.testing.assert_allclose(scale.predict(model, path), model.predict(X), rtol=1e-13)
    nb = bayes.GaussianNB().fit(X.to_numpy(), frame["label"].to_numpy())
    proba = scale.predict(nb, path, method="predict_proba", features=NAMES)
    np.testing.assert_allclose(proba, nb.predict_proba(X.to_numpy()), rtol=1e-10)
    assert list(scale.predict(nb, path, features=NAMES)) == list(nb.predict(X.to_numpy()))


def test_pipelines_predict_from_frames(path):
    frame = table()
    pipeline = make_pipeline(prep.TableTransformer(), linear.Ridge()).fit(
        frame[[*NAMES, "label"]], frame["y"].to_numpy()
    )
    expected = pipeline.predict(frame[[*NAMES, "label"]])
    np.testing.assert_allclose(scale.predict(pipeline, path), expected, rtol=1e-12)


def test_files_carry_columns_and_one_row_group_per_block(path, tmp_path):
    frame = table()
    nb = bayes.GaussianNB().fit(frame[NAMES], frame["label"].to_numpy())
    out = tmp_path / "out.parquet"
    assert scale.predict(nb, path, out=out, method="predict_proba", carry=["label", "weight"]) == 3000
    written = pl.read_parquet(out)
    assert written.columns == ["label", "weight", "probability_a", "probability_b", "probability_c"]
    assert written["label"].equals(frame["label"])
    np.testing.assert_allclose(written["probability_b"], nb.predict_proba(frame[NAMES])[:, 1], rtol=1e-10)
    assert pq.ParquetFile(out).num_row_groups == 5


def test_failed_predictions_leave_the_old_file(path, tmp_path):
    frame = table()
    model = linear.LinearRegression().fit(frame[NAMES], frame["y"].to_numpy())
    out = tmp_path / "out.parquet"
    out.write_text("before")
    bad = [frame[:700], frame[700:].with_columns(x0=pl.lit(None, dtype=pl.Float64))]
    with pytest.raises(ValueError, match=r"frame 1: .*NaN"):
        scale.predict(model, bad, out=out)
    assert out.read_text() == "before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]


def test_arguments_are_checked(path):
    frame = table()
    model = linear.LinearRegression().fit(frame[NAMES], frame["y"].to_numpy())
    with pytest.raises(ValueError, match="`method` must be one that LinearRegression has"):
        scale.predict(model, path, method="predict_proba")
    with pytest.raises(ValueError, match="`carry` must be empty"):
        scale.predict(model, path, carry=["y"])
    with pytest.raises(ValueError, match="`carry` must name columns"):
        scale.predict(model, path, out="x.parquet", carry=["nothing"])
    with pytest.raises(ValueError, match="not fitted"):
        scale.predict(linear.LinearRegression(), path)
