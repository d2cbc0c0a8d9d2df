"""The number of components by cross-validation on held-out cells."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, check_params
from statlearn._core.selection import CVCurve

from ._cells import Cells
from ._nmf import NMF


def cell_folds(observed, n_folds, random_state):
    """The fold of each cell, -1 for missing ones, such that every row and column keeps a cell outside each fold.

    Folds are drawn; in a row or column with a single observed cell, that cell is never held out.
    """
    rng = check_random_state(random_state)
    fold = np.full(observed.shape, -1)
    at = np.flatnonzero(observed)
    fold.ravel()[at] = rng.permutation(np.arange(len(at)) % n_folds)
    # A fold that holds a whole row or column gives one of its cells back: that cell is in no fold.
    for k in range(n_folds):
        for axis in (1, 0):
            whole = np.flatnonzero(((fold == k) | ~observed).all(axis=axis) & observed.any(axis=axis))
            for line in whole:
                cells = fold[line] if axis == 1 else fold[:, line]
                cells[np.flatnonzero(cells == k)[0]] = -1
    return fold


class NMFCV(NMF):
    r"""Non-negative matrix factorisation with the number of components chosen by cross-validation on held-out cells.

    The observed cells are divided into folds at random. For each candidate, NMF is fitted with a fold's cells treated
    as
    missing, and its predictions for them are judged by the mean divergence per cell. The number of components with the
    smallest mean over the folds is kept (or, with ``rule="one_se"``, the smallest one within a standard error of it),
    and the model is fitted to all observed cells.

    Parameters
    ----------
    n_components : array-like of int or None, default=None
        Candidates; None means 1 to 10, at most the smaller dimension of X.
    cv : int, default=5
        Number of folds of cells.
    rule : {"min", "one_se"}, default="min"
        How the number is chosen.
    init, solver, beta_loss, tol, max_iter, random_state, alpha_W, alpha_H, l1_ratio, verbose, shuffle
        As in :class:`NMF`.

    Attributes
    ----------
    n_components_ : int
        The chosen number.
    candidates_ : ndarray of shape (n_candidates,)
    cv_errors_ : ndarray of shape (n_candidates, cv)
        Mean divergence per held-out cell.
    cv_mean_, cv_se_ : ndarray of shape (n_candidates,)
        Mean over the folds and its standard error.
    components_, reconstruction_err_, n_iter_, n_features_in_, feature_names_in_
        As in :class:`NMF`.

    See Also
    --------
    NMF

    Notes
    -----
    Rows cannot be held out to choose the rank: the weights of a new row are fitted to the row itself, so that its error
    falls with every further component. Held-out cells are predicted from other cells of their row and column.

    References
    ----------
    Owen & Perry (2009), Bi-cross-validation of the SVD and the nonnegative matrix factorization.
    Wold (1978), Cross-validatory estimation of the number of components.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import NMFCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.gamma(0.5, size=(60, 3)) @ rng.gamma(0.5, size=(3, 12)) + 0.05 * rng.random((60, 12))
    >>> NMFCV([1, 2, 3, 4, 5], random_state=0).fit(X).n_components_
    3
    """

    _constraints = {
        **NMF._constraints,
        "n_components": ["array-like", None],
        "cv": [Int(2, None)],
        "rule": [Options("min", "one_se")],
    }

    def __init__(
        self,
        n_components=None,
        *,
        cv=5,
        rule="min",
        init=None,
        solver="cd",
        beta_loss="frobenius",
        tol=1e-4,
        max_iter=200,
        random_state=None,
        alpha_W=0.0,
        alpha_H="same",
        l1_ratio=0.0,
        verbose=0,
        shuffle=False,
    ):
        super().__init__(
            n_components,
            init=init,
            solver=solver,
            beta_loss=beta_loss,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            alpha_W=alpha_W,
            alpha_H=alpha_H,
            l1_ratio=l1_ratio,
            verbose=verbose,
            shuffle=shuffle,
        )
        self.cv = cv
        self.rule = rule

    def fit_transform(self, X, y=None):
        """Choose the number of components, fit the model and return the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Non-negative table. NaN marks a missing cell. A sparse X is made dense for the folds.
        y : ignored

        Returns
        -------
        W : ndarray of shape (n_samples, n_components_)
        """
        check_params(self)
        if self.init == "custom":
            raise ValueError("init='custom' is not supported: the candidates have different numbers of components.")
        X = self._validate(X, reset=True)
        table = X.toarray() if sparse.issparse(X) else X
        candidates = self._candidates(table)
        beta = self._check_solver(X)
        observed = ~np.isnan(table)
        fold = cell_folds(observed, self.cv, self.random_state)
        errors = np.empty((len(candidates), self.cv))
        for f in range(self.cv):
            held = fold == f
            kept = Cells(np.where(held, np.nan, table).astype(table.dtype), beta)
            judged = Cells(np.where(held, table, np.nan).astype(table.dtype), beta)
            for c, k in enumerate(candidates):
                W, H = self._factors(kept, int(k), None, None)
                W, H, _ = self._solve(kept, W, H, self._penalty(table))
                errors[c, f] = judged.divergence(W, H) / max(1, held.sum())
        curve = CVCurve(candidates, errors, name="n_components")
        self.candidates_, self.cv_errors_ = candidates, errors
        self.cv_mean_, self.cv_se_ = curve.mean, curve.std_error
        best = curve.chosen(self.rule)
        self.n_components_ = int(candidates[best])
        return self._fit_rank(X, beta)

    def _candidates(self, X):
        if self.n_components is None:
            return np.arange(1, min(10, *X.shape) + 1)
        candidates = np.unique(np.asarray(self.n_components))
        if candidates.size == 0 or candidates.dtype.kind not in "iu" or candidates[0] < 1:
            raise ValueError(f"`n_components` must contain positive integers, got {self.n_components!r}.")
        return candidates

    def _fit_rank(self, X, beta):
        cells = Cells(X, beta)
        W, H = self._factors(cells, self.n_components_, None, None)
        W, H, self.n_iter_ = self._solve(cells, W, H, self._penalty(X))
        self._warn_at_limit(self.n_iter_)
        self.reconstruction_err_ = float(np.sqrt(2.0 * max(0.0, cells.divergence(W, H))))
        self.components_ = H
        return W
