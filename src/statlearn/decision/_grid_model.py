"""Finite decision processes from continuous models, by interpolation on a grid."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from statlearn._core.memory import require_memory

from ._finite_mdp import FiniteMDP
from ._interpolation import MultilinearInterpolator, SimplexInterpolator

INTERPOLATORS = {"multilinear": MultilinearInterpolator, "simplex": SimplexInterpolator}


def sigma_points(scale):
    r"""Points and weights with the mean and covariance of independent normal noise.

    For q noises with standard deviations :math:`\sigma_k` the points are the origin and :math:`\pm\sqrt{c}\,\sigma_k`
    on each axis, with :math:`c = \max(3, q)`. The weights are :math:`1 / (2c)`, and the rest for the origin; up to
    three noises, the fourth moments agree as well.

    Parameters
    ----------
    scale : array-like of shape (q,)
        Standard deviations; axes with a standard deviation of 0 are not sampled.

    Returns
    -------
    points : ndarray of shape (n_points, q)
    weights : ndarray of shape (n_points,)

    Examples
    --------
    >>> from statlearn.decision import sigma_points
    >>> points, weights = sigma_points([0.3])
    >>> points.round(3).ravel(), weights.round(3)
    (array([ 0.  ,  0.52, -0.52]), array([0.667, 0.167, 0.167]))
    """
    scale = np.atleast_1d(np.asarray(scale, dtype=np.float64))
    if scale.ndim != 1 or not np.isfinite(scale).all() or (scale < 0).any():
        raise ValueError("`scale` must contain finite standard deviations of at least 0.")
    noisy = np.flatnonzero(scale > 0)
    c = max(3, noisy.size)
    points, weights = [np.zeros(scale.size)], [1 - noisy.size / c]
    for k in noisy:
        for sign in (1, -1):
            point = np.zeros(scale.size)
            point[k] = sign * np.sqrt(c) * scale[k]
            points.append(point)
            weights.append(1 / (2 * c))
    keep = np.array(weights) > 0
    return np.array(points)[keep], np.array(weights)[keep]


class GridModel:
    """Transition matrices on a grid for a continuous model of motion.

    For each node, action and noise point, the model gives the next state, which is spread over the surrounding nodes
    with interpolation weights. The mean of the next state is preserved inside the grid; states beyond the border are
    moved onto it.

    Parameters
    ----------
    axes : list of array-like
        Strictly increasing grid values of each coordinate of the state.
    step : callable
        ``step(states, action, noise)`` returns the next states; `states` has shape (n, n_axes), `noise` has shape (q,).
    actions : array-like of shape (n_actions,) or (n_actions, n_controls)
        Each entry is passed to `step`.
    noise_scale : array-like of shape (q,), default=()
        Standard deviations of independent normal noises.
    noise : {"sigma", "sample"}, default="sigma"
        Whether the noise is represented by sigma points or by `n_draws` random draws.
    n_draws : int, default=100
        Number of draws for ``noise="sample"``.
    interpolation : {"multilinear", "simplex"}, default="multilinear"
        Weights of the surrounding nodes; see the interpolators.
    random_state : int, RandomState or None, default=None
        Random seed of the draws.

    Attributes
    ----------
    interpolator : MultilinearInterpolator or SimplexInterpolator
    n_states : int
    states : ndarray of shape (n_states, n_axes)
        Coordinates of the nodes.

    Notes
    -----
    The number of states is the product of the lengths of the axes, so it grows quickly; if coordinates move
    independently, model each group on its own grid and join them in a `FactoredMDP`.

    Examples
    --------
    A point that can be pushed along a line, with noise:

    >>> import numpy as np
    >>> from statlearn.decision import GridModel, value_iteration
    >>> model = GridModel(
    ...     [np.arange(-3, 4)], step=lambda x, a, e: x + a + e, actions=[-1, 0, 1], noise_scale=[0.2]
    ... )
    >>> mdp = model.to_mdp(lambda x, a: -x[:, 0] ** 2 - 0.1 * abs(a), discount=0.9)
    >>> value_iteration(mdp).policy
    array([2, 2, 2, 1, 0, 0, 0])
    """

    def __init__(
        self,
        axes,
        step,
        actions,
        *,
        noise_scale=(),
        noise="sigma",
        n_draws=100,
        interpolation="multilinear",
        random_state=None,
    ):
        if interpolation not in INTERPOLATORS:
            raise ValueError(f"`interpolation` must be 'multilinear' or 'simplex', got {interpolation!r}.")
        if noise not in ("sigma", "sample"):
            raise ValueError(f"`noise` must be 'sigma' or 'sample', got {noise!r}.")
        if not callable(step):
            raise TypeError(f"`step` must be a function, got {type(step).__name__}.")
        self.interpolator = INTERPOLATORS[interpolation](axes)
        self.step = step
        self.actions = np.asarray(actions)
        if self.actions.ndim not in (1, 2) or len(self.actions) == 0:
            raise ValueError("`actions` must hold at least one action.")
        points, weights = sigma_points(noise_scale)
        if noise == "sample":
            if isinstance(n_draws, bool) or not isinstance(n_draws, (int, np.integer)) or n_draws < 1:
                raise ValueError(f"`n_draws` must be an int of at least 1, got {n_draws!r}.")
            rng = check_random_state(random_state)
            points = rng.standard_normal((n_draws, len(np.atleast_1d(noise_scale)))) * noise_scale
            weights = np.full(n_draws, 1 / n_draws)
        self.noise_points, self.noise_weights = points, weights

    @property
    def n_states(self):
        return self.interpolator.n_nodes

    @property
    def states(self):
        return self.interpolator.nodes()

    def transitions(self):
        """Transition matrices of all actions.

        Returns
        -------
        P : list of CSR arrays of shape (n_states, n_states)
        """
        states, n = self.states, self.n_states
        corners = (
            2 ** states.shape[1] if isinstance(self.interpolator, MultilinearInterpolator) else states.shape[1] + 1
        )
        require_memory(
            24 * n * corners * len(self.actions) + 64 * n * corners,
            f"The transitions between {n:,} grid states",
            "Use a coarser grid, interpolation='simplex', or a FactoredMDP if coordinates move independently.",
        )
        matrices = []
        for action in self.actions:
            total = sparse.csr_array((n, n))
            for point, weight in zip(self.noise_points, self.noise_weights):
                after = np.asarray(self.step(states, action, point), dtype=np.float64)
                if after.shape != states.shape:
                    raise ValueError(f"`step` must return an array of shape {states.shape}, got {after.shape}.")
                nodes, shares = self.interpolator.weights(after)
                rows = np.repeat(np.arange(n), nodes.shape[1])
                total = total + sparse.csr_array((weight * shares.ravel(), (rows, nodes.ravel())), shape=(n, n))
            total = sparse.csr_array(total)
            total.data /= np.repeat(np.asarray(total.sum(axis=1)).ravel(), np.diff(total.indptr))  # rounding
            total.eliminate_zeros()
            matrices.append(total)
        return matrices

    def to_mdp(self, reward, *, discount=0.99, **options):
        """The finite process on the grid.

        Parameters
        ----------
        reward : callable
            ``reward(states, action)`` returns the rewards of all nodes, of shape (n_states,).
        discount : float, default=0.99
        **options
            `terminal`, `impossible` and `reward_min` of `FiniteMDP`.

        Returns
        -------
        mdp : FiniteMDP
        """
        states = self.states
        R = np.stack([np.broadcast_to(reward(states, action), (len(states),)) for action in self.actions], axis=1)
        return FiniteMDP(self.transitions(), R, discount=discount, **options)
