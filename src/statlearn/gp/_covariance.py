"""Matrices of a kernel and weighted sums of its derivatives at given hyper-parameters."""

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel as AnyKernel

from statlearn._core.native import gp as native

from .kernels._base import check_parameters, check_rows, covariance
from .kernels._formula import compile_kernel


def covariance_model(kernel):
    """The compiled form of a kernel, or one that calls the object."""
    formula = compile_kernel(kernel) if kernel.requires_vector_input else None
    return ObjectCovariance(kernel) if formula is None else CompiledCovariance(kernel, formula)


class CompiledCovariance:
    """A kernel whose formula the compiled core evaluates."""

    compiled = True

    def __init__(self, kernel, formula):
        self.kernel, self.formula = kernel, formula

    def check(self, X):
        """Raise an error if the kernel does not take these rows."""
        check_parameters(self.kernel)
        check_rows(self.kernel, X)

    def gram(self, theta, X, out, gradient=False, both=False):
        """The lower triangle of the covariance matrix, or both, into `out`; returns `out`."""
        native.covariance_gram(self._at(theta).args, X, both, out)
        return out

    def trace(self, theta, X, scale, M, U, V):
        """sum_ij (scale M_ij + sum_t U_it V_jt) dK_ij / dtheta, from the lower triangle of a symmetric M."""
        formula = self._at(theta)
        out = np.empty(len(formula.free))
        native.covariance_trace(formula.args, X, scale, M, U, V, out)
        return out

    def cross(self, theta, X, Z):
        """Covariances of two tables."""
        return covariance(self._at(theta), X, Z)

    def _at(self, theta):
        return self.formula if theta is None else self.formula.at(theta)


class ObjectCovariance:
    """A kernel that is called as an object, with its gradient as an array of n x n x n_dims numbers."""

    compiled = False

    def __init__(self, kernel):
        self.kernel, self._gradient = kernel, None

    def check(self, X):
        """Raise an error if known parts of the kernel do not take these rows."""
        check_parameters(self.kernel)
        if self.kernel.requires_vector_input:
            check_rows(self.kernel, X)

    def gram(self, theta, X, out, gradient=False, both=False):
        """The covariance matrix into `out`; its gradient is kept for `trace`."""
        kernel = self._at(theta)
        if gradient:
            K, self._gradient = kernel(X, eval_gradient=True)
        else:
            K = kernel(X)
        out[...] = K
        return out

    def trace(self, theta, X, scale, M, U, V):
        """sum_ij (scale M_ij + sum_t U_it V_jt) dK_ij / dtheta, from the lower triangle of a symmetric M."""
        weights = scale * (np.tril(M) + np.tril(M, -1).T) + U @ V.T
        gradient, self._gradient = self._gradient, None
        return np.einsum("ij,ijk->k", weights, gradient)

    def cross(self, theta, X, Z):
        """Covariances of two tables."""
        return self._at(theta)(X, Z)

    def _at(self, theta):
        return self.kernel if theta is None else self.kernel.clone_with_theta(theta)


def latent_covariance(kernel):
    """The kernel without white noise: its matrices for two tables, where noise never counts."""
    return lambda X, Z=None: kernel(X, X if Z is None else Z)


def variances(kernel, X, latent):
    if not latent:
        return kernel.diag(X)
    formula = compile_kernel(kernel) if kernel.requires_vector_input else None
    if formula is None:
        return np.array([kernel(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(len(X))])
    quiet = clone(kernel)
    _silence(quiet)
    return quiet.diag(X)


def _silence(kernel):
    for name in ("k1", "k2", "kernel"):
        inner = getattr(kernel, name, None)
        if isinstance(inner, AnyKernel):
            _silence(inner)
    if hasattr(kernel, "noise_level"):
        kernel.noise_level = 0.0


__all__ = ["AnyKernel", "CompiledCovariance", "ObjectCovariance", "covariance_model", "latent_covariance", "variances"]
