"""Gaussian processes: regression, classification, inducing points, nearest neighbours. Quality is likelihood."""

import numpy as np

from benchmarks.case import Case


def _regression(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = np.sin(6 * X[:, 0]) + X[:, 1 % p] ** 2 + X[:, 2 % p] * X[:, 3 % p] + 0.1 * rng.normal(size=n)
    return X, y


class gp_fit(Case):
    """Regression with a length scale per column and noise, fitted by marginal likelihood."""

    size, quick = dict(n=2000, p=5), dict(n=60)
    grow = dict(n=[250, 500, 1000, 2000])
    goal = dict(sklearn=6)
    accept = dict(loss=1e-3)

    def data(n, p):
        X, y = _regression(n, p)
        return dict(X=X, y=y)

    def quality(fit, X, y):
        from statlearn.gp import RBF, GaussianProcessRegressor, WhiteKernel

        model = GaussianProcessRegressor(1.0 * RBF(np.ones(X.shape[1])) + WhiteKernel(0.1)).fit(X, y)
        return dict(loss=float(model.log_marginal_likelihood_value_ - fit.value))

    def statlearn(X, y):
        from statlearn.gp import RBF, GaussianProcessRegressor, WhiteKernel

        model = GaussianProcessRegressor(1.0 * RBF(np.ones(X.shape[1])) + WhiteKernel(0.1)).fit(X, y)
        return dict(value=model.log_marginal_likelihood_value_)

    def sklearn(X, y):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, WhiteKernel

        model = GaussianProcessRegressor(1.0 * RBF(np.ones(X.shape[1])) + WhiteKernel(0.1)).fit(X, y)
        return dict(value=model.log_marginal_likelihood_value_)


class gp_predict(Case):
    """Mean and standard deviation of new rows, by a model with given hyper-parameters; its factor is included."""

    size, quick = dict(n=2000, p=5, m=10_000), dict(n=60, m=50)
    grow = dict(m=[1000, 3000, 10_000])
    goal = dict(sklearn=3)
    accept = dict(error=1e-6)

    def data(n, p, m):
        X, y = _regression(n, p)
        return dict(X=X, y=y, new=np.random.default_rng(1).random((m, p)))

    def quality(fit, X, y, new):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, WhiteKernel

        kernel = 1.0 * RBF(np.full(X.shape[1], 0.5)) + WhiteKernel(0.01)
        std = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y).predict(new[:50], return_std=True)[1]
        return dict(error=float(np.abs(std - fit.std).max()))

    def statlearn(X, y, new):
        from statlearn.gp import RBF, GaussianProcessRegressor, WhiteKernel

        kernel = 1.0 * RBF(np.full(X.shape[1], 0.5)) + WhiteKernel(0.01)
        return dict(
            std=GaussianProcessRegressor(kernel, optimizer=None).fit(X, y).predict(new, return_std=True)[1][:50]
        )

    def sklearn(X, y, new):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, WhiteKernel

        kernel = 1.0 * RBF(np.full(X.shape[1], 0.5)) + WhiteKernel(0.01)
        return dict(
            std=GaussianProcessRegressor(kernel, optimizer=None).fit(X, y).predict(new, return_std=True)[1][:50]
        )


class gp_classify(Case):
    """Classification with a length scale per column, fitted by Laplace's likelihood."""

    size, quick = dict(n=1000, p=5), dict(n=60)
    grow = dict(n=[250, 500, 1000])
    goal = dict(sklearn=5)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        return dict(X=X, y=np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n) > 0)

    def quality(fit, X, y):
        return dict(log_likelihood=float(fit.value))

    def statlearn(X, y):
        from statlearn.gp import RBF, GaussianProcessClassifier

        model = GaussianProcessClassifier(1.0 * RBF(np.ones(X.shape[1]))).fit(X, y)
        return dict(value=model.log_marginal_likelihood_value_)

    def sklearn(X, y):
        from sklearn.gaussian_process import GaussianProcessClassifier
        from sklearn.gaussian_process.kernels import RBF

        model = GaussianProcessClassifier(1.0 * RBF(np.ones(X.shape[1]))).fit(X, y)
        return dict(value=model.log_marginal_likelihood_value_)


class gp_vecchia(Case):
    """Matern 3/2 with noise by 20 nearest neighbours, fitted."""

    size, quick = dict(n=100_000), dict(n=300)
    grow = dict(n=[10_000, 100_000, 1_000_000])
    goal = dict(gpboost=1)

    def data(n):
        rng = np.random.default_rng(0)
        X = rng.random((n, 2))
        return dict(X=X, y=np.sin(20 * X[:, 0]) * np.cos(15 * X[:, 1]) + 0.2 * rng.normal(size=n))

    def quality(fit, X, y):
        return dict(noise=float(fit.noise))

    def statlearn(X, y):
        from statlearn.gp import Matern, VecchiaGaussianProcessRegressor, WhiteKernel

        kernel = 1.0 * Matern(0.2, nu=1.5) + WhiteKernel(0.1)
        model = VecchiaGaussianProcessRegressor(kernel, n_neighbors=20, random_state=0).fit(X, y)
        return dict(noise=np.exp(model.kernel_.theta[-1]))

    def gpboost(X, y):
        import gpboost

        model = gpboost.GPModel(
            gp_coords=X, cov_function="matern", cov_fct_shape=1.5, gp_approx="vecchia", num_neighbors=20, seed=0
        )
        model.fit(y=y)
        return dict(noise=float(np.ravel(model.get_cov_pars())[0]))


class gp_inducing(Case):
    """Inducing points: bound and gradient until convergence; GPyTorch: 50 steps of Adam on the same points."""

    size, quick = dict(n=100_000, m=500), dict(n=300, m=20)
    grow = dict(n=[10_000, 100_000], m=[100, 500])
    goal = dict(gpytorch=3)

    def data(n, m):
        rng = np.random.default_rng(0)
        X = rng.random((n, 3))
        y = np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)
        return dict(X=X, y=y, Z=X[rng.permutation(n)[:m]])

    def quality(fit, X, y, Z):
        return dict(noise=float(fit.noise))

    def statlearn(X, y, Z):
        from statlearn.gp import RBF, SparseGaussianProcessRegressor, WhiteKernel

        model = SparseGaussianProcessRegressor(1.0 * RBF(np.ones(3)) + WhiteKernel(0.1), inducing=Z).fit(X, y)
        return dict(noise=np.exp(model.kernel_.theta[-1]))

    def gpytorch(X, y, Z):
        import gpytorch
        import torch

        likelihood = gpytorch.likelihoods.GaussianLikelihood()
        inputs, targets = torch.as_tensor(X), torch.as_tensor(y)

        class Model(gpytorch.models.ExactGP):
            def __init__(self):
                super().__init__(inputs, targets, likelihood)
                self.mean_module = gpytorch.means.ZeroMean()
                base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=3))
                self.covar_module = gpytorch.kernels.InducingPointKernel(base, torch.as_tensor(Z), likelihood)

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        model = Model().double()
        likelihood.double()
        model.covar_module.inducing_points.requires_grad_(False)
        model.train()
        objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        adam = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.1)
        for _ in range(50):
            adam.zero_grad()
            loss = -objective(model(inputs), targets)
            loss.backward()
            adam.step()
        return dict(noise=float(likelihood.noise))
