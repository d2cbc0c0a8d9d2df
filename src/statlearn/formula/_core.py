"""Maximum-likelihood fits of a linear predictor: what every answer about `lm` and `glm` is computed from."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from statlearn._core.warnings import RankWarning
from statlearn._math.losses.families import Gaussian, make_family
from statlearn._math.losses.links import IdentityLink, make_link

_QUASI = {"quasi": "gaussian", "quasipoisson": "poisson", "quasibinomial": "binomial"}
_SPELLINGS = {
    "Gamma": "gamma", "inverse.gaussian": "inverse_gaussian", "negative.binomial": "negative_binomial",
}  # fmt: skip
_LINKS = {"1/mu^2": "inverse_squared"}


@dataclass(frozen=True)
class Kind:
    """Which model: least squares, or a family with its link; `quasi` estimates the dispersion in any case."""

    least_squares: bool = True
    family: str = "gaussian"
    link: str = "identity"
    quasi: bool = False
    theta: object = "ml"

    @property
    def name(self):
        return "lm" if self.least_squares else f"glm ({self.shown}, {self.link})"

    @property
    def shown(self):
        quasi = {name: spelling for spelling, name in _QUASI.items()}
        return quasi[self.family] if self.quasi else self.family


def read_family(family, link=None, theta="ml"):
    """The kind behind R's spellings: "poisson", "Gamma", "quasibinomial", "binomial(probit)"."""
    name = family.strip()
    if name.endswith(")") and "(" in name:
        name, inside = name[:-1].split("(", 1)
        inside = inside.replace("link", "").replace("=", "").strip().strip("'\"")
        if inside and link is not None and inside != link:
            raise ValueError(f"`link`={link!r} differs from that of `family`={family!r}.")
        link = inside or link
    quasi = name in _QUASI
    name = _QUASI.get(name, _SPELLINGS.get(name, name))
    try:
        parameters = {"theta": 1.0 if theta == "ml" else theta} if name == "negative_binomial" else {}
        member = make_family(name, **parameters)
    except (KeyError, ValueError, TypeError):
        known = "gaussian, binomial, poisson, gamma, inverse_gaussian, negative_binomial, quasipoisson, quasibinomial"
        raise ValueError(f"`family` must be one of {known}, got {family!r}.") from None
    link = _LINKS.get(link, link)
    return Kind(False, name, member.canonical if link is None else link, quasi, theta)


@dataclass
class Core:
    """A fit to a design matrix.

    `coef` has a value for each column, NaN for those that depend on earlier ones; `unscaled` is the inverse information
    at dispersion 1 over the independent columns `identified`.
    """

    kind: Kind
    Z: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    offset: np.ndarray
    coef: np.ndarray
    identified: np.ndarray
    unscaled: np.ndarray
    eta: np.ndarray
    mu: np.ndarray
    deviance: float
    pearson: float
    log_likelihood: float
    extra: int  # estimated parameters other than coefficients, which the AIC counts
    family: object
    link: object
    estimator: object
    n_iter: int = 1

    @property
    def rank(self):
        return len(self.identified)

    @property
    def n(self):
        """Rows with positive weight."""
        return int((self.weights > 0).sum())

    @property
    def df_residual(self):
        return self.n - self.rank

    @property
    def known(self):
        """Whether the dispersion is fixed at 1, so that tests are z and chi-squared tests."""
        return self.family.dispersion_known and not self.kind.quasi

    @property
    def dispersion(self):
        if self.known:
            return 1.0
        return self.pearson / self.df_residual if self.df_residual > 0 else np.nan

    @property
    def covariance(self):
        return self.dispersion * self.unscaled

    @property
    def working(self):
        """Working residuals and working weights of the last step of IRLS."""
        slope = self.link.slopes(self.eta)[0]
        variance = self.family.variance(self.mu)[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.y - self.mu) / slope, self.weights * slope**2 / variance

    @property
    def scores(self):
        """Contributions of the rows to the score equations, for the independent columns."""
        residual, weight = self.working
        return (residual * weight)[:, None] * self.Z[:, self.identified]

    @property
    def hat(self):
        """Leverages."""
        root = np.sqrt(self.working[1])
        basis, _ = linalg.qr(root[:, None] * self.Z[:, self.identified], mode="economic", check_finite=False)
        return np.sum(basis**2, axis=1)

    @property
    def n_parameters(self):
        return self.rank + self.extra

    @property
    def aic(self):
        return -2.0 * self.log_likelihood + 2.0 * self.n_parameters

    def extract_aic(self, k=2.0):
        """The AIC that `step`, `drop1` and `add1` compare, which R computes without constants for least squares."""
        if self.kind.least_squares:
            return self.n * np.log(self.deviance / self.n) + k * self.rank
        return -2.0 * self.log_likelihood + 2.0 * self.extra + k * self.rank


def fit_core(kind, Z, intercept, y, weights=None, offset=None):
    """Fit a design whose first column is the intercept if `intercept` is set."""
    n = len(y)
    weights = np.ones(n) if weights is None else weights
    offset = np.zeros(n) if offset is None else offset
    slopes = Z[:, 1:] if intercept else Z
    # A design without columns is that of a column of zeros, which is found to be aliased.
    X = slopes if slopes.shape[1] else np.zeros((n, 1))
    fit = _least_squares if kind.least_squares else _generalised
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        return fit(kind, Z, X, intercept, y, weights, offset)


def _least_squares(kind, Z, X, intercept, y, weights, offset):
    from statlearn.linear import LinearRegression

    model = LinearRegression(fit_intercept=intercept, on_singular="drop").fit(
        X, y - offset, None if np.all(weights == 1.0) else weights
    )
    if model.statistic_ is None:
        raise ValueError(
            f"The design has {Z.shape[1]} columns and {len(y)} rows; least squares with tests requires more rows than "
            "columns."
        )
    c = int(intercept)
    width = X.shape[1] if Z.shape[1] > c else 0
    independent = np.setdiff1d(np.arange(X.shape[1]), model.aliased_)
    unscaled = model.statistic_.inverse(independent)
    coef = np.append(model.intercept_, model.coef_)[: 1 + width] if c else np.asarray(model.coef_)[:width]
    identified = np.flatnonzero(~np.isnan(coef))
    eta = Z[:, identified] @ coef[identified] + offset
    rss = float(weights @ (y - eta) ** 2)
    used = weights > 0
    n = int(used.sum())
    with np.errstate(divide="ignore"):
        log_likelihood = 0.5 * (np.log(weights[used]).sum() - n * (np.log(2 * np.pi / n) + 1 + np.log(rss)))
    return Core(kind, Z, y, weights, offset, coef, identified, unscaled, eta, eta, rss, rss, float(log_likelihood), 1,
                Gaussian(), IdentityLink(), model)  # fmt: skip


def _generalised(kind, Z, X, intercept, y, weights, offset):
    from statlearn.linear import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(
        kind.family, kind.link, theta=kind.theta, fit_intercept=intercept, tol=1e-12, max_iter=200
    ).fit(X, y, weights, offset=offset)
    c = int(intercept)
    width = X.shape[1] if Z.shape[1] > c else 0
    if model.covariance_ is None:
        raise ValueError("The maximum-likelihood estimate is infinite, so there are no standard errors (see warnings).")
    coef = model.summary(weights="precision", dispersion=1.0)["estimate"][: c + width]
    identified = np.flatnonzero(~np.isnan(coef))
    family = make_family(**_renamed(model.family_))
    link = make_link(model.link_, model.link_power_)
    eta = Z[:, identified] @ coef[identified] + offset
    mu = link.inverse(eta)
    deviance = float(weights @ family.unit_deviance(y, mu))
    pearson = float(weights @ ((y - mu) ** 2 / family.variance(mu)[0]))
    used = weights > 0
    likelihood = float(family.log_likelihood(y[used], mu[used], weights[used], frequency=False))
    extra = 0 if family.dispersion_known else 1
    if kind.family == "negative_binomial" and kind.theta == "ml":
        extra = 1
    unscaled = model.covariance_[np.ix_(identified, identified)]
    return Core(kind, Z, y, weights, offset, coef, identified, unscaled, eta, mu, deviance, pearson,
                np.nan if kind.quasi else likelihood, extra, family, link, model, model.n_iter_)  # fmt: skip


def _renamed(described):
    settings = dict(described)
    return {"name": settings.pop("name"), **settings}
