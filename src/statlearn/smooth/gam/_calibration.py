r"""P-values of smooth terms that are uniform under the null, although the smoothing parameters were chosen.

Wood's (2013) test takes the smoothing parameters as given. They were chosen on the same rows, so that its p-value P is
not quite uniform when the term is absent. Its distribution then belongs to a small problem. Let the other terms stay at
their smoothing parameters, and let G = X'WX and S be the information and the penalties of the fit. The score of term j
when it is left out, :math:`s = X_j^\top W (y - \hat y_{-j})`, is normal with mean 0 and covariance :math:`\phi A`,

.. math:: A = G_{jj} - G_{jo} (G_{oo} + S_{oo})^{-1} G_{oj},

and the coefficients of the term at :math:`\lambda` are :math:`(A + \lambda S_j)^{-1} s`. In coordinates in which A is
the identity and :math:`\lambda S_j` diagonal with entries d, s is a vector z of independent normal numbers, and the
coefficients are :math:`z_i / (1 + d_i)`. The criteria are functions of :math:`z_i^2`, of d, and of a residual sum of
squares that is independent of z. So z is drawn, the smoothing parameters are chosen for each draw by the criterion of
the model, and Wood's test is made there. This gives the distribution function Q of P under the null. Q(P) is uniform.

Exact for one Gaussian term, but for the number of draws. With others it takes their smoothing parameters as given and
what they miss as random, as their penalties say; with other families it takes the score as normal.
"""

from functools import lru_cache
from itertools import product

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import chdtri, ndtri
from scipy.stats import qmc

from statlearn._math.linalg.positive import positive_system
from statlearn._math.losses.families import make_family

from ._penalty import Block
from ._term_tests import VanishingForm, WaldForm, chi_square_mixtures, few_weights, without_effects

_DRAWS = 8192  # standard errors of a tensor's Q(0.5) and Q(0.05): 0.005 and 0.0015
_HEAVY = 3  # directions, the least penalised ones, that are drawn with heavier tails
_STEP = 0.35  # between the logarithms of candidates for a smoothing parameter
_FREE, _STRAIGHT = 5.0, 9.0  # they continue this far beyond where the penalty is weaker, or stronger, than all data
_MOST = 120  # candidates along a ray
# Logarithms of the ratios of several smoothing parameters, and the steps along each ray.
_RATIOS = {1: ([0.0], _STEP), 2: (np.linspace(-12.0, 12.0, 13), 0.7), 3: (np.linspace(-9.0, 9.0, 7), 1.4)}
_NODES = 32  # at which tails are computed; their logarithms are interpolated
_TOGETHER = 0.12, 0.04  # shares of the largest weight, see `few_weights`; accurate to three digits
_GONE = 0.01  # degrees of freedom of a term that has vanished
# Where Q is taken from the draws. Below the first one its ratio to the level is that of the first.
_LEVELS = np.array([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


class NullProblem:
    """One term when it is absent, in coordinates in which A is the identity, the least penalised ones first.

    Parameters
    ----------
    G, S : ndarray of shape (P, P)
        Information and penalties at the fit.
    at : slice
        The columns of the term.
    penalties : list of ndarray
        Of the term, without smoothing parameters.
    null : int
        Dimension of what they leave free.
    ranges : tuple of two ndarray of shape (P, ...) or None, default=None
        For plain likelihood: the penalised directions of the term and of the others.
    random : ndarray of int or None, default=None
        For a term that can vanish and is tested as such: the columns of the other random effects.

    Attributes
    ----------
    q : int
        Directions that the other terms cannot take.
    penalties : list of ndarray of shape (q, q)
    for_ml : list of ndarray or None
        The penalties in the metric of plain likelihood, which does not take out what is unpenalised.
    root : ndarray of shape (r, q)
        Of G_jj: it takes the coefficients to fitted values, but for a rotation.
    shared : ndarray of shape (q, q)
        The part of A that is there because the others are penalised.
    df_others : float
        Their effective degrees of freedom without the term.
    vanishing : tuple of two ndarray of shape (q, q) or None
        What takes the place of A in the metric of `VanishingForm`, and in the covariance.
    """

    def __init__(self, G, S, at, penalties, null, ranges=None, random=None):
        others = np.delete(np.arange(len(G)), np.arange(at.start, at.stop))
        among = np.ix_(others, others)
        inverse = positive_system(G[among] + S[among]).inverse()
        moved = inverse @ G[others, at]
        A = G[at, at] - G[at, others] @ moved
        total = sum(penalty / np.linalg.norm(penalty) for penalty in penalties)
        U, lost = _whitening(A)
        self.null = null - int(np.sum(np.sum((total @ lost) * lost, axis=0) < 1e-8))
        U = U @ np.linalg.eigh(U.T @ total @ U)[1]
        self.q, self.penalties = U.shape[1], [U.T @ penalty @ U for penalty in penalties]
        self.for_ml = None
        if ranges is not None:
            penalty, rest = ranges
            cross = rest.T @ G @ penalty
            A = penalty.T @ G @ penalty - cross.T @ positive_system(rest.T @ (G + S) @ rest).inverse() @ cross
            V = penalty[at] @ _whitening(A)[0]
            self.for_ml = [V.T @ p @ V for p in penalties]
        self.root = root(G[at, at]) @ U
        self.shared = (moved @ U).T @ S[among] @ (moved @ U)
        self.df_others = float(np.sum(inverse * G[among]))
        self.vanishing = None
        if random is not None:
            spread, fixed = without_effects(G, S, random)
            rest = np.setdiff1d(fixed, np.arange(at.start, at.stop))
            cross = spread[rest, at]
            A = spread[at, at] - cross.T @ positive_system((spread + S)[np.ix_(rest, rest)]).inverse() @ cross
            change = np.zeros((len(G), self.q))  # of all coefficients with those of the term
            change[at], change[others] = U, -moved @ U
            self.vanishing = U.T @ A @ U, change.T @ spread @ change

    def form(self, ray, k):
        """The statistic of the term at a candidate, for coefficients along the axes of its ray."""
        keep, axes = ray.keep[k], ray.axes
        if self.vanishing is None:
            return WaldForm(self.root @ axes, np.diag(keep), ray.rank[k])
        information, spread = (axes.T @ part @ axes for part in self.vanishing)
        metric = np.linalg.inv(information + np.diag(ray.share[k] / keep))
        return VanishingForm(metric, keep[:, None] * spread * keep)


def _whitening(A):
    """A matrix U of full rank with U'AU = I, and unit vectors that span the directions in which A is 0."""
    diagonal = np.diagonal(A)
    # The remainder of a column that others determine is rounding, which may be negative but small.
    size = np.sqrt(np.maximum(np.where(diagonal > 0.0, diagonal, np.abs(A).max(initial=0.0)), 1e-300))
    values, vectors = np.linalg.eigh(A / size / size[:, None])
    positive = values > 1e-11 * max(values[-1], 1e-300)
    vectors = vectors / size[:, None]
    lost = vectors[:, ~positive]
    return vectors[:, positive] / np.sqrt(values[positive]), lost / np.linalg.norm(lost, axis=0)


def root(G):
    """A matrix R with R'R = G."""
    values, vectors = np.linalg.eigh(G)
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


class Ray:
    """Candidates for the smoothing parameters of a term whose ratios are the same: one for each factor.

    Along `axes` all of them are diagonal: `share` of each direction is lost to the penalty, `keep` is left.

    Parameters
    ----------
    problem : NullProblem
    weights : ndarray
        The smoothing parameters at the factor 1.
    step : float or None
        Between the logarithms of the factors; None: 1 is the only factor.
    """

    def __init__(self, problem, weights, step):
        values, self.axes = np.linalg.eigh(_weighted(weights, problem.penalties))
        values[: problem.null] = 0.0
        values = np.maximum(values, 0.0)
        factors = np.ones(1) if step is None else _factors(values[problem.null :], step)
        strength = factors[:, None] * values
        self.share, self.keep = strength / (1 + strength), 1 / (1 + strength)
        # log|S| - log|H|, up to a constant
        penalised = self.share[:, problem.null :]
        if problem.for_ml is not None:
            strength = factors[:, None] * np.linalg.eigvalsh(_weighted(weights, problem.for_ml))
            penalised = strength / (1 + strength)
        self.log_det = np.log(np.maximum(penalised, 1e-300)).sum(axis=1)
        shared = np.sum((problem.shared @ self.axes) * self.axes, axis=0)
        self.apart = 1 - shared
        # With F = (G + S)^-1 G: tr(F), and 2 tr(F) - tr(F F) over the columns of the term.
        self.df = problem.df_others + self.keep @ self.apart
        self.rank = np.sum(1 - self.share**2, axis=1) - (self.share * self.keep) @ shared


def _weighted(weights, matrices):
    return sum(w * matrix for w, matrix in zip(weights, matrices, strict=True))


def _factors(values, step):
    values = values[values > 0]
    if not len(values):
        return np.ones(1)
    low, high = -np.log(values[-1]) - _FREE, -np.log(values[0]) + _STRAIGHT
    return np.exp(np.linspace(low, high, int(min((high - low) / step, _MOST))))


def rays(problem, lam):
    """Candidates for all smoothing parameters of a term; with four or more of them the ratios are those of `lam`."""
    several = len(problem.penalties)
    if several not in _RATIOS:
        return [Ray(problem, lam, _RATIOS[3][1])]
    ratios, step = _RATIOS[several]
    even = 1 / np.array([np.linalg.norm(S) for S in problem.penalties])
    return [Ray(problem, even * np.exp([0.0, *more]), step) for more in product(ratios, repeat=several - 1)]


class Criterion:
    """Criterion that chose the smoothing parameters of the model, for draws of a null problem.

    Parameters
    ----------
    problem : NullProblem
    method : {"reml", "ml", "gcv"}
    n : float
        Rows.
    free : int
        Unpenalised coefficients of the model.
    known : bool
        Whether the scale is known: it is 1 then.
    gamma : float
    """

    def __init__(self, problem, method, *, n, free, known, gamma):
        self.n, self.known, self.gamma, self.likelihood = n, known, gamma, method != "gcv"
        self.rows = n if method == "ml" else n - free
        # Degrees of freedom of what the other terms and any value of this one's coefficients leave: with what the
        # others' penalties cost, as in the likelihood, and without.
        penalised = n - free - (problem.q - problem.null)
        plain = n - problem.df_others - (problem.q - np.trace(problem.shared))
        self.penalised, self.plain = max(float(penalised), 1.0), max(float(plain), 1.0)

    @property
    def residual(self):
        """Degrees of freedom of the sum of squares drawn with z; None if the scale is known."""
        if self.known:
            return None
        return self.penalised if self.likelihood else self.plain

    def __call__(self, ray, squares):
        """The criterion for draws (rows) and the candidates of a ray (columns).

        Draws come with a scale that makes the residual sums of squares their degrees of freedom.
        """
        if self.likelihood:
            D = squares @ ray.share.T
            return (D if self.known else self.rows * np.log(self.penalised + D)) - ray.log_det
        D, df = squares @ (ray.share**2 * ray.apart).T, self.gamma * ray.df
        return D + 2 * df if self.known else (self.plain + D) / (self.n - df) ** 2

    def scale(self, ray, k, squares):
        """The estimate of the scale at candidate k, and its degrees of freedom."""
        if self.known:
            return 1.0, None
        df = self.n - ray.df[k]
        return (self.plain + squares @ (ray.share[k] ** 2 * ray.apart)) / df, df


@lru_cache(maxsize=8)
def draws(q, residual, count=_DRAWS, seed=0):
    """Normal vectors and their weights; with residual degrees of freedom over independent roots of a mean square.

    Shifted Sobol points, the same ones each time. The first coordinates have heavier tails, so that small p-values
    are seen as well: of their two-sided probabilities the roots are uniform.
    """
    u = qmc.Sobol(q + 1, scramble=False).random(count)
    u = np.clip((u + np.random.default_rng(seed).random(q + 1)) % 1.0, 1e-9, 1 - 1e-9)
    heavy = 2 * u[:, : min(_HEAVY, q)] - 1
    z = np.column_stack([-np.sign(heavy) * ndtri(heavy**2 / 2), ndtri(u[:, heavy.shape[1] : q])])
    weights = np.abs(heavy).prod(axis=1)
    if residual is not None:
        z *= np.sqrt(residual / chdtri(residual, u[:, q]))[:, None]
    weights /= weights.sum()
    z.flags.writeable = weights.flags.writeable = False
    return z, weights


def null_p_values(problem, candidates, criterion, z):
    """Wood's p-values of draws, each at the smoothing parameters that the criterion chooses for it.

    Where a term with several of them vanishes the test would depend on ratios of infinite numbers: infinity, for none.
    """
    rows, best = np.arange(len(z)), np.full(len(z), np.inf)
    ray_of, place_of = np.zeros(len(z), np.intp), np.zeros(len(z), np.intp)
    for j, ray in enumerate(candidates):
        cost = criterion(ray, (z @ ray.axes) ** 2)
        place = np.argmin(cost, axis=1)
        lowest = cost[rows, place]
        better = np.flatnonzero(lowest < best)
        best[better], ray_of[better], place_of[better] = lowest[better], j, place[better]
    p, tested, statistics, forms, dfs = np.ones(len(z)), [], [], [], []
    for j, k in np.unique(np.column_stack([ray_of, place_of]), axis=0):
        ray, drawn = candidates[j], np.flatnonzero((ray_of == j) & (place_of == k))
        if len(problem.penalties) > 1 and ray.keep[k].sum() < _GONE:
            p[drawn] = np.inf
            continue
        form = problem.form(ray, k)
        if len(form.weights):
            turned = z[drawn] @ ray.axes
            scale, df = criterion.scale(ray, k, turned**2)
            tested.append(drawn)
            statistics.append(form.statistics((turned * ray.keep[k]).T) / scale)
            forms.append(form)
            dfs.append(df)
    for drawn, tails in zip(tested, _tails(statistics, forms, dfs) if tested else [], strict=True):
        p[drawn] = np.mean(tails, axis=0)
    return p


def _tails(statistics, forms, dfs):
    """Tails of all statistics; equal distributions are computed at a few places and their logarithms interpolated."""
    mixtures = [few_weights(form.weights, *_TOGETHER) for form in forms]
    roots = [np.sqrt(t) for t in statistics]
    nodes = [x if x.size <= _NODES else np.linspace(x.min(), x.max(), _NODES) for x in roots]
    # A constant part of the mixture is taken to have the scale's error as well.
    places = [at**2 - constant for at, (_, _, constant) in zip(nodes, mixtures, strict=True)]
    tails = chi_square_mixtures(places, [w for w, _, _ in mixtures], [d for _, d, _ in mixtures], dfs, tol=1e-5)
    for x, at, tail in zip(roots, nodes, tails, strict=True):
        yield tail if at is x else np.exp(np.interp(x, at, np.log(np.maximum(tail, 1e-300))))


def distribution(p, weights):
    """The distribution function of weighted draws: smooth, rising, and proportional to its argument below all levels.

    Parameters
    ----------
    p, weights : ndarray of shape (n,)
        Draws above 1 are no p-values: the function ends below 1.

    Returns
    -------
    callable
    """
    order = np.argsort(p, kind="stable")[: np.sum(p <= 1)]
    cdf = np.interp(_LEVELS, p[order], np.cumsum(weights[order]))
    cdf = np.maximum(cdf, _LEVELS / 10)  # no draw is this small
    cdf[-1] = weights[order].sum()
    curve = PchipInterpolator(np.log(_LEVELS), np.log(cdf))

    def evaluate(x):
        if x < _LEVELS[0]:
            return float(x * cdf[0] / _LEVELS[0])
        return float(np.exp(curve(np.log(x))))

    return evaluate


def calibrated(p, model, j, random=None):
    """The p-value of term j of a fitted `GAM`, from that of Wood's test.

    `random` holds the columns of the other random effects if the term is tested as one that can vanish.
    """
    term, at = model.terms_[j], model._slices[j]
    G, S = model.information_, model.penalty_
    if len(term.penalties) > 1 and model.edf_[j] < _GONE:
        return 1.0
    if not (np.isfinite(p) and np.all(np.isfinite(G)) and np.all(np.isfinite(S))):
        return p
    ranges = _penalised_ranges(model, j) if model.method == "ml" else None
    problem = NullProblem(G, S, at, term.penalties, term.null, ranges, random)
    if not problem.q:
        return p
    criterion = Criterion(
        problem,
        model.method,
        n=model.n_effective_,
        free=1 + sum(other.width if other.parametric else other.null for other in model.terms_),
        known=make_family(**model.family_).dispersion_known,
        gamma=model.gamma,
    )
    first = sum(len(other.penalties) for other in model.terms_[:j])
    lam = model.lam_[first : first + len(term.penalties)] / term.scales
    candidates = rays(problem, lam) if term.lam is None else [Ray(problem, lam, None)]
    z, weights = draws(problem.q, criterion.residual)
    return distribution(null_p_values(problem, candidates, criterion, z), weights)(p)


def _penalised_ranges(model, j):
    """Bases of the directions that are penalised, of term j and of all others."""
    basis, others = None, [np.zeros((len(model.coef_), 0))]
    for i, (term, at) in enumerate(zip(model.terms_, model._slices, strict=True)):
        if term.penalties:
            U = np.zeros((len(model.coef_), term.width - term.null))
            place, block = Block(at, term.penalties, range(len(term.penalties)), term.null).range
            U[place] = np.diag(block) if block.ndim == 1 else block
            basis = U if i == j else basis
            others += [] if i == j else [U]
    return basis, np.column_stack(others)
