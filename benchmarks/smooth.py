"""Smoothers. R's packages are the yardstick; the quality is the criterion they minimise."""

import numpy as np

from benchmarks.case import Case, R


class mars(Case):
    """Adaptive regression splines with interactions, 41 terms of the forward pass."""

    size, quick = dict(n=20_000, p=10), dict(n=300, p=5)
    grow = dict(n=[5_000, 20_000, 80_000, 320_000], p=[5, 10, 20, 40])
    goal = dict(earth=2)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(n, p))
        mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        return dict(X=X, y=mean + rng.normal(size=n))

    def quality(fit, X, y):
        return dict(gcv=float(np.ravel(fit.gcv)[0]), terms=float(np.ravel(fit.terms)[0]))

    def statlearn(X, y):
        from statlearn.smooth import MARS

        m = MARS(2, max_terms=41, threshold=0).fit(X, y)
        return dict(gcv=m.gcv_, terms=len(m.forward_terms_))

    earth = R(
        """
        fit <- earth(X, y, degree = 2, nk = 41, thresh = 0)
        list(gcv = fit$gcv, terms = nrow(fit$dirs))""",
        library="earth",
    )
