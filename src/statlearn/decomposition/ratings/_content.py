"""Recommendations from the features of items."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core.params import check_params
from statlearn._math.linalg.sparse_arrays import to_dense

from ._recommender import RATING_RULES, Recommender
from ._table import codes_of, plain_labels


class ContentRecommender(Recommender):
    r"""Items scored by the cosine of their features and the user's profile.

    The profile of a user is the mean of the features of the items that the user rated, weighted by the ratings,
    :math:`\sum_i r_{ui} f_i / \sum_i |r_{ui}|`. The score of an item is the cosine of its features and the profile.

    Parameters
    ----------
    item_features : array-like or sparse matrix of shape (n_labels, n_features), default=None
        Required. Features of the items, one row per item, such as tf-idf weights of descriptions.
    item_labels : array-like of shape (n_labels,) or None, default=None
        Labels of the rows of `item_features`; None means 0, 1, 2, ...
    center : bool, default=False
        Whether to weight by the deviations of the ratings from the user's mean, so that low ratings count against an
        item's features.
    columns : sequence of str or int, default=(0, 1, 2)
        The user, item and rating columns of a long table; without a rating column every pair counts 1.
    duplicates : {"error", "mean", "sum", "last"}, default="error"
        Treatment of pairs of user and item that occur more than once.
    layout : {"long", "matrix"}, default="long"
        As in :class:`MatrixFactorization`.

    Attributes
    ----------
    users_, items_ : ndarray
        Labels in sorted order; `items_` holds all labels with features.
    profiles_ : ndarray of shape (n_users, n_features)
        Features of the items that each user rated, averaged with the (centred) ratings as weights.
    item_directions_ : ndarray or sparse matrix of shape (n_items, n_features)
        Features scaled to length 1.

    See Also
    --------
    ItemKNNRecommender, MatrixFactorization

    Notes
    -----
    `predict` returns cosines, not ratings. Items without ratings can be recommended, since their features are known;
    users without ratings cannot be scored.

    Examples
    --------
    >>> from statlearn.decomposition import ContentRecommender
    >>> features = [[1, 0], [1, 0.2], [0, 1]]
    >>> model = ContentRecommender(features, ["west", "far west", "opera"]).fit([["A", "west", 5]])
    >>> model.recommend(["A"], n=1)[0][0, 0]
    np.str_('far west')
    """

    _constraints = {
        "item_features": ["array-like", None],
        "item_labels": ["array-like", None],
        "center": ["boolean"],
        **RATING_RULES,
    }
    predicts_ratings = False  # but cosines

    def __init__(
        self,
        item_features=None,
        item_labels=None,
        *,
        center=False,
        columns=(0, 1, 2),
        duplicates="error",
        layout="long",
    ):
        self.item_features = item_features
        self.item_labels = item_labels
        self.center = center
        self.columns = columns
        self.duplicates = duplicates
        self.layout = layout

    def fit(self, X, y=None):
        """Compute the profiles of the users.

        Parameters
        ----------
        X : table, sparse matrix or array
            A long table with a user, an item and optionally a rating per row, or a matrix of users by items.
        y : array-like of shape (n_ratings,) or None, default=None
            Ratings of a long table; replaces the rating column.

        Returns
        -------
        self
        """
        if not sparse.issparse(self.item_features):
            check_params(self)
        if self.item_features is None:
            raise ValueError("`item_features` is required: pass the features of the items to the constructor.")
        features = check_array(self.item_features, accept_sparse="csr", dtype=np.float64, input_name="item_features")
        labels = np.arange(features.shape[0]) if self.item_labels is None else np.asarray(self.item_labels)
        if len(labels) != features.shape[0]:
            raise ValueError(
                f"`item_labels` has {len(labels)} entries, but `item_features` has {features.shape[0]} rows."
            )
        labels, order = np.unique(plain_labels(labels, "item_labels"), return_index=True)
        if len(labels) < features.shape[0]:
            raise ValueError("`item_labels` contains duplicates.")
        features = features[order]
        ratings = self._read(X, y)
        cols = codes_of(ratings.items, labels, "X (items)")
        if (cols < 0).any():
            lacking = ratings.items[cols < 0]
            raise ValueError(
                f"{len(lacking)} rated item(s) have no row in `item_features`, the first is "
                f"{lacking[:1].tolist()[0]!r}."
            )
        at = cols[ratings.cols]
        values = ratings.values
        if self.center:
            count = np.maximum(np.bincount(ratings.rows, minlength=len(ratings.users)), 1)
            values = values - (np.bincount(ratings.rows, values, len(ratings.users)) / count)[ratings.rows]
        R = sparse.csr_matrix((values, (ratings.rows, at)), shape=(len(ratings.users), len(labels)))
        total = np.asarray(abs(R).sum(axis=1)).ravel()
        profile = R @ features
        profile = np.asarray(to_dense(profile))
        self.profiles_ = profile / np.where(total > 0, total, 1.0)[:, None]
        self.items_, self._seen = labels, at
        if sparse.issparse(features):
            norms = np.sqrt(np.asarray(features.multiply(features).sum(axis=1)).ravel())
            self.item_directions_ = sparse.diags(1.0 / np.where(norms > 0, norms, 1.0)) @ features
        else:
            norms = np.linalg.norm(features, axis=1, keepdims=True)
            self.item_directions_ = features / np.where(norms > 0, norms, 1.0)
        return self

    def _scores(self, rows):
        profile = self.profiles_[rows]
        norms = np.linalg.norm(profile, axis=1, keepdims=True)
        scores = self.item_directions_ @ (profile / np.where(norms > 0, norms, 1.0)).T
        return np.asarray(scores).T
