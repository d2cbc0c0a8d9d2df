"""Mixture discriminant analysis: every class is a mixture of Gaussians with one covariance for all."""

import warnings

import numpy as np
from scipy import linalg
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.names import input_names
from statlearn._core.params import Int, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import require_finite
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn.cluster import KMeans
from statlearn.mixture import EMDriver

from ._base import DiscriminantClassifier, check_training, mean_columns
from ._sphering import sphere, warn_singular


class _Subclasses:
    """Log densities of subclasses with a common covariance."""

    def __init__(self, shares, means, covariance):
        self.shares, self.means = shares, means  # (r,), (r, p)
        self.covariance = covariance
        sphering = sphere(covariance)
        if sphering.rank < len(covariance):
            raise linalg.LinAlgError(
                "The common covariance of the subclasses is singular. Increase `reg_covar` or remove collinear columns."
            )
        self.W, self.log_det = sphering.W, sphering.log_det

    def joint(self, X, members):
        """Log of share times density of the subclasses `members`, up to the constant of the dimension."""
        centre = self.means[members].mean(axis=0)
        Z, C = (X - centre) @ self.W, (self.means[members] - centre) @ self.W
        squares = np.sum(Z**2, axis=1)[:, None] - 2 * Z @ C.T + np.sum(C**2, axis=1)
        with np.errstate(divide="ignore"):
            return np.log(self.shares[members]) - 0.5 * (np.maximum(squares, 0.0) + self.log_det)


class _SubclassProblem:
    """The E and M steps: rows of each class, with weights w, and the number of its subclasses."""

    def __init__(self, X, w, rows, sizes, ridge):
        self.X, self.w, self.rows, self.sizes, self.ridge = X, w, rows, sizes, ridge
        self.owner = np.repeat(np.arange(len(rows)), sizes)  # the class of each subclass

    def e_step(self, model):
        parts, objective = [], 0.0
        for c, mine in enumerate(self.rows):
            joint = model.joint(self.X[mine], self.owner == c)
            norm = logsumexp(joint, axis=1)
            objective += float(self.w[mine] @ norm)
            parts.append(np.exp(joint - norm[:, None]))
        return objective / self.w.sum(), parts

    def m_step(self, responsibilities):
        p = self.X.shape[1]
        shares, means, scatter = np.empty(len(self.owner)), np.empty((len(self.owner), p)), 0.0
        for c, part in enumerate(responsibilities):
            X, mine = self.X[self.rows[c]], self.owner == c
            R = self.w[self.rows[c], None] * part
            total = np.maximum(R.sum(axis=0), np.finfo(float).tiny)
            shares[mine], means[mine] = total / total.sum(), R.T @ X / total[:, None]
            for column, mean in zip(R.T, means[mine]):
                Z = np.sqrt(column)[:, None] * (X - mean)
                scatter = scatter + Z.T @ Z
        return _Subclasses(shares, means, scatter / self.w.sum() + self.ridge * np.eye(p))

    def start(self, seed):
        """Subclasses by k-means within each class."""
        parts = []
        for c, mine in enumerate(self.rows):
            labels = np.zeros(len(mine), dtype=int)
            if self.sizes[c] > 1:
                kmeans = KMeans(self.sizes[c], n_init=1, random_state=seed + c)
                with warnings.catch_warnings():  # fewer distinct rows than subclasses: some remain empty
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    labels = kmeans.fit(self.X[mine], sample_weight=self.w[mine]).labels_
            parts.append(np.eye(self.sizes[c])[labels])
        return self.m_step(parts)


class MixtureDiscriminantAnalysis(DiscriminantClassifier, ClassifierMixin, BaseEstimator):
    r"""Mixture discriminant analysis: classes of several groups.

    Each class is a mixture of Gaussian subclasses, and all subclasses of all classes share one covariance:

    .. math:: p(x \mid k) = \sum_{r} \pi_{kr}\, N(x; \mu_{kr}, \Sigma)

    EM maximises the likelihood of the rows given their classes, from subclasses found by k-means within each class.
    Stops when the mean log-likelihood per row changes by less than `tol`.

    Parameters
    ----------
    n_subclasses : int or array-like of ints, default=3
        Number of subclasses of every class, or of each class in the order of the sorted labels. A class never gets more
        than its number of rows.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    reg_covar : float, default=1e-6
        Multiple of the mean variance of the columns that is added to the diagonal of the covariance.
    max_iter : int, default=200
        Maximum number of EM steps.
    tol : float, default=1e-6
        Threshold for the stopping rule.
    n_init : int, default=1
        Number of starts; the highest likelihood wins.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    classes_, priors_ : ndarray of shape (n_classes,)
    subclass_means_ : ndarray of shape (n_subclasses_total, n_features)
    subclass_weights_ : ndarray of shape (n_subclasses_total,)
        Shares within the class, which sum to 1 for each class.
    subclass_class_ : ndarray of int of shape (n_subclasses_total,)
        Position in `classes_` of the class of each subclass.
    covariance_ : ndarray of shape (n_features, n_features)
        The common covariance, with divisor n.
    log_likelihood_ : float
        Of all rows given their classes, without the constant of the dimension.
    log_likelihood_history_ : ndarray
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    With one subclass per class this is linear discriminant analysis with the divisor n. EM finds a local maximum;
    `n_init` compares several. Each step costs O(n p (R + p)), with R subclasses.

    References
    ----------
    Hastie & Tibshirani (1996), Discriminant analysis by Gaussian mixtures, JRSS B 58.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import MixtureDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MixtureDiscriminantAnalysis(2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    _search_space = SearchSpace(
        "mixture discriminant analysis",
        grid={"n_subclasses": [1, 2, 3, 5]},
        fixed={"reg_covar": 1e-3, "max_iter": 1000, "tol": 1e-4},
    )

    _constraints = {
        "n_subclasses": [Int(1, None), "array-like"],
        "priors": ["array-like", None],
        "reg_covar": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "n_init": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_subclasses=3, *, priors=None, reg_covar=1e-6, max_iter=200, tol=1e-6, n_init=1, random_state=None
    ):
        self.n_subclasses = n_subclasses
        self.priors = priors
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit the mixtures by EM.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to its absence, except in the random
            starts.

        Returns
        -------
        self
        """
        check_params(self)
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        dtype = X.dtype
        X = X.astype(np.float64)
        w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
        rows = [np.flatnonzero(codes == c) for c in range(len(classes))]
        sizes = self._sizes(rows)
        self.classes_ = classes
        self.priors_ = class_priors(self.priors, np.bincount(codes, weights=w))
        require_finite(np.sum(X**2, axis=0))
        ridge = self.reg_covar * float(np.mean(np.average((X - np.average(X, axis=0, weights=w)) ** 2, 0, weights=w)))

        problem = _SubclassProblem(X, w, rows, sizes, ridge)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_init)
        # A ridge that is added to the covariance can lower the likelihood by its own size.
        driver = EMDriver(
            problem.e_step, problem.m_step, tol=self.tol, max_iter=self.max_iter, n_init=self.n_init,
            on_fall="ignore" if ridge else "warn",
        )  # fmt: skip
        result = driver.run(lambda i: problem.start(int(seeds[i])))
        model = result.parameters
        rank = sphere(model.covariance - ridge * np.eye(X.shape[1])).rank
        if rank < X.shape[1]:
            warn_singular(self, rank, X.shape[1], "`reg_covar` makes up for it; increase it for steadier posteriors.")
        warn_if_stopped(
            self,
            OK if result.converged else MAX_ITER,
            f"the mean log-likelihood still changes after {result.n_iter} steps",
            remedy="Increase max_iter or tol.",
        )
        self.subclass_means_, self.subclass_weights_ = model.means.astype(dtype), model.shares
        self.subclass_class_, self.covariance_ = problem.owner, model.covariance.astype(dtype)
        self.log_likelihood_ = float(result.objective * w.sum())
        self.log_likelihood_history_ = np.asarray(result.history) * w.sum()
        self.n_iter_, self.converged_ = result.n_iter, bool(result.converged)
        self._model = [model.shares, model.means, model.W, model.log_det]
        return self

    def _sizes(self, rows):
        sizes = np.asarray(self.n_subclasses)
        if sizes.ndim == 0:
            sizes = np.full(len(rows), int(sizes))
        if sizes.shape != (len(rows),) or sizes.dtype.kind not in "iu" or np.any(sizes < 1):
            raise ValueError(
                f"`n_subclasses` must be an int of at least 1, or one such int per class ({len(rows)} classes), got "
                f"{self.n_subclasses!r}."
            )
        return [int(min(size, len(each))) for size, each in zip(sizes, rows)]

    def _likelihood_scores(self, X):
        shares, means, W, _ = self._model
        centre = means.mean(axis=0)
        Z, C = (X - centre) @ W, (means - centre) @ W
        with np.errstate(divide="ignore"):
            joint = Z @ C.T - 0.5 * np.sum(C**2, axis=1) + np.log(shares)
        by_class = [logsumexp(joint[:, self.subclass_class_ == c], axis=1) for c in range(len(self.classes_))]
        return np.stack(by_class, axis=1).astype(X.dtype)

    def summary(self):
        """Table of the subclasses with their shares and means.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names = input_names(self)
        rows, seen = [], {}
        for c in self.subclass_class_:
            seen[c] = seen.get(c, 0) + 1
            rows.append(f"{self.classes_[c]}, {seen[c]}")
        means = mean_columns(self.subclass_means_, names, ["share"])
        facts = {"log_likelihood": self.log_likelihood_, "n_iter": self.n_iter_}
        labels = {"log_likelihood": "Log-likelihood (without constant)", "n_iter": "EM steps"}
        notes = [f"Only the first 20 of {len(names)} columns are listed."] if len(names) > 20 else []
        table = Table(rows, {"share": self.subclass_weights_, **means}, names=tuple(means))
        return Summary("Mixture discriminant analysis", table, facts, labels, notes=notes)
