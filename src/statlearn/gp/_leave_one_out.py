"""Leave-one-out predictions of a Gaussian process in closed form."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.blas import single_blas_thread
from statlearn._core.native import gp as native

from ._evidence import LOG_2PI, basis_root


@dataclass
class LeaveOneOut:
    """Predictions of every training row by the model fitted to the others.

    Parameters
    ----------
    mean, std : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Mean and standard deviation of the predicted observation, noise included.
    log_density : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Logarithm of the predictive density at the observed value.
    log_pseudo_likelihood : float
        Their sum.
    rmse : float
        Root mean squared error of the means.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import GaussianProcessRegressor
    >>> X = np.linspace(0, 3, 8)[:, None]
    >>> model = GaussianProcessRegressor(alpha=0.1).fit(X, np.sin(X[:, 0]))
    >>> loo = model.leave_one_out()
    >>> loo.mean.shape, round(loo.log_pseudo_likelihood, 1)
    ((8,), -0.5)
    """

    mean: np.ndarray
    std: np.ndarray
    log_density: np.ndarray
    log_pseudo_likelihood: float
    rmse: float


def predictions_without(model):
    """`LeaveOneOut` of a fitted `GaussianProcessRegressor`."""
    n = len(model.y_train_)
    with single_blas_thread():
        inverse = np.empty((n, n))
        native.cholesky_inverse(model.L_, inverse)
        precision = np.diagonal(inverse).copy()
        if model._white_basis.shape[1]:
            projected = model._white_basis @ basis_root(model._white_basis)
            native.cholesky_solve_half(model.L_, True, projected)
            precision -= np.einsum("ij,ij->i", projected, projected)
    dual, y = model.alpha_.reshape(n, -1), model.y_train_.reshape(n, -1)
    scale = model._y_train_std
    fixed = model._prior_mean(model.X_train_)[0]
    mean = (y - dual / precision[:, None]) * scale + model._y_train_mean + (0.0 if fixed is None else fixed[:, None])
    std = np.sqrt(1.0 / precision)[:, None] * scale
    log_density = -0.5 * (dual**2 / precision[:, None] + LOG_2PI) - np.log(std)
    shape = model.y_train_.shape
    return LeaveOneOut(
        mean.reshape(shape),
        std.reshape(shape),
        log_density.reshape(shape),
        float(log_density.sum()),
        float(np.sqrt(np.mean((dual / precision[:, None] * scale) ** 2))),
    )
