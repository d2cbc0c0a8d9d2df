"""Whether rows fall into clusters at all, or are one cloud that any method would divide.

Every index has a best number of clusters, for a single cloud too. So the within-cluster scatter is compared with that
of clouds of the same shape without clusters, divided in the same way: normal ones with the covariance of the rows, and
uniform ones with the ranges of their principal components. Clusters are those that neither explains.

References
----------
Liu, Y., Hayes, D. N., Nobel, A. and Marron, J. S. (2008). Statistical significance of clustering for high-dimension,
low-sample size data. *Journal of the American Statistical Association* 103, 1281-1293.
Tibshirani, R., Walther, G. and Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
statistic. *Journal of the Royal Statistical Society B* 63, 411-423.
"""

from collections import Counter

import numpy as np
from scipy.special import stdtrit

MAX_ROWS = 1000
LEVEL = 0.05  # divided by the number of numbers of clusters that are tried
FEW_DRAWS = 5  # after which a cloud that is divided as well as the rows ends the test


def number_of_clusters(rows, choices, *, n_draws, seed=0):
    """The number that most indices favour among those that are more than a division of one cloud; 1 if none is.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        As the method sees them.
    choices : dict of str to int
        What each index favours.
    n_draws : int
        Clouds of each kind.
    seed : int

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.app.explore.one_cluster import number_of_clusters
    >>> cloud = np.random.default_rng(0).normal(size=(200, 2))
    >>> two = cloud + 8 * np.eye(2)[0] * (np.arange(200) % 2)[:, None]
    >>> [number_of_clusters(rows, {"silhouette": 2, "gap": 1}, n_draws=19) for rows in (cloud, two)]
    [1, 2]
    """
    rng = np.random.default_rng(seed)
    if len(rows) > MAX_ROWS:
        rows = rows[rng.choice(len(rows), MAX_ROWS, replace=False)]
    votes = Counter(k for k in choices.values() if k > 1)
    for k in sorted(votes, key=lambda k: (-votes[k], k)):
        if is_more_than_a_cloud(rows, k, level=LEVEL / len(votes), n_draws=n_draws, rng=rng):
            return k
    return 1


def is_more_than_a_cloud(rows, k, *, level, n_draws, rng):
    """Whether k clusters divide the rows better than clouds of each kind, by a t-test of the logarithms of scatters."""
    centred = rows - rows.mean(axis=0)
    _, scales, axes = np.linalg.svd(centred, full_matrices=False)
    scales = scales / np.sqrt(len(rows))
    if not np.any(scales > 0):
        return False
    ends = np.array([(centred @ axis).min() for axis in axes]), np.array([(centred @ axis).max() for axis in axes])
    own = _scatter(centred, k, rng)

    def normal():
        return rng.normal(size=(len(rows), len(scales))) * scales @ axes

    def uniform():
        return rng.uniform(*ends, size=(len(rows), len(scales))) @ axes

    for draw in (normal, uniform):
        logs = []
        for _ in range(n_draws):
            logs.append(np.log(_scatter(draw(), k, rng)))
            if len(logs) == FEW_DRAWS and np.log(own) > np.mean(logs):
                return False
        error = np.std(logs, ddof=1) * np.sqrt(1 + 1 / n_draws)
        if np.log(own) > np.mean(logs) - stdtrit(n_draws - 1, 1 - level) * error:
            return False
    return True


def _scatter(rows, k, rng):
    """Share of the scatter that is left within k clusters."""
    from statlearn.cluster import KMeans

    total = np.sum((rows - rows.mean(axis=0)) ** 2)
    model = KMeans(k, n_init=3, random_state=int(rng.integers(2**31)))
    return max(float(model.fit(rows).inertia_ / total), 1e-300) if total > 0 else 1.0
