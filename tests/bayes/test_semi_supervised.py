"""Naive Bayes with some labels."""

import numpy as np
import pytest
from scipy import sparse

from statlearn.bayes import BernoulliNB, GaussianNB, MultinomialNB, SemiSupervisedNB
from tests.helpers import assert_close


def documents(rng, n=60, words=8):
    """Counts of words of two topics, with two labelled documents of each."""
    topics = rng.dirichlet(np.full(words, 0.7), size=2)
    y = np.arange(n) % 2
    X = np.array([rng.multinomial(15, topics[c]) for c in y])
    return X, y, np.where(np.arange(n) < 4, y, -1)


@pytest.mark.spec("CRS-87")
@pytest.mark.parametrize("estimator", [GaussianNB(), MultinomialNB(), BernoulliNB()])
def test_all_labels_give_the_classifier_itself(estimator, rng):
    X, y, _ = documents(rng)
    model = SemiSupervisedNB(estimator).fit(X, y)
    assert_close(model.predict_proba(X), type(estimator)().fit(X, y).predict_proba(X))
    assert model.n_iter_ == 0
    np.testing.assert_array_equal(model.transduction_, y)


@pytest.mark.spec("CRS-87")
def test_fixed_point_is_the_closed_form_of_expected_counts(rng):
    X, _, partial = documents(rng)
    model = SemiSupervisedNB(MultinomialNB(alpha=1.0), unlabeled_weight=0.5, tol=1e-12, max_iter=2000).fit(X, partial)
    R = np.where((partial < 0)[:, None], model.label_distributions_ * 0.5, np.eye(2)[partial])
    counts = R.T @ X + 1.0
    assert_close(model.estimator_.feature_log_prob_, np.log(counts / counts.sum(axis=1, keepdims=True)), rtol=1e-8)
    assert_close(np.exp(model.estimator_.class_log_prior_), R.sum(axis=0) / R.sum(), rtol=1e-8)
    assert_close(model.label_distributions_[partial < 0], model.predict_proba(X[partial < 0]), rtol=1e-8)


@pytest.mark.spec("CRS-87")
def test_steps_never_lower_the_log_likelihood_without_a_prior(rng):
    X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(2, 1.5, (40, 2))])
    y = np.full(80, -1)
    y[[0, 1, 2, 40, 41, 42]] = [0, 0, 0, 1, 1, 1]
    model = SemiSupervisedNB(GaussianNB(var_smoothing=0.0), tol=1e-8, max_iter=1000).fit(X, y)
    values = model.log_likelihoods_
    assert len(values) == model.n_iter_ + 1 > 3
    assert np.all(np.diff(values) >= -1e-9 * np.abs(values[1:]))


@pytest.mark.spec("CRS-87")
def test_without_weight_unlabelled_rows_are_absent(rng):
    X, _, partial = documents(rng)
    model = SemiSupervisedNB(unlabeled_weight=0.0).fit(X, partial)
    alone = MultinomialNB().fit(X[:4], partial[:4])
    assert_close(model.predict_proba(X), alone.predict_proba(X))


def test_sparse_counts_and_copies_of_rows(rng):
    X, _, partial = documents(rng, n=30)
    model = SemiSupervisedNB().fit(X, partial)
    assert_close(SemiSupervisedNB().fit(sparse.csr_array(X), partial).predict_proba(X), model.predict_proba(X))
    copies = np.arange(30) % 3
    weighted = SemiSupervisedNB(tol=1e-9, max_iter=1000).fit(X, partial, sample_weight=copies)
    rows = np.repeat(np.arange(30), copies)
    repeated = SemiSupervisedNB(tol=1e-9, max_iter=1000).fit(X[rows], partial[rows])
    assert_close(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)


def test_invalid_input_warns_or_raises(rng):
    X, _, partial = documents(rng)
    with pytest.warns(match="max_iter"):
        SemiSupervisedNB(max_iter=1, tol=0.0).fit(X, partial)
    with pytest.raises(ValueError, match="must contain a label"):
        SemiSupervisedNB().fit(X, np.full(60, -1))
    with pytest.raises(ValueError, match="all labelled rows"):
        SemiSupervisedNB().fit(X, partial, sample_weight=partial < 0)
