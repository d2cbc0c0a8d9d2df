"""Pictures of self-organising maps."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from statlearn.cluster import SelfOrganizingMap
from statlearn.plot import som_plot
from tests.helpers import assert_close


@pytest.mark.spec("CRS-75")
@pytest.mark.parametrize("topology", ["rect", "hex"])
def test_pictures_show_the_map(topology, rng):
    X = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    y = np.repeat(["u", "v"], 25)
    som = SelfOrganizingMap((4, 3), topology=topology).fit(X)
    cells = som_plot(som).collections[0]
    assert_close(cells.get_array(), som.u_matrix().ravel())
    plane = som_plot(som, kind="component", column="b").collections[0]
    assert_close(plane.get_array(), som.prototypes_[:, 1])
    rows = som_plot(som, X, y).collections[1:]
    assert [len(points.get_offsets()) for points in rows] == [25, 25]
    places = np.vstack([points.get_offsets() for points in rows])
    assert np.linalg.norm(places - som.transform(X), axis=1).max() < 0.4
    net = som_plot(som, X, kind="net", columns=("a", "c"))
    assert_close(net.lines[0].get_xydata(), som.prototypes_[:, [0, 2]])
    edges = 4 * 2 + 3 * 3 if topology == "rect" else 4 * 2 + 3 * 5
    assert len(net.collections[1].get_segments()) == edges
    plt.close("all")


def test_bad_arguments_are_named(rng):
    som = SelfOrganizingMap((2, 2)).fit(rng.normal(size=(9, 2)))
    with pytest.raises(ValueError, match="`kind` must be"):
        som_plot(som, kind="map")
    with pytest.raises(ValueError, match="`kind`='rows' requires `X`"):
        som_plot(som, kind="rows")
    with pytest.raises(ValueError, match="`column` must be a column name or a number below 2"):
        som_plot(som, kind="component", column=2)
    plt.close("all")
