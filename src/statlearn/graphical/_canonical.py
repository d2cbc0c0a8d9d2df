"""Gaussian potentials in canonical form."""

import numpy as np

from statlearn._math.linalg.positive import cholesky

from ._gaussian import precision_matrix
from ._penalised_likelihood import check_covariance


class CanonicalForm:
    r"""Gaussian potential in canonical (information) form.

    .. math:: \phi(x) = \exp\left(g + h^\top x - \tfrac12 x^\top K x\right)

    K need not be positive definite: a conditional density is a potential, too. Products add and quotients subtract the
    parameters.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Symmetric.
    h : array-like of shape (n,)
    g : float, default=0.0
    scope : list of hashable or None, default=None
        Names of the variables, ``0, 1, ...`` by default.

    Attributes
    ----------
    K, h, g : parameters
    scope : list

    References
    ----------
    Koller, D. and Friedman, N. (2009). Probabilistic Graphical Models, section 14.2. MIT Press.

    Examples
    --------
    >>> from statlearn.graphical import CanonicalForm
    >>> joint = CanonicalForm.from_moments([0, 0], [[1.0, 0.8], [0.8, 1.0]], scope=["x", "y"])
    >>> mean, covariance = joint.condition({"y": 2.0}).moments()
    >>> mean.round(6), covariance.round(6)
    (array([1.6]), array([[0.36]]))
    """

    def __init__(self, K, h, g=0.0, scope=None):
        self.K = np.atleast_2d(np.asarray(K, dtype=np.float64))
        self.h = np.atleast_1d(np.asarray(h, dtype=np.float64))
        self.g = float(g)
        n = len(self.h)
        if n == 0:
            self.K = self.K.reshape(0, 0)
        self.scope = list(range(n)) if scope is None else list(scope)
        if self.K.shape != (n, n) or len(self.scope) != n:
            raise ValueError(
                f"K, h and scope must have matching sizes, got {self.K.shape}, {self.h.shape} and {len(self.scope)}."
            )
        if len(set(self.scope)) < n:
            raise ValueError("`scope` contains a variable twice.")
        if not np.allclose(self.K, self.K.T, rtol=1e-8, atol=1e-10 * np.abs(self.K).max(initial=0.0)):
            raise ValueError("`K` must be symmetric.")

    def __repr__(self):
        return f"CanonicalForm(scope={self.scope})"

    @classmethod
    def from_moments(cls, mean, covariance, scope=None):
        """The density of a Gaussian: ``K = inverse(covariance)``, ``h = K mean``, g its normalising constant."""
        S = check_covariance(covariance)
        mean = np.asarray(mean, dtype=np.float64)
        K = precision_matrix(S)
        h = K @ mean
        g = -0.5 * (len(mean) * np.log(2.0 * np.pi) + np.linalg.slogdet(S)[1] + mean @ h)
        return cls(K, h, g, scope)

    @classmethod
    def from_linear(cls, intercept, coef, noise_variance, child, parents):
        """The conditional density of `child` ~ N(intercept + coef'parents, noise_variance)."""
        a = np.concatenate([[1.0], -np.asarray(coef, dtype=np.float64)])
        K = np.outer(a, a) / noise_variance
        h = a * intercept / noise_variance
        g = -0.5 * (np.log(2.0 * np.pi * noise_variance) + intercept**2 / noise_variance)
        return cls(K, h, g, [child, *parents])

    def _positions(self, names, argument):
        index = {name: k for k, name in enumerate(self.scope)}
        for name in names:
            if name not in index:
                raise ValueError(f"`{argument}`: {name!r} is not in the scope {self.scope}.")
        return [index[name] for name in names]

    def extended(self, scope):
        """The potential over a larger scope."""
        where = {name: k for k, name in enumerate(scope)}
        position = [where[name] for name in self.scope]
        K, h = np.zeros((len(scope), len(scope))), np.zeros(len(scope))
        K[np.ix_(position, position)] = self.K
        h[position] = self.h
        return CanonicalForm(K, h, self.g, scope)

    def _combined(self, other, sign):
        scope = self.scope + [name for name in other.scope if name not in set(self.scope)]
        a, b = self.extended(scope), other.extended(scope)
        return CanonicalForm(a.K + sign * b.K, a.h + sign * b.h, a.g + sign * b.g, scope)

    def __mul__(self, other):
        """Product of two potentials: the parameters are added."""
        return self._combined(other, 1.0)

    def __truediv__(self, other):
        """Quotient of two potentials: the parameters are subtracted."""
        return self._combined(other, -1.0)

    def marginalize(self, remove):
        r"""Integrate variables out.

        .. math:: K_{AA} - K_{AB} K_{BB}^{-1} K_{BA}, \qquad h_A - K_{AB} K_{BB}^{-1} h_B

        Parameters
        ----------
        remove : list
            Variables B; their block of K must be positive definite.

        Returns
        -------
        CanonicalForm
        """
        remove = [remove] if remove in self.scope else list(remove)
        B = self._positions(remove, "remove")
        A = [k for k in range(len(self.scope)) if k not in set(B)]
        if not B:
            return self
        factor = cholesky(self.K[np.ix_(B, B)])
        if factor is None:
            raise ValueError(f"The integral over {remove} does not exist: their block of K is not positive definite.")
        KAB = self.K[np.ix_(A, B)]
        solved = factor.solve(np.column_stack([KAB.T, self.h[B]]))
        K = self.K[np.ix_(A, A)] - KAB @ solved[:, :-1]
        h = self.h[A] - KAB @ solved[:, -1]
        g = self.g + 0.5 * (len(B) * np.log(2.0 * np.pi) - factor.log_det + self.h[B] @ solved[:, -1])
        return CanonicalForm((K + K.T) / 2.0, h, g, [self.scope[k] for k in A])

    def condition(self, values):
        """Set variables to values: ``K_AA``, ``h_A - K_AB b``.

        Parameters
        ----------
        values : dict of variable to float

        Returns
        -------
        CanonicalForm
            Not normalised: its integral is the density of the values.
        """
        B = self._positions(values, "values")
        b = np.array([float(values[self.scope[k]]) for k in B])
        A = [k for k in range(len(self.scope)) if k not in set(B)]
        K, h = self.K[np.ix_(A, A)], self.h[A] - self.K[np.ix_(A, B)] @ b
        g = self.g + self.h[B] @ b - 0.5 * b @ self.K[np.ix_(B, B)] @ b
        return CanonicalForm(K, h, g, [self.scope[k] for k in A])

    def moments(self):
        """Mean and covariance of the normalised potential, in the order of the scope."""
        try:
            covariance = precision_matrix(self.K)
        except ValueError as error:
            raise ValueError("The potential has no moments: K is not positive definite.") from error
        return covariance @ self.h, covariance

    def log_integral(self):
        """Logarithm of the integral over all variables; 0 for a density."""
        return self.marginalize(list(self.scope)).g

    def logpdf(self, X):
        """Logarithm of the potential for rows of values in the order of the scope."""
        X = np.atleast_2d(np.asarray(X, dtype=np.float64))
        return self.g + X @ self.h - 0.5 * np.einsum("ij,ij->i", X @ self.K, X)
