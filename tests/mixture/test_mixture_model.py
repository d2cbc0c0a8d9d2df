"""Mixtures of any family."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import bernoulli, expon, norm, poisson
from sklearn.neighbors import KernelDensity

from statlearn.mixture import (
    BernoulliComponent,
    CategoricalComponent,
    ExponentialComponent,
    GaussianComponent,
    GaussianMixture,
    LatentClassModel,
    MixtureModel,
    PoissonComponent,
)
from tests.helpers import assert_close


@pytest.mark.spec("MIX-08")
def test_gaussian_components_are_a_gaussian_mixture(rng):
    X = np.concatenate([rng.normal(0, 1, (80, 2)), rng.normal(4, 1.5, (60, 2))])
    general = MixtureModel("gaussian", n_components=2, random_state=0, tol=1e-10, max_iter=5000).fit(X)
    special = GaussianMixture(2, random_state=0, tol=1e-10, max_iter=5000).fit(X)
    assert_close(general.log_likelihood_, special.log_likelihood_)
    order = np.argsort([c.mean_[0] for c in general.components_])
    means = np.array([c.mean_ for c in general.components_])[order]
    assert_close(means, special.means_[special.means_[:, 0].argsort()], rtol=1e-3)
    assert_close(general.bic(X), special.bic(X))


@pytest.mark.spec("MIX-08")
def test_poisson_components_maximise_the_likelihood(rng):
    x = np.concatenate([rng.poisson(2, 150), rng.poisson(12, 100)])[:, None].astype(float)
    model = MixtureModel("poisson", n_components=2, random_state=0, tol=1e-12, max_iter=20_000).fit(x)

    def loglik(share, rates):
        return logsumexp(np.log([share, 1 - share]) + poisson.logpmf(x, rates), axis=1).sum()

    rates = np.array([c.mean_[0] for c in model.components_])
    best = loglik(model.weights_[0], rates)
    assert_close(best, model.log_likelihood_)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-7)
    for shift in 0.05 * rng.normal(size=(6, 3)):
        assert loglik(model.weights_[0] + 0.2 * shift[0], rates + shift[1:]) < best
    assert model._n_parameters() == 3


@pytest.mark.spec("MIX-08")
def test_bernoulli_and_categorical_components_are_latent_classes(rng):
    y = rng.integers(0, 2, size=300)
    X = (rng.random((300, 4)) < np.where(y[:, None] == 1, 0.8, 0.25)).astype(float)
    classes = LatentClassModel(2, random_state=0, tol=1e-11, max_iter=20_000).fit(X)
    for family in ("bernoulli", "categorical"):
        model = MixtureModel(family, n_components=2, random_state=0, tol=1e-11, max_iter=20_000, n_init=3).fit(X)
        assert_close(model.log_likelihood_, classes.log_likelihood_, rtol=1e-7)
        assert model._n_parameters() == classes._n_parameters()


@pytest.mark.spec("MIX-08")
def test_families_mix(rng):
    """Waiting times with a normal bump: an exponential and a normal component."""
    x = np.concatenate([rng.exponential(2.0, 300), rng.normal(12, 0.5, 100)])[:, None]
    model = MixtureModel(
        [ExponentialComponent(), GaussianComponent()], random_state=0, init_params="kmeans", n_init=4
    ).fit(x)
    exponential, normal = model.components_
    assert_close(model.weights_, [0.75, 0.25], atol=0.03)
    assert_close(normal.mean_, [12.0], atol=0.2)
    assert_close(exponential.mean_, [x[:300].mean()], rtol=0.05)
    X, y = model.sample(500)
    assert X.shape == (500, 1)
    assert np.all(X[y == 0] >= 0)
    assert_close(model.predict_proba(x).sum(axis=1), np.ones(400))


@pytest.mark.spec("MIX-08")
def test_a_users_own_family_and_density_estimators_take_part(rng):
    class Triangle:
        """Density 2 (1 - x / b) / b on (0, b): not a maximum likelihood fit, but a family."""

        def fit(self, X, sample_weight):
            made = Triangle()
            made.b = max(3.0 * np.average(X[:, 0], weights=sample_weight), X.max() + 1e-9)
            return made

        def logpdf(self, X):
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(
                    (X[:, 0] > 0) & (X[:, 0] < self.b), np.log(2 * (1 - X[:, 0] / self.b) / self.b), -np.inf
                )

    x = np.concatenate([rng.triangular(0, 0, 3, 200), rng.normal(2.5, 0.1, 100)])[:, None]
    x = x[(x > 0).ravel()]
    model = MixtureModel([Triangle(), GaussianComponent()], random_state=0).fit(x)
    assert model.score(x) > norm.logpdf(x, x.mean(), x.std()).mean()
    mixed = MixtureModel([KernelDensity(bandwidth=0.3), GaussianComponent()], max_iter=5, tol=0.5, random_state=0).fit(
        x
    )
    assert np.isfinite(mixed.score(x))


@pytest.mark.parametrize(
    "component, X, density",
    [
        (
            PoissonComponent(),
            [[1.0, 4.0], [3.0, 0.0]],
            lambda X, w: poisson.logpmf(X, np.average(X, axis=0, weights=w)),
        ),
        (
            ExponentialComponent(),
            [[1.0, 4.0], [3.0, 0.5]],
            lambda X, w: expon.logpdf(X, scale=np.average(X, axis=0, weights=w)),
        ),
        (
            BernoulliComponent(),
            [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]],
            lambda X, w: bernoulli.logpmf(X, np.average(X, axis=0, weights=w)),
        ),
    ],
)
def test_components_are_fitted_by_weighted_means(component, X, density):
    X = np.array(X)
    weights = np.arange(1.0, len(X) + 1)
    fitted = component.fit(X, weights)
    assert_close(fitted.logpdf(X), density(X, weights).sum(axis=1))
    assert not hasattr(component, "mean_")
    assert fitted.sample(5, np.random.RandomState(0)).shape == (5, 2)
    assert fitted.logpdf(np.array([[-1.0, -1.0]]))[0] == -np.inf


@pytest.mark.spec("MIX-08")
def test_bad_components_and_data_raise(rng):
    X = rng.normal(size=(20, 1))
    for make, message in [
        (lambda: MixtureModel([]).fit(X), "must not be empty"),
        (lambda: MixtureModel([object()]).fit(X), "must have the methods fit and logpdf"),
        (lambda: MixtureModel([GaussianComponent]).fit(X), "must have the methods fit and logpdf"),
        (lambda: MixtureModel([GaussianComponent()], n_components=2).fit(X), "does not match the 1 entries"),
        (lambda: MixtureModel("poisson").fit(X), "Poisson component requires non-negative integers"),
        (lambda: MixtureModel("exponential").fit(X), "exponential component requires"),
        (lambda: MixtureModel("bernoulli").fit(X), "zeros and ones"),
        (lambda: MixtureModel([CategoricalComponent(2)]).fit(np.array([[0.0], [5.0]])), "less than n_categories"),
        (lambda: MixtureModel([CategoricalComponent()]).fit(np.array([[0.0], [1e15]])), "category code 1e\\+15"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
