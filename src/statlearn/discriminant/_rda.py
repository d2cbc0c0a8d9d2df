"""Regularised discriminant analysis: between linear and quadratic, and towards the sphere."""

import numpy as np
from scipy import linalg
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.fitted_state import forget
from statlearn._core.params import Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve
from statlearn._core.summary import Summary, Table, as_counts
from statlearn._core.validation import require_finite
from statlearn._math.linalg.eigen import eigh

from ._base import DiscriminantClassifier, check_training, stratified_folds
from ._class_scatter import ClassScatter, fold_scatters
from ._leave_one_out import check_unit_weights, loo_scores
from ._qda import gaussian_scores
from ._sphering import correlation_condition, small_blas, sphere_regular, stack_spherings

ALPHAS = np.linspace(0.0, 1.0, 11)
GAMMAS = np.array([0.0, 0.01, 0.1, 0.5])


def regularised_covariance(S_class, S_pooled, alpha, gamma):
    """``(1 - gamma) M + gamma (tr M / p) I`` with ``M = alpha S_class + (1 - alpha) S_pooled``."""
    M = (1 - alpha) * S_pooled if alpha == 0 else alpha * S_class + (1 - alpha) * S_pooled
    return (1 - gamma) * M + gamma * (np.trace(M) / len(M)) * np.eye(len(M))


def _grid(name, value):
    """A grid of numbers in [0, 1]."""
    grid = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if grid.ndim != 1 or not grid.size or not np.all((grid >= 0) & (grid <= 1)):
        raise ValueError(f"`{name}` must contain numbers between 0 and 1, got {value!r}.")
    return np.unique(grid)


def _grid_scores(statistic, X, alpha, gammas):
    """Log densities (up to a constant) of rows under the models of one alpha and all gammas: (g, n, k).

    The eigenvectors of the mixed covariance serve all gammas.
    """
    k, p = statistic.means.shape
    pooled = statistic.pooled_covariance(statistic.n_present)
    covariances = statistic.class_covariances(1.0)
    scores = np.full((len(gammas), len(X), k), -np.inf)
    for c in range(k):
        if statistic.counts[c] == 0:
            continue
        S = np.nan_to_num(covariances[c])  # a class of one row has no scatter
        M = regularised_covariance(S, pooled, alpha, 0.0)
        if (gammas == 0).any():  # units do not matter: by scaled columns
            plain = sphere_regular(M)
            if plain.rank == p:
                Z = (X - statistic.means[c]) @ plain.W
                scores[gammas == 0, :, c] = -0.5 * (np.einsum("ij,ij->i", Z, Z) + plain.log_det)
        if not (gammas > 0).any():
            continue
        values, vectors = eigh(M)
        values = np.maximum(values, 0.0)
        E = (1 - gammas)[:, None] * values + gammas[:, None] * values.mean()
        usable = (gammas > 0) & (E.min(axis=1) > 1e-12 * max(values[-1], np.finfo(float).tiny))
        squares = ((X - statistic.means[c]) @ vectors) ** 2
        E = np.where(usable[:, None], E, 1.0)
        log_densities = -0.5 * (squares @ (1.0 / E).T + np.log(E).sum(axis=1)).T
        scores[usable, :, c] = log_densities[usable]
    return scores


def _losses(scores, codes, weights, scoring):
    """Mean loss for each gamma: error rate or log loss."""
    w = np.ones(len(codes)) if weights is None else weights.astype(np.float64)
    out = np.empty(len(scores))
    for g, score in enumerate(scores):
        if scoring == "error":
            out[g] = np.average(np.argmax(score, axis=1) != codes, weights=w)
        else:
            with np.errstate(invalid="ignore"):  # rows without any density, of a model that is passed over
                out[g] = -np.average(log_softmax(score, axis=1)[np.arange(len(codes)), codes], weights=w)
    return out


class RegularizedDiscriminantAnalysis(DiscriminantClassifier, ClassifierMixin, BaseEstimator):
    r"""Regularised discriminant analysis, with its two parameters by cross-validation.

    Gaussian classes with the covariances

    .. math:: \Sigma_k(\alpha) = \alpha \hat\Sigma_k + (1 - \alpha) \hat\Sigma, \qquad
        \Sigma_k(\alpha, \gamma) = (1 - \gamma) \Sigma_k(\alpha) + \gamma \frac{\mathrm{tr}\, \Sigma_k(\alpha)}{p} I

    where Σ̂_k has the divisor n_k - 1 and the pooled Σ̂ the divisor n - K. α = 0 is linear and α = 1 quadratic
    discriminant analysis; γ = 1 makes the classes spherical.

    Parameters
    ----------
    alpha : float or array-like of floats in [0, 1], or None, default=None
        Weight of the class covariances. The best of several values is chosen; None means 0, 0.1, ..., 1.
    gamma : float or array-like of floats in [0, 1], "cv" or None, default=None
        Weight of the multiple of the identity. The best of several values is chosen, and "cv" means 0, 0.01, 0.1 and
        0.5. None means 0 if `alpha` is given, which leaves Σ_k(α), and "cv" otherwise. Scale the columns if γ > 0.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    cv : int, splitter, iterable, "loo" or None, default=10
        Folds for the choice; an int means stratified folds. "loo" leaves out one row at a time, in closed form. Ignored
        if there is nothing to choose.
    scoring : {"error", "log_loss"}, default="error"
        Loss that is compared: the rate of misclassified rows or the mean negative log posterior of the true class.
    rule : {"min", "one_se"}, default="min"
        Smallest loss, or the smallest α (then the largest γ) within one standard error of it. Ties go to the smaller α
        and then the larger γ.

    Attributes
    ----------
    alpha_, gamma_ : float
        The chosen values.
    cv_loss_ : ndarray of shape (n_alphas, n_gammas)
        Cross-validated loss; only if there was a choice.
    alphas_, gammas_ : ndarray
        The grids, ascending.
    cv_curve_ : CVCurve
        Loss against α at the chosen γ (or against γ, if α was fixed); only if there was a choice.
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    covariances_ : ndarray of shape (n_classes, n_features, n_features)
        Regularised covariances.
    class_count_ : ndarray of shape (n_classes,)
        Sum of the weights of each class.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    One pass over the rows collects the class scatters of all folds. For each fold, class and α, one eigendecomposition
    serves all values of γ. Leave-one-out is exact, by rank-one updates.

    The loss of the chosen model is optimistic, because it was chosen by that loss. Models whose covariances are
    singular in a fold get an infinite loss there and are never chosen.

    References
    ----------
    Friedman (1989), Regularized discriminant analysis, JASA 84.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.discriminant import RegularizedDiscriminantAnalysis
    >>> X, y = load_wine(return_X_y=True)
    >>> rda = RegularizedDiscriminantAnalysis(cv="loo").fit(X, y)
    >>> round(rda.alpha_, 1), round(rda.score(X, y), 2)
    (0.6, 1.0)
    """

    # By log loss, the measure that compare judges classes by: ties in the error would choose the most shrinkage.
    _search_space = SearchSpace("regularized discriminant analysis", fixed={"scoring": "log_loss"})

    _constraints = {
        "alpha": [Real(0, 1, closed="both"), "array-like", None],
        "gamma": [Real(0, 1, closed="both"), Options("cv"), "array-like", None],
        "priors": ["array-like", None],
        "cv": ["cv", Options("loo")],
        "scoring": [Options("error", "log_loss")],
        "rule": [Options("min", "one_se")],
    }

    def __init__(self, alpha=None, gamma=None, *, priors=None, cv=10, scoring="error", rule="min"):
        self.alpha = alpha
        self.gamma = gamma
        self.priors = priors
        self.cv = cv
        self.scoring = scoring
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        """Fit the model, after choosing the parameters if several values are given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row in the fit. In the choice of parameters, the weighted
            rows are split as they are, so that copies of a row never fall into different folds.

        Returns
        -------
        self
        """
        check_params(self)
        alphas = _grid("alpha", ALPHAS if self.alpha is None else self.alpha)
        gammas = self._gamma_grid()
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        if np.bincount(codes, weights=weights).sum() <= len(classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        self.classes_ = classes
        self.alphas_, self.gammas_ = alphas, gammas
        forget(self, "cv_loss_", "cv_curve_", "_n_loo")
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(classes))
        require_finite(statistic.scatter)
        self.priors_ = class_priors(self.priors, statistic.counts)
        a = g = 0
        if alphas.size * gammas.size > 1:
            with small_blas(X.shape[1]):
                a, g = self._choose(X, codes, weights, statistic, sample_weight)
        self.alpha_, self.gamma_ = float(alphas[a]), float(gammas[g])
        self._set_model(statistic, X.dtype)
        return self

    def _gamma_grid(self):
        """Candidates for gamma. An alpha without a gamma means the covariances of alpha alone."""
        gamma = self.gamma
        if gamma is None:
            gamma = "cv" if self.alpha is None else 0.0
        return _grid("gamma", GAMMAS if isinstance(gamma, str) else gamma)

    def _set_model(self, statistic, dtype):
        pooled = statistic.pooled_covariance(statistic.n_present)
        scatters = np.nan_to_num(statistic.class_covariances(1.0))
        self.covariances_ = np.stack([regularised_covariance(S, pooled, self.alpha_, self.gamma_) for S in scatters])
        spherings = [sphere_regular(S, dtype=dtype) for S in self.covariances_]
        p = statistic.means.shape[1]
        for label, each in zip(self.classes_, spherings):
            if each.rank < p:
                remedy = "Use gamma > 0 or a smaller alpha."
                if self.gamma_ > 0:
                    remedy = "All columns are constant within the class; use a smaller alpha."
                    if self.alpha_ == 0 or not np.any(pooled):
                        remedy = "All columns are constant within the classes."
                raise linalg.LinAlgError(
                    f"The covariance of class {label} is singular (rank {each.rank} of {p}) with alpha={self.alpha_:g} "
                    f"and gamma={self.gamma_:g}. {remedy}"
                )
        self.class_count_, self.means_ = statistic.counts, statistic.means.astype(dtype)
        self._factors = stack_spherings(spherings, p, dtype)
        self._log_dets = np.array([each.log_det for each in spherings])

    def _choose(self, X, codes, weights, statistic, sample_weight):
        """Positions of the chosen alpha and gamma; stores the losses."""
        alphas, gammas = self.alphas_, self.gammas_
        if isinstance(self.cv, str):
            loss, fold_weight = self._loo_losses(X, codes, weights, statistic), None
        else:
            loss, fold_weight = self._cv_losses(X, codes, weights, sample_weight)
        # Simplest first: alpha ascending, gamma descending.
        order = [(a, g) for a in range(len(alphas)) for g in range(len(gammas) - 1, -1, -1)]
        flat = np.stack([loss[a, g] for a, g in order])
        curve = CVCurve(np.arange(len(order)), flat, fold_weight)
        mean = np.where(np.isfinite(flat).all(axis=1), curve.mean, np.inf)
        if not np.isfinite(mean).any():
            raise linalg.LinAlgError(
                "No model on the grid has a finite loss: all covariances on the grid are singular, or, with "
                "scoring='log_loss', a class has no row in a training fold. Include values gamma > 0, remove constant "
                "columns, or use scoring='error'."
            )
        best = int(np.argmin(mean))
        if self.rule == "one_se":
            finite = np.where(np.isfinite(flat), flat, np.nan)[best]
            error = CVCurve(np.zeros(1), finite[None], fold_weight).std_error[0]
            if isinstance(self.cv, str):
                error = self._loo_error(finite, mean[best])
            best = int(np.argmax(mean <= mean[best] + error))
        a, g = order[best]
        self.cv_loss_ = np.average(loss, axis=2, weights=fold_weight)
        if len(alphas) > 1:
            self.cv_curve_ = CVCurve(alphas, loss[:, g], fold_weight, name="alpha")
        else:
            self.cv_curve_ = CVCurve(gammas[::-1], loss[a, ::-1], fold_weight, name="gamma")
        return a, g

    def _loo_error(self, finite, mean):
        n = self._n_loo
        return np.sqrt(mean * max(1.0 - mean, 0.0) / n) if self.scoring == "error" else 0.0

    def _cv_losses(self, X, codes, weights, sample_weight):
        alphas, gammas = self.alphas_, self.gammas_
        k = len(self.classes_)
        folds = stratified_folds(self.cv, X, codes, sample_weight)
        loss = np.empty((len(alphas), len(gammas), len(folds)))
        weight = np.array([len(t) if weights is None else float(weights[t].sum()) for _, t in folds])
        for f, statistic in enumerate(fold_scatters(X, codes, weights, folds, k)):
            test = folds[f][1]
            counts = statistic.counts
            priors = counts / counts.sum() if self.priors is None else self.priors_
            rows = X[test].astype(np.float64, copy=False)
            with np.errstate(divide="ignore"):
                log_priors = np.log(priors)
            for a, alpha in enumerate(alphas):
                if statistic.total_weight <= statistic.n_present:
                    loss[a, :, f] = np.inf
                    continue
                scores = _grid_scores(statistic, rows, alpha, gammas)
                bad = np.isneginf(scores[:, :, counts > 0]).any(axis=(1, 2))
                loss[a, :, f] = _losses(scores + log_priors, codes[test], _of(weights, test), self.scoring)
                loss[a, bad, f] = np.inf
        return loss, weight

    def _loo_losses(self, X, codes, weights, statistic):
        check_unit_weights(weights)
        alphas, gammas = self.alphas_, self.gammas_
        priors = None if self.priors is None else self.priors_
        loss = np.empty((len(alphas), len(gammas), 1))
        self._n_loo = statistic.total_weight
        for a, alpha in enumerate(alphas):
            scores = loo_scores(statistic, X, codes, alpha=alpha, gammas=gammas, priors=priors)
            loss[a, :, 0] = _losses(scores, codes, weights, self.scoring)
            dead = np.isneginf(scores).all(axis=1)  # a class without a density for any row: a singular covariance
            loss[a, (dead & (self.priors_ > 0)).any(axis=1), 0] = np.inf
        return loss

    def _likelihood_scores(self, X):
        return gaussian_scores(X, self.means_, self._factors, self._log_dets)

    def summary(self):
        """Table of the classes with the regularised covariances, and the chosen parameters.

        Returns
        -------
        Summary
            The condition number is that of the correlation matrix.
        """
        check_is_fitted(self)
        spread = np.array([np.trace(S) / len(S) for S in self.covariances_])
        condition = np.array([correlation_condition(S) for S in self.covariances_])
        columns = {
            "n": as_counts(self.class_count_),
            "prior": self.priors_,
            "mean_variance": spread,
            "log_determinant": self._log_dets,
            "condition_number": condition,
        }
        facts = {"alpha": self.alpha_, "gamma": self.gamma_}
        labels = {"alpha": "alpha (1 = quadratic, 0 = linear)", "gamma": "gamma (1 = spherical)"}
        if hasattr(self, "cv_loss_"):
            a, g = np.searchsorted(self.alphas_, self.alpha_), np.searchsorted(self.gammas_, self.gamma_)
            facts["cv_loss"] = float(self.cv_loss_[a, g])
            labels["cv_loss"] = f"Cross-validated {'error' if self.scoring == 'error' else 'log loss'}"
        return Summary(
            "Regularized discriminant analysis", Table([str(c) for c in self.classes_], columns), facts, labels
        )


def _of(weights, rows):
    return None if weights is None else weights[rows]
