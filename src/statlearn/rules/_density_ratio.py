"""Density as classification: the ratio of the data's density to that of a reference sample."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.params import HasMethods, Int, Options, check_arguments
from statlearn._core.validation import naming


def reference_sample(X, reference, n_reference, random_state):
    """Rows of the reference distribution, uniform on the box of the data or with permuted columns."""
    rng = check_random_state(random_state)
    if reference == "uniform":
        return rng.uniform(X.min(axis=0), X.max(axis=0), size=(n_reference, X.shape[1]))
    # The columns of each copy are permuted on their own: exactly the margins of the data.
    copies = -(-n_reference // len(X))
    rows = np.vstack([np.column_stack([rng.permutation(X[:, j]) for j in range(X.shape[1])]) for _ in range(copies)])
    return rows[rng.permutation(len(rows))[:n_reference]]


@dataclass
class DensityRatio:
    """Ratio of two densities, estimated by a classifier; see :func:`density_ratio`.

    Parameters
    ----------
    estimator : classifier
        Fitted classifier; class 1 is the data, class 0 the reference.
    n_data, n_reference : int
        Number of rows of both.
    volume : float or None
        Volume of the box of a uniform reference.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import LogisticRegression
    >>> from statlearn.rules import density_ratio
    >>> X = np.random.default_rng(0).uniform(size=(500, 1))
    >>> found = density_ratio(X, LogisticRegression(), random_state=0)
    >>> bool(abs(found.ratio([[0.5]])[0] - 1) < 0.2)
    True
    """

    estimator: object
    n_data: int
    n_reference: int
    volume: float | None

    def ratio(self, X):
        """Density of the data relative to the reference: odds times the ratio of the sample sizes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,)
            Infinite where the classifier is certain.
        """
        p = self.estimator.predict_proba(X)[:, 1]
        with np.errstate(divide="ignore"):
            return p / (1 - p) * (self.n_reference / self.n_data)

    def density(self, X):
        """Density of the data, for a uniform reference: the ratio divided by the volume of the box; 0 outside.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        if self.volume is None:
            raise ValueError("density requires reference='uniform'; with another reference only the ratio is known.")
        X = np.asarray(X, dtype=np.float64)
        inside = np.all((self.low <= X) & (self.high >= X), axis=1)
        return np.where(inside, self.ratio(X) / self.volume, 0.0)


def density_ratio(X, estimator, *, reference="uniform", n_reference=None, random_state=None):
    r"""Ratio of the density of the data to a reference density, by classification.

    The rows of X are labelled 1, those of a reference sample 0, and a classifier learns to tell them apart. With its
    probabilities p, the density of the data relative to the reference is

    .. math:: \frac{g(x)}{g_0(x)} = \frac{p(x)}{1 - p(x)} \cdot \frac{n_0}{n} .

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Numbers.
    estimator : classifier
        Any classifier with `predict_proba`. It is cloned.
    reference : {"uniform", "permuted"} or array-like of shape (n_reference, n_columns), default="uniform"
        Reference: uniform on the box of the data, the data with each column permuted on its own (independent columns
        with the same margins), or a given sample.
    n_reference : int or None, default=None
        Number of reference rows; None means as many as X has.
    random_state : int, RandomState instance or None, default=None
        Seed of the reference sample.

    Returns
    -------
    DensityRatio
        With the methods `ratio` and, for a uniform reference, `density`.

    Notes
    -----
    The estimate is as good as the classifier's probabilities. Trees grown to pure leaves give ratios of 0 and infinity;
    limit their leaves. In many dimensions a uniform reference is so far from the data that the classes separate; the
    permuted reference is closer.

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 14.2.4.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import LogisticRegression
    >>> from statlearn.rules import density_ratio
    >>> X = np.random.default_rng(0).beta(2, 1, size=(2000, 1))  # density 2x
    >>> found = density_ratio(X, LogisticRegression(), random_state=0)
    >>> found.ratio([[0.2], [0.8]]).round(1)
    array([0.4, 1.6])
    """
    from_sample = not isinstance(reference, str)
    check_arguments(
        density_ratio,
        estimator=(estimator, [HasMethods("fit", "predict_proba")]),
        reference=(reference, ["array-like"] if from_sample else [Options("uniform", "permuted")]),
        n_reference=(n_reference, [Int(1, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    with naming("X"):
        X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    if from_sample:
        with naming("reference"):
            rows = check_array(reference, dtype=np.float64, input_name="reference")
        if rows.shape[1] != X.shape[1]:
            raise ValueError(f"reference has {rows.shape[1]} columns, X has {X.shape[1]}.")
    else:
        rows = reference_sample(X, reference, len(X) if n_reference is None else n_reference, random_state)
    labels = np.repeat([1, 0], [len(X), len(rows)])
    fitted = clone(estimator).fit(np.vstack([X, rows]), labels)
    volume = float(np.prod(np.ptp(X, axis=0))) if not from_sample and reference == "uniform" else None
    ratio = DensityRatio(fitted, len(X), len(rows), volume)
    ratio.low, ratio.high = X.min(axis=0), X.max(axis=0)
    return ratio
