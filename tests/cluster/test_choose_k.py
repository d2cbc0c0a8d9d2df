"""All indices in one table."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import make_blobs

from statlearn.cluster import CHOOSE_K_INDICES, KMeans, choose_k, gap_statistic, prediction_strength, silhouette_score
from tests.helpers import assert_close

QUICK = dict(n_refs=4, n_splits=2, n_boot=4, estimator=KMeans(n_init=2))


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)[0]


def test_all_indices_see_three_blobs(blobs):
    seen = []
    found = choose_k(blobs, range(1, 6), random_state=0, progress=lambda *done: seen.append(done), **QUICK)
    assert found.n_clusters == 3
    assert set(found.choices) == set(CHOOSE_K_INDICES)
    assert {found.choices[name] for name in ("silhouette", "gap", "prediction_strength", "within")} == {3}
    assert seen[-1][0] == seen[-1][1] == len(seen)
    labels = found.labels[3]
    assert_close(found.table["silhouette"][2], silhouette_score(blobs, labels))
    assert_close(found.table["calinski_harabasz"][2], metrics.calinski_harabasz_score(blobs, labels))
    assert_close(found.table["davies_bouldin"][2], metrics.davies_bouldin_score(blobs, labels))
    assert np.isnan(found.table["silhouette"][0])
    np.testing.assert_array_equal(found.models[3].labels_, labels)


def test_columns_match_the_single_tools(blobs):
    found = choose_k(blobs, range(1, 5), random_state=3, **QUICK)
    gap = gap_statistic(blobs, range(1, 5), n_refs=4, estimator=KMeans(n_init=2), random_state=3)
    strength = prediction_strength(blobs, range(1, 5), n_splits=2, estimator=KMeans(n_init=2), random_state=3)
    assert_close(found.table["gap"], gap.gap)
    assert_close(found.table["gap_error"], gap.std_error)
    assert_close(found.table["prediction_strength"], strength.strength)


def test_table_and_figure(blobs):
    found = choose_k(blobs, range(1, 5), indices=("silhouette", "gap", "within"), random_state=0, **QUICK)
    text = str(found)
    assert "Number of clusters: 3" in text
    assert "3 *" in text
    assert "k by gap statistic" in text
    frame = found.to_frame()
    assert list(frame.index) == [1, 2, 3, 4]
    assert_close(frame["gap"].to_numpy(), found.table["gap"])
    assert "<table>" in found._repr_html_()
    figure = found.plot()
    assert len(figure.axes) == 3
    assert all(ax.has_data() for ax in figure.axes)


def test_a_large_table_is_measured_by_a_sample(blobs):
    found = choose_k(blobs, [2, 3], indices=["silhouette"], silhouette_sample=40, random_state=0, **QUICK)
    whole = choose_k(blobs, [2, 3], indices=["silhouette"], random_state=0, **QUICK)
    assert np.abs(found.table["silhouette"] - whole.table["silhouette"]).max() < 0.1
    assert (found.table["silhouette"] != whole.table["silhouette"]).all()


def test_bad_arguments_raise(blobs):
    with pytest.raises(ValueError, match="indices"):
        choose_k(blobs, [2], indices=["nonsense"])
    with pytest.raises(ValueError, match="indices"):
        choose_k(blobs, [2], indices=[])
    with pytest.raises(ValueError, match="consecutive"):
        choose_k(blobs, [2, 4])
    with pytest.raises(ValueError, match="each half of the rows"):
        choose_k(blobs[:9], [5, 6])
