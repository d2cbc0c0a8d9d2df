"""The spectrum of graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs

from statlearn.cluster import eigengap, similarity_graph
from tests.cluster.test_spectral import laplacian
from tests.helpers import assert_close


def _dense(W):
    return W.toarray() if sparse.issparse(W) else W


@pytest.mark.spec("CLU-16", "CLU-P12")
@given(st.integers(1, 5), st.integers(0, 1000), st.sampled_from(["sym", "rw", "unnormalized"]), st.booleans())
def test_zero_eigenvalues_count_the_components(n_components, seed, kind, dense):
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(n_components):
        size = int(rng.integers(1, 12))
        W = rng.uniform(0.2, 1.0, size=(size, size))
        blocks.append(W + W.T)
    W = sparse.block_diag(blocks, format="csr")
    W = W.toarray() if dense else W
    found = eigengap(W, n_eigenvalues=8, laplacian=kind)
    assert found.n_zero == n_components
    assert_close(found.eigenvalues, np.sort(np.linalg.eigvals(laplacian(_dense(W), kind)).real)[:8], atol=1e-8)


def test_eigengap_counts_clusters_that_are_nearly_apart():
    X, _ = make_blobs(150, 2, centers=[[0, 0], [4, 0], [0, 4]], cluster_std=0.5, random_state=0)
    found = eigengap(similarity_graph(X, gamma=0.5))
    assert found.n_clusters == 3
    assert found.n_zero == 1
    assert_close(found.gaps, np.diff(found.eigenvalues))
