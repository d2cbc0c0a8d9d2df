"""Losses of predicting one class where another is true."""

import numpy as np


def check_losses(loss_matrix, k):
    """The loss matrix of k classes as an array."""
    losses = np.asarray(loss_matrix, dtype=np.float64)
    if losses.shape != (k, k):
        raise ValueError(f"`loss_matrix` must have shape ({k}, {k}) for {k} classes, got {losses.shape}.")
    if not np.all(losses >= 0) or not np.all(np.isfinite(losses)) or np.any(np.diag(losses) != 0):
        raise ValueError("`loss_matrix` must be finite and non-negative, with zeros on its diagonal.")
    return losses
