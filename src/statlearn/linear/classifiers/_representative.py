"""Classification by a linear map into a space in which each class is represented by a point."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.class_weights import class_factors
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, class_codes, encode_classes, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.positive import positive_system
from statlearn._math.losses.scores import signed_distance
from statlearn._math.solvers.step import backtrack
from statlearn.linear.robust._m_estimation import signed_gram


def simplex_points(n_classes):
    """Corners of a regular simplex: n_classes points in n_classes - 1 dimensions, centre 0, norm 1."""
    centred = np.eye(n_classes) - 1.0 / n_classes
    # Orthonormal coordinates of the hyperplane of sum 0, by Helmert's contrasts.
    basis = np.zeros((n_classes, n_classes - 1))
    for k in range(1, n_classes):
        basis[:k, k - 1], basis[k, k - 1] = 1.0, -float(k)
        basis[:, k - 1] /= np.sqrt(k * (k + 1.0))
    points = -centred @ basis
    return points / np.linalg.norm(points, axis=1, keepdims=True)


class RepresentativeClassifier(ClassifierMixin, BaseEstimator):
    r"""Linear classifier that maps rows to class representatives.

    Class k has a representative :math:`\psi_k`. A row is mapped to :math:`\hat y = B^\top x + b`, and belongs to the
    class of the nearest representative. With the signed distance of :math:`\hat y` from the plane half-way between
    :math:`\psi_i` and :math:`\psi_j`, negative on the side of :math:`\psi_i`,

    .. math:: D_{ij} = \frac{2 (\psi_j - \psi_i)^\top \hat y + \lVert \psi_i \rVert^2 - \lVert \psi_j \rVert^2}
        {2 \lVert \psi_j - \psi_i \rVert},

    the fit minimises over B and b the weighted sum

    .. math:: \sum_n s_n\, \kappa_{i_n} \ell_n + \alpha \lVert B \rVert_F^2, \qquad
        \ell = \max_{j \ne i} (1 + D_{ij})_+ \;\text{ (hinge)}, \quad
        \ell = \log \sum_j e^{D_{ij}},\ D_{ii} = 0 \;\text{ (logistic)}

    convex surrogates of the Neyman-Pearson loss :math:`\kappa_i 1[\max_{j \ne i} D_{ij} \ge 0]`. b is not penalised.

    Parameters
    ----------
    embedding : {"simplex", "onehot"} or array-like of shape (n_classes, d), default="simplex"
        The representatives: vertices of a regular simplex (norm 1), unit vectors, or given points in the order of the
        sorted classes.
    loss : {"logistic", "hinge"}, default="logistic"
        Surrogate loss; "log_loss" is another name of "logistic".
    alpha : float, default=1.0
        Weight of the penalty.
    class_weight : dict, "balanced" or None, default=None
        Misclassification costs kappa by true class.
    fit_intercept : bool, default=True
        Whether to fit b.
    max_iter : int, default=500
        Maximum number of Newton steps.
    tol : float, default=1e-8
        With "logistic", stop when the predicted decrease of a Newton step is at most `tol` times the objective. With
        "hinge", the objective is within `tol` of its minimum, per unit of weight.

    Attributes
    ----------
    classes_ : ndarray
    representatives_ : ndarray of shape (n_classes, d)
    coef_ : ndarray of shape (d, n_features)
        The rows of :math:`B^\top`.
    intercept_ : ndarray of shape (d,)
    objective_ : float
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    The solver is Newton's method on d (p + 1) coefficients; the Hessian needs d (d + 1)/2 weighted cross-products of X.
    The hinge loss is the limit t -> 0 of t log(1 + sum_j exp((1 + D_ij)/t)), which exceeds it by at most t log K; t is
    reduced gradually to tol / log K with warm starts. With two classes and the simplex, the hinge loss is the linear
    support vector machine and the logistic loss is logistic regression, with :math:`\alpha = 1/(2C)`.

    References
    ----------
    The signed distance has the sign of the squared norms that makes it 0 at the midpoint and -|psi_i - psi_j|/2 at
    psi_i; it is sometimes printed with these norms reversed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.linear import RepresentativeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> round(RepresentativeClassifier().fit(X, y).score(X, y), 2)
    0.97
    """

    _constraints = {
        "embedding": [Options("simplex", "onehot"), "array-like"],
        "loss": [Options("logistic", "log_loss", "hinge")],
        "alpha": [Real(0, None)],
        "class_weight": [Options("balanced"), Instance(dict), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        embedding="simplex",
        loss="logistic",
        alpha=1.0,
        class_weight=None,
        fit_intercept=True,
        max_iter=500,
        tol=1e-8,
    ):
        self.embedding = embedding
        self.loss = loss
        self.alpha = alpha
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @staticmethod
    def signed_distance(points, a, b):
        """Distance of points from the plane half-way between a and b, negative on the side of a.

        Parameters
        ----------
        points : array-like of shape (..., d)
        a : array-like of shape (d,)
            Point at which the distance is -|a - b|/2.
        b : array-like of shape (d,)
            Point at which the distance is +|a - b|/2.

        Returns
        -------
        ndarray of shape (...)
        """
        points, a, b = (np.asarray(v, dtype=float) for v in (points, a, b))
        return signed_distance(points, a, b)

    def _representatives(self, n_classes):
        if isinstance(self.embedding, str):
            return simplex_points(n_classes) if self.embedding == "simplex" else np.eye(n_classes)
        points = check_array(self.embedding, dtype=np.float64, input_name="embedding")
        if points.shape[0] != n_classes:
            raise ValueError(f"embedding must have {n_classes} rows, one per class, got {points.shape[0]}.")
        if np.unique(points, axis=0).shape[0] < n_classes:
            raise ValueError("embedding must have distinct rows, but two classes have the same representative.")
        return points

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS)
        dtype = X.dtype
        weights = check_weights(sample_weight, X)
        if weights is not None and not weights.all():
            rows = np.flatnonzero(weights)
            X, y, weights = X[rows], y[rows], weights[rows]
        classes, codes = encode_classes(y, owner="RepresentativeClassifier")
        points = self._representatives(classes.size)
        weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        prices = class_factors(self.class_weight, classes, codes, weights)
        problem = _MarginProblem(
            X.astype(np.float64), codes, weights * prices[codes], points, self.alpha, self.fit_intercept
        )
        theta, objective, n_iter, status = problem.solve(self.loss == "hinge", self.tol, self.max_iter)
        warn_if_stopped(self, status, f"{n_iter} Newton steps completed")
        coef, intercept = problem.on_original_scale(theta)
        self.classes_, self.representatives_ = classes, points
        self.coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)
        self.objective_, self.n_iter_ = float(objective), n_iter
        return self

    def embed(self, X):
        """Images of the rows in the space of the representatives.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return X @ self.coef_.T + self.intercept_

    def decision_function(self, X):
        """Scores of the classes.

        For two classes, the signed distance, positive on the side of ``classes_[1]``. For more classes, the inner
        product of each representative with the image minus half its squared norm, which is largest for the nearest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        images = self.embed(X)
        points = self.representatives_
        if points.shape[0] == 2:
            return self.signed_distance(images, points[0], points[1])
        return images @ points.T - 0.5 * np.sum(points**2, axis=1)

    def predict(self, X):
        """Predicted class of each row, that of the nearest representative.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def neyman_pearson_loss(self, X, y, sample_weight=None):
        """Mean misclassification cost: kappa of the true class if another representative is at least as near.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        images = self.embed(X)
        codes = class_codes(self.classes_, y)
        weights = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        prices = class_factors(self.class_weight, self.classes_, codes, weights)
        wrong = np.zeros(len(codes), dtype=bool)
        for i, a in enumerate(self.representatives_):
            for j, b in enumerate(self.representatives_):
                if i != j:
                    wrong |= (codes == i) & (self.signed_distance(images, a, b) >= 0)
        return float(np.average(prices[codes] * wrong, weights=weights))


class _MarginProblem:
    """sum_n w_n t log(1 + sum_{j != i} exp((m + D_ij)/t)) + alpha |B|^2 in theta = (B, b), and Newton's method on it.

    Columns of X are centred (the intercept takes the shift), which keeps the Hessian well conditioned.
    """

    def __init__(self, X, codes, weights, points, alpha, fit_intercept):
        self.centre = np.average(X, axis=0, weights=weights) if fit_intercept else np.zeros(X.shape[1])
        self.Z = np.column_stack([X - self.centre, np.ones(X.shape[0])]) if fit_intercept else X
        self.weights, self.fit_intercept, self.p, self.d = weights, fit_intercept, X.shape[1], points.shape[1]
        K = points.shape[0]
        others = np.array([[j for j in range(K) if j != i] for i in range(K)])
        gap = points[others] - points[:, None, :]  # K x (K-1) x d
        size = np.linalg.norm(gap, axis=2)
        norms = np.sum(points**2, axis=1)
        # D = direction . image + offset, for each row towards each other class.
        self.direction = (gap / size[..., None])[codes]  # n x (K-1) x d
        self.offset = ((norms[:, None] - norms[others]) / (2 * size))[codes]
        self.penalty = np.full((self.Z.shape[1], self.d), alpha)
        if fit_intercept:
            self.penalty[-1] = 0.0

    def distances(self, theta):
        return np.einsum("nkd,nd->nk", self.direction, self.Z @ theta) + self.offset

    def value(self, theta, t, margin):
        z = (margin + self.distances(theta)) / t
        top = np.maximum(z.max(axis=1), 0.0)
        total = top + np.log(np.exp(-top) + np.exp(z - top[:, None]).sum(axis=1))
        return t * (self.weights @ total) + np.sum(self.penalty * theta**2)

    def hinge(self, theta):
        worst = np.maximum(1.0 + self.distances(theta).max(axis=1), 0.0)
        return self.weights @ worst + np.sum(self.penalty * theta**2)

    def newton_step(self, theta, t, margin):
        """The step and its predicted decrease (half of it is the gain in the quadratic model)."""
        z = (margin + self.distances(theta)) / t
        top = np.maximum(z.max(axis=1), 0.0)
        e = np.exp(z - top[:, None])
        share = e / (np.exp(-top) + e.sum(axis=1))[:, None]
        pull = np.einsum("nk,nkd->nd", share, self.direction)
        gradient = self.Z.T @ (self.weights[:, None] * pull) + 2 * self.penalty * theta
        q, d = self.Z.shape[1], self.d
        H = np.zeros((d, q, d, q))
        for r in range(d):
            for s in range(r + 1):
                inner = np.einsum("nk,nk,nk->n", share, self.direction[:, :, r], self.direction[:, :, s])
                curvature = self.weights * (inner - pull[:, r] * pull[:, s]) / t
                H[r, :, s, :] = H[s, :, r, :] = signed_gram(self.Z, curvature)
        H = H.reshape(d * q, d * q)
        H[np.diag_indices_from(H)] += 2 * self.penalty.T.ravel()
        H[np.diag_indices_from(H)] += 1e-13 * np.trace(H) / (d * q) + 1e-300
        step = -positive_system(H).solve(gradient.T.ravel()).reshape(d, q).T
        return step, -np.sum(gradient * step)

    def minimise(self, theta, t, margin, tol, steps):
        """Newton's method with halving; returns (theta, number of steps, converged)."""
        value = self.value(theta, t, margin)
        for n_steps in range(steps):
            step, promised = self.newton_step(theta, t, margin)
            if not promised > tol * max(value, 1e-300):
                # This is the last step, and it squares the remaining error.
                ahead = theta + step
                return (ahead if self.value(ahead, t, margin) <= value else theta), n_steps, True
            moved = backtrack(lambda s: self.value(theta + s * step, t, margin), value, -promised)
            if moved is None:  # any decrease is below rounding
                return theta, n_steps, True
            theta, value = theta + moved.length * step, moved.value
        return theta, steps, False

    def solve(self, hinge, tol, max_iter):
        theta = np.zeros((self.Z.shape[1], self.d))
        if not hinge:
            theta, n_steps, done = self.minimise(theta, 1.0, 0.0, tol, max_iter)
            return theta, self.value(theta, 1.0, 0.0), n_steps, OK if done else MAX_ITER
        t, n_steps, done = 1.0, 0, True
        last = tol / np.log(self.direction.shape[1] + 1.0)
        while done:
            theta, more, done = self.minimise(theta, t, 1.0, max(1e-3 * t, tol), max_iter - n_steps)
            n_steps += more
            if t <= last:
                break
            t = max(0.3 * t, last)
        return theta, self.hinge(theta), n_steps, OK if done else MAX_ITER

    def on_original_scale(self, theta):
        if not self.fit_intercept:
            return theta.T, np.zeros(self.d)
        coef = theta[:-1].T
        return coef, theta[-1] - coef @ self.centre
