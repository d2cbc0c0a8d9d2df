"""Regions denser than independence would make them."""

import numpy as np
import pandas as pd
import pytest

from statlearn.rules import GeneralizedRules


def table(rng, n=3000):
    """Two columns that rise together, a colour that goes with high values, and noise."""
    x = rng.uniform(size=n)
    y = np.clip(x + rng.normal(scale=0.1, size=n), 0, 1)
    colour = np.where(x > 0.7, rng.choice(["red", "blue"], n, p=[0.8, 0.2]), rng.choice(["green", "blue"], n))
    return pd.DataFrame({"x": x, "y": y, "colour": colour, "noise": rng.uniform(size=n)})


@pytest.mark.spec("RUL-14")
@pytest.mark.parametrize("method", ["tree", "prim"])
def test_dense_regions_are_found_and_measured_by_the_definition(method, rng):
    X = table(rng)
    model = GeneralizedRules(method=method, holdout=0.0, random_state=0).fit(X)
    best = model.regions_[0]
    assert best.ratio > 2
    inside = model.transform(X)
    for k, region in enumerate(model.regions_):
        assert region.support == pytest.approx(inside[:, k].mean())
        product = 1.0
        for name in X:
            tests = [c for c in region.rule.conditions if model._names[c.feature] == name]
            if tests:
                column = X[name].map({v: i for i, v in enumerate(model.levels_[2])}) if name == "colour" else X[name]
                product *= np.all([t.holds(column.to_numpy(float)) for t in tests], axis=0).mean()
        assert region.expected == pytest.approx(product)
    assert [r.ratio for r in model.regions_] == sorted((r.ratio for r in model.regions_), reverse=True)
    pair = GeneralizedRules(method=method, random_state=0).fit(X[["colour", "x"]]).regions_[0]
    assert "colour in {red}" in pair.text or "colour in {blue, red}" in pair.text
    assert pair.ratio > 2
    assert "ratio" in str(best)


@pytest.mark.spec("RUL-14")
def test_independent_columns_have_no_dense_region_on_held_out_rows(rng):
    X = rng.uniform(size=(6000, 3))
    model = GeneralizedRules(holdout=0.5, min_ratio=1.5, random_state=0).fit(X)
    assert model.regions_ == []
    assert model.transform(X[:2]).shape == (2, 0)


def test_new_levels_are_ignored_and_bad_input_raises(rng):
    X = table(rng, 500)
    model = GeneralizedRules(random_state=0).fit(X)
    new = X[:2].assign(colour="violet")
    assert model.transform(new).shape[0] == 2
    with pytest.raises(ValueError, match="column 'colour'"):
        model.fit(X.assign(colour=None))
    with pytest.raises(ValueError, match="n_samples=2"):
        GeneralizedRules(holdout=0.9).fit(X[:2])


@pytest.mark.spec("CRS-134")
def test_regions_print_one_per_line(rng):
    x = rng.normal(size=300)
    model = GeneralizedRules(min_ratio=0.0, random_state=0).fit(np.column_stack([x, x + 0.1 * rng.normal(size=300)]))
    regions = model.regions_
    assert len(regions) > 1
    assert repr(regions) == "\n".join(map(str, regions))
    frame = regions.to_frame()
    assert frame.columns.tolist() == ["region", "support", "expected", "ratio", "n_rows"]
    assert frame.ratio.tolist() == [region.ratio for region in regions]
