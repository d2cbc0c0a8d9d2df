"""Columns that know the target too well."""

import numpy as np
import polars as pl
import pytest

from statlearn.app import frames
from statlearn.app.leaks import suspicious_columns


def codes(columns, truth, classes=None):
    frame = frames.as_frame(pl.DataFrame(columns))
    return {detail.split("'")[1]: code for code, detail in suspicious_columns(frame, np.asarray(truth), classes)}


def test_a_quantity_in_disguise(rng):
    y = rng.normal(size=800)
    found = codes(
        {
            "copy": 3 - 2 * y,
            "ranks": np.exp(y),
            "near": y + 0.05 * rng.normal(size=800),
            "honest": y + rng.normal(size=800),
            "noise": rng.normal(size=800),
            "band": np.floor(40 * y).astype(int).astype(str).tolist(),
        },
        y,
    )
    assert found == {"copy": "TARGET-IN-DISGUISE", "ranks": "TARGET-IN-DISGUISE", "near": "LEAK"}


def test_a_curve_gives_the_target_away_too(rng):
    x = rng.uniform(-2, 2, size=3000)
    assert codes({"x": x}, x**2 + 0.02 * rng.normal(size=3000)) == {"x": "LEAK"}


def test_two_classes(rng):
    y = rng.integers(0, 2, size=500)
    found = codes(
        {
            "code": 5 - 3 * y,
            "word": np.where(y == 1, "yes", "no").tolist(),
            "score": y + 0.25 * rng.normal(size=500),
            "honest": y + rng.normal(size=500),
            "colour": rng.choice(["a", "b"], size=500).tolist(),
            "person": [f"p{k}" for k in range(500)],
        },
        y,
        np.array([0, 1]),
    )
    assert found == {"code": "TARGET-IN-DISGUISE", "word": "TARGET-IN-DISGUISE", "score": "LEAK"}


def test_many_classes(rng):
    y = rng.integers(0, 4, size=600)
    spoiled = y.copy()
    spoiled[0] = (y[0] + 1) % 4
    found = codes({"code": 10 * y, "almost": spoiled, "half": y // 2}, y, np.arange(4))
    assert found == {"code": "TARGET-IN-DISGUISE", "almost": "LEAK"}


@pytest.mark.parametrize("n", [15, 30_000])
def test_short_and_long_tables(n, rng):
    y = rng.normal(size=n)
    found = codes({"copy": y, "noise": rng.normal(size=n)}, y)
    assert found == ({} if n < 20 else {"copy": "TARGET-IN-DISGUISE"})
