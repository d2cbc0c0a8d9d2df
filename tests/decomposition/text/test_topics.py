"""Latent Dirichlet allocation: scikit-learn's topics for the same seed, the bound, recovery of known topics."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln, psi
from sklearn.decomposition import LatentDirichletAllocation as Reference

from statlearn._core.native import decomposition as native
from statlearn.decomposition import LatentDirichletAllocation
from tests.helpers import assert_close


def documents(rng, n=60, words=30, k=3, length=80):
    topics = rng.dirichlet(np.full(words, 0.1), size=k)
    shares = rng.dirichlet(np.full(k, 0.3), size=n)
    counts = np.array([rng.multinomial(length, share @ topics) for share in shares])
    return counts, topics, shares


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("method", ["batch", "online"])
def test_topics_equal_those_of_scikit_learn_for_the_same_seed(rng, method, as_sparse):
    X, _, _ = documents(rng)
    X = sparse.csr_matrix(X) if as_sparse else X
    settings = dict(n_components=3, learning_method=method, batch_size=20, max_iter=4, random_state=0)
    ours, theirs = LatentDirichletAllocation(**settings).fit(X), Reference(**settings).fit(X)
    assert_close(ours.components_, theirs.components_, rtol=1e-6)
    assert_close(ours.transform(X), theirs.transform(X), rtol=1e-6)
    assert_close(ours.perplexity(X), theirs.perplexity(X), rtol=1e-7)
    assert_close(ours.score(X), theirs.score(X), rtol=1e-7)
    assert_close(ours.bound_, theirs.bound_, rtol=1e-3)  # scikit-learn's comes from another start of the documents
    assert ours.n_batch_iter_ == theirs.n_batch_iter_


def test_perplexity_stops_the_passes_as_in_scikit_learn(rng):
    X, _, _ = documents(rng)
    settings = dict(n_components=3, evaluate_every=1, max_iter=50, perp_tol=0.2, random_state=1)
    assert LatentDirichletAllocation(**settings).fit(X).n_iter_ < 50


def test_batches_of_a_stream_learn_the_same_topics_as_one_call(rng):
    X, topics, _ = documents(rng, n=400)
    settings = dict(n_components=3, batch_size=20, total_samples=400, topic_word_prior=0.1, random_state=0)
    whole, parts = LatentDirichletAllocation(**settings).partial_fit(X), LatentDirichletAllocation(**settings)
    for half in (X[:200], X[200:]):
        parts.partial_fit(half)
    np.testing.assert_array_equal(whole.components_, parts.components_)
    found = whole.components_ / whole.components_.sum(axis=1, keepdims=True)
    assert np.abs(found[:, None] - topics[None]).sum(axis=2).min(axis=1).max() < 0.5


def test_stream_continues_from_a_fit(rng):
    X, _, _ = documents(rng)
    model = LatentDirichletAllocation(3, total_samples=60, random_state=0).fit(X)
    before, steps = model.components_.copy(), model.n_batch_iter_
    model.partial_fit(X[:10])
    assert model.n_batch_iter_ == steps + 1
    assert 0 < np.abs(model.components_ - before).max() < before.max()


def test_updates_of_documents_are_a_fixed_point(rng):
    X, _, _ = documents(rng)
    model = LatentDirichletAllocation(3, mean_change_tol=1e-13, max_doc_update_iter=5000, random_state=0).fit(X)
    gamma = model.transform(X, normalize=False)
    theta = np.exp(psi(gamma) - psi(gamma.sum(axis=1, keepdims=True)))
    word = model.exp_dirichlet_component_
    again = model.doc_topic_prior_ + theta * ((X / (theta @ word)) @ word.T)
    assert_close(again, gamma, rtol=1e-8)


def test_statistics_of_words_are_their_expected_counts(rng):
    X, _, _ = documents(rng)
    word, theta = rng.uniform(0.1, 1.0, (30, 3)), rng.uniform(0.1, 1.0, (60, 3))
    A = sparse.csr_array(X.T.astype(float))
    stats = np.empty((30, 3))
    native.word_statistics(A.data, A.indices, A.indptr, word, theta, stats)
    assert_close(stats, word * ((X / (theta @ word.T)).T @ theta))
    assert_close(stats.sum(), X.sum())


def test_bound_is_the_documented_one_and_passes_raise_it(rng):
    X, _, _ = documents(rng)
    model = LatentDirichletAllocation(3, max_iter=1, random_state=0).fit(X)
    gamma, lam = model.transform(X, normalize=False), model.components_
    a, b = model.doc_topic_prior_, model.topic_word_prior_
    logs = [p - psi(g.sum(axis=1, keepdims=True)) for p, g in ((psi(gamma), gamma), (psi(lam), lam))]
    bound = np.sum(X * np.log(np.exp(logs[0]) @ np.exp(logs[1])))
    for prior, parameters, log in ((a, gamma, logs[0]), (b, lam, logs[1])):
        k = parameters.shape[1]
        for g, e in zip(parameters, log):
            prior_part = gammaln(k * prior) - k * gammaln(prior) + np.sum((prior - 1) * e)
            bound += prior_part - (gammaln(g.sum()) - gammaln(g).sum() + np.sum((g - 1) * e))
    assert_close(model.score(X), bound)
    assert LatentDirichletAllocation(3, max_iter=10, random_state=0).fit(X).score(X) > model.score(X)


def test_known_topics_are_recovered(rng):
    X, topics, _ = documents(rng, n=400)
    model = LatentDirichletAllocation(3, max_iter=40, topic_word_prior=0.1, random_state=0).fit(X)
    found = model.components_ / model.components_.sum(axis=1, keepdims=True)
    distance = np.abs(found[:, None] - topics[None]).sum(axis=2)
    assert sorted(distance.argmin(axis=1)) == [0, 1, 2]
    assert distance.min(axis=1).max() < 0.15


def test_documents_without_words_are_refused_and_single_ones_allowed(rng):
    X, _, _ = documents(rng)
    with pytest.raises(ValueError, match="at least one word"):
        LatentDirichletAllocation(2).fit(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="Negative values"):
        LatentDirichletAllocation(2).fit(-X)
    X[5] = 0
    shares = LatentDirichletAllocation(3, random_state=0).fit(X).transform(X)
    assert_close(shares[5], np.full(3, 1 / 3))


def test_progress_is_printed(rng, capsys):
    LatentDirichletAllocation(2, max_iter=3, evaluate_every=1, perp_tol=0, verbose=1).fit(documents(rng)[0])
    assert capsys.readouterr().out.count("perplexity") == 3
