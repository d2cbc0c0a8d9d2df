"""Plots of canonical coordinates."""

import numpy as np
import pytest

from statlearn.discriminant import LinearDiscriminantAnalysis, canonical_plot
from tests.discriminant.tables import gaussians
from tests.helpers import assert_close


@pytest.mark.spec("DIS-11")
def test_rows_and_means_lie_where_transform_puts_them(rng):
    X, y = gaussians(rng, 90, 4, 4)
    model = LinearDiscriminantAnalysis().fit(X, y)
    ax = canonical_plot(model, X, y, components=(0, 2))
    Z = model.transform(X)[:, [0, 2]]
    for c, points in enumerate(ax.collections):
        assert_close(points.get_offsets(), Z[y == c])
    assert_close([line.get_xydata()[0] for line in ax.lines], [Z[y == c].mean(axis=0) for c in range(4)])
    # A circle holds 95 % of a Gaussian with unit covariance.
    draws = rng.normal(size=(100_000, 2))
    assert abs(np.mean(np.sum(draws**2, axis=1) < ax.patches[0].radius ** 2) - 0.95) < 0.004
    assert "canonical coordinate 3" in ax.get_ylabel()
    with pytest.raises(ValueError, match="must be two of the 3"):
        canonical_plot(model, X, y, components=(0, 3))


def test_two_classes_are_drawn_as_histograms(rng):
    X, y = gaussians(rng, 90, 4, 2)
    ax = canonical_plot(LinearDiscriminantAnalysis().fit(X, y), X, y)
    assert sum(bar.get_height() for bar in ax.patches) == 90


def test_many_classes_have_distinct_markers(rng):
    X, y = gaussians(rng, 200, 4, 12)
    ax = canonical_plot(LinearDiscriminantAnalysis().fit(X, y), X, y, coverage=None)
    looks = {(tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes()) for c in ax.collections}
    assert len(looks) == 12
