"""Variational Gaussian mixtures against scikit-learn's."""

import numpy as np
import pytest
from sklearn.mixture import BayesianGaussianMixture as Peer

from statlearn.mixture import BayesianGaussianMixture
from statlearn.mixture._normal import COVARIANCE_TYPES
from tests.helpers import assert_close


def blobs(rng, n=240):
    centres = np.array([[0.0, 0.0], [6.0, 1.0], [-2.0, 7.0]])
    return centres[np.arange(n) % 3] + rng.normal(size=(n, 2)) @ [[1.0, 0.4], [0.0, 0.8]]


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
@pytest.mark.parametrize("prior", ["dirichlet_process", "dirichlet_distribution"])
def test_same_start_same_fit_as_scikit_learn(kind, prior, rng):
    X = blobs(rng)
    settings = dict(
        n_components=5,
        covariance_type=kind,
        weight_concentration_prior_type=prior,
        init_params="random",
        random_state=0,
        max_iter=2000,
        tol=1e-4,
    )
    ours, theirs = BayesianGaussianMixture(**settings).fit(X), Peer(**settings).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    names = ["weights_", "means_", "covariances_", "precisions_cholesky_", "mean_precision_", "degrees_of_freedom_"]
    names += ["mean_prior_", "covariance_prior_"]
    for name in names:
        assert_close(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-6, err_msg=name)
    assert_close(ours.lower_bounds_, np.ravel(theirs.lower_bounds_), rtol=1e-7)
    assert_close(np.asarray(ours.weight_concentration_), np.asarray(theirs.weight_concentration_), rtol=1e-5)
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert_close(ours.score_samples(X), theirs.score_samples(X), rtol=1e-5)
    assert np.all(np.diff(ours.lower_bound_history_) > -1e-6)


def test_superfluous_components_are_emptied(rng):
    X = blobs(rng)
    model = BayesianGaussianMixture(
        n_components=8, weight_concentration_prior=1e-3, random_state=0, max_iter=3000, tol=1e-5
    ).fit(X)
    assert np.sum(model.weights_ > 0.02) == 3
    assert_close(model.weights_.sum(), 1.0)


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_weights_are_copies(kind, rng):
    X = blobs(rng, n=60)
    weights = rng.integers(0, 4, size=60)
    settings = dict(n_components=1, covariance_type=kind, tol=1e-10, max_iter=500)
    a = BayesianGaussianMixture(**settings).fit(X, sample_weight=weights)
    b = BayesianGaussianMixture(**settings).fit(np.repeat(X, weights, axis=0))
    assert_close(a.means_, b.means_)
    assert_close(a.covariances_, b.covariances_)
    assert_close(a.covariance_prior_, b.covariance_prior_)


def test_priors_are_checked(rng):
    X = blobs(rng, n=30)
    for settings, message in [
        (dict(mean_prior=[0.0]), "'means' should have the shape"),
        (dict(degrees_of_freedom_prior=0.5), "should be greater than 1"),
        (dict(covariance_prior=np.ones(3)), "full covariance_prior"),
        (dict(covariance_prior=-np.eye(2)), "positive-definite"),
        (dict(covariance_type="spherical", covariance_prior=[1.0, 2.0]), "should be a number"),
    ]:
        with pytest.raises(ValueError, match=message):
            BayesianGaussianMixture(**settings).fit(X)


def test_sample_and_condition(rng):
    model = BayesianGaussianMixture(n_components=2, random_state=0).fit(blobs(rng))
    assert model.sample(10)[0].shape == (10, 2)
    assert model.marginal([1]).score_samples([[0.0]]).shape == (1,)
    assert model.condition([0], [1.0]).predict([[0.5]]).shape == (1,)
