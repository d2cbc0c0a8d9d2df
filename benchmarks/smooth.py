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


class smoothing_spline(Case):
    """Cubic smoothing spline, penalty by GCV. Ours and scipy's have all knots; R reduces them unless told not to."""

    size, quick = dict(n=100_000), dict(n=300)
    grow = dict(n=[10_000, 100_000, 1_000_000, 10_000_000])
    goal = dict(stats=3)

    def data(n):
        rng = np.random.default_rng(0)
        x = rng.uniform(size=n)
        return dict(x=x, y=np.sin(12 * (x + 0.2)) / (x + 0.2) + rng.normal(size=n))

    def quality(fit, x, y):
        at = np.linspace(x.min(), x.max(), len(np.ravel(fit.curve)))
        error = np.ravel(fit.curve) - np.sin(12 * (at + 0.2)) / (at + 0.2)
        measures = dict(rmse=float(np.sqrt(np.mean(error**2))))
        if hasattr(fit, "gcv"):  # scipy does not say
            measures["gcv"] = float(np.ravel(fit.gcv)[0])
        return measures

    def statlearn(x, y):
        from statlearn.smooth import SmoothingSpline

        m = SmoothingSpline().fit(x, y)
        return dict(curve=m.predict(np.linspace(x.min(), x.max(), 501)), gcv=m.gcv_)

    stats = R(
        """
        fit <- smooth.spline(x, y)
        list(curve = predict(fit, seq(min(x), max(x), length.out = 501))$y, gcv = fit$cv.crit)""",
        library="stats",
    )

    def scipy(x, y):
        from scipy.interpolate import make_smoothing_spline

        order = np.argsort(x)
        fit = make_smoothing_spline(x[order], y[order])
        return dict(curve=fit(np.linspace(x.min(), x.max(), 501)))


class regression_spline(Case):
    """Least squares on 40 cubic B-splines of one column, the knots at quantiles."""

    size, quick = dict(n=1_000_000), dict(n=500)
    grow = dict(n=[100_000, 1_000_000, 4_000_000])
    goal = dict(scipy=1, sklearn=2)
    accept = dict(objective=1e-8)

    def data(n):
        rng = np.random.default_rng(0)
        x = rng.uniform(size=n)
        y = np.sin(12 * x) + 0.3 * rng.normal(size=n)
        return dict(x=x, y=y, knots=np.quantile(x, np.linspace(0, 1, 38)))

    def quality(fit, x, y, knots):
        return dict(objective=np.mean((y - np.ravel(fit.fitted)) ** 2))

    def statlearn(x, y, knots):
        from statlearn.smooth import RegressionSpline

        m = RegressionSpline(knots=knots[:, None], basis="bspline").fit(x[:, None], y)
        return dict(fitted=m.predict(x[:, None]))

    def scipy(x, y, knots):
        from scipy.interpolate import make_lsq_spline

        order = np.argsort(x)
        t = np.concatenate([[knots[0]] * 3, knots, [knots[-1]] * 3])
        return dict(fitted=make_lsq_spline(x[order], y[order], t)(x))

    def sklearn(x, y, knots):
        from sklearn.linear_model import LinearRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import SplineTransformer

        m = make_pipeline(SplineTransformer(knots=knots[:, None]), LinearRegression(fit_intercept=False))
        return dict(fitted=m.fit(x[:, None], y).predict(x[:, None]))


class bspline_features(Case):
    """Cubic B-spline features of five columns, dense."""

    size, quick = dict(n=200_000, p=5), dict(n=300, p=2)
    goal = dict(sklearn=1)
    accept = {"largest difference": 1e-9}

    def data(n, p):
        return dict(X=np.random.default_rng(0).normal(size=(n, p)))

    def quality(fit, X):
        from sklearn.preprocessing import SplineTransformer

        reference = SplineTransformer(n_knots=10, knots="quantile").fit(X).transform(X[:1000])
        return {"largest difference": np.abs(fit.features[:1000] - reference).max()}

    def statlearn(X):
        from statlearn.smooth import SplineTransformer

        return dict(features=SplineTransformer(n_knots=10, knots="quantile").fit_transform(X))

    def sklearn(X):
        from sklearn.preprocessing import SplineTransformer

        return dict(features=SplineTransformer(n_knots=10, knots="quantile").fit_transform(X))


class gam(Case):
    """Additive model of ten smooth terms, smoothing parameters by restricted likelihood."""

    size, quick = dict(n=20_000, p=10), dict(n=300, p=3)
    grow = dict(n=[20_000, 100_000, 500_000], p=[5, 10, 20])
    goal = dict(bam=2, bam_discrete=1)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(n, p))
        mean = np.sin(2 * np.pi * X[:, 0]) + X[:, 1] ** 2 + np.exp(X[:, 2])
        return dict(X=X, y=mean + rng.normal(size=n), mean=mean)

    def quality(fit, X, y, mean):
        return {"error": np.sqrt(np.mean((np.ravel(fit.said) - mean) ** 2)), "edf": float(np.ravel(fit.edf)[0])}

    def statlearn(X, y, mean):
        from statlearn.smooth import GAM, s

        m = GAM([s(j) for j in range(X.shape[1])]).fit(X, y)
        return dict(said=m.predict(X), edf=m.edf_.sum() + 1)

    bam = R(
        """
        d <- data.frame(X); names(d) <- paste0("x", seq_len(ncol(X))); d$y <- y
        f <- as.formula(paste("y ~", paste0("s(", names(d)[seq_len(ncol(X))], ", bs = 'cr')", collapse = " + ")))
        fit <- bam(f, data = d, nthreads = 2)
        list(said = fitted(fit), edf = sum(fit$edf))""",
        library="mgcv",
    )
    bam_discrete = R(
        """
        d <- data.frame(X); names(d) <- paste0("x", seq_len(ncol(X))); d$y <- y
        f <- as.formula(paste("y ~", paste0("s(", names(d)[seq_len(ncol(X))], ", bs = 'cr')", collapse = " + ")))
        fit <- bam(f, data = d, discrete = TRUE, nthreads = 2)
        list(said = fitted(fit), edf = sum(fit$edf))""",
        library="mgcv",
    )

    def pygam(X, y, mean):
        # Its default: one smoothing parameter for all terms, the best of eleven by GCV.
        from pygam import LinearGAM, s
        from pygam.terms import TermList

        m = LinearGAM(TermList(*(s(j, n_splines=10) for j in range(X.shape[1])))).gridsearch(X, y, progress=False)
        return dict(said=m.predict(X), edf=m.statistics_["edof"])

    def pygam_random(X, y, mean):
        # Its documentation's way to have one for each term: a hundred random sets of them.
        from pygam import LinearGAM, s
        from pygam.terms import TermList

        lam = 10.0 ** np.random.default_rng(0).uniform(-3, 3, (100, X.shape[1]))
        m = LinearGAM(TermList(*(s(j, n_splines=10) for j in range(X.shape[1])))).gridsearch(
            X, y, lam=lam, progress=False
        )
        return dict(said=m.predict(X), edf=m.statistics_["edof"])


class gam_small(gam):
    """The same on so few rows that statsmodels can choose its penalties."""

    size, quick = dict(n=1_000, p=4), dict(n=200, p=3)
    goal = dict(pygam=10)

    def statsmodels(X, y, mean):
        from statsmodels.gam.api import BSplines, GLMGam

        p = X.shape[1]
        basis = BSplines(X, df=[10] * p, degree=[3] * p)
        start = GLMGam(y, exog=np.ones((len(y), 1)), smoother=basis, alpha=np.ones(p))
        start.fit()
        alpha = start.select_penweight(criterion="gcv", method="minimize")[0]
        fit = GLMGam(y, exog=np.ones((len(y), 1)), smoother=basis, alpha=alpha).fit()
        return dict(said=fit.fittedvalues, edf=float(np.sum(fit.edf)))


class gam_levels(Case):
    """A smooth term and a random effect of many levels, by restricted likelihood."""

    size, quick = dict(n=4_000, levels=800), dict(n=300, levels=20)
    grow = dict(n=[4_000, 20_000, 100_000], levels=[200, 800, 2_000])
    goal = dict(bam_discrete=1)

    def data(n, levels):
        rng = np.random.default_rng(0)
        g, x = rng.integers(0, levels, n), rng.uniform(size=n)
        mean = np.sin(6 * x) + 0.7 * rng.normal(size=levels)[g]
        return dict(X=np.column_stack([x, g]), y=mean + 0.5 * rng.normal(size=n), mean=mean)

    def quality(fit, X, y, mean):
        return {"error": np.sqrt(np.mean((np.ravel(fit.said) - mean) ** 2)), "edf": float(np.ravel(fit.edf)[0])}

    def statlearn(X, y, mean):
        from statlearn.smooth import GAM, re, s

        m = GAM([s(0), re(1)]).fit(X, y)
        return dict(said=m.predict(X), edf=m.edf_.sum() + 1)

    bam_discrete = R(
        """
        d <- data.frame(x = X[, 1], g = factor(X[, 2]), y = y)
        fit <- bam(y ~ s(x, bs = "cr") + s(g, bs = "re"), data = d, discrete = TRUE, nthreads = 2)
        list(said = fitted(fit), edf = sum(fit$edf))""",
        library="mgcv",
    )


class loess(Case):
    """Local quadratic regression on one column at the corners of cells, interpolated at all rows; trace guessed."""

    size, quick = dict(n=20_000, p=1), dict(n=300, p=1)
    grow = dict(n=[10_000, 100_000, 1_000_000])
    goal = dict(skmisc=2, stats=2)
    accept = {"difference": 1e-6}

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(n, p))
        return dict(X=X, y=np.sin(6 * X[:, 0]) * X[:, -1] + 0.3 * rng.normal(size=n))

    def quality(fit, X, y):
        from statlearn.smooth import Loess

        reference = Loess(0.3).fit(X, y)
        return {
            "difference": np.abs(np.ravel(fit.fitted) - reference.predict(X)).max(),
            "df": float(np.ravel(fit.df)[0]),
        }

    def statlearn(X, y):
        from statlearn.smooth import Loess

        m = Loess(0.3, trace_hat="approximate").fit(X, y)
        return dict(fitted=m.fitted_values_, df=m.df_)

    def skmisc(X, y):
        from skmisc.loess import loess

        # It reads the columns one after the other, whatever the shape and order of X say.
        m = loess(np.reshape(X.ravel(order="F"), X.shape), y, span=0.3, trace_hat="approximate")
        m.fit()
        return dict(fitted=m.outputs.fitted_values, df=m.outputs.trace_hat)

    stats = R(
        """
        d <- data.frame(X); names(d) <- paste0("x", seq_len(ncol(X))); d$y <- y
        f <- as.formula(paste("y ~", paste(names(d)[seq_len(ncol(X))], collapse = " + ")))
        fit <- loess(f, d, span = 0.3, control = loess.control(trace.hat = "approximate"))
        list(fitted = fitted(fit), df = fit$trace.hat)""",
        library="stats",
    )


class loess_surface(loess):
    """The same on two columns."""

    size, quick = dict(n=20_000, p=2), dict(n=300, p=2)


class loess_trace(loess):
    """Two columns with the exact trace of the smoother matrix."""

    size, quick = dict(n=5_000, p=2), dict(n=300, p=2)

    def statlearn(X, y):
        from statlearn.smooth import Loess

        m = Loess(0.3).fit(X, y)
        return dict(fitted=m.fitted_values_, df=m.df_)

    def skmisc(X, y):
        from skmisc.loess import loess

        m = loess(np.reshape(X.ravel(order="F"), X.shape), y, span=0.3, trace_hat="exact")
        m.fit()
        return dict(fitted=m.outputs.fitted_values, df=m.outputs.trace_hat)

    stats = R(
        """
        d <- data.frame(X); names(d) <- paste0("x", seq_len(ncol(X))); d$y <- y
        f <- as.formula(paste("y ~", paste(names(d)[seq_len(ncol(X))], collapse = " + ")))
        fit <- loess(f, d, span = 0.3)
        list(fitted = fitted(fit), df = fit$trace.hat)""",
        library="stats",
    )


class density_line(Case):
    """Gaussian density of a mixture on the line; the error is the largest relative one, tails included.

    scikit-learn is asked for 1e-4. The others interpolate linearly from a fine grid after a Fourier transform.
    """

    size, quick = dict(n=1_000_000, m=2_000), dict(n=2_000, m=100)
    grow = dict(n=[10_000, 100_000, 1_000_000, 10_000_000], m=[1_000, 10_000, 100_000])
    goal = dict(sklearn=50)
    accept = dict(error=1e-4)

    def data(n, m):
        rng = np.random.default_rng(0)
        x = np.concatenate([rng.normal(size=n // 2), rng.normal(3, 0.5, size=n - n // 2)])
        return dict(x=x, at=np.linspace(x.min(), x.max(), m), h=0.5 * n**-0.2)

    def quality(fit, x, at, h):
        some = slice(None, None, max(1, len(at) // 100))
        exact = np.array([np.mean(np.exp(-0.5 * ((x - q) / h) ** 2)) for q in at[some]]) / (h * np.sqrt(2 * np.pi))
        return dict(error=np.abs(np.ravel(fit.density)[some] / exact - 1).max())

    def statlearn(x, at, h):
        from statlearn.smooth import KernelDensity

        return dict(density=np.exp(KernelDensity(bandwidth=h, rtol=1e-4).fit(x[:, None]).score_samples(at[:, None])))

    def statlearn_exact(x, at, h):
        from statlearn.smooth import KernelDensity

        return dict(density=np.exp(KernelDensity(bandwidth=h).fit(x[:, None]).score_samples(at[:, None])))

    def sklearn(x, at, h):
        from sklearn.neighbors import KernelDensity

        return dict(density=np.exp(KernelDensity(bandwidth=h, rtol=1e-4).fit(x[:, None]).score_samples(at[:, None])))

    def KDEpy(x, at, h):
        from KDEpy import FFTKDE

        grid, density = FFTKDE(bw=h).fit(x).evaluate(2**15)
        return dict(density=np.interp(at, grid, density))

    def statsmodels(x, at, h):
        from statsmodels.nonparametric.kde import KDEUnivariate

        fit = KDEUnivariate(x)
        fit.fit(bw=h, fft=True, gridsize=2**15)
        return dict(density=np.interp(at, fit.support, fit.density))

    stats = R(
        """
        fit <- density(x, bw = h, n = 2^15)
        list(density = approx(fit$x, fit$y, at)$y)""",
        library="stats",
    )


class density_bandwidth(Case):
    """Sheather and Jones's bandwidth; R bins into 1000 whatever the range, which costs it accuracy here."""

    size, quick = dict(n=1_000_000), dict(n=2_000)
    grow = dict(n=[10_000, 100_000, 1_000_000, 10_000_000])
    goal = dict(stats=1)

    def data(n):
        rng = np.random.default_rng(0)
        return dict(x=np.concatenate([rng.normal(size=n // 2), rng.normal(3, 0.5, size=n - n // 2)]))

    def quality(fit, x):
        return dict(bandwidth=float(np.ravel(fit.h)[0]))

    def statlearn(x):
        from statlearn.smooth import select_density_bandwidth

        return dict(h=select_density_bandwidth(x))

    def KDEpy(x):
        from KDEpy.bw_selection import improved_sheather_jones

        return dict(h=improved_sheather_jones(x[:, None]))

    stats = R("list(h = bw.SJ(x))", library="stats")


class supersmoother(Case):
    """Running lines with local spans."""

    size, quick = dict(n=1_000_000), dict(n=300)
    grow = dict(n=[10_000, 100_000, 1_000_000, 10_000_000])
    goal = dict(stats=1)
    accept = {"largest difference": 1e-6}

    def data(n):
        rng = np.random.default_rng(0)
        x = np.sort(rng.uniform(size=n))
        return dict(x=x, y=np.sin(12 * (x + 0.2)) / (x + 0.2) + rng.normal(size=n))

    def quality(fit, x, y):
        from statlearn.smooth import SuperSmoother

        values = np.ravel(fit.values)
        return {"largest difference": np.abs(values - SuperSmoother().fit(x, y).values_).max()}

    def statlearn(x, y):
        from statlearn.smooth import SuperSmoother

        return dict(values=SuperSmoother().fit(x, y).values_)

    stats = R("list(values = supsmu(x, y)$y)", library="stats")


class projection_pursuit(Case):
    """Four ridge functions of Friedman's ten columns; the quality is the error on new rows."""

    size, quick = dict(n=2_000, p=10), dict(n=200, p=6)
    grow = dict(n=[1_000, 10_000, 100_000])

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(n + 2_000, p))
        mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        return dict(X=X[:n], y=mean[:n] + rng.normal(size=n), new=X[n:], mean=mean[n:])

    def quality(fit, X, y, new, mean):
        return dict(error=np.sqrt(np.mean((np.ravel(fit.said) - mean) ** 2)), rss=float(np.ravel(fit.rss)[0]))

    def statlearn(X, y, new, mean):
        from statlearn.smooth import ProjectionPursuitRegressor

        m = ProjectionPursuitRegressor(4).fit(X, y)
        return dict(said=m.predict(new), rss=m.rss_)

    def statlearn_supersmoother(X, y, new, mean):
        from statlearn.smooth import ProjectionPursuitRegressor

        m = ProjectionPursuitRegressor(4, smoother="supersmoother").fit(X, y)
        return dict(said=m.predict(new), rss=m.rss_)

    stats = R(
        """
        fit <- ppr(X, y, nterms = 4, max.terms = 6, optlevel = 3)
        list(said = predict(fit, new), rss = sum((y - fitted(fit))^2))""",
        library="stats",
    )


class local_logistic(Case):
    """Local logistic lines over 70 % of the rows at 500 points; the error is the largest of the log-odds."""

    size, quick = dict(n=20_000, m=500), dict(n=300, m=20)
    grow = dict(n=[5_000, 20_000, 80_000])
    goal = dict(locfit=2)
    accept = dict(error=1e-4)

    def data(n, m):
        rng = np.random.default_rng(0)
        x = np.sort(rng.uniform(size=n))
        y = (rng.uniform(size=n) < 1 / (1 + np.exp(-2 * np.sin(8 * x)))).astype(float)
        return dict(x=x, y=y, at=x[:: n // m][:m])

    def quality(fit, x, y, at):
        from statlearn.smooth import LocalLogistic

        exact = LocalLogistic(span=0.7, tol=1e-13).fit(x[:, None], y).predict_linear(at[:, None])
        return dict(error=np.abs(np.ravel(fit.eta)[: len(at)] - exact).max())

    def statlearn(x, y, at):
        from statlearn.smooth import LocalLogistic

        return dict(eta=LocalLogistic(span=0.7).fit(x[:, None], y).predict_linear(at[:, None]))

    locfit = R(
        """
        fit <- locfit(y ~ lp(x, nn = 0.7, deg = 1), family = "binomial", kern = "tcub", ev = at, maxk = 100000)
        list(eta = qlogis(predict(fit, where = "fitp")))""",
        library="locfit",
    )
