"""Base class of recommenders: reading, top-N lists, and their score."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, check_arguments

from ._table import DUPLICATES, codes_of, note_unknown, read_pairs, read_ratings

_BLOCK = 2**22  # scores at a time

RATING_RULES = {
    "columns": ["array-like"],
    "duplicates": [Options(*DUPLICATES)],
    "layout": [Options("long", "matrix")],
}


class Recommender(BaseEstimator):
    """Base class: subclasses set `users_`, `items_`, `_seen` and define `_scores` and `_pairs`."""

    predicts_ratings = True  # predictions are on the scale of the ratings
    _instead = "0"  # prediction for pairs with an unknown user or item

    def _read(self, X, y, sample_weight=None):
        columns = tuple(self.columns)
        if len(columns) not in (2, 3):
            raise ValueError(f"`columns` must name the user, the item and optionally the rating, got {columns}.")
        ratings = read_ratings(X, y, sample_weight, columns=columns, duplicates=self.duplicates, layout=self.layout)
        self.users_, self.items_ = ratings.users, ratings.items
        self._seen = ratings.cols
        self._seen_starts = ratings.starts
        self._seen_values = ratings.values
        return ratings

    def predict(self, X):
        """Predicted ratings of pairs of users and items.

        Parameters
        ----------
        X : table of shape (n_pairs, 2 or more)
            User and item labels in the columns named by `columns`; further columns are ignored.

        Returns
        -------
        ratings : ndarray of shape (n_pairs,)
            Pairs with an unknown user or item get what is known about the other side, with a warning.
        """
        check_is_fitted(self)
        _, _, users, items = read_pairs(X, tuple(self.columns))
        rows, cols = codes_of(users, self.users_, "X (users)"), codes_of(items, self.items_, "X (items)")
        note_unknown(rows, cols, self._instead)
        return self._pairs(rows, cols)

    def read_known(self, X, y=None):
        """Ratings of users and items that the model knows.

        Parameters
        ----------
        X : table or sparse matrix
            Ratings in the form that `fit` takes.
        y : array-like of shape (n_pairs,) or None, default=None
            Ratings, if X has none.

        Returns
        -------
        users, items : ndarray of int
            Positions in `users_` and `items_`.
        ratings : ndarray of float
        """
        check_is_fitted(self)
        ratings = read_ratings(X, y, columns=tuple(self.columns), duplicates=self.duplicates, layout=self.layout)
        rows = codes_of(ratings.users, self.users_, "X (users)")[ratings.rows]
        cols = codes_of(ratings.items, self.items_, "X (items)")[ratings.cols]
        known = (rows >= 0) & (cols >= 0)
        return rows[known], cols[known], ratings.values[known]

    def predict_codes(self, users, items):
        """Predicted ratings of pairs given by their positions in `users_` and `items_`.

        Parameters
        ----------
        users, items : array-like of int of shape (n_pairs,)
            -1 stands for an unknown user or item.

        Returns
        -------
        ratings : ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        return self._pairs(np.asarray(users), np.asarray(items))

    def _pairs(self, rows, cols):
        """Predictions of pairs of codes, -1 for unknown ones, from the scores of whole users."""
        out = np.full(len(rows), self._fallback())
        known = np.flatnonzero((rows >= 0) & (cols >= 0))
        order = known[np.argsort(rows[known], kind="stable")]
        step = max(1, _BLOCK // len(self.items_))
        users, starts = np.unique(rows[order], return_index=True)
        ends = np.append(starts[1:], len(order))
        for first in range(0, len(users), step):
            block = users[first : first + step]
            part = order[starts[first] : ends[min(first + step, len(users)) - 1]]
            scores = self._scores(block)
            out[part] = scores[np.searchsorted(block, rows[part]), cols[part]]
        return out

    def recommend(self, users=None, n=10, *, exclude_seen=True):
        """The n items with the largest predictions for each user.

        Parameters
        ----------
        users : label, array-like of labels or None, default=None
            Users with ratings in the training data; None means all, in the order of `users_`.
        n : int, default=10
            Number of items per user.
        exclude_seen : bool, default=True
            Whether to leave out items that the user has rated.

        Returns
        -------
        items : ndarray of shape (n_users, n), or (n,) for a single label
            Labels of the items, the best first. If fewer than `n` items are left, the list of a single user is shorter;
            in a table the score is NaN there, and the label has no meaning.
        scores : ndarray of shape (n_users, n), or (n,) for a single label
            Their predictions.
        """
        check_is_fitted(self)
        check_arguments("recommend", n=(n, [Int(1, None)]), exclude_seen=(exclude_seen, ["boolean"]))
        single = users is not None and np.ndim(users) == 0
        if single:
            users = [users]
        rows = np.arange(len(self.users_)) if users is None else codes_of(users, self.users_, "users")
        if (rows < 0).any():
            unknown = np.asarray(users)[rows < 0]
            raise ValueError(
                f"users: {unknown[:1].tolist()[0]!r} has no ratings in the training data; recommend items for known "
                "users only."
            )
        n_items = len(self.items_)
        width = min(n, n_items)
        chosen = np.zeros((len(rows), n), dtype=np.intp)
        scores = np.full((len(rows), n), np.nan)
        step = max(1, _BLOCK // n_items)
        for first in range(0, len(rows), step):
            block = rows[first : first + step]
            values = np.array(self._scores(block), dtype=np.float64)
            if exclude_seen:
                for at, row in enumerate(block):
                    values[at, self._seen[self._seen_starts[row] : self._seen_starts[row + 1]]] = -np.inf
            # The best, ties by the order of the items.
            top = np.argpartition(-values, width - 1, axis=1)[:, :width]
            top.sort(axis=1)
            size = np.take_along_axis(values, top, axis=1)
            order = np.argsort(-size, axis=1, kind="stable")
            best = np.take_along_axis(size, order, axis=1)
            chosen[first : first + step, :width] = np.take_along_axis(top, order, axis=1)
            scores[first : first + step, :width] = np.where(np.isneginf(best), np.nan, best)
        if single:
            left = ~np.isnan(scores[0])
            return self.items_[chosen[0][left]], scores[0][left]
        return self.items_[chosen], scores

    def complete(self, *, observed="keep"):
        """The completed matrix of ratings: all users by all items.

        Parameters
        ----------
        observed : {"keep", "predict"}, default="keep"
            Whether cells with a rating in the training data keep it or get the prediction, too.

        Returns
        -------
        pandas.DataFrame of shape (n_users, n_items)
            Labels of the users as rows and of the items as columns, in the order of `users_` and `items_`.

        Notes
        -----
        Only for recommenders that predict ratings; others know an order of the items, which `recommend` gives.
        """
        check_is_fitted(self)
        check_arguments("complete", observed=(observed, [Options("keep", "predict")]))
        if not self.predicts_ratings:
            raise ValueError(
                f"{type(self).__name__} does not predict ratings here, so there is no matrix to complete; use "
                "`recommend` for the order of the items."
            )
        import pandas as pd

        n, m = len(self.users_), len(self.items_)
        require_memory(8 * n * m, f"the dense {n:,} x {m:,} matrix", "Use `predict` for the pairs of interest.")
        values = np.empty((n, m))
        step = max(1, _BLOCK // m)
        for first in range(0, n, step):
            rows = np.arange(first, min(first + step, n))
            values[rows] = self._pairs(np.repeat(rows, m), np.tile(np.arange(m), len(rows))).reshape(len(rows), m)
        if observed == "keep":
            values[np.repeat(np.arange(n), np.diff(self._seen_starts)), self._seen] = self._seen_values
        return pd.DataFrame(values, index=pd.Index(self.users_), columns=pd.Index(self.items_))

    def score(self, X, y=None):
        """Negative root mean squared error of the predictions; larger is better.

        Parameters
        ----------
        X : table or sparse matrix
            Ratings in the form that `fit` takes.
        y : array-like of shape (n_pairs,) or None, default=None
            Ratings, if X has none.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        ratings = read_ratings(X, y, columns=tuple(self.columns), duplicates=self.duplicates, layout=self.layout)
        rows = codes_of(ratings.users, self.users_, "X (users)")[ratings.rows]
        cols = codes_of(ratings.items, self.items_, "X (items)")[ratings.cols]
        note_unknown(rows, cols, self._instead)
        return -float(np.sqrt(np.mean((self._pairs(rows, cols) - ratings.values) ** 2)))

    def _fallback(self):
        return 0.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.target_tags.required = False
        return tags
