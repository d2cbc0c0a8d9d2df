"""Data on curved surfaces and rings."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Real, check_arguments


def swiss_roll(n_samples=100, *, noise=0.0, random_state=None, hole=False):
    r"""Points of a rolled sheet in three dimensions.

    The points are :math:`(t \cos t, h, t \sin t)` with :math:`t \in [1.5 \pi, 4.5 \pi]` and height
    :math:`h \in [0, 21]`, both uniform.

    Parameters
    ----------
    n_samples : int, default=100
    noise : float, default=0.0
        Standard deviation of normal noise.
    random_state : int, RandomState or None, default=None
    hole : bool, default=False
        Whether to leave out a rectangle in the middle of the sheet.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
    t : ndarray of shape (n_samples,)
        Position along the roll.

    Examples
    --------
    >>> from statlearn.manifold import swiss_roll
    >>> X, t = swiss_roll(500, random_state=0)
    >>> X.shape, t.shape
    ((500, 3), (500,))
    """
    check_arguments(
        swiss_roll, n_samples=(n_samples, [Int(1, None)]), noise=(noise, [Real(0, None)]), hole=(hole, ["boolean"])
    )
    rng = check_random_state(random_state)
    if hole:  # eight of nine equal rectangles; the middle one is empty
        rectangle = rng.choice(8, size=n_samples)
        rectangle = rectangle + (rectangle >= 4)
        column, row = rectangle % 3, rectangle // 3
        t = 1.5 * np.pi + np.pi * (column + rng.uniform(size=n_samples))
        height = 7.0 * (row + rng.uniform(size=n_samples))
    else:
        t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n_samples))
        height = 21.0 * rng.uniform(size=n_samples)
    X = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    return X + noise * rng.standard_normal(size=X.shape), t


def three_circles(n_samples=450, *, radii=(1.0, 2.8, 5.0), noise=0.25, random_state=None):
    """Points on three rings around the origin.

    Parameters
    ----------
    n_samples : int, default=450
        Divided among the rings as evenly as possible.
    radii : tuple of float, default=(1.0, 2.8, 5.0)
        One ring per radius.
    noise : float, default=0.25
        Standard deviation of normal noise.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    labels : ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.manifold import three_circles
    >>> X, labels = three_circles(random_state=0)
    >>> np.bincount(labels)
    array([150, 150, 150])
    """
    check_arguments(three_circles, n_samples=(n_samples, [Int(1, None)]), noise=(noise, [Real(0, None)]))
    rng = check_random_state(random_state)
    labels = np.arange(n_samples) % len(radii)
    labels.sort()
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    radius = np.asarray(radii, dtype=np.float64)[labels]
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * rng.standard_normal(size=X.shape), labels
