"""Winnowing: which columns a tree can do without."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass
class TrainingRows:
    """Encoded training rows of a multiway tree.

    Parameters
    ----------
    table : ndarray of shape (n, p)
        Numbers as they are, categories as codes, NaN if missing; column-major.
    levels : ndarray of int32 of shape (p,)
        Number of levels of each column, 0 for numeric ones.
    codes : ndarray of int32 of shape (n,)
        Classes.
    weights : ndarray of shape (n,)
    """

    table: np.ndarray
    levels: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    def with_weights(self, weights):
        return replace(self, weights=weights)

    def part(self, mask):
        table = np.asfortranarray(self.table[mask])
        return TrainingRows(table, self.levels, self.codes[mask], self.weights[mask])

    def grown(self, grow, used):
        """A tree on the columns `used`, numbered as in the whole table."""
        if used.all():
            return grow(self.table, self.levels, self.codes, self.weights)
        places = np.flatnonzero(used)
        tree = grow(np.asfortranarray(self.table[:, places]), self.levels[places], self.codes, self.weights)
        feature = np.where(tree.is_leaf, tree.feature, places.astype(tree.feature.dtype)[tree.feature])
        return replace(tree, feature=feature)

    def error(self, tree, without=None):
        """Weighted error of a tree on these rows, with one column treated as missing."""
        table = self.table
        if without is not None:
            table = table.copy(order="F")
            table[:, without] = np.nan
        wrong = tree.shares(table, self.levels).argmax(axis=1) != self.codes
        return float(self.weights[wrong].sum())


def winnowed(rows, grow, rng):
    """Mask of the columns that remain.

    A tree is grown on half of the rows of each class. The columns that it does not use are dropped, and those whose
    values can be hidden from it without more errors on the other half. If a tree without all of these makes more errors
    there, no column is dropped.

    Parameters
    ----------
    rows : TrainingRows
    grow : callable
        From table, levels, codes and weights to a MultiwayTree.
    rng : RandomState

    Returns
    -------
    ndarray of bool of shape (p,)
    """
    everything = np.ones(rows.table.shape[1], bool)
    first = _half(rows.codes, rng)
    if first.all() or not first.any():
        return everything
    grown, held = rows.part(first), rows.part(~first)
    tree = grown.grown(grow, everything)
    error = held.error(tree)
    used = np.zeros_like(everything)
    for j in np.unique(tree.feature[~tree.is_leaf]):
        used[j] = held.error(tree, without=j) > error
    if not used.any() or held.error(grown.grown(grow, used)) > error:
        return everything
    return used


def _half(codes, rng):
    """Mask of half of the rows of each class, rounded up."""
    mask = np.zeros(len(codes), bool)
    for code in np.unique(codes):
        of_class = rng.permutation(np.flatnonzero(codes == code))
        mask[of_class[: (len(of_class) + 1) // 2]] = True
    return mask
