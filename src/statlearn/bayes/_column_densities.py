"""Class-conditional densities of one column, for `MixedNB`."""

import inspect

import numpy as np
from scipy.special import gammaln
from sklearn.base import clone

from statlearn._math.density.bandwidth import rule_bandwidth

from ._base import dirichlet_estimate, log_quietly
from ._moments import ClassMoments


class GaussianColumn:
    """Normal density in each class."""

    additive = True

    def __init__(self, n_classes, var_smoothing):
        self.var_smoothing = var_smoothing
        self.count, self.mean, self.scatter = np.zeros((3, n_classes, 1))

    def add(self, x, labels, weights):
        block = ClassMoments.from_block(x[:, None], labels, weights, n_classes=len(self.count))
        both = ClassMoments(self.count, self.mean, self.scatter).merge(block)
        self.count, self.mean, self.scatter = both.count, both.mean, both.scatter

    def spread(self):
        """Variance over all classes."""
        spread = ClassMoments(self.count, self.mean, self.scatter).total().solve()[0, 0]
        return 0.0 if np.isnan(spread) else float(spread)

    def solve(self, largest):
        """Variances with a share of their own spread, or of the `largest` of all columns if the column is constant."""
        seen, epsilon = self.count[:, 0] > 0, self.var_smoothing * (self.spread() or largest)
        plain = np.where(seen, ClassMoments(self.count, self.mean, self.scatter).solve()[:, 0], 1.0) + epsilon
        least = np.finfo(np.float64).tiny * 1e8  # stands for the point mass of a constant column
        self.variance = np.maximum(plain, least)
        self.seen, self.constant = seen, plain < least

    def log_density(self, x):
        with np.errstate(over="ignore"):
            squares = (x[:, None] - self.mean[:, 0]) ** 2 / self.variance
        logs = -0.5 * (np.log(2 * np.pi * self.variance) + squares)
        return np.where(self.seen, logs, 0.0)


class CategoricalColumn:
    """Smoothed shares of codes 0, 1, ...; a code beyond the known ones is one more category without counts."""

    additive = True

    def __init__(self, n_classes, alpha, n_levels=0):
        self.alpha = alpha
        self.counts = np.zeros((n_classes, n_levels))

    def grow(self, n_levels):
        wider = np.zeros((len(self.counts), max(n_levels, self.counts.shape[1])))
        wider[:, : self.counts.shape[1]] = self.counts
        self.counts = wider

    def add(self, x, labels, weights):
        seen = ~np.isnan(x)
        if weights is not None:
            seen &= weights > 0
        codes = x[seen].astype(np.int64)
        self.grow(int(codes.max(initial=-1)) + 1)
        k, m = self.counts.shape
        at = labels[seen].astype(np.int64) * m + codes
        self.counts += np.bincount(at, None if weights is None else weights[seen], minlength=k * m).reshape(k, m)

    def solve(self):
        self.logs = self._estimate(self.counts)

    def _estimate(self, counts):
        """Log probabilities of the codes, and of an unseen one."""
        unseen = np.zeros((len(counts), 1))
        if self.alpha > 0:
            wider = np.column_stack([counts, np.zeros(len(counts))])
            unseen = np.log(dirichlet_estimate(wider, self.alpha, "mean")[:, -1:])
        known = dirichlet_estimate(counts, self.alpha, "mean") if counts.shape[1] else counts
        return np.column_stack([log_quietly(known), unseen])

    def log_density(self, x):
        codes = np.where(np.isnan(x), 0.0, x)
        return self.logs[:, np.minimum(codes, self.logs.shape[1] - 1).astype(np.int64)].T


class ComplementColumn(CategoricalColumn):
    """Weights of codes as in `ComplementNB`: minus the log shares of all other classes together."""

    def solve(self):
        self.logs = -self._estimate(np.maximum(self.counts.sum(axis=0) - self.counts, 0.0))


class PoissonColumn:
    """Poisson counts in each class; the rate is (sum + alpha) / (weight + alpha) times the overall mean for alpha."""

    additive = True

    def __init__(self, n_classes, alpha):
        self.alpha = alpha
        self.total, self.weight = np.zeros(n_classes), np.zeros(n_classes)

    def add(self, x, labels, weights):
        seen = ~np.isnan(x)
        values = x[seen].astype(np.float64)
        if np.any(values < 0) or np.any(values != np.floor(values)):
            raise ValueError("X: a 'poisson' column must contain counts 0, 1, 2, ...")
        w = np.ones(len(values)) if weights is None else weights[seen]
        k = len(self.total)
        self.total += np.bincount(labels[seen], w * values, minlength=k)
        self.weight += np.bincount(labels[seen], w, minlength=k)

    def solve(self):
        overall = self.total.sum() / self.weight.sum() if self.weight.sum() > 0 else 1.0
        top, bottom = self.total + self.alpha * overall, self.weight + self.alpha
        self.rate = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), overall)

    def log_density(self, x):
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(x[:, None] == 0, 0.0, x[:, None] * np.log(self.rate))
        return logs - self.rate - gammaln(x + 1)[:, None]


class FittedColumn:
    """Any density: one fitted copy per class.

    The family has `fit(X)` with `score_samples(X)` or `logpdf(x)` (an estimator), or is a distribution of scipy with
    `fit(data)` that returns parameters and `logpdf(x, *parameters)`.

    With a weight a of the pooled density g of all classes, a class with the weight W and its own density f has
    (W f + a g) / (W + a): the predictive density under a Dirichlet process with base g and concentration a. Where f
    vanishes the classes then differ by a bounded factor.
    """

    additive = False

    def __init__(self, n_classes, family, name, pooled_weight=0.0):
        self.family, self.name, self.pooled_weight = family, name, pooled_weight
        self.count, self.mean, self.scatter = np.zeros((3, n_classes, 1))

    def add(self, x, labels, weights):
        block = ClassMoments.from_block(x[:, None], labels, weights, n_classes=len(self.count))
        self.count, self.mean, self.scatter = block.count, block.mean, block.scatter
        seen = ~np.isnan(x)
        if weights is not None:
            seen &= weights > 0
        try:
            self.models = [self._fit_rows(x, weights, seen & (labels == c)) for c in range(len(self.count))]
            self.pooled = self._fit_rows(x, weights, seen) if self.pooled_weight > 0 else None
        except ValueError as error:
            raise ValueError(f"X: column {self.name!r}: the density of one class cannot be fitted: {error}") from error

    def _fit_rows(self, x, weights, rows):
        """Density fitted to the rows, or None if there are no rows."""
        if not rows.any():
            return None
        return self._fitted(x[rows].astype(np.float64), None if weights is None else weights[rows])

    def _fitted(self, x, weights):
        takes_weights = "sample_weight" in inspect.signature(self.family.fit).parameters
        if weights is not None and not takes_weights and np.any(weights != 1):
            raise ValueError("this family does not accept `sample_weight`.")
        if hasattr(self.family, "logpdf") and not hasattr(self.family, "get_params"):
            return tuple(float(v) for v in self.family.fit(x))
        model = clone(self.family)
        return model.fit(x[:, None], sample_weight=weights) if takes_weights else model.fit(x[:, None])

    def solve(self):
        pass

    def log_density(self, x):
        safe = np.where(np.isnan(x), 0.0, x).astype(np.float64)
        densities = np.column_stack([self._one(model, safe) for model in self.models])
        if self.pooled is None:
            return densities
        a, weight = self.pooled_weight, self.count[:, 0]
        common = np.log(a) + self._one(self.pooled, safe)[:, None]
        return np.logaddexp(densities + log_quietly(weight), common) - np.log(weight + a)

    def _one(self, model, x):
        if model is None:
            return np.zeros(len(x))
        if isinstance(model, tuple):
            return self.family.logpdf(x, *model)
        return model.score_samples(x[:, None]) if hasattr(model, "score_samples") else model.logpdf(x)


class KernelColumn(FittedColumn):
    """Gaussian kernel density in each class, with `adjust` times the bandwidth of the rule nrd0."""

    def __init__(self, n_classes, adjust, name, pooled_weight=0.0):
        super().__init__(n_classes, None, name, pooled_weight)
        self.adjust = adjust

    def _fitted(self, x, weights):
        from statlearn.neighbors import KernelDensity

        bandwidth = self.adjust * float(rule_bandwidth(x, weights, "nrd0"))
        return KernelDensity(bandwidth=bandwidth).fit(x[:, None], sample_weight=weights)
