"""The Bayes classifier of known class densities."""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy import integrate
from scipy.special import log_softmax, logsumexp
from sklearn.utils import check_random_state

from statlearn._core.class_scores import class_priors
from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_array, naming
from statlearn._math.inference import standard_error

from ._error_rate import lda_error_rate

_ROUNDING = 1e-15


@dataclass
class ErrorRate:
    """Error rate of a rule.

    Parameters
    ----------
    error : float
    std_error : float
        Standard error of the mean over draws ("monte_carlo"), bound on the error of "quadrature", 0 for the
        "closed form".
    method : str
    """

    error: float
    std_error: float
    method: str

    def __float__(self):
        return self.error


def _describe(density):
    """A density as a user would write it."""
    if hasattr(density, "dist") and hasattr(density, "args"):  # a frozen univariate distribution of scipy
        params = [f"{v:g}" if np.ndim(v) == 0 else "..." for v in density.args]
        params += [f"{k}={v:g}" if np.ndim(v) == 0 else f"{k}=..." for k, v in density.kwds.items()]
        return f"{density.dist.name}({', '.join(params)})"
    if hasattr(density, "logpdf"):
        columns = getattr(density, "dim", None)
        name = type(density).__name__.removesuffix("_frozen").strip("_")
        return name if columns is None else f"{name}, {columns} column{'s' if columns > 1 else ''}"
    return getattr(density, "__name__", type(density).__name__)


def _gaussian_moments(density):
    """Mean and covariance of a frozen Gaussian distribution of scipy, else None."""
    if getattr(getattr(density, "dist", None), "name", None) == "norm" and np.ndim(density.std()) == 0:
        return np.atleast_1d(density.mean()), np.atleast_2d(density.var())
    if type(density).__name__ == "multivariate_normal_frozen":
        return np.atleast_1d(density.mean), np.atleast_2d(density.cov)
    return None


def _integral_of_maximum(values, step):
    """Integral of the largest of several functions that vanish at the ends, from their values (n, k) on a grid.

    The trapezoidal rule is exact up to rounding for smooth functions, but their maximum has kinks. By the
    Euler-Maclaurin formula a kink whose slope jumps by J, at the share t of a cell of width h, adds
    J h^2 (t (1 - t) / 2 - 1/12). With linear functions that differ by d and e at the ends, J h = d + e and
    t = d / (d + e).
    """
    winner = np.argmax(values, axis=1)
    at = np.flatnonzero(winner[1:] != winner[:-1])
    left, right = winner[at], winner[at + 1]
    d = values[at, left] - values[at, right]
    e = values[at + 1, right] - values[at + 1, left]
    jump = np.maximum(d + e, np.finfo(np.float64).tiny)
    return np.trapezoid(values.max(axis=1), dx=step) - step * np.sum(d * e / (2 * jump) - jump / 12)


class BayesClassifier:
    """Bayes classifier for known class densities: the rule with the smallest possible error.

    Assigns a row to the class with the largest prior times density. There is nothing to fit; the rule serves as the
    reference that fitted rules on simulated data cannot beat, except by chance.

    Parameters
    ----------
    densities : list
        One density per class: a frozen distribution of scipy.stats (with `logpdf` and, for simulation, `rvs`), or a
        function that returns log densities of the rows of an array of shape (n, p).
    priors : array-like of shape (k,) or None, default=None
        Class priors. None for equal ones.
    classes : array-like of shape (k,) or None, default=None
        Labels. None for 0, 1, ...

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from statlearn.discriminant import BayesClassifier, lda_error_rate
    >>> oracle = BayesClassifier([norm(0, 1), norm(2, 1)])
    >>> oracle.predict([[0.2], [1.7]])
    array([0, 1])
    >>> abs(oracle.error_rate().error - lda_error_rate(2.0)) < 1e-9
    True
    """

    def __init__(self, densities, priors=None, classes=None):
        if len(densities) < 2:
            raise ValueError(f"`densities` must contain at least two classes, got {len(densities)}.")
        self.densities = list(densities)
        for density in self.densities:
            if not (callable(density) or hasattr(density, "logpdf")):
                raise TypeError(f"`densities` must contain functions or distributions with `logpdf`, got {density!r}.")
        k = len(self.densities)
        self.priors = class_priors("uniform" if priors is None else priors, np.ones(k))
        self.classes_ = np.arange(k) if classes is None else np.asarray(classes)
        if self.classes_.shape != (k,):
            raise ValueError(f"`classes` must contain one label per density ({k}), got shape {self.classes_.shape}.")

    def _joint(self, X):
        """Log of prior times density, (n, k)."""
        out = np.empty((len(X), len(self.densities)))
        for k, density in enumerate(self.densities):
            log = density.logpdf if hasattr(density, "logpdf") else density
            values = np.asarray(log(X), dtype=np.float64)
            if values.shape == (len(X), 1):
                values = values[:, 0]
            if values.shape != (len(X),):
                raise ValueError(
                    f"Density {k} returned shape {values.shape} for {len(X)} rows of {X.shape[1]} columns."
                )
            out[:, k] = values
        with np.errstate(divide="ignore"):
            return out + np.log(self.priors)

    @staticmethod
    def _rows(X):
        with naming("X"):
            return check_array(X, dtype=np.float64)

    def predict(self, X):
        """The class with the largest posterior; ties go to the class that comes first.

        Parameters
        ----------
        X : array-like of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.classes_[np.argmax(self._joint(self._rows(X)), axis=1)]

    def predict_log_proba(self, X):
        """Log posterior probability of each class.

        Parameters
        ----------
        X : array-like of shape (n, p)

        Returns
        -------
        ndarray of shape (n, k)
        """
        return log_softmax(self._joint(self._rows(X)), axis=1)

    def predict_proba(self, X):
        """Posterior probability of each class.

        Parameters
        ----------
        X : array-like of shape (n, p)

        Returns
        -------
        ndarray of shape (n, k)
        """
        return np.exp(self.predict_log_proba(X))

    def score(self, X, y):
        """Share of rows that are classified correctly.

        Parameters
        ----------
        X : array-like of shape (n, p)
        y : array-like of shape (n,)

        Returns
        -------
        float
        """
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def sample(self, n_samples=1, random_state=None):
        """Draw rows and their classes.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        X : ndarray of shape (n_samples, p)
        y : ndarray of shape (n_samples,)
        """
        check_arguments("sample", n_samples=(n_samples, [Int(1, None)]))
        rng = check_random_state(random_state)
        codes = rng.choice(len(self.priors), size=n_samples, p=self.priors)
        parts = []
        for k, density in enumerate(self.densities):
            if not hasattr(density, "rvs"):
                raise ValueError(f"Density {k} has no method `rvs`, so it cannot be sampled; use method='quadrature'.")
            count = int(np.sum(codes == k))
            parts.append(np.reshape(density.rvs(size=count, random_state=rng), (count, -1)) if count else None)
        p = next(part.shape[1] for part in parts if part is not None)
        X = np.empty((n_samples, p))
        for k, part in enumerate(parts):
            if part is not None:
                X[codes == k] = part
        return X, self.classes_[codes]

    def error_rate(self, method="quadrature", *, bounds=None, n_samples=100_000, random_state=None):
        """Error rate of the rule, the Bayes error: 1 minus the integral of the largest prior times density.

        Parameters
        ----------
        method : {"quadrature", "monte_carlo"}, default="quadrature"
            "quadrature" for one or two columns; two Gaussian distributions of scipy.stats with equal covariances, in
            any number of columns, use the closed form of :func:`lda_error_rate` instead. "monte_carlo" averages 1 minus
            the largest posterior of drawn rows.
        bounds : list of (low, high) or None, default=None
            Range of each column for quadrature. None covers all but 1e-12 of univariate distributions, and ten standard
            deviations about the means of Gaussian ones. If it is given, the closed form is not used.
        n_samples : int, default=100000
            Number of rows drawn by "monte_carlo".
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ErrorRate
            With `error`, `std_error` and `method`; convert it with ``float``. For quadrature `std_error` is a bound on
            the error: the adaptive rule's own estimate, the change on a grid of half the points in the second column,
            and the probability outside the range.
        """
        check_arguments("error_rate", method=(method, [Options("quadrature", "monte_carlo")]))
        if method == "monte_carlo":
            X, _ = self.sample(n_samples, random_state)
            joint = self._joint(X)
            wrong = -np.expm1(joint.max(axis=1) - logsumexp(joint, axis=1))
            return ErrorRate(float(wrong.mean()), standard_error(wrong), method)
        exact = self._closed_form() if bounds is None else None
        if exact is not None:
            return ErrorRate(exact, 0.0, "closed form")
        box = self._bounds() if bounds is None else [(float(low), float(high)) for low, high in bounds]
        if len(box) == 1:
            return ErrorRate(*self._line(box[0]), method)
        if len(box) == 2:
            return ErrorRate(*self._plane(box), method)
        raise ValueError(f"Quadrature supports one or two columns, got {len(box)}; use method='monte_carlo'.")

    def summary(self, *, n_samples=100_000, random_state=None):
        """Classes, priors, densities and the Bayes error.

        Parameters
        ----------
        n_samples : int, default=100000
            Number of rows drawn for the error if quadrature is not possible.
        random_state : int, RandomState or None, default=None

        Returns
        -------
        Summary
            The error is that of `error_rate`: in closed form or by quadrature if possible, otherwise from draws. The
            error without data is that of always choosing the class with the largest prior.
        """
        densities = {"prior": self.priors, "density": [_describe(density) for density in self.densities]}
        table = Table([str(c) for c in self.classes_], densities)
        facts, notes = {"error_without_data": float(1.0 - self.priors.max())}, []
        labels = {"error": "Bayes error", "std_error": "Standard error of the Bayes error",
                  "error_without_data": "Error without data"}  # fmt: skip
        try:
            rate = self.error_rate()
            method = "in closed form" if rate.method == "closed form" else "by quadrature"
        except ValueError:
            drawable = all(hasattr(density, "rvs") for density in self.densities)
            rate, method = None, f"from {n_samples:,} draws"
            if drawable:
                rate = self.error_rate("monte_carlo", n_samples=n_samples, random_state=random_state)
        if rate is None:
            notes.append("The Bayes error is unknown: give `error_rate` the `bounds` of one or two columns.")
        else:
            facts = {"error": rate.error, "std_error": rate.std_error} | facts
            notes.append(f"The Bayes error was computed {method}. No rule has a smaller error for these densities.")
            if rate.method == "closed form":
                del labels["std_error"]
            elif rate.method == "quadrature":
                labels["std_error"] = "Bound on the error of quadrature"
        return Summary("Bayes classifier of known densities", table, facts, labels, notes=notes)

    def _best_density(self, x):
        return float(np.exp(self._joint(np.array([[x]])).max()))

    def _closed_form(self):
        """The error of two Gaussian classes with equal covariances, else None."""
        if len(self.densities) != 2:
            return None
        moments = [_gaussian_moments(density) for density in self.densities]
        if None in moments:
            return None
        (m0, S0), (m1, S1) = moments
        if m0.shape != m1.shape or not np.allclose(S0, S1, rtol=1e-12, atol=0):
            return None
        try:
            return lda_error_rate(means=[m0, m1], covariance=S0, priors=self.priors)
        except np.linalg.LinAlgError:  # a singular covariance
            return None

    def _line(self, bounds, n=200):
        """The error and its bound, by adaptive quadrature on each of n pieces."""
        edges = np.linspace(*bounds, n + 1)
        best, errors = np.transpose(
            [integrate.quad(self._best_density, a, b, epsabs=1e-13) for a, b in itertools.pairwise(edges)]
        )
        nodes, weights = np.polynomial.legendre.leggauss(15)
        half = np.diff(edges)[:, None] / 2
        x = edges[:-1, None] + half * (1 + nodes)
        mass = np.sum(half * weights * np.exp(logsumexp(self._joint(x.reshape(-1, 1)), axis=1)).reshape(x.shape))
        return float(1.0 - best.sum()), float(errors.sum() + max(0.0, 1.0 - mass) + _ROUNDING)

    def _plane(self, box, n_lines=40, n=801):
        """The error and its bound, by an adaptive rule over lines integrated by a corrected trapezoidal rule."""
        y = np.linspace(*box[1], n)
        step = y[1] - y[0]
        at, doubt = [], []

        def along(x):
            values = np.exp(self._joint(np.column_stack([np.full(n, x), y])))
            fine, coarse = _integral_of_maximum(values, step), _integral_of_maximum(values[::2], 2 * step)
            at.append(x)
            doubt.append(abs(fine - coarse))
            return fine

        edges = np.linspace(*box[0], n_lines + 1)
        # A jump of the second derivative at a corner of the boundary does not justify more lines.
        options = dict(epsabs=1e-10, epsrel=0.0, limit=8, full_output=1)
        best, errors = np.transpose([integrate.quad(along, a, b, **options)[:2] for a, b in itertools.pairwise(edges)])
        order = np.argsort(at)
        doubtful = np.trapezoid(np.asarray(doubt)[order], np.asarray(at)[order])
        x, few = np.linspace(*box[0], 301), y[::2]
        grid = np.stack(np.meshgrid(x, few, indexing="ij"), axis=-1)
        mass = np.exp(logsumexp(self._joint(grid.reshape(-1, 2)), axis=1)).reshape(len(x), len(few))
        outside = abs(1.0 - np.trapezoid(np.trapezoid(mass, few), x))
        return float(1.0 - best.sum()), float(errors.sum() + doubtful + outside + _ROUNDING)

    def _bounds(self):
        if all(hasattr(density, "ppf") for density in self.densities):
            low = min(float(density.ppf(1e-13)) for density in self.densities)
            return [(low, max(float(density.isf(1e-13)) for density in self.densities))]
        try:
            means = np.array([np.atleast_1d(density.mean) for density in self.densities], dtype=np.float64)
            spread = np.array([np.sqrt(np.diagonal(np.atleast_2d(density.cov))) for density in self.densities])
        except (AttributeError, TypeError, ValueError):
            raise ValueError("`bounds` must be given for these densities, or use method='monte_carlo'.") from None
        return list(zip((means - 10 * spread).min(axis=0), (means + 10 * spread).max(axis=0)))
