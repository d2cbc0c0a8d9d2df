"""Interpolation between the nodes of a rectangular grid."""

import numpy as np


class _GridInterpolator:
    """Base class: the fractional position of a point in its cell decides the weights of the cell's corners."""

    def __init__(self, axes):
        self.axes = [np.asarray(axis, dtype=np.float64) for axis in axes]
        if not self.axes:
            raise ValueError("`axes` must hold at least one array of grid values.")
        for k, axis in enumerate(self.axes):
            if axis.ndim != 1 or axis.size == 0 or not np.isfinite(axis).all() or (np.diff(axis) <= 0).any():
                raise ValueError(f"`axes`[{k}] must be a strictly increasing array of finite values.")
        self.shape = tuple(axis.size for axis in self.axes)
        self.n_nodes = int(np.prod(self.shape))

    def nodes(self):
        """Coordinates of all nodes, in the order of their numbers.

        Returns
        -------
        nodes : ndarray of shape (n_nodes, n_axes)
        """
        return np.stack(np.meshgrid(*self.axes, indexing="ij"), axis=-1).reshape(self.n_nodes, len(self.axes))

    def _cells(self, points):
        """Lower corner and fractional position of each point; points outside are moved to the border."""
        points = np.atleast_2d(np.asarray(points, dtype=np.float64))
        if points.ndim != 2 or points.shape[1] != len(self.axes):
            raise ValueError(f"`points` must have {len(self.axes)} columns, got shape {points.shape}.")
        if np.isnan(points).any():
            raise ValueError("`points` must not contain NaN.")
        lower = np.zeros(points.shape, dtype=np.intp)
        fraction = np.zeros(points.shape)
        for k, axis in enumerate(self.axes):
            if axis.size == 1:
                continue
            x = np.clip(points[:, k], axis[0], axis[-1])
            cell = np.clip(np.searchsorted(axis, x, side="right") - 1, 0, axis.size - 2)
            lower[:, k] = cell
            fraction[:, k] = (x - axis[cell]) / (axis[cell + 1] - axis[cell])
        return lower, fraction

    def _number(self, position):
        """Node numbers of grid positions."""
        return np.ravel_multi_index(tuple(np.moveaxis(position, -1, 0)), self.shape, mode="clip")

    def weights(self, points):
        """Nodes around each point and their weights.

        Parameters
        ----------
        points : array-like of shape (n_points, n_axes)
            Points outside the grid are moved to its border.

        Returns
        -------
        nodes : ndarray of int of shape (n_points, n_corners)
        weights : ndarray of shape (n_points, n_corners)
            Non-negative; each row sums to 1.
        """
        raise NotImplementedError

    def interpolate(self, points, values):
        """Values at points between the nodes.

        Parameters
        ----------
        points : array-like of shape (n_points, n_axes)
        values : array-like of shape (n_nodes,) or (n_nodes, n_outputs)

        Returns
        -------
        interpolated : ndarray of shape (n_points,) or (n_points, n_outputs)
        """
        values = np.asarray(values)
        if values.ndim not in (1, 2) or len(values) != self.n_nodes:
            raise ValueError(f"`values` must have length {self.n_nodes}, got shape {values.shape}.")
        nodes, weights = self.weights(points)
        return np.einsum("pc,pc...->p...", weights, values[nodes])


class MultilinearInterpolator(_GridInterpolator):
    """Multilinear interpolation on a rectangular grid.

    A point's value is the mean of the 2^d corners of its cell, weighted by products of fractional positions. It is
    exact at nodes, for linear functions, and for products of different coordinates.

    Parameters
    ----------
    axes : list of array-like
        Strictly increasing grid values of each axis.

    Attributes
    ----------
    shape : tuple of int
    n_nodes : int
        Nodes are numbered with the last axis fastest.

    Examples
    --------
    >>> from statlearn.decision import MultilinearInterpolator
    >>> grid = MultilinearInterpolator([[0, 1], [0, 10]])
    >>> grid.weights([[0.25, 5]])
    (array([[0, 1, 2, 3]]), array([[0.375, 0.375, 0.125, 0.125]]))
    """

    def weights(self, points):
        lower, fraction = self._cells(points)
        n, d = lower.shape
        steps = np.indices((2,) * d).reshape(d, -1).T  # the 2^d corners
        weights = np.ones((n, len(steps)))
        for k in range(d):
            weights *= np.where(steps[:, k], fraction[:, k, None], 1 - fraction[:, k, None])
        return self._number(lower[:, None, :] + steps), weights

    weights.__doc__ = _GridInterpolator.weights.__doc__


class SimplexInterpolator(_GridInterpolator):
    """Simplex interpolation on a rectangular grid.

    With the fractional positions t in decreasing order, the d + 1 vertices on the path from the lower corner have the
    weights 1 - t(1), t(1) - t(2), ..., t(d). It is exact at nodes and for linear functions, and much cheaper than
    multilinear interpolation in many dimensions.

    Parameters
    ----------
    axes : list of array-like
        Strictly increasing grid values of each axis.

    Attributes
    ----------
    shape : tuple of int
    n_nodes : int
        Nodes are numbered with the last axis fastest.

    Examples
    --------
    >>> from statlearn.decision import SimplexInterpolator
    >>> grid = SimplexInterpolator([[0, 1], [0, 10]])
    >>> grid.weights([[0.25, 5]])
    (array([[0, 1, 3]]), array([[0.5 , 0.25, 0.25]]))
    """

    def weights(self, points):
        lower, fraction = self._cells(points)
        n, d = lower.shape
        order = np.argsort(-fraction, axis=1, kind="stable")
        falling = np.take_along_axis(fraction, order, axis=1)
        edges = np.concatenate([np.ones((n, 1)), falling, np.zeros((n, 1))], axis=1)
        steps = np.zeros((n, d + 1, d), dtype=np.intp)
        for k in range(d):  # the axis of rank k is stepped along from vertex k + 1 on
            np.put_along_axis(steps[:, k + 1], order[:, : k + 1], 1, axis=1)
        return self._number(lower[:, None, :] + steps), -np.diff(edges, axis=1)

    weights.__doc__ = _GridInterpolator.weights.__doc__
