"""Prediction intervals from out-of-fold residuals, wider for rows that are hard to predict."""

from dataclasses import dataclass, field

import numpy as np

from statlearn.app.tables import frames

MAX_SCORES = 5000  # order statistics that are kept
MIN_ROWS = 100  # fewer rows say too little about where the errors are large
MAX_ROWS = 20_000  # that the spread is learned from
LEAF_SHARE = 40  # a leaf of the forest holds at least this part of the rows


@dataclass
class Intervals:
    r"""Conformal intervals around predictions.

    With residuals :math:`r_i` of rows that the model had not seen and a spread :math:`s(x)`, the half width for a row
    is :math:`s(x)` times the quantile of :math:`|r_i| / s(x_i)`. The spread is a forest on the sizes of the residuals,
    out of bag for the training rows, or 1 for all rows if that gives narrower intervals on average.

    Parameters
    ----------
    scores : ndarray
        Sorted :math:`|r_i| / s(x_i)`, at most 5,000 order statistics.
    n : int
        How many there were.
    spread : Pipeline or None
        Predicts the size of a residual; None for the same width everywhere.
    floor : float
        Added to the spread, so that no interval vanishes.
    low, high : float or None
        Ends of the possible values, such as 0 for prices.

    References
    ----------
    Papadopoulos, H., Gammerman, A. and Vovk, V. (2008). Normalized nonconformity measures for regression conformal
    prediction. *Artificial Intelligence and Applications*, 64-69.
    Johansson, U., Boström, H., Löfström, T. and Linusson, H. (2014). Regression conformal prediction with random
    forests. *Machine Learning* 97, 155-176.
    """

    scores: np.ndarray = field(default_factory=lambda: np.empty(0))
    n: int = 0
    spread: object = None
    floor: float = 0.0
    low: float | None = None
    high: float | None = None

    @classmethod
    def learn(cls, X, y, predictions, seed=0):
        """From training rows, their target and their out-of-fold predictions.

        Parameters
        ----------
        X : narwhals frame
            The columns that the model uses.
        y, predictions : ndarray
        seed : int

        Returns
        -------
        Intervals
        """
        low, high = possible_range(y)
        sizes = np.abs(y - predictions)
        known = np.flatnonzero(np.isfinite(sizes))
        plain = cls(*_kept(sizes[known]), low=low, high=high)
        if len(known) < MIN_ROWS or not np.any(sizes[known] > 0):
            return plain
        rng = np.random.default_rng(seed)
        rows = known if len(known) <= MAX_ROWS else np.sort(rng.choice(known, MAX_ROWS, replace=False))
        model = _spread_model(len(rows), seed)
        try:
            model.fit(frames.take(X, rows).to_native(), sizes[rows])
        except ValueError:  # no column is of use
            return plain
        floor = 0.1 * float(np.median(sizes[rows]))
        expected = np.maximum(model[-1].oob_prediction_, 0.0) + floor
        fine = np.isfinite(expected) & (expected > 0)
        adapted = cls(*_kept(sizes[rows][fine] / expected[fine]), model, floor, low, high)
        wide = plain.quantile(0.9)
        narrower = adapted.quantile(0.9) * expected[fine].mean() < wide
        return adapted if narrower and fine.mean() > 0.9 else plain

    def quantile(self, coverage):
        """The score that a share `coverage` of new rows stays below; infinite if there are too few scores."""
        place = int(np.ceil((self.n + 1) * coverage)) - 1  # of all n, sorted
        if place >= self.n:
            return float("inf")
        return float(self.scores[min(np.searchsorted(_places(self.n), place), len(self.scores) - 1)])

    def half_widths(self, X, coverage):
        """Half the width of the interval of each row.

        Parameters
        ----------
        X : native data frame
        coverage : float

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        score = self.quantile(coverage)
        if self.spread is None:
            return np.full(len(X), score)
        return score * (np.maximum(self.spread.predict(X), 0.0) + self.floor)

    def clipped(self, values):
        """The values moved into the possible range."""
        return np.clip(values, self.low, self.high) if self.low is not None or self.high is not None else values


def possible_range(y):
    """Bounds implied by the target: 0 if it is never negative, and also 1 for proportions between 0 and 1."""
    if len(y) == 0 or np.min(y) < 0:
        return None, None
    share = np.max(y) <= 1 and np.any((y > 0) & (y < 1))
    return 0.0, 1.0 if share else None


def _spread_model(n, seed):
    from sklearn.pipeline import make_pipeline

    from statlearn.ensemble import RandomForestRegressor
    from statlearn.prep import TableTransformer

    leaf = max(10, n // LEAF_SHARE)
    forest = RandomForestRegressor(n_estimators=60, min_samples_leaf=leaf, oob_score=True, random_state=seed)
    return make_pipeline(TableTransformer(), forest)


def _kept(scores):
    scores = np.sort(scores)
    return scores[_places(len(scores))], len(scores)


def _places(n):
    """Which of n sorted scores are kept."""
    return np.arange(n) if n <= MAX_SCORES else np.unique(np.linspace(0, n - 1, MAX_SCORES).round().astype(int))
