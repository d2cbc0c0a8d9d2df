"""Forward enhancement of a linear model by cross terms and powers."""

import itertools
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_array, check_X_y

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.rows.least_squares import LeastSquaresStatistic


@dataclass
class EnhancedModel:
    """One model of the sequence returned by `forward_enhance`.

    Attributes
    ----------
    powers : ndarray of int of shape (n_terms, n_features)
        Exponents of the inputs, one row per term.
    terms : list of str
        Names of the terms, such as "x0 x1" and "x0^2".
    coef : ndarray of shape (n_terms,)
    intercept : float
    cv_loss : float
        Cross-validated mean squared error.
    cv_std_error : float
        Its standard error over the folds.
    """

    powers: np.ndarray
    terms: list
    coef: np.ndarray
    intercept: float
    cv_loss: float
    cv_std_error: float

    def transform(self, X):
        """The terms as columns."""
        X = check_array(X, dtype=np.float64, input_name="X")
        if X.shape[1] != self.powers.shape[1]:
            raise ValueError(f"X has {X.shape[1]} features, but the model was fitted with {self.powers.shape[1]}.")
        return _columns(X, self.powers)

    def predict(self, X):
        """Predicted values for rows of the original inputs."""
        return self.transform(X) @ self.coef + self.intercept


def _columns(X, powers):
    return np.column_stack([np.prod(X ** np.asarray(row), axis=1) for row in powers])


def _name(power, names):
    factors = [name if e == 1 else f"{name}^{e}" for name, e in zip(names, power) if e]
    return " ".join(factors)


class _CandidateTerms:
    """Exponents of all candidate terms, row by row: the p inputs, their products in pairs, then powers by degree."""

    def __init__(self, p, max_degree):
        unit = np.eye(p, dtype=int)
        crossed = [unit[i] + unit[j] for i, j in itertools.combinations(range(p), 2)]
        powered = [d * unit[j] for d in range(2, max_degree + 1) for j in range(p)]
        self.powers = np.array([*unit, *crossed, *powered])
        self.p, self.first_power = p, p + len(crossed)

    def candidates(self, stage, columns):
        """Terms that may be added to those in `columns`: products, or powers whose lower power is in the model."""
        if stage == "cross":
            return [k for k in range(self.p, self.first_power) if k not in columns]
        powered = range(self.first_power, len(self.powers))
        return [k for k in powered if k not in columns and self._lower_power(k) in columns]

    def _lower_power(self, k):
        """The row of x_i^(d-1) for the row k of x_i^d."""
        return k - self.p if k >= self.first_power + self.p else k - self.first_power


class _FoldedDesign:
    """All candidate columns, reduced to a triangular factor for each fold and for the whole."""

    def __init__(self, Z, y, weights, splits):
        def factor(rows):
            w = None if weights is None else weights[rows]
            return LeastSquaresStatistic.from_block(Z[rows], y[rows], w, route="qr")

        self.n_columns = Z.shape[1]
        self.whole = factor(np.arange(len(y)))
        self.folds = [(factor(train), factor(test)) for train, test in splits]
        self.fold_weight = np.array([test.total_weight for _, test in self.folds])

    def solve(self, statistic, columns, tol):
        """Intercept and coefficients of the fit on the given columns."""
        c, p = 1, self.n_columns
        keep = np.concatenate([[0], c + np.asarray(columns), [c + p]])
        shift = np.concatenate([np.asarray(columns), [p]])
        part = LeastSquaresStatistic(
            np.linalg.qr(statistic.R[:, keep], mode="r"),
            statistic.shift[shift],
            len(columns),
            True,
            statistic.n_rows,
            statistic.total_weight,
        )
        coef = part.solve(tol=tol).coef[:, 0]
        mean_x, mean_y = part.means
        return float(mean_y[0] - mean_x @ coef), coef

    def loss(self, columns, tol):
        """Mean squared error on each held-out fold, from its factor alone."""
        losses = []
        for train, test in self.folds:
            intercept, coef = self.solve(train, columns, tol)
            # Residual y - b - Zc in terms of the factor's columns [1, Z - shift, y - shift].
            combination = np.zeros(test.R.shape[1])
            combination[1 + np.asarray(columns)] = -coef
            combination[-1] = 1.0
            combination[0] = test.shift[-1] - intercept - test.shift[np.asarray(columns)] @ coef
            losses.append(float(np.sum((test.R @ combination) ** 2)) / test.total_weight)
        return np.array(losses)


def forward_enhance(
    X, y, *, max_degree=3, cv=5, min_improvement=0.0, max_terms=None, sample_weight=None, feature_names=None, tol=1e-6
):
    """Forward selection of cross terms and powers for a linear model by cross-validation.

    Starts from least squares on all inputs. Each step adds the product x_i x_j that reduces the cross-validated mean
    squared error most, until none does. Powers follow in the same way: x_i², and x_i^d once x_i^(d-1) is in the model.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    max_degree : int, default=3
        Maximum power of a single input; 1 tries cross terms only.
    cv : int, splitter, iterable, default=5
        Cross-validation folds; an int means consecutive blocks of rows.
    min_improvement : float, default=0.0
        Minimum relative reduction in error for a term to be added.
    max_terms : int or None, default=None
        Maximum number of terms to add.
    sample_weight : array-like of shape (n_samples,) or None, default=None
    feature_names : list of str or None, default=None
        Names of the inputs; by default those of a data frame's columns, or x0, x1, ...
    tol : float, default=1e-6
        Tolerance for linear dependence in the least-squares fits, see `LinearRegression`.

    Returns
    -------
    list of EnhancedModel
        The sequence from the linear to the final model. Each model has one term more than the previous one.

    Notes
    -----
    The final error is the best of many and therefore slightly optimistic; keep a test set. Standard errors of the final
    model would ignore the search, so none are provided. Every fold is reduced to a triangular factor once, so trying a
    term costs O(p³), whatever the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import forward_enhance
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> chain = forward_enhance(X, X[:, 0] - 2 * X[:, 0] * X[:, 1], max_degree=2, min_improvement=0.01)
    >>> chain[-1].terms
    ['x0', 'x1', 'x0 x1']
    """
    from sklearn.model_selection import check_cv

    check_arguments(
        "forward_enhance",
        max_degree=(max_degree, [Int(1, None)]),
        cv=(cv, ["cv"]),
        min_improvement=(min_improvement, [Real(0, 1)]),
        max_terms=(max_terms, [Int(0, None), None]),
        tol=(tol, [Real(0, None)]),
    )
    if feature_names is None and hasattr(X, "columns"):
        feature_names = [str(name) for name in X.columns]
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    weights = check_weights(sample_weight, X)
    p = X.shape[1]
    names = [f"x{j}" for j in range(p)] if feature_names is None else [str(name) for name in feature_names]
    if len(names) != p:
        raise ValueError(f"feature_names has {len(names)} entries, but X has {p} features.")

    terms = _CandidateTerms(p, max_degree)
    powers = terms.powers
    splits = list(check_cv(cv).split(X, y))
    # Scaled to size 1, so that high powers neither overflow nor dominate; the coefficients are scaled back.
    size = np.max(np.abs(X), axis=0)
    size[size == 0] = 1.0
    design = _FoldedDesign(_columns(X / size, powers), y, weights, splits)
    unscale = np.prod(size ** powers.astype(float), axis=1)

    def model(columns, loss):
        intercept, coef = design.solve(design.whole, columns, tol)
        mean = float(np.average(loss, weights=design.fold_weight))
        spread = np.average((loss - mean) ** 2, weights=design.fold_weight) / max(1, len(loss) - 1)
        return EnhancedModel(
            powers[columns],
            [_name(power, names) for power in powers[columns]],
            coef / unscale[columns],
            intercept,
            mean,
            float(np.sqrt(spread)),
        )

    columns = list(range(p))
    chain = [model(columns, design.loss(columns, tol))]
    for stage in ("cross", "power"):
        while max_terms is None or len(chain) <= max_terms:
            trials = {k: design.loss([*columns, k], tol) for k in terms.candidates(stage, columns)}
            means = {k: float(np.average(loss, weights=design.fold_weight)) for k, loss in trials.items()}
            best = min(means, key=means.__getitem__, default=None)  # the first of equals
            if best is None or not means[best] < chain[-1].cv_loss * (1.0 - min_improvement):
                break
            columns = [*columns, best]
            chain.append(model(columns, trials[best]))
    return chain
