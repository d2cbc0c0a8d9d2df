"""Pictures of partitions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from statlearn.cluster import (
    KMeans,
    cluster_heatmap,
    eigengap,
    silhouette_plot,
    silhouette_samples,
    similarity_graph,
    voronoi_plot,
)
from tests.cluster.countries import NAMES, countries
from tests.helpers import assert_close


@pytest.mark.spec("CLU-26")
def test_heat_map_puts_clusters_together():
    labels = np.array([0, 1, 2, 2, 0, 0, 1, 0, 0, 2, 2, 1])
    ax = cluster_heatmap(countries(), labels, names=NAMES)
    np.testing.assert_array_equal(np.sort(labels), labels[ax.order])
    shown = ax.images[0].get_array()
    assert_close(shown, countries()[np.ix_(ax.order, ax.order)])
    assert [t.get_text() for t in ax.get_yticklabels()] == [NAMES[i] for i in ax.order]
    assert len(ax.patches) == 3


def test_heat_map_in_the_order_of_a_hierarchy():
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    merges = linkage(squareform(countries()), "average")
    np.testing.assert_array_equal(cluster_heatmap(countries(), order=merges).order, leaves_list(merges))
    np.testing.assert_array_equal(cluster_heatmap(countries(), order=np.arange(12)[::-1]).order, np.arange(12)[::-1])


def test_large_heat_maps_are_averaged():
    x = np.arange(2500.0)
    shown = cluster_heatmap(np.abs(x[:, None] - x), order=np.arange(2500)).images[0].get_array()
    assert shown.shape == (834, 834)
    assert_close(shown[0, 5], 15.0)


def test_invalid_heat_map_input_raises():
    with pytest.raises(ValueError, match="square"):
        cluster_heatmap(np.ones((3, 2)), [0, 1, 1])
    with pytest.raises(ValueError, match="`labels` or `order`"):
        cluster_heatmap(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="each of the 3 rows exactly once"):
        cluster_heatmap(np.zeros((3, 3)), order=[0, 0, 1])


@pytest.mark.spec("CLU-27")
def test_voronoi_cells_and_silhouettes():
    X, _ = make_blobs(60, centers=[[0, 0], [6, 0], [0, 6]], random_state=0)
    model = KMeans(3, random_state=0).fit(X)
    ax = voronoi_plot(model, X, resolution=40)
    cells = ax.collections[0].get_array().reshape(40, 40)
    low, high = X.min(axis=0), X.max(axis=0)
    assert len(np.unique(cells)) == 3
    corner = model.predict([[low[0], low[1]]])[0]
    assert cells[2, 2] == corner
    assert_close(ax.lines[0].get_xydata(), model.cluster_centers_)
    axes = silhouette_plot(X, model.labels_)
    assert len(axes) == 2
    assert f"{silhouette_samples(X, model.labels_).mean():.3f}" in axes[0].get_title(loc="left")
    assert sum(len(line.get_xydata()) for line in axes[1].lines) == 60
    assert high[0] > low[0]


def test_centres_alone_and_wrong_dimensions():
    ax = voronoi_plot([[0.0, 0.0], [2.0, 0.0]], resolution=21)
    cells = ax.collections[0].get_array().reshape(21, 21)
    assert (cells[:, :10] == 0).all()
    assert (cells[:, 11:] == 1).all()
    with pytest.raises(ValueError, match="two columns"):
        voronoi_plot([[0.0, 0.0, 1.0]])


def test_silhouettes_of_distances_stand_alone():
    axes = silhouette_plot(countries(), [0, 1, 2, 2, 0, 0, 1, 0, 0, 2, 2, 1], metric="precomputed")
    assert len(axes) == 1
    assert [t.get_text()[0] for t in axes[0].get_yticklabels()] == ["0", "1", "2"]


def test_spectrum_shows_every_eigenvalue():
    ax = eigengap(similarity_graph(np.arange(12.0)[:, None]), n_eigenvalues=6).plot()
    assert len(ax.lines[0].get_xydata()) == 6


def test_silhouettes_of_a_fitted_clusterer_and_names_of_columns():
    X = pd.DataFrame({"width": [0.0, 0.1, 5.0, 5.1], "height": [0.0, 1.0, 5.0, 6.0], "depth": 0.0})
    model = KMeans(2, random_state=0).fit(X)
    axes = silhouette_plot(X, model, columns=(1, 0))
    assert (axes[1].get_xlabel(), axes[1].get_ylabel()) == ("height", "width")
    direct = silhouette_plot(X, model.labels_)
    assert axes[0].get_title(loc="left") == direct[0].get_title(loc="left")
    with pytest.raises(NotFittedError):
        silhouette_plot(X, KMeans(2))
