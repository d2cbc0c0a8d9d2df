"""Brownian motion."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.native import gp as native
from statlearn._core.params import Int, Real, check_arguments, check_params

from .kernels import Brownian
from .kernels._formula import compile_kernel


class BrownianMotion:
    r"""Brownian motion: a path that starts at 0 and has independent normal increments.

    :math:`B_0 = 0`, and :math:`B_t - B_s` is normal with mean 0 and variance :math:`c (t - s)`. It is the Gaussian
    process of mean 0 and covariance :math:`c \min(s, t)`.

    Parameters
    ----------
    scale : float, default=1.0
        The variance c per unit of time.

    See Also
    --------
    Brownian : its covariance as a kernel of `GaussianProcessRegressor`.

    Examples
    --------
    >>> from statlearn.gp import BrownianMotion
    >>> motion = BrownianMotion()
    >>> motion.covariance([1.0, 3.0])
    array([[1., 1.],
           [1., 3.]])
    >>> motion.sample([0.0, 1.0, 2.0], n_paths=4, random_state=0).shape
    (4, 3)
    """

    _constraints = {"scale": [Real(0, None, closed="neither")]}

    def __init__(self, scale=1.0):
        self.scale = scale

    def covariance(self, times):
        """Covariance matrix of the values at given times.

        Parameters
        ----------
        times : array-like of shape (n_times,)

        Returns
        -------
        ndarray of shape (n_times, n_times)
        """
        check_params(self)
        times = _check_times(times)[:, None]
        out = np.empty((len(times), len(times)))
        native.covariance_gram(compile_kernel(Brownian(self.scale)).args, times, True, out)
        return out

    def sample(self, times, n_paths=1, random_state=None):
        """Paths at given times, by adding up independent increments.

        Parameters
        ----------
        times : array-like of shape (n_times,)
            Times >= 0, in any order.
        n_paths : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_paths, n_times)
        """
        check_params(self)
        check_arguments("sample", n_paths=(n_paths, [Int(1, None)]), random_state=(random_state, ["random_state"]))
        times = _check_times(times)
        order = np.argsort(times, kind="stable")
        gaps = np.diff(times[order], prepend=0.0)
        steps = check_random_state(random_state).standard_normal((n_paths, len(times))) * np.sqrt(self.scale * gaps)
        paths = np.empty_like(steps)
        paths[:, order] = np.cumsum(steps, axis=1)
        return paths

    def __repr__(self):
        return f"BrownianMotion(scale={self.scale!r})"


def _check_times(times):
    times = np.asarray(times, dtype=np.float64)
    if times.ndim != 1:
        raise ValueError(f"`times` must be one-dimensional, got {times.ndim} dimensions.")
    if not np.all(np.isfinite(times) & (times >= 0)):
        raise ValueError("`times` must be finite numbers >= 0.")
    return times
