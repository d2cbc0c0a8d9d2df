"""Agreement of two partitions."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn import cluster
from tests.helpers import assert_close

LABELS = st.lists(st.integers(0, 3), min_size=2, max_size=25)


@pytest.mark.spec("CLU-21", "CLU-T8")
def test_rand_of_four_rows():
    assert cluster.rand_score([0, 0, 1, 1], [0, 0, 1, 2]) == 5 / 6
    assert cluster.adjusted_rand_score([0, 0, 1, 1], [1, 1, 0, 0]) == 1.0


@pytest.mark.spec("CLU-P15")
@given(LABELS, st.randoms(use_true_random=False))
def test_rand_counts_pairs(a, random):
    b = [random.randrange(3) for _ in a]
    rand = cluster.rand_score(a, b)
    assert rand == cluster.rand_score(b, a)
    assert 0 <= rand <= 1
    pairs = [(i, j) for i in range(len(a)) for j in range(i)]
    agree = sum((a[i] == a[j]) == (b[i] == b[j]) for i, j in pairs)
    assert_close(rand, agree / comb(len(a), 2))
    table = cluster.pair_confusion_matrix(a, b)
    assert table.sum() == 2 * comb(len(a), 2)
    same = np.equal.outer(a, a) == np.equal.outer(b, b)
    assert (rand == 1) == same.all()


@given(LABELS)
def test_names_of_clusters_do_not_matter(a):
    renamed = [{0: "x", 1: "q", 2: "b", 3: "z"}[label] for label in a]
    for name in (
        "rand_score", "adjusted_rand_score", "adjusted_mutual_info_score", "normalized_mutual_info_score",
        "v_measure_score", "homogeneity_score", "completeness_score",
    ):  # fmt: skip
        assert_close(getattr(cluster, name)(a, renamed), 1.0)
    assert_close(cluster.mutual_info_score(a, renamed), cluster.mutual_info_score(a, a))
