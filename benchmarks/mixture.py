"""Mixtures, from the same start and for the same number of EM steps: the likelihood must be the same."""

import numpy as np

from benchmarks.case import Case, R


def _overlapping(n, p, k, seed=0):
    """Normal components with covariances of their own that overlap, and a start near them."""
    rng = np.random.default_rng(seed)
    centres = 2.0 * rng.normal(size=(k, p))
    parts = [rng.normal(size=(n // k, p)) @ (rng.normal(size=(p, p)) / 2) + c for c in centres]
    X = np.vstack(parts)
    return X[rng.permutation(len(X))], centres + 0.5 * rng.normal(size=centres.shape)


def _log_likelihood(X, weights, means, covariances):
    from scipy.special import logsumexp
    from scipy.stats import multivariate_normal

    joint = [np.log(w) + multivariate_normal(m, s).logpdf(X) for w, m, s in zip(weights, means, covariances)]
    return float(logsumexp(joint, axis=0).mean())


class gaussian_mixture(Case):
    """Full covariances, 20 EM steps."""

    size, quick = dict(n=100_000, p=10, k=10), dict(n=500, p=3, k=2)
    grow = dict(n=[50_000, 200_000, 800_000], p=[5, 10, 20, 40], k=[5, 10, 20])
    goal = dict(sklearn=3, mclust=3)
    steps = 20

    def data(n, p, k):
        X, start = _overlapping(n, p, k)
        return dict(X=X, start=start, steps=20)

    def quality(fit, X, start, steps):
        found = _log_likelihood(X[:5000], np.ravel(fit.weights), fit.means, fit.covariances)
        return {"objective": -found}

    def statlearn(X, start, steps):
        from statlearn.mixture import GaussianMixture

        k, p = start.shape
        m = GaussianMixture(
            k,
            means_init=start,
            weights_init=np.full(k, 1 / k),
            precisions_init=np.stack([np.eye(p)] * k),
            max_iter=steps,
            tol=0.0,
        ).fit(X)
        return dict(weights=m.weights_, means=m.means_, covariances=m.covariances_)

    def sklearn(X, start, steps):
        import warnings

        from sklearn.mixture import GaussianMixture

        k, p = start.shape
        m = GaussianMixture(
            k,
            means_init=start,
            weights_init=np.full(k, 1 / k),
            precisions_init=np.stack([np.eye(p)] * k),
            max_iter=steps,
            tol=0.0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m.fit(X)
        return dict(weights=m.weights_, means=m.means_, covariances=m.covariances_)

    mclust = R(
        "{k <- nrow(start); p <- ncol(start); "
        "pars <- list(pro = rep(1 / k, k), mean = t(start), variance = list(modelName = 'VVV', d = p, G = k, "
        "sigma = array(diag(p), c(p, p, k)), cholsigma = array(diag(p), c(p, p, k)))); "
        "f <- em(X, 'VVV', parameters = pars, control = emControl(itmax = steps, tol = c(0, 0))); "
        "list(weights = f$parameters$pro, means = t(f$parameters$mean), "
        "covariances = aperm(f$parameters$variance$sigma, c(3, 1, 2)))}",
        library="mclust",
    )


class diagonal_mixture(gaussian_mixture):
    """Diagonal covariances, 20 EM steps."""

    goal = dict(sklearn=3)
    mclust = None

    def quality(fit, X, start, steps):
        full = np.stack([np.diag(c) for c in fit.covariances])
        return {"objective": -_log_likelihood(X[:5000], fit.weights, fit.means, full)}

    def statlearn(X, start, steps):
        from statlearn.mixture import GaussianMixture

        k, p = start.shape
        given = dict(means_init=start, weights_init=np.full(k, 1 / k), precisions_init=np.ones((k, p)))
        m = GaussianMixture(k, covariance_type="diag", max_iter=steps, tol=0.0, **given).fit(X)
        return dict(weights=m.weights_, means=m.means_, covariances=m.covariances_)

    def sklearn(X, start, steps):
        import warnings

        from sklearn.mixture import GaussianMixture

        k, p = start.shape
        given = dict(means_init=start, weights_init=np.full(k, 1 / k), precisions_init=np.ones((k, p)))
        m = GaussianMixture(k, covariance_type="diag", max_iter=steps, tol=0.0, **given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m.fit(X)
        return dict(weights=m.weights_, means=m.means_, covariances=m.covariances_)


class mixture_to_convergence(gaussian_mixture):
    """Full covariances to convergence (mean log-likelihood changes by less than 1e-6), plain and accelerated."""

    size, quick = dict(n=50_000, p=5, k=5), dict(n=500, p=3, k=2)
    goal = dict(sklearn=5)
    mclust = None

    def data(n, p, k):
        X, start = _overlapping(n, p, k, seed=1)
        return dict(X=X, start=start, steps=2000)

    def _fit(cls, X, start, steps, **settings):
        import warnings

        k, p = start.shape
        given = dict(means_init=start, weights_init=np.full(k, 1 / k), precisions_init=np.stack([np.eye(p)] * k))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = cls(k, max_iter=steps, tol=1e-6, **given, **settings).fit(X)
        return dict(weights=m.weights_, means=m.means_, covariances=m.covariances_)

    def statlearn(X, start, steps):
        from statlearn.mixture import GaussianMixture

        return mixture_to_convergence._fit(GaussianMixture, X, start, steps)

    def statlearn_squarem(X, start, steps):
        from statlearn.mixture import GaussianMixture

        return mixture_to_convergence._fit(GaussianMixture, X, start, steps, acceleration="squarem")

    def sklearn(X, start, steps):
        from sklearn.mixture import GaussianMixture

        return mixture_to_convergence._fit(GaussianMixture, X, start, steps)
