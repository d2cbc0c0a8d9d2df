"""Affinity propagation."""

import numpy as np
import pytest
from sklearn import cluster as theirs
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn._core.native import cluster as native
from statlearn.cluster import AffinityPropagation, affinity_propagation
from tests.cluster.countries import NAMES, countries
from tests.helpers import assert_close


def messages(S, sweeps, damping):
    """The updates as they are printed, element by element."""
    n = len(S)
    R, A = np.zeros((n, n)), np.zeros((n, n))
    for _ in range(sweeps):
        both = A + S
        fresh = np.array([[S[i, k] - np.delete(both[i], k).max() for k in range(n)] for i in range(n)])
        R = damping * R + (1 - damping) * fresh
        positive = np.maximum(R, 0)
        fresh = np.empty((n, n))
        for i in range(n):
            for k in range(n):
                others = sum(positive[j, k] for j in range(n) if j not in (i, k))
                fresh[i, k] = others if i == k else min(0, R[k, k] + others)
        A = damping * A + (1 - damping) * fresh
    return R, A


@pytest.mark.parametrize("damping", [0.5, 0.8])
def test_messages_match_the_formula(damping, rng):
    S = -rng.uniform(size=(70, 70))[:9, :9]
    R, A, exemplar = np.zeros((9, 9)), np.zeros((9, 9)), np.zeros(9, dtype=np.uint8)
    native.affinity_propagation(S, damping, 6, 100, R, A, exemplar)
    expected = messages(S, 6, damping)
    assert_close(R, expected[0])
    assert_close(A, expected[1])
    np.testing.assert_array_equal(exemplar, np.diag(R + A) > 0)


@pytest.mark.parametrize("n, p", [(30, 2), (150, 4)])
def test_agrees_with_scikit_learn(n, p):
    X, _ = make_blobs(n, p, centers=3, random_state=0)
    ours = AffinityPropagation(preference=-60, random_state=0).fit(X)
    other = theirs.AffinityPropagation(preference=-60, random_state=0).fit(X)
    np.testing.assert_array_equal(ours.labels_, other.labels_)
    np.testing.assert_array_equal(ours.cluster_centers_indices_, other.cluster_centers_indices_)
    assert ours.n_iter_ == other.n_iter_
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))


def test_exemplars_of_the_countries():
    centers, labels, n_iter = affinity_propagation(-countries(), random_state=0, return_n_iter=True)
    expected = theirs.affinity_propagation(-countries(), random_state=0, return_n_iter=True)
    np.testing.assert_array_equal(centers, expected[0])
    np.testing.assert_array_equal(labels, expected[1])
    assert n_iter == expected[2]
    assert {NAMES[i] for i in centers} >= {"USA", "CUB"}


def test_a_higher_preference_gives_more_clusters():
    X, _ = make_blobs(60, 2, centers=3, random_state=0)
    sizes = [
        len(AffinityPropagation(preference=p, random_state=0, damping=0.7).fit(X).cluster_centers_) for p in (-400, -5)
    ]
    assert sizes[0] < sizes[1]


def test_threads_give_the_same_bits():
    X, _ = make_blobs(200, 2, random_state=0)
    with statlearn.threads(1):
        one = AffinityPropagation(random_state=0).fit(X)
    with statlearn.threads(3):
        two = AffinityPropagation(random_state=0).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.n_iter_ == two.n_iter_


def test_no_agreement_is_reported_and_predicts_noise():
    X, _ = make_blobs(40, 2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="will not have any cluster centers"):
        model = AffinityPropagation(max_iter=1, random_state=0).fit(X)
    assert set(model.labels_) == {-1}
    with pytest.warns(ConvergenceWarning, match="Labeling every sample as '-1'"):
        assert set(model.predict(X)) == {-1}


def test_equal_similarities_are_reported():
    for preference, clusters in ((-10, 1), (10, 5)):
        with pytest.warns(UserWarning, match="mutually equal similarities"):
            model = AffinityPropagation(preference=preference, random_state=0).fit(np.ones((5, 2)))
        assert len(model.cluster_centers_indices_) == clusters


def test_given_similarities_are_not_modified():
    S = -countries()
    before = S.copy()
    AffinityPropagation(affinity="precomputed", random_state=0).fit(S)
    np.testing.assert_array_equal(S, before)
    with pytest.raises(ValueError, match="must be a square array"):
        AffinityPropagation(affinity="precomputed").fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="a single number or one per row"):
        AffinityPropagation(preference=[1.0, 2.0]).fit(np.ones((3, 2)))


def test_distances_that_overflow_raise(rng):
    with pytest.raises(ValueError, match="X, y, sample_weight or parameters are so large"):
        AffinityPropagation().fit(1e200 * rng.normal(size=(5, 2)))


def test_a_refit_to_similarities_does_not_predict_with_earlier_centres():
    X = make_blobs(30, centers=3, random_state=0)[0]
    model = AffinityPropagation(random_state=0).fit(X)
    model.set_params(affinity="precomputed").fit(-((X[:, None] - X) ** 2).sum(axis=2))
    with pytest.raises(ValueError, match="precomputed"):
        model.predict(np.zeros((1, 30)))
    assert not hasattr(model, "cluster_centers_")
