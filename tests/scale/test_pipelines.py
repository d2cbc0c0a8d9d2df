"""Pipelines over blocks."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from statlearn import linear, prep, scale
from statlearn.cluster import AgglomerativeClustering
from tests.scale.tables import NAMES, bits, table


def mixed():
    """Numbers with missing values, and text."""
    frame = table()
    missing = pl.int_range(len(frame)) % 11 == 0
    return frame.with_columns(x1=pl.when(missing).then(None).otherwise(pl.col("x1")))


def frames(frame):
    return [frame[k : k + 700] for k in range(0, len(frame), 700)]


@pytest.mark.parametrize("kind", ["polars", "pandas", "parquet"])
def test_tables_with_text_and_missing_values_equal_the_fit_in_memory(kind, tmp_path):
    frame = mixed()
    source = frames(frame)
    if kind == "pandas":
        source = [part.to_pandas() for part in source]
    elif kind == "parquet":
        frame.write_parquet(tmp_path / "t.parquet", row_group_size=700)
        source = tmp_path / "t.parquet"
    columns = [*NAMES, "label"]
    pipeline = make_pipeline(prep.TableTransformer(scale=True, drop="first"), linear.LinearRegression())
    model = scale.fit(pipeline, source, "y", "weight", features=columns)
    # In memory the transformer sees rows of weight 0, too; over blocks they are absent.
    used = frame.filter(pl.col("weight") > 0)
    reference = clone(pipeline).fit(
        used[columns], used["y"].to_numpy(), linearregression__sample_weight=used["weight"].to_numpy()
    )
    assert list(model[0].get_feature_names_out()) == list(reference[0].get_feature_names_out())
    np.testing.assert_allclose(model[-1].coef_, reference[-1].coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict(frame[columns]), reference.predict(frame[columns]), rtol=1e-9)
    assert model.fit_report_["passes"] == 2


def test_scalers_learn_from_all_rows_and_others_from_a_sample(monkeypatch):
    monkeypatch.setattr("statlearn.scale._fits.pipelines.SAMPLE", 500)
    frame = table()
    pipeline = make_pipeline(prep.StandardScaler(), linear.Lasso(0.1))
    model = scale.fit(pipeline, frames(frame), "y", features=NAMES)
    reference = clone(pipeline).fit(frame[NAMES], frame["y"].to_numpy())
    np.testing.assert_allclose(model[0].mean_, reference[0].mean_, rtol=1e-12)
    np.testing.assert_allclose(model[-1].coef_, reference[-1].coef_, rtol=1e-4, atol=1e-4)
    pipeline = make_pipeline(prep.TableTransformer(scale=True), linear.Ridge())
    few = scale.fit(pipeline, frames(frame), "y", features=NAMES)
    exact = clone(pipeline).fit(frame[NAMES], frame["y"].to_numpy())
    np.testing.assert_allclose(few.predict(frame[NAMES]), exact.predict(frame[NAMES]), atol=0.01)
    again = scale.fit(pipeline, frames(frame), "y", features=NAMES, memory=0)
    assert bits(few[-1]) == bits(again[-1])


def test_samples_are_uniform_over_blocks():
    from statlearn.scale._fits.pipelines import RowSample
    from statlearn.scale._sources.base import Block
    from statlearn.scale._tree import merge_all

    counts = np.zeros(40)
    for seed in range(200):
        blocks = [Block(np.arange(10.0)[:, None] + 10 * k, None, None, index=k) for k in range(4)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("statlearn.scale._fits.pipelines.SAMPLE", 8)
            rows = merge_all([RowSample.from_block(block, seed) for block in blocks]).tables()[0][:, 0]
        assert len(np.unique(rows)) == 8
        assert np.all(np.diff(rows) > 0)
        counts[rows.astype(int)] += 1
    assert np.abs(counts - 40).max() < 6 * np.sqrt(40)


def test_the_last_step_must_have_a_fit_over_blocks():
    pipeline = make_pipeline(prep.StandardScaler(), AgglomerativeClustering())
    with pytest.raises(TypeError, match="got AgglomerativeClustering"):
        scale.fit(pipeline, frames(table()), features=NAMES)
