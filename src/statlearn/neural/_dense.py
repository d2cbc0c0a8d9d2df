"""Loss and gradient of dense networks on PyTorch, by back-propagation written out."""

import numpy as np
from scipy.sparse import issparse

from ._torch import import_torch


def _slope(name, delta, values):
    """Multiply adjoints by the slopes of an activation, given its values; in place."""
    if name == "relu":
        delta.mul_(values > 0)
    elif name == "tanh":
        delta.addcmul_(delta * values, values, value=-1)
    elif name == "logistic":
        delta.mul_(values).mul_(1 - values)
    elif name == "softplus":
        delta.mul_((-values).expm1_()).neg_()
    elif name == "threshold":
        delta.zero_()


def _activate(name, scores, torch):
    """Apply an activation in place."""
    if name == "relu":
        return scores.relu_()
    if name == "tanh":
        return scores.tanh_()
    if name == "logistic":
        return scores.sigmoid_()
    if name == "softplus":
        return torch.logaddexp(scores, torch.zeros((), dtype=scores.dtype, device=scores.device), out=scores)
    if name == "threshold":
        return scores.sign_().add_(1).mul_(0.5)
    return scores


def output_loss(kind, scores, target, weights, torch):
    """Sum over rows of the weighted loss, and its derivative by the scores.

    All pairs of output function and loss are canonical: the derivative is the weighted difference of mean and target.
    `target` holds class codes for "softmax", otherwise one column per output.
    """
    if kind == "softmax":
        delta = torch.log_softmax(scores, 1)
        target = target[:, None]
        loss = -delta.gather(1, target)
        delta.exp_()
        delta.scatter_add_(1, target, torch.full_like(loss, -1.0))
    elif kind == "logistic":
        loss = torch.logaddexp(scores, torch.zeros_like(scores)).sub_(target * scores)
        delta = scores.sigmoid().sub_(target)
    elif kind == "exp":
        mean = scores.exp()
        loss = torch.xlogy(target, target).sub_(target).sub_(target * scores).add_(mean)
        delta = mean.sub_(target)
    else:
        delta = scores - target
        loss = (delta * delta).mul_(0.5)
    if weights is not None:
        weights = weights[:, None]
        loss = loss * weights
        delta.mul_(weights)
    return float(loss.sum()), delta


class DenseNetwork:
    """Fully connected layers, after embeddings of categories.

    The parameters are a list: the weights of every layer, the embeddings, the intercepts of every layer.

    Parameters
    ----------
    activations : list of str
        One name per hidden layer.
    output : {"identity", "logistic", "softmax", "exp"}
        Output function, which stands for its loss.
    n_embeddings : int
    """

    def __init__(self, activations, output, n_embeddings=0):
        self.activations, self.output, self.n_embeddings = activations, output, n_embeddings
        self.torch = import_torch()

    def add_gradient(self, parameters, batch, gradient):
        """Add the gradient of the summed loss of a batch to `gradient`; returns the loss."""
        X, codes, target, weights = batch
        depth, torch = len(self.activations) + 1, self.torch
        coefs, intercepts = parameters[:depth], parameters[depth + self.n_embeddings :]
        tables = parameters[depth : depth + self.n_embeddings]
        if tables:
            X = torch.cat([X, *(table[codes[:, j]] for j, table in enumerate(tables))], dim=1)
        values = [X]
        for k in range(depth):
            scores = torch.addmm(intercepts[k], values[k], coefs[k])
            values.append(scores if k == depth - 1 else _activate(self.activations[k], scores, torch))
        loss, delta = output_loss(self.output, values.pop(), target, weights, torch)
        for k in reversed(range(depth)):
            gradient[k].addmm_(values[k].T, delta)
            gradient[depth + self.n_embeddings + k].add_(delta.sum(0))
            if k:
                delta = delta @ coefs[k].T
                _slope(self.activations[k - 1], delta, values[k])
        if tables:
            start = X.shape[1] - sum(table.shape[1] for table in tables)
            inputs = delta @ coefs[0][start:].T
            first = 0
            for j, table in enumerate(tables):
                gradient[depth + j].index_add_(0, codes[:, j], inputs[:, first : first + table.shape[1]])
                first += table.shape[1]
        return loss


class Rows:
    """The training rows as tensors; sparse rows are made dense batch by batch.

    Parameters
    ----------
    X : array or CSR matrix
    target : array
        Class codes (integers) or one column per output.
    weights : array or None
    codes : array of int or None
        Codes of the categorical columns.
    """

    def __init__(self, X, target, weights=None, codes=None, device="cpu"):
        torch = import_torch()

        def tensor(array):
            if array is None:
                return None
            array = np.ascontiguousarray(array)
            if not array.flags.writeable:  # read-only memory: PyTorch warns of it
                array = array.copy()
            return torch.from_numpy(array).to(device)

        self.n, self.device = X.shape[0], device
        self.sparse = X if issparse(X) else None
        self.X = None if issparse(X) else tensor(X)
        self.target = tensor(target)
        self.weights = tensor(weights)
        self.codes = tensor(codes)
        self.torch = torch

    def batch(self, rows):
        """(X, codes, target, weights) of some rows: a slice, or an array of indices."""
        torch = self.torch
        if self.sparse is not None:
            X = torch.from_numpy(self.sparse[rows].toarray()).to(self.device)
        index = rows if isinstance(rows, slice) else torch.from_numpy(rows).to(self.device)

        def take(tensor):
            if tensor is None:
                return None
            return tensor[index] if isinstance(index, slice) else tensor.index_select(0, index)

        if self.sparse is None:
            X = take(self.X)
        return X, take(self.codes), take(self.target), take(self.weights)

    def weight_of(self, rows):
        """Total weight of some rows."""
        if self.weights is None:
            return float(rows.stop - rows.start if isinstance(rows, slice) else len(rows))
        return float(self.weights[rows].sum())
